//! Shared by all matrices of rankers: simulates a user who clicks on interleaved lists.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use clap::Args;
use serde_json::json;
use tiltyard::Arm;
use tiltyard::interleave::Interleaving;
use tiltyard::world::AtomicFile;
use tiltyard::world::build::letor::{ClickMatrix, Simulation, SimulationProgress, StoppingRule};
use tiltyard::world::click::ClickSpec;
use tiltyard::world::matrix_file::write_matrix;
use tiltyard::world::ranker::RankedCollection;

use super::{Winners, beside, fill, keep_inputs, matrix_file};
use crate::cli::{Failure, ListFormat, work};
use crate::number;
use crate::printer::Printer;

#[derive(Debug, Args)]
pub(super) struct Simulate {
    /// Click model of the user: `perfect`, `navigational`, `informational`, `position-based`,
    /// `random` or `dependent:click=...,stop=...`
    #[arg(long, value_name = "MODEL")]
    clicks: String,
    /// How to merge two lists: `team-draft`, `balanced`, `probabilistic` or `optimized`
    #[arg(long, value_name = "METHOD", default_value = "team-draft")]
    interleave: String,
    /// Samples per pair [default: 1e4]
    #[arg(long, value_name = "N", value_parser = number::count)]
    samples: Option<u64>,
    /// Sample each pair until its standard error is at most this; `--samples` is then the maximum
    /// number [default: 1e6]
    #[arg(long, value_name = "ERROR")]
    within: Option<f64>,
    /// Number of documents that the user sees, and that are kept of each list
    #[arg(long, value_name = "N", default_value = "10", value_parser = number::count)]
    top: u64,
    /// Seed for ties, mixtures, interleaving and clicks
    #[arg(long, value_name = "S", default_value = "1", value_parser = number::whole)]
    pub(super) seed: u64,
    /// Threads to use [default: all cores]
    #[arg(long, value_name = "N", value_parser = number::count)]
    threads: Option<u64>,
    /// File for the matrix; M.pairs.csv beside it gets all pairs with counts and standard errors
    #[arg(long, value_name = "M.csv")]
    out: PathBuf,
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
    /// Output format of the summary
    #[arg(long, value_enum, default_value = "table")]
    format: ListFormat,
}

/// Everything that can be checked before any input is read: the simulation, and the files for the
/// matrix and its pairs.
pub(super) struct PreparedSimulation {
    simulation: Simulation,
    matrix: AtomicFile,
    pairs: AtomicFile,
}

impl Simulate {
    /// Called first, so that a long simulation does not end with a file that cannot be written.
    pub(super) fn prepare(
        &self,
        inputs: impl IntoIterator<Item: AsRef<Path>>,
    ) -> Result<PreparedSimulation, Failure> {
        let simulation = self.simulation()?;
        let pairs_path = beside(&self.out, "pairs");
        keep_inputs(inputs, &[&self.out, &pairs_path])?;
        let matrix = matrix_file(&self.out, self.force)?;
        let pairs = AtomicFile::new(&pairs_path, self.force)?;
        Ok(PreparedSimulation { simulation, matrix, pairs })
    }

    /// The number of documents kept of each list.
    pub(super) fn depth(&self) -> Result<usize, Failure> {
        if self.top > RankedCollection::MAX_DEPTH as u64 {
            let error =
                anyhow::anyhow!("`--top {}`: at most {} documents", self.top, RankedCollection::MAX_DEPTH);
            return Err(Failure::bad_input(error, Vec::new()));
        }
        Ok(usize::try_from(self.top).expect("at most a thousand"))
    }

    fn simulation(&self) -> Result<Simulation, Failure> {
        let stopping = match (self.within, self.samples) {
            (None, samples) => StoppingRule::Samples(samples.unwrap_or(10_000)),
            (Some(error), samples) => StoppingRule::Within { error, at_most: samples.unwrap_or(1_000_000) },
        };
        Ok(Simulation {
            clicks: self.clicks.parse::<ClickSpec>()?,
            interleaving: self.interleave.parse::<Interleaving>()?,
            shown: self.depth()?,
            stopping,
            seed: self.seed,
        })
    }

    /// Samples all pairs, writes both files and prints a summary.
    pub(super) fn run(
        &self,
        prepared: PreparedSimulation,
        collection: &RankedCollection,
        names: &[String],
        printer: &mut Printer,
    ) -> Result<(), Failure> {
        let PreparedSimulation { simulation, matrix, pairs } = prepared;
        let pool = work::pool(self.threads)?;
        let built =
            with_bar(printer, collection, |progress| pool.install(|| simulation.run(collection, progress)))??;
        let matrix = fill(matrix, |file| write_matrix(file, built.matrix(), names))?;
        let pairs = fill(pairs, |file| built.write_pairs(names, file))?;
        // The matrix is written last: if it exists, so does the file of pairs.
        pairs.keep()?;
        matrix.keep()?;
        if self.format == ListFormat::Json {
            self.print_json(collection, &built, names, printer);
        } else {
            self.tell(collection, &built, names, printer);
        }
        Ok(())
    }

    fn print_json(
        &self,
        collection: &RankedCollection,
        built: &ClickMatrix,
        names: &[String],
        printer: &mut Printer,
    ) {
        let mut json = json!({
            "matrix": self.out,
            "pairs_file": beside(&self.out, "pairs"),
            "arms": collection.n_rankers(),
            "queries": collection.queries().len(),
            "clicks": self.clicks,
            "interleave": self.interleave,
            "top": self.top,
            "seed": self.seed,
            "samples": total(built),
            "ties": share_of_ties(built),
            "largest_standard_error": built.largest_error(),
            "random_play": random_play(built),
        });
        Winners::of(built.matrix(), names).add_to(&mut json);
        printer.line(json);
    }

    fn tell(&self, collection: &RankedCollection, built: &ClickMatrix, names: &[String], printer: &Printer) {
        printer.note(format_args!(
            "{} rankers on {} queries; {} samples of {} pairs, {:.1} % ties",
            collection.n_rankers(),
            collection.queries().len(),
            total(built),
            built.pairs().len(),
            100.0 * share_of_ties(built)
        ));
        printer.note(format_args!("largest standard error: {:.4}", built.largest_error()));
        if let Some(error) = self.within {
            let missed = built.pairs().iter().filter(|pair| pair.standard_error() > error).count();
            if missed > 0 {
                printer.note(format_args!(
                    "warning: {missed} pairs have a larger error than {error}; allow more samples with `--samples`"
                ));
            }
        }
        printer.note(format_args!("random play loses {:.4} per round\n", random_play(built)));
        Winners::of(built.matrix(), names).tell(printer);
        printer.note(format_args!(
            "\nwrote {} and {}",
            self.out.display(),
            beside(&self.out, "pairs").display()
        ));
    }
}

fn total(built: &ClickMatrix) -> u64 {
    built.pairs().iter().map(|pair| pair.n).sum()
}

fn share_of_ties(built: &ClickMatrix) -> f64 {
    built.pairs().iter().map(|pair| pair.ties).sum::<u64>() as f64 / total(built).max(1) as f64
}

/// The mean gap to the best arm.
fn random_play(built: &ClickMatrix) -> f64 {
    let matrix = built.matrix();
    let best = matrix.reference().arm;
    Arm::all(matrix.n_arms()).map(|arm| matrix.gap(best, arm)).sum::<f64>() / matrix.n_arms() as f64
}

/// Does the work while a bar shows its progress.
fn with_bar<T>(
    printer: &Printer,
    collection: &RankedCollection,
    work: impl FnOnce(&SimulationProgress) -> T,
) -> Result<T, Failure> {
    let n = collection.n_rankers() as u64;
    let progress = Arc::new(SimulationProgress::default());
    let done = AtomicBool::new(false);
    let handle = Arc::clone(&progress);
    // A simulation that is stopped leaves nothing behind: dropping the files deletes them.
    ctrlc::set_handler(move || handle.stop()).map_err(Failure::signals)?;
    Ok(thread::scope(|scope| {
        scope.spawn(|| {
            let bar = printer.bar(n * n.saturating_sub(1) / 2).with_message("pairs");
            while !done.load(Ordering::Acquire) {
                bar.set_position(progress.done());
                thread::park_timeout(Printer::BEAT);
            }
            bar.finish_and_clear();
        });
        let result = work(&progress);
        done.store(true, Ordering::Release);
        result
    }))
}
