//! `summary.csv`: one row per world, policy and checkpoint.

use std::io::{self, Write};

use serde::Serialize;

use crate::engine::Run;
use crate::engine::plan::{Item, Plan};
use crate::results::Series;
use crate::statistics::{Proportion, half_width};

#[derive(Serialize)]
struct Row<'a> {
    world: &'a str,
    world_label: &'a str,
    policy: &'a str,
    label: &'a str,
    arms: usize,
    horizon: &'static str,
    round: u64,
    runs: u64,
    mean: f64,
    sem: f64,
    min: f64,
    max: f64,
    mean_low: Option<f64>,
    mean_high: Option<f64>,
    accuracy: f64,
    accuracy_low: f64,
    accuracy_high: f64,
}

/// The names of a row's columns.
const COLUMNS: [&str; 17] = [
    "world",
    "world_label",
    "policy",
    "label",
    "arms",
    "horizon",
    "round",
    "runs",
    "mean",
    "sem",
    "min",
    "max",
    "mean_low",
    "mean_high",
    "accuracy",
    "accuracy_low",
    "accuracy_high",
];

/// Sums over the runs of a cell at one checkpoint.
#[derive(Debug, Clone, Copy)]
struct Sums {
    n: u64,
    sum: f64,
    /// The mean so far and the sum of squares about it (Welford), so that the runs need not be
    /// kept.
    mean: f64,
    squares: f64,
    min: f64,
    max: f64,
    hits: u64,
}

impl Sums {
    const NONE: Self =
        Self { n: 0, sum: 0.0, mean: 0.0, squares: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY, hits: 0 };

    fn add(&mut self, regret: f64, hit: bool) {
        self.n += 1;
        self.sum += regret;
        let step = regret - self.mean;
        self.mean += step / self.n as f64;
        self.squares += step * (regret - self.mean);
        self.min = self.min.min(regret);
        self.max = self.max.max(regret);
        self.hits += u64::from(hit);
    }
}

impl<'a> Row<'a> {
    /// The row of a series at a round. The sums suffice: the series needs no runs.
    fn new(series: &'a Series, round: u64, sums: &Sums) -> Self {
        let n = sums.n as f64;
        let mean = sums.sum / n;
        let sem = (sums.squares / (n - 1.0).max(1.0) / n).sqrt();
        let half = half_width(sem, usize::try_from(sums.n).unwrap_or(usize::MAX));
        let interval = half.is_finite().then_some(half);
        let accuracy = Proportion { hits: sums.hits, of: sums.n };
        let (accuracy_low, accuracy_high) = accuracy.interval();
        Self {
            world: &series.world,
            world_label: &series.world_label,
            policy: &series.policy,
            label: &series.label,
            arms: series.n_arms,
            horizon: if series.fixed_horizon { "fixed" } else { "anytime" },
            round,
            runs: sums.n,
            mean,
            sem,
            min: sums.min,
            max: sums.max,
            mean_low: interval.map(|half| mean - half),
            mean_high: interval.map(|half| mean + half),
            accuracy: accuracy.share(),
            accuracy_low,
            accuracy_high,
        }
    }
}

/// Rows of series that were read back, as in the file. If `named`, the name of the run comes first.
pub(crate) fn series_to_csv<'a>(
    series: impl Iterator<Item = (Option<&'a str>, &'a Series)>,
    named: bool,
) -> Vec<u8> {
    let fits = "writing to memory cannot fail";
    let mut csv = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    csv.write_record(named.then_some("run").into_iter().chain(COLUMNS)).expect(fits);
    for (name, series) in series {
        for (i, &round) in series.checkpoints.iter().enumerate() {
            let mut sums = Sums::NONE;
            for run in &series.runs {
                sums.add(run.regret[i], run.hit[i]);
            }
            let row = Row::new(series, round, &sums);
            match name {
                Some(name) => csv.serialize((name, row)).expect(fits),
                None => csv.serialize(row).expect(fits),
            }
        }
    }
    csv.into_inner().expect(fits)
}

/// Writes rows while the items of a whole job arrive in order.
pub(super) struct SummaryWriter<'a, W: Write> {
    plan: &'a Plan,
    csv: csv::Writer<W>,
    /// The cell that is being summed, and the sums at each of its checkpoints.
    cell: usize,
    sums: Vec<Sums>,
    next: usize,
}

impl<'a, W: Write> SummaryWriter<'a, W> {
    pub(super) fn new(plan: &'a Plan, writer: W) -> Self {
        let csv = csv::Writer::from_writer(writer);
        Self { plan, csv, cell: 0, sums: Vec::new(), next: 0 }
    }

    pub(super) fn add(&mut self, item: &Item<'_>, run: &Run) -> io::Result<()> {
        if item.cell != self.cell || self.sums.is_empty() {
            self.end_cell()?;
            self.cell = item.cell;
            self.sums = vec![Sums::NONE; self.plan.cells[item.cell].checkpoints.len()];
            self.next = 0;
        }
        // An item of a fixed-horizon policy holds the next checkpoint of a run. Any other item
        // holds all checkpoints.
        for (&regret, &hit) in run.regret.iter().zip(&run.hit) {
            self.sums[self.next].add(regret, hit);
            self.next = (self.next + 1) % self.sums.len();
        }
        Ok(())
    }

    fn end_cell(&mut self) -> io::Result<()> {
        let Some(cell) = self.plan.cells.get(self.cell) else { return Ok(()) };
        let series = Series::new(self.plan, cell);
        for (sums, &round) in self.sums.iter().zip(&cell.checkpoints) {
            self.csv.serialize(Row::new(&series, round, sums)).map_err(io::Error::other)?;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.end_cell()?;
        self.csv.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1, 2, 3, 6: mean 3, sum of squares about it 14.
    #[test]
    fn trace_sums() {
        let mut sums = Sums::NONE;
        for (i, x) in [1.0, 2.0, 3.0, 6.0].into_iter().enumerate() {
            sums.add(x, i == 2);
        }
        assert!((sums.mean - 3.0).abs() < 1e-15 && (sums.squares - 14.0).abs() < 1e-12);
        assert_eq!((sums.n, sums.hits), (4, 1));
        assert!((sums.min - 1.0).abs() < 1e-15 && (sums.max - 6.0).abs() < 1e-15);
    }
}
