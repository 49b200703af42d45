//! The mathematics of dueling bandits: arms, duels, policies, samplers, preference matrices,
//! bounds.
//!
//! A *policy* proposes a duel between two arms and learns from its outcome. [`policy`] holds the
//! contract and the algorithms. [`player`] holds the classical bandits that some policies are built
//! from. [`matrix`] holds preference matrices and their properties, [`theory`] the regret bounds,
//! and [`verdict`] the statistics that decide which arm is better given the votes.
//!
//! Nothing in this crate does I/O, reads a clock, starts a thread or owns a random generator. The
//! caller passes the generator in; [`Stream`] names one by a seed and labels.

#[macro_use]
mod declare;

mod argmax;
mod arm;
pub mod continuous;
mod damaged;
pub mod expr;
pub mod hint;
pub mod matrix;
pub mod off_policy;
mod outcome;
pub mod params;
pub mod partial_monitoring;
pub mod player;
pub mod policy;
pub mod reduction;
pub mod spec;
mod stream;
mod structures;
pub mod theory;
mod ticket;
pub mod verdict;

pub use arm::Arm;
pub use outcome::{Outcome, OutcomeError};
pub use spec::Spec;
pub use stream::Stream;
pub use ticket::{Draw, Ticket, TicketError};
