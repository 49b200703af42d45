//! Confidence intervals for the win rate of a pair that are valid at every moment.

use serde::{Deserialize, Serialize};

use super::Tally;
use super::lead::ln_beta;

/// A range of numbers, limits included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    /// All possible rates.
    pub const ALL: Self = Self { low: 0.0, high: 1.0 };

    /// Whether it contains this number.
    pub fn contains(&self, number: f64) -> bool {
        (self.low..=self.high).contains(&number)
    }
}

/// ln of the bet against each win rate m. The bettor is the mixture of all rates with the density
/// Beta(1/2, 1/2):
///
/// ```text
/// g(m) = ln B(S + 1/2, n - S + 1/2) - ln pi - S ln m - (n - S) ln(1 - m)
/// ```
///
/// g is convex in m and least at S/n. There it is at most 0, because no mixture of likelihoods
/// exceeds the largest likelihood.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bet {
    score: f64,
    rest: f64,
    constant: f64,
}

impl Bet {
    pub(super) fn new(score: f64, votes: f64) -> Self {
        // Rounding can leave the score slightly above the votes.
        let score = score.clamp(0.0, votes);
        let rest = votes - score;
        Self { score, rest, constant: ln_beta(score + 0.5, rest + 0.5) - libm::log(core::f64::consts::PI) }
    }

    /// g(m), which is infinite if the votes make m impossible.
    pub(super) fn against(&self, m: f64) -> f64 {
        self.against_both(m, 1.0 - m)
    }

    /// g(m) at the m of [`Self::pulled`].
    pub(super) fn against_pulled(&self, &Pulled { m, rest, .. }: &Pulled) -> f64 {
        self.against_both(m, rest)
    }

    /// g(m), with 1 - m given more precisely than by subtraction.
    fn against_both(&self, m: f64, rest: f64) -> f64 {
        let term = |count: f64, ln: f64| if count > 0.0 { count * ln } else { 0.0 };
        // log1p is half as fast, and needed only if 1 - m would lose digits of m.
        let ln_rest = if m < 0.25 { libm::log1p(-m) } else { libm::log(rest) };
        self.constant - term(self.score, libm::log(m)) - term(self.rest, ln_rest)
    }

    /// ln of the likelihood of the votes under the mixture, not compared with any m.
    pub(super) const fn mixture(&self) -> f64 {
        self.constant
    }

    /// The m below S/n at which m + x g(m) is least, with the derivatives of g(m) with respect to
    /// ln x.
    ///
    /// m is the smaller root of m^2 - b m + x S with b = 1 + x n. The discriminant is D = (1 - x
    /// n)^2 + 4 x (n - S). Both m and 1 - m are computed without cancellation. g'(m) = -1/x and m'
    /// = x (S - n m) / sqrt(D) give the slope -w with w = (S - n m) / sqrt(D), and the bend -w' = w
    /// x (n / sqrt(D) + (b n - 2 S) / D).
    pub(super) fn pulled(&self, x: f64) -> Pulled {
        if self.score > 0.0 {
            let votes = self.score + self.rest;
            let (b, above) = (1.0 + x * votes, x * votes - 1.0);
            let root = libm::sqrt(above * above + 4.0 * x * self.rest);
            let m = 2.0 * x * self.score / (b + root);
            let rest = if above > 0.0 { 2.0 * x * self.rest / (above + root) } else { (root - above) / 2.0 };
            let fall = ((self.score - votes * m) / root).max(0.0);
            let bend = fall * x * (votes + (b * votes - 2.0 * self.score) / root) / root;
            Pulled { m, rest, slope: -fall, bend }
        } else {
            Pulled { m: 0.0, rest: 1.0, slope: 0.0, bend: 0.0 }
        }
    }

    /// The same bet on the other arm.
    pub(super) const fn flipped(self) -> Self {
        Self { score: self.rest, rest: self.score, constant: self.constant }
    }

    /// The m below S/n at which g crosses a limit above 0, found by Newton's method in x = ln(m /
    /// (1 - m)).
    ///
    /// In x, g(x) = constant - S x + n ln(1 + e^x), which is convex. Its asymptote constant - S x
    /// is below it and reaches the limit to the left of the crossing. From there the method
    /// approaches the crossing and never passes it, so the result is never too large.
    fn low(self, limit: f64) -> f64 {
        if self.score <= 0.0 {
            return 0.0;
        }
        let votes = self.score + self.rest;
        let mut x = (self.constant - limit) / self.score;
        // Each step at least halves the distance, and near the end squares it. About ten steps
        // suffice.
        for _ in 0..200 {
            let small = libm::exp(-x.abs());
            let m = if x < 0.0 { small / (1.0 + small) } else { 1.0 / (1.0 + small) };
            let slope = votes * m - self.score;
            let value = self.constant - self.score * x + votes * (x.max(0.0) + libm::log1p(small));
            let step = (limit - value) / slope;
            // Only rounding errors are left. A positive slope means the same.
            if slope >= 0.0 || step <= 1e-15 * (1.0 + x.abs()) {
                break;
            }
            x += step;
        }
        1.0 / (1.0 + libm::exp(-x))
    }

    /// The variance of S/n if S/n is the rate.
    pub(super) fn variance(&self) -> f64 {
        let votes = self.score + self.rest;
        self.score * self.rest / (votes * votes * votes)
    }

    /// S/n, where the bet is least.
    pub(super) fn centre(&self) -> f64 {
        self.score / (self.score + self.rest)
    }
}

/// The minimum that [`Bet::pulled`] finds: m is pulled from S/n towards 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pulled {
    pub(super) m: f64,
    /// 1 - m.
    rest: f64,
    /// The first and the second derivative of g(m) with respect to ln x.
    pub(super) slope: f64,
    pub(super) bend: f64,
}

/// The win rates that the votes do not rule out: all m against which the mixture has won less than
/// 1/level.
///
/// ```text
/// {m : ln B(S + 1/2, n - S + 1/2) - ln pi - S ln m - (n - S) ln(1 - m) < ln(1/level)},
///      S = score, n = votes
/// ```
///
/// With probability at least 1 - level, the interval contains the true mean of the rewards after
/// *every* vote, no matter how the duels were chosen. The reason: a vote with reward y multiplies a
/// bet on q against m by (q/m)^y ((1-q)/(1-m))^(1-y). This is convex in y, so it is at most the
/// mean factor of a win with probability y. If m is the true mean, that factor has mean 1. A tie is
/// half a win. For several pairs at once, divide the level by their number. Without votes the
/// interval is [0, 1].
pub fn interval(score: f64, votes: f64, level: f64) -> Interval {
    // Written positively so that NaN counts as no votes.
    if votes > 0.0 {
        let limit = -libm::log(level);
        let bet = Bet::new(score, votes);
        Interval { low: bet.low(limit), high: 1.0 - bet.flipped().low(limit) }
    } else {
        Interval::ALL
    }
}

/// The hull of all [intervals](interval) that a tally can have when the duels that were issued
/// before its last vote and are still open are answered in any way, or never. `waiting` is the
/// number of these duels. The low limit assumes that all of them are losses, the high limit that
/// all are wins.
///
/// The guarantee of [`interval`] holds for votes in the order of issue. This function takes later
/// votes into account without waiting for earlier ones. The final interval is inside the hull,
/// because with l = n - S losses the low limit L(S, l)
///
/// 1. does not rise when losses are added, and
/// 2. does not fall when part of a vote is moved from losses to wins.
///
/// Proof, where psi is the derivative of lnGamma. Under the mixture's posterior Beta(S + 1/2, l +
/// 1/2) the means of ln q and ln(1-q) are psi(S + 1/2) - psi(n + 1) and psi(l + 1/2) - psi(n + 1).
/// Hence at a fixed m
///
/// ```text
/// dg/dl         = psi(l + 1/2) - psi(n + 1) - ln(1 - m)             at most 0
///   for m <= r,  1 - r = exp(psi(l+1/2) - psi(n+1))
/// dg/dS - dg/dl = psi(S + 1/2) - psi(l + 1/2) - ln(m / (1 - m))
///   at least 0  for m <= t,  t/(1-t) = exp(psi(S+1/2) - psi(l+1/2))
/// ```
///
/// Since g falls in m at L, it remains to show L <= t <= r. Write x = exp psi(S + 1/2), y = exp
/// psi(l + 1/2), so that t = x/(x + y). We use ln(z - 1/2) < psi(z) < ln z - 1/(2z) (the left
/// inequality for z > 1/2) and -ln(1 - u) <= 2u for u <= 1/2. They imply psi(z) < ln(z - 1/4) for
/// z >= 1/2, so x + y < n + 1/2 < exp psi(n + 1), which gives t <= r. By Jensen's inequality g(t)
/// is at most the posterior mean of S ln(q/t) + l ln((1-q)/(1-t)), which is n (ln(x + y) - psi(n +
/// 1)) < 0. So t is inside the set for every level, and L <= t. The proof for the high limit is
/// symmetric.
pub fn interval_with(tally: &Tally, waiting: f64, level: f64) -> Interval {
    let votes = tally.votes + waiting;
    let low = interval(tally.score, votes, level).low;
    let high = interval(tally.score + waiting, votes, level).high;
    Interval { low, high }
}

/// Whether the votes rule out every win rate up to `rate`, that is, whether the low limit of
/// [`interval_with`] is above it. This is faster than computing that limit.
pub fn is_above(tally: &Tally, waiting: f64, rate: f64, level: f64) -> bool {
    let votes = tally.votes + waiting;
    if votes > 0.0 {
        let bet = Bet::new(tally.score, votes);
        bet.score > rate * votes && bet.against(rate) >= -libm::log(level)
    } else {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;
    use proptest::prelude::*;

    #[test]
    fn trace_by_hand() {
        // One win: B(3/2, 1/2) = pi/2, so g(m) = -ln 2 - ln m, which is ln 20 at m = 1/40.
        let one = interval(1.0, 1.0, 0.05);
        assert!((one.low - 0.025).abs() < 1e-12 && one.high >= 1.0);
        // A win and a loss: B(3/2, 3/2) = pi/8, so m(1 - m) = 0.05/8 = 1/160 at both limits: (1 -+
        // sqrt(1 - 4/160)) / 2, that is sqrt(0.975) = 0.98742088, 0.00628956 and 0.99371044.
        let two = interval(1.0, 2.0, 0.05);
        assert!((two.low - 0.006_289_56).abs() < 1e-8 && (two.high - 0.993_710_44).abs() < 1e-8);
        // Two ties are the same as a win and a loss.
        let mut ties = Tally::default();
        ties.add(Outcome::TIE, 1.0);
        ties.add(Outcome::TIE, 1.0);
        assert_eq!(interval(ties.score, ties.votes, 0.05), two);
        for (score, votes) in [(0.0, 0.0), (0.0, f64::NAN)] {
            assert_eq!(interval(score, votes, 0.05), Interval::ALL);
        }
        // One win is counted and one duel is open. The low limit is as with a loss, the high limit
        // as with a win.
        let mut tally = Tally::default();
        tally.add(Outcome::WIN, 1.0);
        let open = interval_with(&tally, 1.0, 0.05);
        assert!((open.low - two.low).abs() < 1e-15 && open.high >= 1.0);
        assert_eq!(interval_with(&Tally::default(), 3.0, 0.05), Interval::ALL);
    }

    #[test]
    fn trace_coverage_by_dynamic_programming() {
        // The probability that the true rate is ever outside within 300 votes, over all sequences
        // of votes.
        for (p, level) in [(0.5, 0.05), (0.3, 0.05), (0.9, 0.01)] {
            let mut missed = 0.0;
            let mut alive = vec![0.0; 301];
            alive[0] = 1.0;
            for n in 1..=300_usize {
                for w in (0..=n).rev() {
                    let from = if w > 0 { alive[w - 1] * p } else { 0.0 } + alive[w] * (1.0 - p);
                    let inside = interval(w as f64, n as f64, level).contains(p);
                    missed += if inside { 0.0 } else { from };
                    alive[w] = if inside { from } else { 0.0 };
                }
            }
            // At least a quarter of the level is used, so the interval is not needlessly wide.
            assert!(missed <= level && missed > level / 4.0, "{missed} at {p}");
        }
    }

    proptest! {
        #[test]
        fn law_limits_are_where_the_bet_is_won(score in 0.0_f64..1.0, votes in 0.1_f64..1e5, level in 1e-6_f64..0.5) {
            let Interval { low, high } = interval(score * votes, votes, level);
            let bet = Bet::new(score * votes, votes);
            prop_assert!(0.0 <= low && low <= bet.centre() && bet.centre() <= high && high <= 1.0);
            prop_assert!(bet.against(bet.centre()) <= 1e-9);
            for limit in [low, high] {
                // Inside (0, 1) the bet equals the limit there. The slope of g is at most votes /
                // min(m, 1 - m).
                if limit > 1e-9 && limit < 1.0 - 1e-9 {
                    prop_assert!((bet.against(limit) + level.ln()).abs() < 1e-4);
                }
            }
        }

        #[test]
        fn law_flipped_is_symmetric(score in 0.0_f64..1.0, votes in 0.0_f64..1e4) {
            let (here, there) = (interval(score * votes, votes, 0.05), interval(votes - score * votes, votes, 0.05));
            // At the centre the two differ by rounding errors of about 1e-16 votes, divided by a
            // slope of order sqrt(votes).
            prop_assert!((here.low - (1.0 - there.high)).abs() < 1e-9 && (here.high - (1.0 - there.low)).abs() < 1e-9);
        }

        #[test]
        fn law_above_is_above_the_low_limit(
            score in 0.0_f64..1.0, votes in 0.0_f64..1e4, waiting in 0_u8..9, rate in 0.01_f64..0.99,
        ) {
            let tally = Tally { votes, score: score * votes, ..Tally::default() };
            let low = interval_with(&tally, f64::from(waiting), 0.05).low;
            prop_assume!((low - rate).abs() > 1e-9);
            prop_assert_eq!(is_above(&tally, f64::from(waiting), rate, 0.05), low > rate);
        }

        #[test]
        fn law_smaller_levels_are_wider(score in 0.0_f64..1.0, votes in 0.0_f64..1e4, level in 1e-4_f64..0.5) {
            let (wide, narrow) = (interval(score * votes, votes, level / 2.0), interval(score * votes, votes, level));
            prop_assert!(wide.low <= narrow.low && narrow.high <= wide.high);
        }

        /// The hull contains the final interval, whether the open duels become graded votes or stay
        /// unanswered.
        #[test]
        fn law_whatever_is_waiting_stays_inside(
            score in 0.0_f64..1.0, votes in 0.0_f64..300.0, waiting in 0_u8..40, answered in 0.0_f64..1.0, reward in 0.0_f64..1.0,
            level in prop::sample::select(vec![0.001, 0.05, 0.5, 0.99]),
        ) {
            let tally = Tally { votes, score: score * votes, ..Tally::default() };
            let hull = interval_with(&tally, f64::from(waiting), level);
            let answered = (answered * f64::from(waiting)).round();
            let late = interval(tally.score + answered * reward, votes + answered, level);
            prop_assert!(hull.low <= late.low + 1e-12 && late.high <= hull.high + 1e-12, "{hull:?} {late:?}");
        }
    }
}
