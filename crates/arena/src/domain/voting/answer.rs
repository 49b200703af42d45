//! The answer of a voter to a duel.

use serde::{Deserialize, Serialize};
use tiltyard_bandit::{Outcome, OutcomeError};

/// An answer, from the viewpoint of the arm shown on the left.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The left arm is better.
    Left,
    /// The right arm is better.
    Right,
    /// Both arms are equally good.
    Tie,
    /// Both arms are equally bad. Learned as a tie, but counted separately.
    BothBad,
    /// The voter gave no answer, and none will come.
    Skip,
    /// How much better the left arm is, from -1 to 1.
    Score(Outcome),
    /// Several arms were shown. Their ranking is stored separately, because it is not an outcome of
    /// two arms.
    Ranking,
}

impl Answer {
    /// A graded answer.
    ///
    /// # Errors
    ///
    /// If the score is not a number in [-1, 1].
    pub fn score(score: f64) -> Result<Self, OutcomeError> {
        Outcome::new(score).map(Self::Score)
    }

    /// The outcome of the left arm. `None` for a skipped duel, and for a ranking, which is several
    /// votes.
    pub fn outcome(self) -> Option<Outcome> {
        match self {
            Self::Left => Some(Outcome::WIN),
            Self::Right => Some(Outcome::LOSS),
            Self::Tie | Self::BothBad => Some(Outcome::TIE),
            Self::Skip | Self::Ranking => None,
            Self::Score(outcome) => Some(outcome),
        }
    }

    /// The same answer with the sides exchanged.
    #[must_use]
    pub fn flipped(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
            Self::Score(outcome) => Self::Score(outcome.flipped()),
            other => other,
        }
    }
}
