//! Partial monitoring: games in which the player never sees the loss, only a feedback that depends
//! on the action and the outcome. The generic `FeedExp3` plays any such game whose losses are
//! linear in its feedback.
//!
//! A game has N actions and M outcomes, a loss matrix L and a feedback matrix H, both N x M. A
//! *link* is an N x N matrix k with
//!
//! ```text
//! k H = L - 1 L_ref            L_ref: loss of a reference, a row of L or a mixture of rows
//! ```
//!
//! If action I is drawn with probability p_I and its feedback is h, then k(i, I) h / p_I is an
//! unbiased estimate of the loss of action i minus the loss of the reference, for all i at once.
//! The reference is the same for all actions, so the weights do not depend on it. But it is
//! necessary: the dueling game has no link for the loss itself, because if all utilities are 1, all
//! feedback is 0 while the loss is -1.
//!
//! The **dueling game** of K arms:
//!
//! - its actions are the unordered pairs {a, b}, equal arms included, so N = K (K + 1) / 2;
//! - its outcomes are the binary utility vectors x, so M = 2^K;
//! - the loss is -(x_a + x_b) / 2, and the feedback is x_a - x_b for a <= b.
//!
//! The loss minus that of a reference self-duel {r, r} is -(1/2) ((x_a - x_r) + (x_b - x_r)). Its
//! mean over all r is
//!
//! ```text
//! -(1 / 2K) sum_j ((x_a - x_j) + (x_b - x_j))
//! ```
//!
//! This is a link: for each of its two slots, row {a, b} contains -1/(2K) at the K - 1 duels of
//! that slot's arm (with the opposite sign if the slot's arm has the higher index). For the uniform
//! reference, the largest entry is 1/K, in the row of a self-duel, and the largest sum of squares
//! in a row is (K - 1)/K^2. For a fixed arm as the reference both are 1.
//!
//! These matrices grow like K^2 2^K. They are here for study and for tests. To play, use
//! [`policy::feedexp3`](crate::policy::feedexp3), which draws its duels from the same distribution
//! for any K.

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
