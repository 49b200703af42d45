//! Upkeep of a data directory: check it, back it up, restore a backup.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::arena::{LoadError, digest, load, load_from_start};
use crate::domain::Experiment;
use crate::id::ExperimentId;
use crate::store::{OpenError, SqliteStore, Store, StoreError};

/// How many times to read a log that a server keeps appending to before giving up.
const MOST_TRIES: usize = 20;

/// The contents of a data directory or of a backup.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub experiments: Vec<FoundExperiment>,
    /// The number of records about keys: one for each key that was created, revoked or expired.
    pub key_records: u64,
}

/// An experiment, folded from the start of its log.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct FoundExperiment {
    pub id: ExperimentId,
    pub name: String,
    /// The number of records in its log.
    pub records: u64,
    /// The number of votes that count.
    pub votes: u64,
    /// A fingerprint of the state, the same as the API's `digest`.
    pub digest: String,
    /// The version of the policy's updates with which the log was written, if it is not the current
    /// one.
    pub written_with: Option<u32>,
}

/// Why a data directory is damaged, or could not be backed up or restored.
#[expect(missing_docs, reason = "the messages describe them")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UpkeepError {
    /// The data cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The data cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A log cannot be folded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// SQLite reports that the file is damaged.
    #[error("the database file is damaged: {}", complaints.join("; "))]
    Damaged { complaints: Vec<String> },
    /// A snapshot does not match its log.
    #[error("experiment {experiment}: its snapshot and its log give different states")]
    Snapshot { experiment: ExperimentId },
    /// A part of the data is in a write-ahead log: a server has the file open, or was killed.
    #[error("{} is not a backup: it has a write-ahead log beside it", path.display())]
    InUse { path: PathBuf },
    /// A server appends to the log faster than it can be checked.
    #[error("the log of experiment {experiment} grows faster than it can be checked")]
    Growing { experiment: ExperimentId },
    /// The target exists already.
    #[error("{} exists already", path.display())]
    Exists { path: PathBuf },
    /// A file could not be written.
    #[error("could not write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

/// Checks a data directory or a backup: the file, every record of every log, and that snapshots
/// match the logs. A server may be running on it.
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
        // A server may append to the log between the two reads: repeat until both end at the same
        // position.
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

/// Backs up a data directory to a file, then verifies the backup. A server may be running on the
/// directory.
///
/// # Errors
///
/// If the file exists or cannot be written, or if the backup is damaged.
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

/// Restores a data directory from a backup, which may be of an earlier release. The backup is
/// verified before it takes effect.
///
/// # Errors
///
/// If the directory already has data, or if the backup is damaged.
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
    // Held to the end, so that no server starts on incomplete data.
    let _lock = SqliteStore::lock(directory)?;
    let workshop = directory.join("restoring");
    let _ = fs::remove_dir_all(&workshop);
    let result = prepare(file, &workshop);
    let done = finish(result, &SqliteStore::file(&workshop), &target);
    let _ = fs::remove_dir_all(&workshop);
    done
}

/// Copies the backup into a separate directory, updates its schema, and verifies it.
fn prepare(file: &Path, workshop: &Path) -> Result<Found, UpkeepError> {
    let draft = SqliteStore::file(workshop);
    let copied = fs::create_dir_all(workshop).and_then(|()| fs::copy(file, &draft));
    copied.map_err(|source| UpkeepError::Write { path: draft.clone(), source })?;
    // Closing the store moves the write-ahead log into the database file.
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

/// The temporary file beside the target, which is renamed once it is complete.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    file.with_file_name(name)
}
