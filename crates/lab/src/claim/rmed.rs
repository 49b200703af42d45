//! The claims of the paper on RMED: R1 to R4.

mod r1_rivals;
mod r2_lower_bound;
mod r3_cyclic;
mod r4_logarithm;

use super::{Claim, Evidence, Judgement, Number, Part};
// Imported for the claims, which refer to `super::decide` etc.
use super::{comparison, decide, role};

pub(crate) static CLAIMS: &[Claim] =
    &[r1_rivals::CLAIM, r2_lower_bound::CLAIM, r3_cyclic::CLAIM, r4_logarithm::CLAIM];

const FIGURES: &[&str] = &["small", "large"];
