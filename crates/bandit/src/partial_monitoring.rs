//! Partial monitoring: games whose loss is never seen, only a feedback that depends on action and
//! outcome; and the generic `FeedExp3`, which plays any such game whose losses are linear in its
//! feedback.
//!
//! A game has N actions and M outcomes, a loss matrix L and a feedback matrix H, both N x M. A
//! *link* is an N x N matrix k with
//!
//! ```text
//! k H = L - 1 L_ref            L_ref the loss of a reference: a row, or a mixture of rows, of L
//! ```
//!
//! so that k(i, I) h / p_I, seen when action I was drawn with probability p_I and answered h, is an
//! unbiased estimate of the loss of action i beyond the reference's, for all i at once. The
//! reference is the same for all actions, so the weights do not notice it; but it must be there.
//! The dueling game has no link for the loss itself: where all utilities are 1, all feedback is 0
//! and the loss is -1.
//!
//! The **dueling game** of K arms has the unordered pairs {a, b} as actions, equal arms included
//! (N = K (K + 1) / 2), the binary utility vectors x as outcomes (M = 2^K), the loss -(x_a + x_b) /
//! 2 and the feedback x_a - x_b for a <= b. The loss beyond a reference self-duel {r, r} is -(1/2)
//! ((x_a - x_r) + (x_b - x_r)), and the mean of that over r is
//!
//! ```text
//! -(1 / 2K) sum_j ((x_a - x_j) + (x_b - x_j))
//! ```
//!
//! which is a link whose row {a, b} holds -1/(2K) for each slot at the K - 1 duels of that slot's
//! arm. So the uniform reference's largest entry is 1/K, at a self-duel's row, and a fixed arm's is
//! 1; its largest sum of squares in a row is (K - 1)/K^2, and a fixed arm's is 1.
//!
//! These matrices grow like K^2 2^K and are here to be looked at and checked against. To play, use
//! [`policy::feedexp3`](crate::policy::feedexp3), which has the same law for any K.

mod error;
mod forecaster;
mod game;
mod link;
mod rates;

pub use error::GameError;
pub use forecaster::Forecaster;
pub use game::{Game, MOST_ARMS, action, n_actions, pairs};
pub use link::{Link, LinkSize, Reference};
pub use rates::{Rates, Schedule};
