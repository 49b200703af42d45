//! Whole numbers as people write them: 100000, 100_000 or 1e5.

use core::fmt;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

/// A whole number, which may be written with an exponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Whole(pub(crate) u64);

/// A whole number of at least 1, which may be written with an exponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Count(pub(crate) u64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Least(0)).map(Self)
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Least(1)).map(Self)
    }
}

/// Accepts whole numbers of at least this value.
struct Least(u64);

impl Visitor<'_> for Least {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number of at least {}, such as 100000 or 1e5", self.0)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<u64, E> {
        let refuse = || E::invalid_value(Unexpected::Signed(number), &self);
        u64::try_from(number).ok().filter(|&whole| whole >= self.0).ok_or_else(refuse)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<u64, E> {
        if number < self.0 {
            return Err(E::invalid_value(Unexpected::Unsigned(number), &self));
        }
        Ok(number)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<u64, E> {
        // Beyond 2^53, an f64 cannot hold every whole number.
        let least = self.0 as f64;
        if number.fract() != 0.0 || !(least..=9_007_199_254_740_992.0).contains(&number) {
            return Err(E::invalid_value(Unexpected::Float(number), &self));
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and in range")]
        Ok(number as u64)
    }
}
