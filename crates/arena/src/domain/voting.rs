//! The ways to vote: duels, slates, interleaved lists and imports. All of them become votes about
//! pairs of arms.

pub(crate) mod answer;
pub(crate) mod comparison;
pub(crate) mod duels;
pub(crate) mod history;
pub(crate) mod import;
pub(crate) mod interleave;
pub(crate) mod lists;
pub(crate) mod merged_lists;
pub(crate) mod pair_vote;
pub(crate) mod ranking;
pub(crate) mod slate;
