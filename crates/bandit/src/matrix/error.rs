//! Why numbers are no preference matrix.

use crate::hint::{FrontEnd, Hint};

/// Why numbers are no preference matrix.
///
/// Rows and columns count from 0 in the fields, as arms do, and from 1 in the messages, as people
/// do.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MatrixError {
    /// No arms at all.
    #[error("a preference matrix needs at least one arm")]
    NoArms,
    /// Too few or too many entries for this number of arms.
    #[error("{n_arms} arms need {} entries, not {got}", (*n_arms as u128).pow(2))]
    WrongLength {
        /// The number of arms.
        n_arms: usize,
        /// The number of entries.
        got: usize,
    },
    /// A row that is longer or shorter than there are rows.
    #[error("row {} is of length {got} instead of {expected}", row + 1)]
    RaggedRow {
        /// The row, from 0.
        row: usize,
        /// The number of rows.
        expected: usize,
        /// The length of this row.
        got: usize,
    },
    /// NaN or infinity.
    #[error("row {}, column {} is {value}, not a finite number", row + 1, column + 1)]
    NotFinite {
        /// The row, from 0.
        row: usize,
        /// The column, from 0.
        column: usize,
        /// What stands there.
        value: f64,
    },
    /// A number below 0 or above 1.
    #[error("row {}, column {} is {value}, not a probability from 0 to 1", row + 1, column + 1)]
    OutOfRange {
        /// The row, from 0.
        row: usize,
        /// The column, from 0.
        column: usize,
        /// What stands there.
        value: f64,
    },
    /// A diagonal entry that is not 1/2.
    #[error(
        "row {0}, column {0} is {value}, but the diagonal must be 0.5: an arm ties with itself",
        row + 1
    )]
    Diagonal {
        /// The row and the column, from 0.
        row: usize,
        /// What stands there.
        value: f64,
    },
    /// Two entries about the same pair that contradict each other.
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
    /// What a matrix is: what to do about each of these, and about a file that holds none.
    pub const HINT: &str =
        "a matrix is K rows of K numbers in [0, 1], with P + P' = 1 and 1/2 on the diagonal";
}

impl Hint for MatrixError {
    fn hints(&self, _: &dyn FrontEnd) -> Vec<String> {
        vec![Self::HINT.to_owned()]
    }
}

impl MatrixError {
    /// The row of the (first) offending entry, from 0.
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

/// The sum without its rounding error, which would print as 1.0200000000000002: nine digits after
/// the point, where [`TOLERANCE`](super::TOLERANCE) looks at six.
fn readable(sum: f64) -> f64 {
    (sum * 1e9).round() / 1e9
}
