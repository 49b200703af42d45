//! Checks a whole log: every hash, the names and contents beside it, and the trees by which records
//! and voters are looked up.

use std::hash::{BuildHasher as _, RandomState};

use rusqlite::{Connection, OptionalExtension as _, Row};

use super::{Head, SqliteStore, last, signed, unavailable, unsigned};
use crate::id::ExperimentId;
use crate::store::{Store as _, StoreError, log_name};

/// The number of records whose names and contents are checked together.
const PAGE: usize = 1000;

/// A fingerprint of a set, whatever the order of its elements.
#[derive(Debug, Default, PartialEq, Eq)]
struct Fingerprint {
    n_elements: u64,
    sum: u64,
}

impl Fingerprint {
    fn add(&mut self, state: &RandomState, element: impl core::hash::Hash) {
        self.n_elements += 1;
        self.sum = self.sum.wrapping_add(state.hash_one(element));
    }
}

impl SqliteStore {
    pub(super) fn check_log(&self, experiment: ExperimentId) -> Result<Head, StoreError> {
        let state = RandomState::new();
        let [mut duels, mut clients] = [Fingerprint::default(), Fingerprint::default()];
        let mut with_people = Vec::new();
        let mut failure = None;
        // The log may grow meanwhile: only records up to this end are compared.
        let end = self.read(experiment, 0, &mut |record| {
            let seq = record.seq;
            if let Some(duel) = record.event.duel() {
                duels.add(&state, (record.event.kind() as i64, duel, seq));
            }
            if let Some(client) = record.event.client() {
                clients.add(&state, (client, seq));
            }
            let has_people = record.event.seal().is_some() || record.event.numbers().next().is_some();
            if has_people && self.checks {
                with_people.push(record);
            }
            if with_people.len() >= PAGE {
                failure = self.reveal(&mut with_people).err();
                with_people.clear();
            }
            failure.is_none()
        })?;
        failure.map_or(Ok(()), Err)?;
        self.reveal(&mut with_people)?;
        let end = end.unwrap_or(Head::EMPTY);
        if !self.checks {
            return Ok(end);
        }
        let [mut filed_duels, mut filed_clients] = [Fingerprint::default(), Fingerprint::default()];
        self.with_reader(|reader| {
            // One state of the file for all queries.
            let reader = reader.unchecked_transaction().map_err(unavailable)?;
            let found = last(&reader, experiment).map_err(unavailable)?;
            if found.seq < end.seq || (found.seq == end.seq && found.hash != end.hash) {
                return Err(misplaced());
            }
            let duel = |row: &Row<'_>| Ok((row.get(2)?, unsigned(row, 3)?));
            entries(
                &reader,
                experiment,
                "log_duel",
                ["kind", "duel"],
                duel,
                |&(kind, duel): &(i64, u64), seq| {
                    if seq <= end.seq {
                        filed_duels.add(&state, (kind, duel, seq));
                    }
                },
            )?;
            let client = |row: &Row<'_>| row.get(3);
            entries(
                &reader,
                experiment,
                "log_client",
                ["experiment", "client"],
                client,
                |client: &String, seq| {
                    if seq <= end.seq {
                        filed_clients.add(&state, (client.as_str(), seq));
                    }
                },
            )
        })
        .map_err(|error| index_damage(experiment, end, error))?;
        if duels != filed_duels || clients != filed_clients {
            let error = StoreError::Unavailable { text: "it has other entries than the log".to_owned() };
            return Err(index_damage(experiment, end, error));
        }
        self.check_voters(experiment, end)?;
        self.note_head(experiment, end);
        Ok(end)
    }
}

/// Visits all entries of an index of a log: their keys, and the positions of their records.
///
/// A look-up relies on the order of the entries, and on entries of other logs that it passes on its
/// way. Therefore the entries must be in order, and the last one must be found from both ends. Then
/// every look-up in between takes a way that was checked.
fn entries<K: Ord>(
    reader: &Connection,
    experiment: ExperimentId,
    index: &str,
    [first, second]: [&str; 2],
    key: impl Fn(&Row<'_>) -> rusqlite::Result<K>,
    mut visit: impl FnMut(&K, u64),
) -> Result<(), StoreError> {
    let sql = |order: &str| {
        format!(
            "SELECT experiment, seq, {first}, {second} FROM log INDEXED BY {index} \
             WHERE experiment = ?1 AND {second} IS NOT NULL ORDER BY {first} {order}, {second} {order}"
        )
    };
    let id = signed(experiment.0);
    let mut last: Option<K> = None;
    let mut forward = reader.prepare_cached(&sql("ASC")).map_err(unavailable)?;
    let mut rows = forward.query([id]).map_err(unavailable)?;
    while let Some(row) = rows.next().map_err(unavailable)? {
        let read = || -> rusqlite::Result<(i64, u64, K)> { Ok((row.get(0)?, unsigned(row, 1)?, key(row)?)) };
        let (of, seq, key) = read().map_err(unavailable)?;
        if of != id || last.is_some_and(|last| last >= key) {
            return Err(misplaced());
        }
        visit(&key, seq);
        last = Some(key);
    }
    let mut back = reader.prepare_cached(&format!("{} LIMIT 1", sql("DESC"))).map_err(unavailable)?;
    let found = back.query_row([id], |row| key(row)).optional().map_err(unavailable)?;
    if found == last { Ok(()) } else { Err(misplaced()) }
}

/// The tree of a table or an index does not lead to all of its entries.
fn misplaced() -> StoreError {
    StoreError::Damaged { log: None, text: "its entries are not in order".to_owned() }
}

/// The records are sound, but cannot be looked up by duel or client id.
fn index_damage(experiment: ExperimentId, end: Head, error: StoreError) -> StoreError {
    match error {
        StoreError::Damaged { text, .. } | StoreError::Unavailable { text } => StoreError::Damaged {
            log: Some((experiment, end.seq + 1)),
            text: format!("the index of {}: {text}", log_name(experiment)),
        },
        error => error,
    }
}
