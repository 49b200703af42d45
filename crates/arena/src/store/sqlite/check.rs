//! Checks a whole log: every hash, the names and contents beside it, and the indexes by which
//! records and voters are looked up.

use std::hash::{BuildHasher as _, RandomState};

use super::{Head, SqliteStore, signed, unavailable, unsigned};
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
        let id = signed(experiment.0);
        let [mut filed_duels, mut filed_clients] = [Fingerprint::default(), Fingerprint::default()];
        self.with_reader(|reader| {
            let mut statement = reader
                .prepare_cached(
                    "SELECT kind, duel, seq FROM log INDEXED BY log_duel \
                     WHERE experiment = ?1 AND duel IS NOT NULL",
                )
                .map_err(unavailable)?;
            let mut rows = statement.query([id]).map_err(unavailable)?;
            while let Some(row) = rows.next().map_err(unavailable)? {
                let kind: i64 = row.get(0).map_err(unavailable)?;
                let (duel, seq) =
                    (unsigned(row, 1).map_err(unavailable)?, unsigned(row, 2).map_err(unavailable)?);
                if seq <= end.seq {
                    filed_duels.add(&state, (kind, duel, seq));
                }
            }
            let mut statement = reader
                .prepare_cached(
                    "SELECT client, seq FROM log INDEXED BY log_client \
                     WHERE experiment = ?1 AND client IS NOT NULL",
                )
                .map_err(unavailable)?;
            let mut rows = statement.query([id]).map_err(unavailable)?;
            while let Some(row) = rows.next().map_err(unavailable)? {
                let client: String = row.get(0).map_err(unavailable)?;
                let seq = unsigned(row, 1).map_err(unavailable)?;
                if seq <= end.seq {
                    filed_clients.add(&state, (client.as_str(), seq));
                }
            }
            Ok(())
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
