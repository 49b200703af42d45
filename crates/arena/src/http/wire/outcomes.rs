//! Outcomes as they travel.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::arena::Done;
use crate::domain::{Answer, AnswerRequest, Refusal};
use crate::time::Time;

/// The outcome of a duel: a word or a score, not both.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct OutcomeBody {
    /// The outcome in a word.
    outcome: Option<OutcomeWord>,
    /// How much better the left one is, from -1 to 1.
    #[schema(minimum = -1, maximum = 1)]
    score: Option<f64>,
    /// Who says so.
    #[schema(min_length = 1, max_length = 200)]
    voter: Option<String>,
    /// When that was, by your clock.
    #[schema(format = DateTime)]
    time: Option<String>,
}

/// The outcome of a duel in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Outcome)]
pub(in crate::http) enum OutcomeWord {
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

/// Why a body that can be read is not an outcome.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(in crate::http) enum OutcomeBodyError {
    #[error("give `outcome` or `score`, and not both")]
    OneOf,
    #[error("give `ranking` or `best`, and not both")]
    RankingOrBest,
    #[error(
        "give `left`, `right` and their outcome, or `ranking`, or `best` and `of`; no `propensity` with the last two"
    )]
    PairOrRanking,
    #[error(transparent)]
    Time(#[from] crate::time::TimeError),
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("votes[{at}]: {error}")]
    Within { at: usize, error: Box<OutcomeBodyError> },
}

impl OutcomeWord {
    /// The word.
    pub(in crate::http) fn text(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
            Self::Tie => "tie",
            Self::BothBad => "both_bad",
            Self::Skip => "skip",
        }
    }
}

impl OutcomeBody {
    pub(super) fn new(
        outcome: Option<OutcomeWord>,
        score: Option<f64>,
        voter: Option<String>,
        time: Option<String>,
    ) -> Self {
        Self { outcome, score, voter, time }
    }

    pub(in crate::http) fn request(self) -> Result<AnswerRequest, OutcomeBodyError> {
        let answer = match (self.outcome, self.score) {
            (Some(word), None) => match word {
                OutcomeWord::Left => Answer::Left,
                OutcomeWord::Right => Answer::Right,
                OutcomeWord::Tie => Answer::Tie,
                OutcomeWord::BothBad => Answer::BothBad,
                OutcomeWord::Skip => Answer::Skip,
            },
            (None, Some(score)) => Answer::score(score).map_err(|_| Refusal::Score { score })?,
            _ => return Err(OutcomeBodyError::OneOf),
        };
        let said = self.time.map(|time| time.parse::<Time>()).transpose()?;
        Ok(AnswerRequest { answer, voter: self.voter, said })
    }
}

/// Whether it was done now or before.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::http) enum DoneWord {
    /// Now.
    Recorded,
    /// Before: the same was said already.
    Already,
}

impl From<Done> for DoneWord {
    fn from(done: Done) -> Self {
        match done {
            Done::Recorded => Self::Recorded,
            Done::Already => Self::Already,
        }
    }
}

/// It is durable.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::http) struct DoneView {
    /// Whether it was done now or before.
    pub status: DoneWord,
}

/// Outcomes of several duels.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct OutcomesBody {
    /// At most 1000.
    #[schema(min_items = 1, max_items = 1000)]
    pub outcomes: Vec<DuelOutcome>,
}

/// The outcome of one of several duels: a word or a score, not both. One that breaks the rules is refused on its own.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct DuelOutcome {
    /// The duel.
    pub duel: String,
    /// The outcome in a word.
    outcome: Option<OutcomeWord>,
    /// How much better the left one is, from -1 to 1.
    score: Option<f64>,
    /// Who says so: 1 to 200 characters.
    voter: Option<String>,
    /// When that was, by your clock, as RFC 3339 has it.
    time: Option<String>,
}

impl DuelOutcome {
    pub(in crate::http) fn split(self) -> (String, OutcomeBody) {
        let Self { duel, outcome, score, voter, time } = self;
        (duel, OutcomeBody { outcome, score, voter, time })
    }
}

/// What became of several outcomes, in their order.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::http) struct OutcomeResults {
    /// One for each.
    pub results: Vec<OutcomeResult>,
}

/// What became of one of several outcomes.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::http) struct OutcomeResult {
    /// The duel.
    pub duel: String,
    /// What became of it.
    pub status: ResultWord,
    /// Why it was refused, or is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub problem: Option<crate::http::Problem>,
}

/// What became of one of several outcomes.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::http) enum ResultWord {
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
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(untagged)]
pub(in crate::http) enum AnswerView {
    /// A word.
    Word(OutcomeWord),
    /// A score.
    Score(f64),
}

impl AnswerView {
    /// Nothing for a ranking, which is no outcome of two.
    pub(in crate::http) fn of(answer: Answer) -> Option<Self> {
        Some(match answer {
            Answer::Left => Self::Word(OutcomeWord::Left),
            Answer::Right => Self::Word(OutcomeWord::Right),
            Answer::Tie => Self::Word(OutcomeWord::Tie),
            Answer::BothBad => Self::Word(OutcomeWord::BothBad),
            Answer::Skip => Self::Word(OutcomeWord::Skip),
            Answer::Score(outcome) => Self::Score(outcome.score()),
            Answer::Ranking => return None,
        })
    }
}
