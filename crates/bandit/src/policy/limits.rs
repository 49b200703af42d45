//! Limits that several policies share.

use crate::params::ParamError;

/// The largest number of arms of a policy that keeps a table with an entry for each pair. With more
/// arms, the tables of most such policies would take more than half a gigabyte.
pub(super) const MOST_ARMS: usize = 4096;

/// No run reaches this round, and below it no count of rounds can overflow.
pub(super) const LAST_ROUND: u64 = 1 << 62;

/// Checks that there are between 1 and `most` arms. `name` is the policy that the error names.
pub(super) fn check_table(name: &'static str, n_arms: usize, most: usize) -> Result<(), ParamError> {
    match n_arms {
        0 => Err(ParamError::NoArms),
        n_arms if n_arms > most => Err(ParamError::TooManyArms { name, n_arms, most }),
        _ => Ok(()),
    }
}
