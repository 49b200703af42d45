//! `name:key=value,key=value`: the notation for policies and worlds on the command line and in
//! files.

use core::fmt;
use core::str::FromStr;

use crate::hint::Hint;

/// A name with parameters, as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    name: String,
    pairs: Vec<(String, String)>,
}

impl Spec {
    /// The text before the colon.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value given for a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.pairs.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    /// The keys given, in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.pairs.iter().map(|(key, _)| key.as_str())
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let name = name.trim();
        if name.is_empty() {
            return Err(SpecError::NoName { text: text.to_owned() });
        }
        let mut spec = Self { name: name.to_owned(), pairs: Vec::new() };
        for part in rest.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let (key, value) = (key.trim(), value.trim());
            if key.is_empty() || value.is_empty() {
                return Err(SpecError::NoValue { text: text.to_owned(), part: part.to_owned() });
            }
            if spec.get(key).is_some() {
                return Err(SpecError::Twice { text: text.to_owned(), key: key.to_owned() });
            }
            spec.pairs.push((key.to_owned(), value.to_owned()));
        }
        Ok(spec)
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (i, (key, value)) in self.pairs.iter().enumerate() {
            write!(f, "{}{key}={value}", if i == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

/// Why a text is not of the form `name:key=value,key=value`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum SpecError {
    /// There is no name before the colon.
    #[error("`{text}` has no name: write `name` or `name:key=value,key=value`")]
    NoName { text: String },
    /// A key has no value, or a value has no key.
    #[error("`{part}` in `{text}` is not of the form `key=value`")]
    NoValue { text: String, part: String },
    /// A key is given twice.
    #[error("`{key}` is given twice in `{text}`")]
    Twice { text: String, key: String },
}

impl Hint for SpecError {}

/// The candidate that the writer of a mistyped word most likely meant, if one is close enough.
pub fn suggest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        // With up to a third of the letters wrong it is a typing error; with more it is another
        // word.
        .filter(|&(distance, candidate)| distance <= (candidate.chars().count() / 3).max(1))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_parse_and_print() {
        for text in ["rex3", "rex3:gamma=0.05", "btm:gamma=1.1,delta=1/T"] {
            assert_eq!(text.parse::<Spec>().unwrap().to_string(), text);
        }
        let spec: Spec = " rex3 : gmax = T/2 , guard=false".parse().unwrap();
        assert_eq!(spec.to_string(), "rex3:gmax=T/2,guard=false");
        assert_eq!(spec.get("gmax"), Some("T/2"));
        assert_eq!(spec.get("gmin"), None);
    }

    #[test]
    fn trace_errors() {
        assert!(matches!("".parse::<Spec>(), Err(SpecError::NoName { .. })));
        assert!(matches!(":gamma=1".parse::<Spec>(), Err(SpecError::NoName { .. })));
        assert!(matches!("rex3:gamma".parse::<Spec>(), Err(SpecError::NoValue { .. })));
        assert!(matches!("rex3:=1".parse::<Spec>(), Err(SpecError::NoValue { .. })));
        assert!(matches!("rex3:a=1,a=2".parse::<Spec>(), Err(SpecError::Twice { .. })));
    }

    #[test]
    fn trace_suggestions() {
        let names = ["rex3", "random", "sparring"];
        assert_eq!(suggest("rexe", names), Some("rex3"));
        assert_eq!(suggest("sparing", names), Some("sparring"));
        assert_eq!(suggest("quicksort", names), None);
    }
}
