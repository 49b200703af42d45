//! Runs an experiment into a directory, and never loses a finished run.
//!
//! While a job runs, its directory holds `job.json` (the identity of the job) and `journal.bin`
//! (finished runs). At the end, the runs are written in canonical order to `results.parquet` and
//! `summary.csv`, each whole or not at all. `manifest.json` follows, and then `job.json` and
//! `journal.bin` are removed. A job that was killed at any moment continues with the runs in the
//! journal, and ends with the same bytes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};

pub use crate::engine::Experiment;
use crate::engine::Progress;
use crate::engine::identity::Identity;
pub use crate::engine::journal::JournalError;
use crate::engine::journal::{Journal, Record};
use crate::engine::plan::{Items, Shard};
pub use crate::engine::prepared_world::PrepareError;
use crate::engine::scheduler::{End, Queue, Scheduler};
use crate::engine::throughput::Throughput;
use crate::results::directory::{self, JOB, JOURNAL, State, write_whole};
use crate::results::finish::{FinishError, JobFacts, write_results};
use crate::results::{ResultsError, TableError, open_table, read_manifest};
use tiltyard_bandit::hint::{Fault, FrontEnd, Hint};

/// The directory of an experiment, and the part of it to run.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Target<'a> {
    /// For the results.
    pub directory: &'a Path,
    /// Whether to continue an unfinished job in the directory.
    pub resume: bool,
    pub shard: Shard,
    /// The revision of the source code, for the manifest.
    pub revision: Option<&'a str>,
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// All runs are in the results.
    Complete {
        /// Runs that an earlier call had finished.
        resumed: u64,
        /// Bytes of the journal that could not be read. Their runs were played again.
        lost_bytes: u64,
    },
    /// The directory held all results before.
    AlreadyComplete,
    /// The job was stopped. Finished runs are kept.
    Stopped {
        /// Items finished.
        done: u64,
        /// All items.
        total: u64,
    },
}

/// The content of `job.json`: the job that a directory belongs to.
#[derive(Debug, Serialize, Deserialize)]
struct JobFile {
    hash: String,
    version: String,
    shard: Shard,
    identity: Identity,
}

/// Runs an experiment on the threads of the current rayon pool. The results do not depend on how
/// many threads there are.
///
/// # Errors
///
/// If the directory holds something else, or cannot be written. Runs finished before the error are
/// kept.
pub fn run_experiment(
    experiment: &mut Experiment,
    target: &Target<'_>,
    progress: &Progress,
) -> Result<Ending, RunError> {
    let start = Instant::now();
    let place = target.directory;
    let hash = experiment.identity.hash();
    if enter(experiment, target, &hash)? == State::Finished {
        return Ok(Ending::AlreadyComplete);
    }
    let items = Items::of(&experiment.plan);
    let in_shard = |item: u64| item < items.len() && target.shard.holds(item);
    let total = (0..items.len()).filter(|&item| in_shard(item)).count() as u64;
    // Runs that are already in the journal, cell by cell.
    let mut known = vec![Throughput::default(); experiment.plan.cells.len()];
    let (journal, found) = Journal::open(
        &place.join(JOURNAL),
        &hash,
        items.len(),
        |item| in_shard(item).then(|| items.get(item).checkpoints.len()),
        |record| {
            let item = items.get(record.item);
            known[item.cell].add(item.rounds(), record.time);
        },
    )?;
    let resumed = journal.len();
    let mut queue = Queue::of(&items, |item| in_shard(item) && !journal.has(item));
    for (cell, &known) in known.iter().enumerate().filter(|(_, known)| known.rounds > 0) {
        queue.learn(cell, known);
    }
    let played: u64 = known.iter().map(|known| known.rounds).sum();
    progress.begin(played, played + queue.rounds());
    // A world without runs left need not stay in memory.
    for (world, prepared) in experiment.worlds.iter_mut().enumerate() {
        let mut cells = experiment.plan.cells.iter().enumerate().filter(|(_, cell)| cell.world == world);
        if !cells.any(|(cell, _)| queue.has(cell)) {
            *prepared = None;
        }
    }

    let journal = Mutex::new(journal);
    let scheduler = Scheduler {
        items: items.clone(),
        worlds: &experiment.worlds,
        specs: &experiment.specs,
        seed: experiment.identity.seed,
        permute: experiment.identity.permute,
    };
    let end = scheduler.run_all(queue, progress, |item, run, time| {
        let record = Record { item, time, run };
        journal.lock().unwrap_or_else(PoisonError::into_inner).append(&record)
    });
    let mut journal = journal.into_inner().unwrap_or_else(PoisonError::into_inner);
    let done = journal.len();
    let unwritten = |source| RunError::Write { path: place.to_owned(), done, total, source };
    match end {
        Ok(End::Complete) => {}
        Ok(End::Stopped) => {
            journal.sync()?;
            return Ok(Ending::Stopped { done, total });
        }
        Err(JournalError::Io { source, .. }) => return Err(unwritten(source)),
        Err(error) => return Err(error.into()),
    }
    let facts = JobFacts {
        title: &experiment.title,
        text: &experiment.text,
        identity: &experiment.identity,
        plan: &experiment.plan,
        shard: target.shard,
        revision: target.revision,
        elapsed: start.elapsed(),
        cell_seconds: None,
    };
    write_results(place, facts, |item| journal.read(item)).map_err(|error| match error {
        FinishError::Run(error) => error.into(),
        FinishError::Table(TableError::Io(source)) => unwritten(source),
        FinishError::Table(error) => RunError::Table { path: place.to_owned(), error },
    })?;
    drop(journal);
    clean_up(place)?;
    Ok(Ending::Complete { resumed, lost_bytes: found.lost_bytes })
}

/// Checks what the directory holds, and begins the job if it is empty.
fn enter(experiment: &Experiment, target: &Target<'_>, hash: &str) -> Result<State, RunError> {
    let place = target.directory;
    let at = |source| RunError::Directory { path: place.to_owned(), source };
    let state = directory::state(place).map_err(at)?;
    match state {
        State::Foreign => return Err(RunError::NotEmpty { path: place.to_owned() }),
        State::Empty => {
            fs::create_dir_all(place).map_err(at)?;
            let job = JobFile {
                hash: hash.to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                shard: target.shard,
                identity: experiment.identity.clone(),
            };
            write_whole(place, JOB, |file| serde_json::to_writer(file, &job).map_err(io::Error::from))
                .map_err(at)?;
        }
        State::Unfinished => {
            let path = place.join(JOB);
            let text = fs::read(&path).map_err(at)?;
            let job: JobFile = serde_json::from_slice(&text)
                .map_err(|error| RunError::JobFile { path, reason: error.to_string() })?;
            compare(experiment, target, &job.identity, (&job.version, job.shard))?;
            if !target.resume {
                return Err(RunError::Unfinished { path: place.to_owned() });
            }
        }
        State::Finished => {
            let manifest = read_manifest(place)?;
            let theirs = (&*manifest.version, manifest.shard.unwrap_or(Shard::WHOLE));
            compare(experiment, target, &manifest.identity, theirs)?;
            if !target.resume {
                return Err(RunError::Finished { path: place.to_owned() });
            }
            open_table(place, &manifest)?;
            // A process that was killed after it wrote the manifest left these behind.
            clean_up(place)?;
        }
    }
    Ok(state)
}

/// Checks that the directory holds this job.
fn compare(
    experiment: &Experiment,
    target: &Target<'_>,
    identity: &Identity,
    (version, shard): (&str, Shard),
) -> Result<(), RunError> {
    let path = || target.directory.to_owned();
    if *identity != experiment.identity {
        return Err(RunError::OtherSpecification {
            path: path(),
            differ: experiment.identity.differences(identity),
        });
    }
    if version != env!("CARGO_PKG_VERSION") {
        return Err(RunError::OtherVersion { path: path(), version: version.to_owned() });
    }
    if shard != target.shard {
        return Err(RunError::OtherShard { path: path(), shard });
    }
    Ok(())
}

fn clean_up(place: &Path) -> Result<(), RunError> {
    for name in [JOURNAL, JOB] {
        directory::remove(place, name)
            .map_err(|source| RunError::Directory { path: place.to_owned(), source })?;
    }
    Ok(())
}

/// An experiment was not run to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum RunError {
    /// The directory cannot be used.
    #[error("cannot use the directory {}", path.display())]
    Directory { path: PathBuf, source: io::Error },
    /// The directory holds files other than results.
    #[error("{} is not empty and does not contain results", path.display())]
    NotEmpty { path: PathBuf },
    /// The directory holds an unfinished job of the same specification.
    #[error("{} holds an unfinished job of this specification", path.display())]
    Unfinished { path: PathBuf },
    /// The directory already holds the results.
    #[error("the results of this specification are already in {}", path.display())]
    Finished { path: PathBuf },
    /// The directory belongs to another specification.
    #[error("{} belongs to another specification: it differs in `{}`", path.display(), differ.join("`, `"))]
    OtherSpecification {
        path: PathBuf,
        /// The parts in which the specifications differ.
        differ: Vec<&'static str>,
    },
    /// Another version began the job, so its numbers may differ.
    #[error("{} was begun by version {version}, but this is version {}", path.display(), env!("CARGO_PKG_VERSION"))]
    OtherVersion { path: PathBuf, version: String },
    /// The directory holds another part of the job.
    #[error("{} holds {} of this job", path.display(), match *shard {
        Shard::WHOLE => "all".to_owned(),
        shard => format!("shard {shard}"),
    })]
    OtherShard { path: PathBuf, shard: Shard },
    /// The file that describes the job is damaged.
    #[error("{} is damaged: {reason}", path.display())]
    JobFile { path: PathBuf, reason: String },
    /// Writing failed, most likely because the disk is full. Finished runs are kept.
    #[error("cannot write to {}; {done} of {total} runs are safe in its journal", path.display())]
    Write {
        path: PathBuf,
        /// Items in the journal.
        done: u64,
        /// All items.
        total: u64,
        source: io::Error,
    },
    /// The table cannot be written.
    #[error("cannot write the table in {}: {error}", path.display())]
    Table { path: PathBuf, error: TableError },
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Existing results cannot be read.
    #[error(transparent)]
    Results(#[from] ResultsError),
}

impl Hint for RunError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        let elsewhere = front.elsewhere();
        let resume = format!("{} with {} continues it", front.again(), front.flag("resume"));
        let hint = match self {
            Self::NotEmpty { .. }
            | Self::OtherSpecification { .. }
            | Self::OtherShard { .. }
            | Self::JobFile { .. } => elsewhere,
            Self::OtherVersion { .. } => format!("finish it with that version, or {elsewhere}"),
            Self::Unfinished { .. } => format!("{resume}; or {elsewhere}"),
            Self::Finished { .. } => format!("there is nothing to do; to run it again, {elsewhere}"),
            Self::Write { .. } => format!("make room; then {resume}"),
            Self::Journal(error) => return error.hints(front),
            Self::Results(error) => return error.hints(front),
            Self::Directory { .. } | Self::Table { .. } => return Vec::new(),
        };
        vec![hint]
    }

    fn fault(&self) -> Fault {
        match self {
            Self::Write { .. } | Self::Table { .. } | Self::Directory { .. } => Fault::Machine,
            _ => Fault::Input,
        }
    }
}

#[cfg(test)]
mod tests;
