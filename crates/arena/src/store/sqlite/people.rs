//! Names of voters and sealed contents, in tables beside the log.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{Head, SqliteStore, last, signed, unavailable, unsigned};
use crate::domain::{Contents, Record, Seal, mark};
use crate::id::ExperimentId;
use crate::store::{StoreError, log_name};

/// Inserts the names and contents that a record has.
pub(super) fn insert(transaction: &Connection, record: &Record) -> rusqlite::Result<()> {
    let Record { experiment, seq, event, .. } = record;
    for (number, name) in event.numbers().filter(|(_, name)| name.is_some()) {
        let mark = mark(*experiment, number, name);
        transaction
            .prepare_cached("INSERT INTO voter (experiment, number, name, mark) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![signed(experiment.0), signed(number), name, mark])?;
    }
    if let Some(Contents { salt, text }) = event.seal().and_then(Seal::contents) {
        transaction
            .prepare_cached("INSERT INTO apart (experiment, seq, salt, content) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![signed(experiment.0), signed(*seq), salt, text])?;
    }
    Ok(())
}

/// A row; none if it is missing, damaged, or cannot be read by SQLite.
fn legible<T>(row: rusqlite::Result<T>) -> Result<Option<T>, StoreError> {
    match row.optional().map_err(unavailable) {
        Err(StoreError::Damaged { .. }) => Ok(None),
        row => row,
    }
}

impl SqliteStore {
    /// Whether the checksum of a voter's name is right.
    fn is_marked(&self, experiment: ExperimentId, number: u64, name: Option<&str>, found: &[u8]) -> bool {
        !self.checks || found == mark(experiment, number, name)
    }

    pub(super) fn find_numbers(
        &self,
        experiment: ExperimentId,
        names: &BTreeSet<&str>,
    ) -> Result<BTreeMap<String, u64>, StoreError> {
        self.with_reader(|reader| {
            let mut statement = reader
                .prepare_cached("SELECT number, mark FROM voter WHERE experiment = ?1 AND name = ?2")
                .map_err(unavailable)?;
            let mut numbers = BTreeMap::new();
            for &name in names {
                let row = statement.query_row(params![signed(experiment.0), name], |row| {
                    let (number, found): (_, Vec<u8>) = (unsigned(row, 0)?, row.get(1)?);
                    Ok((number, self.is_marked(experiment, number, Some(name), &found)))
                });
                match row.optional().map_err(unavailable) {
                    Ok(None) => {}
                    Ok(Some((number, true))) => {
                        numbers.insert(name.to_owned(), number);
                    }
                    Ok(Some(_)) | Err(StoreError::Damaged { .. }) => {
                        let end = last(reader, experiment).map_err(unavailable)?;
                        return Err(voters_damage(experiment, end, "a name does not fit its checksum"));
                    }
                    Err(error) => return Err(error),
                }
            }
            Ok(numbers)
        })
    }

    pub(super) fn find_names(
        &self,
        experiment: ExperimentId,
        numbers: &BTreeSet<u64>,
    ) -> Result<BTreeMap<u64, Option<String>>, StoreError> {
        self.with_reader(|reader| {
            let mut statement = reader
                .prepare_cached("SELECT name, mark FROM voter WHERE experiment = ?1 AND number = ?2")
                .map_err(unavailable)?;
            let mut names = BTreeMap::new();
            for &number in numbers {
                let row = statement.query_row([signed(experiment.0), signed(number)], |row| {
                    let (name, found): (Option<String>, Vec<u8>) = (row.get(0)?, row.get(1)?);
                    Ok(self.is_marked(experiment, number, name.as_deref(), &found).then_some((number, name)))
                });
                names.extend(legible(row)?.flatten());
            }
            Ok(names)
        })
    }

    pub(super) fn find_contents(
        &self,
        experiment: ExperimentId,
        records: &BTreeSet<u64>,
    ) -> Result<BTreeMap<u64, Option<Contents>>, StoreError> {
        self.with_reader(|reader| {
            let mut statement = reader
                .prepare_cached("SELECT salt, content FROM apart WHERE experiment = ?1 AND seq = ?2")
                .map_err(unavailable)?;
            let mut contents = BTreeMap::new();
            for &seq in records {
                let row = statement.query_row([signed(experiment.0), signed(seq)], |row| {
                    Ok(match (row.get(0)?, row.get(1)?) {
                        (Some(salt), Some(text)) => Some((seq, Some(Contents { salt, text }))),
                        (None, None) => Some((seq, None)),
                        _ => None,
                    })
                });
                contents.extend(legible(row)?.flatten());
            }
            Ok(contents)
        })
    }

    /// Checks that every voter of a log has a sound name, or none, and is found by it.
    pub(super) fn check_voters(&self, experiment: ExperimentId, end: Head) -> Result<(), StoreError> {
        let damage = self.with_reader(|reader| {
            let mut statement = reader
                .prepare_cached(
                    "SELECT number, name, mark, (SELECT number FROM voter INDEXED BY voter_name \
                     WHERE experiment = ?1 AND name = listed.name) \
                     FROM voter AS listed NOT INDEXED WHERE experiment = ?1",
                )
                .map_err(unavailable)?;
            let mut rows = statement.query([signed(experiment.0)]).map_err(unavailable)?;
            while let Some(row) = rows.next().map_err(unavailable)? {
                let read = || -> rusqlite::Result<_> {
                    Ok((unsigned(row, 0)?, row.get(1)?, row.get(2)?, row.get(3)?))
                };
                let (number, name, mark, found): (_, Option<String>, Vec<u8>, Option<i64>) =
                    read().map_err(unavailable)?;
                if !self.is_marked(experiment, number, name.as_deref(), &mark) {
                    return Ok(Some("a name does not fit its checksum"));
                }
                if found != name.map(|_| signed(number)) {
                    return Ok(Some("a name is not in the index"));
                }
            }
            Ok(None)
        });
        match damage {
            Ok(None) => Ok(()),
            Ok(Some(text)) => Err(voters_damage(experiment, end, text)),
            Err(StoreError::Damaged { text, .. }) => Err(voters_damage(experiment, end, &text)),
            Err(error) => Err(error),
        }
    }
}

/// The records are sound, but their voters cannot be looked up.
fn voters_damage(experiment: ExperimentId, end: Head, text: &str) -> StoreError {
    let text = format!("the voters of {}: {text}", log_name(experiment));
    StoreError::Damaged { log: Some((experiment, end.seq + 1)), text }
}
