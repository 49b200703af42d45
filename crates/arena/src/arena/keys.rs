//! Creates, revokes and checks keys.

use std::sync::PoisonError;

use rand::RngExt as _;

use super::{Arena, ArenaError, Done, Keyring, load, lock, read};
use crate::domain::{Event, Refusal};
use crate::id::{ExperimentId, KeyId};
use crate::key::{Grant, Key, KeyMade, KeyRevoked, Scope, Secret};
use crate::store::Append;
use crate::time::Time;

impl Arena {
    /// Creates a key. It is durable when this returns.
    ///
    /// # Errors
    ///
    /// If the store fails, or the key is for an experiment that does not exist.
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

    /// Starts a session: a new key with the rights of the given one, for at most this many seconds.
    /// It is durable when this returns. Returns none if the secret is not valid, or is a session
    /// itself.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub fn begin_session(&self, secret: &Secret, seconds: u64) -> Result<Option<Secret>, ArenaError> {
        let Some(Grant { key: Some(parent), scope, experiment }) = self.check_key(secret) else {
            return Ok(None);
        };
        // A session cannot be extended by another session.
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
        self.change_keys(|_, _| vec![Event::KeyMade(made(key, secret.hash()))])?;
        Ok((key, secret))
    }

    /// Revokes a key. That is durable when this returns.
    ///
    /// # Errors
    ///
    /// If the key does not exist, or the store fails.
    pub fn revoke_key(&self, key: KeyId) -> Result<Done, ArenaError> {
        match read(&self.keys).get(key) {
            None => return Err(Refusal::NoKey.into()),
            Some(key) if key.revoked.is_some() => return Ok(Done::Already),
            Some(_) => {}
        }
        self.change_keys(|_, _| vec![Event::KeyRevoked(KeyRevoked { key, expired: false })])?;
        Ok(Done::Recorded)
    }

    /// Records which keys have expired, so that they stay expired even if the clock is behind after
    /// a restart. Returns how many keys these are. That is durable when this returns.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub fn expire_keys(&self) -> Result<usize, ArenaError> {
        self.change_keys(|keys, now| {
            let expired = |key| Event::KeyRevoked(KeyRevoked { key, expired: true });
            keys.overdue(now).map(expired).collect()
        })
    }

    /// Writes changes of keys, and applies them only when they are durable. Keys change rarely, so
    /// one write at a time is enough. Returns the number of changes.
    fn change_keys(&self, decide: impl FnOnce(&Keyring, Time) -> Vec<Event>) -> Result<usize, ArenaError> {
        let _one_at_a_time = lock(&self.keys_lock);
        let now = self.now();
        let (records, after) = {
            let keys = read(&self.keys);
            (keys.next(now, decide(&keys, now)), keys.head)
        };
        if records.is_empty() {
            return Ok(0);
        }
        let append = Append { experiment: ExperimentId::ARENA, after, records: records.clone() };
        let result = self.store.append(&[append]).pop().expect("one result per log");
        // After an error, the records may have been written anyway: reload what the store has.
        let fresh = if result.is_err() { load::keyring(&*self.store).ok() } else { None };
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(fresh) = fresh {
            *keys = fresh;
        } else if let Ok(head) = result {
            for record in &records {
                keys.fold(record);
            }
            keys.head = head;
        }
        result?;
        Ok(records.len())
    }

    /// The rights that a secret grants now.
    pub fn check_key(&self, secret: &Secret) -> Option<Grant> {
        read(&self.keys).check(secret, self.now())
    }

    /// Whether a key is valid now.
    pub fn is_good_key(&self, key: KeyId) -> bool {
        read(&self.keys).is_good(key, self.now())
    }

    /// All keys.
    pub fn keys(&self) -> Vec<Key> {
        read(&self.keys).keys().cloned().collect()
    }
}
