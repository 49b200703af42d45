//! Results on disk: a directory with `results.parquet`, `summary.csv` and `manifest.json`.
//!
//! `results.parquet` has one row per world, policy, run and checkpoint, in that order. Its bytes
//! depend only on the specification, the data and the version. `manifest.json` says what was run,
//! on which machine, and how long it took.

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

/// The results in a directory.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Results {
    pub manifest: Manifest,
    /// One per policy and world, world by world.
    pub series: Vec<Series>,
}

impl Results {
    /// Reads a directory of results, and checks the manifest and the table against their digests.
    ///
    /// # Errors
    ///
    /// If the directory does not hold the complete results of a job, or they are damaged.
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

    /// The series of a policy in a world, by their names in the results.
    pub fn find(&self, world: &str, policy: &str) -> Option<&Series> {
        self.series.iter().find(|series| series.world == world && series.policy == policy)
    }
}

/// Reads the manifest of a directory and checks it.
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

/// Opens the table of a directory, after checking its digest against the manifest.
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

/// The results in a directory cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum ResultsError {
    /// The directory has no manifest.
    #[error("there are no results in {}", path.display())]
    NoResults { path: PathBuf },
    /// The job in the directory is not finished.
    #[error("the job in {} is not finished", path.display())]
    Unfinished { path: PathBuf },
    /// The directory holds only a part of a job.
    #[error("{} holds shard {shard} of a job, not all of it", path.display())]
    Shard { path: PathBuf, shard: String },
    /// A file cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    /// The manifest is damaged.
    #[error("{} is damaged: {reason}", path.display())]
    Manifest { path: PathBuf, reason: String },
    /// The manifest has a format that this version cannot read.
    #[error("{} has format {found}, but this version reads format {known}", path.display())]
    Format {
        path: PathBuf,
        /// The format of the manifest.
        found: u32,
        /// The format that this version reads.
        known: u32,
    },
    /// The table has changed since the manifest was written.
    #[error("{} is damaged: its SHA-256 is not the one that manifest.json states", path.display())]
    Changed { path: PathBuf },
    /// The table cannot be read.
    #[error("{}: {error}", path.display())]
    Table { path: PathBuf, error: TableError },
}

impl Hint for ResultsError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        let hint = match self {
            Self::Unfinished { .. } => format!("{} with {} continues it", front.run(), front.flag("resume")),
            Self::Shard { .. } => "merge the shards with `tiltyard merge`".to_owned(),
            Self::Manifest { .. } | Self::Changed { .. } | Self::Table { .. } => {
                "run the job again into another directory; the specification is in manifest.json".to_owned()
            }
            Self::NoResults { .. } | Self::Unreadable { .. } | Self::Format { .. } => return Vec::new(),
        };
        vec![hint]
    }
}
