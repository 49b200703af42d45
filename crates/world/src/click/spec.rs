//! Click models by name.

use core::fmt;
use core::str::FromStr;

use tiltyard_bandit::hint::{FrontEnd, Hint, did_you_mean};
use tiltyard_bandit::params::{Context, Param, ParamError, Params, Range};
use tiltyard_bandit::spec::{Spec, SpecError, suggest};

use super::{ClickModel, Dependent, PositionBased, TABLE, User};

/// A click model as a text names it, before the grades are known.
#[derive(Debug, Clone, PartialEq)]
pub struct ClickSpec(Kind);

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    User(User),
    Dependent { click: Vec<f64>, stop: Vec<f64> },
    PositionBased { eta: f64, noise: f64 },
    Random { p: f64 },
}

/// A click model, as lists show it.
#[derive(Debug, Clone, Copy)]
pub struct ClickInfo {
    /// Its name.
    pub name: &'static str,
    /// One line.
    pub title: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
}

const BY_GRADE: &str = "numbers in [0, 1] with / between them, one for each grade from 0";

impl ClickSpec {
    /// All click models, in the order in which they are shown.
    pub const ALL: &[ClickInfo] = &[
        ClickInfo { name: "perfect", title: "clicks what is relevant, reads to the end", params: &[] },
        ClickInfo { name: "navigational", title: "looks for one good document and stops there", params: &[] },
        ClickInfo { name: "informational", title: "gathers documents, clicks much, stops late", params: &[] },
        ClickInfo {
            name: "dependent",
            title: "reads downwards, clicks by grade, may stop after a click",
            params: &[
                Param { key: "click", default: "none", legal: BY_GRADE, meaning: "probability of a click" },
                Param {
                    key: "stop",
                    default: "none",
                    legal: BY_GRADE,
                    meaning: "probability of stopping after a click",
                },
            ],
        },
        ClickInfo {
            name: "position-based",
            title: "looks at rank r with probability r^-eta, clicks by grade",
            params: &[
                Param { key: "eta", default: "1", legal: "[0, 100]", meaning: "how fast attention falls" },
                Param {
                    key: "noise",
                    default: "0.1",
                    legal: "[0, 1]",
                    meaning: "probability of a click on an irrelevant document that is looked at",
                },
            ],
        },
        ClickInfo {
            name: "random",
            title: "clicks every document with the same probability",
            params: &[Param { key: "p", default: "0.5", legal: "[0, 1]", meaning: "that probability" }],
        },
    ];

    /// The model for grades from 0 to `largest`.
    ///
    /// # Errors
    ///
    /// If the model has no numbers for these grades.
    pub fn for_grades(&self, largest: u8) -> Result<ClickModel, ClickError> {
        Ok(match &self.0 {
            Kind::User(user) => {
                // Grades that are all 0 are two grades of which one is missing.
                let n_grades = usize::from(largest.max(1)) + 1;
                let setting = TABLE.iter().find(|row| row.user == *user && row.click.len() == n_grades);
                let setting = setting.ok_or(ClickError::NoSetting { user: *user, largest })?;
                ClickModel::Dependent(Dependent::new(setting.click, setting.stop))
            }
            Kind::Dependent { click, stop } => {
                if usize::from(largest) >= click.len() {
                    return Err(ClickError::GradeOutside { largest, n_grades: click.len() });
                }
                ClickModel::Dependent(Dependent::new(click, stop))
            }
            Kind::PositionBased { eta, noise } => {
                // Beyond 2^64 the gains of neighbouring grades are all that a number can hold.
                if largest > 64 {
                    return Err(ClickError::GradeOutside { largest, n_grades: 65 });
                }
                ClickModel::PositionBased(PositionBased::new(*eta, *noise, largest))
            }
            Kind::Random { p } => ClickModel::Random(*p),
        })
    }
}

impl FromStr for ClickSpec {
    type Err = ClickError;

    fn from_str(text: &str) -> Result<Self, ClickError> {
        let spec: Spec = text.parse()?;
        let Some(info) = Self::ALL.iter().find(|info| info.name == spec.name()) else {
            let names = Self::ALL.iter().map(|info| info.name);
            return Err(ClickError::Unknown {
                name: text.to_owned(),
                suggestion: suggest(spec.name(), names.clone()),
                known: names.collect(),
            });
        };
        let mut params = Params::new(&spec, Context { n_arms: 2, horizon: None }, &[info.params])?;
        let unit = Range::closed(0.0, 1.0);
        let kind = match info.name {
            "perfect" => Kind::User(User::Perfect),
            "navigational" => Kind::User(User::Navigational),
            "informational" => Kind::User(User::Informational),
            "dependent" => {
                let [click, stop] = ["click", "stop"].map(|key| by_grade(key, params.text(key)));
                let (click, stop) = (click?, stop?);
                if click.len() != stop.len() {
                    return Err(ClickError::Lengths { click: click.len(), stop: stop.len() });
                }
                Kind::Dependent { click, stop }
            }
            "position-based" => Kind::PositionBased {
                eta: params.number_or("eta", Range::closed(0.0, 100.0), 1.0)?,
                noise: params.number_or("noise", unit, 0.1)?,
            },
            "random" => Kind::Random { p: params.number_or("p", unit, 0.5)? },
            name => unreachable!("`{name}` is listed, so it is read here"),
        };
        params.finish()?;
        Ok(Self(kind))
    }
}

/// Numbers with `/` between them.
fn by_grade(key: &'static str, text: Option<&str>) -> Result<Vec<f64>, ClickError> {
    let text = text.ok_or(ClickError::Missing { key })?;
    let number = |part: &str| {
        let number = part.trim().parse().ok().filter(|number| (0.0..=1.0).contains(number));
        number.ok_or_else(|| ClickError::NotAProbability { key, value: part.to_owned() })
    };
    text.split('/').map(number).collect()
}

impl fmt::Display for ClickSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slashed = |numbers: &[f64]| numbers.iter().map(f64::to_string).collect::<Vec<_>>().join("/");
        match &self.0 {
            Kind::User(user) => user.fmt(f),
            Kind::Dependent { click, stop } => {
                write!(f, "dependent:click={},stop={}", slashed(click), slashed(stop))
            }
            Kind::PositionBased { eta, noise } => write!(f, "position-based:eta={eta},noise={noise}"),
            Kind::Random { p } => write!(f, "random:p={p}"),
        }
    }
}

/// Why there is no such click model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClickError {
    /// No model has this name.
    #[error("there is no click model `{name}`: it is one of {}", known.join(", "))]
    Unknown {
        /// The text.
        name: String,
        /// What was probably meant.
        suggestion: Option<&'static str>,
        /// The models there are.
        known: Vec<&'static str>,
    },
    /// A text that cannot be read.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A parameter was refused.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// A parameter that has no default.
    #[error("`dependent` needs `{key}`: probabilities with `/` between them, one for each grade from 0")]
    Missing {
        /// The key.
        key: &'static str,
    },
    /// A part of a list of probabilities that is none.
    #[error("`{value}` in `{key}` is no probability: write numbers from 0 to 1 with `/` between them")]
    NotAProbability {
        /// The key.
        key: &'static str,
        /// The part.
        value: String,
    },
    /// Lists of probabilities that do not match.
    #[error("`click` has {click} numbers and `stop` has {stop}, but each grade needs one of both")]
    Lengths {
        /// Numbers in `click`.
        click: usize,
        /// Numbers in `stop`.
        stop: usize,
    },
    /// The literature has no numbers for these grades.
    #[error(
        "`{user}` has no numbers for grades from 0 to {largest}: the largest grade is 1, 2 or 4; `dependent` takes any"
    )]
    NoSetting {
        /// The user.
        user: User,
        /// The largest grade.
        largest: u8,
    },
    /// A grade for which no number was given.
    #[error("grades go up to {largest}, but the click model has numbers for {n_grades} grades, from 0 on")]
    GradeOutside {
        /// The largest grade.
        largest: u8,
        /// How many grades have numbers.
        n_grades: usize,
    },
}

impl Hint for ClickError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Unknown { suggestion, .. } => did_you_mean(*suggestion, []),
            Self::Param(error) => error.hints(front),
            _ => Vec::new(),
        }
    }
}
