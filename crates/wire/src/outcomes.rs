//! Outcomes in requests and responses.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Problem;

/// The outcome of a duel: either a word or a score.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OutcomeBody {
    /// The outcome as a word.
    pub outcome: Option<Outcome>,
    /// The outcome as a score from -1 (right is better) to 1 (left is better).
    #[schema(minimum = -1, maximum = 1)]
    pub score: Option<f64>,
    /// Your id for the voter.
    #[schema(min_length = 1, max_length = 200)]
    pub voter: Option<String>,
    /// When the vote was given, by your clock.
    #[schema(format = DateTime)]
    pub time: Option<String>,
}

/// The outcome of a duel as a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The left arm is better.
    Left,
    /// The right arm is better.
    Right,
    /// Both arms are equally good.
    Tie,
    /// Both arms are equally bad. The policy learns a tie; the vote is counted separately.
    BothBad,
    /// The voter skipped the duel. The duel is voided.
    Skip,
}

/// Whether this request or an earlier one had the effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DoneWord {
    /// This request.
    Recorded,
    /// An earlier request with the same content.
    Already,
}

/// The effect of the request is durable.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DoneView {
    /// Whether this request or an earlier one had the effect.
    pub status: DoneWord,
}

/// The outcomes of several duels.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OutcomesBody {
    /// From 1 to 1000 outcomes.
    #[schema(min_items = 1, max_items = 1000)]
    pub outcomes: Vec<DuelOutcome>,
}

/// The outcome of one of several duels: either a word or a score. An invalid outcome is refused
/// without affecting the others.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DuelOutcome {
    /// The id of the duel.
    pub duel: String,
    /// The outcome as a word.
    pub outcome: Option<Outcome>,
    /// The outcome as a score from -1 (right is better) to 1 (left is better).
    pub score: Option<f64>,
    /// Your id for the voter, 1 to 200 characters.
    pub voter: Option<String>,
    /// When the vote was given, by your clock, in the format of RFC 3339.
    pub time: Option<String>,
}

/// The results for several outcomes.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct OutcomeResults {
    /// One result per outcome, in the same order.
    pub results: Vec<OutcomeResult>,
}

/// The result for one of several outcomes.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct OutcomeResult {
    /// The id of the duel.
    pub duel: String,
    /// What happened to the outcome.
    pub status: ResultWord,
    /// Why the outcome was refused, or why its result is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub problem: Option<Problem>,
}

/// What happened to one of several outcomes.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResultWord {
    /// The outcome is durable.
    Recorded,
    /// The duel already had this outcome.
    Already,
    /// The outcome was refused.
    Refused,
    /// The store failed, and the outcome may or may not have been recorded. Send it again.
    Unknown,
}

/// An outcome: a word or a score.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum AnswerView {
    /// A word.
    Word(Outcome),
    /// A score.
    Score(f64),
}
