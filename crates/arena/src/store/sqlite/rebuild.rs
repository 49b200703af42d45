//! Writes logs into a new database that takes the place of the old one: to update its schema, or to
//! repair it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};

use super::super::files::{beside, private_file, sync_directory};
use super::{
    Head, Link, RecordHash, SqliteStore, StoredRecord, io_failure, last, schema, signed, unavailable,
    unsigned,
};
use crate::domain::{Contents, Event, Kind, mark};
use crate::id::ExperimentId;
use crate::store::StoreError;
use crate::time::Time;
use crate::upkeep::LogLine;

/// A database in the making.
pub(super) struct Draft {
    path: PathBuf,
    connection: Connection,
}

/// A record to write.
pub(super) struct Row<'a> {
    pub(super) link: Link<'a>,
    /// How it was filed, in case that its body cannot be parsed.
    pub(super) filed: (Option<u64>, Option<&'a str>),
}

impl Draft {
    /// An empty database beside the one that it will replace.
    pub(super) fn new(of: &Path) -> Result<Self, StoreError> {
        let path = beside(of, ".new");
        for ending in ["", "-journal", "-wal", "-shm"] {
            let _ = fs::remove_file(beside(&path, ending));
        }
        private_file(&path).map_err(|error| io_failure(&path.display().to_string(), &error))?;
        let mut connection = Connection::open(&path).map_err(unavailable)?;
        // Synced as a whole before it takes effect.
        let tune = connection
            .pragma_update(None, "journal_mode", "MEMORY")
            .and_then(|()| connection.pragma_update(None, "synchronous", "OFF"));
        tune.map_err(unavailable)?;
        schema::create(&mut connection)?;
        connection.execute_batch("BEGIN").map_err(unavailable)?;
        Ok(Self { path, connection })
    }

    /// Appends a record, and returns the new head of its log.
    pub(super) fn push(&self, after: Head, Row { link, filed }: &Row<'_>) -> Result<Head, StoreError> {
        let head = after.after(*link);
        let event = Kind::from_number(link.kind).and_then(|kind| Event::read(kind, link.body).ok());
        let (duel, client) = match &event {
            Some(event) => (event.duel(), event.client()),
            None => *filed,
        };
        let mut insert = self
            .connection
            .prepare_cached(
                "INSERT INTO log (experiment, seq, at, kind, duel, client, body, hash) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )
            .map_err(unavailable)?;
        insert
            .execute(params![
                signed(link.experiment.0),
                signed(head.seq),
                link.at.0,
                link.kind,
                duel.map(signed),
                client,
                link.body,
                head.hash.0
            ])
            .map_err(unavailable)?;
        Ok(head)
    }

    /// Makes the database durable, and puts it in the place of the other. Nobody may have that open
    /// for writing.
    pub(super) fn replace(self, target: &Path) -> Result<(), StoreError> {
        let Self { path, connection } = self;
        connection.execute_batch("COMMIT").map_err(unavailable)?;
        connection.close().map_err(|(_, error)| unavailable(error))?;
        let replace = || {
            File::open(&path)?.sync_all()?;
            // They belong to the old database.
            for ending in ["-wal", "-shm"] {
                let _ = fs::remove_file(beside(target, ending));
            }
            fs::rename(&path, target)?;
            sync_directory(target)
        };
        replace().map_err(|error| io_failure(&target.display().to_string(), &error))
    }
}

/// Updates a database of schema 1: chains its logs, in a new file. The digests of their states
/// stay.
pub(super) fn migrate(old: Connection, path: &Path) -> Result<Connection, StoreError> {
    tracing::info!("updating the database: every record gets a hash");
    // Everything into the one file, before another takes its place.
    old.pragma_update(None, "journal_mode", "DELETE").map_err(unavailable)?;
    let draft = Draft::new(path)?;
    {
        let mut statement = old
            .prepare("SELECT experiment, seq, at, kind, duel, client, body FROM log ORDER BY experiment, seq")
            .map_err(unavailable)?;
        let mut rows = statement.query([]).map_err(unavailable)?;
        let mut log = (ExperimentId::ARENA, Head::EMPTY);
        while let Some(row) = rows.next().map_err(unavailable)? {
            let experiment = ExperimentId(unsigned(row, 0).map_err(unavailable)?);
            if experiment != log.0 {
                log = (experiment, Head::EMPTY);
            }
            let seq = unsigned(row, 1).map_err(unavailable)?;
            if seq != log.1.seq + 1 {
                return Err(StoreError::record(experiment, log.1.seq + 1, "is missing"));
            }
            let text = |column: usize| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
            let read = || -> rusqlite::Result<Row<'_>> {
                let duel: Option<i64> = row.get(4)?;
                let client = row.get_ref(5)?.as_str_or_null().map_err(rusqlite::Error::from)?;
                let link = Link { experiment, at: Time(row.get(2)?), kind: row.get(3)?, body: text(6)? };
                Ok(Row { link, filed: (duel.map(i64::unsigned_abs), client) })
            };
            log.1 = draft.push(log.1, &read().map_err(unavailable)?)?;
        }
    }
    old.close().map_err(|(_, error)| unavailable(error))?;
    draft.replace(path)?;
    Connection::open(path).map_err(unavailable)
}

/// Writes the heads of a backup into its table: those that were known when it was made, or later
/// ones that it has.
pub(super) fn write_heads(copy: &Connection, known: BTreeMap<ExperimentId, Head>) -> rusqlite::Result<()> {
    copy.execute_batch("BEGIN; DELETE FROM head")?;
    let mut heads = known;
    let mut statement = copy.prepare("SELECT DISTINCT experiment FROM log")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let log = ExperimentId(unsigned(row, 0)?);
        let head = last(copy, log)?;
        let known = heads.entry(log).or_insert(head);
        if head.seq > known.seq {
            *known = head;
        }
    }
    for (log, head) in heads {
        copy.execute(
            "INSERT INTO head (experiment, seq, hash) VALUES (?1, ?2, ?3)",
            params![signed(log.0), signed(head.seq), head.hash.0],
        )?;
    }
    copy.execute_batch("COMMIT")
}

/// A log in a rebuilt database.
#[derive(Debug, Clone)]
pub(crate) struct RebuiltLog {
    pub(crate) experiment: ExperimentId,
    /// The number of records that come from the other sources.
    pub(crate) filled: u64,
    /// The number of voters and records of which no source has the name or the contents.
    pub(crate) erased: u64,
    /// The sound end of the log.
    pub(crate) end: Head,
    /// The time of the last sound record.
    pub(crate) at: Time,
    /// The last position that the log is known to have had.
    pub(crate) reached: u64,
    /// Records after the sound end, as far as they can be read, as JSON lines.
    pub(crate) rest: Vec<String>,
}

impl RebuiltLog {
    /// The number of records that no source has.
    pub(crate) fn lost(&self) -> u64 {
        self.reached - self.end.seq
    }
}

/// Collects the sound records of all logs from several sources into a new database. Each position
/// of a log takes the record of the first source whose record follows from the one before. `finish`
/// sees the logs; unless it returns an error, it returns one more record for some of them, and the
/// new database takes the place of the old one, which is kept beside it.
pub(crate) fn rebuild<E: From<StoreError>>(
    target: &Path,
    sources: &[&SqliteStore],
    reached: &BTreeMap<ExperimentId, Head>,
    finish: impl FnOnce(&[RebuiltLog]) -> Result<Vec<(ExperimentId, Time, Event)>, E>,
) -> Result<BTreeMap<ExperimentId, Head>, E> {
    let draft = Draft::new(target)?;
    let mut logs = Vec::new();
    for (&experiment, head) in reached {
        logs.push(draft.collect(experiment, sources, head.seq)?);
    }
    let mut heads: BTreeMap<ExperimentId, Head> =
        logs.iter().filter(|log| log.end.seq > 0).map(|log| (log.experiment, log.end)).collect();
    for (experiment, at, event) in finish(&logs)? {
        let body = event.body();
        let link = Link { experiment, at, kind: event.kind() as i64, body: &body };
        let head = heads.entry(experiment).or_insert(Head::EMPTY);
        *head = draft.push(*head, &Row { link, filed: (None, None) })?;
    }
    for ending in ["", "-wal"] {
        // The link makes the old file stay when the new one takes its name.
        let (old, kept) = (beside(target, ending), beside(&beside(target, ".damaged"), ending));
        let _ = fs::remove_file(&kept);
        if old.exists() {
            fs::hard_link(&old, &kept)
                .or_else(|_| fs::copy(&old, &kept).map(drop))
                .map_err(|error| io_failure(&kept.display().to_string(), &error))?;
        }
    }
    draft.replace(target)?;
    Ok(heads)
}

impl Draft {
    /// Copies the sound records of one log.
    fn collect(
        &self,
        experiment: ExperimentId,
        sources: &[&SqliteStore],
        reached: u64,
    ) -> Result<RebuiltLog, StoreError> {
        let mut log = RebuiltLog {
            experiment,
            filled: 0,
            erased: 0,
            end: Head::EMPTY,
            at: Time(i64::MIN),
            reached,
            rest: Vec::new(),
        };
        'next: loop {
            for (index, source) in sources.iter().enumerate() {
                let Some(Owned { at, kind, body, hash }) = source.row(experiment, log.end.seq + 1) else {
                    continue;
                };
                let link = Link { experiment, at, kind, body: &body };
                if log.end.after(link).hash == hash {
                    log.at = at;
                    log.end = self.push(log.end, &Row { link, filed: (None, None) })?;
                    log.filled += u64::from(index > 0);
                    log.erased += self.copy_people(&link, log.end.seq, sources)?;
                    continue 'next;
                }
            }
            break;
        }
        // The position of a damaged row may be any number. Only rows that follow the known end
        // without a gap, or if no end is known the number of rows, say that there was more.
        let is_known = log.reached > 0;
        log.reached = log.reached.max(log.end.seq);
        if is_known {
            while sources.iter().any(|source| source.row(experiment, log.reached + 1).is_some()) {
                log.reached += 1;
            }
        } else {
            let n_rows = sources.iter().map(|source| source.n_rows_after(experiment, log.end.seq));
            log.reached += n_rows.max().unwrap_or(0);
        }
        if let Some(source) = sources.first() {
            for seq in log.end.seq + 1..=log.reached {
                if let Some(Owned { at, kind, body, hash }) = source.row(experiment, seq) {
                    let stored = StoredRecord { experiment, seq, at, kind, body: &body, hash };
                    log.rest.extend(serde_json::to_string(&LogLine::record(&stored)));
                }
            }
        }
        Ok(log)
    }

    /// Copies the names and the contents that belong to a record. Each comes from the first source
    /// in which it is sound or erased. A name or content that no source has is marked as erased.
    /// Returns how many were marked.
    fn copy_people(&self, link: &Link<'_>, seq: u64, sources: &[&SqliteStore]) -> Result<u64, StoreError> {
        let event = Kind::from_number(link.kind).and_then(|kind| Event::read(kind, link.body).ok());
        let Some(mut event) = event else { return Ok(0) };
        let (experiment, mut erased) = (link.experiment, 0);
        let numbers: BTreeSet<u64> = event.numbers().map(|(number, _)| number).collect();
        for number in numbers {
            let known = self
                .connection
                .prepare_cached("SELECT 1 FROM voter WHERE experiment = ?1 AND number = ?2")
                .and_then(|mut known| known.exists([signed(experiment.0), signed(number)]));
            if known.map_err(unavailable)? {
                continue;
            }
            let find =
                |source: &&SqliteStore| source.find_names(experiment, &[number].into()).ok()?.remove(&number);
            let name = sources.iter().find_map(find);
            let insert = |name: Option<&str>| {
                self.connection
                    .prepare_cached(
                        "INSERT OR IGNORE INTO voter (experiment, number, name, mark) VALUES (?1, ?2, ?3, ?4)",
                    )
                    .and_then(|mut insert| {
                        let mark = mark(experiment, number, name);
                        insert.execute(params![signed(experiment.0), signed(number), name, mark])
                    })
                    .map_err(unavailable)
            };
            // Another voter may have the name, if the index was damaged.
            if insert(name.as_ref().and_then(Option::as_deref))? == 0 || name.is_none() {
                insert(None)?;
                erased += 1;
            }
        }
        if let Some(seal) = event.seal_mut() {
            let find =
                |source: &&SqliteStore| source.find_contents(experiment, &[seq].into()).ok()?.remove(&seq);
            let is_found = sources.iter().filter_map(find).any(|found| seal.open(found));
            let contents = seal.contents();
            self.connection
                .prepare_cached("INSERT INTO apart (experiment, seq, salt, content) VALUES (?1, ?2, ?3, ?4)")
                .and_then(|mut insert| {
                    let (salt, text) = contents.map(|Contents { salt, text }| (salt, text)).unzip();
                    insert.execute(params![signed(experiment.0), signed(seq), salt, text])
                })
                .map_err(unavailable)?;
            erased += u64::from(!is_found);
        }
        Ok(erased)
    }
}

/// The parts of a stored record.
struct Owned {
    at: Time,
    kind: i64,
    body: String,
    hash: RecordHash,
}

impl SqliteStore {
    /// The record at a position, unchecked; none if it cannot be read.
    fn row(&self, experiment: ExperimentId, seq: u64) -> Option<Owned> {
        let row = self.with_reader(|reader| {
            let mut statement = reader
                .prepare_cached("SELECT at, kind, body, hash FROM log WHERE experiment = ?1 AND seq = ?2")
                .map_err(unavailable)?;
            let owned = |row: &rusqlite::Row<'_>| {
                Ok(Owned {
                    at: Time(row.get(0)?),
                    kind: row.get(1)?,
                    body: row.get(2)?,
                    hash: RecordHash(row.get(3)?),
                })
            };
            statement.query_row([signed(experiment.0), signed(seq)], owned).map_err(unavailable)
        });
        row.ok()
    }

    /// The number of rows of a log after a position, unchecked: at least 1 if there are any.
    fn n_rows_after(&self, experiment: ExperimentId, seq: u64) -> u64 {
        let last = self.with_reader(|reader| last(reader, experiment).map_err(unavailable));
        let count = self.with_reader(|reader| {
            let sql = "SELECT count(*) FROM log WHERE experiment = ?1 AND seq > ?2";
            let count = reader.query_row(sql, [signed(experiment.0), signed(seq)], |row| unsigned(row, 0));
            count.map_err(unavailable)
        });
        count.unwrap_or(0).max(u64::from(last.is_ok_and(|last| last.seq > seq)))
    }

    /// The heads that the logs must reach, as far as they are known.
    pub(crate) fn known(&self) -> BTreeMap<ExperimentId, Head> {
        super::lock(&self.heads).logs.clone()
    }
}
