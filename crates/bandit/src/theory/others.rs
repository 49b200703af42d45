//! Bounds of the players and policies that REX3 is compared with.

use core::f64::consts::E;

use super::k_ln_k;

/// The rate of EXP3 for a known bound g on the best arm's gain.
///
/// ```text
/// gamma = min(1, sqrt(K ln K / ((e - 1) g)))
/// ```
///
/// Proven by Auer, Cesa-Bianchi, Freund and Schapire (2002, Corollary 3.2, DOI 10.1137/S0097539701398375);
/// g = T always serves. 1 also for fewer than two arms and for a g that is not a positive finite number.
pub fn exp3_gamma(n_arms: usize, gain_bound: f64) -> f64 {
    if n_arms < 2 || !(gain_bound > 0.0 && gain_bound.is_finite()) {
        1.0
    } else {
        libm::sqrt(k_ln_k(n_arms) / ((E - 1.0) * gain_bound)).min(1.0)
    }
}

/// The regret of EXP3 at a rate in (0, 1], for a gain of the best arm of at most g.
///
/// ```text
/// Gmax - E G <= (e - 1) gamma g + K ln K / gamma
/// ```
///
/// Proven by Auer et al. (2002, Theorem 3.1, DOI 10.1137/S0097539701398375). A rate outside (0, 1] gives
/// infinity.
pub fn exp3_at(n_arms: usize, gamma: f64, gain_bound: f64) -> f64 {
    if n_arms < 2 {
        0.0
    } else if gamma > 0.0 && gamma <= 1.0 {
        (E - 1.0) * gamma * gain_bound + k_ln_k(n_arms) / gamma
    } else {
        f64::INFINITY
    }
}

/// The regret of EXP3 with the rate [`exp3_gamma`].
///
/// ```text
/// 2 sqrt(e - 1) sqrt(g K ln K)      = 2.6217 sqrt(g K ln K), printed as 2.63
/// ```
///
/// Proven by Auer et al. (2002, Corollary 3.2, DOI 10.1137/S0097539701398375), also where the rate is
/// clamped: then it exceeds g, which no regret does. A negative g gives NaN.
pub fn exp3_bound(n_arms: usize, gain_bound: f64) -> f64 {
    2.0 * libm::sqrt((E - 1.0) * gain_bound * k_ln_k(n_arms))
}

/// The regret of EXP3 without a horizon (losses, dual averaging, no mixing, eta_t = sqrt(ln K / (t K))).
///
/// ```text
/// 2 sqrt(T K ln K)
/// ```
///
/// Proven by Bubeck and Cesa-Bianchi (2012, Theorem 3.1, DOI 10.1561/2200000024), for the regret to the arm
/// that is best in expectation.
pub fn exp3_anytime(n_arms: usize, horizon: u64) -> f64 {
    2.0 * libm::sqrt(horizon as f64 * k_ln_k(n_arms))
}

/// The *order* of `GlobalExp3`'s regret on the dueling problem, without constant or logarithms: not a bound.
///
/// ```text
/// K sqrt(T)
/// ```
///
/// Stated in the paper (section 2.3, with logarithmic factors hidden) from Bartók (COLT 2013, PMLR
/// 30:696-710); no constant is known to us, so only its growth in K and T may be compared with other curves.
/// 0 for fewer than two arms.
pub fn global_exp3_order(n_arms: usize, horizon: u64) -> f64 {
    if n_arms < 2 { 0.0 } else { n_arms as f64 * libm::sqrt(horizon as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn trace_exp3_by_hand() {
        // K = 4, g = 1000: 5.545177 / 1718.282 = 0.00322717, root 0.0568082.
        assert!((exp3_gamma(4, 1000.0) - 0.056_808).abs() < 1e-6);
        // 2 sqrt(1.718282) = 2.621665; sqrt(5545.177) = 74.466; the product is 195.225.
        assert!((exp3_bound(4, 1000.0) - 195.225).abs() < 1e-2);
        assert!((exp3_bound(4, 1000.0) / libm::sqrt(1000.0 * k_ln_k(4)) - 2.621_665).abs() < 1e-6);
        // At gamma = 0.1: 171.8282 + 55.4518 = 227.2800.
        assert!((exp3_at(4, 0.1, 1000.0) - 227.2800).abs() < 1e-4);
        // Anytime, T = 1000: 2 * 74.466 = 148.932.
        assert!((exp3_anytime(4, 1000) - 148.932).abs() < 1e-2);
        for gain_bound in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!((exp3_gamma(4, gain_bound) - 1.0).abs() < 1e-15);
        }
        assert!(exp3_at(4, 1.1, 1000.0).is_infinite());
    }

    #[test]
    fn trace_global_exp3_order() {
        // 20 * sqrt(10,000) = 2000.
        assert!((global_exp3_order(20, 10_000) - 2000.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn law_exp3_rate_minimises_its_bound(
            n_arms in 2_usize..500, gain in 1.0..1e7_f64, gamma in 1e-6..=1.0_f64,
        ) {
            let best = exp3_gamma(n_arms, gain);
            let least = exp3_at(n_arms, best, gain);
            prop_assert!(least <= exp3_at(n_arms, gamma, gain) * (1.0 + 1e-12));
            if best < 1.0 {
                prop_assert!((exp3_bound(n_arms, gain) - least).abs() <= 1e-12 * least);
            } else {
                prop_assert!(exp3_bound(n_arms, gain) >= gain);
            }
            prop_assert!(exp3_bound(n_arms, gain) <= 2.63 * libm::sqrt(gain * k_ln_k(n_arms)));
        }
    }
}
