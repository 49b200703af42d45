//! Looking after a data directory: is it sound, copy it, put a copy back.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::arena::{LoadError, digest, load, load_from_start};
use crate::domain::Experiment;
use crate::id::ExperimentId;
use crate::store::{OpenError, SqliteStore, Store, StoreError};

/// How often a log that a server adds to is read again before it is given up.
const MOST_TRIES: usize = 20;

/// What was found in a data directory or a copy of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The experiments.
    pub experiments: Vec<FoundExperiment>,
    /// How many keys were ever made or revoked.
    pub key_records: u64,
}

/// What was found of an experiment, folded from the start of its log.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundExperiment {
    /// Its id.
    pub id: ExperimentId,
    /// Its name.
    pub name: String,
    /// How many records its log has.
    pub records: u64,
    /// Votes that count.
    pub votes: u64,
    /// A fingerprint of the state, as the API's `digest` gives it.
    pub digest: String,
    /// The version of the policy's updates that the log was written with, if it is not today's.
    pub written_with: Option<u32>,
}

/// Why a data directory is not sound, or a copy could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UpkeepError {
    /// It cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A log cannot be folded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// SQLite finds its file damaged.
    #[error("the database file is damaged: {}", complaints.join("; "))]
    Damaged {
        /// What it says.
        complaints: Vec<String>,
    },
    /// A snapshot is not what its log makes.
    #[error("experiment {experiment}: going on from its snapshot gives another state than its whole log")]
    Snapshot {
        /// Which.
        experiment: ExperimentId,
    },
    /// Some of it is in a write-ahead log: a server has it open, or was killed.
    #[error("{} is not a backup: a write-ahead log lies beside it", path.display())]
    InUse {
        /// Which.
        path: PathBuf,
    },
    /// A server adds to the log faster than it can be compared.
    #[error("experiment {experiment} grows while it is read")]
    Growing {
        /// Which.
        experiment: ExperimentId,
    },
    /// Something is there already.
    #[error("{} exists already", path.display())]
    Exists {
        /// What.
        path: PathBuf,
    },
    /// A file could not be written.
    #[error("could not write {}", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Checks a data directory, or a copy: the file, every record of every log, and that snapshots are
/// what the logs make. A server may be running on it.
///
/// # Errors
///
/// If anything is wrong.
pub fn verify(path: &Path) -> Result<Found, UpkeepError> {
    let store = SqliteStore::open_read_only(path)?;
    let complaints = store.integrity()?;
    if !complaints.is_empty() {
        return Err(UpkeepError::Damaged { complaints });
    }
    let mut key_records = 0;
    store.read(ExperimentId::ARENA, 0, &mut |_| {
        key_records += 1;
        true
    })?;
    let mut experiments = Vec::new();
    for id in store.experiments()? {
        // A server may add to the log between two readings: until both end at the same place.
        let mut n_tries = 0;
        let (whole, short) = loop {
            n_tries += 1;
            if n_tries > MOST_TRIES {
                return Err(UpkeepError::Growing { experiment: id });
            }
            let (whole, short) = (load_from_start(&store, id)?, load(&store, id)?);
            if whole.as_ref().map(Experiment::seq) == short.as_ref().map(Experiment::seq) {
                break (whole, short);
            }
        };
        let (Some(whole), Some(short)) = (whole, short) else { continue };
        let fingerprint = digest(&whole);
        if fingerprint != digest(&short) {
            return Err(UpkeepError::Snapshot { experiment: id });
        }
        let version = whole.policy_version();
        experiments.push(FoundExperiment {
            id,
            name: whole.name().to_owned(),
            records: whole.seq(),
            votes: whole.totals().votes,
            digest: fingerprint,
            written_with: (version != whole.policy().info().version).then_some(version),
        });
    }
    Ok(Found { experiments, key_records })
}

/// Copies a data directory to a file while a server may be running on it, then opens the copy and
/// folds all of it.
///
/// # Errors
///
/// If the file exists, cannot be written, or is not sound.
pub fn back_up(directory: &Path, file: &Path) -> Result<Found, UpkeepError> {
    if file.exists() {
        return Err(UpkeepError::Exists { path: file.to_owned() });
    }
    let draft = beside(file);
    let _ = fs::remove_file(&draft);
    let result = SqliteStore::open_read_only(directory).map_err(UpkeepError::from).and_then(|store| {
        store.copy_to(&draft)?;
        sync(&draft)?;
        verify(&draft)
    });
    finish(result, &draft, file)
}

/// Makes a data directory from a copy. The copy is checked before it counts, and may be of an
/// earlier release.
///
/// # Errors
///
/// If the directory has data already, or the copy is not sound.
pub fn restore(file: &Path, directory: &Path) -> Result<Found, UpkeepError> {
    let target = SqliteStore::file(directory);
    if SqliteStore::is_present(directory) {
        return Err(UpkeepError::Exists { path: target });
    }
    if !file.is_file() {
        return Err(OpenError::Missing { path: file.to_owned() }.into());
    }
    if SqliteStore::has_write_ahead_log(file) {
        return Err(UpkeepError::InUse { path: file.to_owned() });
    }
    // Held to the end, so that no server starts on what is not there yet.
    let _lock = SqliteStore::lock(directory)?;
    let workshop = directory.join("restoring");
    let _ = fs::remove_dir_all(&workshop);
    let result = prepare(file, &workshop);
    let done = finish(result, &SqliteStore::file(&workshop), &target);
    let _ = fs::remove_dir_all(&workshop);
    done
}

/// Copies into a directory of its own, brings the schema up to date, and checks.
fn prepare(file: &Path, workshop: &Path) -> Result<Found, UpkeepError> {
    let draft = SqliteStore::file(workshop);
    let copied = fs::create_dir_all(workshop).and_then(|()| fs::copy(file, &draft));
    copied.map_err(|source| UpkeepError::Write { path: draft.clone(), source })?;
    // Closing it folds the write-ahead log in.
    drop(SqliteStore::open(workshop)?);
    sync(&draft)?;
    verify(&draft)
}

fn finish(result: Result<Found, UpkeepError>, draft: &Path, target: &Path) -> Result<Found, UpkeepError> {
    let result = result.and_then(|found| {
        let write = |source| UpkeepError::Write { path: target.to_owned(), source };
        fs::rename(draft, target).map_err(write)?;
        let parent =
            target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(parent).and_then(|parent| parent.sync_all()).map_err(write)?;
        Ok(found)
    });
    if result.is_err() {
        let _ = fs::remove_file(draft);
    }
    result
}

fn sync(path: &Path) -> Result<(), UpkeepError> {
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.map_err(|source| UpkeepError::Write { path: path.to_owned(), source })
}

/// A file beside the one wanted, to be renamed once it is whole.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    file.with_file_name(name)
}
