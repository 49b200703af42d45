//! A table of given utilities.

use tiltyard_bandit::Arm;

use super::Drift;

/// Utilities given in advance. Either there is one row per round, or each row has a first round and
/// holds until the first round of the next row.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    n_arms: usize,
    utilities: Vec<f64>,
    /// The first round of each row; empty if there is one row per round.
    starts: Vec<u64>,
    after: After,
    /// One for each arm, or empty.
    names: Vec<String>,
    best: Arm,
}

/// What follows the last row of a table with one row per round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum After {
    /// Start again at the first row.
    #[default]
    Repeat,
    /// Keep the last row for ever.
    Hold,
}

impl Table {
    /// A table with one row per round: the utilities of all arms in round 1, in round 2, and so on.
    /// After the last row it starts again at the first.
    ///
    /// # Errors
    ///
    /// If there are no arms or no rows, a row is incomplete, or a utility is outside [0, 1].
    pub fn new(n_arms: usize, utilities: Vec<f64>) -> Result<Self, TableError> {
        if n_arms == 0 || utilities.is_empty() {
            return Err(TableError::Empty);
        }
        if !utilities.len().is_multiple_of(n_arms) {
            return Err(TableError::Ragged { len: utilities.len(), n_arms });
        }
        if let Some(i) = utilities.iter().position(|x| !(0.0..=1.0).contains(x)) {
            return Err(TableError::OutOfRange {
                row: i / n_arms + 1,
                arm: Arm::new(i % n_arms),
                value: utilities[i],
            });
        }
        let table = Self {
            n_arms,
            utilities,
            starts: Vec::new(),
            after: After::Repeat,
            names: Vec::new(),
            best: Arm::new(0),
        };
        let rounds = table.n_rows() as u64;
        Ok(table.over(rounds))
    }

    /// A table filled by a function of round and arm.
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

    /// The same rows with a first round for each. A row holds until the next begins, and the last
    /// row holds for ever.
    ///
    /// # Panics
    ///
    /// If there is not exactly one round per row, the first round is not 1, or the rounds do not
    /// increase.
    #[must_use]
    pub fn from_rounds(self, starts: Vec<u64>) -> Self {
        assert!(starts.len() == self.n_rows() && starts[0] == 1, "one first round per row, from 1");
        assert!(starts.is_sorted_by(|a, b| a < b), "the first rounds increase");
        let rounds = starts[starts.len() - 1];
        Self { starts, ..self }.over(rounds)
    }

    /// Sets what follows the last row. It has no effect on rows with first rounds.
    #[must_use]
    pub fn and_then(self, after: After) -> Self {
        Self { after, ..self }
    }

    /// Names the arms: one name for each, or none.
    ///
    /// # Panics
    ///
    /// If the number of names is neither 0 nor K.
    #[must_use]
    pub fn with_names(self, names: Vec<String>) -> Self {
        assert!(names.is_empty() || names.len() == self.n_arms, "one name for each arm");
        Self { names, ..self }
    }

    /// Sets the length of a run and finds the best single arm over it: the arm with the largest
    /// sum, or the first of several.
    #[must_use]
    pub fn over(self, rounds: u64) -> Self {
        let mut sums = vec![0.0; self.n_arms];
        for (row, utilities) in self.utilities.chunks_exact(self.n_arms).enumerate() {
            let times = self.times(row, rounds) as f64;
            sums.iter_mut().zip(utilities).for_each(|(sum, x)| *sum += times * x);
        }
        let best = Arm::all(self.n_arms)
            .reduce(|best, arm| if sums[arm.index()] > sums[best.index()] { arm } else { best })
            .expect("there is at least one arm");
        Self { best, ..self }
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.utilities.len() / self.n_arms
    }

    /// The number of rounds among the first `rounds` in which a row is in force.
    fn times(&self, row: usize, rounds: u64) -> u64 {
        let n_rows = self.n_rows();
        let is_last = row + 1 == n_rows;
        if let Some(from) = self.starts.get(row) {
            let end = if is_last { u64::MAX } else { self.starts[row + 1] - 1 };
            return rounds.min(end).saturating_add(1).saturating_sub(*from);
        }
        let row = row as u64;
        match self.after {
            After::Repeat => rounds / n_rows as u64 + u64::from(row < rounds % n_rows as u64),
            After::Hold if is_last => rounds.saturating_sub(row),
            After::Hold => u64::from(row < rounds),
        }
    }

    /// The row in force in a round.
    #[inline]
    fn row(&self, round: u64) -> usize {
        if !self.starts.is_empty() {
            return self.starts.partition_point(|&from| from <= round).saturating_sub(1);
        }
        let (row, n_rows) = (round.saturating_sub(1), self.n_rows() as u64);
        let row = match self.after {
            _ if row < n_rows => row,
            After::Repeat => row % n_rows,
            After::Hold => n_rows - 1,
        };
        #[expect(clippy::cast_possible_truncation, reason = "smaller than the number of rows")]
        let row = row as usize;
        row
    }
}

impl Drift for Table {
    fn n_arms(&self) -> usize {
        self.n_arms
    }

    #[inline]
    fn mean(&self, round: u64, arm: Arm) -> f64 {
        self.utilities[self.row(round) * self.n_arms + arm.index()]
    }

    fn best(&self) -> Arm {
        self.best
    }

    fn starts(&self) -> Vec<u64> {
        self.starts.clone()
    }

    fn arm_name(&self, arm: Arm) -> Option<&str> {
        self.names.get(arm.index()).map(String::as_str)
    }
}

/// Why numbers are not a table of utilities.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum TableError {
    #[error("a table of utilities needs at least one arm and one row")]
    Empty,
    #[error("{len} utilities do not make whole rows of {n_arms} arms")]
    Ragged { len: usize, n_arms: usize },
    #[error("the utility of arm {arm} in row {row} is {value}, outside [0, 1]")]
    OutOfRange {
        /// The row, counted from 1.
        row: usize,
        arm: Arm,
        value: f64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rising() -> Table {
        Table::generate(2, 3, |round, arm| (round as f64 + arm.index() as f64) / 10.0).unwrap()
    }

    #[test]
    fn trace_rows_wrap_or_hold() {
        let table = rising();
        assert_eq!(table.best(), Arm::new(1));
        let second = |table: &Table, round| (10.0 * table.mean(round, Arm::new(1))).round().to_string();
        assert_eq!([1, 2, 3, 4, 5, 9].map(|round| second(&table, round)), ["2", "3", "4", "2", "3", "4"]);
        assert_eq!(table.best_in(2), Arm::new(1));
        let held = table.and_then(After::Hold);
        assert_eq!([1, 2, 3, 4, 5, 9].map(|round| second(&held, round)), ["2", "3", "4", "4", "4", "4"]);
    }

    #[test]
    fn trace_rows_hold_until_the_next() {
        let table = rising().from_rounds(vec![1, 5, 100]);
        let second = |round| (10.0 * table.mean(round, Arm::new(1))).round().to_string();
        assert_eq!([1, 4, 5, 99, 100, 1000].map(second), ["2", "2", "3", "3", "4", "4"]);
        assert_eq!(table.starts(), [1, 5, 100]);
    }

    /// Arm 0 has 1, 0, 0 and arm 1 has 0, 0.4, 0.4. Arm 0 leads after one round and after three (1
    /// against 0.8). After six rounds, arm 1 has 2.0 if the last row is held; if the rows repeat,
    /// arm 0 has 2 and arm 1 has 1.6. If the second row begins in round 4, arm 0 has 3 by then, and
    /// arm 1 leads from round 3 + 8 on, because 8 times 0.4 is 3.2.
    #[test]
    fn trace_the_best_arm_depends_on_the_length_of_a_run() {
        let table = Table::new(2, vec![1.0, 0.0, 0.0, 0.4, 0.0, 0.4]).unwrap();
        let best = |table: &Table, rounds| table.clone().over(rounds).best().index();
        assert_eq!([1, 3, 6].map(|rounds| best(&table, rounds)), [0, 0, 0]);
        let held = table.clone().and_then(After::Hold);
        assert_eq!([1, 3, 4, 6].map(|rounds| best(&held, rounds)), [0, 0, 1, 1]);
        let slow = table.from_rounds(vec![1, 4, 9]);
        assert_eq!([1, 10, 11].map(|rounds| best(&slow, rounds)), [0, 0, 1]);
    }

    #[test]
    fn trace_errors() {
        assert_eq!(Table::new(0, vec![]), Err(TableError::Empty));
        assert_eq!(Table::new(2, vec![]), Err(TableError::Empty));
        assert_eq!(Table::new(2, vec![0.0; 3]), Err(TableError::Ragged { len: 3, n_arms: 2 }));
        let bad = Table::new(2, vec![0.0, 0.5, 0.5, 1.5]);
        assert_eq!(bad, Err(TableError::OutOfRange { row: 2, arm: Arm::new(1), value: 1.5 }));
        assert!(Table::new(1, vec![f64::NAN]).is_err());
    }

    proptest! {
        /// Weighting each row by its number of rounds gives the same sums as adding up all rounds.
        #[test]
        fn law_the_best_arm_has_the_largest_sum(
            utilities in proptest::collection::vec(0.0..=1.0, 12),
            rounds in 1..40u64,
            kind in 0..3,
        ) {
            let table = Table::new(3, utilities).unwrap();
            let table = match kind {
                0 => table,
                1 => table.and_then(After::Hold),
                _ => table.from_rounds(vec![1, 2, 7, 20]),
            };
            let table = table.over(rounds);
            let sum = |arm| (1..=rounds).map(|round| table.mean(round, arm)).sum::<f64>();
            let largest = Arm::all(3).map(sum).fold(0.0, f64::max);
            prop_assert!(largest - sum(table.best()) < 1e-9);
        }
    }
}
