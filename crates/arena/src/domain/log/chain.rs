//! The hash chain of a log. Each record has a hash of itself and of the record before it, so that a
//! record that was changed, lost, moved or inserted no longer fits.
//!
//! `hash = SHA-256(previous hash, experiment, seq, at, kind, body)`. The hash before the first
//! record is 32 zero bytes. The four numbers are 8 bytes each, the most significant byte first. The
//! body is the JSON text exactly as stored.

use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::id::ExperimentId;
use crate::time::Time;

/// A SHA-256 hash. As text it has 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct RecordHash(pub [u8; 32]);

/// Where a log ends: the position of its last record, and that record's hash.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub seq: u64,
    pub hash: RecordHash,
}

/// The parts of a record that its hash covers, as stored.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy)]
pub struct Link<'a> {
    pub experiment: ExperimentId,
    pub at: Time,
    /// The number of the kind of event.
    pub kind: i64,
    pub body: &'a str,
}

impl Head {
    /// The head of an empty log.
    pub const EMPTY: Self = Self { seq: 0, hash: RecordHash([0; 32]) };

    /// The head after one more record.
    #[must_use]
    pub fn after(self, Link { experiment, at, kind, body }: Link<'_>) -> Self {
        let seq = self.seq + 1;
        let mut hasher = Sha256::new();
        hasher.update(self.hash.0);
        hasher.update(experiment.0.to_be_bytes());
        hasher.update(seq.to_be_bytes());
        hasher.update(at.0.to_be_bytes());
        hasher.update(kind.to_be_bytes());
        hasher.update(body.as_bytes());
        Self { seq, hash: RecordHash(hasher.finalize().into()) }
    }
}

impl fmt::Display for RecordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::key::hex(&self.0))
    }
}

impl fmt::Debug for RecordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecordHash({self})")
    }
}

/// Text that is not a hash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a hash of 64 hexadecimal digits")]
pub struct HashError {
    /// The given text.
    pub text: String,
}

impl FromStr for RecordHash {
    type Err = HashError;

    fn from_str(text: &str) -> Result<Self, HashError> {
        let error = || HashError { text: text.to_owned() };
        let digits: Option<Vec<u8>> =
            text.chars().map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
        let digits = digits.filter(|digits| digits.len() == 64).ok_or_else(error)?;
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = pair[0] << 4 | pair[1];
        }
        Ok(Self(hash))
    }
}

impl From<RecordHash> for String {
    fn from(hash: RecordHash) -> Self {
        hash.to_string()
    }
}

impl TryFrom<String> for RecordHash {
    type Error = HashError;

    fn try_from(text: String) -> Result<Self, HashError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed with `sha256sum` from the bytes that the module's documentation describes.
    #[test]
    fn trace_the_first_two_hashes_of_a_log() {
        let experiment = ExperimentId::from_random(2);
        let first = Head::EMPTY.after(Link { experiment, at: Time(5), kind: 1, body: "{}" });
        let second = first.after(Link { experiment, at: Time(-1), kind: 8, body: r#"{"duel":1}"# });
        assert_eq!((first.seq, second.seq), (1, 2));
        assert_eq!(
            first.hash.to_string(),
            "9d32f29da67c20af1db10ff4525130e909b7cc82aed202098e25070467330540"
        );
        assert_eq!(
            second.hash.to_string(),
            "89801cee6c68eec1b2351564011ecf827488e172c2e1955e015b3b871a075c22"
        );
        assert_eq!(second.hash.to_string().parse(), Ok(second.hash));
        assert!("12".parse::<RecordHash>().is_err());
    }
}
