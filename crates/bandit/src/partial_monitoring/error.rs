//! What can be wrong with a game.

use super::MOST_ARMS;
use crate::Arm;

/// Why a game, a link or a feedback was refused.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GameError {
    /// The matrices do not fit each other.
    #[error("{loss} losses and {feedback} feedbacks are not two matrices of {n_actions} equal rows")]
    Shape {
        /// N.
        n_actions: usize,
        /// Cells of the loss matrix.
        loss: usize,
        /// Cells of the feedback matrix.
        feedback: usize,
    },
    /// The link's matrix does not fit the game.
    #[error(
        "a link of a game of {n_actions} actions has {} entries and a reference of {n_actions} shares, \
         not {entries} and {reference}", n_actions * n_actions
    )]
    LinkShape {
        /// N.
        n_actions: usize,
        /// Entries given.
        entries: usize,
        /// Shares given.
        reference: usize,
    },
    /// What is no number.
    #[error("a matrix holds {value}")]
    NotFinite {
        /// What it holds.
        value: f64,
    },
    /// The matrix is no link.
    #[error(
        "not a link: of action {action} under outcome {outcome} it makes {linked}, but the loss beyond the reference is {loss}"
    )]
    NotALink {
        /// The first action that is wrong.
        action: usize,
        /// The first outcome under which it is.
        outcome: usize,
        /// What the link makes of the feedback.
        linked: f64,
        /// What it should.
        loss: f64,
    },
    /// The dueling game is written out for 1 to [`MOST_ARMS`] arms.
    #[error(
        "the dueling game is written out for 1 to {MOST_ARMS} arms, not {n_arms}: its matrices grow like K^2 2^K; \
         the policy `feedexp3` plays any number"
    )]
    Arms {
        /// Arms asked for.
        n_arms: usize,
    },
    /// This is not the dueling game of so many arms.
    #[error("a game of {n_actions} actions is not the dueling game of {n_arms} arms")]
    NotDueling {
        /// Arms asked for.
        n_arms: usize,
        /// N.
        n_actions: usize,
    },
    /// The arm does not exist.
    #[error("there is no arm {arm}: there are {n_arms} arms, counted from 0")]
    NoSuchArm {
        /// The arm named.
        arm: Arm,
        /// How many arms there are.
        n_arms: usize,
    },
    /// The action never has this feedback.
    #[error("action {action} never has the feedback {feedback}")]
    NoSuchFeedback {
        /// The action.
        action: usize,
        /// The feedback.
        feedback: f64,
    },
    /// A probability outside (0, 1].
    #[error("{p} is no probability of a drawn action")]
    NotAProbability {
        /// The number.
        p: f64,
    },
}
