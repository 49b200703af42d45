//! How an arm stands against all others: Borda and Copeland.

use super::interval::Bet;
use super::{Interval, Tally};

/// An arm's Borda score, the chance to beat an opponent drawn at random.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Borda {
    /// The mean over opponents of score / votes, 1/2 for an opponent it never met. Opponents count
    /// alike, however often the policy chose them: the share of all votes won would say more about
    /// the policy than about the arm.
    pub estimate: f64,
    /// What the votes leave possible. The estimate is inside.
    pub interval: Interval,
}

/// An arm's Borda score from its tallies against all opponents, each seen from the arm.
///
/// Every vote is of one pair, so the product of the pairs' mixtures against the pairs' true rates
/// is one fair game: with probability at least 1 - level the true rates m_j satisfy, after every
/// vote,
///
/// ```text
/// sum over j of g_j(m_j) < ln(1/level)        g_j(m) = ln B(S_j + 1/2, n_j - S_j + 1/2) - ln pi - S_j ln m - (n_j - S_j) ln(1 - m)
/// ```
///
/// The limits are the least and the largest mean of m_j on that convex set. Where opponents have
/// about equally many votes they are much narrower than the means of the pairs' own limits, since
/// not all rates can be at their worst at once; where a few pairs have nearly all votes they may be
/// wider, and if the pairs' intervals are promised anyway, their means may be used too. For several
/// arms, divide the level by their number.
///
/// The least mean is found by the multiplier of the condition: it is at m_j - m_j^2 = x (S_j (1 -
/// m_j) - (n_j - S_j) m_j), which is a quadratic, and x is found by Halley's method.
pub fn borda(tallies: &[Tally], level: f64) -> Borda {
    if tallies.is_empty() {
        return Borda { estimate: 0.5, interval: Interval::ALL };
    }
    let rate =
        |tally: &Tally| if tally.votes > 0.0 { tally.score.min(tally.votes) / tally.votes } else { 0.5 };
    let estimate = tallies.iter().map(rate).sum::<f64>() / tallies.len() as f64;
    let each: Vec<Alike> = tallies
        .iter()
        .map(|tally| Alike { n: 1.0, score: tally.score, votes: tally.votes, waiting: 0.0 })
        .collect();
    let Interval { low, high } = borda_with(&each, &[], level);
    // The estimate is inside but for its last bit.
    Borda { estimate, interval: Interval { low: low.min(estimate), high: high.max(estimate) } }
}

/// Opponents with the same votes. Where there are thousands, most of them have one of a few
/// tallies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alike {
    /// How many opponents these are.
    pub n: f64,
    /// What the arm won against each of them: wins and half the ties.
    pub score: f64,
    /// The votes beside each of them.
    pub votes: f64,
    /// Duels with each of them that wait for an answer.
    pub waiting: f64,
}

/// The limits of [`borda`] when duels wait for an answer: the low limit if all of them are lost and
/// the high one if all are won.
///
/// `gone` are opponents that no longer count in the mean. Their votes were part of the game, and if
/// it was because of the votes that they had to go, leaving their bets out would be to choose the
/// game by its outcome. So they stay in, at the rates that are best for the limit: each adds what
/// its bet is below 0 at least.
pub fn borda_with(opponents: &[Alike], gone: &[Alike], level: f64) -> Interval {
    let n_opponents: f64 = opponents.iter().map(|alike| alike.n).sum();
    if n_opponents == 0.0 {
        return Interval::ALL;
    }
    // An opponent without votes may have any rate.
    let met = || opponents.iter().filter(|alike| alike.votes + alike.waiting > 0.0);
    let bets = |score: fn(&Alike) -> f64| {
        Bets::new(met().map(|alike| (alike.n, Bet::new(score(alike), alike.votes + alike.waiting))).collect())
    };
    let wins = bets(|alike| alike.score);
    let losses = if met().all(|alike| alike.waiting == 0.0) {
        wins.flipped()
    } else {
        bets(|alike| alike.votes - alike.score)
    };
    let limit = gone.iter().fold(-libm::log(level), |limit, alike| limit + alike.n * most_below(alike));
    Interval { low: wins.least(limit) / n_opponents, high: 1.0 - losses.least(limit) / n_opponents }
}

/// How far below 0 the bet against an opponent can be. While duels wait, whatever their answers:
/// the mixture is never worse than the best rate by more than sqrt(n) times 2 (Krichevsky and
/// Trofimov).
fn most_below(alike: &Alike) -> f64 {
    let votes = alike.votes + alike.waiting;
    if votes == 0.0 {
        0.0
    } else if alike.waiting == 0.0 {
        let bet = Bet::new(alike.score, votes);
        -bet.against(bet.centre())
    } else {
        libm::log(votes) / 2.0 + core::f64::consts::LN_2
    }
}

/// The bets on an arm's rates against all opponents it met.
struct Bets {
    /// How many opponents have each.
    each: Vec<(f64, Bet)>,
    /// The least that their sum can be.
    lowest: f64,
}

impl Bets {
    fn new(each: Vec<(f64, Bet)>) -> Self {
        let lowest = each.iter().map(|(n, bet)| n * bet.against(bet.centre())).sum();
        Self { each, lowest }
    }

    /// The same bets on the opponents.
    fn flipped(&self) -> Self {
        let each = self.each.iter().map(|&(n, bet)| (n, bet.flipped())).collect();
        Self { each, lowest: self.lowest }
    }

    /// The least sum of rates at which the sum of bets is not above a limit.
    fn least(&self, limit: f64) -> f64 {
        let room = limit - self.lowest;
        // Where votes are many the sum is a square above its least, so that its logarithm is nearly
        // a line, and where it ends is known: with S = p n, m is p - p (1 - p) / (n x) and g is p
        // (1 - p) / (2 n x^2) above its least.
        let squares: f64 = self.each.iter().map(|(n, bet)| n * bet.variance()).sum();
        let guess = libm::log(squares / (2.0 * room)) / 2.0;
        let Some(ln_x) = last_above(|ln_x| self.above(ln_x, room), guess) else { return 0.0 };
        let x = libm::exp(ln_x);
        self.each.iter().map(|(n, bet)| n * bet.pulled(x).m).sum()
    }

    /// How far the sum is above its least, beside how far it may be, as a logarithm.
    fn above(&self, ln_x: f64, room: f64) -> Bent {
        let x = libm::exp(ln_x);
        let (mut sum, mut slope, mut bend) = (0.0, 0.0, 0.0);
        for (n, bet) in &self.each {
            let pulled = bet.pulled(x);
            sum += n * bet.against_pulled(&pulled);
            slope += n * pulled.slope;
            bend += n * pulled.bend;
        }
        let rest = (sum - self.lowest).max(f64::MIN_POSITIVE);
        let slope = slope / rest;
        Bent { value: libm::log(rest / room), slope, bend: bend / rest - slope * slope }
    }
}

/// A function at a place, with its first and second derivative.
struct Bent {
    value: f64,
    slope: f64,
    bend: f64,
}

impl Bent {
    /// How far it is to where the function is 0, by Halley's method: exact for a hyperbola, and
    /// thus for a line.
    fn step(&self) -> f64 {
        let newton = -self.value / self.slope;
        // Where the two differ by more than that neither is near.
        newton / (1.0 + newton * self.bend / (2.0 * self.slope)).clamp(0.5, 2.0)
    }
}

/// From there on rates are 0 in double precision for all practical tallies; as far on the other
/// side they are score / votes.
const FAR: f64 = 80.0;

/// The last place at which a falling function is not below 0, to 1e-9 at worst and never behind it;
/// nothing if it is below 0 everywhere. Halley's method, and halving where that leads out of what
/// is known or nowhere.
fn last_above(function: impl Fn(f64) -> Bent, guess: f64) -> Option<f64> {
    const TINY: f64 = 2e-14;
    let (mut above, mut below, mut last_step) = (None, FAR, f64::INFINITY);
    let mut at = if guess.abs() < FAR { guess } else { 0.0 };
    loop {
        let here = function(at);
        if here.value >= 0.0 {
            above = Some(at);
        } else {
            below = at;
        }
        let step = here.step();
        let least = match above {
            Some(above) => above,
            None if at + step > -FAR => -FAR,
            // It seems to be below 0 everywhere.
            None if function(-FAR).value < 0.0 => return None,
            None => *above.insert(-FAR),
        };
        let width = TINY * (1.0 + at.abs());
        if below - least <= width {
            return Some(least);
        }
        // What a step leaves is about its cube, but at a knee. A little aside the side is sure, and
        // what is left is seen from there.
        if step.abs().powi(3) <= 100.0 * width {
            let aside = [1.0, 10.0, 100.0].map(|steps| at + step - steps * width);
            let safe =
                aside.into_iter().map(|aside| (aside, function(aside))).find(|(_, there)| there.value >= 0.0);
            if let Some((safe, there)) = safe
                && there.step() <= 200.0 * width
            {
                return Some(safe);
            }
        }
        // Steps that do not become shorter would go on for long.
        let is_good = at + step > least && at + step < below && step.abs() < last_step / 2.0;
        let next = if is_good { at + step } else { f64::midpoint(least, below) };
        last_step = (next - at).abs();
        at = next;
    }
}

/// How many opponents an arm beats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copeland {
    /// Opponents that it certainly beats: the low limit is above 1/2.
    pub certain: usize,
    /// Opponents that it may beat: the high limit is above 1/2, or the two never met.
    pub possible: usize,
}

/// An arm's Copeland score from the intervals of its rates against all opponents, each seen from
/// the arm; [`Interval::ALL`] where the two never met. It holds for all at once if the intervals
/// do.
pub fn copeland(intervals: &[Interval]) -> Copeland {
    let certain = intervals.iter().filter(|interval| interval.low > 0.5).count();
    let possible = intervals.iter().filter(|interval| interval.high > 0.5).count();
    Copeland { certain, possible }
}

#[cfg(test)]
mod tests {
    use super::super::interval;
    use super::*;
    use proptest::prelude::*;

    fn tally(score: f64, votes: f64) -> Tally {
        Tally { wins: score, losses: votes - score, votes, score }
    }

    #[test]
    fn trace_one_opponent_is_the_pair() {
        for (score, votes) in [(1.0, 1.0), (0.0, 3.0), (7.5, 20.0), (400.0, 500.0)] {
            let (pair, Borda { estimate, interval: all }) =
                (interval(score, votes, 0.05), borda(&[tally(score, votes)], 0.05));
            assert!((all.low - pair.low).abs() < 1e-12 && (all.high - pair.high).abs() < 1e-12);
            assert!((estimate - score / votes).abs() < 1e-15);
        }
        // Next to nothing of a win is as good as none.
        for (score, votes) in [(1e-16, 10.0), (1e-15, 100.0), (1e-13, 1000.0), (1e-300, 3.0)] {
            let (next, none) = (borda(&[tally(score, votes)], 0.05), borda(&[tally(0.0, votes)], 0.05));
            assert!((next.interval.high - none.interval.high).abs() < 1e-9, "{next:?}, {none:?}");
        }
        for nothing in [&[][..], &[Tally::default(), Tally::default()]] {
            assert_eq!(borda(nothing, 0.05), Borda { estimate: 0.5, interval: Interval::ALL });
        }
        // A win against one, never met the other: 1 and 1/2; its own limit 1/40 and 0, 1 and 1.
        let half = borda(&[tally(1.0, 1.0), Tally::default()], 0.05);
        assert!((half.estimate - 0.75).abs() < 1e-15);
        assert!((half.interval.low - 0.0125).abs() < 1e-12 && half.interval.high > 1.0 - 1e-12);
    }

    /// The least mean on a grid of rates.
    fn on_a_grid(tallies: &[Tally], level: f64, steps: u32) -> f64 {
        let n = tallies.len();
        let bets: Vec<Bet> = tallies.iter().map(|tally| Bet::new(tally.score, tally.votes)).collect();
        let mut best = 1.0_f64;
        for mut code in 0..u64::from(steps + 1).pow(u32::try_from(n).unwrap()) {
            let (mut sum, mut against) = (0.0, 0.0);
            for bet in &bets {
                let m = (code % u64::from(steps + 1)) as f64 / f64::from(steps);
                code /= u64::from(steps + 1);
                sum += m;
                against += bet.against(m);
            }
            if against < -level.ln() {
                best = best.min(sum / n as f64);
            }
        }
        best
    }

    /// The least mean by halving, opponent by opponent.
    fn by_halving(tallies: &[(f64, f64)], level: f64) -> f64 {
        let bets: Vec<Bet> = tallies.iter().map(|&(score, votes)| Bet::new(score, votes)).collect();
        let sum = |ln_x: f64| bets.iter().map(|bet| bet.against_pulled(&bet.pulled(ln_x.exp()))).sum::<f64>();
        let (mut above, mut below) = (-FAR, FAR);
        if sum(above) < -level.ln() {
            return 0.0;
        }
        for _ in 0..200 {
            let middle = f64::midpoint(above, below);
            *(if sum(middle) >= -level.ln() { &mut above } else { &mut below }) = middle;
        }
        bets.iter().map(|bet| bet.pulled(above.exp()).m).sum::<f64>() / tallies.len() as f64
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        /// The same as by halving, for a few votes and for millions, for opponents alike and not;
        /// and never narrower but for rounding, which with millions of votes leaves nine digits of
        /// a sum of which the largest terms cancel.
        #[test]
        fn law_agrees_with_halving(
            tallies in prop::collection::vec((0_u32..=20, 1_u32..=20, 0_u32..18, 1_usize..30), 1..12),
            ln_level in -25.0_f64..-0.1,
        ) {
            let tallies: Vec<(f64, f64)> = tallies.into_iter().flat_map(|(wins, votes, scale, times)| {
                let scale = f64::from(1_u32 << scale);
                vec![(f64::from(wins.min(votes)) * scale, f64::from(votes) * scale); times]
            }).collect();
            let level = ln_level.exp();
            let slow = by_halving(&tallies, level);
            let flipped: Vec<(f64, f64)> = tallies.iter().map(|&(score, votes)| (votes - score, votes)).collect();
            let slow_high = 1.0 - by_halving(&flipped, level);
            let each: Vec<Tally> = tallies.iter().map(|&(score, votes)| tally(score, votes)).collect();
            let mut groups: Vec<Alike> = Vec::new();
            for &(score, votes) in &tallies {
                match groups.iter_mut().find(|alike| (alike.score, alike.votes) == (score, votes)) {
                    Some(alike) => alike.n += 1.0,
                    None => groups.push(Alike { n: 1.0, score, votes, waiting: 0.0 }),
                }
            }
            for found in [borda(&each, level).interval, borda_with(&groups, &[], level)] {
                prop_assert!((found.low - slow).abs() <= 1e-9 * slow + 1e-30, "{found:?}, {slow}");
                prop_assert!((found.high - slow_high).abs() <= 1e-9, "{found:?}, {slow_high}");
            }
        }
    }

    #[test]
    fn trace_agrees_with_a_grid() {
        let cases = [
            (vec![tally(6.0, 10.0), tally(30.0, 40.0)], 600),
            (vec![tally(2.0, 2.0), tally(0.0, 9.0)], 600),
            (vec![tally(10.0, 16.0), tally(5.5, 7.0), tally(1.0, 20.0)], 100),
        ];
        for (tallies, steps) in cases {
            let Interval { low, high } = borda(&tallies, 0.05).interval;
            let grid = on_a_grid(&tallies, 0.05, steps);
            let flipped: Vec<Tally> = tallies.iter().map(Tally::flipped).collect();
            let grid_high = 1.0 - on_a_grid(&flipped, 0.05, steps);
            // A grid finds nothing better than the least, and comes within a step of it.
            let step = 1.0 / f64::from(steps);
            assert!(low <= grid + 1e-9 && grid - low < step, "{low}, {grid}");
            assert!(high >= grid_high - 1e-9 && high - grid_high < step, "{high}, {grid_high}");
        }
    }

    #[test]
    fn trace_copeland() {
        let sure = Interval { low: 0.51, high: 0.7 };
        let open = Interval { low: 0.4, high: 0.6 };
        let lost = Interval { low: 0.1, high: 0.5 };
        assert_eq!(copeland(&[sure, open, lost, Interval::ALL]), Copeland { certain: 1, possible: 3 });
        assert_eq!(copeland(&[]), Copeland { certain: 0, possible: 0 });
    }

    proptest! {
        /// Whatever becomes of the duels that wait, also if some are never answered, the limits
        /// they will have are inside.
        #[test]
        fn law_with_waiting_is_a_hull(
            pairs in prop::collection::vec((0_u16..60, 0_u16..60, 0_u16..6, 0_u16..6, 0_u16..6), 1..6),
            level in 0.001_f64..0.3,
        ) {
            let now: Vec<Alike> = pairs
                .iter()
                .map(|&(won, lost, a, b, c)| Alike {
                    n: 1.0,
                    score: won.into(),
                    votes: (won + lost).into(),
                    waiting: (a + b + c).into(),
                })
                .collect();
            // `a` of those that wait are won, `b` lost, `c` never answered.
            let then: Vec<Tally> = pairs
                .iter()
                .map(|&(won, lost, a, b, _)| tally((won + a).into(), (won + lost + a + b).into()))
                .collect();
            let (hull, all) = (borda_with(&now, &[], level), borda(&then, level).interval);
            prop_assert!(hull.low <= all.low + 1e-9 && all.high <= hull.high + 1e-9, "{hull:?} {all:?}");
        }

        /// Rates that the game over all opponents leaves possible have their mean over those that
        /// are left inside the limits, whichever are left.
        #[test]
        fn law_whoever_goes_the_promise_stays(
            pairs in prop::collection::vec((0_u16..60, 0_u16..60, 0.02_f64..0.98, 0.0_f64..1.0, any::<bool>()), 1..10),
            level in 0.001_f64..0.3,
        ) {
            let mut sum = 0.0;
            let (mut left, mut gone, mut rates) = (Vec::new(), Vec::new(), Vec::new());
            for (won, lost, other, nearness, is_left) in pairs {
                let (score, votes) = (f64::from(won), f64::from(won) + f64::from(lost));
                let centre = if votes > 0.0 { score / votes } else { 0.5 };
                let rate = nearness * centre + (1.0 - nearness) * other;
                sum += if votes > 0.0 { Bet::new(score, votes).against(rate) } else { 0.0 };
                let alike = Alike { n: 1.0, score, votes, waiting: 0.0 };
                if is_left {
                    left.push(alike);
                    rates.push(rate);
                } else {
                    gone.push(alike);
                }
            }
            prop_assume!(!rates.is_empty() && sum < -level.ln());
            let limits = borda_with(&left, &gone, level);
            let mean = rates.iter().sum::<f64>() / rates.len() as f64;
            prop_assert!(limits.low <= mean + 1e-9 && mean <= limits.high + 1e-9, "{limits:?}, {mean}");
        }

        /// Whatever the answers of duels with one who is gone, its bet ends no further below 0.
        #[test]
        fn law_bets_of_who_is_gone(won in 0_u16..200, lost in 0_u16..200, more_won in 0_u16..20, more_lost in 0_u16..20) {
            let (score, votes) = (f64::from(won), f64::from(won) + f64::from(lost));
            let waiting = f64::from(more_won) + f64::from(more_lost);
            let now = most_below(&Alike { n: 1.0, score, votes, waiting });
            let then = Alike { n: 1.0, score: score + f64::from(more_won), votes: votes + waiting, waiting: 0.0 };
            prop_assert!(most_below(&then) <= now + 1e-12 && now >= 0.0);
        }

        #[test]
        fn law_holds_the_estimate_and_is_symmetric(votes in prop::collection::vec((0.0_f64..=1.0, 0_u16..500), 1..8)) {
            let tallies: Vec<Tally> =
                votes.iter().map(|&(share, votes)| tally(share * f64::from(votes), f64::from(votes))).collect();
            let Borda { estimate, interval: all } = borda(&tallies, 0.05);
            prop_assert!(0.0 <= all.low && all.low <= estimate && estimate <= all.high && all.high <= 1.0);
            let wider = borda(&tallies, 0.01).interval;
            prop_assert!(wider.low <= all.low + 1e-12 && all.high <= wider.high + 1e-12);
            let flipped: Vec<Tally> = tallies.iter().map(Tally::flipped).collect();
            let other = borda(&flipped, 0.05);
            prop_assert!((all.low - (1.0 - other.interval.high)).abs() < 1e-9 && (estimate + other.estimate - 1.0).abs() < 1e-12);
        }

        #[test]
        fn law_equal_votes_narrow_it(n in 2_usize..20, votes in 10_u16..300) {
            // With equal tallies the joint limits are inside the pairs' own at their shares of the
            // level.
            let (n_votes, level) = (f64::from(votes), 0.05);
            let tallies = vec![tally(0.6 * n_votes, n_votes); n];
            let own = interval(0.6 * n_votes, n_votes, level / n as f64);
            let all = borda(&tallies, level).interval;
            prop_assert!(own.low < all.low && all.high < own.high);
        }

        #[test]
        fn law_rates_on_the_edge_are_possible(votes in prop::collection::vec((0.01_f64..=0.99, 1_u16..500), 1..8)) {
            let bets: Vec<Bet> = votes.iter().map(|&(share, n)| Bet::new(share * f64::from(n), f64::from(n))).collect();
            // Whatever multiplier: the rates it gives are probabilities, below score / votes, and
            // grow with it.
            let mut before = vec![0.0; bets.len()];
            for ln_x in [-20.0_f64, -3.0, 0.0, 3.0, 20.0] {
                for (bet, last) in bets.iter().zip(&mut before) {
                    let m = bet.pulled(ln_x.exp()).m;
                    prop_assert!(*last <= m && m <= bet.centre() + 1e-15);
                    *last = m;
                }
            }
        }
    }
}
