//! Preference matrices: for every pair of arms, the probability that one beats the other.
//!
//! A [`PreferenceMatrix`] is checked when it is constructed and exact afterwards, so its users may
//! rely on `P + Pᵀ = 1` to the last bit. The modules below answer questions about it: which arm
//! wins ([`scores`]), in which cycles arms beat each other ([`tournament`]), how close the arms are
//! ([`gaps`]), and which assumptions of algorithms hold ([`assumptions`]). Others build matrices:
//! submatrices ([`submatrix`]) and the matrices of published papers ([`builtin`]).

pub mod assumptions;
pub mod builtin;
mod error;
pub mod gaps;
pub mod scores;
pub mod submatrix;
pub mod tournament;

#[cfg(test)]
mod arbitrary;

pub use assumptions::Assumptions;
pub use error::MatrixError;
pub use gaps::Gaps;
pub use scores::{Diagonal, Reference, ReferenceKind};
pub use submatrix::SubmatrixError;
pub use tournament::Tournament;

use crate::Arm;

/// The largest accepted difference of `P + Pᵀ` from 1, and of the diagonal from 1/2, in the input.
/// Files have six digits or more.
pub const TOLERANCE: f64 = 1e-6;

/// The largest difference at which two numbers computed from a matrix count as equal. Entries are
/// decimal fractions that binary numbers cannot represent, so sums that are equal on paper differ
/// by about 1e-16 per term. No published gap is anywhere near 1e-9.
const SLACK: f64 = 1e-9;

/// The probability `P[i][j]` that arm i beats arm j, for each pair of K arms.
///
/// Every entry is in [0, 1], the diagonal is exactly 1/2, and `P[i][j] + P[j][i]` is exactly 1.
///
/// ```
/// use tiltyard_bandit::{Arm, matrix::PreferenceMatrix};
/// let matrix = PreferenceMatrix::from_rows(&[[0.5, 0.75], [0.25, 0.5]])?;
/// assert_eq!(matrix.condorcet_winner(), Some(Arm::new(0)));
/// # Ok::<(), tiltyard_bandit::matrix::MatrixError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PreferenceMatrix {
    n_arms: usize,
    /// Row after row.
    entries: Vec<f64>,
}

impl PreferenceMatrix {
    /// The matrix with these entries, row after row.
    ///
    /// If `P[i][j] + P[j][i]` is 1 within [`TOLERANCE`], the two are made exact: `P[i][j]` becomes
    /// the mean of `P[i][j]` and `1 - P[j][i]`, up to the last bit or two.
    ///
    /// # Errors
    ///
    /// If there are no arms, the number of entries is not `n_arms` squared, or an entry breaks a
    /// rule of [`PreferenceMatrix`]. The error names the first such entry in reading order, and
    /// impossible values before mismatches.
    pub fn new(n_arms: usize, entries: Vec<f64>) -> Result<Self, MatrixError> {
        if n_arms == 0 {
            return Err(MatrixError::NoArms);
        }
        if n_arms.checked_mul(n_arms) != Some(entries.len()) {
            return Err(MatrixError::WrongLength { n_arms, got: entries.len() });
        }
        let mut matrix = Self { n_arms, entries };
        matrix.check_values()?;
        matrix.check_pairs()?;
        matrix.make_exact();
        Ok(matrix)
    }

    /// The matrix with these rows.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new), and if the length of a row differs from the number of rows.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self, MatrixError> {
        let n_arms = rows.len();
        for (row, entries) in rows.iter().enumerate() {
            let got = entries.as_ref().len();
            if got != n_arms {
                return Err(MatrixError::RaggedRow { row, expected: n_arms, got });
            }
        }
        Self::new(n_arms, rows.iter().flat_map(AsRef::as_ref).copied().collect())
    }

    /// The matrix with `P[i][j] = preference(i, j)` for i < j; the other half follows.
    ///
    /// # Errors
    ///
    /// If there are no arms, or `preference` returns a value outside [0, 1] or NaN.
    pub fn from_fn(n_arms: usize, mut preference: impl FnMut(Arm, Arm) -> f64) -> Result<Self, MatrixError> {
        let mut entries = vec![0.5; n_arms * n_arms];
        for row in 0..n_arms {
            for column in row + 1..n_arms {
                let value = preference(Arm::new(row), Arm::new(column));
                // Checked here as well as in `new`, so that the error never names the complement of
                // a bad value.
                check_value(row, column, value)?;
                entries[row * n_arms + column] = value;
                entries[column * n_arms + row] = 1.0 - value;
            }
        }
        Self::new(n_arms, entries)
    }

    /// The number of arms, K.
    pub const fn n_arms(&self) -> usize {
        self.n_arms
    }

    /// The probability that `arm` beats `other`.
    ///
    /// # Panics
    ///
    /// If either is not an arm of this matrix.
    #[inline]
    pub fn get(&self, arm: Arm, other: Arm) -> f64 {
        // Indexed through the row, so that a column out of range cannot read the next row.
        self.row(arm)[other.index()]
    }

    /// The gap of `arm` over `other`: `P - 1/2`, in [-1/2, 1/2]. Papers write Δ.
    ///
    /// # Panics
    ///
    /// If either is not an arm of this matrix.
    #[inline]
    pub fn gap(&self, arm: Arm, other: Arm) -> f64 {
        self.get(arm, other) - 0.5
    }

    /// The probabilities that `arm` beats arms 0, 1, ...
    ///
    /// # Panics
    ///
    /// If it is not an arm of this matrix.
    #[inline]
    pub fn row(&self, arm: Arm) -> &[f64] {
        &self.entries[arm.index() * self.n_arms..][..self.n_arms]
    }

    fn entry(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.n_arms + column]
    }

    fn check_values(&self) -> Result<(), MatrixError> {
        for (row, entries) in self.entries.chunks_exact(self.n_arms).enumerate() {
            for (column, &value) in entries.iter().enumerate() {
                check_value(row, column, value)?;
            }
        }
        Ok(())
    }

    fn check_pairs(&self) -> Result<(), MatrixError> {
        for row in 0..self.n_arms {
            let value = self.entry(row, row);
            if (value - 0.5).abs() > TOLERANCE {
                return Err(MatrixError::Diagonal { row, value });
            }
            for column in row + 1..self.n_arms {
                let (value, mirrored) = (self.entry(row, column), self.entry(column, row));
                if (value + mirrored - 1.0).abs() > TOLERANCE {
                    return Err(MatrixError::Asymmetric { row, column, value, mirrored });
                }
            }
        }
        Ok(())
    }

    /// Changes every pair to two numbers that sum to exactly 1.
    ///
    /// 1 - x is exact for x in [1/2, 1] and only there (Sterbenz). So the larger number is rounded,
    /// and the smaller follows from it, whichever side of the diagonal it is on. Relabelling arms
    /// therefore changes no bit.
    fn make_exact(&mut self) {
        let n_arms = self.n_arms;
        for row in 0..n_arms {
            self.entries[row * n_arms + row] = 0.5;
            for column in row + 1..n_arms {
                let value = f64::midpoint(self.entry(row, column), 1.0 - self.entry(column, row));
                let larger = if value >= 0.5 { value } else { 1.0 - value };
                let smaller = 1.0 - larger;
                let (value, mirrored) = if value >= 0.5 { (larger, smaller) } else { (smaller, larger) };
                self.entries[row * n_arms + column] = value;
                self.entries[column * n_arms + row] = mirrored;
            }
        }
    }
}

fn check_value(row: usize, column: usize, value: f64) -> Result<(), MatrixError> {
    if !value.is_finite() {
        return Err(MatrixError::NotFinite { row, column, value });
    }
    if !(0.0..=1.0).contains(&value) {
        return Err(MatrixError::OutOfRange { row, column, value });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(rows: &[&[f64]]) -> String {
        PreferenceMatrix::from_rows(rows).unwrap_err().to_string()
    }

    #[test]
    fn trace_every_error_names_the_place() {
        assert_eq!(message(&[]), "a preference matrix needs at least one arm");
        assert_eq!(
            PreferenceMatrix::new(2, vec![0.5; 3]).unwrap_err().to_string(),
            "2 arms need 4 entries, not 3"
        );
        assert_eq!(message(&[&[0.5, 0.6], &[0.4]]), "row 2 has length 1 instead of 2");
        assert_eq!(message(&[&[0.5], &[0.5]]), "row 1 has length 1 instead of 2");
        assert_eq!(message(&[&[0.5, f64::NAN], &[0.4, 0.5]]), "row 1, column 2 is NaN, not a finite number");
        assert_eq!(
            message(&[&[0.5, 0.6], &[f64::NEG_INFINITY, 0.5]]),
            "row 2, column 1 is -inf, not a finite number"
        );
        assert_eq!(
            message(&[&[0.5, 1.25], &[-0.25, 0.5]]),
            "row 1, column 2 is 1.25, not a probability from 0 to 1"
        );
        assert_eq!(
            message(&[&[0.5, 0.6], &[0.4, 0.6]]),
            "row 2, column 2 is 0.6, but the diagonal must be 0.5: an arm ties with itself"
        );
        assert_eq!(
            message(&[&[0.5, 0.56], &[0.46, 0.5]]),
            "row 1, column 2 is 0.56 and row 2, column 1 is 0.46: they must sum to 1, not 1.02"
        );
    }

    #[test]
    fn trace_errors_know_their_row() {
        let row = |rows: &[&[f64]]| PreferenceMatrix::from_rows(rows).unwrap_err().row();
        assert_eq!(row(&[]), None);
        assert_eq!(row(&[&[0.5, 0.6], &[0.4]]), Some(1));
        assert_eq!(row(&[&[0.5, 0.6], &[0.4, 0.6]]), Some(1));
        assert_eq!(row(&[&[0.5, 0.6], &[2.0, 0.5]]), Some(1));
        assert_eq!(row(&[&[0.5, 0.6], &[0.5, 0.5]]), Some(0));
    }

    #[test]
    fn trace_a_length_that_overflows_is_refused() {
        let n_arms = usize::MAX;
        assert_eq!(PreferenceMatrix::new(n_arms, vec![]), Err(MatrixError::WrongLength { n_arms, got: 0 }));
    }

    #[test]
    fn trace_one_arm_is_legal() {
        let matrix = PreferenceMatrix::new(1, vec![0.5]).unwrap();
        assert_eq!(matrix.n_arms(), 1);
        assert_eq!(matrix, PreferenceMatrix::from_fn(1, |_, _| unreachable!()).unwrap());
    }

    /// The mean of 0.6 and 1 - 0.4000004 is 0.5999998.
    #[test]
    fn trace_small_differences_are_split() {
        let matrix = PreferenceMatrix::from_rows(&[[0.500_000_9, 0.6], [0.400_000_4, 0.5]]).unwrap();
        assert!((matrix.get(Arm::new(0), Arm::new(1)) - 0.599_999_8).abs() < 1e-15);
        assert!((matrix.get(Arm::new(1), Arm::new(0)) - 0.400_000_2).abs() < 1e-15);
        assert!(matrix.gap(Arm::new(0), Arm::new(0)).abs() <= 0.0);
    }

    #[test]
    fn trace_from_fn_fills_the_other_half() {
        let matrix = PreferenceMatrix::from_fn(3, |i, j| [0.75, 0.25, 1.0][i.index() + j.index() - 1]);
        let rows = [[0.5, 0.75, 0.25], [0.25, 0.5, 1.0], [0.75, 0.0, 0.5]];
        assert_eq!(matrix, PreferenceMatrix::from_rows(&rows));
        assert_eq!(
            PreferenceMatrix::from_fn(2, |_, _| 1.5),
            Err(MatrixError::OutOfRange { row: 0, column: 1, value: 1.5 })
        );
        assert_eq!(PreferenceMatrix::from_fn(0, |_, _| 0.5), Err(MatrixError::NoArms));
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn trace_a_column_out_of_range_does_not_read_the_next_row() {
        let matrix = PreferenceMatrix::new(2, vec![0.5; 4]).unwrap();
        matrix.get(Arm::new(0), Arm::new(2));
    }

    proptest! {
        #[test]
        fn law_complements_are_exact(matrix in arbitrary::matrix()) {
            for i in Arm::all(matrix.n_arms()) {
                prop_assert!(matrix.gap(i, i).abs() <= 0.0);
                for j in Arm::all(matrix.n_arms()) {
                    let (value, mirrored) = (matrix.get(i, j), matrix.get(j, i));
                    prop_assert!((0.0..=1.0).contains(&value));
                    prop_assert_eq!((1.0 - value).to_bits(), mirrored.to_bits());
                    prop_assert!((matrix.gap(i, j) + matrix.gap(j, i)).abs() <= 0.0);
                }
            }
        }

        #[test]
        fn law_an_exact_matrix_stays_as_it_is(matrix in arbitrary::matrix()) {
            let again = PreferenceMatrix::new(matrix.n_arms(), matrix.entries.clone());
            prop_assert_eq!(again.as_ref(), Ok(&matrix));
            let rows: Vec<_> = Arm::all(matrix.n_arms()).map(|arm| matrix.row(arm)).collect();
            prop_assert_eq!(PreferenceMatrix::from_rows(&rows), again);
        }

        #[test]
        fn law_anything_is_accepted_or_refused(
            n_arms in 0..4_usize,
            entries in proptest::collection::vec(proptest::num::f64::ANY, 0..10),
        ) {
            let _ = PreferenceMatrix::new(n_arms, entries);
        }
    }
}
