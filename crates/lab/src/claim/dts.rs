//! The claims of the paper on Double Thompson Sampling: D1 to D4.

mod d1_condorcet;
mod d2_copeland;
mod d3_ties;
mod d4_logarithm;

use super::{Claim, Evidence, Judgement, Verdict};
// Imported for the claims, which refer to `super::decide` etc.
use super::{comparison, decide, role};

pub(crate) static CLAIMS: &[Claim] =
    &[d1_condorcet::CLAIM, d2_copeland::CLAIM, d3_ties::CLAIM, d4_logarithm::CLAIM];

const FIGURES: &[&str] = &["mslr5", "arxiv-sushi"];

/// The world without a Condorcet winner.
const COPELAND: &str = "mslr5-copeland";
