//! The values of a parameter in a grid.

use core::fmt;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::number::Count;

/// Values of one parameter, written as in a policy's specification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Values(pub(crate) Vec<String>);

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Either)
    }
}

/// The largest number of points in a parameter's grid.
const MOST: u64 = 10_000;

struct Either;

impl<'de> Visitor<'de> for Either {
    type Value = Values;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a list of values, { log = [0.001, 0.5], points = 16 } or { linear = [0, 1], points = 11 }",
        )
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Values, A::Error> {
        let words = Vec::<Word>::deserialize(SeqAccessDeserializer::new(list))?;
        distinct(words.into_iter().map(|Word(word)| word).collect())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Values, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            log: Option<[f64; 2]>,
            linear: Option<[f64; 2]>,
            points: Count,
        }
        let table = Table::deserialize(MapAccessDeserializer::new(map))?;
        let points = table.points.0;
        if points > MOST {
            return Err(A::Error::custom(format_args!("at most {MOST} points in a grid")));
        }
        let share = |i: u64| i as f64 / (points - 1).max(1) as f64;
        let values: Vec<f64> = match (table.log, table.linear) {
            (Some([low, high]), None) if low > 0.0 && high > 0.0 => {
                (0..points).map(|i| low * libm::pow(high / low, share(i))).collect()
            }
            (Some(_), None) => return Err(A::Error::custom("a logarithmic grid needs ends above 0")),
            (None, Some([low, high])) => (0..points).map(|i| low + (high - low) * share(i)).collect(),
            _ => return Err(A::Error::custom("a grid has either `log` or `linear`")),
        };
        if values.iter().any(|value| !value.is_finite()) {
            return Err(A::Error::custom("the ends of a grid must be finite"));
        }
        distinct(values.into_iter().map(|value| four_digits(value).to_string()).collect())
    }
}

fn distinct<E: Error>(values: Vec<String>) -> Result<Values, E> {
    if values.is_empty() {
        return Err(E::custom("a grid needs at least one value"));
    }
    for (i, value) in values.iter().enumerate() {
        if values[..i].contains(value) {
            return Err(E::custom(format_args!("`{value}` appears twice in this grid")));
        }
    }
    Ok(Values(values))
}

/// Rounds to four significant digits, so that people can read the value and type it again.
fn four_digits(value: f64) -> f64 {
    format!("{value:.3e}").parse().expect("a printed number can be parsed")
}

/// A number, a string or a boolean, as a policy's specification writes it.
struct Word(String);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Word;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, a string such as \"T/2\", or a boolean")
            }
            fn visit_bool<E: Error>(self, value: bool) -> Result<Word, E> {
                Ok(Word(value.to_string()))
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Word, E> {
                Ok(Word(value.to_string()))
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<Word, E> {
                Ok(Word(value.to_string()))
            }
            fn visit_str<E: Error>(self, value: &str) -> Result<Word, E> {
                Ok(Word(value.to_owned()))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Result<Vec<String>, String> {
        #[derive(Deserialize)]
        struct One {
            grid: Values,
        }
        toml::from_str::<One>(&format!("grid = {text}"))
            .map(|one| one.grid.0)
            .map_err(|error| error.message().to_owned())
    }

    #[test]
    fn trace_values() {
        assert_eq!(values("[0.1, 2, \"T/2\", true]").unwrap(), ["0.1", "2", "T/2", "true"]);
        // 0.001 * 500^(1/2) = 0.02236.
        assert_eq!(values("{ log = [0.001, 0.5], points = 3 }").unwrap(), ["0.001", "0.02236", "0.5"]);
        assert_eq!(values("{ linear = [0, 1.0], points = 3 }").unwrap(), ["0", "0.5", "1"]);
        assert_eq!(values("{ log = [0.2, 0.5], points = 1 }").unwrap(), ["0.2"]);
    }

    #[test]
    fn trace_errors() {
        assert_eq!(values("[]").unwrap_err(), "a grid needs at least one value");
        assert_eq!(values("[1, 1]").unwrap_err(), "`1` appears twice in this grid");
        assert_eq!(
            values("{ log = [0, 1], points = 3 }").unwrap_err(),
            "a logarithmic grid needs ends above 0"
        );
        assert_eq!(values("{ points = 3 }").unwrap_err(), "a grid has either `log` or `linear`");
        assert_eq!(
            values("{ linear = [0, inf], points = 3 }").unwrap_err(),
            "the ends of a grid must be finite"
        );
    }
}
