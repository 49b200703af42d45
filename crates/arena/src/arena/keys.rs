//! Keys: made, revoked, checked.

use std::sync::PoisonError;

use rand::RngExt as _;

use super::{Arena, ArenaError, Done, load, lock, read};
use crate::domain::{Event, Refusal};
use crate::id::{ExperimentId, KeyId};
use crate::key::{Grant, Key, KeyMade, KeyRevoked, Scope, Secret};
use crate::time::Time;

impl Arena {
    /// Makes a key; it is durable when this returns.
    ///
    /// # Errors
    ///
    /// If it cannot be kept, or is for an experiment that does not exist.
    pub fn make_key(
        &self,
        scope: Scope,
        experiment: Option<ExperimentId>,
        label: Option<String>,
        expires: Option<Time>,
    ) -> Result<(KeyId, Secret), ArenaError> {
        if let Some(id) = experiment {
            self.live(id)?;
        }
        self.new_key(|key, hash| KeyMade { key, hash, scope, experiment, label, expires, parent: None })
    }

    /// Begins a session of whoever brought a key: a key of its own that does what that one does,
    /// for so many seconds at most. It is durable when this returns; nothing if the secret opens
    /// nothing.
    ///
    /// # Errors
    ///
    /// If it cannot be kept.
    pub fn begin_session(&self, secret: &Secret, seconds: u64) -> Result<Option<Secret>, ArenaError> {
        let Some(Grant { key: Some(parent), scope, experiment }) = self.check_key(secret) else {
            return Ok(None);
        };
        // A session cannot be made longer by another.
        if read(&self.keys).get(parent).is_none_or(|key| key.made.parent.is_some()) {
            return Ok(None);
        }
        let expires = Some(self.now().plus_seconds(seconds));
        let made = self.new_key(|key, hash| KeyMade {
            key,
            hash,
            scope,
            experiment,
            label: None,
            expires,
            parent: Some(parent),
        });
        Ok(Some(made?.1))
    }

    fn new_key(&self, made: impl FnOnce(KeyId, String) -> KeyMade) -> Result<(KeyId, Secret), ArenaError> {
        let mut rng = self.rng();
        let key = KeyId::from_random(rng.random());
        let secret = Secret::new(key, &mut rng);
        self.change_keys(Event::KeyMade(made(key, secret.hash())))?;
        Ok((key, secret))
    }

    /// Revokes a key; that is durable when this returns.
    ///
    /// # Errors
    ///
    /// If there is no such key, or that cannot be kept.
    pub fn revoke_key(&self, key: KeyId) -> Result<Done, ArenaError> {
        match read(&self.keys).get(key) {
            None => return Err(Refusal::NoKey.into()),
            Some(key) if key.revoked.is_some() => return Ok(Done::Already),
            Some(_) => {}
        }
        self.change_keys(Event::KeyRevoked(KeyRevoked { key }))?;
        Ok(Done::Recorded)
    }

    /// Keys change rarely, so they are written one by one and believed only then.
    fn change_keys(&self, event: Event) -> Result<(), ArenaError> {
        let _one_at_a_time = lock(&self.keys_lock);
        let record = read(&self.keys).next(self.now(), event);
        let result = self.store.append(core::slice::from_ref(&record));
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        match result {
            Ok(()) => {
                keys.fold(&record);
                Ok(())
            }
            Err(error) => {
                // It may be there all the same: what the store says holds.
                if let Ok(fresh) = load::keyring(&*self.store) {
                    *keys = fresh;
                }
                Err(error.into())
            }
        }
    }

    /// What a secret opens now.
    pub fn check_key(&self, secret: &Secret) -> Option<Grant> {
        read(&self.keys).check(secret, self.now())
    }

    /// Whether a key opens anything now.
    pub fn is_good_key(&self, key: KeyId) -> bool {
        read(&self.keys).is_good(key, self.now())
    }

    /// All keys.
    pub fn keys(&self) -> Vec<Key> {
        read(&self.keys).keys().cloned().collect()
    }
}
