//! Errors of preference matrices.

use crate::hint::{FrontEnd, Hint};

/// Why numbers are not a preference matrix.
///
/// Rows and columns count from 0 in the fields, as arms do, and from 1 in the messages.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum MatrixError {
    /// There are no arms.
    #[error("a preference matrix needs at least one arm")]
    NoArms,
    /// There are too few or too many entries for this number of arms.
    #[error("{n_arms} arms need {} entries, not {got}", (*n_arms as u128).pow(2))]
    WrongLength { n_arms: usize, got: usize },
    /// The length of a row differs from the number of rows.
    #[error("row {} has length {got} instead of {expected}", row + 1)]
    RaggedRow {
        row: usize,
        /// The number of rows.
        expected: usize,
        /// The length of this row.
        got: usize,
    },
    /// An entry is NaN or infinite.
    #[error("row {}, column {} is {value}, not a finite number", row + 1, column + 1)]
    NotFinite { row: usize, column: usize, value: f64 },
    /// An entry is below 0 or above 1.
    #[error("row {}, column {} is {value}, not a probability from 0 to 1", row + 1, column + 1)]
    OutOfRange { row: usize, column: usize, value: f64 },
    /// A diagonal entry is not 1/2.
    #[error(
        "row {0}, column {0} is {value}, but the diagonal must be 0.5: an arm ties with itself",
        row + 1
    )]
    Diagonal { row: usize, value: f64 },
    /// The two entries of a pair contradict each other.
    #[error(
        "row {0}, column {1} is {value} and row {1}, column {0} is {mirrored}: they must sum to 1, not {2}",
        row + 1,
        column + 1,
        readable(value + mirrored)
    )]
    Asymmetric {
        /// The row of the entry above the diagonal, from 0.
        row: usize,
        /// Its column, from 0.
        column: usize,
        /// The entry above the diagonal.
        value: f64,
        /// The entry below the diagonal.
        mirrored: f64,
    },
}

impl MatrixError {
    /// The hint for all of these errors, and for a file that does not contain a matrix.
    pub const HINT: &str =
        "write K rows of K numbers in [0, 1], with P[i][j] + P[j][i] = 1 and 1/2 on the diagonal";
}

impl Hint for MatrixError {
    fn hints(&self, _: &dyn FrontEnd) -> Vec<String> {
        vec![Self::HINT.to_owned()]
    }
}

impl MatrixError {
    /// The row of the first wrong entry, counted from 0.
    pub const fn row(&self) -> Option<usize> {
        match *self {
            Self::NoArms | Self::WrongLength { .. } => None,
            Self::RaggedRow { row, .. }
            | Self::NotFinite { row, .. }
            | Self::OutOfRange { row, .. }
            | Self::Diagonal { row, .. }
            | Self::Asymmetric { row, .. } => Some(row),
        }
    }
}

/// The sum, rounded to nine digits after the point, so that it does not print as
/// 1.0200000000000002. [`TOLERANCE`](super::TOLERANCE) is six digits.
fn readable(sum: f64) -> f64 {
    (sum * 1e9).round() / 1e9
}
