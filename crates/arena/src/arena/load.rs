//! Loads states from the store.

use std::collections::BTreeSet;

use super::keyring::Keyring;
use crate::domain::{Event, Experiment, Fold, FoldError, Head, Kind};
use crate::id::ExperimentId;
use crate::store::{Store, StoreError};
use crate::time::Time;

/// Why a state cannot be loaded.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The log cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The log cannot be folded.
    #[error(transparent)]
    Fold(#[from] FoldError),
}

/// A loaded state.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The state.
    pub experiment: Experiment,
    /// The head of the log that the state includes.
    pub head: Head,
    /// The position of the snapshot from which it was loaded; 0 if from the start of the log.
    pub snapshot: u64,
}

/// Loads the state of an experiment, from its newest usable snapshot if it has one.
///
/// # Errors
///
/// If its log cannot be read or folded.
pub fn load(store: &dyn Store, id: ExperimentId) -> Result<Option<Loaded>, LoadError> {
    for seq in store.snapshots(id)? {
        match restore(store, id, seq) {
            Ok(experiment) => {
                if let Some(loaded) = fold(store, id, Fold::from_state(experiment), u64::MAX)?
                    && !loaded.experiment.must_relearn()
                {
                    return Ok(Some(Loaded { snapshot: seq, ..loaded }));
                }
            }
            Err(error) => {
                tracing::warn!(experiment = %id, seq, error, "a snapshot is unusable");
            }
        }
    }
    load_from_start(store, id)
}

/// The state of a snapshot that belongs to the log.
fn restore(store: &dyn Store, id: ExperimentId, seq: u64) -> Result<Experiment, String> {
    let (of, state) = store.snapshot(id, seq).map_err(|error| error.to_string())?;
    if store.head_at(id, seq) != Ok(Some(of.head)) {
        return Err("the log has another record there".to_owned());
    }
    let saved = serde_json::from_slice(&state).map_err(|error| error.to_string())?;
    let experiment = Experiment::restore(saved).map_err(|error| error.to_string())?;
    if (experiment.id(), experiment.seq()) == (id, seq) {
        Ok(experiment)
    } else {
        Err("it is of another experiment or position".to_owned())
    }
}

/// Loads the state of an experiment from its log alone.
///
/// # Errors
///
/// If the log cannot be read or folded.
pub fn load_from_start(store: &dyn Store, id: ExperimentId) -> Result<Option<Loaded>, LoadError> {
    load_until(store, id, u64::MAX)
}

/// Loads the state that an experiment had at a log position, from its log alone.
///
/// # Errors
///
/// If the log cannot be read or folded.
pub fn load_until(store: &dyn Store, id: ExperimentId, last: u64) -> Result<Option<Loaded>, LoadError> {
    let mut begun = None;
    store.read(id, 0, &mut |record| {
        begun = Some(Experiment::begin(&record));
        false
    })?;
    let Some(begun) = begun else { return Ok(None) };
    let mut voided = BTreeSet::new();
    if !begun?.policy().capabilities().additive {
        // Read from the records themselves, not from an index, which may not have been checked yet.
        store.read(id, 0, &mut |record| {
            if let Event::Voided(_) | Event::ImportVoided(_) = record.event {
                voided.extend(record.event.duel());
            }
            record.seq < last
        })?;
    }
    fold(store, id, Fold::forgetting(voided), last)
}

/// The duels and imports of an experiment that are voided somewhere in its log.
pub(super) fn voided(store: &dyn Store, id: ExperimentId) -> Result<BTreeSet<u64>, StoreError> {
    let mut voided = store.duels_with(id, Kind::Voided)?;
    voided.extend(store.duels_with(id, Kind::ImportVoided)?);
    Ok(voided.into_iter().collect())
}

fn fold(store: &dyn Store, id: ExperimentId, mut fold: Fold, last: u64) -> Result<Option<Loaded>, LoadError> {
    let head = extend(store, id, &mut fold, last)?;
    Ok(fold.finish().zip(head).map(|(experiment, head)| Loaded { experiment, head, snapshot: 0 }))
}

/// Folds the records that a log has after those folded so far, up to a log position. Returns the
/// head at the last of them.
pub(super) fn extend(
    store: &dyn Store,
    id: ExperimentId,
    fold: &mut Fold,
    last: u64,
) -> Result<Option<Head>, LoadError> {
    let mut failure = None;
    let after = fold.state().map_or(0, Experiment::seq);
    let head = store.read(id, after, &mut |record| match fold.push(&record) {
        Ok(()) => record.seq < last,
        Err(error) => {
            failure = Some(error);
            false
        }
    })?;
    match failure {
        Some(error) => Err(error.into()),
        None => Ok(head),
    }
}

/// The time of the last record of a log, which has the log position `seq`.
pub(super) fn last_at(store: &dyn Store, id: ExperimentId, seq: u64) -> Result<Option<Time>, StoreError> {
    let mut last = None;
    if let Some(before) = seq.checked_sub(1) {
        store.read(id, before, &mut |record| {
            last = Some(record.at);
            false
        })?;
    }
    Ok(last)
}

/// Loads all keys from the arena's own log.
pub(super) fn keyring(store: &dyn Store) -> Result<Keyring, LoadError> {
    let mut keys = Keyring::default();
    let mut whole = true;
    let head = store.read(ExperimentId::ARENA, 0, &mut |record| {
        whole = keys.fold(&record);
        whole
    })?;
    if !whole {
        return Err(StoreError::record(ExperimentId::ARENA, keys.seq() + 1, "is not about a key").into());
    }
    keys.head = head.unwrap_or(Head::EMPTY);
    Ok(keys)
}
