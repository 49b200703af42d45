//! What answers a duel: preference matrices, utilities, drifting and deceptive worlds.
//!
//! A [`World`] answers duels and knows the truth that regret is measured by; [`Delivery`] says how its answers reach the
//! policy. Files come in, numbers go out; nothing here prints.

pub mod builtin;
mod continuous_world;
pub mod delivery;
pub mod drift;
mod law;
pub mod linear_ranker;
pub mod matrix_file;
mod matrix_world;
mod regret;
mod utility;
mod world;

pub use continuous_world::ContinuousWorld;
pub use delivery::Delivery;
pub use law::{Law, LawError};
pub use linear_ranker::LinearRankerWorld;
pub use matrix_world::MatrixWorld;
pub use regret::{Gap, Regret, RegretError, Slots, UnknownRegret};
pub use utility::{Answers, UtilityRuler, UtilityWorld};
pub use world::{Best, BestKind, Supply, World};
