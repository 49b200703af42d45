//! A small linear programme: maximise c p subject to A p = b, p >= 0, with few rows and many
//! columns.
//!
//! The revised simplex method in two phases, with the inverse of the basis stored as a dense
//! square. There are at most a dozen rows here, so a pivot costs little more than the search for a
//! column that gains. Columns are searched in blocks, beginning with the last block that had a
//! gain, and the steepest column of a block enters. After a number of pivots without gain, the
//! column with the smallest index enters (Bland's rule, which cannot cycle). The method is
//! deterministic.

use core::ops::Range;

/// Numbers below this count as 0. Entries are of the order of 1 to 10.
const ZERO: f64 = 1e-9;

/// Pivots without gain after which the smallest index is preferred.
const PATIENCE: usize = 32;

/// The number of columns that are searched together.
const BLOCK: usize = 64;

/// Pivots after which a programme is abandoned: far more than any of this size has needed.
const MOST_PIVOTS: usize = 10_000;

/// The programme. `rows` holds A row by row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Programme<'a> {
    pub(super) rows: &'a [f64],
    pub(super) goal: &'a [f64],
    pub(super) bounds: &'a [f64],
}

/// A basic solution: at most as many columns as there are rows, with their values, in the order of
/// columns.
pub(super) type Solution = Vec<(usize, f64)>;

impl Programme<'_> {
    /// The best solution, or `None` if there is none. The bounds must not be negative.
    pub(super) fn solve(&self) -> Option<Solution> {
        let mut basis = Basis::artificial(*self);
        basis.improve(|_| 0.0, -1.0)?;
        if basis.artificial_mass() > ZERO {
            return None;
        }
        basis.drive_out();
        basis.improve(|column| self.goal[column], 0.0)?;
        let real = basis.members.iter().zip(&basis.values).filter(|&(_, &value)| value > ZERO);
        let mut solution: Solution = real.map(|(&column, &value)| (column, value)).collect();
        solution.sort_unstable_by_key(|&(column, _)| column);
        Some(solution)
    }

    fn n_columns(&self) -> usize {
        self.goal.len()
    }

    /// A part of the columns, row by row.
    fn block(&self, columns: Range<usize>) -> impl Iterator<Item = &[f64]> {
        self.rows.chunks_exact(self.n_columns()).map(move |row| &row[columns.clone()])
    }

    fn column(&self, column: usize) -> impl Iterator<Item = f64> {
        self.rows.iter().skip(column).step_by(self.n_columns()).copied()
    }
}

/// A basis: the column that belongs to each row. Indices from `n_columns` on are artificial unit
/// columns.
struct Basis<'a> {
    programme: Programme<'a>,
    members: Vec<usize>,
    values: Vec<f64>,
    /// Row by row.
    inverse: Vec<f64>,
}

impl<'a> Basis<'a> {
    fn artificial(programme: Programme<'a>) -> Self {
        let rows = programme.bounds.len();
        let mut inverse = vec![0.0; rows * rows];
        for row in 0..rows {
            inverse[row * rows + row] = 1.0;
        }
        let members = (0..rows).map(|row| programme.n_columns() + row).collect();
        Self { programme, members, values: programme.bounds.to_vec(), inverse }
    }

    fn rows(&self) -> usize {
        self.members.len()
    }

    fn is_artificial(&self, member: usize) -> bool {
        member >= self.programme.n_columns()
    }

    fn artificial_mass(&self) -> f64 {
        let pairs = self.members.iter().zip(&self.values);
        pairs.filter(|&(&member, _)| self.is_artificial(member)).map(|(_, value)| value).sum()
    }

    /// Pivots until no column gains. Artificial columns are worth `artificial` and never enter
    /// again.
    fn improve(&mut self, goal: impl Fn(usize) -> f64, artificial: f64) -> Option<()> {
        let (mut idle, mut at) = (0, 0);
        let mut direction = Vec::new();
        for _ in 0..MOST_PIVOTS {
            let prices = self.prices(&goal, artificial);
            let Some(entering) = self.entering(&goal, &prices, &mut at, idle > PATIENCE) else {
                return Some(());
            };
            self.direction(entering, &mut direction);
            // Probabilities add up to 1, so some row always limits the step.
            let leaving = self.leaving(&direction)?;
            let step = self.values[leaving] / direction[leaving];
            idle = if step > ZERO { 0 } else { idle + 1 };
            self.pivot(leaving, entering, &direction);
        }
        None
    }

    /// A column that gains: the steepest of the first block that has one, beginning with block
    /// `at`. If `first`, the column with the smallest index.
    fn entering(
        &self,
        goal: &impl Fn(usize) -> f64,
        prices: &[f64],
        at: &mut usize,
        first: bool,
    ) -> Option<usize> {
        let n_columns = self.programme.n_columns();
        let n_blocks = n_columns.div_ceil(BLOCK);
        if first {
            *at = 0;
        }
        for _ in 0..n_blocks {
            let start = *at * BLOCK;
            let columns = start..(start + BLOCK).min(n_columns);
            let mut gains = [0.0; BLOCK];
            for (gain, column) in gains.iter_mut().zip(columns.clone()) {
                *gain = goal(column);
            }
            for (row, price) in self.programme.block(columns).zip(prices) {
                for (gain, entry) in gains.iter_mut().zip(row) {
                    *gain -= price * entry;
                }
            }
            let mut best = (ZERO, None);
            for (i, &gain) in gains.iter().enumerate() {
                if gain > best.0 && !(first && best.1.is_some()) {
                    best = (gain, Some(start + i));
                }
            }
            if best.1.is_some() {
                return best.1;
            }
            *at = (*at + 1) % n_blocks;
        }
        None
    }

    /// The value of a unit of each row's bound.
    fn prices(&self, goal: &impl Fn(usize) -> f64, artificial: f64) -> Vec<f64> {
        let mut prices = vec![0.0; self.rows()];
        for (&member, row) in self.members.iter().zip(self.inverse.chunks_exact(self.rows())) {
            let worth = if self.is_artificial(member) { artificial } else { goal(member) };
            for (price, entry) in prices.iter_mut().zip(row) {
                *price += worth * entry;
            }
        }
        prices
    }

    /// How fast the values fall when a column enters.
    fn direction(&self, entering: usize, direction: &mut Vec<f64>) {
        direction.clear();
        direction.resize(self.rows(), 0.0);
        for (i, entry) in self.programme.column(entering).enumerate() {
            for (fall, row) in direction.iter_mut().zip(self.inverse.chunks_exact(self.rows())) {
                *fall += row[i] * entry;
            }
        }
    }

    /// The row whose value reaches 0 first. Among equals, an artificial column comes first, then
    /// the smallest index.
    fn leaving(&self, direction: &[f64]) -> Option<usize> {
        let mut leaving: Option<(usize, f64)> = None;
        for (row, &fall) in direction.iter().enumerate() {
            let stuck = self.is_artificial(self.members[row]) && self.values[row] <= ZERO && fall < -ZERO;
            if fall <= ZERO && !stuck {
                continue;
            }
            // An artificial column at 0 must stay there, whichever way it is pushed.
            let ratio = if stuck { 0.0 } else { self.values[row] / fall };
            let key = |row: usize| (!self.is_artificial(self.members[row]), self.members[row]);
            let better = leaving.is_none_or(|(other, least)| {
                ratio < least - ZERO || (ratio <= least + ZERO && key(row) < key(other))
            });
            if better {
                leaving = Some((row, ratio));
            }
        }
        leaving.map(|(row, _)| row)
    }

    fn pivot(&mut self, leaving: usize, entering: usize, direction: &[f64]) {
        let rows = self.rows();
        let scale = 1.0 / direction[leaving];
        let step = self.values[leaving] * scale;
        let pivot_row: Vec<f64> =
            self.inverse[leaving * rows..(leaving + 1) * rows].iter().map(|entry| entry * scale).collect();
        for (row, &fall) in direction.iter().enumerate() {
            let entries = &mut self.inverse[row * rows..(row + 1) * rows];
            if row == leaving {
                entries.copy_from_slice(&pivot_row);
                self.values[row] = step;
            } else {
                for (entry, pivot) in entries.iter_mut().zip(&pivot_row) {
                    *entry -= fall * pivot;
                }
                self.values[row] = (self.values[row] - fall * step).max(0.0);
            }
        }
        self.members[leaving] = entering;
    }

    /// Replaces artificial columns, all of which are at 0 now, by real ones. Those that cannot be
    /// replaced belong to redundant rows.
    fn drive_out(&mut self) {
        let mut direction = Vec::new();
        for row in 0..self.rows() {
            if !self.is_artificial(self.members[row]) {
                continue;
            }
            for column in 0..self.programme.n_columns() {
                if self.members.contains(&column) {
                    continue;
                }
                self.direction(column, &mut direction);
                if direction[row].abs() > 1e-7 {
                    self.pivot(row, column, &direction);
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand::RngExt;
    use tiltyard_bandit::Stream;

    /// Maximise x + 2y + 3z with x + y + z = 1 and x - z = 0: x = z = t, y = 1 - 2t give 2 for
    /// every t. With 3z replaced by 4z, the best is t = 1/2.
    #[test]
    fn trace_three_columns() {
        let rows = [1.0, 1.0, 1.0, 1.0, 0.0, -1.0];
        let programme = Programme { rows: &rows, goal: &[1.0, 2.0, 4.0], bounds: &[1.0, 0.0] };
        let solution = programme.solve().unwrap();
        assert_eq!(solution.iter().map(|&(column, _)| column).collect::<Vec<_>>(), [0, 2]);
        assert!(solution.iter().all(|(_, value)| (value - 0.5).abs() < 1e-12));
    }

    #[test]
    fn trace_no_solution_and_a_row_that_says_nothing() {
        let rows = [1.0, 1.0, 1.0, 2.0];
        assert_eq!(Programme { rows: &rows, goal: &[0.0; 2], bounds: &[1.0, 0.0] }.solve(), None);
        let rows = [1.0, 1.0, 0.0, 0.0];
        let programme = Programme { rows: &rows, goal: &[1.0, 2.0], bounds: &[1.0, 0.0] };
        assert_eq!(programme.solve(), Some(vec![(1, 1.0)]));
    }

    proptest! {
        /// The rows are made so that a random distribution fulfils them. The solution is then a
        /// distribution too, it is at least as good, and no column can improve it.
        #[test]
        fn law_solutions_are_laws_and_the_best(
            weights in prop::collection::vec(0.1_f64..1.0, 2..150),
            seed in 0_u64..1000,
            n_rows in 0_usize..6,
        ) {
            let n = weights.len();
            let total: f64 = weights.iter().sum();
            let mut rng = Stream::new(seed).rng();
            let mut numbers = || (0..n).map(|_| 2.0 * rng.random::<f64>() - 1.0).collect::<Vec<_>>();
            let goal = numbers();
            let mut rows = vec![1.0; n];
            for _ in 0..n_rows {
                let mut row = numbers();
                let mean = row.iter().zip(&weights).map(|(entry, weight)| entry * weight / total).sum::<f64>();
                for entry in &mut row {
                    *entry -= mean;
                }
                rows.extend(row);
            }
            let mut bounds = vec![0.0; n_rows + 1];
            bounds[0] = 1.0;
            let solution = Programme { rows: &rows, goal: &goal, bounds: &bounds }.solve().unwrap();
            prop_assert!(solution.len() <= n_rows + 1);
            for (row, bound) in rows.chunks_exact(n).zip(&bounds) {
                let sum: f64 = solution.iter().map(|&(column, value)| row[column] * value).sum();
                prop_assert!((sum - bound).abs() < 1e-8, "{sum} instead of {bound}");
            }
            let value: f64 = solution.iter().map(|&(column, value)| goal[column] * value).sum();
            let known: f64 = goal.iter().zip(&weights).map(|(goal, weight)| goal * weight / total).sum();
            prop_assert!(value >= known - 1e-8);
            // Fewer columns cannot do better, and the columns in use do equally well alone.
            let used: Vec<usize> = solution.iter().map(|&(column, _)| column).collect();
            let pick = |row: &[f64]| used.iter().map(|&column| row[column]).collect::<Vec<_>>();
            let few_rows: Vec<f64> = rows.chunks_exact(n).flat_map(pick).collect();
            let few = Programme { rows: &few_rows, goal: &pick(&goal), bounds: &bounds }.solve().unwrap();
            let few_value: f64 = few.iter().map(|&(column, value)| goal[used[column]] * value).sum();
            prop_assert!((few_value - value).abs() < 1e-8);
            // With the columns in the opposite order, other pivots lead to the same optimum.
            let turn = |row: &[f64]| row.iter().rev().copied().collect::<Vec<_>>();
            let turned_rows: Vec<f64> = rows.chunks_exact(n).flat_map(turn).collect();
            let turned = Programme { rows: &turned_rows, goal: &turn(&goal), bounds: &bounds }.solve().unwrap();
            let turned_value: f64 = turned.iter().map(|&(column, value)| goal[n - 1 - column] * value).sum();
            prop_assert!((turned_value - value).abs() < 1e-8, "{turned_value} {value}");
        }
    }
}
