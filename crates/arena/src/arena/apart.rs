//! Experiments that are set apart because their logs are damaged. They answer no requests, so that
//! nothing false is shown, but their history can be read as far as it is sound. The other
//! experiments are not affected.

use std::sync::PoisonError;

use super::{Arena, ArenaError, Loaded, load, load_until, read};
use crate::domain::{Event, Experiment, Refusal};
use crate::id::ExperimentId;
use crate::store::{Store, StoreError};

/// An experiment that is set apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetApart {
    /// The id of the experiment.
    pub id: ExperimentId,
    /// Its name, if the first record is sound.
    pub name: Option<String>,
    /// The number of records before the damage.
    pub sound: u64,
    /// What is damaged, and where.
    pub damage: String,
}

impl SetApart {
    /// Describes the damage of an experiment. The error may be about a later record than the first
    /// that is damaged, because a snapshot spares reading the start of a log.
    pub(crate) fn find(store: &dyn Store, id: ExperimentId, error: &ArenaError) -> Self {
        let first = store.read_stored(id, 0, &mut |_| true).err().map(ArenaError::Store);
        let is_earlier = |first: &&ArenaError| {
            place(first).is_some_and(|first| place(error).is_none_or(|later| first < later))
        };
        let error = first.as_ref().filter(is_earlier).unwrap_or(error);
        let sound = place(error).map_or(0, |seq| seq - 1);
        Self { name: name(store, id), sound, ..Self::unread(id, error) }
    }

    /// An experiment whose log is yet to be read.
    fn unread(id: ExperimentId, error: &ArenaError) -> Self {
        let damage = match error {
            ArenaError::Store(StoreError::Damaged { text, .. }) => text.clone(),
            error => error.to_string(),
        };
        Self { id, name: None, sound: 0, damage }
    }

    /// Logs the damage.
    pub(super) fn logged(self) -> Self {
        let Self { id, sound, damage, .. } = &self;
        tracing::error!(experiment = %id, sound, damage, "an experiment is damaged and set apart");
        self
    }

    fn error(&self) -> ArenaError {
        ArenaError::Damaged { experiment: self.id, sound: self.sound, text: self.damage.clone() }
    }
}

impl Arena {
    /// The experiments that are set apart because their logs are damaged.
    pub fn set_apart(&self) -> Vec<SetApart> {
        read(&self.apart).values().cloned().collect()
    }

    /// The error for an experiment that is not live.
    pub(super) fn not_live(&self, id: ExperimentId) -> ArenaError {
        match read(&self.apart).get(&id) {
            Some(apart) => apart.error(),
            None => Refusal::NoExperiment.into(),
        }
    }

    /// The number of sound records of an experiment that is set apart.
    pub(super) fn sound(&self, id: ExperimentId) -> Option<u64> {
        read(&self.apart).get(&id).map(|apart| apart.sound)
    }

    /// The state of an experiment that is set apart, after its sound records. It is not what the
    /// experiment acknowledged.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    pub fn sound_state(&self, id: ExperimentId) -> Result<Option<Experiment>, ArenaError> {
        let Some(sound) = self.sound(id).filter(|&sound| sound > 0) else { return Ok(None) };
        Ok(load_until(&*self.store, id, sound)?.map(|loaded| loaded.experiment))
    }

    /// Passes a result of the store on. If it says that a log is damaged, the experiment is set
    /// apart.
    pub(super) fn noticed<T, E: Into<ArenaError>>(&self, result: Result<T, E>) -> Result<T, ArenaError> {
        result.map_err(|error| {
            let error = error.into();
            let id = match &error {
                ArenaError::Store(StoreError::Damaged { log: Some((id, _)), .. }) => *id,
                ArenaError::Fold(error) => error.experiment(),
                _ => return error,
            };
            if id == ExperimentId::ARENA { error } else { self.separate(id, &error) }
        })
    }

    /// Sets an experiment apart. Returns the error for its requests.
    fn separate(&self, id: ExperimentId, error: &ArenaError) -> ArenaError {
        {
            let mut apart = self.apart.write().unwrap_or_else(PoisonError::into_inner);
            if let Some(known) = apart.get(&id) {
                return known.error();
            }
            apart.insert(id, SetApart::unread(id, error));
        }
        if let Some(live) = self.experiments.write().unwrap_or_else(PoisonError::into_inner).remove(&id) {
            // Nothing more may be appended to the log.
            live.fail();
        }
        // This reads the log. Nobody waits for a lock meanwhile.
        let found = SetApart::find(&*self.store, id, error).logged();
        let error = found.error();
        self.apart.write().unwrap_or_else(PoisonError::into_inner).insert(id, found);
        error
    }

    /// Checks the long logs, which [`Arena::open`] has not checked as a whole. Until then, requests
    /// that look up old duels are refused.
    pub fn check_logs(&self) {
        let experiments: Vec<_> =
            read(&self.experiments).iter().map(|(&id, live)| (id, live.clone())).collect();
        for (id, live) in experiments.into_iter().filter(|(_, live)| !live.is_checked()) {
            match self.noticed(self.store.check(id)) {
                Ok(_) => live.set_checked(),
                Err(error) => tracing::error!(experiment = %id, %error, "could not check a log"),
            }
        }
    }
}

/// The record at which an error is.
fn place(error: &ArenaError) -> Option<u64> {
    match error {
        ArenaError::Store(StoreError::Damaged { log: Some((_, seq)), .. }) => Some(*seq),
        ArenaError::Fold(error) => Some(error.seq()),
        _ => None,
    }
}

/// An experiment that was opened.
pub(super) struct Opened {
    pub(super) loaded: Loaded,
    /// Whether its log was checked as a whole.
    pub(super) is_checked: bool,
}

/// Loads an experiment, and checks its log as a whole if it has at most this many records.
pub(super) fn open(
    store: &dyn Store,
    id: ExperimentId,
    checked_at_start: u64,
) -> Result<Option<Opened>, ArenaError> {
    let Some(loaded) = load(store, id)? else { return Ok(None) };
    let is_checked = loaded.head.seq <= checked_at_start;
    if is_checked {
        store.check(id)?;
    }
    Ok(Some(Opened { loaded, is_checked }))
}

/// The name in the first record of a log, if that is sound.
fn name(store: &dyn Store, id: ExperimentId) -> Option<String> {
    let mut name = None;
    let read = store.read(id, 0, &mut |record| {
        if let Event::Created(created) = record.event {
            name = Some(created.name.clone());
        }
        false
    });
    read.ok().and(name)
}
