//! Policies: dueling-bandit algorithms, behind one contract.
//!
//! A policy proposes a duel and learns from its outcome:
//!
//! ```text
//! propose(&self, rng)            which two arms to compare, and everything update() will need; pure
//! issue(&mut self, &Ticket)      the duel is now in flight: clocks, cursors, counts in flight
//! update(&mut self, &Ticket, _)  learn; draws no randomness; legal late, out of order, in batches
//! void(&mut self, &Ticket)       the answer will never come
//! recommend(&self)               the arm it would bet on now
//! ```
//!
//! `update` reads the ticket, never "the last pair". That is what makes delayed answers, batches, several nodes,
//! replay of logs and off-policy evaluation possible.
//!
//! Each policy is one file here, and one line in [`registry`]. The documentation of its `Family` is
//! also the page that `tiltyard policy show NAME` prints.

use rand::Rng;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::hint::{FrontEnd, Hint};
use crate::{Arm, Outcome, Ticket};

mod any;
mod batch_race;
pub mod btm;
pub mod btw;
pub mod ccb;
mod counting;
pub mod dexp3;
pub mod doubler;
pub mod dts;
pub mod feedexp3;
mod info;
pub mod interleaved_filter;
mod lesson;
mod limits;
pub mod mergedts;
pub mod mergerucb;
pub mod multisbm;
pub mod random;
pub mod rcs;
pub mod registry;
pub mod rex3;
pub mod rmed;
pub mod rucb;
pub mod savage;
pub mod scb;
mod seeded;
pub mod selfsparring;
pub mod sparring;
pub mod vdb;
mod winner_stays;
pub mod wss;
pub mod wsw;

pub use any::{AnyPolicy, Capabilities, RestoreError, Saved, UpdateError};
pub use btm::Btm;
pub use btw::Btw;
pub use ccb::Ccb;
pub use dexp3::DExp3;
pub use doubler::Doubler;
pub use dts::Dts;
pub use feedexp3::FeedExp3;
pub use info::{Assumption, Citation, Curve, Goal, Info, Page, Propensity, Settles};
pub use interleaved_filter::InterleavedFilter;
pub use lesson::{Lessons, NoLesson, Refusal};
pub use mergedts::MergeDts;
pub use mergerucb::MergeRucb;
pub use multisbm::MultiSbm;
pub use random::Random;
pub use rcs::Rcs;
pub use rex3::Rex3;
pub use rmed::Rmed;
pub use rucb::Rucb;
pub use savage::Savage;
pub use scb::Scb;
pub use seeded::{Origin, SavedSeeded, Seeded, Ties};
pub use selfsparring::SelfSparring;
pub use sparring::Sparring;
pub use vdb::Vdb;
pub use wss::Wss;
pub use wsw::Wsw;

/// A dueling-bandit algorithm.
///
/// Randomness is passed in; a policy holds none of its own. Saving is serialization: a restored policy continues
/// bit for bit.
pub trait Policy: Clone + Send + Sync + Serialize + DeserializeOwned {
    /// What is known about this algorithm.
    fn info(&self) -> &'static Info;

    /// What its tickets say of how a pair was drawn.
    fn propensity(&self) -> Propensity;

    /// K, retired arms included.
    fn n_arms(&self) -> usize;

    /// How many duels were issued so far.
    fn round(&self) -> u64;

    /// Proposes a duel. It changes nothing: until the ticket is issued, it may be thrown away.
    ///
    /// # Panics
    ///
    /// A [`Sequential`] policy panics while a duel is in flight; [`Self::ready`] tells.
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket;

    /// Takes note that the proposed duel is in flight.
    fn issue(&mut self, ticket: &Ticket);

    /// Learns from the outcome of a duel issued earlier, however long ago. Draws no randomness.
    ///
    /// # Panics
    ///
    /// If the ticket is not one of this kind of policy's; tickets from outside go through [`AnyPolicy::update`],
    /// which checks them.
    fn update(&mut self, ticket: &Ticket, outcome: Outcome);

    /// Takes note that the outcome of an issued duel will never come.
    fn void(&mut self, ticket: &Ticket);

    /// The arm it would bet on now; the lowest index where several are equally good.
    fn recommend(&self) -> Arm;

    /// For each arm the probability that a slot of the next duel, left or right with equal chance, holds it, as [`Self::propose`]
    /// draws: they sum to 1, and a retired arm has 0. In O(K). `None` where no exact value is as cheap, and while a [`Sequential`]
    /// policy waits for an outcome.
    fn probabilities(&self) -> Option<Vec<f64>> {
        None
    }

    /// Whether it can learn from duels that it did not draw, and what it must be told of them.
    fn lessons(&self) -> Lessons {
        Lessons::Refused(if self.sequential().is_some() { Refusal::Sequential } else { Refusal::Phases })
    }

    /// The ticket with which [`Self::update`] learns rightly from a duel of this ordered pair that someone else drew, with the given
    /// probability: another policy, a page that shows pairs at random, a log.
    ///
    /// The ticket is made for the policy as it is now. It is learned, late too, and taken back like any other, but nothing is in flight:
    /// it need not be issued, and without that the clock stands still, which is right where one round of the policy's own brings several
    /// lessons. To [`Self::issue`] it lets one round go by and does nothing else: so does an apprentice, which is to learn at the pace of
    /// who plays.
    ///
    /// Where the probability matters, what is learned has the right expectation if every ordered pair of different arms can be drawn. A
    /// law that knows one order of two arms only is to be made even first: show the sides at random, and give the mean of the
    /// probabilities of both orders.
    ///
    /// # Errors
    ///
    /// If [`Self::lessons`] refuses, the probability is needed and unknown, or arm or probability cannot be.
    fn lesson(&self, left: Arm, right: Arm, propensity: Option<f64>) -> Result<Ticket, NoLesson> {
        lesson::counted(self, left, right, propensity)
    }

    /// Proposes a duel and issues it: the paper's name for one step.
    ///
    /// # Panics
    ///
    /// As [`Self::propose`].
    fn decide<R: Rng + ?Sized>(&mut self, rng: &mut R) -> Ticket {
        let ticket = self.propose(rng);
        self.issue(&ticket);
        ticket
    }

    /// Whether it will propose now.
    ///
    /// # Errors
    ///
    /// If it is [`Sequential`] and waits for an outcome.
    fn ready(&self) -> Result<(), InFlight> {
        self.sequential().and_then(Sequential::awaiting).map_or(Ok(()), |ticket| Err(InFlight { ticket }))
    }

    /// The capability to be merged, if it has it.
    fn additive(&mut self) -> Option<&mut dyn Additive> {
        None
    }

    /// The capability to change its arms, if it has it.
    fn elastic(&mut self) -> Option<&mut dyn Elastic> {
        None
    }

    /// The capability to propose unequal arms, if it has it.
    fn distinct(&self) -> Option<&dyn Distinct> {
        None
    }

    /// The need for each outcome before the next decision, if it has it.
    fn sequential(&self) -> Option<&dyn Sequential> {
        None
    }
}

/// The probabilities of a slot that is left or right with equal chance, from those of the two.
fn either_slot(mut left: Vec<f64>, right: &[f64]) -> Vec<f64> {
    for (p, &q) in left.iter_mut().zip(right) {
        *p = f64::midpoint(*p, q);
    }
    left
}

/// The probabilities where the next duel is certain.
fn sure_pair(n_arms: usize, left: Arm, right: Arm) -> Vec<f64> {
    let mut probabilities = vec![0.0; n_arms];
    probabilities[left.index()] += 0.5;
    probabilities[right.index()] += 0.5;
    probabilities
}

/// What was learned is a sum of increments that depend on tickets and outcomes alone. Addition commutes, so nodes
/// may learn apart and be merged.
pub trait Additive {
    /// The sums.
    fn sums(&self) -> Vec<f64>;

    /// Adds what another node has learned: the difference of its sums now and when it last was merged.
    ///
    /// # Panics
    ///
    /// If `increments` is not as long as [`Self::sums`].
    fn add(&mut self, increments: &[f64]);

    /// Un-learns an outcome that [`Policy::update`] has learned from this ticket. From then on it is as if the duel had been void
    /// instead: exactly where counts are kept, up to rounding where sums of real numbers are. What `update` would not have learned
    /// (a duel of an older phase, of an arm with itself) is nothing to take back. Clocks stay, and so do duels in flight.
    ///
    /// What was *decided* meanwhile stays decided, as it would after a late outcome: a remembered favourite, the turns that were
    /// taken, a rival that was fixed, the sum that a new arm began with. Each policy that has such memories names them.
    ///
    /// # Panics
    ///
    /// As [`Policy::update`]; [`AnyPolicy::take_back`] checks.
    fn take_back(&mut self, ticket: &Ticket, outcome: Outcome);
}

/// Arms can be added and retired while it runs. Indices never change.
pub trait Elastic {
    /// Adds an arm that starts with an average standing.
    fn add_arm(&mut self) -> Arm;

    /// Stops proposing an arm. Outcomes of its duels in flight are still welcome. False if that changes nothing:
    /// the arm is retired already, or it is the last one.
    ///
    /// # Panics
    ///
    /// If there is no such arm.
    fn retire(&mut self, arm: Arm) -> bool;

    /// Proposes a retired arm again, with what was learned of it. False if it was not retired.
    ///
    /// # Panics
    ///
    /// If there is no such arm.
    fn restore(&mut self, arm: Arm) -> bool;
}

/// It can propose two different arms with an exact propensity: what a voting page needs.
pub trait Distinct {
    /// Proposes a duel of two different arms, or nothing if fewer than two are left.
    fn propose_distinct(&self, rng: &mut dyn Rng) -> Option<Ticket>;
}

/// It needs each outcome before the next decision, and refuses to propose while a duel is in flight.
pub trait Sequential {
    /// The duel in flight.
    fn awaiting(&self) -> Option<Ticket>;
}

/// A sequential policy waits for an outcome.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "the duel of arms {} and {} (round {}) is in flight, and this policy needs its outcome before the next",
    ticket.left, ticket.right, ticket.round
)]
pub struct InFlight {
    /// The duel it waits for.
    pub ticket: Ticket,
}

impl Hint for InFlight {
    fn hints(&self, _: &dyn FrontEnd) -> Vec<String> {
        vec!["update or void that ticket first".to_owned()]
    }
}
