//! Upkeep of a data directory: check it, back it up, restore a backup, repair it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::arena::{ArenaError, LoadError, Loaded, SetApart, digest, load, load_until};
use crate::id::ExperimentId;
use crate::store::{HEADS, OpenError, SqliteStore, Store, StoreError, sync_directory};

mod log_file;
mod repair;

pub(crate) use log_file::LogLine;
pub use log_file::{LogFileError, VerifiedLog, verify_log};
pub use repair::{Repaired, RepairedLog, repair};

/// The contents of a data directory or of a backup.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The experiments that are sound.
    pub experiments: Vec<FoundExperiment>,
    /// The experiments that are damaged.
    pub damaged: Vec<SetApart>,
    /// Other damage: to the log of keys, to snapshots, to the file of heads, to the file as a
    /// whole.
    pub damage: Vec<String>,
    /// The number of records about keys: one for each key that was created, revoked or expired.
    pub key_records: u64,
}

impl Found {
    /// Whether nothing is damaged.
    pub fn is_sound(&self) -> bool {
        self.damaged.is_empty() && self.damage.is_empty()
    }

    /// Refuses data that is damaged.
    fn sound(self) -> Result<Self, UpkeepError> {
        if self.is_sound() { Ok(self) } else { Err(UpkeepError::Damaged { found: Box::new(self) }) }
    }
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
    /// The hash of the last record, the same as the API's `head`.
    pub head: String,
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
    /// Something is damaged, and nothing was written.
    #[error("the data is damaged")]
    Damaged { found: Box<Found> },
    /// A part of the data is in a write-ahead log: a server has the file open, or was killed.
    #[error("{} is not a backup: it has a write-ahead log beside it", path.display())]
    InUse { path: PathBuf },
    /// Records are lost, and nobody has allowed to cut the logs there.
    #[error("some records cannot be recovered; nothing was changed")]
    Lost { logs: Vec<RepairedLog> },
    /// The target exists already.
    #[error("{} exists already", path.display())]
    Exists { path: PathBuf },
    /// A file could not be written.
    #[error("could not write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

/// Checks a data directory or a backup: the file, every record and every index of every log, that
/// the logs reach their heads, and that snapshots match the logs. A server may be running on it.
///
/// # Errors
///
/// If the data cannot be read at all. Damage is a part of the result.
pub fn verify(path: &Path) -> Result<Found, UpkeepError> {
    let store = SqliteStore::open_read_only(path)?;
    let mut damage = store.notes().to_vec();
    match store.integrity() {
        Ok(complaints) => {
            damage.extend(complaints.into_iter().map(|complaint| format!("SQLite: {complaint}")));
        }
        Err(error) => damage.push(error.to_string()),
    }
    let key_records = match store.check(ExperimentId::ARENA) {
        Ok(head) => head.seq,
        Err(error) => {
            damage.push(error.to_string());
            0
        }
    };
    let (mut experiments, mut damaged) = (Vec::new(), Vec::new());
    for id in store.experiments()? {
        match verify_one(&store, id, &mut damage) {
            Ok(found) => experiments.extend(found),
            Err(error) => damaged.push(SetApart::find(&store, id, &error)),
        }
    }
    Ok(Found { experiments, damaged, damage, key_records })
}

/// Checks one experiment. Damage to its snapshots is added to `damage`.
fn verify_one(
    store: &SqliteStore,
    id: ExperimentId,
    damage: &mut Vec<String>,
) -> Result<Option<FoundExperiment>, ArenaError> {
    store.check(id)?;
    let Some(Loaded { experiment: short, head, .. }) = load(store, id)? else { return Ok(None) };
    // The log may have grown since: compare both states at the same position.
    let Some(whole) = load_until(store, id, head.seq)? else { return Ok(None) };
    let whole = whole.experiment;
    let fingerprint = digest(&whole);
    if fingerprint != digest(&short) {
        damage.push(format!("experiment {id}: its snapshot and its log give different states"));
    }
    for seq in store.snapshots(id)? {
        if let Err(error) = store.snapshot(id, seq) {
            damage.push(error.to_string());
        }
    }
    let version = whole.policy_version();
    Ok(Some(FoundExperiment {
        id,
        name: whole.name().to_owned(),
        records: whole.seq(),
        votes: whole.totals().votes,
        digest: fingerprint,
        head: head.hash.to_string(),
        written_with: (version != whole.policy().info().version).then_some(version),
    }))
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
        verify(&draft)?.sound()
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
    let result = prepare(file, &workshop).and_then(|found| {
        let heads = directory.join(HEADS);
        let moved = fs::rename(workshop.join(HEADS), &heads);
        moved.map_err(|source| UpkeepError::Write { path: heads, source })?;
        Ok(found)
    });
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
    verify(workshop)?.sound()
}

fn finish(result: Result<Found, UpkeepError>, draft: &Path, target: &Path) -> Result<Found, UpkeepError> {
    let result = result.and_then(|found| {
        let write = |source| UpkeepError::Write { path: target.to_owned(), source };
        fs::rename(draft, target).map_err(write)?;
        sync_directory(target).map_err(write)?;
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
