//! The mathematics of dueling bandits: arms, duels, policies, samplers, preference matrices, bounds.
//!
//! A *policy* proposes a duel of two arms and learns from its outcome; [`policy`] holds the contract and the
//! algorithms, [`player`] the classical bandits that some of them are made of, [`matrix`] preference matrices and what can be
//! said of them, [`theory`] the bounds. Nothing here does I/O, reads a clock, starts a thread or holds randomness of its own:
//! a generator is passed in, and [`Stream`] names one by a seed and labels.

mod alias;
mod argmax;
mod arm;
mod arm_set;
mod certificates;
pub mod continuous;
mod damaged;
mod duel_counts;
mod exp;
mod exp_weights;
pub mod expr;
mod extremes;
mod gamma;
mod ladder;
pub mod matrix;
mod outcome;
mod pair_weights;
mod pairs;
pub mod params;
pub mod partial_monitoring;
pub mod player;
pub mod policy;
pub mod reduction;
pub mod spec;
mod stream;
mod sum_tree;
pub mod theory;
mod ticket;
mod turns;
mod upper_bounds;
mod win_count;

pub use arm::Arm;
pub use outcome::{Outcome, OutcomeError};
pub use spec::Spec;
pub use stream::Stream;
pub use ticket::{Draw, Ticket, TicketError};
