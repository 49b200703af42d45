//! A given sequence of utilities.

use tiltyard_bandit::Arm;

use super::Drift;

/// Utilities written down in advance, a row a round. After the last row it starts again.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    n_arms: usize,
    utilities: Vec<f64>,
    best: Arm,
}

impl Table {
    /// Row by row: the utilities of all arms in round 1, in round 2, and so on.
    ///
    /// # Errors
    ///
    /// If there are no arms or no rows, a row is cut short, or a utility lies outside [0, 1].
    pub fn new(n_arms: usize, utilities: Vec<f64>) -> Result<Self, TableError> {
        if n_arms == 0 || utilities.is_empty() {
            return Err(TableError::Empty);
        }
        if !utilities.len().is_multiple_of(n_arms) {
            return Err(TableError::Ragged { len: utilities.len(), n_arms });
        }
        if let Some(i) = utilities.iter().position(|x| !(0.0..=1.0).contains(x)) {
            return Err(TableError::OutOfRange {
                round: i as u64 / n_arms as u64 + 1,
                arm: Arm::new(i % n_arms),
                value: utilities[i],
            });
        }
        let sum = |arm: &Arm| utilities.iter().skip(arm.index()).step_by(n_arms).sum::<f64>();
        let best = Arm::all(n_arms)
            .reduce(|best, arm| if sum(&arm) > sum(&best) { arm } else { best })
            .expect("there is at least one arm");
        Ok(Self { n_arms, utilities, best })
    }

    /// A sequence made by a function of round and arm.
    ///
    /// # Errors
    ///
    /// As [`Self::new`].
    pub fn generate(
        n_arms: usize,
        rounds: u64,
        utility: impl Fn(u64, Arm) -> f64,
    ) -> Result<Self, TableError> {
        let utility = &utility;
        let rows = (1..=rounds).flat_map(|round| Arm::all(n_arms).map(move |arm| utility(round, arm)));
        Self::new(n_arms, rows.collect())
    }

    fn n_rows(&self) -> usize {
        self.utilities.len() / self.n_arms
    }
}

impl Drift for Table {
    fn n_arms(&self) -> usize {
        self.n_arms
    }

    fn mean(&self, round: u64, arm: Arm) -> f64 {
        let row = (round - 1) % self.n_rows() as u64;
        #[expect(clippy::cast_possible_truncation, reason = "smaller than the number of rows")]
        let row = row as usize;
        self.utilities[row * self.n_arms + arm.index()]
    }

    fn best(&self) -> Arm {
        self.best
    }
}

/// A table that is no sequence of utilities.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// Nothing in it.
    #[error("a sequence of utilities needs at least one arm and one round")]
    Empty,
    /// The last row is cut short.
    #[error("{len} utilities do not make whole rows of {n_arms} arms")]
    Ragged {
        /// How many numbers there are.
        len: usize,
        /// K.
        n_arms: usize,
    },
    /// Outside [0, 1].
    #[error("the utility of arm {arm} in round {round} is {value}, outside [0, 1]")]
    OutOfRange {
        /// The round, counted from 1.
        round: u64,
        /// The arm.
        arm: Arm,
        /// The number.
        value: f64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_rows_wrap() {
        let table = Table::generate(2, 3, |round, arm| (round as f64 + arm.index() as f64) / 10.0).unwrap();
        assert_eq!(table.best(), Arm::new(1));
        assert!((table.mean(3, Arm::new(1)) - 0.4).abs() < 1e-15);
        assert!((table.mean(4, Arm::new(1)) - 0.2).abs() < 1e-15);
        assert_eq!(table.best_in(2), Arm::new(1));
    }

    #[test]
    fn trace_errors() {
        assert_eq!(Table::new(0, vec![]), Err(TableError::Empty));
        assert_eq!(Table::new(2, vec![]), Err(TableError::Empty));
        assert_eq!(Table::new(2, vec![0.0; 3]), Err(TableError::Ragged { len: 3, n_arms: 2 }));
        let bad = Table::new(2, vec![0.0, 0.5, 0.5, 1.5]);
        assert_eq!(bad, Err(TableError::OutOfRange { round: 2, arm: Arm::new(1), value: 1.5 }));
        assert!(Table::new(1, vec![f64::NAN]).is_err());
    }
}
