//! Conclusions from the votes: evidence, verdicts, agreement between voters, segments and
//! off-policy evaluation.

pub(crate) mod agreement;
pub(crate) mod error_budget;
pub(crate) mod evaluation;
pub(crate) mod evidence;
pub(crate) mod mean_rates;
pub(crate) mod opponent_tallies;
pub(crate) mod pair_table;
pub(crate) mod segments;
pub(crate) mod summary;
