//! How many votes a verdict needs.

use core::cmp::Ordering;

use super::lead::ln_evidence;
use super::{Tally, lead_threshold};
use crate::hint::{FrontEnd, Hint};

/// More votes than this are as good as infinitely many.
const MOST: f64 = 1e9;

/// How many more votes of this pair, ties not counted, until [`ln_lead`](super::ln_lead) reaches
/// the threshold if wins and losses go on coming at the present rate: 0 if it is reached, nothing
/// if the first arm is not ahead or a billion would not do.
///
/// An extrapolation, not a promise: the present rate is itself uncertain, and of an arm that leads
/// by luck too high.
pub fn votes_needed(tally: &Tally, threshold: f64) -> Option<f64> {
    let Tally { wins, losses, .. } = *tally;
    if wins.partial_cmp(&losses) != Some(Ordering::Greater) {
        return None;
    }
    let rate = wins / (wins + losses);
    // The mixture is convex along the ray, so from below it passes the threshold once.
    let reached = |more: f64| ln_evidence(wins + rate * more, losses + (1.0 - rate) * more) >= threshold;
    if reached(0.0) {
        return Some(0.0);
    }
    let (mut below, mut above) = (0.0, 1.0);
    while !reached(above) {
        if above >= MOST {
            return None;
        }
        (below, above) = (above, above * 2.0);
    }
    while above - below > 0.5 {
        let middle = f64::midpoint(below, above);
        if reached(middle) {
            above = middle;
        } else {
            below = middle;
        }
    }
    Some(above.ceil())
}

/// Votes until the best arm leads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Votes {
    /// On average.
    pub mean: f64,
    /// So many are enough with the chosen probability.
    pub enough: f64,
}

/// How many votes it takes until the arm that beats every other with probability 1/2 + gap is the
/// leader, ties not counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// Of one pair, until the better arm is known to be better.
    pub one_pair: Votes,
    /// If only the best arm's pairs are asked, in turn.
    pub one_against_all: Votes,
    /// If all pairs are asked, in turn.
    pub all_pairs: Votes,
}

/// A plan that cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// Too few arms.
    #[error("two or more arms can be compared, not {n_arms}")]
    Arms {
        /// What was given.
        n_arms: usize,
    },
    /// A gap that is none, or too small to be found.
    #[error(
        "a gap lies in [0.0001, 0.5], the best arm winning with probability 1/2 + gap, and {gap} does not"
    )]
    Gap {
        /// What was given.
        gap: f64,
    },
    /// No probability that can be reached.
    #[error("a confidence lies strictly between 0 and 1, and {confidence} does not")]
    Confidence {
        /// What was given.
        confidence: f64,
    },
    /// No probability that can be reached.
    #[error("a power lies strictly between 0 and 1, and {power} does not")]
    Power {
        /// What was given.
        power: f64,
    },
    /// A share of ties that leaves nothing.
    #[error("a share of ties lies in [0, 1), and {ties} does not")]
    Ties {
        /// What was given.
        ties: f64,
    },
}

impl Hint for PlanError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        vec![match self {
            Self::Arms { .. } => format!("give two or more {}", front.option("arms")),
            Self::Gap { .. } => {
                format!("{} is an arm that wins 55 of 100", front.choice("gap", "0.05"))
            }
            Self::Confidence { .. } => format!(
                "{} is a wrong leader once in twenty experiments at most",
                front.choice("confidence", "0.95")
            ),
            Self::Power { .. } => {
                format!("{} asks for votes that are enough nine times in ten", front.choice("power", "0.9"))
            }
            Self::Ties { .. } => format!("{} is one tie in ten votes", front.choice("ties", "0.1")),
        }]
    }
}

impl Plan {
    /// The same if this share of votes are ties, which say nothing about who is better.
    ///
    /// # Errors
    ///
    /// If it is no share below 1.
    pub fn with_ties(self, ties: f64) -> Result<Self, PlanError> {
        if !(0.0..1.0).contains(&ties) {
            return Err(PlanError::Ties { ties });
        }
        let all = |votes: Votes| Votes {
            mean: votes.mean / (1.0 - ties),
            enough: (votes.enough / (1.0 - ties)).ceil(),
        };
        Ok(Self {
            one_pair: all(self.one_pair),
            one_against_all: all(self.one_against_all),
            all_pairs: all(self.all_pairs),
        })
    }
}

/// Plans an experiment with K arms, one of which beats every other with probability 1/2 + gap, that
/// names it leader at the given confidence: on average, and so that the votes are enough with
/// probability `power`.
///
/// The time T until the evidence of one pair reaches ln(K / (1 - confidence)) has an exact
/// distribution, found by dynamic programming over wins and losses. A leader must pass in all K - 1
/// pairs; asked in turn, that takes the largest of K - 1 independent such times, times the number
/// of pairs. A policy that learns asks the best arms more often: its need lies between the two sums
/// of pairs, as a rule.
///
/// Small gaps make long walks. Above some 10,000 steps the walk is made with steps of sqrt(b) for
/// every b votes, with the same mean and variance (both tend to the same Brownian motion with
/// drift), which changes means by less than one percent.
///
/// # Errors
///
/// If a number is outside its range.
pub fn plan(n_arms: usize, gap: f64, confidence: f64, power: f64) -> Result<Plan, PlanError> {
    if n_arms < 2 {
        return Err(PlanError::Arms { n_arms });
    }
    if !(1e-4..=0.5).contains(&gap) {
        return Err(PlanError::Gap { gap });
    }
    let inside = |x: f64| x > 0.0 && x < 1.0;
    if !inside(confidence) {
        return Err(PlanError::Confidence { confidence });
    }
    if !inside(power) {
        return Err(PlanError::Power { power });
    }
    let threshold = lead_threshold(n_arms, 1.0 - confidence);
    // A vote adds about 2 gap^2 to ln E, which must also make up for the mixture, some 3.
    let typical = (threshold + 3.0) / (2.0 * gap * gap);
    let others = n_arms as f64 - 1.0;
    // What may be left out at the end: it moves means by less than a thousandth of a percent, and
    // the power by a tenth of what is missing to 1.
    let rest = (0.1 * (1.0 - power) / others).clamp(1e-12, 1e-7);
    let times = Times::new(gap, threshold, (typical / 10_000.0).max(1.0), rest);
    let scaled = |pairs: f64| {
        let votes = times.largest_of(others, power);
        Votes { mean: votes.mean * pairs, enough: votes.enough * pairs }
    };
    Ok(Plan {
        one_pair: times.largest_of(1.0, power),
        one_against_all: scaled(others),
        all_pairs: scaled(others * n_arms as f64 / 2.0),
    })
}

/// The distribution of the time until one pair passes.
struct Times {
    /// Votes a step.
    block: f64,
    /// The chance to have passed after so many steps, from 0.
    passed: Vec<f64>,
}

impl Times {
    fn new(gap: f64, threshold: f64, block: f64, rest: f64) -> Self {
        let up = 0.5 + gap * libm::sqrt(block);
        let mut passed = vec![0.0];
        // The chance of `first + i` steps up, the threshold not yet reached.
        let (mut alive, mut first) = (vec![1.0_f64], 0_usize);
        let mut sum = 0.0;
        // The least number of steps up that passes; it moves little from step to step.
        let mut bound = 0_usize;
        let mut steps = 0_usize;
        // The evidence grows all the time, so it ends.
        while 1.0 - sum > rest && !alive.is_empty() {
            steps += 1;
            let is_over = |ups: usize| {
                let votes = block * steps as f64;
                let ahead = libm::sqrt(block) * (2.0 * ups as f64 - steps as f64);
                ln_evidence(f64::midpoint(votes, ahead), f64::midpoint(votes, -ahead)) >= threshold
            };
            while bound > 0 && is_over(bound - 1) {
                bound -= 1;
            }
            while bound <= steps && !is_over(bound) {
                bound += 1;
            }
            alive.push(0.0);
            for i in (0..alive.len()).rev() {
                let below = if i > 0 { alive[i - 1] } else { 0.0 };
                alive[i] = below * up + alive[i] * (1.0 - up);
            }
            while let Some(&last) = alive.last()
                && first + alive.len() > bound
            {
                sum += last;
                alive.pop();
            }
            // Far behind: so unlikely that all of them together do not matter.
            let lost = alive.iter().take_while(|&&chance| chance < 1e-16).count();
            if lost > alive.len() / 8 {
                alive.drain(..lost);
                first += lost;
            }
            passed.push(sum);
        }
        Self { block, passed }
    }

    /// The largest of so many independent times.
    fn largest_of(&self, n: f64, power: f64) -> Votes {
        let all = |passed: &f64| libm::pow(*passed, n);
        // E T = sum over t of P(T > t).
        let mean = self.passed.iter().map(|passed| 1.0 - all(passed)).sum::<f64>() * self.block;
        let steps = self.passed.iter().position(|passed| all(passed) >= power).unwrap_or(self.passed.len());
        Votes { mean, enough: (steps as f64 * self.block).ceil() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ln_lead;
    use super::*;
    use crate::Stream;
    use proptest::prelude::*;
    use rand::RngExt;

    #[test]
    fn trace_by_hand() {
        let tally = |wins: f64, losses: f64| Tally { wins, losses, votes: wins + losses, score: wins };
        let threshold = lead_threshold(2, 0.05);
        // Nobody is ahead: no votes, only ties, even, behind.
        for behind in [
            tally(0.0, 0.0),
            tally(8.0, 8.0),
            tally(3.0, 5.0),
            Tally { votes: 9.0, score: 4.5, ..Tally::default() },
        ] {
            assert_eq!(votes_needed(&behind, threshold), None);
        }
        // Wins only: the least w with ln E(w, 0) >= ln 40 is 14 (3.618 at 13, 3.977 at 14, and ln
        // 40 is 3.689), so 4 more than 10.
        assert!(ln_lead(13.0, 0.0) < threshold && ln_lead(14.0, 0.0) >= threshold);
        assert_eq!(votes_needed(&tally(10.0, 0.0), threshold), Some(4.0));
        assert_eq!(votes_needed(&tally(14.0, 0.0), threshold), Some(0.0));
        // A lead too small for a billion votes: 2 * 1e9 * gap^2 stays below the threshold for a gap
        // of 1e-5.
        assert_eq!(votes_needed(&tally(50_001.0, 49_999.0), threshold), None);
    }

    #[test]
    fn trace_a_certain_winner() {
        // With a gap of 1/2 every vote is won: 14 votes, on average and always, as above; 15 pairs
        // of 6 arms need what ln(6 / 0.05) asks, in turn.
        let two = plan(2, 0.5, 0.95, 0.9).unwrap();
        for votes in [two.one_pair, two.one_against_all, two.all_pairs] {
            assert_eq!(votes, Votes { mean: 14.0, enough: 14.0 });
        }
        let wins = (1..100).find(|&w| ln_lead(f64::from(w), 0.0) >= lead_threshold(6, 0.05)).unwrap();
        let six = plan(6, 0.5, 0.95, 0.9).unwrap();
        assert_eq!(six.one_pair, Votes { mean: f64::from(wins), enough: f64::from(wins) });
        let turns = |pairs: i32| Votes { mean: f64::from(pairs * wins), enough: f64::from(pairs * wins) };
        assert_eq!((six.one_against_all, six.all_pairs), (turns(5), turns(15)));
        // Half ties: twice the votes.
        assert_eq!(two.with_ties(0.5).unwrap().all_pairs, Votes { mean: 28.0, enough: 28.0 });
    }

    #[test]
    fn trace_refusals() {
        assert_eq!(plan(1, 0.1, 0.95, 0.9), Err(PlanError::Arms { n_arms: 1 }));
        for gap in [0.0, -0.1, 0.51, 1e-5] {
            assert_eq!(plan(2, gap, 0.95, 0.9), Err(PlanError::Gap { gap }));
        }
        assert!(matches!(plan(2, f64::NAN, 0.95, 0.9), Err(PlanError::Gap { .. })));
        for x in [0.0, 1.0, 95.0] {
            assert_eq!(plan(2, 0.1, x, 0.9), Err(PlanError::Confidence { confidence: x }));
            assert_eq!(plan(2, 0.1, 0.95, x), Err(PlanError::Power { power: x }));
        }
        let ties = 1.0;
        assert_eq!(plan(2, 0.5, 0.95, 0.9).unwrap().with_ties(ties), Err(PlanError::Ties { ties }));
    }

    #[test]
    fn stat_votes_as_planned() {
        // Pairs voted on until they pass, 2000 of them: the mean within four standard errors, the
        // share that needed no more than `enough` likewise.
        let (gap, threshold) = (0.1, lead_threshold(4, 0.05));
        let planned = plan(4, gap, 0.95, 0.9).unwrap().one_pair;
        let mut rng = Stream::new(8).label("plan").rng();
        let times: Vec<f64> = (0..2000)
            .map(|_| {
                let (mut wins, mut losses) = (0.0, 0.0);
                while ln_lead(wins, losses) < threshold {
                    if rng.random::<f64>() < 0.5 + gap { wins += 1.0 } else { losses += 1.0 }
                }
                wins + losses
            })
            .collect();
        let n = times.len() as f64;
        let mean = times.iter().sum::<f64>() / n;
        let error = (times.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / n / n).sqrt();
        assert!((mean - planned.mean).abs() < 4.0 * error, "{mean} +- {error}, planned {}", planned.mean);
        let enough = times.iter().filter(|&&t| t <= planned.enough).count() as f64 / n;
        assert!((enough - 0.9).abs() < 4.0 * (0.9_f64 * 0.1 / n).sqrt(), "{enough}");
    }

    #[test]
    fn trace_long_steps_change_little() {
        // Some 8,000 votes on average, one a step and four a step. The difference falls with the
        // root of the number of steps, of which `plan` makes five times as many as the coarse walk
        // here.
        let threshold = lead_threshold(8, 0.05);
        let (fine, coarse) = (Times::new(0.02, threshold, 1.0, 1e-7), Times::new(0.02, threshold, 4.0, 1e-7));
        for n in [1.0, 7.0] {
            let (fine, coarse) = (fine.largest_of(n, 0.9), coarse.largest_of(n, 0.9));
            assert!((coarse.mean / fine.mean - 1.0).abs() < 0.01, "{fine:?} {coarse:?}");
            assert!((coarse.enough / fine.enough - 1.0).abs() < 0.01, "{fine:?} {coarse:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn law_the_forecast_is_where_the_lead_is_reached(wins in 2_u32..400, losses in 0_u32..400, n_arms in 2_usize..50) {
            prop_assume!(wins > losses);
            let (w, l) = (f64::from(wins), f64::from(losses));
            let threshold = lead_threshold(n_arms, 0.05);
            let tally = Tally { wins: w, losses: l, votes: w + l, score: w };
            if let Some(more) = votes_needed(&tally, threshold) {
                let rate = w / (w + l);
                let after = |more: f64| ln_evidence(w + rate * more, l + (1.0 - rate) * more);
                prop_assert!(after(more) >= threshold);
                // Two fewer do not do: it is rounded up, and found to half a vote.
                prop_assert!(more < 2.0 || after(more - 2.0) < threshold);
            }
        }

        #[test]
        fn law_harder_questions_need_more(n_arms in 2_usize..20, gap in 0.05_f64..0.4, confidence in 0.5_f64..0.99) {
            let here = plan(n_arms, gap, confidence, 0.8).unwrap();
            let more_arms = plan(n_arms + 1, gap, confidence, 0.8).unwrap();
            let clearer = plan(n_arms, gap + 0.1, confidence, 0.8).unwrap();
            let surer = plan(n_arms, gap, 0.995, 0.9).unwrap();
            prop_assert!(here.all_pairs.mean < more_arms.all_pairs.mean);
            prop_assert!(clearer.all_pairs.mean < here.all_pairs.mean);
            prop_assert!(here.all_pairs.mean < surer.all_pairs.mean && here.all_pairs.enough <= surer.all_pairs.enough);
            prop_assert!(here.one_pair.mean <= here.one_against_all.mean && here.one_against_all.mean <= here.all_pairs.mean);
        }
    }
}
