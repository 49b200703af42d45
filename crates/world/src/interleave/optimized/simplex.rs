//! A small linear programme: maximise c p subject to A p = b, p >= 0, with few rows and many columns.
//!
//! The revised simplex method in two phases, with the inverse of the basis kept as a dense square. Rows are at most a dozen here, so a
//! pivot costs little more than one look at every column. Deterministic: the steepest reduced cost enters, the first one among equals,
//! and after a run of pivots that gain nothing the smallest index does (Bland's rule, which cannot cycle).

/// Numbers below this are 0. Entries are of the order of 1 to 10.
const ZERO: f64 = 1e-9;

/// Pivots without gain after which the smallest index is preferred.
const PATIENCE: usize = 32;

/// Pivots after which a programme is given up: far more than any of this size has needed.
const MOST_PIVOTS: usize = 10_000;

/// The programme. `columns` holds A column by column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Programme<'a> {
    pub(super) columns: &'a [f64],
    pub(super) goal: &'a [f64],
    pub(super) bounds: &'a [f64],
}

/// A basic solution: at most as many columns as there are rows, with their values, in the order of columns.
pub(super) type Solution = Vec<(usize, f64)>;

impl Programme<'_> {
    /// The best solution, or nothing if there is none. The bounds must not be negative.
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

    fn column(&self, column: usize) -> &[f64] {
        let rows = self.bounds.len();
        &self.columns[column * rows..(column + 1) * rows]
    }
}

/// A basis: which column stands for each row. Numbers from `n_columns` on are artificial unit columns.
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

    /// Pivots until no column gains. Artificial columns are worth `artificial` and never come back.
    fn improve(&mut self, goal: impl Fn(usize) -> f64, artificial: f64) -> Option<()> {
        let mut idle = 0;
        let mut direction = Vec::new();
        for _ in 0..MOST_PIVOTS {
            let prices = self.prices(&goal, artificial);
            let gain = |column: usize| goal(column) - dot(&prices, self.programme.column(column));
            let mut entering = None;
            let mut best = ZERO;
            for column in 0..self.programme.n_columns() {
                let gain = gain(column);
                if gain > best {
                    entering = Some(column);
                    if idle > PATIENCE {
                        break;
                    }
                    best = gain;
                }
            }
            let Some(entering) = entering else { return Some(()) };
            self.direction(entering, &mut direction);
            // Probabilities add up to 1, so some row always stops the way.
            let leaving = self.leaving(&direction)?;
            let step = self.values[leaving] / direction[leaving];
            idle = if step > ZERO { 0 } else { idle + 1 };
            self.pivot(leaving, entering, &direction);
        }
        None
    }

    /// What a unit of each row's bound is worth.
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

    /// How the values fall when a column comes in.
    fn direction(&self, entering: usize, direction: &mut Vec<f64>) {
        let column = self.programme.column(entering);
        direction.clear();
        direction.extend(self.inverse.chunks_exact(self.rows()).map(|row| dot(row, column)));
    }

    /// The row whose value reaches 0 first; among equals an artificial one, else the smallest column.
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

    /// Replaces artificial columns, all at 0 now, by real ones. Those that cannot be replaced stand for rows that say nothing new.
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

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Maximise x + 2y + 3z with x + y + z = 1 and x - z = 0: x = z = t, y = 1 - 2t give 2 whatever t is; with 3z replaced by 4z the
    /// best is t = 1/2.
    #[test]
    fn trace_three_columns() {
        let columns = [1.0, 1.0, 1.0, 0.0, 1.0, -1.0];
        let programme = Programme { columns: &columns, goal: &[1.0, 2.0, 4.0], bounds: &[1.0, 0.0] };
        let solution = programme.solve().unwrap();
        assert_eq!(solution.iter().map(|&(column, _)| column).collect::<Vec<_>>(), [0, 2]);
        assert!(solution.iter().all(|(_, value)| (value - 0.5).abs() < 1e-12));
    }

    #[test]
    fn trace_no_solution_and_a_row_that_says_nothing() {
        let columns = [1.0, 1.0, 1.0, 2.0];
        assert_eq!(Programme { columns: &columns, goal: &[0.0; 2], bounds: &[1.0, 0.0] }.solve(), None);
        let columns = [1.0, 0.0, 1.0, 0.0];
        let programme = Programme { columns: &columns, goal: &[1.0, 2.0], bounds: &[1.0, 0.0] };
        assert_eq!(programme.solve(), Some(vec![(1, 1.0)]));
    }
}
