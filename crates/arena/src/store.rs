//! The storage of logs.
//!
//! The contract is small, so that another database can replace SQLite: append durably, all or
//! nothing; read in order; look up by duel and by client; store snapshots. `tests/it/store.rs`
//! checks every implementation against it.

use crate::domain::{Kind, Record};
use crate::id::ExperimentId;
use crate::time::Time;

mod sqlite;

pub use sqlite::{OpenError, SCHEMA, SqliteStore};

/// A log per experiment, and one for the arena itself. All methods may block.
pub trait Store: Send + Sync {
    /// Appends records in this order, all or none, and returns when they would survive a loss of
    /// power. After an error, the records may or may not be in the log. The next read settles that
    /// for good, because everything that can be read survives too.
    ///
    /// # Errors
    ///
    /// [`StoreError::Conflict`] if another process was faster: the log already has a record at one
    /// of these positions, or a record of the same kind about the same duel, or the same client id.
    /// Nothing was appended then. Other errors if the store cannot be written.
    fn append(&self, records: &[Record]) -> Result<(), StoreError>;

    /// Lists all experiments that have a log.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn experiments(&self) -> Result<Vec<ExperimentId>, StoreError>;

    /// Reads a log in order, after a log position, until it ends or `visit` returns false.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or a record is damaged.
    fn read(
        &self,
        experiment: ExperimentId,
        after: u64,
        visit: &mut dyn FnMut(Record) -> bool,
    ) -> Result<(), StoreError>;

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

    /// Stores a snapshot, and deletes older ones.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    fn keep_snapshot(&self, snapshot: &Snapshot) -> Result<(), StoreError>;

    /// The snapshots of an experiment, newest first.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn snapshots(&self, experiment: ExperimentId) -> Result<Vec<Snapshot>, StoreError>;

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

/// The state of an experiment at some position of its log, as JSON.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    pub experiment: ExperimentId,
    /// The last log position that the state includes.
    pub seq: u64,
    /// When the snapshot was taken.
    pub at: Time,
    pub state: String,
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
    Damaged { text: String },
    /// A later version wrote the store.
    #[error(
        "the data has schema {found}, but this version supports schemas only up to {known}: use a newer tiltyard"
    )]
    Newer { found: i64, known: i64 },
    /// The file is not a database of tiltyard.
    #[error("{path} is not a tiltyard database")]
    Foreign { path: String },
}
