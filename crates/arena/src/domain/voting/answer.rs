//! What a voter says of a duel.

use serde::{Deserialize, Serialize};
use tiltyard_bandit::{Outcome, OutcomeError};

/// An answer, from the viewpoint of what was shown on the left.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The left one is better.
    Left,
    /// The right one is better.
    Right,
    /// They are equally good.
    Tie,
    /// They are equally bad: learned as a tie, counted apart.
    BothBad,
    /// No answer will come: the duel is voided.
    Skip,
    /// How much better the left one is, from -1 to 1.
    Score(Outcome),
    /// Several arms were shown, and what was said of them stands beside this: it is no outcome of
    /// two.
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

    /// The outcome of the left one; nothing for a skipped duel, and for a ranking, which is several
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

    /// The same answer where the sides are exchanged.
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
