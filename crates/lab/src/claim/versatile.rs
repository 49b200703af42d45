//! The claims of the paper on Versatile-DB: V1 to V5.

mod v1_long_run;
mod v2_logarithm;
mod v3_square_root;
mod v4_corruption;
mod v5_both_worlds;

use super::{Claim, Evidence, Judgement, Number, Part};
// Where claims find what they share.
use super::{comparison, decide, evidence, role};

/// All claims, in order.
pub(crate) static CLAIMS: &[Claim] = &[
    v1_long_run::CLAIM,
    v2_logarithm::CLAIM,
    v3_square_root::CLAIM,
    v4_corruption::CLAIM,
    v5_both_worlds::CLAIM,
];

/// The experiment that V3 needs beside the figures.
pub(crate) static SPECIFICATIONS: &[(&str, &str)] =
    &[("switch", include_str!("../../specs/versatile/switch.toml"))];
