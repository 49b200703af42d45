//! The mathematics of dueling bandits: arms, duels, policies, samplers, preference matrices, bounds.
//!
//! A *policy* proposes a duel of two arms and learns from its outcome; [`policy`] holds the contract and the
//! algorithms, [`player`] the classical bandits that some of them are made of, [`matrix`] preference matrices and what can be
//! said of them, [`theory`] the bounds, [`verdict`] what votes say of who is better. Nothing here does I/O, reads a clock,
//! starts a thread or holds randomness of its own: a generator is passed in, and [`Stream`] names one by a seed and labels.

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
