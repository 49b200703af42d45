//! Ids of experiments, duels and keys, and their text form.
//!
//! An id is text in lower-case Crockford base 32: it has no letters that look like digits, is safe
//! in an address, and is easy to read aloud.

use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};

/// Crockford's digits.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The number of digits of a 64-bit number.
const LONG: usize = 13;

/// The id of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ExperimentId(pub(crate) u64);

/// The id of a duel: its position in the experiment's log, and a secret. Because of the secret, a
/// person who was shown one duel cannot answer others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct DuelId {
    /// The experiment that issued the duel.
    pub experiment: ExperimentId,
    /// The log position at which the duel was issued.
    pub seq: u64,
    /// The secret, which only those who were shown the duel know.
    pub token: u64,
}

/// The id of an API key. It is not secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct KeyId(pub(crate) u64);

/// Text that is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not the id of {what}")]
pub struct IdError {
    /// The given text.
    pub text: String,
    /// The kind of id that was expected, such as "a duel".
    pub what: &'static str,
}

impl ExperimentId {
    /// The id of the arena's own log, which holds the keys.
    pub const ARENA: Self = Self(0);

    /// An id made of random bits; never the id of the arena's own log.
    pub fn from_random(bits: u64) -> Self {
        // Drop a bit, because the integers of a store are signed.
        Self((bits >> 1).max(1))
    }
}

impl KeyId {
    /// An id made of random bits.
    pub fn from_random(bits: u64) -> Self {
        Self(bits >> 1)
    }
}

fn encode(number: u64, digits: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for index in (0..digits).rev() {
        let digit = (number >> (5 * index)) & 31;
        write!(f, "{}", char::from(DIGITS[usize::try_from(digit).unwrap_or_default()]))?;
    }
    Ok(())
}

fn decode(text: &str) -> Option<u64> {
    text.bytes().try_fold(0u64, |number, byte| {
        let digit = DIGITS.iter().position(|&digit| digit == byte)?;
        if number >> 59 != 0 {
            return None;
        }
        Some(number << 5 | digit as u64)
    })
}

/// Decodes a 64-bit number of exactly thirteen digits.
fn decode_long(text: &str) -> Option<u64> {
    (text.len() == LONG).then(|| decode(text)).flatten()
}

impl fmt::Display for ExperimentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        encode(self.0, LONG, f)
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        encode(self.0, LONG, f)
    }
}

impl fmt::Display for DuelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = usize::try_from(self.seq.max(1).ilog2() / 5 + 1).unwrap_or(LONG);
        write!(f, "{}-", self.experiment)?;
        encode(self.seq, digits, f)?;
        f.write_str("-")?;
        encode(self.token, LONG, f)
    }
}

impl FromStr for ExperimentId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let id = decode_long(text).filter(|&id| id >> 63 == 0).map(Self);
        id.ok_or_else(|| IdError { text: text.to_owned(), what: "an experiment" })
    }
}

impl FromStr for KeyId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let id = decode_long(text).filter(|&id| id >> 63 == 0).map(Self);
        id.ok_or_else(|| IdError { text: text.to_owned(), what: "a key" })
    }
}

impl FromStr for DuelId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let parts = || {
            let mut parts = text.split('-');
            let experiment = parts.next()?.parse().ok()?;
            let seq = parts.next().filter(|seq| !seq.is_empty() && !seq.starts_with('0'))?;
            let duel = Self {
                experiment,
                seq: decode(seq).filter(|&seq| seq >> 62 == 0)?,
                token: decode_long(parts.next()?)?,
            };
            parts.next().is_none().then_some(duel)
        };
        parts().ok_or_else(|| IdError { text: text.to_owned(), what: "a duel" })
    }
}

macro_rules! as_text {
    ($($id:ty),*) => {$(
        impl From<$id> for String {
            fn from(id: $id) -> Self {
                id.to_string()
            }
        }

        impl TryFrom<String> for $id {
            type Error = IdError;

            fn try_from(text: String) -> Result<Self, IdError> {
                text.parse()
            }
        }
    )*};
}

as_text!(ExperimentId, DuelId, KeyId);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn trace_ids_as_text() {
        let experiment = ExperimentId(1);
        assert_eq!(experiment.to_string(), "0000000000001");
        let duel = DuelId { experiment, seq: 33, token: 31 };
        assert_eq!(duel.to_string(), "0000000000001-11-000000000000z");
    }

    #[test]
    fn trace_text_that_is_no_id() {
        for text in ["", "1", "000000000000I", "zzzzzzzzzzzzz", "00000000000001", "é000000000000"] {
            assert!(text.parse::<ExperimentId>().is_err(), "{text}");
        }
        for text in [
            "",
            "0000000000001",
            "0000000000001-1",
            "0000000000001-01-0000000000000",
            "0000000000001--0000000000000",
        ] {
            assert!(text.parse::<DuelId>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn law_ids_round_trip(experiment: u64, seq in 1..u64::MAX >> 2, token: u64) {
            let duel = DuelId { experiment: ExperimentId::from_random(experiment), seq, token };
            prop_assert_eq!(duel.to_string().parse(), Ok(duel));
            prop_assert_eq!(duel.experiment.to_string().parse(), Ok(duel.experiment));
        }
    }
}
