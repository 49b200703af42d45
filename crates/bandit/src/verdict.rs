//! Verdicts: which arm is better, according to the votes. Every statement is valid at every moment.
//!
//! Given the past, the outcome of a duel *between two given arms* has the same mean no matter why
//! the duel was drawn. The tests here bet on a pair's outcomes against a claimed value of that
//! mean. If the claim is true the bets are a fair game, whatever the policy does, and Ville's
//! inequality bounds the probability that they *ever* win much. So you may look after every vote
//! and stop at any time.
//!
//! This needs two conditions. The votes of a pair must be taken in the order in which their duels
//! were issued; a pair whose losses arrive late would look like a winner. And preferences must not
//! change; [`Drift`] tests for that.
//!
//! - [`Tally`]: the votes of one pair.
//! - [`ln_lead`], [`lead_threshold`]: evidence that one arm is better than another, and how much
//!   evidence a leader needs.
//! - [`interval()`], [`interval_with`]: the win rate of a pair.
//! - [`borda()`], [`copeland`]: the result of an arm against all others.
//! - [`ratings()`]: all arms on one scale (Bradley-Terry), or the reason why that is impossible.
//! - [`side()`]: whether votes favour the left or the right side.
//! - [`Drift`]: whether a pair's win rate changes.
//! - [`votes_needed`], [`plan`]: how many votes are needed.
//!
//! Everything here is a pure function or a small state. The code uses only `+ - * /`, comparisons
//! and `libm`, so results are equal to the last bit on every platform.

mod borda;
mod drift;
mod interval;
mod lead;
mod mixture;
mod need;
mod ratings;
mod side;
mod tally;

pub use borda::{Alike, Borda, Copeland, borda, borda_with, copeland};
pub use drift::Drift;
pub use interval::{Interval, interval, interval_with, is_above};
pub use lead::{lead_threshold, ln_lead};
pub use need::{Plan, PlanError, Votes, plan, votes_needed};
pub use ratings::{Bounds, ELO, MOST_RATED, Ratings, RatingsError, ratings};
pub use side::{Side, side};
pub use tally::Tally;
