//! What can be chosen when an experiment is made: each setting is declared once, with its default,
//! what is legal and what it means. The check, the API's document, the create page, the command
//! line and the documentation read it from here.

use core::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A setting.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// What it means: a sentence without its full stop.
    pub meaning: &'static str,
    /// What whoever chooses it should know, too.
    pub detail: &'static str,
    /// What is said behind its default, or instead of it where it has none.
    pub note: &'static str,
    /// What is legal.
    pub legal: Legal,
    number: fn(&Settings) -> Option<f64>,
}

/// What is legal for a setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Legal {
    /// One of these words.
    Words(&'static [&'static str]),
    /// A number that is not less.
    AtLeast(f64),
    /// A number from one to the other.
    Range(f64, f64),
    /// A number above one and below the other.
    Between(f64, f64),
}

macro_rules! settings {
    ($($(#[$attribute:meta])* $name:ident: $type:ty = $default:expr, $legal:ident($($limit:expr),*),
       $meaning:literal $detail:literal $note:literal;)*) => {
        /// The settings of an experiment, all of them in force.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Settings {
            $(#[doc = concat!($meaning, ".")] $(#[$attribute])* pub $name: $type,)*
        }

        impl Settings {
            /// What holds where nothing was said, if the policy can propose unequal arms.
            pub const DEFAULT: Self = Self { $($name: $default,)* };
        }

        /// All settings, in the order in which they are listed.
        pub const SETTINGS: &[Setting] = &[$(Setting {
            name: stringify!($name),
            meaning: $meaning,
            detail: $detail,
            note: $note,
            legal: Legal::$legal($($limit),*),
            number: |settings| settings.$name.number(),
        }),*];
    };
}

// Settings that came later are left out of logs where they do nothing: states and logs stay as they
// were.
settings! {
    distinct: bool = true, Words(&["true", "false"]),
        "Whether both arms of a duel must be different" "" " if the policy can do that";
    holdout: f64 = 0.0, Range(0.0, 1.0),
        "The share of duels that are drawn uniformly and never learned from" "" "";
    #[serde(default, skip_serializing_if = "is_zero")]
    aa: f64 = 0.0, Range(0.0, 1.0),
        "The share of interleavings that are of a ranker with itself" ", to check that nothing favours a side" "";
    expires_after: u64 = 24 * 3600, Range(1.0, 366.0 * 24.0 * 3600.0),
        "After how many seconds a duel is given up" "" ", a day";
    late: Late = Late::Accept, Words(&["accept", "refuse"]),
        "What becomes of outcomes that come later" "" "";
    activation: Activation = Activation::Issue, Words(&["issue", "shown"]),
        "From when on a duel is waited for" "" "";
    #[serde(default, skip_serializing_if = "Option::is_none")]
    horizon: Option<u64> = None, Range(1.0, 1e12),
        "How many votes are expected in all" ", for policies that must know" "";
    #[serde(default, skip_serializing_if = "Option::is_none")]
    voter_votes: Option<u64> = None, AtLeast(1.0),
        "The most votes of one voter" "" "no limit";
    #[serde(default, skip_serializing_if = "Option::is_none")]
    voter_votes_per_minute: Option<u64> = None, AtLeast(1.0),
        "The most votes of one voter within a minute" "" "no limit";
    max_in_flight: u64 = 100_000, Range(1.0, 1e7),
        "The most duels in flight" "" "";
    #[serde(default = "usual_confidence")]
    confidence: f64 = 0.95, Range(0.5, 0.999_999),
        "How sure a verdict must be" "" "";
    #[serde(default, skip_serializing_if = "Option::is_none")]
    margin: Option<f64> = None, Between(0.0, 0.5),
        "Differences up to this do not matter" ", in the probability of winning a duel" "none";
    #[serde(default)]
    stop: Stop = Stop::Never, Words(&["never", "pause"]),
        "What to do once there is a verdict" "" "";
}

fn usual_confidence() -> f64 {
    Settings::DEFAULT.confidence
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over")]
fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

/// What to do once there is a verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// Go on: more votes do no harm.
    #[default]
    Never,
    /// Pause the experiment.
    Pause,
}

/// What becomes of an answer to a duel that has expired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Late {
    /// It counts, and is counted as late.
    Accept,
    /// It is refused, and the policy is told at expiry that the answer will never come.
    Refuse,
}

/// From when on a duel is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// From its issue.
    Issue,
    /// From when it is reported as shown: for pages that fetch duels in advance. A duel that
    /// expires before is not unanswered.
    Shown,
}

impl Settings {
    /// What holds where nothing was said; `distinct` is whether the policy can propose unequal
    /// arms.
    pub fn default_for(distinct: bool) -> Self {
        Self { distinct, ..Self::DEFAULT }
    }

    /// # Errors
    ///
    /// If a setting lies outside its range.
    pub fn check(&self) -> Result<(), SettingsError> {
        let is_legal = |setting: &Setting| match (setting.legal, (setting.number)(self)) {
            (Legal::Words(_), _) | (_, None) => true,
            // Written positively so that NaN fails.
            (Legal::AtLeast(low), Some(value)) => value >= low,
            (Legal::Range(low, high), Some(value)) => value >= low && value <= high,
            (Legal::Between(low, high), Some(value)) => value > low && value < high,
        };
        match SETTINGS.iter().find(|setting| !is_legal(setting)) {
            Some(&Setting { name, legal, .. }) => Err(SettingsError { name, legal }),
            None => Ok(()),
        }
    }
}

/// A setting outside its range.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("the setting `{name}` must be {legal}")]
pub struct SettingsError {
    /// The setting.
    pub name: &'static str,
    /// What is legal.
    pub legal: Legal,
}

impl Setting {
    /// Its default as people write it: `0.95`, `accept`; nothing if there is none.
    pub fn default(&self) -> Option<String> {
        let all = serde_json::to_value(Settings::DEFAULT).expect("settings are plain data");
        match (&all[self.name], (self.number)(&Settings::DEFAULT)) {
            (_, Some(number)) => Some(number.to_string()),
            (Value::Null, None) => None,
            (Value::String(word), None) => Some(word.clone()),
            (value, None) => Some(value.to_string()),
        }
    }
}

impl fmt::Display for Legal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => f.write_str(&words.join(", ")),
            Self::AtLeast(low) => write!(f, "at least {low}"),
            Self::Range(low, high) if *high >= 1e9 => write!(f, "from {low} to {high:e}"),
            Self::Range(low, high) => write!(f, "from {low} to {high}"),
            Self::Between(low, high) => write!(f, "above {low} and below {high}"),
        }
    }
}

/// The value of a setting as a number, if it is one and is given.
trait Number {
    fn number(&self) -> Option<f64> {
        None
    }
}

impl Number for bool {}
impl Number for Late {}
impl Number for Activation {}
impl Number for Stop {}

impl Number for f64 {
    fn number(&self) -> Option<f64> {
        Some(*self)
    }
}

impl Number for u64 {
    fn number(&self) -> Option<f64> {
        Some(*self as f64)
    }
}

impl<T: Number> Number for Option<T> {
    fn number(&self) -> Option<f64> {
        self.as_ref()?.number()
    }
}
