//! Outcomes of duels.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::hint::Hint;

/// The result of a duel from the left arm's viewpoint: a score in [-1, 1], where 1 is a win, 0 a
/// tie and -1 a loss. No other value can be constructed, so policies need not check the range.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Outcome(f64);

impl Outcome {
    /// The left arm won.
    pub const WIN: Self = Self(1.0);
    /// Neither arm won.
    pub const TIE: Self = Self(0.0);
    /// The left arm lost.
    pub const LOSS: Self = Self(-1.0);

    /// An outcome with any score, for example the difference of two utilities.
    ///
    /// # Errors
    ///
    /// If the score is not a number in [-1, 1].
    pub fn new(score: f64) -> Result<Self, OutcomeError> {
        // Written positively so that NaN fails.
        if (-1.0..=1.0).contains(&score) { Ok(Self(score)) } else { Err(OutcomeError { score }) }
    }

    /// The difference of the two arms' utilities, clamped to [-1, 1]. Both utilities must be in [0,
    /// 1].
    #[must_use]
    #[inline]
    pub fn difference(left: f64, right: f64) -> Self {
        debug_assert!(
            (0.0..=1.0).contains(&left) && (0.0..=1.0).contains(&right),
            "utilities must be in [0, 1]"
        );
        Self((left - right).clamp(-1.0, 1.0))
    }

    /// A win or a loss of the left arm.
    pub const fn won(left_won: bool) -> Self {
        if left_won { Self::WIN } else { Self::LOSS }
    }

    /// The score in [-1, 1].
    pub const fn score(self) -> f64 {
        self.0
    }

    /// The left arm's reward in [0, 1]: 1 for a win, 1/2 for a tie, 0 for a loss.
    pub const fn reward(self) -> f64 {
        f64::midpoint(1.0, self.0)
    }

    /// The same duel seen from the right arm.
    #[must_use]
    pub const fn flipped(self) -> Self {
        Self(-self.0)
    }

    /// A win with probability (1 + score) / 2, otherwise a loss, for policies that only count wins.
    /// A tie becomes a fair coin toss. A win or a loss is returned unchanged and draws no random
    /// number.
    #[must_use]
    pub fn to_binary<R: Rng + ?Sized>(self, rng: &mut R) -> Self {
        if self.0.abs() < 1.0 { Self::won(rng.random::<f64>() < self.reward()) } else { self }
    }
}

impl TryFrom<f64> for Outcome {
    type Error = OutcomeError;

    fn try_from(score: f64) -> Result<Self, OutcomeError> {
        Self::new(score)
    }
}

impl From<Outcome> for f64 {
    fn from(outcome: Outcome) -> Self {
        outcome.0
    }
}

/// The score is not a number from -1 to 1.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("an outcome is a score from -1 (loss) to 1 (win), not {score}")]
pub struct OutcomeError {
    /// The score that was given.
    pub score: f64,
}

impl Hint for OutcomeError {}
