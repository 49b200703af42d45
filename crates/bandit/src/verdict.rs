//! Verdicts: what votes say about who is better, valid at every moment.
//!
//! Given the past, a duel *of one pair* has a mean that does not depend on why the pair was chosen.
//! What is counted for a pair is therefore a fair game against anyone who claims to know that mean,
//! whatever the policy does, and Ville's inequality bounds the chance that the game is *ever* won
//! by luck: one may look after every vote and stop whenever one likes. What this asks for is that
//! the votes of a pair are taken in the order in which their duels were issued (a pair whose losses
//! arrive late would look like a winner), and that preferences do not change; [`Drift`] watches
//! over the second.
//!
//! - [`Tally`]: the votes of one pair.
//! - [`ln_lead`], [`lead_threshold`]: evidence that one arm is better than another, and how much of
//!   it makes a leader.
//! - [`interval()`], [`interval_with`]: the win rate of a pair.
//! - [`borda()`], [`copeland`]: how an arm stands against all others.
//! - [`ratings()`]: all arms on one scale (Bradley-Terry), or why not.
//! - [`side()`]: whether votes depend on the side on which an arm was shown.
//! - [`Drift`]: whether a pair's win rate changes.
//! - [`votes_needed`], [`plan`]: how many votes it takes.
//!
//! Everything here is a pure function or a small state; only `+ - * /`, comparisons and `libm` are
//! used, so the bits are equal on every platform.

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
