//! Worlds that answer duels: preference matrices, utilities, drifting and deceptive sequences,
//! logged votes.
//!
//! A [`World`] answers duels and knows the true regret. [`Delivery`] says how its answers reach the
//! policy. This crate reads files and never prints.

mod any_world;
mod atomic_file;
pub mod build;
pub mod builtin;
pub mod click;
pub mod collection;
mod continuous_world;
pub mod corruption;
pub mod delivery;
pub mod drift;
mod either;
mod family;
mod law;
pub mod linear_ranker;
pub mod matrix_file;
mod matrix_world;
mod param;
pub mod piecewise;
mod published;
pub mod ranker;
mod records;
mod regret;
pub mod replay;
mod synthetic_rankers;
mod utility;
pub mod utility_file;
pub mod votes;
mod world;

pub use any_world::AnyWorld;
pub use atomic_file::{AtomicFile, AtomicFileError};
pub use continuous_world::{ContinuousWorld, PointWorld};
pub use corruption::{CorruptedWorld, Corruption};
pub use delivery::Delivery;
pub use law::{Law, LawError};
pub use linear_ranker::LinearRankerWorld;
pub use matrix_world::MatrixWorld;
pub use piecewise::PiecewiseWorld;
pub use regret::{Gap, Regret, RegretError, Slots, UnknownRegret};
pub use replay::ReplayWorld;
pub use utility::{Answers, UtilityWorld};
pub use world::{Best, BestKind, Gaps, RunState, Segment, VoteSupply, World};
