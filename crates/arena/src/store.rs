//! Where logs are kept.
//!
//! The contract is small, so that another database can stand in SQLite's place: append all or
//! nothing and durably, read in order, look up by duel and by client, keep snapshots.
//! `tests/it/store.rs` holds every implementation to it.

use crate::domain::{Kind, Record};
use crate::id::ExperimentId;
use crate::time::Time;

mod sqlite;

pub use sqlite::{OpenError, SCHEMA, SqliteStore};

/// A log for each experiment, and one for the arena itself. All methods may block.
pub trait Store: Send + Sync {
    /// Adds records in this order, all or none, and returns when they would survive a loss of
    /// power. If it fails, they may or may not be there; whichever is read afterwards holds for
    /// good, as what is read survives too.
    ///
    /// # Errors
    ///
    /// [`StoreError::Conflict`] if a record's place is taken, or its duel or client is in the log
    /// already with that kind: another process was faster, and nothing was added. Others if the
    /// store cannot be written.
    fn append(&self, records: &[Record]) -> Result<(), StoreError>;

    /// All experiments that have a log.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn experiments(&self) -> Result<Vec<ExperimentId>, StoreError>;

    /// Reads a log in order, after a log position, until it ends or `visit` says false.
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

    /// The issue of a duel and all other records about it, in order.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or a record is damaged.
    fn duel(&self, experiment: ExperimentId, seq: u64) -> Result<Vec<Record>, StoreError>;

    /// The duels of an experiment that have an event of that kind.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn duels_with(&self, experiment: ExperimentId, kind: Kind) -> Result<Vec<u64>, StoreError>;

    /// The log position of the first duel of the request that a client gave this name.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn client(&self, experiment: ExperimentId, client: &str) -> Result<Option<u64>, StoreError>;

    /// Keeps a snapshot, and lets older ones go.
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
}

/// The state of an experiment at some position of its log, as JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Whose.
    pub experiment: ExperimentId,
    /// The last log position that is folded in.
    pub seq: u64,
    /// When it was made.
    pub at: Time,
    /// The state.
    pub state: String,
}

/// Why a store failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another process was faster.
    #[error("another process has written to the same log")]
    Conflict,
    /// It cannot be read or written now.
    #[error("the store cannot be used: {text}")]
    Unavailable {
        /// What it said.
        text: String,
    },
    /// What is in it makes no sense.
    #[error("the store is damaged: {text}")]
    Damaged {
        /// What is wrong.
        text: String,
    },
    /// It was written by a later version.
    #[error(
        "the data has schema {found}, and this version knows schemas up to {known}: use a newer tiltyard"
    )]
    Newer {
        /// Its schema.
        found: i64,
        /// The newest known.
        known: i64,
    },
    /// It is something else.
    #[error("{path} is not a tiltyard database")]
    Foreign {
        /// The file.
        path: String,
    },
}
