//! REX3 with a fixed rate: Theorem 1, its corollaries, and the rates that minimise their bounds.

use super::{Curvature, ExpectedGains, Gains, k_ln_k, positive, tau, tau_expected};

/// The simplified bound at a rate in (0, 1/2], for any form of tau.
///
/// ```text
/// regret <= K ln K / gamma + gamma max(tau, 0)
/// ```
///
/// Proven in the paper (Theorem 1) for [`tau_expected`] with [`Curvature::Paper`], and re-derived
/// for the other forms. The maximum is our addition: the proof replaces gamma / (2 (1 - gamma)) by
/// gamma, which enlarges the term only if tau >= 0. The paper excludes gamma = 1/2, but its proof
/// covers it. A rate outside (0, 1/2] gives infinity.
pub fn bound(n_arms: usize, gamma: f64, tau: f64) -> f64 {
    if n_arms < 2 {
        0.0
    } else if gamma > 0.0 && gamma <= 0.5 {
        k_ln_k(n_arms) / gamma + gamma * positive(tau)
    } else {
        f64::INFINITY
    }
}

/// The bound before its last simplification, at a rate in (0, 1), for any form of tau.
///
/// ```text
/// regret <= K ln K / gamma + gamma / (2 (1 - gamma)) tau
/// ```
///
/// In the paper (detailed proof of Theorem 1, the line before the last) for [`tau_expected`] with
/// [`Curvature::Paper`] and for [`tau_floor_printed`](super::tau_floor_printed), and re-derived for
/// the other forms. It is at most [`bound`] where both apply, and it holds without change for a
/// negative tau. A rate outside (0, 1) gives infinity.
pub fn bound_unsimplified(n_arms: usize, gamma: f64, tau: f64) -> f64 {
    if n_arms < 2 {
        0.0
    } else if gamma > 0.0 && gamma < 1.0 {
        k_ln_k(n_arms) / gamma + gamma / (2.0 * (1.0 - gamma)) * tau
    } else {
        f64::INFINITY
    }
}

/// Theorem 1: a bound on the regret of REX3 with a rate in (0, 1/2], from expected gains.
///
/// ```text
/// Gmax - E Galg <= K ln K / gamma + gamma max(e E Galg - (4 - e) E Gunif, 0)
/// ```
///
/// Proven in the paper for outcomes x_a - x_b and any fixed sequence of utilities in [0, 1].
/// [`bound`] explains the maximum. For a tighter bound, use [`bound`] of [`tau_expected`] with
/// another [`Curvature`].
pub fn theorem1(n_arms: usize, gamma: f64, gains: ExpectedGains) -> f64 {
    bound(n_arms, gamma, tau_expected(Curvature::Paper, gains))
}

/// Corollary 1: a bound on the regret of REX3 with a rate in (0, 1/2], from single-arm gains.
///
/// ```text
/// Gmax - E Galg <= K ln K / gamma + gamma (e Gmax - (4 - e) Gmin)
/// ```
///
/// Proven in the paper under the conditions E Galg <= Gmax and E Gunif >= Gmin. Neither condition
/// is needed (re-derived). The mean over arms is never below the minimum. And if E Galg > Gmax, the
/// left side is negative, while tau >= (2e - 4) Gmax >= 0.
pub fn corollary1(n_arms: usize, gamma: f64, gains: Gains) -> f64 {
    bound(n_arms, gamma, tau(gains))
}

/// The rate that minimises [`bound`] over (0, 1/2].
///
/// ```text
/// gamma* = min(1/2, sqrt(K ln K / tau))
/// ```
///
/// Proven in the paper (the equation after Corollary 1): K ln K / gamma + gamma tau is convex in
/// gamma. The result is also 1/2 for fewer than two arms, and if tau is not a positive finite
/// number.
pub fn gamma_star(n_arms: usize, tau: f64) -> f64 {
    if n_arms < 2 || !positive_finite(tau) { 0.5 } else { libm::sqrt(k_ln_k(n_arms) / tau).min(0.5) }
}

/// Corollary 2: a bound on the regret of REX3 with the rate [`gamma_star`].
///
/// ```text
/// 2 sqrt(K ln K tau)      if tau > 4 K ln K, that is gamma* < 1/2
/// 2 K ln K + tau / 2      otherwise: the value at gamma* = 1/2
/// ```
///
/// with tau = e Gmax - (4 - e) Gmin. Proven in the paper, which prints the first line for both
/// cases. The second line is the value of Corollary 1 when the clamp at 1/2 is active. It is never
/// smaller than the first. See [`corollary2_printed`].
pub fn corollary2(n_arms: usize, gains: Gains) -> f64 {
    corollary1(n_arms, gamma_star(n_arms, tau(gains)), gains)
}

/// Corollary 2 as printed in the paper, which ignores the clamp.
///
/// ```text
/// 2 sqrt(K ln K (e Gmax - (4 - e) Gmin))
/// ```
///
/// In the paper (before Corollary 2), which derives it only for tau >= 4 K ln K. It also holds for
/// smaller tau (re-derived): there 2 sqrt(K ln K tau) >= tau >= Gmax, and no regret exceeds Gmax.
/// So both values are trivial while the clamp is active; [`corollary2`] is the value that appears
/// in the proof.
pub fn corollary2_printed(n_arms: usize, gains: Gains) -> f64 {
    2.0 * libm::sqrt(k_ln_k(n_arms) * positive(tau(gains)))
}

/// The rate that minimises [`bound_unsimplified`] over (0, 1/2].
///
/// ```text
/// gamma = min(1/2, 1 / (1 + sqrt(tau / (2 K ln K))))
/// ```
///
/// Re-derived. With y = 1/gamma - 1 and A = K ln K, the bound is A (1 + y) + tau / (2y), which is
/// least at y = sqrt(tau / (2A)). The theorem would allow rates up to 1, but policies here accept
/// only (0, 1/2]. The clamp is active for tau < 2 K ln K. The result is also 1/2 for fewer than two
/// arms, and if tau is not a positive finite number.
pub fn gamma_tight(n_arms: usize, tau: f64) -> f64 {
    if n_arms < 2 || !positive_finite(tau) {
        0.5
    } else {
        (1.0 / (1.0 + libm::sqrt(tau / (2.0 * k_ln_k(n_arms))))).min(0.5)
    }
}

/// A bound on the regret of REX3 with the rate [`gamma_tight`].
///
/// ```text
/// K ln K + sqrt(2 tau K ln K)      if tau >= 2 K ln K
/// 2 K ln K + tau / 2               otherwise: the value at gamma = 1/2
/// ```
///
/// Re-derived. tau must be known before the first round, and be an upper bound on a form for which
/// [`bound_unsimplified`] is a theorem: [`tau()`](super::tau()) or
/// [`tau_tightened`](super::tau_tightened) of single-arm gains, [`tau_binary`](super::tau_binary),
/// or [`tau_matrices`](super::tau_matrices). For long horizons this bound is about 1/sqrt(2) of
/// [`corollary2`], and it is never above it.
pub fn bound_tight(n_arms: usize, tau: f64) -> f64 {
    bound_unsimplified(n_arms, gamma_tight(n_arms, tau), tau)
}

fn positive_finite(tau: f64) -> bool {
    tau > 0.0 && tau.is_finite()
}

#[cfg(test)]
mod tests {
    use super::super::{condorcet, tau_binary, tau_floor, tau_floor_printed, tau_matrices, tau_tightened};
    use super::*;
    use core::f64::consts::E;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// The paper's rates at T = 1e5, for Gmax = T/2 (tau = 1.359141e5) and
    /// for Gmax = T/10 (tau = 2.718282e4). By hand for K = 6: K ln K = 6 * 1.791759 = 10.750557;
    /// 10.750557 / 135914.1 = 7.90982e-5, root 0.0088937; 10.750557 / 27182.82 = 3.95491e-4, root
    /// 0.0198869.
    #[test]
    fn trace_rates_of_the_paper() {
        for (n_arms, half, tenth) in [
            (6, 0.0089, 0.0199),
            (10, 0.0130, 0.0291),
            (20, 0.0210, 0.0469),
            (30, 0.0274, 0.0613),
            (64, 0.0443, 0.0990),
            (136, 0.0701, 0.1568),
        ] {
            for (gmax, gamma) in [(5e4, half), (1e4, tenth)] {
                let got = gamma_star(n_arms, tau(Gains::at_most(gmax)));
                assert!((got - gamma).abs() < 5e-5, "{got} for {n_arms} arms and Gmax {gmax}");
            }
        }
    }

    #[test]
    fn trace_clamp_rules() {
        for tau in [0.0, -3.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-320] {
            assert!((gamma_star(6, tau) - 0.5).abs() < 1e-15);
            assert!((gamma_tight(6, tau) - 0.5).abs() < 1e-15);
        }
        for gamma in [0.0, -0.1, 0.500_001, f64::NAN] {
            assert!(bound(6, gamma, 1.0).is_infinite());
        }
        assert!(bound_unsimplified(6, 0.75, 1.0).is_finite());
        assert!(bound_unsimplified(6, 1.0, 1.0).is_infinite());
        assert!(bound(6, 0.1, f64::NAN).is_nan());
    }

    /// K = 4: A = 4 ln 4 = 5.545177.
    #[test]
    fn trace_bounds_by_hand() {
        // gamma = 0.1: A / gamma = 55.451774. tau = e * 80 - (4 - e) * 60 = 140.559488 (see
        // tau.rs), so Theorem 1 gives 55.451774 + 14.055949 = 69.507723, and with gamma / (2 *
        // 0.9) = 0.0555556: 63.260635.
        let expected = ExpectedGains { policy: 80.0, uniform: 60.0 };
        assert!((theorem1(4, 0.1, expected) - 69.507_723).abs() < 1e-5);
        let tau_here = tau_expected(Curvature::Paper, expected);
        assert!((bound_unsimplified(4, 0.1, tau_here) - 63.260_635).abs() < 1e-5);
        // A negative tau counts as 0 in the simplified form: e * 10 - (4 - e) * 60 < 0 leaves A /
        // gamma.
        let losing = ExpectedGains { policy: 10.0, uniform: 60.0 };
        assert!((theorem1(4, 0.1, losing) - 55.451_774).abs() < 1e-5);
        // Floor 0.5, as printed: 55.451774 + 0.1 * 119.011 = 67.3529. Sharper: 55.451774 + 9.74625
        // = 65.1980.
        assert!((bound(4, 0.1, tau_floor_printed(expected, 0.5)) - 67.3529).abs() < 1e-4);
        assert!((bound(4, 0.1, tau_floor(Curvature::Paper, expected, 0.5)) - 65.1980).abs() < 1e-4);
        // Corollary 1 with Gmax = 100, Gmin = 40: 55.451774 + 22.05595 = 77.507724.
        let gains = Gains { max: 100.0, min: 40.0 };
        assert!((corollary1(4, 0.1, gains) - 77.507_724).abs() < 1e-4);
        // tau = 220.5595 > 4A = 22.18: 2 sqrt(5.545177 * 220.5595) = 2 sqrt(1223.0415) = 69.944.
        assert!((corollary2(4, gains) - 69.944).abs() < 1e-3);
        assert!((corollary2_printed(4, gains) - 69.944).abs() < 1e-3);
    }

    #[test]
    fn trace_corollary2_under_the_clamp() {
        // K = 4, Gmax = 5: tau = 13.591409 < 4A = 22.180710. At gamma = 1/2: 2A + tau/2 =
        // 11.090355 + 6.795705 = 17.886060. Printed: 2 sqrt(5.545177 * 13.591409) = 2
        // sqrt(75.36677) = 17.36280; both above Gmax = 5.
        let gains = Gains::at_most(5.0);
        assert!((corollary2(4, gains) - 17.886_06).abs() < 1e-4);
        assert!((corollary2_printed(4, gains) - 17.3628).abs() < 1e-4);
    }

    #[test]
    fn trace_tight_bound() {
        // K = 4, tau = 8A = 44.361420: sqrt(tau / (2A)) = 2, gamma = 1/3, A + sqrt(16 A^2) = 5A =
        // 27.725887. Corollary 2's form needs 2 sqrt(8) A = 5.657 A.
        let a = 4.0 * libm::log(4.0);
        assert!((gamma_tight(4, 8.0 * a) - 1.0 / 3.0).abs() < 1e-15);
        assert!((bound_tight(4, 8.0 * a) - 5.0 * a).abs() < 1e-12);
        // tau = A: unclamped gamma would be 1 / (1 + 0.707) = 0.586; clamped, 2A + A/2.
        assert!((gamma_tight(4, a) - 0.5).abs() < 1e-15);
        assert!((bound_tight(4, a) - 2.5 * a).abs() < 1e-12);
    }

    /// Halved Corollary 1 on 64 arms at T = 1e5 and gamma = 0.1 (claim C2): K ln K = 64 * 4.158883
    /// = 266.1685; (2661.685 + 0.1 * 135914.1) / 2 = 8126.5 for Gmax = T/2, and (2661.685 + 0.1 *
    /// 27182.8) / 2 = 2690.0 for Gmax = T/10.
    #[test]
    fn trace_halved_corollary1() {
        assert!((condorcet(corollary1(64, 0.1, Gains::at_most(5e4))) - 8126.5).abs() < 0.1);
        assert!((condorcet(corollary1(64, 0.1, Gains::at_most(1e4))) - 2690.0).abs() < 0.1);
    }

    /// One round of REX3, by enumeration. Returns the mean, over duels and outcomes, of K / gamma
    /// times the change of the logarithm of the sum of weights, and the probabilities of the arms.
    /// `outcomes(a, b)` lists (probability, score) for a duel of two different arms.
    fn one_round(
        gamma: f64,
        log_weights: &[f64],
        outcomes: impl Fn(usize, usize) -> [(f64, f64); 2],
    ) -> (f64, Vec<f64>) {
        let k = log_weights.len() as f64;
        let weights: Vec<f64> = log_weights.iter().map(|&l| libm::exp(l)).collect();
        let sum: f64 = weights.iter().sum();
        let shares: Vec<f64> = weights.iter().map(|w| w / sum).collect();
        let p: Vec<f64> = shares.iter().map(|q| (1.0 - gamma) * q + gamma / k).collect();
        let mut mean = 0.0;
        for a in 0..p.len() {
            for b in (0..p.len()).filter(|&b| b != a) {
                for (chance, score) in outcomes(a, b) {
                    let step = |arm: usize| libm::expm1(gamma / k * score / (2.0 * p[arm]));
                    let back = |arm: usize| libm::expm1(-gamma / k * score / (2.0 * p[arm]));
                    mean += p[a] * p[b] * chance * libm::log1p(shares[a] * step(a) + shares[b] * back(b));
                }
            }
        }
        (mean * k / gamma, p)
    }

    fn dot(p: &[f64], x: &[f64]) -> f64 {
        p.iter().zip(x).map(|(p, x)| p * x).sum()
    }

    prop_compose! {
        /// Log-weights, and utilities or matrix entries above the diagonal.
        fn state()(n_arms in 2_usize..7)(
            log_weights in vec(-6.0..6.0_f64, n_arms),
            utilities in vec(0.0..=1.0_f64, n_arms),
            upper in vec(0.0..=1.0_f64, n_arms * n_arms),
        ) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
            (log_weights, utilities, upper)
        }
    }

    proptest! {
        /// The step on which every upper bound rests, by enumeration of all duels: the bound for
        /// one round, without its term K ln K / gamma, is at least the mean growth of the
        /// potential.
        #[test]
        fn law_one_round((log_weights, x, upper) in state(), gamma in 0.001..0.999_f64) {
            let n_arms = x.len();
            let growth_allowed = |tau: f64| gamma / (2.0 * (1.0 - gamma)) * tau + 1e-12;
            let all = [Curvature::Paper, Curvature::HalfExponent, Curvature::Mixing];

            let (growth, p) = one_round(gamma, &log_weights, |a, b| [(1.0, x[a] - x[b]), (0.0, 0.0)]);
            let uniform = x.iter().sum::<f64>() / n_arms as f64;
            let gains = ExpectedGains { policy: dot(&p, &x), uniform };
            let floor = x.iter().copied().fold(1.0, f64::min);
            for curvature in all {
                prop_assert!(growth <= growth_allowed(tau_floor(curvature, gains, floor)));
                prop_assert!(growth <= growth_allowed(tau_expected(curvature, gains)));
            }
            prop_assert!(growth <= growth_allowed(tau_floor_printed(gains, floor)));

            let (growth, _) = one_round(gamma, &log_weights, |a, b| {
                let win = (1.0 + x[a] - x[b]) / 2.0;
                [(win, 1.0), (1.0 - win, -1.0)]
            });
            for curvature in all {
                prop_assert!(growth <= growth_allowed(tau_binary(curvature, n_arms, 1, gains)));
            }

            let beats = |i: usize, j: usize| match i.cmp(&j) {
                core::cmp::Ordering::Less => upper[i * n_arms + j],
                core::cmp::Ordering::Equal => 0.5,
                core::cmp::Ordering::Greater => 1.0 - upper[j * n_arms + i],
            };
            let duel = |a, b| [(beats(a, b), 1.0), (beats(b, a), -1.0)];
            let (growth, p) = one_round(gamma, &log_weights, duel);
            let borda: Vec<f64> = (0..n_arms)
                .map(|i| 2.0 * (0..n_arms).map(|j| beats(i, j)).sum::<f64>() / n_arms as f64 - 1.0)
                .collect();
            prop_assert!(growth <= growth_allowed(tau_matrices(n_arms, 1, dot(&p, &borda))));
        }

        #[test]
        fn law_gamma_star_minimises_corollary1(
            n_arms in 2_usize..500, max in 0.0..1e7_f64, share in 0.0..=1.0_f64, gamma in 1e-6..=0.5_f64,
        ) {
            let gains = Gains { max, min: share * max };
            let best = gamma_star(n_arms, tau(gains));
            prop_assert!(best > 0.0 && best <= 0.5);
            let least = corollary1(n_arms, best, gains);
            prop_assert!(least <= corollary1(n_arms, gamma, gains) * (1.0 + 1e-12));
            prop_assert!((corollary2(n_arms, gains) - least).abs() <= 1e-12 * least);
            prop_assert!(corollary2_printed(n_arms, gains) <= least * (1.0 + 1e-12));
            if best < 0.5 {
                prop_assert!((corollary2_printed(n_arms, gains) - least).abs() <= 1e-12 * least);
            } else {
                prop_assert!(corollary2_printed(n_arms, gains) >= max * (1.0 - 1e-12));
            }
        }

        #[test]
        fn law_gamma_tight_minimises_the_unsimplified_bound(
            n_arms in 2_usize..500, tau in 0.0..1e7_f64, gamma in 1e-6..=0.5_f64,
        ) {
            let least = bound_tight(n_arms, tau);
            prop_assert!(least <= bound_unsimplified(n_arms, gamma, tau) * (1.0 + 1e-12));
            prop_assert!(least <= bound(n_arms, gamma_star(n_arms, tau), tau) * (1.0 + 1e-12));
            let a = k_ln_k(n_arms);
            if tau >= 2.0 * a {
                let formula = a + libm::sqrt(2.0 * tau * a);
                prop_assert!((least - formula).abs() <= 1e-9 * formula);
            }
        }

        /// The simplified form is weaker, and a smaller constant gives a smaller bound.
        #[test]
        fn law_forms_are_ordered(
            n_arms in 2_usize..500, max in 0.0..1e6_f64, share in 0.0..=1.0_f64, gamma in 1e-6..=0.5_f64,
        ) {
            let gains = Gains { max, min: share * max };
            let paper = corollary1(n_arms, gamma, gains);
            for curvature in [Curvature::Paper, Curvature::HalfExponent, Curvature::Mixing] {
                let tau = tau_tightened(curvature, gains);
                let simplified = bound(n_arms, gamma, tau);
                prop_assert!(simplified <= paper * (1.0 + 1e-12));
                prop_assert!(bound_unsimplified(n_arms, gamma, tau) <= simplified * (1.0 + 1e-12));
            }
        }

        /// Theorem 1 in terms of expected gains implies Corollary 1, even if the policy gains more
        /// than every arm.
        #[test]
        fn law_corollary1_needs_no_proviso(
            n_arms in 2_usize..50, max in 0.0..1e5_f64, share in 0.0..=1.0_f64, policy in 0.0..2e5_f64,
            above in 0.0..=1.0_f64, gamma in 1e-4..=0.5_f64,
        ) {
            let gains = Gains { max, min: share * max };
            let uniform = gains.min + above * (gains.max - gains.min);
            let regret = gains.max - policy;
            if regret <= theorem1(n_arms, gamma, ExpectedGains { policy, uniform }) {
                prop_assert!(regret <= corollary1(n_arms, gamma, gains) * (1.0 + 1e-12));
            }
            prop_assert!(E * gains.max >= tau(gains));
        }
    }
}
