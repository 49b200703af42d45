//! The settings of an experiment. Each setting is declared once, with its default, its legal values
//! and its meaning. The check, the API document, the create page, the command line and the
//! documentation read this declaration.

use core::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A setting.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    pub name: &'static str,
    /// Its meaning, without a full stop.
    pub meaning: &'static str,
    /// Text after the meaning, for people who choose a value.
    pub detail: &'static str,
    /// Text after the default, or instead of it if there is no default.
    pub note: &'static str,
    pub legal: Legal,
    number: fn(&Settings) -> Option<f64>,
}

/// The legal values of a setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Legal {
    /// One of these words.
    Words(&'static [&'static str]),
    /// A number that is at least this.
    AtLeast(f64),
    /// A number from the first to the second, both included.
    Range(f64, f64),
    /// A number above the first and below the second.
    Between(f64, f64),
}

macro_rules! settings {
    ($($(#[$attribute:meta])* $name:ident: $type:ty = $default:expr, $legal:ident($($limit:expr),*),
       $meaning:literal $detail:literal $note:literal;)*) => {
        /// The settings of an experiment, each with its value.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Settings {
            $(#[doc = concat!($meaning, ".")] $(#[$attribute])* pub $name: $type,)*
        }

        impl Settings {
            /// The defaults, for a policy that can propose two different arms.
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

// Settings that were added later are omitted from logs where they have no effect, so that old
// states and logs stay the same.
settings! {
    distinct: bool = true, Words(&["true", "false"]),
        "Whether the two arms of a duel must be different" "" " if the policy supports it";
    holdout: f64 = 0.0, Range(0.0, 1.0),
        "The share of duels that are drawn uniformly and never learned from" "" "";
    #[serde(default, skip_serializing_if = "is_zero")]
    aa: f64 = 0.0, Range(0.0, 1.0),
        "The share of interleavings of a ranker with itself" ", to check for side bias" "";
    expires_after: u64 = 24 * 3600, Range(1.0, 366.0 * 24.0 * 3600.0),
        "The number of seconds after which a duel expires" "" " (24 hours)";
    late: Late = Late::Accept, Words(&["accept", "refuse"]),
        "Whether to accept outcomes of expired duels" "" "";
    activation: Activation = Activation::Issue, Words(&["issue", "shown"]),
        "When the time until expiry starts" "" "";
    #[serde(default, skip_serializing_if = "Option::is_none")]
    horizon: Option<u64> = None, Range(1.0, 1e12),
        "The expected total number of votes" ", for policies that need it" "";
    #[serde(default, skip_serializing_if = "Option::is_none")]
    voter_votes: Option<u64> = None, AtLeast(1.0),
        "The most votes from one voter" "" "no limit";
    #[serde(default, skip_serializing_if = "Option::is_none")]
    voter_votes_per_minute: Option<u64> = None, AtLeast(1.0),
        "The most votes from one voter per minute" "" "no limit";
    max_in_flight: u64 = 100_000, Range(1.0, 1e7),
        "The most duels in flight" "" "";
    #[serde(default = "usual_confidence")]
    confidence: f64 = 0.95, Range(0.5, 0.999_999),
        "The confidence that a verdict needs" "" "";
    #[serde(default, skip_serializing_if = "Option::is_none")]
    margin: Option<f64> = None, Between(0.0, 0.5),
        "The largest difference in win probability that does not matter" "" "none";
    #[serde(default)]
    stop: Stop = Stop::Never, Words(&["never", "pause"]),
        "What to do once there is a verdict" "" "";
}

fn usual_confidence() -> f64 {
    Settings::DEFAULT.confidence
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

/// What to do once there is a verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// Continue: more votes do no harm.
    #[default]
    Never,
    /// Pause the experiment.
    Pause,
}

/// Whether answers to expired duels are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Late {
    /// The answer counts, and is also counted as late.
    Accept,
    /// The answer is refused. At expiry, the experiment tells the policy that no answer will come.
    Refuse,
}

/// When the time until expiry starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// When the duel is issued.
    Issue,
    /// When the duel is reported as shown, for pages that fetch duels in advance. A duel that
    /// expires before that does not count as unanswered.
    Shown,
}

impl Settings {
    /// The defaults; `distinct` is whether the policy can propose two different arms.
    pub fn default_for(distinct: bool) -> Self {
        Self { distinct, ..Self::DEFAULT }
    }

    /// # Errors
    ///
    /// If a setting is outside its range.
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
#[expect(missing_docs, reason = "the message describes them")]
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("the setting `{name}` must be {legal}")]
pub struct SettingsError {
    pub name: &'static str,
    pub legal: Legal,
}

impl Setting {
    /// Its default as people write it, such as `0.95` or `accept`; `None` if it has none.
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

/// A setting as a number; `None` if it is not a number or has no value.
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
