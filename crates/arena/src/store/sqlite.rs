//! The embedded store: one SQLite file, beside it the file of heads and the snapshots.
//!
//! With `synchronous=FULL` in WAL mode, a commit returns when the write-ahead log has been synced.
//! One connection writes; others read and do not wait for it.
//!
//! **After a failed commit** nobody knows whether the records reached the disk: the sync that
//! failed may have written them or not, and a later sync that succeeds says nothing about them.
//! Connections of this process do not see them, but a process that starts after a kill might find
//! them. Therefore the next use of the store first writes and syncs one row ([`settle`]). Its
//! frames take the place of the failed ones in the write-ahead log, so that the records are gone
//! for good. Until that succeeds, nothing is read or written.
//!
//! [`settle`]: SqliteStore::settle

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::hooks::Wal;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, TransactionBehavior, params};

use super::files::{Identity, beside, private_directory, private_file};
use super::heads::{HEADS, HeadFile, Heads};
use super::snapshots::Snapshots;
use super::{Append, SnapshotOf, Store, StoreError, StoredRecord, WriteState};
use crate::domain::{Contents, Head, Kind, Link, Record, RecordHash};
use crate::id::ExperimentId;
use crate::time::Time;

mod check;
mod people;
mod pool;
mod rebuild;
mod schema;
mod wal;

use pool::Pool;
pub(crate) use rebuild::{RebuiltLog, rebuild};
pub use schema::SCHEMA;

/// The name of the database file in a data directory.
const FILE: &str = "tiltyard.db";

/// The name of the lock file, which the writing process locks.
const LOCK: &str = "tiltyard.lock";

/// The number of pages in the write-ahead log at which it is moved into the database. Fewer but
/// longer checkpoints are cheaper, because each costs several syncs.
const CHECKPOINT: u64 = 4000;

/// How many more pages the write-ahead log must have before a checkpoint that could not finish is
/// tried again.
const CHECKPOINT_AGAIN: u64 = 1000;

/// Logs in an SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    snapshots: Snapshots,
    /// Connections for reading. The field precedes the writer, so that the writer is closed last
    /// and moves the write-ahead log into the database.
    readers: Pool,
    /// Locked while a batch is written. None if the store was opened for reading.
    writer: Option<Mutex<Writing>>,
    /// The heads that every log must reach. Locked only to look one up or to change one.
    heads: Arc<Mutex<Heads>>,
    /// Whether a commit failed and is not settled yet.
    unsettled: AtomicBool,
    /// Damage to the file of heads that was found when the store was opened.
    notes: Vec<String>,
    /// What failed last, and was not repeated with success.
    failure: Mutex<Option<StoreError>>,
    n_checkpoint_failures: AtomicU64,
    /// Whether hashes are checked. Only a test of the tests switches that off.
    checks: bool,
    /// Kept open, because closing the file releases the lock.
    _lock: Option<File>,
}

/// What only the writer uses.
#[derive(Debug)]
struct Writing {
    connection: Connection,
    heads: HeadFile,
    database: Identity,
    /// The write-ahead log, once it was written to.
    wal: Option<Identity>,
    /// The number of pages in the write-ahead log after the last commit.
    n_pages: Arc<AtomicU64>,
    /// The number of pages at which the next checkpoint is due.
    checkpoint_at: u64,
    /// Why the store cannot be used any more: its file was deleted or replaced.
    gone: Option<String>,
}

impl SqliteStore {
    /// Opens a data directory for writing by this process alone, and creates it if necessary.
    ///
    /// # Errors
    ///
    /// If another process has it open, or it cannot be used.
    pub fn open(directory: &Path) -> Result<Self, OpenError> {
        Self::open_locked(directory).map_err(|error| match error {
            OpenError::Store(error) => OpenError::Store(in_file(&directory.join(FILE), error)),
            error => error,
        })
    }

    fn open_locked(directory: &Path) -> Result<Self, OpenError> {
        let lock = Self::lock(directory)?;
        let path = directory.join(FILE);
        let file = |source| OpenError::Directory { path: directory.to_owned(), source };
        private_file(&path).map_err(file)?;
        wal::rewrite(&beside(&path, "-wal")).map_err(file)?;
        Self::mend(directory).map_err(file)?;
        let mut writer = Connection::open(&path).map_err(unavailable)?;
        match schema::check(&writer, &path)? {
            0 => {
                tune(&writer).map_err(unavailable)?;
                schema::create(&mut writer)?;
            }
            SCHEMA => tune(&writer).map_err(unavailable)?,
            _ => {
                writer = rebuild::migrate(writer, &path)?;
                tune(&writer).map_err(unavailable)?;
            }
        }
        let found = Heads::read(&directory.join(HEADS)).map_err(file)?;
        let (heads, notes) = known_heads(&writer, found, &directory.join(HEADS))?;
        sync(&writer).map_err(unavailable)?;
        let heads = Arc::new(Mutex::new(heads));
        let head_file = HeadFile::create(directory.join(HEADS), Arc::clone(&heads)).map_err(file)?;
        let (database, _) = Identity::of(&path).map_err(file)?;
        let n_pages = Arc::new(AtomicU64::new(0));
        let note = Arc::clone(&n_pages);
        let hook = move |_: &mut Wal, pages: i32| {
            note.store(u64::try_from(pages).unwrap_or(0), Ordering::Relaxed);
            Ok(())
        };
        writer.wal_hook(Some(hook)).map_err(unavailable)?;
        let writing = Writing {
            connection: writer,
            n_pages,
            heads: head_file,
            database,
            wal: None,
            checkpoint_at: CHECKPOINT,
            gone: None,
        };
        Ok(Self {
            path,
            snapshots: Snapshots::of(directory),
            writer: Some(Mutex::new(writing)),
            readers: Pool::default(),
            heads,
            unsettled: AtomicBool::new(false),
            notes,
            failure: Mutex::default(),
            n_checkpoint_failures: AtomicU64::new(0),
            checks: true,
            _lock: Some(lock),
        })
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
        let (path, data) =
            if path.is_dir() { (path.join(FILE), Some(path.to_owned())) } else { (path.to_owned(), None) };
        if !path.is_file() {
            return Err(OpenError::Missing { path });
        }
        let heads_path = data.as_deref().map(|data| data.join(HEADS));
        // Read before the database, which may only be ahead of them.
        let found = match &heads_path {
            Some(heads) => {
                Heads::read(heads).map_err(|source| OpenError::Directory { path: heads.clone(), source })?
            }
            None => None,
        };
        let mut store = Self::reading(path, data.as_deref(), Heads::default());
        let (heads, notes) = store.with_reader(|reader| {
            schema::check_current(schema::check(reader, &store.path)?)?;
            match &heads_path {
                Some(path) => known_heads(reader, found, path),
                None => Ok((backup_heads(reader)?, Vec::new())),
            }
        })?;
        store.heads = Arc::new(Mutex::new(heads));
        store.notes = notes;
        Ok(store)
    }

    /// A store for reading.
    fn reading(path: PathBuf, data: Option<&Path>, heads: Heads) -> Self {
        Self {
            path,
            // A backup has no snapshots.
            snapshots: Snapshots::of(data.unwrap_or(Path::new(""))),
            writer: None,
            readers: Pool::default(),
            heads: Arc::new(Mutex::new(heads)),
            unsettled: AtomicBool::new(false),
            notes: Vec::new(),
            failure: Mutex::default(),
            n_checkpoint_failures: AtomicU64::new(0),
            checks: true,
            _lock: None,
        }
    }

    /// The same store without any check of hashes and heads, to show that the tests of damage
    /// notice when the checks are missing.
    #[doc(hidden)]
    #[must_use]
    pub fn without_checks(self) -> Self {
        Self { checks: false, ..self }
    }

    /// Damage to the file of heads that was found when the store was opened.
    pub fn notes(&self) -> &[String] {
        &self.notes
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

    /// Writes a consistent copy of the database, while others may continue to write. The copy has
    /// the heads of its logs in a table.
    ///
    /// # Errors
    ///
    /// If the copy cannot be written.
    pub fn copy_to(&self, path: &Path) -> Result<(), StoreError> {
        // SQLite accepts an empty file as the target and keeps its permissions.
        private_file(path).map_err(|error| StoreError::Unavailable { text: error.to_string() })?;
        let known = lock(&self.heads).logs.clone();
        let target = path.to_string_lossy();
        self.with_reader(|reader| {
            reader.execute("VACUUM INTO ?1", [&target]).map(drop).map_err(unavailable)
        })?;
        let copy = Connection::open(path).map_err(unavailable)?;
        rebuild::write_heads(&copy, known).map_err(unavailable)
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
        if self.unsettled.load(Ordering::Acquire)
            && let Some(writer) = &self.writer
        {
            self.settle(&mut lock(writer))?;
        }
        let reader = self.readers.take(|| self.connect()).map_err(unavailable)?;
        let result = work(&reader);
        self.readers.give_back(reader);
        result.map_err(|error| in_file(&self.path, error))
    }

    fn connect(&self) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let reader = Connection::open_with_flags(&self.path, flags)?;
        reader.busy_timeout(Duration::from_secs(5))?;
        Ok(reader)
    }

    /// Removes what a failed commit may have left, for good. Does nothing if no commit failed.
    fn settle(&self, writing: &mut Writing) -> Result<(), StoreError> {
        if !self.unsettled.load(Ordering::Acquire) {
            return Ok(());
        }
        if let Some(text) = &writing.gone {
            return Err(StoreError::Unavailable { text: text.clone() });
        }
        let settled = writing.connection.execute("UPDATE settled SET times = times + 1", []);
        settled.map_err(unavailable)?;
        // Its last entries may be missing, if it was the file of heads that could not be written.
        writing.heads.renew().map_err(|error| io_failure(HEADS, &error))?;
        self.unsettled.store(false, Ordering::Release);
        Ok(())
    }

    /// Appends to the logs; the outer error is about all of them.
    fn try_append(
        &self,
        writing: &mut Writing,
        logs: &[Append],
    ) -> Result<Vec<Result<Head, StoreError>>, StoreError> {
        self.settle(writing)?;
        let transaction = writing
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(unavailable)?;
        let mut results = Vec::with_capacity(logs.len());
        for log in logs {
            // One log alone needs no savepoint: the whole transaction is rolled back.
            let is_one_of_several = logs.len() > 1;
            if is_one_of_several {
                transaction.execute_batch("SAVEPOINT log").map_err(unavailable)?;
            }
            let result = match insert(&transaction, log) {
                Ok(head) => Ok(head),
                Err(StoreError::Conflict) => Err(StoreError::Conflict),
                Err(error) => return Err(error),
            };
            if is_one_of_several {
                let end = if result.is_ok() { "RELEASE log" } else { "ROLLBACK TO log; RELEASE log" };
                transaction.execute_batch(end).map_err(unavailable)?;
            }
            results.push(result);
        }
        let written: Vec<(ExperimentId, Head)> = logs
            .iter()
            .zip(&results)
            .filter_map(|(log, result)| Some((log.experiment, *result.as_ref().ok()?)))
            .collect();
        if written.is_empty() {
            return Ok(results);
        }
        transaction.commit().map_err(unavailable)?;
        writing.heads.write(&written).map_err(|error| io_failure(HEADS, &error))?;
        self.check_files(writing)?;
        Ok(results)
    }

    /// Checks that the files are those that were opened. Otherwise the commit went to a file that
    /// nobody will find again.
    fn check_files(&self, writing: &mut Writing) -> Result<(), StoreError> {
        if let Some(text) = &writing.gone {
            return Err(StoreError::Unavailable { text: text.clone() });
        }
        let wal = beside(&self.path, "-wal");
        let is_same =
            |path: &Path, known: Identity| Identity::of(path).is_ok_and(|(identity, _)| identity == known);
        let found = Identity::of(&wal).map(|(identity, _)| identity);
        let missing = match found {
            Ok(identity) if *writing.wal.get_or_insert(identity) == identity => {
                if !is_same(&self.path, writing.database) {
                    Some(FILE)
                } else if !writing.heads.is_in_place() {
                    Some(HEADS)
                } else {
                    None
                }
            }
            _ => Some("tiltyard.db-wal"),
        };
        let Some(name) = missing else { return Ok(()) };
        // The deleted file lives on while this connection is open.
        let rescue = beside(&self.path, ".rescued");
        let saved = private_file(&rescue).map_err(|error| error.to_string()).and_then(|_| {
            let target = rescue.to_string_lossy();
            writing.connection.execute("VACUUM INTO ?1", [&target]).map_err(|error| error.to_string())
        });
        let saved = match saved {
            Ok(_) => format!("its contents were saved to {}", rescue.display()),
            Err(error) => format!("its contents could not be saved: {error}"),
        };
        let text = format!("{name} was deleted or replaced while the server was running; {saved}");
        tracing::error!("{text}");
        writing.gone = Some(text.clone());
        Err(StoreError::Unavailable { text })
    }

    /// Moves the write-ahead log into the database if it has become long.
    fn checkpoint(&self, writing: &mut Writing) {
        let n_pages = writing.n_pages.load(Ordering::Relaxed);
        if n_pages < CHECKPOINT {
            // The log was moved, and began anew.
            writing.checkpoint_at = CHECKPOINT;
        }
        if n_pages < writing.checkpoint_at {
            return;
        }
        writing.checkpoint_at = n_pages + CHECKPOINT_AGAIN;
        self.move_log(writing);
    }

    /// Moves the write-ahead log into the database, and notes whether that failed.
    fn move_log(&self, writing: &mut Writing) {
        let heads = writing.heads.renew().map_err(|error| io_failure(HEADS, &error));
        let moved = heads.and_then(|()| {
            let checkpoint = writing.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
            checkpoint.map_err(unavailable)
        });
        let mut failure = lock(&self.failure);
        *failure = moved.err();
        if let Some(error) = &*failure {
            self.n_checkpoint_failures.fetch_add(1, Ordering::Relaxed);
            tracing::error!(%error, "could not move the write-ahead log into the database");
        }
    }

    /// The head after a record that follows `previous`.
    fn follow(&self, stored: &StoredRecord<'_>, previous: Head) -> Result<Head, StoreError> {
        if self.checks { stored.check(previous) } else { Ok(Head { seq: stored.seq, hash: stored.hash }) }
    }

    /// Remembers the head of a log that was checked as a whole.
    fn note_head(&self, experiment: ExperimentId, head: Head) {
        if head.seq <= self.expected(experiment).seq {
            return;
        }
        match &self.writer {
            Some(writer) => {
                if let Err(error) = lock(writer).heads.write(&[(experiment, head)]) {
                    tracing::warn!(%error, "could not write {HEADS}");
                }
            }
            None => lock(&self.heads).advance(experiment, head),
        }
    }

    /// The head that a log must reach.
    fn expected(&self, experiment: ExperimentId) -> Head {
        let heads = lock(&self.heads);
        heads.logs.get(&experiment).copied().filter(|_| self.checks).unwrap_or(Head::EMPTY)
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        // After a clean stop, the heads survive a loss of power too.
        if self.gone.is_none() {
            let _ = self.heads.renew();
        }
    }
}

/// Inserts the records of one log.
fn insert(transaction: &Connection, log: &Append) -> Result<Head, StoreError> {
    let Append { experiment, after, records } = log;
    if last(transaction, *experiment).map_err(unavailable)? != *after {
        return Err(StoreError::Conflict);
    }
    let mut insert = transaction
        .prepare_cached(
            "INSERT INTO log (experiment, seq, at, kind, duel, client, body, hash) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )
        .map_err(unavailable)?;
    let mut head = *after;
    for record in records {
        let Record { experiment: of, seq, at, event } = record;
        let (kind, body) = (event.kind() as i64, event.body());
        head = head.after(Link { experiment: *experiment, at: *at, kind, body: &body });
        debug_assert_eq!((*of, *seq), (*experiment, head.seq), "records follow the head of their log");
        let (duel, client) = (event.duel().map(signed), event.client());
        insert
            .execute(params![signed(of.0), signed(*seq), at.0, kind, duel, client, body, head.hash.0])
            .map_err(unavailable)?;
        people::insert(transaction, record).map_err(unavailable)?;
    }
    Ok(head)
}

/// The head of a log as it is stored.
fn last(connection: &Connection, experiment: ExperimentId) -> rusqlite::Result<Head> {
    let mut statement = connection
        .prepare_cached("SELECT seq, hash FROM log WHERE experiment = ?1 ORDER BY seq DESC LIMIT 1")?;
    let head = |row: &Row<'_>| Ok(Head { seq: unsigned(row, 0)?, hash: RecordHash(row.get(1)?) });
    Ok(statement.query_row([signed(experiment.0)], head).optional()?.unwrap_or(Head::EMPTY))
}

/// The heads that a database must reach, and what is wrong with the file of heads.
fn known_heads(
    connection: &Connection,
    found: Option<super::heads::Found>,
    path: &Path,
) -> Result<(Heads, Vec<String>), StoreError> {
    let mut notes = Vec::new();
    let mut heads = Heads::default();
    if let Some(found) = found {
        notes.extend(found.damage.into_iter().map(|damage| format!("{HEADS}: {damage}")));
        if found.n_torn > 0 {
            let n_torn = found.n_torn;
            tracing::warn!(n_torn, "{HEADS}: its last entries were interrupted, or are damaged");
        }
        heads = found.heads;
    } else {
        let any: Option<i64> = connection
            .query_row("SELECT experiment FROM log LIMIT 1", [], |row| row.get(0))
            .optional()
            .map_err(unavailable)?;
        if any.is_some() {
            notes.push(format!("{HEADS}: the file is missing"));
        }
    }
    if !notes.is_empty() && connection.is_readonly("main").is_ok_and(|is_read_only| !is_read_only) {
        for note in &notes {
            tracing::error!("{note}: a lost end of a log cannot be noticed until it has grown again");
        }
        // It is about to be replaced.
        let _ = fs::copy(path, beside(path, ".damaged"));
    }
    for (log, head) in backup_heads(connection)?.logs {
        heads.advance(log, head);
    }
    Ok((heads, notes))
}

/// The heads in a backup.
fn backup_heads(connection: &Connection) -> Result<Heads, StoreError> {
    let read = || -> rusqlite::Result<Heads> {
        let mut heads = Heads::default();
        let mut statement = connection.prepare("SELECT experiment, seq, hash FROM head")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let head = Head { seq: unsigned(row, 1)?, hash: RecordHash(row.get(2)?) };
            heads.advance(ExperimentId(unsigned(row, 0)?), head);
        }
        Ok(heads)
    };
    read().map_err(unavailable)
}

fn tune(writer: &Connection) -> rusqlite::Result<()> {
    writer.busy_timeout(Duration::from_secs(5))?;
    writer.pragma_update(None, "journal_mode", "WAL")?;
    writer.pragma_update(None, "synchronous", "FULL")?;
    // Checkpoints are run here, where a failure is noticed.
    writer.pragma_update(None, "wal_autocheckpoint", 0)
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
    let text = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => StoreError::Conflict,
        // `Unknown`: a statement does not fit the tables. The statements are right, so the tables
        // are not. `None`: a value of another type than its column's, or out of range.
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown) | None => {
            StoreError::Damaged { log: None, text }
        }
        _ => StoreError::Unavailable { text },
    }
}

fn read_only() -> StoreError {
    StoreError::Unavailable { text: "it was opened for reading only".to_owned() }
}

/// Names the file in an error about no log in particular.
fn in_file(path: &Path, error: StoreError) -> StoreError {
    match error {
        StoreError::Damaged { log: None, text } => {
            let text = format!("{}: {text}", path.file_name().unwrap_or_default().display());
            StoreError::Damaged { log: None, text }
        }
        error => error,
    }
}

fn io_failure(name: &str, error: &io::Error) -> StoreError {
    StoreError::Unavailable { text: format!("{name}: {error}") }
}

/// An error about one log: SQLite cannot read it at this position.
fn at(experiment: ExperimentId, seq: u64, error: rusqlite::Error) -> StoreError {
    match unavailable(error) {
        StoreError::Damaged { text, .. } => {
            StoreError::record(experiment, seq, format_args!("cannot be read: {text}"))
        }
        error => error,
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

/// The columns of a [`StoredRecord`], of the table or alias `log`.
const COLUMNS: &str = "log.seq, log.at, log.kind, log.body, log.hash, log.experiment";

/// Reads the record that should be at this position.
fn stored<'a>(experiment: ExperimentId, seq: u64, row: &'a Row<'_>) -> Result<StoredRecord<'a>, StoreError> {
    let read = || -> rusqlite::Result<_> {
        let stored = StoredRecord {
            experiment,
            seq: unsigned(row, 0)?,
            at: Time(row.get(1)?),
            kind: row.get(2)?,
            body: row.get_ref(3)?.as_str()?,
            hash: RecordHash(row.get(4)?),
        };
        Ok((stored, row.get::<_, i64>(5)?))
    };
    let (stored, of) = read().map_err(|error| at(experiment, seq, error))?;
    // SQLite compares only the ends of a range. A row in the middle could belong elsewhere.
    if of != signed(experiment.0) {
        return Err(StoreError::record(experiment, seq, "is filed under another experiment"));
    }
    Ok(stored)
}

impl Store for SqliteStore {
    fn append(&self, logs: &[Append]) -> Vec<Result<Head, StoreError>> {
        let Some(writer) = &self.writer else {
            return logs.iter().map(|_| Err(read_only())).collect();
        };
        let mut writing = lock(writer);
        match self.try_append(&mut writing, logs) {
            Ok(results) => {
                self.checkpoint(&mut writing);
                results
            }
            Err(error) => {
                self.unsettled.store(true, Ordering::Release);
                // SQLite fails in many ways if its files are gone: name the cause.
                let error = self.check_files(&mut writing).err().unwrap_or(error);
                logs.iter().map(|_| Err(error.clone())).collect()
            }
        }
    }

    fn experiments(&self) -> Result<Vec<ExperimentId>, StoreError> {
        let mut found: BTreeSet<ExperimentId> =
            lock(&self.heads).logs.keys().copied().filter(|_| self.checks).collect();
        self.with_reader(|reader| {
            // One descent of the index per experiment, where DISTINCT would read the whole log.
            let mut next = reader
                .prepare_cached("SELECT min(experiment) FROM log WHERE experiment > ?1")
                .map_err(unavailable)?;
            let mut last = 0;
            while let Some(id) =
                next.query_row([last], |row| row.get::<_, Option<i64>>(0)).map_err(unavailable)?
            {
                found.insert(ExperimentId(id.unsigned_abs()));
                if id <= last {
                    let text = "the experiments are not in order".to_owned();
                    return Err(StoreError::Damaged { log: None, text });
                }
                last = id;
            }
            Ok(())
        })?;
        found.remove(&ExperimentId::ARENA);
        Ok(found.into_iter().collect())
    }

    fn read_stored(
        &self,
        experiment: ExperimentId,
        after: u64,
        visit: &mut dyn FnMut(&StoredRecord<'_>) -> bool,
    ) -> Result<Option<Head>, StoreError> {
        // Known before the read begins: the database may only be ahead of it.
        let expected = self.expected(experiment);
        self.with_reader(|reader| {
            let Some(start) = head_at(reader, experiment, after)? else {
                let missing =
                    after < expected.seq || last(reader, experiment).map_err(unavailable)?.seq > after;
                return if missing && self.checks {
                    Err(StoreError::record(experiment, after, "is missing"))
                } else {
                    Ok(None)
                };
            };
            let mut head = start;
            let reaches = |head: Head| {
                let fits = head.seq != expected.seq || head.hash == expected.hash;
                let damage = "is not the one that was acknowledged";
                if fits { Ok(()) } else { Err(StoreError::record(experiment, head.seq, damage)) }
            };
            reaches(head)?;
            let sql = format!("SELECT {COLUMNS} FROM log WHERE experiment = ?1 AND seq > ?2 ORDER BY seq");
            let mut statement = reader.prepare_cached(&sql).map_err(unavailable)?;
            let mut rows = statement.query([signed(experiment.0), signed(after)]).map_err(unavailable)?;
            while let Some(row) = rows.next().map_err(|error| at(experiment, head.seq + 1, error))? {
                let stored = stored(experiment, head.seq + 1, row)?;
                head = self.follow(&stored, head)?;
                reaches(head)?;
                if !visit(&stored) {
                    return Ok(Some(head));
                }
            }
            if head.seq < expected.seq {
                let what = format_args!(
                    "and all later ones are missing, although records up to {} were acknowledged",
                    expected.seq
                );
                return Err(StoreError::record(experiment, head.seq + 1, what));
            }
            Ok(Some(head))
        })
    }

    fn head_at(&self, experiment: ExperimentId, seq: u64) -> Result<Option<Head>, StoreError> {
        self.with_reader(|reader| head_at(reader, experiment, seq))
    }

    fn check(&self, experiment: ExperimentId) -> Result<Head, StoreError> {
        self.check_log(experiment)
    }

    fn duel(&self, experiment: ExperimentId, seq: u64) -> Result<Vec<Record>, StoreError> {
        self.with_reader(|reader| {
            // With the hash of the record before each record.
            let sql = |which: &str| {
                format!(
                    "SELECT {COLUMNS}, before.hash FROM log LEFT JOIN log AS before \
                     ON before.experiment = log.experiment AND before.seq = log.seq - 1 \
                     WHERE log.experiment = ?1 AND log.kind = ?2 AND {which} = ?3"
                )
            };
            let mut issue = reader.prepare_cached(&sql("log.seq")).map_err(unavailable)?;
            let mut later = reader.prepare_cached(&sql("log.duel")).map_err(unavailable)?;
            let find = |statement: &mut rusqlite::Statement<'_>, kind: Kind| {
                let mut records = Vec::new();
                let mut rows = statement
                    .query([signed(experiment.0), kind as i64, signed(seq)])
                    .map_err(|error| at(experiment, seq, error))?;
                while let Some(row) = rows.next().map_err(|error| at(experiment, seq, error))? {
                    let stored = stored(experiment, seq, row)?;
                    let before: Option<[u8; 32]> = row.get(6).map_err(|error| at(experiment, seq, error))?;
                    let before = match before {
                        Some(hash) => Head { seq: stored.seq.saturating_sub(1), hash: RecordHash(hash) },
                        None => Head::EMPTY,
                    };
                    self.follow(&stored, before)?;
                    let record = stored.record()?;
                    if kind != Kind::Issued && record.event.duel() != Some(seq) && self.checks {
                        let what = format_args!("is filed under duel {seq}, which is not its own");
                        return Err(StoreError::record(experiment, record.seq, what));
                    }
                    records.push(record);
                }
                Ok::<_, StoreError>(records)
            };
            let mut records = find(&mut issue, Kind::Issued)?;
            if records.is_empty() {
                return Ok(records);
            }
            for kind in [Kind::Shown, Kind::Interleaved, Kind::Answered, Kind::Voided, Kind::Expired] {
                records.extend(find(&mut later, kind)?);
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

    fn numbers(
        &self,
        experiment: ExperimentId,
        names: &BTreeSet<&str>,
    ) -> Result<BTreeMap<String, u64>, StoreError> {
        self.find_numbers(experiment, names)
    }

    fn names(
        &self,
        experiment: ExperimentId,
        numbers: &BTreeSet<u64>,
    ) -> Result<BTreeMap<u64, Option<String>>, StoreError> {
        self.find_names(experiment, numbers)
    }

    fn contents(
        &self,
        experiment: ExperimentId,
        records: &BTreeSet<u64>,
    ) -> Result<BTreeMap<u64, Option<Contents>>, StoreError> {
        self.find_contents(experiment, records)
    }

    fn keep_snapshot(&self, of: SnapshotOf, write: &mut WriteState<'_>) -> Result<(), StoreError> {
        if self.writer.is_none() {
            return Err(read_only());
        }
        self.snapshots.keep(of, write)
    }

    fn snapshots(&self, experiment: ExperimentId) -> Result<Vec<u64>, StoreError> {
        self.snapshots.list(experiment)
    }

    fn snapshot(&self, experiment: ExperimentId, seq: u64) -> Result<(SnapshotOf, Vec<u8>), StoreError> {
        self.snapshots.read(experiment, seq)
    }

    fn health(&self) -> Result<(), StoreError> {
        let Some(writer) = &self.writer else { return Err(read_only()) };
        if self.unsettled.load(Ordering::Acquire) {
            self.settle(&mut lock(writer))?;
        }
        if lock(&self.failure).is_some() {
            // Tried again here: without requests, the next attempt would never come.
            self.move_log(&mut lock(writer));
        }
        lock(&self.failure).clone().map_or(Ok(()), Err)
    }

    fn mark_time(&self, now: Time) -> Result<(), StoreError> {
        let Some(writer) = &self.writer else { return Err(read_only()) };
        lock(writer).heads.mark_time(now).map_err(|error| io_failure(HEADS, &error))
    }

    fn last_time(&self) -> Result<Option<Time>, StoreError> {
        Ok(lock(&self.heads).time)
    }

    fn n_checkpoint_failures(&self) -> u64 {
        self.n_checkpoint_failures.load(Ordering::Relaxed)
    }
}

/// The head at a log position; none if the log has no record there.
fn head_at(reader: &Connection, experiment: ExperimentId, seq: u64) -> Result<Option<Head>, StoreError> {
    if seq == 0 {
        return Ok(Some(Head::EMPTY));
    }
    let mut statement = reader
        .prepare_cached("SELECT hash FROM log WHERE experiment = ?1 AND seq = ?2")
        .map_err(unavailable)?;
    let hash = statement.query_row([signed(experiment.0), signed(seq)], |row| row.get(0)).optional();
    let hash = hash.map_err(|error| at(experiment, seq, error))?;
    Ok(hash.map(|hash| Head { seq, hash: RecordHash(hash) }))
}

/// Why a data directory cannot be opened.
#[expect(missing_docs, reason = "the messages describe them")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The directory cannot be created or locked.
    #[error("could not use the data directory {}", path.display())]
    Directory { path: PathBuf, source: io::Error },
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
