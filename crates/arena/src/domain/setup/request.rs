//! What may be asked of an experiment.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::{Answer, NewArm, Settings};
use crate::time::Time;

/// An experiment to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct Create {
    /// What people call it.
    pub name: String,
    /// Its arms.
    pub arms: Vec<NewArm>,
    /// The policy, as `name:key=value`.
    pub policy: String,
    /// Turns the settings that hold by default into those wanted.
    pub settings: Settings,
    /// Whether `settings.distinct` was left to the policy.
    pub distinct_by_policy: bool,
}

/// Duels to be issued.
#[derive(Debug, Clone, PartialEq)]
pub struct IssueRequest {
    /// How many.
    pub count: u32,
    /// Whether the arms must differ; what the settings say if nothing is said here.
    pub distinct: Option<bool>,
    /// The client's name for the request: asked again, the same duels are returned.
    pub client: Option<String>,
    /// Whatever the caller wants kept with the duels.
    pub context: Option<Value>,
}

impl Default for IssueRequest {
    fn default() -> Self {
        Self { count: 1, distinct: None, client: None, context: None }
    }
}

/// An answer to a duel.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerRequest {
    /// The answer.
    pub answer: Answer,
    /// Who gave it.
    pub voter: Option<String>,
    /// When, by the caller's clock.
    pub said: Option<Time>,
}

/// Why a duel was voided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VoidReason {
    /// Someone asked for this one.
    Asked,
    /// All votes of its voter were voided.
    Voter,
}
