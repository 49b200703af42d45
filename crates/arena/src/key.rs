//! API keys: who may do what. A key is shown once, when it is made; what is kept is a hash of it.

use core::fmt;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::id::{ExperimentId, KeyId};
use crate::time::Time;

/// What every key begins with, so that a leaked one can be found.
const PREFIX: &str = "tiltyard";

/// What a key is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Everything, keys included.
    Admin,
    /// Experiments: making and changing them, duels, answers, reading.
    Writer,
    /// Duels and answers of one experiment.
    Voter,
    /// Reading.
    Reader,
}

/// What a request is about to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Change keys.
    Keys,
    /// Make an experiment.
    Create,
    /// Change an experiment, or void its duels.
    Change,
    /// Get duels and answer them.
    Vote,
    /// Read.
    Read,
}

/// A key was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeyMade {
    /// Its name.
    pub key: KeyId,
    /// SHA-256 of its secret, in hexadecimal.
    pub hash: String,
    /// What it is good for.
    pub scope: Scope,
    /// The one experiment that it is good for; all of them if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experiment: Option<ExperimentId>,
    /// Whose it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// From when on it is good for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Time>,
    /// The key with which someone signed in, if this is the session that began then. It is good for
    /// as long as that one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<KeyId>,
}

/// A key was revoked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeyRevoked {
    /// Which.
    pub key: KeyId,
}

/// A key as its owner holds it. It is not printed by accident: `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A new secret of 256 random bits.
    pub fn new(key: KeyId, rng: &mut dyn Rng) -> Self {
        let bytes: [u8; 32] = rng.random();
        Self(format!("{PREFIX}_{key}_{}", hex(&bytes)))
    }

    /// A secret that someone brought.
    pub fn brought(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The text itself, to be shown to its owner.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The key that it claims to be.
    pub(crate) fn key(&self) -> Option<KeyId> {
        let (key, _) = self.0.strip_prefix(PREFIX)?.strip_prefix('_')?.split_once('_')?;
        key.parse().ok()
    }

    /// What is kept of it. It is long and random, so that a fast hash does.
    pub fn hash(&self) -> String {
        hex(&Sha256::digest(self.0.as_bytes()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A key that is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// What was said of it.
    pub made: KeyMade,
    /// When it was made.
    pub at: Time,
    /// When it was revoked.
    pub revoked: Option<Time>,
}

impl Key {
    /// Whether it is neither revoked nor expired at that moment.
    pub fn is_good(&self, now: Time) -> bool {
        self.revoked.is_none() && self.made.expires.is_none_or(|expires| now < expires)
    }
}

/// What whoever brought a key may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    /// Which key; none where no key is asked for.
    pub key: Option<KeyId>,
    /// What it is good for.
    pub scope: Scope,
    /// The one experiment that it is good for.
    pub experiment: Option<ExperimentId>,
}

impl Grant {
    /// What everyone may do where no key is asked for.
    pub const ANYONE: Self = Self { key: None, scope: Scope::Admin, experiment: None };

    /// Whether this may be done, to that experiment if to one.
    pub fn allows(&self, action: Action, experiment: Option<ExperimentId>) -> bool {
        let scope = match self.scope {
            Scope::Admin => true,
            Scope::Writer => action != Action::Keys,
            Scope::Voter => action == Action::Vote,
            Scope::Reader => action == Action::Read,
        };
        // A key of one experiment opens nothing that is about none.
        scope && (self.experiment.is_none() || self.experiment == experiment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_scopes() {
        let one = ExperimentId::from_random(8);
        let other = ExperimentId::from_random(16);
        let grant = |scope, experiment| Grant { key: None, scope, experiment };
        let actions = [Action::Keys, Action::Create, Action::Change, Action::Vote, Action::Read];
        let allowed = |grant: Grant, experiment| actions.map(|action| grant.allows(action, experiment));
        assert_eq!(allowed(grant(Scope::Admin, None), Some(one)), [true; 5]);
        assert_eq!(allowed(grant(Scope::Writer, None), Some(one)), [false, true, true, true, true]);
        assert_eq!(allowed(grant(Scope::Voter, Some(one)), Some(one)), [false, false, false, true, false]);
        assert_eq!(allowed(grant(Scope::Voter, Some(one)), Some(other)), [false; 5]);
        assert_eq!(allowed(grant(Scope::Reader, None), Some(one)), [false, false, false, false, true]);
        assert_eq!(allowed(grant(Scope::Reader, Some(one)), None), [false; 5]);
    }
}
