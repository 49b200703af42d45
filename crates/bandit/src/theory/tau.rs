//! tau: the factor of the rate in REX3's bounds.

use core::f64::consts::E;

use super::others_share;

/// The gains of the best and of the worst single arm over the horizon, with 0 <= min <= max.
///
/// Any upper bound may be used as `max` and any lower bound as `min`. The regret bounds only grow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gains {
    /// Gmax, the gain of the best single arm.
    pub max: f64,
    /// Gmin, the gain of the worst single arm.
    pub min: f64,
}

impl Gains {
    /// No arm gains more than `max`, and nothing is known about the worst arm: Gmin = 0, as in the
    /// paper's experiments.
    ///
    /// The paper's T/2 is not an upper bound in every world, and T/4 and T/10 rarely are. They are
    /// tuning parameters, and the bound is a theorem only if the guess is true.
    pub const fn at_most(max: f64) -> Self {
        Self { max, min: 0.0 }
    }
}

/// The mean gains of the policy and of uniform play over the horizon.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedGains {
    /// E Galg, of the policy.
    pub policy: f64,
    /// E Gunif, of uniform play.
    pub uniform: f64,
}

/// The constant c in front of the second-order term of the proof of Theorem 1.
///
/// One round changes the logarithm of the sum of weights by at most
///
/// ```text
/// (gamma^2 / K) / (1 - gamma) * (M1 + c M2)
/// ```
///
/// For every choice below this holds for all rates in (0, 1), because the exponents (gamma / K) c_i
/// never exceed 1/2: an arm is drawn with a probability p of at least gamma / K, and its estimate
/// is at most 1 / (2p).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curvature {
    /// c = e - 2 = 0.7183, from e^x <= 1 + x + (e-2) x^2 for x <= 1. Proven in the paper.
    Paper,
    /// c = 4 (sqrt(e) - 3/2) = 0.5949, from e^x <= 1 + x + c x^2 for x <= 1/2. Re-derived:
    /// (e^x - 1 - x) / x^2 increases with x, and equals c at x = 1/2.
    HalfExponent,
    /// c = 1/2, the least that this proof can give. Re-derived: an arm of probability p has the
    /// normalised weight q. The paper's proof bounds q by p / (1 - gamma), which discards a factor
    /// 1 - 2u:
    ///
    /// ```text
    /// q = (p - gamma / K) / (1 - gamma) = (1 - 2u) p / (1 - gamma),
    ///   u = gamma / (2 K p) <= 1/2
    /// ```
    ///
    /// u is also the arm's largest exponent, and for 0 <= u < 3
    ///
    /// ```text
    /// 2 (e^u - 1 - u) / u^2 = sum_n 2 u^n / (n+2)! <= sum_n (u/3)^n = 1 / (1 - u/3)
    /// hence (1 - 2u) (e^u - 1 - u) <= u^2 / 2
    /// ```
    ///
    /// With a score s in [-1, 1] the exponent is s u. Its second-order term is at most s^2 times
    /// the term of u, because (e^x - 1 - x) / x^2 increases with x.
    Mixing,
}

impl Curvature {
    /// The constant.
    pub fn value(self) -> f64 {
        match self {
            Self::Paper => E - 2.0,
            Self::HalfExponent => 4.0 * (libm::sqrt(E) - 1.5),
            Self::Mixing => 0.5,
        }
    }
}

/// The paper's tau, from single-arm gains.
///
/// ```text
/// tau = e Gmax - (4 - e) Gmin
/// ```
///
/// Proven in the paper (Corollary 1). [`gamma_star`](super::gamma_star) is computed from this tau.
/// The paper's equation for that rate refers to Theorem 1's tau instead, which depends on the
/// policy's future gain. tau is at least (2e - 4) Gmax = 1.43 Gmax, since Gmin <= Gmax. The gains
/// of one round give the tau of one round.
pub fn tau(gains: Gains) -> f64 {
    tau_tightened(Curvature::Paper, gains)
}

/// [`tau`] with another constant in place of e - 2.
///
/// ```text
/// tau = (2 + c) Gmax - (2 - c) Gmin
/// ```
///
/// Re-derived; see [`Curvature`].
pub fn tau_tightened(curvature: Curvature, gains: Gains) -> f64 {
    let c = curvature.value();
    (2.0 + c) * gains.max - (2.0 - c) * gains.min
}

/// Theorem 1's tau, from expected gains.
///
/// ```text
/// tau = (2 + c) E Galg - (2 - c) E Gunif        = e E Galg - (4 - e) E Gunif
///   for Curvature::Paper
/// ```
///
/// Proven in the paper (Theorem 1) for [`Curvature::Paper`], and re-derived for the others. It may
/// be negative.
pub fn tau_expected(curvature: Curvature, gains: ExpectedGains) -> f64 {
    let c = curvature.value();
    (2.0 + c) * gains.policy - (2.0 - c) * gains.uniform
}

/// [`tau_expected`] if every utility is at least `floor` (the epsilon of the paper's appendix, in
/// [0, 1]).
///
/// ```text
/// tau = (2 + c) E Galg - (2 - c + 2 c epsilon) E Gunif
/// ```
///
/// Re-derived: the second-order term contains -2 c sum_t x_unif(t) E x_a(t), and E x_a(t) is at
/// least epsilon. The paper prints half of that term; see [`tau_floor_printed`]. A floor outside
/// [0, 1] gives infinity, because utilities are in [0, 1].
pub fn tau_floor(curvature: Curvature, gains: ExpectedGains, floor: f64) -> f64 {
    let c = curvature.value();
    with_floor(floor, || (2.0 + c) * gains.policy - (2.0 - c + 2.0 * c * floor) * gains.uniform)
}

/// The refined tau as printed in the paper's appendix.
///
/// ```text
/// tau = e E Galg - (4 - e + (e - 2) epsilon) E Gunif
/// ```
///
/// In the paper (last equation of the detailed proof of Theorem 1). It is true but loose: the
/// double sum two equations earlier gives 2 (e - 2) epsilon, as in [`tau_floor`] with
/// [`Curvature::Paper`]. A floor outside [0, 1] gives infinity.
pub fn tau_floor_printed(gains: ExpectedGains, floor: f64) -> f64 {
    with_floor(floor, || E * gains.policy - (4.0 - E + (E - 2.0) * floor) * gains.uniform)
}

/// tau for outcomes that are only wins and losses (ties broken by a fair coin), over T rounds.
///
/// ```text
/// tau_bin = 2 (E Galg - E Gunif) + c (1 - 1/K) T
/// ```
///
/// Re-derived; the paper analyses only outcomes x_a - x_b. A duel of two different arms now has
/// squared outcome 1 for any utilities, so E M2 = (1 - 1/K) / 2 exactly. E M1 is unchanged, because
/// the outcome's mean is still x_a - x_b (Bernoulli utilities, or any world with `P_ij` = (1 +
/// x_i - x_j) / 2). The policy must not learn from duels of an arm with itself, as in step 9 of the
/// paper's Algorithm 1. With c = e - 2, tau_bin is in [0.72, 2.72] (1 - 1/K) T whenever E Galg >= E
/// Gunif. [`Curvature::Mixing`] replaces e - 2 by 1/2. The result is 0 for fewer than two arms.
pub fn tau_binary(curvature: Curvature, n_arms: usize, horizon: u64, gains: ExpectedGains) -> f64 {
    if n_arms < 2 {
        return 0.0;
    }
    2.0 * (gains.policy - gains.uniform) + curvature.value() * others_share(n_arms) * horizon as f64
}

fn with_floor(floor: f64, tau: impl FnOnce() -> f64) -> f64 {
    if floor.is_nan() || (0.0..=1.0).contains(&floor) { tau() } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Curvature; 3] = [Curvature::Paper, Curvature::HalfExponent, Curvature::Mixing];

    #[test]
    fn trace_constants() {
        // e - 2 = 0.718282; sqrt(e) = 1.648721, less 1.5 is 0.148721, times 4 is 0.594885.
        assert!((Curvature::Paper.value() - 0.718_282).abs() < 1e-6);
        assert!((Curvature::HalfExponent.value() - 0.594_885).abs() < 1e-6);
        assert!((Curvature::Mixing.value() - 0.5).abs() < 1e-15);
    }

    #[test]
    fn trace_tau_of_gains() {
        // 2.718282 * 100 - 1.281718 * 40 = 271.8282 - 51.2687 = 220.5595.
        let gains = Gains { max: 100.0, min: 40.0 };
        assert!((tau(gains) - 220.5595).abs() < 1e-4);
        // 2.5 * 100 - 1.5 * 40 = 190.
        assert!((tau_tightened(Curvature::Mixing, gains) - 190.0).abs() < 1e-12);
        // 2.594885 * 100 - 1.405115 * 40 = 259.4885 - 56.2046 = 203.2839.
        assert!((tau_tightened(Curvature::HalfExponent, gains) - 203.2839).abs() < 1e-4);
    }

    #[test]
    fn trace_tau_with_a_floor() {
        let gains = ExpectedGains { policy: 80.0, uniform: 60.0 };
        // 2.718282 * 80 = 217.4625; 1.281718 * 60 = 76.9031; the difference is 140.5595.
        assert!((tau_expected(Curvature::Paper, gains) - 140.5595).abs() < 1e-4);
        // Floor 0.5: the printed form subtracts 0.718282 * 0.5 * 60 = 21.5485 more, the sharper
        // form twice that.
        assert!((tau_floor_printed(gains, 0.5) - 119.0110).abs() < 1e-4);
        assert!((tau_floor(Curvature::Paper, gains, 0.5) - 97.4625).abs() < 1e-4);
        assert!(tau_floor(Curvature::Paper, gains, 1.5).is_infinite());
        assert!(tau_floor_printed(gains, -0.1).is_infinite());
        assert!(tau_floor_printed(gains, f64::NAN).is_nan());
    }

    #[test]
    fn trace_tau_binary() {
        // K = 4, T = 100: 2 (80 - 60) + 0.718282 * 0.75 * 100 = 40 + 53.8711 = 93.8711; with 1/2:
        // 40 + 37.5.
        let gains = ExpectedGains { policy: 80.0, uniform: 60.0 };
        assert!((tau_binary(Curvature::Paper, 4, 100, gains) - 93.8711).abs() < 1e-4);
        assert!((tau_binary(Curvature::Mixing, 4, 100, gains) - 77.5).abs() < 1e-12);
        assert!(tau_binary(Curvature::Mixing, 1, 100, gains).abs() < 1e-300);
    }

    proptest! {
        /// The inequalities behind the three constants.
        #[test]
        fn law_exponential_inequalities(x in -60.0..=0.5_f64) {
            let excess = libm::expm1(x) - x;
            let slack = 1e-15 * (1.0 + x * x);
            prop_assert!(excess <= Curvature::Paper.value() * x * x + slack);
            prop_assert!(excess <= Curvature::HalfExponent.value() * x * x + slack);
            let u = libm::fabs(x);
            if u <= 0.5 {
                prop_assert!((1.0 - 2.0 * u) * excess <= 0.5 * x * x + slack);
            }
        }

        /// Neither a smaller constant nor a floor ever gives a larger tau.
        #[test]
        fn law_tightened_is_at_most_the_paper(
            max in 0.0..1e6_f64, share in 0.0..=1.0_f64, floor in 0.0..=1.0_f64, n_arms in 2_usize..200,
        ) {
            let min = max * share;
            let slack = 1e-9 * (1.0 + max);
            let gains = Gains { max, min };
            let expected = ExpectedGains { policy: max, uniform: min };
            for pair in ALL.windows(2) {
                let (loose, tight) = (pair[0], pair[1]);
                prop_assert!(tau_tightened(tight, gains) <= tau_tightened(loose, gains) + slack);
                prop_assert!(tau_expected(tight, expected) <= tau_expected(loose, expected) + slack);
                let binary = |curvature| tau_binary(curvature, n_arms, 1000, expected);
                prop_assert!(binary(tight) <= binary(loose) + slack);
            }
            let printed = tau_floor_printed(expected, floor);
            prop_assert!(tau_floor(Curvature::Paper, expected, floor) <= printed + slack);
            prop_assert!(printed <= tau_expected(Curvature::Paper, expected) + slack);
        }

        /// tau >= (2e - 4) Gmax >= Gmax, which is why Corollary 1 needs no further condition.
        #[test]
        fn law_tau_is_above_gmax(max in 0.0..1e6_f64, share in 0.0..=1.0_f64) {
            let tau = tau(Gains { max, min: max * share });
            prop_assert!(tau >= (2.0 * E - 4.0) * max - 1e-9 * (1.0 + max));
            prop_assert!(tau >= max);
        }
    }
}
