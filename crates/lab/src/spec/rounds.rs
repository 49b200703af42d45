//! Rounds at which curves are recorded: a list, or a number per decade.

use core::fmt;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::number::Count;

/// Rounds up to a horizon that is not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rounds {
    /// These rounds, in rising order.
    List(Vec<u64>),
    /// `from`, and from there on a number of rounds per decade, evenly spaced on a logarithmic
    /// scale.
    Decades {
        /// The first round.
        from: u64,
        /// The number of rounds per decade.
        per_decade: u64,
    },
}

impl Rounds {
    /// The default checkpoints.
    pub const CHECKPOINTS: Self = Self::Decades { from: 100, per_decade: 10 };
    /// The default horizons of fixed-horizon policies: two per decade, from 1000 on.
    pub const HORIZONS: Self = Self::Decades { from: 1000, per_decade: 2 };

    /// The rounds up to a horizon. The horizon itself is always the last.
    pub fn up_to(&self, horizon: u64) -> Vec<u64> {
        let mut rounds: Vec<u64> = match self {
            Self::List(rounds) => rounds.iter().copied().filter(|&round| round < horizon).collect(),
            &Self::Decades { from, per_decade } => (0..u32::MAX)
                .map(|i| {
                    let decades = f64::from(i) / per_decade as f64;
                    // `libm` gives the same round on every platform.
                    let round = (from as f64 * libm::pow(10.0, decades)).round();
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "a whole number; too large values saturate"
                    )]
                    let round = round as u64;
                    round
                })
                .take_while(|&round| round < horizon)
                .collect(),
        };
        rounds.push(horizon);
        rounds.dedup();
        rounds
    }

    /// The first round of a list that is beyond a horizon.
    pub(crate) fn beyond(&self, horizon: u64) -> Option<u64> {
        match self {
            Self::List(rounds) => rounds.iter().copied().find(|&round| round > horizon),
            Self::Decades { .. } => None,
        }
    }

    /// Whether this is a list that is empty or not in rising order.
    pub(crate) fn is_unsorted(&self) -> bool {
        match self {
            Self::List(rounds) => rounds.is_empty() || !rounds.is_sorted_by(|a, b| a < b),
            Self::Decades { .. } => false,
        }
    }
}

impl<'de> Deserialize<'de> for Rounds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Either)
    }
}

/// The largest number of rounds per decade.
const MOST: u64 = 1000;

struct Either;

impl<'de> Visitor<'de> for Either {
    type Value = Rounds;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of rounds, or { from = 100, per_decade = 10 }")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Rounds, A::Error> {
        let counts = Vec::<Count>::deserialize(SeqAccessDeserializer::new(list))?;
        Ok(Rounds::List(counts.into_iter().map(|Count(count)| count).collect()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Rounds, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            from: Count,
            per_decade: Count,
        }
        let Table { from, per_decade } = Table::deserialize(MapAccessDeserializer::new(map))?;
        // More points would not improve a curve, and would fill the memory.
        if per_decade.0 > MOST {
            return Err(A::Error::custom(format_args!("at most {MOST} rounds in a decade")));
        }
        Ok(Rounds::Decades { from: from.0, per_decade: per_decade.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10^0.5 = 3.1623, 10^0.1 = 1.2589, 10^0.2 = 1.5849.
    #[test]
    fn trace_decades() {
        assert_eq!(Rounds::HORIZONS.up_to(100_000), [1000, 3162, 10_000, 31_623, 100_000]);
        assert_eq!(Rounds::HORIZONS.up_to(500), [500]);
        assert_eq!(Rounds::CHECKPOINTS.up_to(200), [100, 126, 158, 200]);
        assert_eq!(Rounds::CHECKPOINTS.up_to(100_000).len(), 31);
        // Steps smaller than a round coincide.
        assert_eq!(Rounds::Decades { from: 1, per_decade: 10 }.up_to(4), [1, 2, 3, 4]);
    }

    #[test]
    fn trace_lists() {
        let list = Rounds::List(vec![10, 100]);
        assert_eq!(
            (list.up_to(100), list.up_to(50), list.up_to(1000)),
            (vec![10, 100], vec![10, 50], vec![10, 100, 1000])
        );
        assert_eq!((list.beyond(99), list.beyond(100)), (Some(100), None));
        assert!(Rounds::List(vec![2, 2]).is_unsorted() && !list.is_unsorted());
    }
}
