//! All keys of an arena, folded from the arena's own log.

use std::collections::BTreeMap;

use subtle::ConstantTimeEq;

use crate::domain::{Event, Head, Record};
use crate::id::{ExperimentId, KeyId};
use crate::key::{Grant, Key, KeyMade, KeyRevoked, Secret};
use crate::time::Time;

/// All keys of an arena.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Keyring {
    seq: u64,
    /// Where the arena's own log ends.
    pub(super) head: Head,
    keys: BTreeMap<KeyId, Key>,
}

impl Default for Keyring {
    fn default() -> Self {
        Self { seq: 0, head: Head::EMPTY, keys: BTreeMap::new() }
    }
}

impl Keyring {
    /// The last log position that is folded in.
    pub(crate) fn seq(&self) -> u64 {
        self.seq
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.keys.values()
    }

    pub(crate) fn get(&self, key: KeyId) -> Option<&Key> {
        self.keys.get(&key)
    }

    /// Whether a key is valid at this time. A session is valid only as long as its parent key.
    pub(crate) fn is_good(&self, key: KeyId, now: Time) -> bool {
        let good = |key: KeyId| self.keys.get(&key).filter(|key| key.is_good(now));
        good(key).is_some_and(|key| key.made.parent.is_none_or(|parent| good(parent).is_some()))
    }

    /// The rights that a secret grants at this time. How long the check takes reveals nothing about
    /// the stored secrets.
    pub(crate) fn check(&self, secret: &Secret, now: Time) -> Option<Grant> {
        let hash = secret.hash();
        let key = self.keys.get(&secret.key()?)?;
        let same: bool = hash.as_bytes().ct_eq(key.made.hash.as_bytes()).into();
        let KeyMade { key: id, scope, experiment, .. } = key.made;
        (same && self.is_good(id, now)).then_some(Grant { key: Some(id), scope, experiment })
    }

    /// The keys whose time is over, although the log does not say so yet.
    pub(crate) fn overdue(&self, now: Time) -> impl Iterator<Item = KeyId> {
        let is_overdue = move |key: &&Key| key.revoked.is_none() && !key.expired && key.is_over(now);
        self.keys.values().filter(is_overdue).map(|key| key.made.key)
    }

    /// The records of events that come next in the log.
    pub(crate) fn next(&self, at: Time, events: Vec<Event>) -> Vec<Record> {
        let record = |(seq, event)| Record { experiment: ExperimentId::ARENA, seq, at, event };
        (self.seq + 1..).zip(events).map(record).collect()
    }

    /// Folds in the next record; returns false if the record cannot be the next one.
    pub(crate) fn fold(&mut self, record: &Record) -> bool {
        if record.experiment != ExperimentId::ARENA || record.seq != self.seq + 1 {
            return false;
        }
        match &record.event {
            Event::KeyMade(made) => {
                let key = Key { made: made.clone(), at: record.at, revoked: None, expired: false };
                self.keys.insert(made.key, key);
            }
            Event::KeyRevoked(KeyRevoked { key, expired }) => {
                if let Some(key) = self.keys.get_mut(key) {
                    if *expired {
                        key.expired = true;
                    } else {
                        key.revoked = Some(record.at);
                    }
                }
            }
            _ => return false,
        }
        self.seq += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;
    use tiltyard_bandit::Stream;

    use super::*;
    use crate::key::Scope;

    fn fold(ring: &mut Keyring, at: i64, event: Event) {
        let records = ring.next(Time(at), vec![event]);
        assert!(records.iter().all(|record| ring.fold(record)));
    }

    fn ring(scope: Scope, experiment: Option<ExperimentId>, expires: Option<Time>) -> (Keyring, Secret) {
        let mut rng = Stream::new(1).rng();
        let key = KeyId::from_random(rng.random());
        let secret = Secret::new(key, &mut rng);
        let made =
            KeyMade { key, hash: secret.hash(), scope, experiment, label: None, expires, parent: None };
        let mut keys = Keyring::default();
        fold(&mut keys, 1, Event::KeyMade(made));
        (keys, secret)
    }

    #[test]
    fn trace_a_key_opens_until_it_is_revoked_or_expires() {
        let (mut ring, secret) = ring(Scope::Admin, None, Some(Time(10)));
        assert!(ring.check(&secret, Time(9)).is_some());
        assert!(ring.check(&secret, Time(10)).is_none());
        let mut other = secret.expose().to_owned();
        other.pop();
        assert!(ring.check(&Secret::brought(&other), Time(9)).is_none());
        assert!(ring.check(&Secret::brought("tiltyard__"), Time(9)).is_none());
        let key = secret.key().expect("it was just created");
        fold(&mut ring, 5, Event::KeyRevoked(KeyRevoked { key, expired: false }));
        assert!(ring.check(&secret, Time(9)).is_none());
    }

    #[test]
    fn trace_a_key_that_expired_stays_expired() {
        let (mut ring, secret) = ring(Scope::Admin, None, Some(Time(10)));
        let key = secret.key().expect("it was just created");
        assert_eq!(ring.overdue(Time(9)).count(), 0);
        assert_eq!(ring.overdue(Time(10)).collect::<Vec<_>>(), [key]);
        fold(&mut ring, 10, Event::KeyRevoked(KeyRevoked { key, expired: true }));
        assert_eq!(ring.overdue(Time(10)).count(), 0);
        assert!(ring.check(&secret, Time(9)).is_none());
        assert_eq!(ring.get(key).map(|key| (key.expired, key.revoked)), Some((true, None)));
    }

    #[test]
    fn trace_a_session_ends_with_its_key() {
        let (mut ring, secret) = ring(Scope::Writer, None, Some(Time(100)));
        let parent = secret.key();
        let session = KeyId::from_random(99);
        let secret = Secret::new(session, &mut Stream::new(2).rng());
        let made = KeyMade {
            key: session,
            hash: secret.hash(),
            scope: Scope::Writer,
            experiment: None,
            label: None,
            expires: Some(Time(50)),
            parent,
        };
        fold(&mut ring, 2, Event::KeyMade(made));
        assert!(ring.check(&secret, Time(49)).is_some());
        assert!(ring.check(&secret, Time(50)).is_none());
        let key = parent.expect("it was just created");
        fold(&mut ring, 5, Event::KeyRevoked(KeyRevoked { key, expired: false }));
        assert!(ring.check(&secret, Time(49)).is_none());
    }

    #[test]
    fn trace_a_secret_is_not_printed() {
        let (ring, secret) = ring(Scope::Admin, None, None);
        assert_eq!(format!("{secret:?}"), "Secret(..)");
        assert!(!format!("{ring:?}").contains(secret.expose()));
    }
}
