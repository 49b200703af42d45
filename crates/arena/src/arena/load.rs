//! Loads states from the store.

use std::collections::BTreeSet;

use super::keyring::Keyring;
use crate::domain::{Experiment, Fold, FoldError, Kind};
use crate::id::ExperimentId;
use crate::store::{Store, StoreError};

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

/// Loads the state of an experiment, from its newest usable snapshot if it has one.
///
/// # Errors
///
/// If its log cannot be read or folded.
pub fn load(store: &dyn Store, id: ExperimentId) -> Result<Option<Experiment>, LoadError> {
    Ok(load_since(store, id)?.map(|(experiment, _)| experiment))
}

/// Like [`load`]; also returns the number of records since the snapshot.
pub(super) fn load_since(
    store: &dyn Store,
    id: ExperimentId,
) -> Result<Option<(Experiment, u64)>, LoadError> {
    for snapshot in store.snapshots(id)? {
        let restored = serde_json::from_str(&snapshot.state)
            .map_err(|error| error.to_string())
            .and_then(|saved| Experiment::restore(saved).map_err(|error| error.to_string()));
        match restored {
            Ok(experiment) => {
                if let Some(experiment) = fold(store, id, Fold::from_state(experiment))?
                    && !experiment.must_relearn()
                {
                    let since = experiment.seq() - snapshot.seq;
                    return Ok(Some((experiment, since)));
                }
            }
            Err(error) => {
                tracing::warn!(experiment = %id, seq = snapshot.seq, error, "a snapshot is unusable");
            }
        }
    }
    Ok(load_from_start(store, id)?.map(|experiment| {
        let since = experiment.seq();
        (experiment, since)
    }))
}

/// Loads the state of an experiment from its log alone.
///
/// # Errors
///
/// If the log cannot be read or folded.
pub fn load_from_start(store: &dyn Store, id: ExperimentId) -> Result<Option<Experiment>, LoadError> {
    fold(store, id, Fold::forgetting(voided(store, id)?))
}

/// The duels and imports of an experiment that are voided somewhere in its log.
pub(super) fn voided(store: &dyn Store, id: ExperimentId) -> Result<BTreeSet<u64>, StoreError> {
    let mut voided = store.duels_with(id, Kind::Voided)?;
    voided.extend(store.duels_with(id, Kind::ImportVoided)?);
    Ok(voided.into_iter().collect())
}

fn fold(store: &dyn Store, id: ExperimentId, mut fold: Fold) -> Result<Option<Experiment>, LoadError> {
    extend(store, id, &mut fold)?;
    Ok(fold.finish())
}

/// Folds the records that a log has after those folded so far. Returns how many.
pub(super) fn extend(store: &dyn Store, id: ExperimentId, fold: &mut Fold) -> Result<u64, LoadError> {
    let mut failure = None;
    let mut n_records = 0;
    let after = fold.state().map_or(0, Experiment::seq);
    store.read(id, after, &mut |record| match fold.push(&record) {
        Ok(()) => {
            n_records += 1;
            true
        }
        Err(error) => {
            failure = Some(error);
            false
        }
    })?;
    match failure {
        Some(error) => Err(error.into()),
        None => Ok(n_records),
    }
}

/// Loads all keys from the arena's own log.
pub(super) fn keyring(store: &dyn Store) -> Result<Keyring, LoadError> {
    let mut keys = Keyring::default();
    let mut whole = true;
    store.read(ExperimentId::ARENA, 0, &mut |record| {
        whole = keys.fold(&record);
        whole
    })?;
    if !whole {
        let text = format!("record {} of the arena's own log is not about a key", keys.seq() + 1);
        return Err(StoreError::Damaged { text }.into());
    }
    Ok(keys)
}
