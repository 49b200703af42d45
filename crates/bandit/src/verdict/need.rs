//! The number of votes that a verdict needs.

use core::cmp::Ordering;

use super::lead::ln_evidence;
use super::{Tally, lead_threshold};
use crate::hint::{FrontEnd, Hint};

/// The largest number of votes considered. More counts as infinitely many.
const MOST: f64 = 1e9;

/// The number of further votes of this pair, without ties, until [`ln_lead`](super::ln_lead)
/// reaches the threshold if wins and losses continue at the present rate. It is 0 if the threshold
/// is already reached. It is `None` if the first arm is not ahead or a billion votes would not
/// suffice.
///
/// This is an extrapolation, not a guarantee: the present rate is itself uncertain, and it is too
/// high for an arm that leads by luck.
pub fn votes_needed(tally: &Tally, threshold: f64) -> Option<f64> {
    let Tally { wins, losses, .. } = *tally;
    if wins.partial_cmp(&losses) != Some(Ordering::Greater) {
        return None;
    }
    let rate = wins / (wins + losses);
    // The mixture is convex along this ray, so from below it crosses the threshold only once.
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

/// The number of votes until the best arm leads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Votes {
    /// The mean number.
    pub mean: f64,
    /// The number that is enough with the chosen probability (the power).
    pub enough: f64,
}

/// The number of votes, without ties, until the best arm is the leader. The best arm beats every
/// other arm with probability 1/2 + gap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// For one pair, until the better arm is shown to be better.
    pub one_pair: Votes,
    /// If only the pairs of the best arm are compared, in turn.
    pub one_against_all: Votes,
    /// If all pairs are compared, in turn.
    pub all_pairs: Votes,
}

/// Why no plan can be made.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum PlanError {
    /// There are fewer than two arms.
    #[error("a plan needs at least two arms, not {n_arms}")]
    Arms { n_arms: usize },
    /// The gap is not a gap in probability, or too small to be found.
    #[error("a gap must be in [0.0001, 0.5], not {gap}: the best arm wins with probability 1/2 + gap")]
    Gap { gap: f64 },
    /// The confidence is not strictly between 0 and 1.
    #[error("a confidence must be strictly between 0 and 1, not {confidence}")]
    Confidence { confidence: f64 },
    /// The power is not strictly between 0 and 1.
    #[error("a power must be strictly between 0 and 1, not {power}")]
    Power { power: f64 },
    /// The share of ties is not in [0, 1).
    #[error("a share of ties must be in [0, 1), not {ties}")]
    Ties { ties: f64 },
}

impl Hint for PlanError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        vec![match self {
            Self::Arms { .. } => format!("set {} to 2 or more", front.option("arms")),
            Self::Gap { .. } => {
                format!("with {}, the best arm wins 55 of 100 duels", front.choice("gap", "0.05"))
            }
            Self::Confidence { .. } => format!(
                "with {}, at most one in twenty experiments names a wrong leader",
                front.choice("confidence", "0.95")
            ),
            Self::Power { .. } => {
                format!(
                    "with {}, the planned votes are enough in nine of ten experiments",
                    front.choice("power", "0.9")
                )
            }
            Self::Ties { .. } => format!("with {}, one in ten votes is a tie", front.choice("ties", "0.1")),
        }]
    }
}

impl Plan {
    /// The same plan if this share of the votes are ties, which are no evidence.
    ///
    /// # Errors
    ///
    /// If the share is not in [0, 1).
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

/// Plans an experiment with K arms, in which one arm beats every other with probability 1/2 + gap.
/// The plan gives the number of votes until that arm is the leader at the given confidence: the
/// mean, and the number that is enough with probability `power`.
///
/// Dynamic programming over wins and losses gives the exact distribution of the time T until the
/// evidence of one pair reaches ln(K / (1 - confidence)). A leader must reach it in all its K - 1
/// pairs. If pairs are compared in turn, the total is the largest of K - 1 independent such times,
/// multiplied by the number of pairs. A policy that learns compares the best arms more often. As a
/// rule, it needs between `one_against_all` and `all_pairs`.
///
/// Small gaps need long random walks. Above about 10,000 steps, the walk takes one step of size
/// sqrt(b) for every b votes, with the same mean and variance. Both walks tend to the same Brownian
/// motion with drift. This changes means by less than one percent.
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
    // A vote adds about 2 gap^2 to ln E. The sum must reach the threshold plus the cost of the
    // mixture, about 3.
    let typical = (threshold + 3.0) / (2.0 * gap * gap);
    let others = n_arms as f64 - 1.0;
    // The probability that may be left out at the end. It changes means by less than 0.001 percent,
    // and the power by at most a tenth of 1 - power.
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

/// The distribution of the time until one pair reaches the threshold.
struct Times {
    /// The number of votes per step.
    block: f64,
    /// The probability of having reached the threshold after 0, 1, 2, ... steps.
    passed: Vec<f64>,
}

impl Times {
    fn new(gap: f64, threshold: f64, block: f64, rest: f64) -> Self {
        let up = 0.5 + gap * libm::sqrt(block);
        let mut passed = vec![0.0];
        // The probability of `first + i` steps up, with the threshold not yet reached.
        let (mut alive, mut first) = (vec![1.0_f64], 0_usize);
        let mut sum = 0.0;
        // The least number of steps up that reaches the threshold. It changes little from step to
        // step.
        let mut bound = 0_usize;
        let mut steps = 0_usize;
        // The evidence grows on average, so the loop ends.
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
            // The lowest states are so unlikely that even their sum does not matter.
            let lost = alive.iter().take_while(|&&chance| chance < 1e-16).count();
            if lost > alive.len() / 8 {
                alive.drain(..lost);
                first += lost;
            }
            passed.push(sum);
        }
        Self { block, passed }
    }

    /// The mean and the quantile of the largest of n independent times.
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
        // No arm is ahead: no votes, even, behind, or only ties.
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
        // The lead is too small for a billion votes: 2 * 1e9 * gap^2 stays below the threshold for
        // a gap of 1e-5.
        assert_eq!(votes_needed(&tally(50_001.0, 49_999.0), threshold), None);
    }

    #[test]
    fn trace_a_certain_winner() {
        // With a gap of 1/2 every vote is won, so it always takes 14 votes, as above. The 15 pairs
        // of 6 arms are compared in turn until each reaches ln(6 / 0.05).
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
        // 2000 pairs, each compared until it reaches the threshold. The mean, and the share that
        // needed at most `enough` votes, are within four standard errors of the plan.
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
        // About 8,000 votes on average, with one vote per step and with four votes per step. The
        // difference falls with the square root of the number of steps; `plan` makes five times as
        // many steps as the coarse walk here.
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
                // Two votes fewer are not enough: the result is rounded up and accurate to half a
                // vote.
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
