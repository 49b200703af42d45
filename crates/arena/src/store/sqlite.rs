//! The embedded store: one SQLite file.
//!
//! With `synchronous=FULL` in WAL mode, a commit returns when the write-ahead log has been synced.
//! One connection writes; others read and do not wait for it.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, TransactionBehavior, params};

use super::{Snapshot, Store, StoreError};
use crate::domain::{Event, Kind, Record};
use crate::id::ExperimentId;
use crate::time::Time;

mod pool;
mod private;
mod schema;

use pool::Pool;
use private::{private_directory, private_file};
pub use schema::SCHEMA;

/// The name of the database file in a data directory.
const FILE: &str = "tiltyard.db";

/// The name of the lock file, which the writing process locks.
const LOCK: &str = "tiltyard.lock";

/// The number of snapshots per experiment. The older one is a spare in case the newest is unusable.
const SNAPSHOTS: i64 = 2;

/// Logs in an SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    /// Connections for reading. The field precedes the writer, so that the writer is closed last
    /// and moves the write-ahead log into the database.
    readers: Pool,
    /// Locked while a batch or a snapshot is written. None if the store was opened for reading.
    writer: Option<Mutex<Connection>>,
    /// Kept open, because closing the file releases the lock.
    _lock: Option<File>,
}

impl SqliteStore {
    /// Opens a data directory for writing by this process alone, and creates it if necessary.
    ///
    /// # Errors
    ///
    /// If another process has it open, or it cannot be used.
    pub fn open(directory: &Path) -> Result<Self, OpenError> {
        let lock = Self::lock(directory)?;
        let path = directory.join(FILE);
        private_file(&path).map_err(|source| OpenError::Directory { path: directory.to_owned(), source })?;
        let mut writer = Connection::open(&path).map_err(unavailable)?;
        schema::check(&writer, &path)?;
        tune(&writer).map_err(unavailable)?;
        schema::migrate(&mut writer)?;
        sync(&writer).map_err(unavailable)?;
        Ok(Self { path, writer: Some(Mutex::new(writer)), readers: Pool::default(), _lock: Some(lock) })
    }

    /// Creates a data directory if necessary, and locks it for this process. Closing the returned
    /// file releases the lock.
    pub(crate) fn lock(directory: &Path) -> Result<File, OpenError> {
        let file = |source| OpenError::Directory { path: directory.to_owned(), source };
        private_directory(directory).map_err(file)?;
        let lock = private_file(&directory.join(LOCK)).map_err(file)?;
        match lock.try_lock() {
            Ok(()) => Ok(lock),
            Err(TryLockError::WouldBlock) => Err(OpenError::Busy { path: directory.to_owned() }),
            Err(TryLockError::Error(error)) => Err(file(error)),
        }
    }

    /// Opens a data directory, or a database file such as a backup, for reading. This does not
    /// disturb the process that writes.
    ///
    /// # Errors
    ///
    /// If it cannot be used, or has an older schema than this version reads.
    pub fn open_read_only(path: &Path) -> Result<Self, OpenError> {
        let path = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
        if !path.is_file() {
            return Err(OpenError::Missing { path });
        }
        let store = Self { path, writer: None, readers: Pool::default(), _lock: None };
        store.with_reader(|reader| {
            schema::check(reader, &store.path)?;
            schema::check_current(reader)
        })?;
        Ok(store)
    }

    /// Whether a data directory has a database, or the remains of one after a crash.
    pub fn is_present(directory: &Path) -> bool {
        let file = directory.join(FILE);
        file.exists() || ["-wal", "-journal"].iter().any(|ending| beside(&file, ending).exists())
    }

    /// Whether a part of the database is still in the write-ahead log beside it, so that the file
    /// alone would be incomplete.
    pub(crate) fn has_write_ahead_log(file: &Path) -> bool {
        beside(file, "-wal").metadata().is_ok_and(|metadata| metadata.len() > 0)
    }

    /// The path of the database file in a data directory.
    pub fn file(directory: &Path) -> PathBuf {
        directory.join(FILE)
    }

    /// Writes a consistent copy of the database, while others may continue to write.
    ///
    /// # Errors
    ///
    /// If the copy cannot be written.
    pub fn copy_to(&self, path: &Path) -> Result<(), StoreError> {
        // SQLite accepts an empty file as the target and keeps its permissions.
        private_file(path).map_err(|error| StoreError::Unavailable { text: error.to_string() })?;
        let target = path.to_string_lossy();
        self.with_reader(|reader| reader.execute("VACUUM INTO ?1", [&target]).map(drop).map_err(unavailable))
    }

    /// The problems that SQLite itself finds in the file; empty if it is sound.
    ///
    /// # Errors
    ///
    /// If the file cannot be read at all.
    pub fn integrity(&self) -> Result<Vec<String>, StoreError> {
        self.with_reader(|reader| {
            let mut statement = reader.prepare("PRAGMA integrity_check").map_err(unavailable)?;
            let lines = statement.query_map([], |row| row.get(0)).and_then(Iterator::collect);
            let lines: Vec<String> = lines.map_err(unavailable)?;
            Ok(lines.into_iter().filter(|line| line != "ok").collect())
        })
    }

    fn with_reader<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let reader = self.readers.take(|| self.connect()).map_err(unavailable)?;
        let result = work(&reader);
        self.readers.give_back(reader);
        result
    }

    fn connect(&self) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let reader = Connection::open_with_flags(&self.path, flags)?;
        reader.busy_timeout(Duration::from_secs(5))?;
        Ok(reader)
    }
}

/// The path with a suffix appended.
fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn tune(writer: &Connection) -> rusqlite::Result<()> {
    writer.busy_timeout(Duration::from_secs(5))?;
    writer.pragma_update(None, "journal_mode", "WAL")?;
    writer.pragma_update(None, "synchronous", "FULL")?;
    // Fewer but longer checkpoints, because each costs two extra syncs.
    writer.pragma_update(None, "wal_autocheckpoint", 4000)
}

/// Makes the data found at the start durable. A process that was killed between write and sync left
/// a batch that can be read but might not survive a loss of power. Without this sync, the server
/// could report such a batch as recorded and lose it afterwards.
fn sync(writer: &Connection) -> rusqlite::Result<()> {
    // A checkpoint syncs the write-ahead log before it copies from it.
    writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

/// Ignores poisoning: a panic elsewhere leaves connections intact.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[expect(clippy::needless_pass_by_value, reason = "it is passed to `map_err`")]
fn unavailable(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => StoreError::Conflict,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Damaged { text: error.to_string() }
        }
        _ => StoreError::Unavailable { text: error.to_string() },
    }
}

/// A number as SQLite stores it. Ids and log positions do not use the highest bit.
fn signed(number: u64) -> i64 {
    i64::try_from(number).expect("ids and log positions are below 2^63")
}

fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, number))
}

/// The columns that [`record`] reads.
const COLUMNS: &str = "seq, at, kind, body";

fn record(experiment: ExperimentId, row: &Row<'_>) -> Result<Record, StoreError> {
    let seq = unsigned(row, 0).map_err(unavailable)?;
    let damaged = |text: String| StoreError::Damaged {
        text: format!("record {seq} of experiment {experiment}: {text}"),
    };
    let number: i64 = row.get(2).map_err(unavailable)?;
    let kind =
        Kind::from_number(number).ok_or_else(|| damaged(format!("unknown kind of event: {number}")))?;
    let body = row.get_ref(3).map_err(unavailable)?.as_str().map_err(|error| damaged(error.to_string()))?;
    let event = Event::read(kind, body).map_err(|error| damaged(error.to_string()))?;
    Ok(Record { experiment, seq, at: Time(row.get(1).map_err(unavailable)?), event })
}

impl Store for SqliteStore {
    fn append(&self, records: &[Record]) -> Result<(), StoreError> {
        let Some(writer) = &self.writer else {
            return Err(StoreError::Unavailable { text: "it was opened for reading only".to_owned() });
        };
        let mut writer = lock(writer);
        let add = |writer: &mut Connection| -> rusqlite::Result<()> {
            let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
            {
                let mut insert = transaction.prepare_cached(
                    "INSERT INTO log (experiment, seq, at, kind, duel, client, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                )?;
                for Record { experiment, seq, at, event } in records {
                    let (duel, client) = (event.duel().map(signed), event.client());
                    let kind = event.kind() as i64;
                    insert.execute(params![
                        signed(experiment.0),
                        signed(*seq),
                        at.0,
                        kind,
                        duel,
                        client,
                        event.body()
                    ])?;
                }
            }
            transaction.commit()
        };
        add(&mut writer).map_err(unavailable)
    }

    fn experiments(&self) -> Result<Vec<ExperimentId>, StoreError> {
        self.with_reader(|reader| {
            // One descent of the index per experiment, where DISTINCT would read the whole log.
            let mut next = reader
                .prepare_cached("SELECT min(experiment) FROM log WHERE experiment > ?1")
                .map_err(unavailable)?;
            let mut found = Vec::new();
            let mut last = 0;
            while let Some(id) =
                next.query_row([last], |row| row.get::<_, Option<i64>>(0)).map_err(unavailable)?
            {
                found.push(ExperimentId(id.unsigned_abs()));
                last = id;
            }
            Ok(found)
        })
    }

    fn read(
        &self,
        experiment: ExperimentId,
        after: u64,
        visit: &mut dyn FnMut(Record) -> bool,
    ) -> Result<(), StoreError> {
        self.with_reader(|reader| {
            let sql = format!("SELECT {COLUMNS} FROM log WHERE experiment = ?1 AND seq > ?2 ORDER BY seq");
            let mut statement = reader.prepare_cached(&sql).map_err(unavailable)?;
            let mut rows = statement.query([signed(experiment.0), signed(after)]).map_err(unavailable)?;
            while let Some(row) = rows.next().map_err(unavailable)? {
                if !visit(record(experiment, row)?) {
                    break;
                }
            }
            Ok(())
        })
    }

    fn duel(&self, experiment: ExperimentId, seq: u64) -> Result<Vec<Record>, StoreError> {
        self.with_reader(|reader| {
            let sql = format!("SELECT {COLUMNS} FROM log WHERE experiment = ?1 AND kind = ?2 AND duel = ?3");
            let mut later = reader.prepare_cached(&sql).map_err(unavailable)?;
            let sql = format!("SELECT {COLUMNS} FROM log WHERE experiment = ?1 AND seq = ?2 AND kind = ?3");
            let mut issue = reader.prepare_cached(&sql).map_err(unavailable)?;
            let mut records = Vec::new();
            let mut rows =
                issue.query([signed(experiment.0), signed(seq), Kind::Issued as i64]).map_err(unavailable)?;
            while let Some(row) = rows.next().map_err(unavailable)? {
                records.push(record(experiment, row)?);
            }
            if records.is_empty() {
                return Ok(records);
            }
            for kind in [Kind::Shown, Kind::Interleaved, Kind::Answered, Kind::Voided, Kind::Expired] {
                let mut rows =
                    later.query([signed(experiment.0), kind as i64, signed(seq)]).map_err(unavailable)?;
                while let Some(row) = rows.next().map_err(unavailable)? {
                    records.push(record(experiment, row)?);
                }
            }
            records.sort_by_key(|record| record.seq);
            Ok(records)
        })
    }

    fn duels_with(&self, experiment: ExperimentId, kind: Kind) -> Result<Vec<u64>, StoreError> {
        self.with_reader(|reader| {
            let mut statement = reader
                .prepare_cached(
                    "SELECT duel FROM log WHERE experiment = ?1 AND kind = ?2 AND duel IS NOT NULL ORDER BY duel",
                )
                .map_err(unavailable)?;
            let duels = statement.query_map([signed(experiment.0), kind as i64], |row| unsigned(row, 0));
            duels.and_then(Iterator::collect).map_err(unavailable)
        })
    }

    fn client(&self, experiment: ExperimentId, client: &str) -> Result<Option<u64>, StoreError> {
        self.with_reader(|reader| {
            let mut statement = reader
                .prepare_cached("SELECT seq FROM log WHERE experiment = ?1 AND client = ?2")
                .map_err(unavailable)?;
            let found = statement.query_row(params![signed(experiment.0), client], |row| unsigned(row, 0));
            found.optional().map_err(unavailable)
        })
    }

    fn keep_snapshot(&self, snapshot: &Snapshot) -> Result<(), StoreError> {
        let Some(writer) = &self.writer else {
            return Err(StoreError::Unavailable { text: "it was opened for reading only".to_owned() });
        };
        let Snapshot { experiment, seq, at, state } = snapshot;
        let mut writer = lock(writer);
        let keep = |writer: &mut Connection| -> rusqlite::Result<()> {
            let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
            transaction.execute(
                "INSERT OR REPLACE INTO snapshot (experiment, seq, at, state) VALUES (?1, ?2, ?3, ?4)",
                params![signed(experiment.0), signed(*seq), at.0, state],
            )?;
            transaction.execute(
                "DELETE FROM snapshot WHERE experiment = ?1 AND seq NOT IN \
                 (SELECT seq FROM snapshot WHERE experiment = ?1 ORDER BY seq DESC LIMIT ?2)",
                params![signed(experiment.0), SNAPSHOTS],
            )?;
            transaction.commit()
        };
        keep(&mut writer).map_err(unavailable)
    }

    fn snapshots(&self, experiment: ExperimentId) -> Result<Vec<Snapshot>, StoreError> {
        self.with_reader(|reader| {
            let mut statement = reader
                .prepare_cached("SELECT seq, at, state FROM snapshot WHERE experiment = ?1 ORDER BY seq DESC")
                .map_err(unavailable)?;
            let snapshot = |row: &Row<'_>| {
                Ok(Snapshot { experiment, seq: unsigned(row, 0)?, at: Time(row.get(1)?), state: row.get(2)? })
            };
            let snapshots = statement.query_map([signed(experiment.0)], snapshot);
            snapshots.and_then(Iterator::collect).map_err(unavailable)
        })
    }

    // TODO(main): store the time with the heads of the logs.
    fn mark_time(&self, _now: Time) -> Result<(), StoreError> {
        Ok(())
    }

    // TODO(main): read the time from the heads of the logs.
    fn last_time(&self) -> Result<Option<Time>, StoreError> {
        Ok(None)
    }
}

/// Why a data directory cannot be opened.
#[expect(missing_docs, reason = "the messages describe them")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The directory cannot be created or locked.
    #[error("could not use the data directory {}", path.display())]
    Directory { path: PathBuf, source: std::io::Error },
    /// The database does not exist.
    #[error("the database {} does not exist", path.display())]
    Missing { path: PathBuf },
    /// Another process has the directory open.
    #[error("another process has the data directory {} open", path.display())]
    Busy { path: PathBuf },
    /// The database cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}
