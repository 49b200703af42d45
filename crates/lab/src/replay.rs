//! A log of votes, asked about policies that did not make it.
//!
//! Two questions look alike and are not. Where the log says how likely each pair was (`pscore`),
//! what another policy would have *scored* on the same traffic can be estimated, with an interval:
//! off-policy evaluation, [`evaluate()`]. Where it does not, the policies can be let loose on the
//! votes, which answer whatever pair they ask for: a simulation, [`simulate()`]. It says how many
//! votes a policy needs in a world in which people vote as they did, and nothing about what would
//! have happened on that day.

mod evaluate;
mod race;
mod simulate;

pub use evaluate::{Against, Evaluate, EvaluateError, Evaluated, Subject, evaluate};
pub use race::Race;
pub use simulate::{Ended, PolicyRuns, Simulate, SimulateError, Simulated, Votes95, simulate};
