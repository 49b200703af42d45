//! For each pair, the posterior probability that one arm beats the other more often than not.
//!
//! After w wins and l losses, with a uniform prior, the winning rate theta has the posterior
//! Beta(w + 1, l + 1), and
//!
//! ```text
//! F(w, l) = Pr[theta > 1/2] = Pr[Bin(n + 1, 1/2) <= w]      n = w + l
//! b(w, l) = (n + 1)! / (w! l! 2^(n + 2))
//! F(w + 1, l) = F(w, l) + b / (w + 1)                       F(w, l + 1) = F(w, l) - b / (l + 1)
//! b(w + 1, l) = b (n + 2) / (2 (w + 1))                     b(w, l + 1) = b (n + 2) / (2 (l + 1))
//! ```
//!
//! So one outcome updates the probability of its pair in O(1). The state contains the logarithm of
//! b, because b itself underflows. Rounding errors depend on the order of outcomes, so both numbers
//! are saved. After counts are merged, [`chance_of`] recomputes the probability.

use core::f64::consts::{LN_2, PI, SQRT_2};

use crate::Arm;
use crate::damaged::Damaged;
use crate::structures::collections::pairs::{all_pairs, n_pairs, pair_of};
use crate::structures::counts::duel_counts::DuelCounts;

/// The probability F of each pair, updated with each outcome.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Superiority {
    /// F of the arm with the lower index.
    chances: Vec<f64>,
    /// ln b, which is the same for both arms.
    ln_b: Vec<f64>,
}

impl Superiority {
    /// No duels yet: 1/2 for each pair.
    pub(crate) fn new(n_arms: usize) -> Self {
        Self { chances: vec![0.5; n_pairs(n_arms)], ln_b: vec![-2.0 * LN_2; n_pairs(n_arms)] }
    }

    /// The probability that the first of two different arms beats the second more often than not.
    #[inline]
    pub(crate) fn chance(&self, arm: Arm, other: Arm) -> f64 {
        let chance = self.chances[pair_of(arm.index(), other.index())];
        if arm < other { chance } else { 1.0 - chance }
    }

    /// Learns from a duel. `wins` and `losses` are those of the winner against the loser, this duel
    /// included.
    #[inline]
    pub(crate) fn record(&mut self, winner: Arm, loser: Arm, (wins, losses): (u64, u64)) {
        let pair = pair_of(winner.index(), loser.index());
        let (next, ln_b) = (wins as f64, self.ln_b[pair]);
        let step = libm::exp(ln_b) / next;
        let chance = self.chances[pair];
        // Rounding must not lead out of [0, 1].
        self.chances[pair] = if winner < loser { (chance + step).min(1.0) } else { (chance - step).max(0.0) };
        self.ln_b[pair] = ln_b + libm::log((wins + losses + 1) as f64 / (2.0 * next));
    }

    /// Recomputes a pair from its counts.
    pub(crate) fn recompute(&mut self, counts: &DuelCounts, arm: Arm, other: Arm) {
        let (low, high) = (arm.min(other), arm.max(other));
        let (wins, losses) = (counts.wins(low, high), counts.wins(high, low));
        let pair = pair_of(low.index(), high.index());
        self.chances[pair] = chance_of(wins, losses);
        self.ln_b[pair] = ln_b_of(wins, losses);
    }

    /// The parts that must be saved: the probabilities and the logarithms.
    pub(crate) fn into_parts(self) -> (Vec<f64>, Vec<f64>) {
        (self.chances, self.ln_b)
    }

    /// Restores the saved parts, if they agree with the counts.
    pub(crate) fn from_parts(
        chances: Vec<f64>,
        ln_b: Vec<f64>,
        counts: &DuelCounts,
    ) -> Result<Self, Damaged> {
        let pairs = n_pairs(counts.n_arms());
        if chances.len() != pairs || ln_b.len() != pairs {
            return Err(Damaged("the number of probabilities does not fit the number of arms"));
        }
        for (pair, (low, high)) in all_pairs(counts.n_arms()).enumerate() {
            let (low, high) = (Arm::new(low), Arm::new(high));
            let (wins, losses) = (counts.wins(low, high), counts.wins(high, low));
            let (chance, ln) = (chance_of(wins, losses), ln_b_of(wins, losses));
            // Written positively so that NaN fails.
            let fits = (0.0..=1.0).contains(&chances[pair])
                && (chances[pair] - chance).abs() < SLACK
                && (ln_b[pair] - ln).abs() < SLACK * ln.abs().max(1.0);
            if !fits {
                return Err(Damaged("a probability does not agree with the counts"));
            }
        }
        Ok(Self { chances, ln_b })
    }
}

/// Far more than the rounding error of 2^40 outcomes, and far less than any real difference.
const SLACK: f64 = 1e-7;

/// Beyond this many duels, the sum is replaced by its limit. The error of the limit is then less
/// than 1e-10.
const MOST_TERMS_FROM: f64 = 1e8;

/// F(w, l) from the counts, accurate to about 1e-13, in O(sqrt n).
pub(crate) fn chance_of(wins: u64, losses: u64) -> f64 {
    if wins > losses {
        return 1.0 - chance_of(losses, wins);
    }
    if wins == losses {
        return 0.5;
    }
    let (w, l) = (wins as f64, losses as f64);
    let n = w + l + 1.0;
    if n > MOST_TERMS_FROM {
        // The normal distribution, evaluated half a step above w. For a symmetric binomial
        // distribution this approximation has no error term of order 1/sqrt(n).
        return 0.5 * libm::erfc((n - 2.0 * w - 1.0) / libm::sqrt(n) / SQRT_2);
    }
    // Starts at Pr[Bin(n, 1/2) = w] and goes down. Each term is at most as large as the one before.
    let (mut term, mut sum, mut k) = (1.0, 1.0, 0.0);
    while term > 1e-18 * sum {
        term *= (w - k) / (n - w + 1.0 + k);
        sum += term;
        k += 1.0;
    }
    // Pr[Bin = w] = 2 b / (l + 1).
    (sum * 2.0 * libm::exp(ln_b_of(wins, losses)) / (l + 1.0)).min(0.5)
}

/// ln b(w, l) from the counts. A difference of logarithms of factorials would lose all relevant
/// digits after a million duels. In the form used here, their large parts have been cancelled
/// analytically.
fn ln_b_of(wins: u64, losses: u64) -> f64 {
    let (w, l) = (wins as f64, losses as f64);
    let n = w + l;
    if wins == 0 || losses == 0 {
        return libm::log(n + 1.0) - (n + 2.0) * LN_2;
    }
    // n! / (w! l! 2^n) = exp(r(n) - r(w) - r(l) - n kl(w/n, 1/2)) sqrt(n / (2 pi w l)), with x! =
    // exp(r(x)) sqrt(2 pi x) (x/e)^x.
    let d = (w - l) / n;
    let n_kl = 0.5 * n * ((1.0 + d) * libm::log1p(d) + (1.0 - d) * libm::log1p(-d));
    let share = 0.5 * libm::log(n / (2.0 * PI) / w / l);
    stirling_rest(n) - stirling_rest(w) - stirling_rest(l) - n_kl + share + libm::log((n + 1.0) / 4.0)
}

/// r(x) = ln x! - ln(sqrt(2 pi x) (x/e)^x), for x >= 1.
fn stirling_rest(x: f64) -> f64 {
    if x < 16.0 {
        return libm::lgamma(x + 1.0) - 0.5 * libm::log(2.0 * PI * x) - x * (libm::log(x) - 1.0);
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    inverse
        * (1.0 / 12.0
            - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square / 1188.0))))
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    /// Pr[Bin(n + 1, 1/2) <= w] in whole numbers: C(121, 60) is just below 2^117.
    fn exact(wins: u64, losses: u64) -> f64 {
        let n = u128::from(wins + losses + 1);
        let (mut term, mut sum) = (1u128, 1u128);
        for k in 1..=u128::from(wins) {
            term = term * (n - k + 1) / k;
            sum += term;
        }
        sum as f64 / 2f64.powi(i32::try_from(n).expect("few"))
    }

    fn counts(wins: u64, losses: u64) -> DuelCounts {
        let mut counts = DuelCounts::new(2);
        counts.add(&[0.0, wins as f64, losses as f64, 0.0]);
        counts
    }

    /// F(1, 0) = 3/4: the probability that the larger of two uniforms is above 1/2. F(2, 0) = 7/8,
    /// and F(2, 1) = 11/16 since 5 of 16 outcomes of four coins have three heads or more.
    #[test]
    fn trace_first_outcomes() {
        let mut above = Superiority::new(2);
        let (a, b) = (Arm::new(0), Arm::new(1));
        above.record(a, b, (1, 0));
        assert!((above.chance(a, b) - 0.75).abs() < 1e-15);
        above.record(a, b, (2, 0));
        assert!((above.chance(a, b) - 0.875).abs() < 1e-15);
        above.record(b, a, (1, 2));
        assert!((above.chance(a, b) - 11.0 / 16.0).abs() < 1e-15);
        assert!((above.chance(b, a) - 5.0 / 16.0).abs() < 1e-15);
    }

    /// Both ways to compute F, compared with sums of whole numbers, for all counts up to 110.
    #[test]
    fn law_chances_are_binomial_sums() {
        for wins in 0..=60 {
            let mut above = Superiority::new(2);
            for n in 0..wins {
                above.record(Arm::new(1), Arm::new(0), (n + 1, 0));
            }
            for losses in 0..=50 {
                let want = exact(wins, losses);
                let kept = above.chance(Arm::new(1), Arm::new(0));
                assert!((kept - want).abs() < 5e-14, "kept F({wins}, {losses}) = {kept}, not {want}");
                let direct = chance_of(wins, losses);
                assert!((direct - want).abs() < 1e-14, "F({wins}, {losses}) = {direct}, not {want}");
                assert!((above.ln_b[0] - ln_b_of(wins, losses)).abs() < 1e-12);
                above.record(Arm::new(0), Arm::new(1), (losses + 1, wins));
            }
        }
    }

    /// A million outcomes of a fair pair and of an unfair pair: the two ways agree to 1e-12, and
    /// the saved parts are accepted.
    #[test]
    fn law_a_million_outcomes() {
        for rate in [0.5, 0.503] {
            let mut rng = crate::Stream::new(1).rng();
            let mut above = Superiority::new(2);
            let (mut wins, mut losses) = (0u64, 0u64);
            for n in 0..1_000_000u64 {
                if n.is_power_of_two() || n == 999_999 {
                    let (kept, direct) = (above.chances[0], chance_of(wins, losses));
                    assert!((kept - direct).abs() < 1e-12, "F({wins}, {losses}): {kept} and {direct}");
                    let (chances, ln_b) = above.clone().into_parts();
                    let again = Superiority::from_parts(chances, ln_b, &counts(wins, losses));
                    assert_eq!(again.expect("what was saved"), above);
                }
                if rng.random::<f64>() < rate {
                    wins += 1;
                    above.record(Arm::new(0), Arm::new(1), (wins, losses));
                } else {
                    losses += 1;
                    above.record(Arm::new(1), Arm::new(0), (losses, wins));
                }
            }
        }
    }

    /// There is no jump where the sum is replaced by its limit. No count takes long or gives a
    /// value outside [0, 1].
    #[test]
    fn law_large_counts() {
        // Leads of 1000 and 2000 are 0.1 and 0.2 standard deviations of the sum of 1e8 coins.
        let (below, above) = (chance_of(49_998_000, 49_999_000), chance_of(50_000_000, 50_002_000));
        assert!((below - 0.460_172).abs() < 1e-4 && (above - 0.420_740).abs() < 1e-4, "{below}, {above}");
        let edge = 50_000_000 - 1;
        let jump = chance_of(edge - 5000, edge) - chance_of(edge - 5000 + 1, edge + 1);
        // 0.5 standard deviations. Two more duels reduce that by the factor 1 - 1/n: 0.352065 * 0.5
        // * 1e-8.
        assert!((jump + 1.760_327e-9).abs() < 1e-10, "{jump}");
        for (wins, losses) in [(0, 1 << 52), (1 << 52, 0), (1 << 52, 1 << 52), (1 << 51, 1 << 52)] {
            assert!((0.0..=1.0).contains(&chance_of(wins, losses)));
            assert!(ln_b_of(wins, losses).is_finite());
        }
    }

    /// Numbers that do not agree with the counts are rejected.
    #[test]
    fn trace_damaged_parts() {
        let good = || (vec![0.75], vec![ln_b_of(1, 0)]);
        let restore =
            |(chances, ln_b): (Vec<f64>, Vec<f64>)| Superiority::from_parts(chances, ln_b, &counts(1, 0));
        assert!(restore(good()).is_ok());
        for bad in [0.5, -1.0, 2.0, f64::NAN, f64::INFINITY] {
            assert!(restore((vec![bad], good().1)).is_err());
            assert!(restore((good().0, vec![bad])).is_err());
        }
        assert!(restore((vec![], vec![])).is_err());
    }
}
