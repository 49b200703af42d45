//! Requests to create an experiment, to issue duels, and to answer and void them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::{Answer, NewArm, Settings};
use crate::time::Time;

/// A request to create an experiment.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct Create {
    pub name: String,
    pub arms: Vec<NewArm>,
    /// The policy, as `name:key=value`.
    pub policy: String,
    pub settings: Settings,
    /// Whether `settings.distinct` is replaced by what the policy can do: true if it can propose
    /// two different arms.
    pub distinct_by_policy: bool,
}

/// A request for duels.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct IssueRequest {
    pub count: u32,
    /// Whether the arms must differ; `None` means as the settings say.
    pub distinct: Option<bool>,
    /// The client id of the request. A repeated request returns the same duels.
    pub client: Option<String>,
    /// Data to store with the duels.
    pub context: Option<Value>,
}

impl Default for IssueRequest {
    fn default() -> Self {
        Self { count: 1, distinct: None, client: None, context: None }
    }
}

/// An answer to a duel.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerRequest {
    pub answer: Answer,
    pub voter: Option<String>,
    /// When the voter answered, by the caller's clock.
    pub said: Option<Time>,
}

/// Why a duel was voided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VoidReason {
    /// Someone asked to void this duel.
    Asked,
    /// All votes of its voter were voided.
    Voter,
}
