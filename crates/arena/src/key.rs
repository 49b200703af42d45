//! API keys and what they allow. A key is shown once, when it is created; the arena stores only its
//! hash.

use core::fmt;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::id::{ExperimentId, KeyId};
use crate::time::Time;

/// The prefix of every key, by which scanners can find leaked keys.
const PREFIX: &str = "tiltyard";

/// What a key allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Everything, including the management of keys.
    Admin,
    /// Everything about experiments: creating, changing and reading them, duels and answers.
    Writer,
    /// Duels and answers of one experiment.
    Voter,
    /// Reading only.
    Reader,
}

/// What a request does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Manage keys.
    Keys,
    /// Create an experiment.
    Create,
    /// Change an experiment, or void its duels.
    Change,
    /// Get duels and answer them.
    Vote,
    /// Read.
    Read,
}

/// The event that a key was created.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeyMade {
    /// The id of the key.
    pub key: KeyId,
    /// SHA-256 of the secret, in hexadecimal.
    pub hash: String,
    /// What the key allows.
    pub scope: Scope,
    /// The only experiment for which the key is valid; none if it is valid for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experiment: Option<ExperimentId>,
    /// Whose key it is, in the words of its creator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// When the key expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Time>,
    /// If this key is a session: the key with which the person signed in. The session is valid only
    /// as long as that key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<KeyId>,
}

/// The event that a key was revoked, or that it expired.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeyRevoked {
    /// The id of the key.
    pub key: KeyId,
    /// Whether the key expired, and nobody revoked it.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub expired: bool,
}

/// A key as its owner holds it. `Debug` hides it, so that it is not printed by accident.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A new secret of 256 random bits.
    pub fn new(key: KeyId, rng: &mut dyn Rng) -> Self {
        let bytes: [u8; 32] = rng.random();
        Self(format!("{PREFIX}_{key}_{}", hex(&bytes)))
    }

    /// A secret as it came with a request.
    pub fn brought(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The text itself, to show to its owner.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The id of the key that it claims to be.
    pub(crate) fn key(&self) -> Option<KeyId> {
        let (key, _) = self.0.strip_prefix(PREFIX)?.strip_prefix('_')?.split_once('_')?;
        key.parse().ok()
    }

    /// The hash that the arena stores. A fast hash is enough, because the secret is long and
    /// random.
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

/// A key as the arena stores it.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// The event that created it.
    pub made: KeyMade,
    /// When it was created.
    pub at: Time,
    /// When it was revoked.
    pub revoked: Option<Time>,
    /// Whether the log says that it expired. Then it stays so, whatever the clock says later.
    pub expired: bool,
}

impl Key {
    /// Whether it is neither revoked nor expired at this time.
    pub fn is_good(&self, now: Time) -> bool {
        self.revoked.is_none() && !self.expired && !self.is_over(now)
    }

    /// Whether its time is over.
    pub(crate) fn is_over(&self, now: Time) -> bool {
        self.made.expires.is_some_and(|expires| now >= expires)
    }
}

/// The rights of the caller of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    /// The caller's key; none on a server without keys.
    pub key: Option<KeyId>,
    /// What the key allows.
    pub scope: Scope,
    /// The only experiment for which the key is valid; none if it is valid for all.
    pub experiment: Option<ExperimentId>,
}

impl Grant {
    /// The rights of every caller on a server without keys.
    pub const ANYONE: Self = Self { key: None, scope: Scope::Admin, experiment: None };

    /// Whether the caller may do this, to the given experiment if the action concerns one.
    pub fn allows(&self, action: Action, experiment: Option<ExperimentId>) -> bool {
        let scope = match self.scope {
            Scope::Admin => true,
            Scope::Writer => action != Action::Keys,
            Scope::Voter => action == Action::Vote,
            Scope::Reader => action == Action::Read,
        };
        // A key for one experiment allows nothing that concerns no experiment.
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
