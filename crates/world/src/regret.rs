//! What a pair costs: the kinds of regret.

use core::fmt;
use core::str::FromStr;

use tiltyard_bandit::hint::{FrontEnd, Hint, did_you_mean};
use tiltyard_bandit::spec::suggest;

/// A kind of regret: how far each arm is from the best one, and what a pair makes of its two arms.
///
/// | name | gap of an arm a | of a pair |
/// |---|---|---|
/// | `condorcet` | P(best, a) - 1/2 | mean |
/// | `weak`, `strong` | P(best, a) - 1/2 | the smaller, the larger |
/// | `binary-weak`, `binary-strong` | 1 unless a is the best | the smaller, the larger |
/// | `bandit` | x(best) - x(a) | mean |
/// | `borda` | B(best) - B(a), B the mean of P(a, j) over j other than a | mean |
/// | `copeland` | C(best) - C(a), C the share of the others that a beats | mean |
/// | `copeland-full` | the same | sum, as in the papers on Copeland bandits |
/// | `dynamic-...` | the same, against the best arm *of that round* | the same |
///
/// The expected bandit regret is **twice** the Condorcet regret where utilities are compared and
/// ties broken by a coin. In Yue et al. (2012) strong regret is the larger gap, as here; Chen and
/// Frazier (2017) use the word for the binary form. Borda and Copeland regret compare with a Borda
/// and a Copeland winner, not with the Condorcet winner.
///
/// Where the best arm changes with time there are two questions. Static regret compares with one
/// arm in all rounds, the best in hindsight: the highest utility, Borda or Copeland score summed
/// over the run, or the winner of the matrix averaged over it. It may be negative for a policy that
/// follows the changes. Dynamic regret compares with the best arm of each round and never is, where
/// that arm is a Condorcet winner. In a world that stays as it is they are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Regret {
    /// What an arm's gap is measured in.
    pub gap: Gap,
    /// What a pair makes of two gaps.
    pub slots: Slots,
    /// Whether the best arm is that of each round, not that of all.
    pub dynamic: bool,
}

/// What an arm's distance from the best is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gap {
    /// Probability of losing to the best arm, above 1/2.
    Preference,
    /// Being another arm.
    Identity,
    /// Utility.
    Utility,
    /// Borda score, normalised, without the diagonal.
    Borda,
    /// Copeland score, normalised.
    Copeland,
}

/// What a pair makes of its two arms' gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slots {
    /// Their mean.
    Mean,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
    /// Their sum.
    Sum,
}

impl Slots {
    /// The regret of a pair of these gaps.
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
    /// Against the Condorcet winner, averaged over the slots.
    pub const CONDORCET: Self = Self { gap: Gap::Preference, slots: Slots::Mean, dynamic: false };
    /// Against the best single arm's utility.
    pub const BANDIT: Self = Self { gap: Gap::Utility, slots: Slots::Mean, dynamic: false };

    /// The same against the best arm of each round.
    #[must_use]
    pub const fn dynamic(self) -> Self {
        Self { dynamic: true, ..self }
    }

    /// Names and kinds, static ones first.
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

/// A word that names no regret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no regret `{name}`; there are {}, each also as dynamic-...", Regret::names().collect::<Vec<_>>().join(", "))]
pub struct UnknownRegret {
    /// The word.
    pub name: String,
    /// What was probably meant.
    pub suggestion: Option<&'static str>,
}

impl Hint for UnknownRegret {
    fn hints(&self, _: &dyn FrontEnd) -> Vec<String> {
        did_you_mean(self.suggestion, [])
    }
}

/// A regret that has no meaning in a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegretError {
    /// Bandit regret in a world of preferences.
    #[error("{regret} regret needs utilities, and a preference matrix has none")]
    NoUtilities {
        /// The regret.
        regret: Regret,
    },
    /// A regret over arms in a world of points.
    #[error("{regret} regret compares arms, and a continuous world has none: it measures condorcet regret")]
    Points {
        /// The regret.
        regret: Regret,
    },
}

impl Hint for RegretError {
    fn hints(&self, _: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Points { .. } => Vec::new(),
            Self::NoUtilities { .. } => {
                vec!["condorcet regret is half of it where utilities are compared".to_owned()]
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
