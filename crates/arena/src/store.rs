//! The storage of logs.
//!
//! The contract is small, so that another database can replace SQLite: append durably to the log
//! that the caller knows; read in order, checking every hash; look up by duel and by client; keep
//! names and contents beside the logs, so that they can be erased; keep snapshots.
//! `tests/it/store.rs` checks every implementation against it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use crate::domain::{Contents, Event, Head, Kind, Link, Record, RecordHash, Voter};
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
    /// its records or none; its result is its new head. Names of voters and sealed contents that
    /// the records have are stored with them, outside of the log.
    ///
    /// An error other than [`StoreError::Conflict`] leaves open whether the records are in the log.
    /// The next read settles that for good, because everything that can be read survives too.
    ///
    /// # Errors
    ///
    /// [`StoreError::Conflict`] if another process was faster: the log does not end at
    /// [`Append::after`], or has a record of the same kind about the same duel, or the same client
    /// id, or a new voter has the number or the name of another one. Other errors if the store
    /// cannot be written.
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

    /// The numbers of voters, by their names. Names without a number are left out.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, or a name is damaged.
    fn numbers(
        &self,
        experiment: ExperimentId,
        names: &BTreeSet<&str>,
    ) -> Result<BTreeMap<String, u64>, StoreError>;

    /// The names of voters, by their numbers; `None` for an erased name. Names that are missing or
    /// damaged are left out.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn names(
        &self,
        experiment: ExperimentId,
        numbers: &BTreeSet<u64>,
    ) -> Result<BTreeMap<u64, Option<String>>, StoreError>;

    /// The sealed contents of records, by their log positions; `None` if they were erased. They are
    /// not checked. Those that are missing are left out.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn contents(
        &self,
        experiment: ExperimentId,
        records: &BTreeSet<u64>,
    ) -> Result<BTreeMap<u64, Option<Contents>>, StoreError>;

    /// Adds the names of voters and the sealed contents to records of one log, after checking them.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, or if a name or contents are missing or damaged.
    fn reveal(&self, records: &mut [Record]) -> Result<(), StoreError> {
        let Some(experiment) = records.first().map(|record| record.experiment) else { return Ok(()) };
        let numbers = records.iter().flat_map(|record| record.event.numbers());
        let numbers: BTreeSet<u64> = numbers.map(|(number, _)| number).collect();
        let sealed = records.iter().filter(|record| record.event.seal().is_some());
        let sealed: BTreeSet<u64> = sealed.map(|record| record.seq).collect();
        let names = if numbers.is_empty() { BTreeMap::new() } else { self.names(experiment, &numbers)? };
        let mut contents =
            if sealed.is_empty() { BTreeMap::new() } else { self.contents(experiment, &sealed)? };
        for Record { seq, event, .. } in records {
            for voter in event.voters_mut() {
                if let Voter::Number(number, name) = voter {
                    let damaged = format_args!("has the voter {number}, whose name is missing or damaged");
                    let found = names.get(number);
                    name.clone_from(found.ok_or_else(|| StoreError::record(experiment, *seq, damaged))?);
                }
            }
            if let Some(seal) = event.seal_mut() {
                let found = contents.remove(seq);
                if !found.is_some_and(|found| seal.open(found)) {
                    return Err(StoreError::record(
                        experiment,
                        *seq,
                        "has a context that is missing or damaged",
                    ));
                }
            }
        }
        Ok(())
    }

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
