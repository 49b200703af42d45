//! Merges the shards of a job, with the same bytes as if one machine had run the whole job.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::engine::identity::Identity;
use crate::engine::journal::Record;
use crate::engine::plan::{Items, Shard};
use crate::results::directory::{self, State};
use crate::results::finish::{FinishError, JobFacts, write_results};
use crate::results::table::TableReader;
use crate::results::{Manifest, ResultsError, TableError, open_table, read_manifest};
use tiltyard_bandit::hint::{Fault, FrontEnd, Hint};

/// Merges the shards in these directories, in any order, and writes the results to `out`.
///
/// # Errors
///
/// If these are not all shards of one job, each once, or if a file cannot be read or written.
pub fn merge(shards: &[PathBuf], out: &Path, revision: Option<&str>) -> Result<(), MergeError> {
    let mut parts = Vec::new();
    for path in shards {
        parts.push((path.as_path(), read_manifest(path)?));
    }
    let Some((first_path, first)) = parts.first().cloned() else { return Err(MergeError::None) };
    let count = check(first_path, &first, &parts)?;
    let at = |source| MergeError::Out { path: out.to_owned(), source };
    if directory::state(out).map_err(at)? != State::Empty {
        return Err(MergeError::NotEmpty { path: out.to_owned() });
    }

    // One reader per shard. Item i is the next item of shard i mod N.
    parts.sort_by_key(|(_, manifest)| shard_of(manifest).index);
    let mut readers: Vec<(&Path, TableReader)> = Vec::new();
    for (path, manifest) in &parts {
        readers.push((path, open_table(path, manifest)?));
    }
    let items = Items::of(&first.plan);
    fs::create_dir_all(out).map_err(at)?;
    let sum_cells = |mut sums: Vec<f64>, (_, manifest): &(&Path, Manifest)| {
        for (sum, seconds) in sums.iter_mut().zip(&manifest.cell_seconds) {
            *sum += seconds;
        }
        sums
    };
    // Shards run side by side, so the longest determines the elapsed time.
    let longest = parts.iter().map(|(_, manifest)| manifest.elapsed_seconds).fold(0.0, f64::max);
    let facts = JobFacts {
        title: &first.title,
        text: &first.specification,
        identity: &first.identity,
        plan: &first.plan,
        shard: Shard::WHOLE,
        revision,
        elapsed: Duration::try_from_secs_f64(longest).unwrap_or_default(),
        cell_seconds: Some(parts.iter().fold(vec![0.0; first.plan.cells.len()], sum_cells)),
    };
    write_results(out, facts, |item| -> Result<Record, MergeError> {
        let reader = usize::try_from(item % count).expect("one of the readers");
        let (path, reader) = &mut readers[reader];
        reader.next(&items, item).map_err(|error| damaged(path, error))
    })
    .map_err(|error| match error {
        FinishError::Run(error) => error,
        FinishError::Table(TableError::Io(source)) => at(source),
        FinishError::Table(error) => damaged(out, error),
    })?;
    for (path, reader) in readers {
        reader.finish().map_err(|error| damaged(path, error))?;
    }
    Ok(())
}

/// The number of shards, if these are all shards of one job, each once.
fn check(first_path: &Path, first: &Manifest, parts: &[(&Path, Manifest)]) -> Result<u64, MergeError> {
    let count = shard_of(first).count;
    let mut holders: Vec<Option<&Path>> = vec![None; parts.len()];
    for (path, manifest) in parts {
        let (one, other) = (first_path.to_owned(), (*path).to_owned());
        if manifest.identity != first.identity {
            let differ = Identity::differences(&first.identity, &manifest.identity);
            return Err(MergeError::OtherSpecification { one, other, differ });
        }
        if manifest.version != env!("CARGO_PKG_VERSION") {
            return Err(MergeError::OtherVersion { path: other, version: manifest.version.clone() });
        }
        let shard = shard_of(manifest);
        if shard.count != count {
            return Err(MergeError::OtherCount { one, count, other, other_count: shard.count });
        }
        // If there are more directories than shards, two of them hold the same shard.
        let holder = holders.get_mut(usize::try_from(shard.index - 1).unwrap_or(usize::MAX));
        match holder {
            Some(Some(one)) => return Err(MergeError::Twice { shard, one: (*one).to_owned(), other }),
            Some(holder) => *holder = Some(path),
            // Beyond the end of the list: another shard is missing, which is reported below.
            None => {}
        }
    }
    let missing: Vec<u64> = (1..=count)
        .filter(|index| !parts.iter().any(|(_, manifest)| shard_of(manifest).index == *index))
        .collect();
    if missing.is_empty() { Ok(count) } else { Err(MergeError::Missing { missing, count }) }
}

fn shard_of(manifest: &Manifest) -> Shard {
    manifest.shard.unwrap_or(Shard::WHOLE)
}

fn damaged(path: &Path, error: TableError) -> MergeError {
    MergeError::Results(ResultsError::Table { path: path.join(directory::RESULTS), error })
}

fn listed(missing: &[u64]) -> String {
    missing.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

/// Shards cannot be merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum MergeError {
    /// No directories were given.
    #[error("there is nothing to merge")]
    None,
    /// The results of a shard cannot be read.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// Two shards belong to different specifications.
    #[error("{} and {} belong to different specifications: they differ in `{}`", one.display(), other.display(), differ.join("`, `"))]
    OtherSpecification {
        one: PathBuf,
        other: PathBuf,
        /// The parts in which the specifications differ.
        differ: Vec<&'static str>,
    },
    /// Another version ran a shard, so its numbers may differ.
    #[error("{} was run by version {version}, but this is version {}", path.display(), env!("CARGO_PKG_VERSION"))]
    OtherVersion { path: PathBuf, version: String },
    /// The shards belong to different divisions of the job.
    #[error("{} is one of {count} shards, but {} is one of {other_count}", one.display(), other.display())]
    OtherCount {
        one: PathBuf,
        /// The number of shards of the first job.
        count: u64,
        other: PathBuf,
        /// The number of shards of the other job.
        other_count: u64,
    },
    /// Two directories hold the same shard.
    #[error("shard {shard} is in {} and in {}", one.display(), other.display())]
    Twice { shard: Shard, one: PathBuf, other: PathBuf },
    /// Shards are missing.
    #[error("these of {count} shards are missing: {}", listed(missing))]
    Missing {
        /// The missing shards, counted from 1.
        missing: Vec<u64>,
        /// The number of all shards.
        count: u64,
    },
    /// The output directory is not empty.
    #[error("{} is not empty", path.display())]
    NotEmpty { path: PathBuf },
    /// The results cannot be written.
    #[error("cannot write to {}", path.display())]
    Out { path: PathBuf, source: io::Error },
}

impl Hint for MergeError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::NotEmpty { .. } => vec![front.elsewhere()],
            Self::Results(error) => error.hints(front),
            _ => Vec::new(),
        }
    }

    fn fault(&self) -> Fault {
        match self {
            Self::Out { .. } => Fault::Machine,
            _ => Fault::Input,
        }
    }
}
