//! Bounds: pure functions of numbers. `theory.py` explains them.

use pyo3::prelude::*;
use tiltyard_bandit::theory::{self, AnytimeRate, ExpectedGains, Gains};

use crate::argument::fitting;

macro_rules! bounds {
    ($($name:ident($($arg:ident: $type:ty),*) => $value:expr;)*) => {
        $(
            #[pyfunction]
            #[doc = "See `theory.py`."]
            pub(crate) fn $name($(#[pyo3(from_py_with = fitting)] $arg: $type),*) -> f64 {
                $value
            }
        )*
    };
}

bounds! {
    lower_bound(arms: usize, duels: u64) => theory::lower_bound(arms, duels);
    tau(gmax: f64, gmin: f64) => theory::tau(Gains { max: gmax, min: gmin });
    gamma_star(arms: usize, tau: f64) => theory::gamma_star(arms, tau);
    gamma_tight(arms: usize, tau: f64) => theory::gamma_tight(arms, tau);
    bound(arms: usize, gamma: f64, tau: f64) => theory::bound(arms, gamma, tau);
    bound_tight(arms: usize, tau: f64) => theory::bound_tight(arms, tau);
    theorem1(arms: usize, gamma: f64, policy: f64, uniform: f64) =>
        theory::theorem1(arms, gamma, ExpectedGains { policy, uniform });
    corollary1(arms: usize, gamma: f64, gmax: f64, gmin: f64) =>
        theory::corollary1(arms, gamma, Gains { max: gmax, min: gmin });
    corollary2(arms: usize, gmax: f64, gmin: f64) => theory::corollary2(arms, Gains { max: gmax, min: gmin });
    anytime_gamma(arms: usize, tau_per_round: f64, round: u64) =>
        AnytimeRate::new(arms, tau_per_round).gamma(round);
    anytime_bound(arms: usize, tau_per_round: f64, bracket: f64, rounds: u64) =>
        AnytimeRate::new(arms, tau_per_round).bound(bracket, rounds);
    accuracy_ceiling(arms: usize, gamma: f64) => theory::accuracy_ceiling(arms, gamma);
    any_matrices(arms: usize, gamma: f64, rounds: u64, mean_g: f64) =>
        theory::any_matrices(arms, gamma, rounds, mean_g);
    exp3_gamma(arms: usize, gain_bound: f64) => theory::exp3_gamma(arms, gain_bound);
    exp3_bound(arms: usize, gain_bound: f64) => theory::exp3_bound(arms, gain_bound);
    exp3_anytime(arms: usize, rounds: u64) => theory::exp3_anytime(arms, rounds);
    global_exp3_order(arms: usize, rounds: u64) => theory::global_exp3_order(arms, rounds);
    feed_exp3_order(arms: usize, rounds: u64) => theory::feed_exp3_order(arms, rounds);
}
