//! Bounds of the players and policies that REX3 is compared with.

use core::f64::consts::E;

use super::k_ln_k;

/// The rate of EXP3 for a known bound g on the best arm's gain.
///
/// ```text
/// gamma = min(1, sqrt(K ln K / ((e - 1) g)))
/// ```
///
/// Proven by Auer, Cesa-Bianchi, Freund and Schapire (2002, Corollary 3.2, DOI
/// 10.1137/S0097539701398375); g = T is always valid. The result is also 1 for fewer than two arms,
/// and if g is not a positive finite number.
pub fn exp3_gamma(n_arms: usize, gain_bound: f64) -> f64 {
    if n_arms < 2 || !(gain_bound > 0.0 && gain_bound.is_finite()) {
        1.0
    } else {
        libm::sqrt(k_ln_k(n_arms) / ((E - 1.0) * gain_bound)).min(1.0)
    }
}

/// A bound on the regret of EXP3 at a rate in (0, 1], if the best arm gains at most g.
///
/// ```text
/// Gmax - E G <= (e - 1) gamma g + K ln K / gamma
/// ```
///
/// Proven by Auer et al. (2002, Theorem 3.1, DOI 10.1137/S0097539701398375). A rate outside (0, 1]
/// gives infinity.
pub fn exp3_at(n_arms: usize, gamma: f64, gain_bound: f64) -> f64 {
    if n_arms < 2 {
        0.0
    } else if gamma > 0.0 && gamma <= 1.0 {
        (E - 1.0) * gamma * gain_bound + k_ln_k(n_arms) / gamma
    } else {
        f64::INFINITY
    }
}

/// A bound on the regret of EXP3 with the rate [`exp3_gamma`].
///
/// ```text
/// 2 sqrt(e - 1) sqrt(g K ln K)      = 2.6217 sqrt(g K ln K), printed as 2.63
/// ```
///
/// Proven by Auer et al. (2002, Corollary 3.2, DOI 10.1137/S0097539701398375). It also holds if the
/// rate is clamped, because the bound then exceeds g and no regret exceeds g. A negative g gives
/// NaN.
pub fn exp3_bound(n_arms: usize, gain_bound: f64) -> f64 {
    2.0 * libm::sqrt((E - 1.0) * gain_bound * k_ln_k(n_arms))
}

/// A bound on the regret of EXP3 without a horizon (losses, dual averaging, no mixing, eta_t =
/// sqrt(ln K / (t K))).
///
/// ```text
/// 2 sqrt(T K ln K)
/// ```
///
/// Proven by Bubeck and Cesa-Bianchi (2012, Theorem 3.1, DOI 10.1561/2200000024), for the regret
/// relative to the arm that is best in expectation.
pub fn exp3_anytime(n_arms: usize, horizon: u64) -> f64 {
    2.0 * libm::sqrt(horizon as f64 * k_ln_k(n_arms))
}

/// The *order* of `GlobalExp3`'s regret on the dueling problem, without constants and logarithms.
/// It is not a bound.
///
/// ```text
/// K sqrt(T)
/// ```
///
/// Stated in the paper (section 2.3, with logarithmic factors hidden) after Bartók (COLT 2013, PMLR
/// 30:696-710). We know no constant, so you can compare only its growth in K and T with other
/// curves. It is 0 for fewer than two arms.
pub fn global_exp3_order(n_arms: usize, horizon: u64) -> f64 {
    if n_arms < 2 { 0.0 } else { n_arms as f64 * libm::sqrt(horizon as f64) }
}

/// The *order* of `FeedExp3`'s regret on the dueling problem, without a constant. It is not a
/// bound.
///
/// ```text
/// (N^2 ln N)^(1/3) T^(2/3)      N = K (K + 1) / 2
/// ```
///
/// From Cesa-Bianchi, Lugosi and Stoltz (2006, DOI 10.1287/moor.1060.0206), for the anytime rates
/// and a link whose largest entry is at most 1, like the link of the dueling game. In both T and K
/// it grows faster than REX3's [`bound`](super::bound) and [`global_exp3_order`]. It is 0 for fewer
/// than two arms.
pub fn feed_exp3_order(n_arms: usize, horizon: u64) -> f64 {
    let (n, t) = (unordered_pairs(n_arms), horizon as f64);
    libm::cbrt(n * n * libm::log(n) * t * t)
}

/// The *order* of `FeedExp3`'s regret with the rates of its first paper, for a known horizon,
/// without a constant. It is not a bound.
///
/// ```text
/// N^(1/2) (ln N)^(1/4) T^(3/4)      N = K (K + 1) / 2
/// ```
///
/// From Piccolboni and Schindelhauer (COLT 2001, DOI 10.1007/3-540-44581-1_14), again for a link
/// whose largest entry is at most 1. It is 0 for fewer than two arms.
pub fn feed_exp3_fixed_order(n_arms: usize, horizon: u64) -> f64 {
    let (n, t) = (unordered_pairs(n_arms), horizon as f64);
    libm::sqrt(n * t) * libm::sqrt(libm::sqrt(libm::log(n) * t))
}

/// N = K (K + 1) / 2, equal arms included. It is 1, with logarithm 0, also for no arms.
fn unordered_pairs(n_arms: usize) -> f64 {
    let k = n_arms.max(1) as f64;
    k * (k + 1.0) / 2.0
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

    #[test]
    fn trace_feed_exp3_orders() {
        // K = 4: N = 10, ln 10 = 2.302585. T = 1000: the cube root of 100 * 2.302585, 6.129220,
        // times 100.
        assert!((feed_exp3_order(4, 1000) - 612.922).abs() < 1e-2);
        // sqrt(10) = 3.162278, 2.302585^(1/4) = 1.231832, 10,000^(3/4) = 1000.
        assert!((feed_exp3_fixed_order(4, 10_000) - 3895.42).abs() < 1e-2);
    }

    proptest! {
        /// The orders increase as in the table of the theory module.
        #[test]
        fn law_orders_of_partial_monitoring(n_arms in 2_usize..200, extra in 0_u64..1_000_000) {
            let horizon = n_arms as u64 + extra;
            prop_assert!(super::super::lower_bound(n_arms, horizon) <= global_exp3_order(n_arms, horizon));
            let n = unordered_pairs(n_arms);
            // The quotient of the two orders is (N^2 ln N / T)^(1/12).
            if horizon as f64 > n * n * libm::log(n) {
                prop_assert!(feed_exp3_order(n_arms, horizon) <= feed_exp3_fixed_order(n_arms, horizon));
            }
        }

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
