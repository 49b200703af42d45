//! The ways in which people vote: duels, slates, interleaved lists and imports.

pub(crate) mod answer;
pub(crate) mod holdout;
pub(crate) mod import;
pub(crate) mod interleave;
pub(crate) mod lists;
pub(crate) mod merged_lists;
pub(crate) mod slate;
