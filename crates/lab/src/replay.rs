//! Questions about policies, answered from a log of votes that another policy drew.
//!
//! There are two different questions. If the log records the probability of each pair (`pscore`),
//! [`evaluate()`] estimates what another policy would have *scored* on the same traffic, with an
//! interval: off-policy evaluation. If it does not, [`simulate()`] lets policies play on the votes,
//! which answer any pair that a policy asks for. A simulation says how many votes a policy needs in
//! a world in which people vote as they did. It says nothing about what would have happened on that
//! day.

mod evaluate;
mod race;
mod simulate;

pub use evaluate::{Against, Evaluate, EvaluateError, Evaluated, Subject, evaluate};
pub use race::Race;
pub use simulate::{Ended, PolicyRuns, Simulate, SimulateError, Simulated, Votes95, simulate};
