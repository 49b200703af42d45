//! Click models by name.

use core::fmt;
use core::str::FromStr;

use tiltyard_bandit::hint::{FrontEnd, Hint, did_you_mean};
use tiltyard_bandit::params::{Context, Param, ParamError, Params, Range};
use tiltyard_bandit::spec::{Spec, SpecError, suggest};

use super::{ClickModel, Dependent, PositionBased, TABLE, User};

/// A click model by name and parameters, before the grades of the collection are known.
#[derive(Debug, Clone, PartialEq)]
pub struct ClickSpec(Kind);

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    User(User),
    Dependent { click: Vec<f64>, stop: Vec<f64> },
    PositionBased { eta: f64, noise: f64 },
    Random { p: f64 },
}

/// A click model as lists show it.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ClickInfo {
    pub name: &'static str,
    /// A description in one line.
    pub title: &'static str,
    pub params: &'static [Param],
}

const BY_GRADE: &str = "numbers in [0, 1] separated by /, one for each grade from 0";

impl ClickSpec {
    /// All click models, in the order in which they are shown.
    pub const ALL: &[ClickInfo] = &[
        ClickInfo { name: "perfect", title: "clicks relevant documents, reads to the end", params: &[] },
        ClickInfo { name: "navigational", title: "looks for one good document and stops there", params: &[] },
        ClickInfo {
            name: "informational",
            title: "gathers documents, clicks often, stops late",
            params: &[],
        },
        ClickInfo {
            name: "dependent",
            title: "reads downwards, clicks by grade, may stop after a click; you give the probabilities",
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
                Param {
                    key: "eta",
                    default: "1",
                    legal: "[0, 100]",
                    meaning: "how fast attention falls with rank",
                },
                Param {
                    key: "noise",
                    default: "0.1",
                    legal: "[0, 1]",
                    meaning: "probability of a click on an irrelevant document that the user looks at",
                },
            ],
        },
        ClickInfo {
            name: "random",
            title: "clicks every document with the same probability",
            params: &[Param { key: "p", default: "0.5", legal: "[0, 1]", meaning: "probability of a click" }],
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
                // If all grades are 0, the setting for grades 0 and 1 applies.
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
                // The gains 2^g - 1 of larger grades are too large to be meaningful.
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
            name => unreachable!("`{name}` is listed but not read"),
        };
        params.finish()?;
        Ok(Self(kind))
    }
}

/// Reads numbers separated by `/`.
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

/// Why a click model is invalid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum ClickError {
    /// No click model has this name.
    #[error("there is no click model `{name}`: it is one of {}", known.join(", "))]
    Unknown { name: String, suggestion: Option<&'static str>, known: Vec<&'static str> },
    /// The text is not of the form `name:key=value`.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A parameter is invalid.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// A parameter without a default is missing.
    #[error("`dependent` needs `{key}`: probabilities separated by `/`, one for each grade from 0")]
    Missing { key: &'static str },
    /// A part of a list is not a probability.
    #[error("`{value}` in `{key}` is not a probability: write numbers from 0 to 1 separated by `/`")]
    NotAProbability { key: &'static str, value: String },
    /// The lists of probabilities differ in length.
    #[error("`click` has {click} numbers and `stop` has {stop}, but each grade needs one of both")]
    Lengths { click: usize, stop: usize },
    /// The literature has no numbers for these grades.
    #[error(
        "`{user}` has no numbers for grades from 0 to {largest}: the largest grade must be 1, 2 or 4; `dependent` takes any"
    )]
    NoSetting { user: User, largest: u8 },
    /// The click model has no number for the largest grade.
    #[error("grades go up to {largest}, but the click model has numbers only for grades below {n_grades}")]
    GradeOutside { largest: u8, n_grades: usize },
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
