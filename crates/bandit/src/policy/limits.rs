//! Limits that several policies share.

use crate::params::ParamError;

/// The most arms of a policy that keeps a table with an entry for each pair: with more, the tables
/// of most would take more than half a gigabyte.
pub(super) const MOST_ARMS: usize = 4096;

/// No run gets here, and below it no count of rounds can overflow.
pub(super) const LAST_ROUND: u64 = 1 << 62;

/// Whether a policy of this name can keep a table of so many arms, if it takes so many at most.
pub(super) fn check_table(name: &'static str, n_arms: usize, most: usize) -> Result<(), ParamError> {
    match n_arms {
        0 => Err(ParamError::NoArms),
        n_arms if n_arms > most => Err(ParamError::TooManyArms { name, n_arms, most }),
        _ => Ok(()),
    }
}
