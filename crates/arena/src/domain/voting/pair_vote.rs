//! Pair votes: the common form of all votes. A pair vote says which of two arms is better, and how
//! much that counts.
//!
//! The answer to a duel is one pair vote. A ranked slate has one for each pair that it decides.
//! Clicks on a merged list are the answer to a duel. An import is a list of pair votes. Counts,
//! evidence, segments and the agreement of voters use nothing else.
//!
//! A *weight* below 1 moves a vote towards a tie: a win of weight 1/2 counts as a score of 1/2. A
//! sum of scores is therefore a sum of weighted votes, and no vote ever counts for more than one.

use tiltyard_bandit::{Arm, Outcome};

use crate::domain::Answer;

/// A vote about two arms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairVote {
    /// The arm that was shown on the left, or first.
    pub left: Arm,
    /// The other arm.
    pub right: Arm,
    /// The answer, from the viewpoint of the left arm.
    pub answer: Answer,
    /// The answer as an outcome of the left arm.
    pub outcome: Outcome,
    /// How much it counts: above 0 and at most 1.
    pub weight: f64,
    /// The probability with which the pair was drawn in this order, if it is known.
    pub propensity: Option<f64>,
}

impl PairVote {
    /// `None` if the answer says nothing about two arms.
    pub(crate) fn new(
        (left, right): (Arm, Arm),
        answer: Answer,
        weight: f64,
        propensity: Option<f64>,
    ) -> Option<Self> {
        Some(Self { left, right, answer, outcome: answer.outcome()?, weight, propensity })
    }

    /// The left and the right arm.
    pub fn sides(&self) -> (Arm, Arm) {
        (self.left, self.right)
    }

    /// The outcome that counts: the weight moves it towards a tie.
    pub(crate) fn weighted_outcome(&self) -> Outcome {
        Outcome::new(self.weight * self.outcome.score()).expect("a weight is at most 1")
    }
}
