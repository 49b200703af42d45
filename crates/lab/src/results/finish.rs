//! Writes finished runs to files.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::directory::{MANIFEST, RESULTS, SUMMARY, write_whole};
use super::manifest::{FORMAT, Machine, Manifest};
use super::summary_file::SummaryWriter;
use super::table::{TableError, TableWriter};
use crate::digest::Digesting;
use crate::engine::Record;
use crate::engine::identity::Identity;
use crate::engine::plan::{Items, Plan, Shard};

/// Everything about a job except its runs.
pub(crate) struct JobFacts<'a> {
    pub(crate) title: &'a str,
    pub(crate) text: &'a str,
    pub(crate) identity: &'a Identity,
    pub(crate) plan: &'a Plan,
    pub(crate) shard: Shard,
    pub(crate) revision: Option<&'a str>,
    pub(crate) elapsed: Duration,
    /// The time spent in runs of each cell, if it is known before they are read. Otherwise it is
    /// summed over the runs.
    pub(crate) cell_seconds: Option<Vec<f64>>,
}

/// Writes all files of a directory of results. Calls `run` once for each item of the shard, in
/// order. Writes a summary only for a whole job: a summary of some of the runs would be mistaken
/// for one of all. Writes the manifest last.
pub(crate) fn write_results<E>(
    directory: &Path,
    facts: JobFacts<'_>,
    mut run: impl FnMut(u64) -> Result<Record, E>,
) -> Result<(), FinishError<E>> {
    let items = Items::of(facts.plan);
    let hash = facts.identity.hash();
    let seed = facts.identity.seed.to_string();
    let mut cell_seconds = vec![0.0; facts.plan.cells.len()];
    let mut rounds = 0;
    let is_whole = facts.shard == Shard::WHOLE;

    let labels = [("hash", hash.as_str()), ("seed", &seed), ("version", env!("CARGO_PKG_VERSION"))];
    let mut write = |summary: Option<&mut BufWriter<File>>| {
        write_whole(directory, RESULTS, |file| {
            let mut summary = summary.map(|file| SummaryWriter::new(facts.plan, file));
            let mut table = TableWriter::new(&items, &labels, Digesting::new(file))?;
            for item in (0..items.len()).filter(|&item| facts.shard.holds(item)) {
                let record = run(item).map_err(FinishError::Run)?;
                let planned = items.get(item);
                rounds += planned.rounds();
                cell_seconds[planned.cell] += record.time.as_secs_f64();
                table.add(&record)?;
                if let Some(summary) = &mut summary {
                    summary.add(&planned, &record.run)?;
                }
            }
            if let Some(summary) = summary {
                summary.finish()?;
            }
            Ok::<_, FinishError<E>>(table.finish()?.finish())
        })
    };
    let results_sha256 =
        if is_whole { write_whole(directory, SUMMARY, |file| write(Some(file)))? } else { write(None)? };
    let cell_seconds = facts.cell_seconds.unwrap_or(cell_seconds);
    let manifest = Manifest {
        format: FORMAT,
        title: facts.title.to_owned(),
        hash,
        seed: facts.identity.seed,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        revision: facts.revision.map(str::to_owned),
        shard: (!is_whole).then_some(facts.shard),
        rounds,
        seconds: cell_seconds.iter().sum(),
        cell_seconds,
        elapsed_seconds: facts.elapsed.as_secs_f64(),
        finished: SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |now| now.as_secs()),
        machine: Machine::this(),
        results_sha256,
        specification: facts.text.to_owned(),
        identity: facts.identity.clone(),
        plan: facts.plan.clone(),
    };
    write_whole(directory, MANIFEST, |file| {
        serde_json::to_writer_pretty(file, &manifest).map_err(std::io::Error::from)
    })?;
    Ok(())
}

/// The files were not written.
#[derive(Debug)]
pub(crate) enum FinishError<E> {
    /// A run could not be read back.
    Run(E),
    /// A file could not be written.
    Table(TableError),
}

impl<E> From<TableError> for FinishError<E> {
    fn from(error: TableError) -> Self {
        Self::Table(error)
    }
}

impl<E> From<std::io::Error> for FinishError<E> {
    fn from(error: std::io::Error) -> Self {
        Self::Table(TableError::Io(error))
    }
}
