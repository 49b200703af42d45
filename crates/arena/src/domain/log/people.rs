//! Data about people, which a log keeps outside of its hash chain, so that it can be erased.
//!
//! The body of a record has a random number for a voter, and a salted hash for other contents. The
//! store keeps the names and the contents in tables of their own. If they are erased there, the
//! hashes of all records still fit. Records of earlier versions have names and contexts in their
//! bodies.

use core::fmt;
use std::sync::Arc;

use rand::{Rng, RngExt};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::domain::RecordHash;
use crate::id::ExperimentId;

/// The number of bits of a voter's number. JavaScript reads such numbers exactly.
const NUMBER_BITS: u32 = 53;

/// A voter as a record has them: JSON text for a name, a JSON number for a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Voter {
    /// By name, as in records of earlier versions.
    Name(String),
    /// By number. The name is there if this record is the first of the voter and was just decided,
    /// or after [`crate::store::Store::reveal`], unless it was erased.
    Number(u64, Option<String>),
}

impl Voter {
    /// The name, as far as the record has it.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) | Self::Number(_, Some(name)) => Some(name),
            Self::Number(_, None) => None,
        }
    }

    /// Whether the voter is this person.
    pub fn is(&self, person: &Person) -> bool {
        match self {
            Self::Name(name) => *name == person.name,
            Self::Number(number, _) => person.number == Some(*number),
        }
    }
}

/// The name, or a substitute if it was erased.
impl fmt::Display for Voter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number, None) => write!(f, "{ERASED}{number}"),
            Self::Name(name) | Self::Number(_, Some(name)) => f.write_str(name),
        }
    }
}

/// Begins the substitute for an erased name.
const ERASED: &str = "erased-";

impl Serialize for Voter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Name(name) => serializer.serialize_str(name),
            Self::Number(number, _) => serializer.serialize_u64(*number),
        }
    }
}

impl<'de> Deserialize<'de> for Voter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = Voter;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a voter's name, or a number below 2^{NUMBER_BITS}")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Voter, E> {
                Ok(Voter::Name(name.to_owned()))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Voter, E> {
                if number >> NUMBER_BITS == 0 {
                    Ok(Voter::Number(number, None))
                } else {
                    Err(E::invalid_value(de::Unexpected::Unsigned(number), &self))
                }
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

/// A voter as a request has them: by name, with the number that the log has for it.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub name: String,
    /// `None` if no record has a number for this name.
    pub number: Option<u64>,
}

impl Person {
    /// The voter as a new record has them. A person without a number gets one.
    pub(crate) fn voter(self, rng: &mut dyn Rng) -> Voter {
        match self.number {
            Some(number) => Voter::Number(number, None),
            None => Voter::Number(rng.random::<u64>() >> (u64::BITS - NUMBER_BITS), Some(self.name)),
        }
    }

    /// Also finds erased voters, by the substitute for their names.
    pub(crate) fn or_erased(self) -> Self {
        let erased = || self.name.strip_prefix(ERASED)?.parse().ok();
        Self { number: self.number.or_else(erased), ..self }
    }
}

/// The checksum of a voter's name in the store: the first 8 bytes of
/// `SHA-256(experiment, number, name)`, with 8 bytes for each of the two numbers, the most
/// significant byte first. An erased name has no checksum, because that would confirm a guess.
pub fn mark(experiment: ExperimentId, number: u64, name: Option<&str>) -> Vec<u8> {
    let Some(name) = name else { return Vec::new() };
    let mut hasher = Sha256::new();
    hasher.update(experiment.0.to_be_bytes());
    hasher.update(number.to_be_bytes());
    hasher.update(name.as_bytes());
    hasher.finalize().iter().copied().take(8).collect()
}

/// Contents of a record that lie apart from it. The body of the record has only their hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "RecordHash", into = "RecordHash")]
pub struct Seal {
    hash: RecordHash,
    /// `None` if they were erased, or before [`crate::store::Store::reveal`].
    contents: Option<Arc<Contents>>,
}

/// Contents as the store keeps them.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    pub salt: [u8; 16],
    /// A JSON object, as text.
    pub text: String,
}

/// The members of the object.
#[derive(Debug, Serialize, Deserialize)]
struct Members {
    /// Data that the caller attached to a duel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context: Option<Value>,
}

impl Contents {
    /// `SHA-256(salt, text)`.
    fn hash(&self) -> RecordHash {
        RecordHash(Sha256::new().chain_update(self.salt).chain_update(&self.text).finalize().into())
    }
}

impl Seal {
    /// Seals the context of a duel.
    pub fn context(context: Value, rng: &mut dyn Rng) -> Self {
        let text = serde_json::to_string(&Members { context: Some(context) }).expect("it is plain data");
        let contents = Contents { salt: rng.random(), text };
        Self { hash: contents.hash(), contents: Some(Arc::new(contents)) }
    }

    /// The contents, if they are known.
    pub fn contents(&self) -> Option<&Contents> {
        self.contents.as_deref()
    }

    /// Adds the contents that the store has, or notes that they were erased. Returns false if they
    /// do not fit the hash.
    pub(crate) fn open(&mut self, contents: Option<Contents>) -> bool {
        let fits = contents.as_ref().is_none_or(|contents| contents.hash() == self.hash);
        self.contents = contents.filter(|_| fits).map(Arc::new);
        fits
    }

    /// The context, if the contents are known and have one.
    pub(crate) fn read_context(&self) -> Option<Value> {
        serde_json::from_str::<Members>(&self.contents.as_ref()?.text).ok()?.context
    }
}

impl From<RecordHash> for Seal {
    fn from(hash: RecordHash) -> Self {
        Self { hash, contents: None }
    }
}

impl From<Seal> for RecordHash {
    fn from(seal: Seal) -> Self {
        seal.hash
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;
    use rand::rngs::ChaCha8Rng;

    use super::*;

    #[test]
    fn trace_a_voter_is_a_name_or_a_number() {
        let read = |text: &str| serde_json::from_str::<Voter>(text);
        let most = (1_u64 << 53) - 1;
        for (text, voter, shown) in [
            (r#""123""#, Voter::Name("123".to_owned()), "123"),
            ("123", Voter::Number(123, None), "erased-123"),
            ("9007199254740991", Voter::Number(most, None), "erased-9007199254740991"),
        ] {
            assert_eq!(read(text).ok(), Some(voter.clone()));
            assert_eq!(serde_json::to_string(&voter).ok().as_deref(), Some(text));
            assert_eq!(voter.to_string(), shown);
        }
        for wrong in ["9007199254740992", "-1", "1.5", "null", "[1]"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        // The name is no part of the body.
        let named = Voter::Number(7, Some("v".to_owned()));
        assert_eq!(serde_json::to_string(&named).ok().as_deref(), Some("7"));
        assert_eq!(named.to_string(), "v");
    }

    #[test]
    fn trace_a_voter_is_found_by_name_and_by_number() {
        let person = |name: &str, number| Person { name: name.to_owned(), number };
        assert!(Voter::Name("123".to_owned()).is(&person("123", None)));
        assert!(!Voter::Number(123, None).is(&person("123", None)));
        assert!(Voter::Number(5, None).is(&person("123", Some(5))));
        assert!(Voter::Number(123, None).is(&person("erased-123", None).or_erased()));
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        for _ in 0..1000 {
            let Voter::Number(number, Some(name)) = person("v", None).voter(rng) else {
                panic!("a new voter has a number and a name");
            };
            assert!(number < 1 << 53 && name == "v");
        }
        assert_eq!(person("v", Some(5)).voter(rng), Voter::Number(5, None));
    }

    /// Computed with `sha256sum` from the bytes that the documentation describes.
    #[test]
    fn trace_marks_and_seals() {
        let experiment = ExperimentId::from_random(2);
        assert_eq!(crate::key::hex(&mark(experiment, 7, Some("v"))), "41984c3878a02716");
        assert!(mark(experiment, 7, None).is_empty());
        let contents = Contents { salt: *b"0123456789abcdef", text: r#"{"context":1}"#.to_owned() };
        let hash = contents.hash();
        assert_eq!(hash.to_string(), "16e858e1d1dcc363822371ef63579387a15a3f569faa7cf93c3fd90192c1a884");
        let mut seal = Seal::from(hash);
        assert_eq!(seal.read_context(), None);
        assert!(!seal.open(Some(Contents { text: r#"{"context":2}"#.to_owned(), ..contents.clone() })));
        assert_eq!(seal.contents(), None);
        assert!(seal.open(Some(contents)));
        assert_eq!(seal.read_context(), Some(Value::from(1)));
        assert!(seal.open(None));
        assert_eq!(seal.read_context(), None);
    }
}
