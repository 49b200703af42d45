//! REX3 without a horizon: dual averaging with a decreasing rate, and its regret in the long run.

use super::{gamma_star, k_ln_k, positive};

/// One round of [`dual_averaging`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoundTerm {
    /// The rate of this round, in (0, 1). It must not exceed the rate of the round before.
    pub gamma: f64,
    /// The increase of tau in this round: (2 + c) x_alg - (2 - c) x_unif for utilities, 2 (x_alg -
    /// x_unif) + c (1 - 1/K) for wins and losses, 2 g + 1/2 (1 - 1/K) for any matrices.
    pub bracket: f64,
}

/// A bound on the regret of REX3 with dual averaging, round by round, for any non-increasing
/// sequence of rates.
///
/// ```text
/// regret <= K ln K / gamma_T + sum_t gamma_t / (2 (1 - gamma_t)) bracket_t
/// ```
///
/// Re-derived; the paper only says that the rate is recomputed in each round. The bound holds for
/// *dual averaging*: the weights are exp((gamma_t / K) S_i), where S_i is the sum of all estimates
/// so far. It does not hold for the variant in which each estimate keeps the rate of its own round.
///
/// Argument: the potential (1/eta) ln(1/K sum_i exp(eta S_i)) is non-decreasing in eta, so a lower
/// eta = gamma_t / K between rounds never raises it. Within a round it grows by at most the term
/// above, as in Theorem 1. At the end it is at least `S_j` - ln K / eta_T for every arm j.
///
/// The rates may depend on the past if the bound's expectation is taken over them. The result is
/// infinite if a rate is outside (0, 1) or exceeds the rate before it, and 0 without rounds.
pub fn dual_averaging(n_arms: usize, rounds: impl IntoIterator<Item = RoundTerm>) -> f64 {
    if n_arms < 2 {
        return 0.0;
    }
    let mut last = None;
    let mut sum = 0.0;
    for RoundTerm { gamma, bracket } in rounds {
        // Written positively so that NaN fails.
        let allowed = gamma > 0.0 && gamma < 1.0 && last.is_none_or(|last| gamma <= last);
        if !allowed {
            return f64::INFINITY;
        }
        sum += gamma / (2.0 * (1.0 - gamma)) * bracket;
        last = Some(gamma);
    }
    last.map_or(0.0, |gamma| k_ln_k(n_arms) / gamma + sum)
}

/// The rate of a policy without a horizon: [`gamma_star`], recomputed in each round with `tau_t` =
/// c t.
///
/// ```text
/// gamma_t = min(1/2, sqrt(K ln K / (c t)))
/// ```
///
/// The paper's Gmax = t/2 corresponds to c = e/2, and its Gmax = t to c = e. If c is not a positive
/// finite number, the rate stays at 1/2 forever.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnytimeRate {
    n_arms: usize,
    tau_per_round: f64,
}

impl AnytimeRate {
    /// The rate for `n_arms` arms and c = `tau_per_round`.
    pub const fn new(n_arms: usize, tau_per_round: f64) -> Self {
        Self { n_arms, tau_per_round }
    }

    /// The rate in round t = 1, 2, ... Round 0, which does not exist, gives 1/2.
    pub fn gamma(self, round: u64) -> f64 {
        gamma_star(self.n_arms, self.tau_per_round * round as f64)
    }

    /// The number of rounds in which the rate is 1/2: floor(4 K ln K / c).
    ///
    /// Re-derived from the rate. Infinite if the rate never falls.
    pub fn clamped_rounds(self) -> f64 {
        if self.falls() { libm::floor(4.0 * self.ratio()) } else { f64::INFINITY }
    }

    /// The bound of [`dual_averaging`] for this rate, summed over T rounds in O(T) time.
    ///
    /// ```text
    /// K ln K / gamma_T + b sum_t gamma_t / (2 (1 - gamma_t))
    /// ```
    ///
    /// Re-derived. `bracket` is a number b such that the mean of the first t brackets is at most b
    /// for *every* t up to T. The factors gamma_t / (2 (1 - gamma_t)) do not increase, so summation
    /// by parts allows each bracket to be replaced by b. Under the paper's Gmax = t/2, b = e/2. For
    /// utilities in [0, 1] without further assumptions, b = e.
    pub fn bound_by_sum(self, bracket: f64, horizon: u64) -> f64 {
        dual_averaging(self.n_arms, (1..=horizon).map(|t| RoundTerm { gamma: self.gamma(t), bracket }))
    }

    /// An upper bound on [`bound_by_sum`](Self::bound_by_sum), in O(1).
    ///
    /// ```text
    /// K ln K / gamma_T + max(b, 0) (s sqrt(T) + s^2 ln(sqrt(T) / s - 1))      if T >= 4 s^2
    /// K ln K / gamma_T + max(b, 0) T / 2                                      otherwise
    /// ```
    ///
    /// with s = sqrt(K ln K / c). Re-derived: the factors gamma_t / (2 (1 - gamma_t)) do not
    /// increase with t, so their sum is at most their integral from 0 to T. The integral from 0 to
    /// 4 s^2 is 2 s^2; beyond 4 s^2 it is elementary. The leading term is
    /// [`leading_constant`](Self::leading_constant) times sqrt(K T ln K).
    pub fn bound(self, bracket: f64, horizon: u64) -> f64 {
        if self.n_arms < 2 || horizon == 0 {
            return 0.0;
        }
        let t = horizon as f64;
        let factors = if self.falls() && t > 4.0 * self.ratio() {
            let s = libm::sqrt(self.ratio());
            s * libm::sqrt(t) + self.ratio() * libm::log(libm::sqrt(t) / s - 1.0)
        } else {
            t / 2.0
        };
        k_ln_k(self.n_arms) / self.gamma(horizon) + positive(bracket) * factors
    }

    /// The limit of [`bound`](Self::bound) divided by sqrt(K T ln K).
    ///
    /// ```text
    /// sqrt(c) + b / sqrt(c)
    /// ```
    ///
    /// Re-derived. Its minimum is 2 sqrt(b), at c = b. With b = e/2 it is 2.33 for c = e/2 and 2.47
    /// for c = e. It is infinite if the rate never falls, and meaningful only for two or more arms.
    pub fn leading_constant(self, bracket: f64) -> f64 {
        if self.falls() {
            let root = libm::sqrt(self.tau_per_round);
            root + positive(bracket) / root
        } else {
            f64::INFINITY
        }
    }

    /// The long-run slope of the Condorcet regret in sqrt(t), after the weights have settled on the
    /// Condorcet winner i*.
    ///
    /// ```text
    /// R(t) ~ R_0 + slope sqrt(t),      slope = 2 gap sqrt(K ln K / c),
    ///   gap = 1/K sum_i (P(i*,i) - 1/2)
    /// ```
    ///
    /// Re-derived; an approximation, not a bound. Each slot then contains a uniformly drawn arm
    /// with probability `gamma_t`. That costs `gamma_t` times the mean gap per round, and sum_t
    /// 1/sqrt(t) ~ 2 sqrt(t). The mean includes i* itself. For Sparring with two EXP3 players of
    /// rate sqrt(2 K ln K / ((e-1) t)), use c = (e-1)/2. The slope is infinite if the rate never
    /// falls.
    pub fn long_run_slope(self, mean_gap: f64) -> f64 {
        if self.n_arms < 2 {
            0.0
        } else if self.falls() {
            2.0 * mean_gap * libm::sqrt(self.ratio())
        } else {
            f64::INFINITY
        }
    }

    /// K ln K / c, the s^2 of the formulas.
    fn ratio(self) -> f64 {
        k_ln_k(self.n_arms) / self.tau_per_round
    }

    /// Whether the rate ever falls below 1/2.
    fn falls(self) -> bool {
        self.n_arms >= 2 && self.tau_per_round > 0.0 && self.tau_per_round.is_finite()
    }
}

/// The largest possible accuracy at a rate gamma in [0, 1], that is, the probability that both
/// slots contain the best arm.
///
/// ```text
/// (1 - gamma (K - 1) / K)^2
/// ```
///
/// Re-derived: a share gamma of the draws is uniform, so no arm has a probability above 1 - gamma +
/// gamma / K, and the two slots are independent. It is 1 for fewer than two arms.
pub fn accuracy_ceiling(n_arms: usize, gamma: f64) -> f64 {
    let best = 1.0 - gamma * super::others_share(n_arms);
    best * best
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::E;
    use proptest::collection::vec;
    use proptest::prelude::*;

    #[test]
    fn trace_dual_averaging_by_hand() {
        // K = 4, rates 1/2 and 1/4, brackets 1 and 3: A / (1/4) = 22.180710; 0.5 / (2 * 0.5) = 0.5
        // times 1; 0.25 / (2 * 0.75) = 1/6 times 3 = 0.5. Together 23.180710.
        let first = RoundTerm { gamma: 0.5, bracket: 1.0 };
        let second = RoundTerm { gamma: 0.25, bracket: 3.0 };
        assert!((dual_averaging(4, [first, second]) - 23.180_710).abs() < 1e-6);
        assert!(dual_averaging(4, [second, first]).is_infinite());
        assert!(dual_averaging(4, [RoundTerm { gamma: f64::NAN, bracket: 1.0 }]).is_infinite());
        assert!(dual_averaging(4, [RoundTerm { gamma: 1.0, bracket: 1.0 }]).is_infinite());
    }

    /// 4 K ln K / (e/2): 43.0022 / 1.359141 = 31.64 for K = 6, 1064.674 / 1.359141 = 783.3 for K =
    /// 64, 2672.486 / 1.359141 = 1966.3 for K = 136. The first rounds with a smaller rate are 32,
    /// 784 and 1967.
    #[test]
    fn trace_clamp_ends() {
        for (n_arms, first_free) in [(6, 32), (64, 784), (136, 1967)] {
            let rate = AnytimeRate::new(n_arms, E / 2.0);
            assert!((rate.clamped_rounds() - (first_free - 1) as f64).abs() < 1e-9);
            assert!((rate.gamma(first_free - 1) - 0.5).abs() < 1e-15);
            assert!(rate.gamma(first_free) < 0.5);
            assert!((rate.gamma(0) - 0.5).abs() < 1e-15);
        }
        assert!(AnytimeRate::new(6, 0.0).clamped_rounds().is_infinite());
        assert!((AnytimeRate::new(6, f64::NAN).gamma(1000) - 0.5).abs() < 1e-15);
        // The rate stays at 1/2; T = 10, b = 1: 2 * 10.750557 + 5.
        assert!((AnytimeRate::new(6, 0.0).bound(1.0, 10) - 26.501_114).abs() < 1e-5);
        assert!((AnytimeRate::new(6, 0.0).bound_by_sum(1.0, 10) - 26.501_114).abs() < 1e-5);
    }

    /// With Gmax = t/2, so b = e/2 = 1.359141: c = e/2 gives 2
    /// sqrt(1.359141) = 2.3316; c = e gives sqrt(2.718282) + 1.359141 / sqrt(2.718282) = 1.5 *
    /// 1.648721 = 2.4731.
    #[test]
    fn trace_leading_constants() {
        for (c, constant) in [(E / 2.0, 2.3316), (E, 2.4731)] {
            let rate = AnytimeRate::new(6, c);
            assert!((rate.leading_constant(E / 2.0) - constant).abs() < 1e-4);
            // The sum approaches the constant from above: K = 6 at T = 1e6, where sqrt(K T ln K) =
            // 3278.8.
            let ratio = rate.bound_by_sum(E / 2.0, 1_000_000) / libm::sqrt(k_ln_k(6) * 1e6);
            assert!(ratio > constant && ratio < constant + 0.03, "{ratio}");
            // The closed form at T = 1e16.
            let ratio = rate.bound(E / 2.0, 10_u64.pow(16)) / libm::sqrt(k_ln_k(6) * 1e16);
            assert!((ratio - constant).abs() < 1e-4, "{ratio}");
        }
        assert!(AnytimeRate::new(6, -1.0).leading_constant(1.0).is_infinite());
    }

    /// arXiv-6: gaps 0, .05, .05, .04, .11, .11 sum to .36, mean .06; sqrt(10.750557 / 1.359141) =
    /// 2.812450, times 0.12 is 0.3375. Sparring with EXP3: sqrt(10.750557 / 0.859141) = 3.537395,
    /// times 0.12 is 0.4245; the ratio is sqrt((e-1)/e) = 0.795. At t = 1e7 the rate is 2.812450 /
    /// 3162.278 = 8.8937e-4 and the ceiling (1 - 7.4115e-4)^2 = 0.99852.
    #[test]
    fn trace_long_run() {
        let rex3 = AnytimeRate::new(6, E / 2.0);
        let sparring = AnytimeRate::new(6, (E - 1.0) / 2.0);
        assert!((rex3.long_run_slope(0.06) - 0.3375).abs() < 5e-5);
        assert!((sparring.long_run_slope(0.06) - 0.4245).abs() < 5e-5);
        assert!((rex3.long_run_slope(0.06) / sparring.long_run_slope(0.06) - 0.795).abs() < 1e-3);
        assert!((accuracy_ceiling(6, rex3.gamma(10_000_000)) - 0.99852).abs() < 1e-5);
    }

    proptest! {
        /// The closed form is above the sum and close to it. The factors fall and are at most 1/2,
        /// so the integral and the sum differ by at most 1/2.
        #[test]
        fn law_closed_form_is_above_the_sum(
            n_arms in 2_usize..200, c in 0.05..5.0_f64, b in 0.0..5.0_f64, horizon in 1_u64..20_000,
        ) {
            let rate = AnytimeRate::new(n_arms, c);
            let sum = rate.bound_by_sum(b, horizon);
            let closed = rate.bound(b, horizon);
            prop_assert!(sum <= closed * (1.0 + 1e-12), "{sum} above {closed}");
            prop_assert!(closed <= sum + b / 2.0 + 1e-9 * closed);
        }

        /// The bound with b covers any order of brackets with running means of at most b.
        #[test]
        fn law_running_means_suffice(
            n_arms in 2_usize..50, c in 0.05..5.0_f64, late in vec(0.0..1.0_f64, 1..300),
        ) {
            let rate = AnytimeRate::new(n_arms, c);
            // Every bracket above 1 follows one that is below 1 by the same amount.
            let brackets = late.iter().flat_map(|&d| [1.0 - d, 1.0 + d]);
            let terms = brackets.zip(1..).map(|(bracket, t)| RoundTerm { gamma: rate.gamma(t), bracket });
            let horizon = 2 * late.len() as u64;
            prop_assert!(dual_averaging(n_arms, terms) <= rate.bound_by_sum(1.0, horizon) * (1.0 + 1e-12));
        }

        #[test]
        fn law_rate_falls_and_stays_in_range(
            n_arms in 0_usize..300, c in 1e-3..10.0_f64, t in 1_u64..1_000_000,
        ) {
            let rate = AnytimeRate::new(n_arms, c);
            prop_assert!(rate.gamma(t) > 0.0 && rate.gamma(t) <= 0.5 && rate.gamma(t + 1) <= rate.gamma(t));
            let ceiling = accuracy_ceiling(n_arms, rate.gamma(t));
            prop_assert!(ceiling <= accuracy_ceiling(n_arms, rate.gamma(t + 1)) && ceiling <= 1.0);
        }
    }
}
