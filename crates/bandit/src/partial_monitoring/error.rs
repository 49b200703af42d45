//! Errors of games, links and feedback.

use super::MOST_ARMS;
use crate::Arm;

/// Why a game, a link or a feedback was rejected.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum GameError {
    /// The loss matrix and the feedback matrix have different shapes, or are empty.
    #[error(
        "{loss} losses and {feedback} feedbacks do not form two matrices of the same shape with {n_actions} rows"
    )]
    Shape {
        /// N.
        n_actions: usize,
        /// Cells of the loss matrix.
        loss: usize,
        /// Cells of the feedback matrix.
        feedback: usize,
    },
    /// The link's matrix or its reference does not fit the game.
    #[error(
        "the link of a game with {n_actions} actions has {} entries and a reference of {n_actions} shares, \
         not {entries} and {reference}", n_actions * n_actions
    )]
    LinkShape {
        /// N.
        n_actions: usize,
        entries: usize,
        reference: usize,
    },
    /// A matrix contains an infinite number or NaN.
    #[error("a matrix contains {value}, which is not a finite number")]
    NotFinite { value: f64 },
    /// The matrix is not a link.
    #[error(
        "not a link: for action {action} and outcome {outcome} it gives {linked}, but the loss minus the reference's loss is {loss}"
    )]
    NotALink {
        /// The first action that is wrong.
        action: usize,
        /// The first outcome for which it is wrong.
        outcome: usize,
        /// The loss that the link computes from the feedback.
        linked: f64,
        loss: f64,
    },
    /// The matrices of the dueling game are available for 1 to [`MOST_ARMS`] arms only.
    #[error(
        "the matrices of the dueling game grow like K^2 2^K and are available for 1 to {MOST_ARMS} arms, not {n_arms}; \
         the policy `feedexp3` plays any number of arms"
    )]
    Arms { n_arms: usize },
    /// The game is not the dueling game of this number of arms.
    #[error("a game of {n_actions} actions is not the dueling game of {n_arms} arms")]
    NotDueling {
        n_arms: usize,
        /// N.
        n_actions: usize,
    },
    /// The arm does not exist.
    #[error("there is no arm {arm}: there are {n_arms} arms, counted from 0")]
    NoSuchArm { arm: Arm, n_arms: usize },
    /// The action does not exist or never has this feedback.
    #[error("action {action} never has the feedback {feedback}")]
    NoSuchFeedback { action: usize, feedback: f64 },
    /// The probability is outside (0, 1].
    #[error("the probability of a drawn action must be in (0, 1], not {p}")]
    NotAProbability { p: f64 },
}
