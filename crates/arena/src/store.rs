//! The storage of logs.
//!
//! The contract is small, so that another database can replace SQLite: append durably to the log
//! that the caller knows; read in order, checking every hash; look up by duel and by client; keep
//! snapshots. `tests/it/store.rs` checks every implementation against it.

use std::io::{self, Write};

use crate::domain::{Event, Head, Kind, Link, Record, RecordHash};
use crate::id::ExperimentId;
use crate::time::Time;

mod files;
mod heads;
mod snapshots;
mod sqlite;

pub(crate) use files::sync_directory;
pub(crate) use heads::{HEADS, read_heads, write_heads};
pub use sqlite::{OpenError, SCHEMA, SqliteStore};
pub(crate) use sqlite::{RebuiltLog, rebuild};

/// Records to append to one log.
#[derive(Debug, Clone)]
pub struct Append {
    /// The log.
    pub experiment: ExperimentId,
    /// Where the caller believes that the log ends.
    pub after: Head,
    /// The records, whose positions follow that end.
    pub records: Vec<Record>,
}

/// A record as it is stored: its hash covers these bytes.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy)]
pub struct StoredRecord<'a> {
    pub experiment: ExperimentId,
    pub seq: u64,
    pub at: Time,
    /// The number of the kind of event.
    pub kind: i64,
    pub body: &'a str,
    pub hash: RecordHash,
}

impl StoredRecord<'_> {
    /// Checks that the record follows `previous`, and that its hash is right. Returns the new head.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`] if it does not follow.
    pub fn check(&self, previous: Head) -> Result<Head, StoreError> {
        let Self { experiment, seq, at, kind, body, hash } = *self;
        let head = previous.after(Link { experiment, at, kind, body });
        if seq != head.seq {
            return Err(StoreError::record(experiment, head.seq, "is missing"));
        }
        if hash != head.hash {
            return Err(StoreError::record(
                experiment,
                seq,
                "does not fit its hash, or the record before it",
            ));
        }
        Ok(head)
    }

    /// Parses the record.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`] if its kind is unknown, or its body does not fit the kind.
    pub fn record(&self) -> Result<Record, StoreError> {
        let Self { experiment, seq, at, kind, body, .. } = *self;
        let Some(known) = Kind::from_number(kind) else {
            let what = format_args!("has an unknown kind of event: {kind}");
            return Err(StoreError::record(experiment, seq, what));
        };
        let event = Event::read(known, body).map_err(|error| {
            StoreError::record(experiment, seq, format_args!("cannot be parsed: {error}"))
        })?;
        Ok(Record { experiment, seq, at, event })
    }
}

/// A log per experiment, and one for the arena itself. All methods may block.
///
/// Records are chained by hashes ([`Head::after`]). A store checks the hash of every record that it
/// reads, and that the log reaches the head that it last acknowledged. What does not fit is
/// [`StoreError::Damaged`] and is never returned.
pub trait Store: Send + Sync {
    /// Appends to several logs at once, and returns when the records would survive a loss of power.
    /// The results are in the order of `logs`, which must be different logs. Each log gets all of
    /// its records or none; its result is its new head.
    ///
    /// An error other than [`StoreError::Conflict`] leaves open whether the records are in the log.
    /// The next read settles that for good, because everything that can be read survives too.
    ///
    /// # Errors
    ///
    /// [`StoreError::Conflict`] if another process was faster: the log does not end at
    /// [`Append::after`], or has a record of the same kind about the same duel, or the same client
    /// id. Other errors if the store cannot be written.
    fn append(&self, logs: &[Append]) -> Vec<Result<Head, StoreError>>;

    /// Lists all experiments that have a log, or should have one.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn experiments(&self) -> Result<Vec<ExperimentId>, StoreError>;

    /// Reads a log in order, after a log position, until it ends or `visit` returns false. The
    /// records are as they are stored, with the bytes that their hashes cover. Returns the head at
    /// the last record that was visited; none if the log has no record at `after`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or a record is damaged. All records before that were visited.
    fn read_stored(
        &self,
        experiment: ExperimentId,
        after: u64,
        visit: &mut dyn FnMut(&StoredRecord<'_>) -> bool,
    ) -> Result<Option<Head>, StoreError>;

    /// Reads a log as [`Store::read_stored`] does, and parses its records.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or a record is damaged. All records before that were visited.
    fn read(
        &self,
        experiment: ExperimentId,
        after: u64,
        visit: &mut dyn FnMut(Record) -> bool,
    ) -> Result<Option<Head>, StoreError> {
        let mut failure = None;
        let head = self.read_stored(experiment, after, &mut |stored| match stored.record() {
            Ok(record) => visit(record),
            Err(error) => {
                failure = Some(error);
                false
            }
        })?;
        failure.map_or(Ok(head), Err)
    }

    /// The head that a log had after the record at this position, without checking the record.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn head_at(&self, experiment: ExperimentId, seq: u64) -> Result<Option<Head>, StoreError>;

    /// Checks a whole log, with everything by which its records are looked up.
    ///
    /// # Errors
    ///
    /// If the log is damaged or cannot be read.
    fn check(&self, experiment: ExperimentId) -> Result<Head, StoreError>;

    /// The record that issued a duel and all later records about it, in order.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or a record is damaged.
    fn duel(&self, experiment: ExperimentId, seq: u64) -> Result<Vec<Record>, StoreError>;

    /// The duels of an experiment that have an event of this kind.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn duels_with(&self, experiment: ExperimentId, kind: Kind) -> Result<Vec<u64>, StoreError>;

    /// The log position of the first record of the request with this client id.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn client(&self, experiment: ExperimentId, client: &str) -> Result<Option<u64>, StoreError>;

    /// Stores a snapshot, which `write` writes, and deletes older ones.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    fn keep_snapshot(&self, of: SnapshotOf, write: &mut WriteState<'_>) -> Result<(), StoreError>;

    /// The log positions of the snapshots of an experiment, newest first.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn snapshots(&self, experiment: ExperimentId) -> Result<Vec<u64>, StoreError>;

    /// The snapshot at a log position: what it is of, and the state as JSON.
    ///
    /// # Errors
    ///
    /// If the snapshot is damaged or cannot be read.
    fn snapshot(&self, experiment: ExperimentId, seq: u64) -> Result<(SnapshotOf, Vec<u8>), StoreError>;

    /// Whether the store can be written now, as far as is known.
    ///
    /// # Errors
    ///
    /// What failed last, and was not repeated with success.
    fn health(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// How often a write-ahead log could not be moved into its database.
    fn n_checkpoint_failures(&self) -> u64 {
        0
    }

    /// Stores a time at which the server ran. Only the last time is kept. It may be lost in a loss
    /// of power; then an earlier one is found.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    fn mark_time(&self, now: Time) -> Result<(), StoreError>;

    /// The last time that was stored.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn last_time(&self) -> Result<Option<Time>, StoreError>;
}

/// Writes the state of a snapshot as JSON.
pub type WriteState<'a> = dyn FnMut(&mut dyn Write) -> io::Result<()> + 'a;

/// What a snapshot is of: an experiment at some position of its log.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotOf {
    pub experiment: ExperimentId,
    /// The last record that the state includes.
    pub head: Head,
    /// When the snapshot was taken.
    pub at: Time,
}

/// Why a store failed.
#[expect(missing_docs, reason = "the messages describe them")]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another process wrote to the log.
    #[error("another process has written to the same log")]
    Conflict,
    /// The store cannot be read or written now.
    #[error("the store cannot be used: {text}")]
    Unavailable { text: String },
    /// The contents of the store are damaged.
    #[error("the store is damaged: {text}")]
    Damaged {
        /// The log, and its first position that cannot be trusted, if the damage is there.
        log: Option<(ExperimentId, u64)>,
        text: String,
    },
    /// A later version wrote the store.
    #[error(
        "the data has schema {found}, but this version supports schemas only up to {known}: use a newer tiltyard"
    )]
    Newer { found: i64, known: i64 },
    /// The file is not a database of tiltyard.
    #[error("{path} is not a tiltyard database")]
    Foreign { path: String },
}

impl StoreError {
    /// A record that is damaged, or missing.
    pub(crate) fn record(experiment: ExperimentId, seq: u64, what: impl core::fmt::Display) -> Self {
        let text = format!("record {seq} of {} {what}", log_name(experiment));
        Self::Damaged { log: Some((experiment, seq)), text }
    }
}

/// The name of a log in messages.
pub(crate) fn log_name(experiment: ExperimentId) -> String {
    if experiment == ExperimentId::ARENA {
        "the log of keys".to_owned()
    } else {
        format!("experiment {experiment}")
    }
}
