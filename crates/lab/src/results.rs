//! Results on disk: a directory with `results.parquet`, `summary.csv` and `manifest.json`.
//!
//! `results.parquet` has a row for each world, policy, run and checkpoint, in that order; its bytes
//! depend on the specification, the data and the version alone. `manifest.json` says what was run,
//! on what, and how long it took.

pub(crate) mod directory;
pub(crate) mod finish;
mod manifest;
mod series;
mod summary_file;
pub(crate) mod table;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

pub use manifest::{Machine, Manifest};
pub use series::Series;
pub(crate) use summary_file::series_to_csv;
pub use table::TableError;

use crate::digest;
use crate::engine::plan::Items;
use directory::{JOB, MANIFEST, RESULTS};
use table::TableReader;
use tiltyard_bandit::hint::{FrontEnd, Hint};

/// Results read back.
#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    /// What was run.
    pub manifest: Manifest,
    /// One for each policy in each world, world by world.
    pub series: Vec<Series>,
}

impl Results {
    /// Reads a directory of results, and checks that nothing in it has changed since it was
    /// written.
    ///
    /// # Errors
    ///
    /// If there are no complete results of all shards in it, or they are damaged.
    pub fn open(directory: &Path) -> Result<Self, ResultsError> {
        let manifest = read_manifest(directory)?;
        if let Some(shard) = manifest.shard {
            return Err(ResultsError::Shard { path: directory.to_owned(), shard: shard.to_string() });
        }
        let path = directory.join(RESULTS);
        let table_error = |error| ResultsError::Table { path: path.clone(), error };
        let mut reader = open_table(directory, &manifest)?;
        let plan = &manifest.plan;
        let items = Items::of(plan);
        let mut series = Vec::new();
        for (index, cell) in plan.cells.iter().enumerate() {
            let mut of_cell = Series::new(plan, cell);
            for item in items.of_cell(index) {
                of_cell.push(reader.next(&items, item).map_err(table_error)?.run);
            }
            series.push(of_cell);
        }
        reader.finish().map_err(table_error)?;
        Ok(Self { manifest, series })
    }

    /// The series of a policy in a world, by the names that the results use.
    pub fn find(&self, world: &str, policy: &str) -> Option<&Series> {
        self.series.iter().find(|series| series.world == world && series.policy == policy)
    }
}

/// The manifest of a directory.
pub(crate) fn read_manifest(directory: &Path) -> Result<Manifest, ResultsError> {
    let path = directory.join(MANIFEST);
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(source) if source.kind() == io::ErrorKind::NotFound => {
            let path = directory.to_owned();
            return Err(if directory.join(JOB).exists() {
                ResultsError::Unfinished { path }
            } else {
                ResultsError::NoResults { path }
            });
        }
        Err(source) => return Err(ResultsError::Unreadable { path, source }),
    };
    let manifest: Manifest = match serde_json::from_slice(&text) {
        Ok(manifest) => manifest,
        Err(error) => return Err(ResultsError::Manifest { path, reason: error.to_string() }),
    };
    if manifest.format != manifest::FORMAT {
        return Err(ResultsError::Format { path, found: manifest.format, known: manifest::FORMAT });
    }
    if let Some(reason) = manifest.contradiction() {
        return Err(ResultsError::Manifest { path, reason: reason.to_owned() });
    }
    Ok(manifest)
}

/// The table of a directory, once its digest has been found to be that of the manifest.
pub(crate) fn open_table(directory: &Path, manifest: &Manifest) -> Result<TableReader, ResultsError> {
    let path = directory.join(RESULTS);
    let open = || File::open(&path).map_err(|source| ResultsError::Unreadable { path: path.clone(), source });
    let found = digest::of_reader(open()?)
        .map_err(|source| ResultsError::Unreadable { path: path.clone(), source })?;
    if found != manifest.results_sha256 {
        return Err(ResultsError::Changed { path });
    }
    TableReader::new(open()?).map_err(|error| ResultsError::Table { path, error })
}

/// Why a directory's results cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultsError {
    /// There is no manifest.
    #[error("there are no results in {}", path.display())]
    NoResults {
        /// The directory.
        path: PathBuf,
    },
    /// The job has not come to its end.
    #[error("the job in {} is not finished", path.display())]
    Unfinished {
        /// The directory.
        path: PathBuf,
    },
    /// A part of a job.
    #[error("{} holds shard {shard} of a job, not all of it", path.display())]
    Shard {
        /// The directory.
        path: PathBuf,
        /// Which shard.
        shard: String,
    },
    /// A file cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The manifest is damaged.
    #[error("{} is damaged: {reason}", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The manifest is of another format.
    #[error("{} is of format {found}, and this version reads format {known}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// The table is not the one that the manifest was written for.
    #[error("{} is damaged: its SHA-256 is not the one that manifest.json states", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The table cannot be read.
    #[error("{}: {error}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: TableError,
    },
}

impl Hint for ResultsError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        let hint = match self {
            Self::Unfinished { .. } => format!("{} with {} continues it", front.run(), front.flag("resume")),
            Self::Shard { .. } => "`tiltyard merge` puts shards together".to_owned(),
            Self::Manifest { .. } | Self::Changed { .. } | Self::Table { .. } => {
                "run the job again into another directory; the specification is in manifest.json".to_owned()
            }
            Self::NoResults { .. } | Self::Unreadable { .. } | Self::Format { .. } => return Vec::new(),
        };
        vec![hint]
    }
}
