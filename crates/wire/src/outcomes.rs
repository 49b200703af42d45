//! Outcomes as they travel.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Problem;

/// The outcome of a duel: a word or a score, not both.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OutcomeBody {
    /// The outcome in a word.
    pub outcome: Option<Outcome>,
    /// How much better the left one is, from -1 to 1.
    #[schema(minimum = -1, maximum = 1)]
    pub score: Option<f64>,
    /// Who says so.
    #[schema(min_length = 1, max_length = 200)]
    pub voter: Option<String>,
    /// When that was, by your clock.
    #[schema(format = DateTime)]
    pub time: Option<String>,
}

/// The outcome of a duel in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The left one is better.
    Left,
    /// The right one is better.
    Right,
    /// They are equally good.
    Tie,
    /// They are equally bad: learned as a tie, counted apart.
    BothBad,
    /// No outcome will come: the duel is voided.
    Skip,
}

/// Whether it was done now or before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DoneWord {
    /// Now.
    Recorded,
    /// Before: the same was said already.
    Already,
}

/// It is durable.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DoneView {
    /// Whether it was done now or before.
    pub status: DoneWord,
}

/// Outcomes of several duels.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OutcomesBody {
    /// At most 1000.
    #[schema(min_items = 1, max_items = 1000)]
    pub outcomes: Vec<DuelOutcome>,
}

/// The outcome of one of several duels: a word or a score, not both. One that breaks the rules is
/// refused on its own.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DuelOutcome {
    /// The duel.
    pub duel: String,
    /// The outcome in a word.
    pub outcome: Option<Outcome>,
    /// How much better the left one is, from -1 to 1.
    pub score: Option<f64>,
    /// Who says so: 1 to 200 characters.
    pub voter: Option<String>,
    /// When that was, by your clock, as RFC 3339 has it.
    pub time: Option<String>,
}

/// What became of several outcomes, in their order.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct OutcomeResults {
    /// One for each.
    pub results: Vec<OutcomeResult>,
}

/// What became of one of several outcomes.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct OutcomeResult {
    /// The duel.
    pub duel: String,
    /// What became of it.
    pub status: ResultWord,
    /// Why it was refused, or is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub problem: Option<Problem>,
}

/// What became of one of several outcomes.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResultWord {
    /// It is durable.
    Recorded,
    /// The same was said already.
    Already,
    /// It was not taken.
    Refused,
    /// The store failed, and it is not known whether it was taken: say it again.
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
