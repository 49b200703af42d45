//! Regret bounds as functions: upper bounds that theorems guarantee, and lower bounds that no
//! policy can beat.
//!
//! This module contains upper bounds for REX3 and its anytime form, the rates that minimise them,
//! the lower bound of the problem with an explicit constant, and the bounds of the players that
//! REX3 is compared with. Every function is pure and states the source of its formula. The formula
//! is *proven in the paper* (Gajane, Urvoy and Clérot, ICML 2015, PMLR 37:218-227, DOI
//! 10.48550/arXiv.1601.03855), proven elsewhere, or *re-derived* here with its argument.
//!
//! Notation, for the first T rounds:
//!
//! ```text
//! K, T         number of arms, horizon
//! A            K ln K
//! x_i(t)       utility of arm i in round t, in [0, 1]
//! Gmax, Gmin   max_i and min_i of sum_t x_i(t): gains of the best and of the worst single arm
//! Galg         1/2 sum_t (x_a + x_b): gain of the policy; E Galg its mean
//! E Gunif      1/K sum_t sum_i x_i(t): mean gain of uniform play
//! tau          the factor of the rate in the bound; several forms, see the functions named tau_*
//! ```
//!
//! Regret means *bandit regret*, Gmax - E Galg, unless a name says Condorcet. Under the linear link
//! `P_ij` = (1 + x_i - x_j) / 2 the Condorcet regret is half of it ([`condorcet`]). In the sense of
//! [`any_matrices`] the same holds for every sequence of matrices.
//!
//! A comparison for adversarial utilities, with N = K (K + 1) / 2:
//!
//! | policy | regret grows like | function |
//! |---|---|---|
//! | lower bound for every policy | sqrt(K T) | [`lower_bound`], with its constant |
//! | REX3 | sqrt(K ln K T) | [`corollary2`], [`dual_averaging`]: bounds |
//! | REX3, m outcomes in flight | sqrt((K + m) ln K T) | [`dual_averaging_late`]: a bound |
//! | `GlobalExp3` | K sqrt(T), times logarithms | [`global_exp3_order`]: an order |
//! | `FeedExp3`, anytime | (N^2 ln N)^(1/3) T^(2/3) | [`feed_exp3_order`]: an order |
//! | `FeedExp3`, known horizon | N^(1/2) (ln N)^(1/4) T^(3/4) | [`feed_exp3_fixed_order`]: an order |
//!
//! The last three rows treat duels as a game with partial monitoring. An order has no constant, so
//! you can compare only its growth.
//!
//! If one arm beats every other and preferences do not change, regret can grow as slowly as ln T.
//! [`rmed_lower`] is the least possible factor of ln T.
//!
//! All functions follow the same conventions in edge cases:
//!
//! - With fewer than two arms there is no regret, so every bound is 0.
//! - With a horizon of 0 rounds, every bound that takes the horizon is 0.
//! - A rate outside the range of a theorem (or NaN) gives infinity, because nothing is guaranteed.
//! - Any other NaN gives a bound that is NaN. Rates are never NaN.
//!
//! The code uses only `+ - * /`, comparisons and `libm`, so results are equal to the last bit on
//! every platform.
//!
//! ```
//! use tiltyard_bandit::theory::{Gains, corollary2, gamma_star, lower_bound, tau};
//!
//! // Six arms, 100,000 rounds, and the paper's assumption that no arm gains more than T/2.
//! let gains = Gains::at_most(50_000.0);
//! assert!((gamma_star(6, tau(gains)) - 0.0089).abs() < 5e-5);
//! assert!((corollary2(6, gains) - 2417.6).abs() < 0.1);
//! assert!((lower_bound(6, 100_000) - 27.4).abs() < 0.1);
//! ```

mod anytime;
mod divergence;
mod late;
mod lower;
mod matrices;
mod others;
mod rex3;
mod tau;

pub use anytime::{AnytimeRate, RoundTerm, accuracy_ceiling, dual_averaging};
pub use divergence::rmed_lower;
pub use late::{LateTerm, dual_averaging_late};
pub use lower::{lower_bound, lower_bound_condorcet};
pub use matrices::{any_matrices, any_matrices_condorcet, tau_matrices};
pub use others::{
    exp3_anytime, exp3_at, exp3_bound, exp3_gamma, feed_exp3_fixed_order, feed_exp3_order, global_exp3_order,
};
pub use rex3::{
    bound, bound_tight, bound_unsimplified, corollary1, corollary2, corollary2_printed, gamma_star,
    gamma_tight, theorem1,
};
pub use tau::{
    Curvature, ExpectedGains, Gains, tau, tau_binary, tau_expected, tau_floor, tau_floor_printed,
    tau_tightened,
};

/// The Condorcet regret that corresponds to a bandit regret, or to a bound on it: half.
///
/// ```text
/// r'_ab = (P(i*,a) + P(i*,b) - 1) / 2 = r_ab / 2      in expectation
/// ```
///
/// Proven in the paper (end of section 2.2) for Bernoulli utilities with ties broken by a fair
/// coin. For matrices that do not come from utilities use [`any_matrices_condorcet`], which needs
/// no link.
pub fn condorcet(bandit_regret: f64) -> f64 {
    bandit_regret / 2.0
}

/// K ln K, the A of the formulas; 0 for one arm and, by convention, for none.
fn k_ln_k(n_arms: usize) -> f64 {
    if n_arms < 2 { 0.0 } else { n_arms as f64 * libm::log(n_arms as f64) }
}

/// 1 - 1/K, the probability that a uniformly drawn arm differs from a given arm; 0 for one arm and,
/// by convention, for none.
fn others_share(n_arms: usize) -> f64 {
    if n_arms < 2 { 0.0 } else { 1.0 - 1.0 / n_arms as f64 }
}

/// max(x, 0), but NaN stays NaN. `f64::max` would turn it into a bound of 0.
fn positive(x: f64) -> f64 {
    if x < 0.0 { 0.0 } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn trace_edges_of_the_domain() {
        // ln 2 = 0.693147, so K ln K is 1.386294 for two arms, and 0 for one or none.
        assert!((k_ln_k(2) - 1.386_294).abs() < 1e-6);
        assert!(k_ln_k(1).abs() < 1e-300 && k_ln_k(0).abs() < 1e-300);
        // Five of six arms differ from a given arm: 5/6.
        assert!((others_share(6) - 5.0 / 6.0).abs() < 1e-15);
        assert!(others_share(1).abs() < 1e-300 && others_share(0).abs() < 1e-300);
        assert!(positive(f64::NAN).is_nan() && positive(-1.0).abs() < 1e-300);
        assert!((condorcet(3.0) - 1.5).abs() < 1e-15);
    }

    #[test]
    fn trace_fewer_than_two_arms_lose_nothing() {
        let gains = Gains { max: 70.0, min: 70.0 };
        let expected = ExpectedGains { policy: 70.0, uniform: 70.0 };
        let rate = AnytimeRate::new(1, 1.0);
        for n_arms in [0, 1] {
            for value in [
                bound(n_arms, 0.1, 5.0),
                bound_unsimplified(n_arms, 0.1, 5.0),
                bound_tight(n_arms, 5.0),
                theorem1(n_arms, 0.1, expected),
                corollary1(n_arms, 0.1, gains),
                corollary2(n_arms, gains),
                corollary2_printed(n_arms, gains),
                any_matrices(n_arms, 0.1, 100, 0.1),
                rate.bound(1.0, 100),
                rate.bound_by_sum(1.0, 100),
                dual_averaging(n_arms, [RoundTerm { gamma: 0.1, bracket: 1.0 }]),
                exp3_at(n_arms, 0.1, 100.0),
                exp3_bound(n_arms, 100.0),
                exp3_anytime(n_arms, 100),
                lower_bound(n_arms, 100),
                global_exp3_order(n_arms, 100),
                feed_exp3_order(n_arms, 100),
                feed_exp3_fixed_order(n_arms, 100),
            ] {
                assert!(value.abs() < 1e-300, "{value} for {n_arms} arms");
            }
            assert!((gamma_star(n_arms, 9.0) - 0.5).abs() < 1e-15);
            assert!((gamma_tight(n_arms, 9.0) - 0.5).abs() < 1e-15);
            assert!((exp3_gamma(n_arms, 9.0) - 1.0).abs() < 1e-15);
            assert!((accuracy_ceiling(n_arms, 0.1) - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn trace_no_rounds_no_loss() {
        let rate = AnytimeRate::new(6, 1.0);
        for value in [
            any_matrices(6, 0.1, 0, 0.1),
            rate.bound(1.0, 0),
            rate.bound_by_sum(1.0, 0),
            dual_averaging(6, []),
            exp3_anytime(6, 0),
            lower_bound(6, 0),
            global_exp3_order(6, 0),
            feed_exp3_order(6, 0),
            feed_exp3_fixed_order(6, 0),
        ] {
            assert!(value.abs() < 1e-300, "{value}");
        }
    }

    proptest! {
        /// No upper bound may be below the lower bound. Utilities are at most 1 in every round, so
        /// Gmax = T covers the worlds of the lower bound.
        #[test]
        fn law_lower_is_below_upper(n_arms in 2_usize..300, extra in 0_u64..1_000_000) {
            let horizon = n_arms as u64 + extra;
            let gains = Gains::at_most(horizon as f64);
            let low = lower_bound(n_arms, horizon);
            let rate = AnytimeRate::new(n_arms, core::f64::consts::E);
            prop_assert!(low > 0.0);
            prop_assert!(low <= corollary2(n_arms, gains));
            prop_assert!(low <= corollary2_printed(n_arms, gains));
            prop_assert!(low <= bound_tight(n_arms, tau_tightened(Curvature::Mixing, gains)));
            prop_assert!(low <= rate.bound(core::f64::consts::E, horizon));
            prop_assert!(lower_bound_condorcet(n_arms, horizon) <= condorcet(corollary2(n_arms, gains)));
        }
    }
}
