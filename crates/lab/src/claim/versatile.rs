//! The claims of the paper on Versatile-DB: V1 to V5.

mod v1_long_run;
mod v2_logarithm;
mod v3_square_root;
mod v4_corruption;
mod v5_both_worlds;

use super::{Claim, Evidence, Judgement, Number, Part};
// Imported for the claims, which refer to `super::decide` etc.
use super::{comparison, decide, evidence, role};

pub(crate) static CLAIMS: &[Claim] = &[
    v1_long_run::CLAIM,
    v2_logarithm::CLAIM,
    v3_square_root::CLAIM,
    v4_corruption::CLAIM,
    v5_both_worlds::CLAIM,
];

/// The additional experiment for V3.
pub(crate) static SPECIFICATIONS: &[(&str, &str)] =
    &[("switch", include_str!("../../specs/versatile/switch.toml"))];
