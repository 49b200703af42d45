//! The result of an arm against all others: Borda and Copeland scores.

use super::interval::Bet;
use super::{Interval, Tally};

/// An arm's Borda score: the probability of beating an opponent drawn uniformly at random.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Borda {
    /// The mean over opponents of score / votes, with 1/2 for an opponent that the arm never met.
    /// Every opponent has the same weight, however often the policy chose it. The arm's share of
    /// all its votes would depend more on the policy than on the arm.
    pub estimate: f64,
    /// The scores that the votes do not rule out. The estimate is inside.
    pub interval: Interval,
}

/// An arm's Borda score, from its tallies against all opponents. Each tally is seen from the arm.
///
/// Every vote belongs to one pair, so the product of all pairs' bets against their true rates is
/// one fair game. With probability at least 1 - level, the true rates m_j therefore satisfy, after
/// every vote,
///
/// ```text
/// sum over j of g_j(m_j) < ln(1/level)
///   g_j(m) = ln B(S_j + 1/2, n_j - S_j + 1/2) - ln pi - S_j ln m - (n_j - S_j) ln(1 - m)
/// ```
///
/// The limits are the least and the largest mean of m_j on that convex set. If the opponents have
/// about equally many votes, these limits are much narrower than the means of the pairs' own
/// limits, because not all rates can be at their worst at once. If a few pairs have nearly all
/// votes, they may be wider. If the level also covers the pairs' own intervals, the means of those
/// may be used too. For several arms, divide the level by their number.
///
/// The least mean is found with a Lagrange multiplier x for the condition: it is at m_j - m_j^2 = x
/// (S_j (1 - m_j) - (n_j - S_j) m_j), a quadratic equation. Halley's method finds x.
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
    // The estimate is inside, except for rounding of its last bit.
    Borda { estimate, interval: Interval { low: low.min(estimate), high: high.max(estimate) } }
}

/// A group of opponents with the same votes. Among thousands of opponents, most share one of a few
/// tallies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alike {
    /// The number of opponents in the group.
    pub n: f64,
    /// The arm's score against each of them: wins plus half the ties.
    pub score: f64,
    /// The number of votes between the arm and each of them.
    pub votes: f64,
    /// The number of open duels with each of them.
    pub waiting: f64,
}

/// The limits of [`borda`] when some duels are open: the low limit if all of them are lost, and the
/// high limit if all are won.
///
/// `gone` are opponents that no longer count in the mean. Their votes were part of the game. If
/// they were removed because of their votes, dropping their bets would mean choosing the game by
/// its outcome. So their bets stay in the game, at the rates that give the widest limits: each
/// raises the bound on the sum by the largest amount by which its bet can be below 0.
pub fn borda_with(opponents: &[Alike], gone: &[Alike], level: f64) -> Interval {
    let n_opponents: f64 = opponents.iter().map(|alike| alike.n).sum();
    if n_opponents == 0.0 {
        return Interval::ALL;
    }
    // The rate against an opponent without votes can be anything.
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

/// The largest amount by which the bet against an opponent can be below 0. If duels are open, it
/// covers all their possible answers: the likelihood of the best rate is at most 2 sqrt(n) times
/// the likelihood of the mixture (Krichevsky and Trofimov).
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

/// The bets on an arm's rates against all opponents that it met.
struct Bets {
    /// Each bet, with the number of opponents that it applies to.
    each: Vec<(f64, Bet)>,
    /// The least possible sum of the bets.
    lowest: f64,
}

impl Bets {
    fn new(each: Vec<(f64, Bet)>) -> Self {
        let lowest = each.iter().map(|(n, bet)| n * bet.against(bet.centre())).sum();
        Self { each, lowest }
    }

    /// The same bets from the viewpoint of the opponents.
    fn flipped(&self) -> Self {
        let each = self.each.iter().map(|&(n, bet)| (n, bet.flipped())).collect();
        Self { each, lowest: self.lowest }
    }

    /// The least sum of rates for which the sum of bets is at most `limit`.
    fn least(&self, limit: f64) -> f64 {
        let room = limit - self.lowest;
        // With many votes, the distance of the sum to its least value is nearly quadratic, so its
        // logarithm is nearly linear in ln x and the solution is known: with S = p n, m is p - p (1
        // - p) / (n x), and g is p (1 - p) / (2 n x^2) above its least value.
        let squares: f64 = self.each.iter().map(|(n, bet)| n * bet.variance()).sum();
        let guess = libm::log(squares / (2.0 * room)) / 2.0;
        let Some(ln_x) = last_above(|ln_x| self.above(ln_x, room), guess) else { return 0.0 };
        let x = libm::exp(ln_x);
        self.each.iter().map(|(n, bet)| n * bet.pulled(x).m).sum()
    }

    /// The logarithm of how far the sum is above its least value, divided by `room`, the largest
    /// allowed distance.
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

/// The value of a function at a point, with its first and second derivative.
struct Bent {
    value: f64,
    slope: f64,
    bend: f64,
}

impl Bent {
    /// The distance to the zero of the function by Halley's method, which is exact for a hyperbola
    /// and thus for a line.
    fn step(&self) -> f64 {
        let newton = -self.value / self.slope;
        // If Newton's and Halley's steps differ by more than a factor of 2, neither is close.
        newton / (1.0 + newton * self.bend / (2.0 * self.slope)).clamp(0.5, 2.0)
    }
}

/// At ln x = -FAR all rates are 0 in double precision, for all practical tallies. At ln x = FAR
/// they are score / votes.
const FAR: f64 = 80.0;

/// The largest argument at which a decreasing function is at least 0. It is accurate to 1e-9 in the
/// worst case and never too large. `None` if the function is below 0 everywhere. Uses Halley's
/// method, and bisection when a step leaves the known bracket or makes no progress.
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
            // The function seems to be below 0 everywhere.
            None if function(-FAR).value < 0.0 => return None,
            None => *above.insert(-FAR),
        };
        let width = TINY * (1.0 + at.abs());
        if below - least <= width {
            return Some(least);
        }
        // The error after a step is about the cube of the step, except at a knee of the function.
        // Slightly to the left of the result the sign is certain, and the step from there shows the
        // remaining error.
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
        // If steps do not become shorter, the search would take too long.
        let is_good = at + step > least && at + step < below && step.abs() < last_step / 2.0;
        let next = if is_good { at + step } else { f64::midpoint(least, below) };
        last_step = (next - at).abs();
        at = next;
    }
}

/// The number of opponents that an arm beats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copeland {
    /// Opponents that it certainly beats: the low limit is above 1/2.
    pub certain: usize,
    /// Opponents that it may beat: the high limit is above 1/2, or the two never met.
    pub possible: usize,
}

/// An arm's Copeland score, from the intervals of its rates against all opponents, each seen from
/// the arm. Pass [`Interval::ALL`] for an opponent that it never met. If all intervals are valid at
/// once, so are the numbers.
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
        // A tiny fraction of a win counts like no win.
        for (score, votes) in [(1e-16, 10.0), (1e-15, 100.0), (1e-13, 1000.0), (1e-300, 3.0)] {
            let (next, none) = (borda(&[tally(score, votes)], 0.05), borda(&[tally(0.0, votes)], 0.05));
            assert!((next.interval.high - none.interval.high).abs() < 1e-9, "{next:?}, {none:?}");
        }
        for nothing in [&[][..], &[Tally::default(), Tally::default()]] {
            assert_eq!(borda(nothing, 0.05), Borda { estimate: 0.5, interval: Interval::ALL });
        }
        // One win against the first opponent, no duel with the second. The rates are 1 and 1/2, the
        // low limits 1/40 and 0, the high limits 1 and 1.
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

    /// The least mean by bisection, opponent by opponent.
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
        /// The result equals the one by bisection, for few votes and for millions, with groups of
        /// opponents and without. It is never narrower, except for rounding: with millions of votes
        /// the largest terms of the sum cancel, which leaves nine digits.
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
            // No grid point is below the minimum, and one is within a step of it.
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
        /// However the open duels end, even if some are never answered, the final limits are inside
        /// the hull.
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
            // Of the open duels, `a` are won, `b` are lost and `c` are never answered.
            let then: Vec<Tally> = pairs
                .iter()
                .map(|&(won, lost, a, b, _)| tally((won + a).into(), (won + lost + a + b).into()))
                .collect();
            let (hull, all) = (borda_with(&now, &[], level), borda(&then, level).interval);
            prop_assert!(hull.low <= all.low + 1e-9 && all.high <= hull.high + 1e-9, "{hull:?} {all:?}");
        }

        /// Take any rates that the game over all opponents does not rule out. Their mean over the
        /// remaining opponents is inside the limits, whichever opponents remain.
        #[test]
        fn law_retiring_an_arm_keeps_the_promise(
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

        /// However the open duels with a removed opponent are answered, its bet is never further
        /// below 0 than `most_below` says.
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
            // With equal tallies the joint limits are inside the pairs' own limits at level / n.
            let (n_votes, level) = (f64::from(votes), 0.05);
            let tallies = vec![tally(0.6 * n_votes, n_votes); n];
            let own = interval(0.6 * n_votes, n_votes, level / n as f64);
            let all = borda(&tallies, level).interval;
            prop_assert!(own.low < all.low && all.high < own.high);
        }

        #[test]
        fn law_rates_on_the_edge_are_possible(votes in prop::collection::vec((0.01_f64..=0.99, 1_u16..500), 1..8)) {
            let bets: Vec<Bet> = votes.iter().map(|&(share, n)| Bet::new(share * f64::from(n), f64::from(n))).collect();
            // For every multiplier, the rates are probabilities below score / votes, and they grow
            // with the multiplier.
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
