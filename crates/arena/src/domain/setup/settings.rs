//! What can be chosen when an experiment is made.

use serde::{Deserialize, Serialize};

/// A year: no duel is waited for longer.
const LONGEST_WAIT: u64 = 366 * 24 * 3600;

/// The settings of an experiment, all of them in force.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Whether both arms of a duel must be different, unless a request says otherwise.
    pub distinct: bool,
    /// The share of duels that are drawn uniformly from all pairs of different arms and never learned from.
    pub holdout: f64,
    /// The share of interleavings that are of a ranker with itself and never learned from.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub aa: f64,
    /// After how many seconds a duel expires.
    pub expires_after: u64,
    /// What becomes of an answer that comes later.
    pub late: Late,
    /// From when on a duel is waited for.
    pub activation: Activation,
    /// How many votes are expected in all, for policies that must know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub horizon: Option<u64>,
    /// The most votes of one voter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voter_votes: Option<u64>,
    /// The most votes of one voter within a minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voter_votes_per_minute: Option<u64>,
    /// The most duels in flight.
    pub max_in_flight: u64,
    /// How sure a verdict must be. It holds from the beginning: chosen after a look at the votes, it would promise nothing.
    #[serde(default = "usual_confidence")]
    pub confidence: f64,
    /// Differences up to this (in the probability of winning a duel, from 1/2) do not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// What to do once there is a verdict.
    #[serde(default)]
    pub stop: Stop,
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

fn usual_confidence() -> f64 {
    0.95
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
    /// From when it is reported as shown: for pages that fetch duels in advance. A duel that expires before is not unanswered.
    Shown,
}

impl Settings {
    /// What holds where nothing was said; `distinct` is whether the policy can propose unequal arms.
    pub fn default_for(distinct: bool) -> Self {
        Self {
            distinct,
            holdout: 0.0,
            aa: 0.0,
            expires_after: 24 * 3600,
            late: Late::Accept,
            activation: Activation::Issue,
            horizon: None,
            voter_votes: None,
            voter_votes_per_minute: None,
            max_in_flight: 100_000,
            confidence: usual_confidence(),
            margin: None,
            stop: Stop::Never,
        }
    }

    /// # Errors
    ///
    /// If a setting lies outside its range.
    pub fn check(&self) -> Result<(), SettingsError> {
        let out_of_range = |name, legal| Err(SettingsError { name, legal });
        // Written positively so that NaN fails.
        if !(self.holdout >= 0.0 && self.holdout <= 1.0) {
            return out_of_range("holdout", "from 0 to 1");
        }
        if !(self.aa >= 0.0 && self.aa <= 1.0) {
            return out_of_range("aa", "from 0 to 1");
        }
        if !(1..=LONGEST_WAIT).contains(&self.expires_after) {
            return out_of_range("expires_after", "from 1 second to 31622400 (a year)");
        }
        if !(1..=10_000_000).contains(&self.max_in_flight) {
            return out_of_range("max_in_flight", "from 1 to 10000000");
        }
        if self.horizon.is_some_and(|horizon| !(1..=1_000_000_000_000).contains(&horizon)) {
            return out_of_range("horizon", "from 1 to 1e12");
        }
        if !(self.confidence >= 0.5 && self.confidence <= 0.999_999) {
            return out_of_range("confidence", "from 0.5 to 0.999999");
        }
        if self.margin.is_some_and(|margin| !(margin > 0.0 && margin < 0.5)) {
            return out_of_range("margin", "above 0 and below 0.5");
        }
        if self.voter_votes == Some(0) {
            return out_of_range("voter_votes", "at least 1");
        }
        if self.voter_votes_per_minute == Some(0) {
            return out_of_range("voter_votes_per_minute", "at least 1");
        }
        Ok(())
    }
}

/// Settings that came later are left out where they do nothing: states and logs stay as they were.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over")]
fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

/// A setting outside its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the setting `{name}` must be {legal}")]
pub struct SettingsError {
    /// The setting.
    pub name: &'static str,
    /// What is legal.
    pub legal: &'static str,
}
