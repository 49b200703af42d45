//! The claims of the REX3 paper: C1 to C24.

mod c01_estimator;
mod c02_bound;
mod c03_gamma_star;
mod c04_square_root;
mod c05_logarithm;
mod c06_sparring;
mod c07_long_run;
mod c08_many_arms;
mod c09_cost_of_exploration;
mod c10_hidden_winner;
mod c11_deceived;
mod c12_worst_case;
mod c13_initial_phases;
mod c14_known_horizon;
mod c15_reduction;
mod c16_matrices;
mod c17_twice_the_regret;
mod c18_self_duels;
mod c19_guard;
mod c20_dual_impact;
mod c21_small_horizons;
mod c22_protocol;
mod c23_anytime;
mod c24_negative_regret;
mod specs;

use super::{Claim, Evidence, Judgement, Number, Part, Verdict};
// Imported for the claims, which refer to `super::decide` etc.
use super::{decide, evidence, role};

pub use specs::SPECIFICATIONS;

/// All claims, in order.
pub static CLAIMS: &[Claim] = &[
    c01_estimator::CLAIM,
    c02_bound::CLAIM,
    c03_gamma_star::CLAIM,
    c04_square_root::CLAIM,
    c05_logarithm::CLAIM,
    c06_sparring::CLAIM,
    c07_long_run::CLAIM,
    c08_many_arms::CLAIM,
    c09_cost_of_exploration::CLAIM,
    c10_hidden_winner::CLAIM,
    c11_deceived::CLAIM,
    c12_worst_case::CLAIM,
    c13_initial_phases::CLAIM,
    c14_known_horizon::CLAIM,
    c15_reduction::CLAIM,
    c16_matrices::CLAIM,
    c17_twice_the_regret::CLAIM,
    c18_self_duels::CLAIM,
    c19_guard::CLAIM,
    c20_dual_impact::CLAIM,
    c21_small_horizons::CLAIM,
    c22_protocol::CLAIM,
    c23_anytime::CLAIM,
    c24_negative_regret::CLAIM,
];

/// The figures on stationary matrices with a Condorcet winner, and the additional experiment on
/// SAVAGE-6.
const MATRICES: &[&str] =
    &["arxiv", "np2004-64", "mslr-nav", "np2004-16", "np2004-32", "mslr-perf", "artificial", "claim-06"];

/// [`MATRICES`] and the figure on the matrix without a Condorcet winner.
const ALL_MATRICES: &[&str] = &[
    "arxiv",
    "np2004-64",
    "mslr-nav",
    "np2004-16",
    "np2004-32",
    "mslr-inf",
    "mslr-perf",
    "artificial",
    "claim-06",
];

/// The figures on data from information retrieval.
const RETRIEVAL: &[&str] =
    &["arxiv", "np2004-64", "mslr-nav", "np2004-16", "np2004-32", "mslr-inf", "mslr-perf"];
