//! The kinds of regret.

use core::fmt;
use core::str::FromStr;

use tiltyard_bandit::hint::{FrontEnd, Hint, did_you_mean};
use tiltyard_bandit::spec::suggest;

/// A kind of regret: the gap of an arm, and how the gaps of two arms combine into the regret of a
/// pair.
///
/// | name | gap of an arm a | regret of a pair |
/// |---|---|---|
/// | `condorcet` | P(best, a) - 1/2 | mean of both gaps |
/// | `weak`, `strong` | P(best, a) - 1/2 | smaller, larger gap |
/// | `binary-weak`, `binary-strong` | 0 if a is the best arm, else 1 | smaller, larger gap |
/// | `bandit` | x(best) - x(a) | mean |
/// | `borda` | B(best) - B(a), B the mean of P(a, j) over j other than a | mean |
/// | `copeland` | C(best) - C(a), C the share of the other arms that a beats | mean |
/// | `copeland-full` | as `copeland` | sum, as in the papers on Copeland bandits |
/// | `dynamic-...` | as above, against the best arm *of that round* | as above |
///
/// Where utilities are compared and a coin breaks ties, the expected bandit regret is **twice** the
/// Condorcet regret. In Yue et al. (2012) strong regret is the larger gap, as here; Chen and
/// Frazier (2017) use the word for the binary form. Borda and Copeland regret compare with a Borda
/// and a Copeland winner, not with the Condorcet winner.
///
/// If the best arm changes with time, regret can be static or dynamic:
///
/// - Static regret compares with one arm in all rounds, the best in hindsight. That is the arm with
///   the highest utility, Borda or Copeland score summed over the run, or the winner of the matrix
///   averaged over the run. It may be negative for a policy that follows the changes.
/// - Dynamic regret compares with the best arm of each round. It is never negative if that arm is a
///   Condorcet winner.
///
/// In a world that does not change, the two are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Regret {
    /// How the gap of an arm is measured.
    pub gap: Gap,
    /// How the gaps of a pair combine.
    pub slots: Slots,
    /// Whether to compare with the best arm of each round instead of one arm in all rounds.
    pub dynamic: bool,
}

/// How the distance of an arm from the best arm is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gap {
    /// The probability of losing to the best arm, minus 1/2.
    Preference,
    /// 1 for every arm except the best.
    Identity,
    /// The difference in utility.
    Utility,
    /// The difference in Borda score, normalised, without the diagonal.
    Borda,
    /// The difference in Copeland score, normalised.
    Copeland,
}

/// How the gaps of the two arms combine into the regret of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slots {
    /// The mean of both gaps.
    Mean,
    /// The smaller gap.
    Min,
    /// The larger gap.
    Max,
    /// The sum of both gaps.
    Sum,
}

impl Slots {
    /// The regret of a pair with these gaps.
    #[inline]
    pub fn combine(self, left: f64, right: f64) -> f64 {
        match self {
            Self::Mean => f64::midpoint(left, right),
            Self::Min => left.min(right),
            Self::Max => left.max(right),
            Self::Sum => left + right,
        }
    }
}

impl Regret {
    /// Regret against the Condorcet winner, averaged over the slots.
    pub const CONDORCET: Self = Self { gap: Gap::Preference, slots: Slots::Mean, dynamic: false };
    /// Regret against the utility of the best single arm, averaged over the slots.
    pub const BANDIT: Self = Self { gap: Gap::Utility, slots: Slots::Mean, dynamic: false };

    /// The same regret against the best arm of each round.
    #[must_use]
    pub const fn dynamic(self) -> Self {
        Self { dynamic: true, ..self }
    }

    const NAMES: [(&'static str, Gap, Slots); 9] = [
        ("condorcet", Gap::Preference, Slots::Mean),
        ("weak", Gap::Preference, Slots::Min),
        ("strong", Gap::Preference, Slots::Max),
        ("binary-weak", Gap::Identity, Slots::Min),
        ("binary-strong", Gap::Identity, Slots::Max),
        ("bandit", Gap::Utility, Slots::Mean),
        ("borda", Gap::Borda, Slots::Mean),
        ("copeland", Gap::Copeland, Slots::Mean),
        ("copeland-full", Gap::Copeland, Slots::Sum),
    ];

    /// The names of all kinds, without the prefix `dynamic-`.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::NAMES.iter().map(|&(name, ..)| name)
    }
}

impl FromStr for Regret {
    type Err = UnknownRegret;

    fn from_str(text: &str) -> Result<Self, UnknownRegret> {
        let stem = text.strip_prefix("dynamic-");
        let dynamic = stem.is_some();
        let name = stem.unwrap_or(text);
        Self::NAMES.iter().find(|(known, ..)| *known == name).map_or_else(
            || Err(UnknownRegret { name: text.to_owned(), suggestion: suggest(name, Self::names()) }),
            |&(_, gap, slots)| Ok(Self { gap, slots, dynamic }),
        )
    }
}

impl fmt::Display for Regret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.dynamic {
            f.write_str("dynamic-")?;
        }
        match Self::NAMES.iter().find(|&&(_, gap, slots)| (gap, slots) == (self.gap, self.slots)) {
            Some((name, ..)) => f.write_str(name),
            None => write!(f, "{:?} of {:?}", self.slots, self.gap),
        }
    }
}

/// No kind of regret has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no regret `{name}`; it is one of {}, each also as dynamic-...", Regret::names().collect::<Vec<_>>().join(", "))]
#[expect(missing_docs, reason = "the names say it")]
pub struct UnknownRegret {
    pub name: String,
    pub suggestion: Option<&'static str>,
}

impl Hint for UnknownRegret {
    fn hints(&self, _: &dyn FrontEnd) -> Vec<String> {
        did_you_mean(self.suggestion, [])
    }
}

/// The regret has no meaning in the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum RegretError {
    /// Bandit regret in a world without utilities.
    #[error("{regret} regret needs utilities, but a preference matrix has none")]
    NoUtilities { regret: Regret },
    /// Regret over arms in a continuous world.
    #[error("{regret} regret compares arms, but a continuous world has no arms, only condorcet regret")]
    Points { regret: Regret },
}

impl Hint for RegretError {
    fn hints(&self, _: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Points { .. } => Vec::new(),
            Self::NoUtilities { .. } => {
                vec![
                    "use `condorcet` instead; where utilities are known, it is half of the bandit regret"
                        .to_owned(),
                ]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_names_round_trip() {
        for name in Regret::names() {
            for text in [name.to_owned(), format!("dynamic-{name}")] {
                assert_eq!(text.parse::<Regret>().unwrap().to_string(), text);
            }
        }
        assert_eq!("condrcet".parse::<Regret>().unwrap_err().suggestion, Some("condorcet"));
    }

    #[test]
    fn trace_pairs() {
        assert!((Slots::Mean.combine(0.1, 0.3) - 0.2).abs() < 1e-15);
        assert!((Slots::Min.combine(0.1, 0.3) - 0.1).abs() < 1e-15);
        assert!((Slots::Max.combine(0.1, 0.3) - 0.3).abs() < 1e-15);
        assert!((Slots::Sum.combine(0.1, 0.3) - 0.4).abs() < 1e-15);
    }
}
