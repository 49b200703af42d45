//! Methods by name: `team-draft`, `balanced`, `probabilistic:tau=3`, `optimized:credit=linear`.

use core::fmt;
use core::str::FromStr;

use tiltyard_bandit::Outcome;
use tiltyard_bandit::hint::{FrontEnd, Hint, did_you_mean};
use tiltyard_bandit::params::{Context, Param, ParamError, Params, Range};
use tiltyard_bandit::spec::{Spec, SpecError, suggest};

use super::Credits;

/// A method to merge two lists and to credit clicks.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Interleaving {
    /// Two captains pick in turn.
    #[default]
    TeamDraft,
    /// As much of one list as of the other at every depth; biased.
    Balanced,
    /// Each list is a distribution over documents.
    Probabilistic {
        /// How fast the weight of a document falls with its rank: r^-tau.
        tau: f64,
        /// How clicks are credited.
        credit: CreditBy,
    },
    /// The most sensitive of all distributions that favour nobody.
    Optimized {
        /// The value of a rank.
        credit: RankCredit,
    },
}

/// The way in which the probabilistic method credits a click.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CreditBy {
    /// Shared in proportion to the probabilities that each list gave the document.
    Marginal,
    /// To the list that gave the document.
    Assigned,
}

/// The value of a click on a document of rank r to a list, in the optimised method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RankCredit {
    /// 1/r.
    Inverse,
    /// (n + 1 - r) / n, with n the length of the longer list.
    Linear,
}

/// The facts about a method that lists show.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the names say it")]
pub struct MethodInfo {
    pub name: &'static str,
    /// A description in one line.
    pub title: &'static str,
    /// The papers that it comes from.
    pub provenance: &'static str,
    pub params: &'static [Param],
}

/// The decay of the probabilistic method, as in the paper.
const TAU: f64 = 3.0;

/// The parameter of the probabilistic method.
const TAU_PARAM: Param = Param {
    key: "tau",
    default: "3",
    legal: "[0, 10]",
    meaning: "how fast the weight of a document falls with its rank: r^-tau",
};

/// The words for [`CreditBy`]; the first is the default.
const CREDIT_BY: [(&str, CreditBy); 2] = [("marginal", CreditBy::Marginal), ("assigned", CreditBy::Assigned)];

/// The words for [`RankCredit`]; the first is the default.
const RANK_CREDIT: [(&str, RankCredit); 2] =
    [("inverse", RankCredit::Inverse), ("linear", RankCredit::Linear)];

impl Interleaving {
    /// The winner, read so that random clicks favour nobody: by the sign if a click belongs to one
    /// list, and by the mean share if clicks are split between the two (marginal credit, the
    /// optimised method).
    pub fn verdict(self, credits: Credits) -> Outcome {
        match self {
            Self::Probabilistic { credit: CreditBy::Marginal, .. } | Self::Optimized { .. } => {
                credits.graded()
            }
            Self::TeamDraft | Self::Balanced | Self::Probabilistic { .. } => credits.outcome(),
        }
    }

    /// All methods, in the order in which they are shown.
    pub const ALL: &[MethodInfo] = &[
        MethodInfo {
            name: "team-draft",
            title: "two captains pick in turn; a click is a point for the captain who picked",
            provenance: "Radlinski, Kurup and Joachims, CIKM 2008",
            params: &[],
        },
        MethodInfo {
            name: "balanced",
            title: "as much of one list as of the other at every depth; biased",
            provenance: "Joachims, KDD 2002 and Text Mining 2003",
            params: &[],
        },
        MethodInfo {
            name: "probabilistic",
            title: "documents drawn by weights that fall with the rank",
            provenance: "Hofmann, Whiteson and de Rijke, CIKM 2011",
            params: &[
                TAU_PARAM,
                Param {
                    key: "credit",
                    default: "marginal",
                    legal: "marginal, assigned",
                    meaning: "clicks shared by probability, or given to the list that was drawn",
                },
            ],
        },
        MethodInfo {
            name: "optimized",
            title: "the most sensitive distribution that favours nobody, found by a linear programme",
            provenance: "Radlinski and Craswell, WSDM 2013",
            params: &[Param {
                key: "credit",
                default: "inverse",
                legal: "inverse, linear",
                meaning: "the value of rank r: 1/r, or (n + 1 - r) / n",
            }],
        },
    ];
}

/// Reads the decay of the probabilistic method.
fn read_tau(params: &mut Params<'_>) -> Result<f64, ParamError> {
    // Beyond 10, the weights at the end of a long list vanish beside those at its top.
    params.number_or("tau", Range::closed(0.0, 10.0), TAU)
}

/// Nothing here depends on a number of arms or a horizon.
const CONTEXT: Context = Context { n_arms: 2, horizon: None };

impl FromStr for Interleaving {
    type Err = InterleavingError;

    fn from_str(text: &str) -> Result<Self, InterleavingError> {
        let spec: Spec = text.parse()?;
        let Some(info) = Self::ALL.iter().find(|info| info.name == spec.name()) else {
            return Err(InterleavingError::unknown(text, &spec, Self::ALL));
        };
        let mut params = Params::new(&spec, CONTEXT, &[info.params])?;
        let method = match info.name {
            "team-draft" => Self::TeamDraft,
            "balanced" => Self::Balanced,
            "probabilistic" => Self::Probabilistic {
                tau: read_tau(&mut params)?,
                credit: params.choice("credit", &CREDIT_BY)?,
            },
            "optimized" => Self::Optimized { credit: params.choice("credit", &RANK_CREDIT)? },
            name => unreachable!("`{name}` is listed, so it is read here"),
        };
        params.finish()?;
        Ok(method)
    }
}

/// The word for a choice.
fn word<T: PartialEq>(choices: &[(&'static str, T)], choice: &T) -> &'static str {
    choices.iter().find(|(_, other)| other == choice).map_or("", |(word, _)| word)
}

impl fmt::Display for Interleaving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TeamDraft => f.write_str("team-draft"),
            Self::Balanced => f.write_str("balanced"),
            Self::Probabilistic { tau, credit } => {
                write!(f, "probabilistic:tau={tau},credit={}", word(&CREDIT_BY, credit))
            }
            Self::Optimized { credit } => write!(f, "optimized:credit={}", word(&RANK_CREDIT, credit)),
        }
    }
}

/// A text does not name a method.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum InterleavingError {
    /// There is no method with this name.
    #[error("there is no method `{name}`: it is one of {}", known.join(", "))]
    Unknown {
        name: String,
        /// The method that was probably meant.
        suggestion: Option<&'static str>,
        /// All methods.
        known: Vec<&'static str>,
    },
    /// The text cannot be parsed.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A parameter is refused.
    #[error(transparent)]
    Param(#[from] ParamError),
}

impl Hint for InterleavingError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Unknown { suggestion, .. } => did_you_mean(*suggestion, []),
            Self::Spec(error) => error.hints(front),
            Self::Param(error) => error.hints(front),
        }
    }
}

impl InterleavingError {
    pub(crate) fn unknown(text: &str, spec: &Spec, all: &'static [MethodInfo]) -> Self {
        let names = all.iter().map(|info| info.name);
        Self::Unknown {
            name: text.to_owned(),
            suggestion: suggest(spec.name(), names.clone()),
            known: names.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_names_and_their_defaults() {
        for (text, shown) in [
            ("team-draft", "team-draft"),
            ("balanced", "balanced"),
            ("probabilistic", "probabilistic:tau=3,credit=marginal"),
            ("probabilistic:credit=assigned,tau=1", "probabilistic:tau=1,credit=assigned"),
            ("optimized", "optimized:credit=inverse"),
            ("optimized:credit=linear", "optimized:credit=linear"),
        ] {
            let method: Interleaving = text.parse().unwrap();
            assert_eq!(method.to_string(), shown);
            assert_eq!(shown.parse::<Interleaving>().unwrap(), method);
        }
        for info in Interleaving::ALL {
            let shown = info.name.parse::<Interleaving>().unwrap().to_string();
            for param in info.params {
                assert!(shown.contains(&format!("{}={}", param.key, param.default)), "{shown}");
            }
        }
    }

    #[test]
    fn trace_errors() {
        let error = |text: &str| text.parse::<Interleaving>().unwrap_err();
        assert!(matches!(
            error("teamdraft"),
            InterleavingError::Unknown { suggestion: Some("team-draft"), .. }
        ));
        assert!(matches!(error(""), InterleavingError::Spec(_)));
        assert!(matches!(error("team-draft:tau=3"), InterleavingError::Param(ParamError::UnknownKey { .. })));
        assert!(matches!(
            error("probabilistic:tau=-1"),
            InterleavingError::Param(ParamError::OutOfRange { .. })
        ));
        assert!(matches!(
            error("optimized:credit=invers"),
            InterleavingError::Param(ParamError::NoSuchChoice { suggestion: Some("inverse"), .. })
        ));
    }
}
