//! Policies: dueling-bandit algorithms, behind one contract.
//!
//! A policy proposes a duel and learns from its outcome:
//!
//! ```text
//! propose(&self, rng)            choose two arms, and record all that update() will need; pure
//! issue(&mut self, &Ticket)      the duel is now in flight: advance clocks, cursors and counts
//! update(&mut self, &Ticket, _)  learn; draws no randomness; legal late, out of order, in batches
//! void(&mut self, &Ticket)       the answer will never come
//! recommend(&self)               the arm that the policy would bet on now
//! ```
//!
//! `update` reads the ticket, never "the last pair". This is why outcomes may arrive late or in
//! batches, several nodes may learn together, logs can be replayed, and policies can be evaluated
//! off-policy.
//!
//! Each policy is one file in this module and one line in [`registry`]. `tiltyard policy show NAME`
//! prints the documentation of the policy's `Family`.

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
/// The caller passes in the random generator; a policy owns none. To save a policy, serialize it. A
/// restored policy continues bit for bit.
pub trait Policy: Clone + Send + Sync + Serialize + DeserializeOwned {
    /// The facts about this algorithm: its name, assumptions, cost and reference.
    fn info(&self) -> &'static Info;

    /// How much this policy's tickets record about the probability of the pair.
    fn propensity(&self) -> Propensity;

    /// K, retired arms included.
    fn n_arms(&self) -> usize;

    /// The number of duels issued so far.
    fn round(&self) -> u64;

    /// Proposes a duel without changing the policy. A ticket that has not been issued may be
    /// discarded.
    ///
    /// # Panics
    ///
    /// A [`Sequential`] policy panics while a duel is in flight. Check with [`Self::ready`].
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket;

    /// Records that the proposed duel is now in flight.
    fn issue(&mut self, ticket: &Ticket);

    /// Learns from the outcome of a duel that was issued earlier, however long ago. Draws no
    /// randomness.
    ///
    /// # Panics
    ///
    /// If another kind of policy made the ticket. Pass tickets from outside to
    /// [`AnyPolicy::update`], which checks them.
    fn update(&mut self, ticket: &Ticket, outcome: Outcome);

    /// Records that the outcome of an issued duel will never come.
    fn void(&mut self, ticket: &Ticket);

    /// The arm that the policy would bet on now. Ties go to the lowest index.
    fn recommend(&self) -> Arm;

    /// The probability of each arm in a slot of the next duel, if [`Self::propose`] draws the duel
    /// and a fair coin picks the slot. The probabilities sum to 1, and a retired arm has 0. Takes
    /// O(K).
    ///
    /// `None` if the policy cannot compute exact values at that cost, and while a [`Sequential`]
    /// policy waits for an outcome.
    fn probabilities(&self) -> Option<Vec<f64>> {
        None
    }

    /// Whether the policy can learn from duels that it did not draw, and what it must know about
    /// them.
    fn lessons(&self) -> Lessons {
        Lessons::Refused(if self.sequential().is_some() { Refusal::Sequential } else { Refusal::Phases })
    }

    /// Makes a ticket for an ordered pair that something else drew: another policy, a page that
    /// shows pairs at random, or a log. `propensity` is the probability with which it drew the
    /// pair. [`Self::update`] learns correctly from the ticket.
    ///
    /// The ticket fits the policy's present state. Like any other ticket, it may be answered late
    /// and taken back.
    ///
    /// The duel is not in flight, so the ticket need not be issued. Without [`Self::issue`] the
    /// policy's clock does not advance: this is right if each round of the policy comes with
    /// several lessons. With [`Self::issue`] the clock advances by one round, and nothing else
    /// changes. An apprentice issues its lessons, so that it learns at the pace of the playing
    /// policy.
    ///
    /// A policy that uses the probability gets unbiased estimates as long as every ordered pair of
    /// different arms can be drawn. If the drawing law uses only one order of two arms, symmetrize
    /// it first: show the sides at random, and pass the mean of the probabilities of both orders.
    ///
    /// # Errors
    ///
    /// If the policy cannot learn from other duels (see [`Self::lessons`]), if it needs the
    /// probability and none is given, or if an arm or the probability is impossible.
    fn lesson(&self, left: Arm, right: Arm, propensity: Option<f64>) -> Result<Ticket, NoLesson> {
        lesson::counted(self, left, right, propensity)
    }

    /// Proposes a duel and issues it. In papers this is one step.
    ///
    /// # Panics
    ///
    /// As [`Self::propose`].
    fn decide<R: Rng + ?Sized>(&mut self, rng: &mut R) -> Ticket {
        let ticket = self.propose(rng);
        self.issue(&ticket);
        ticket
    }

    /// Whether the policy can propose a duel now.
    ///
    /// # Errors
    ///
    /// If the policy is [`Sequential`] and waits for an outcome.
    fn ready(&self) -> Result<(), InFlight> {
        self.sequential().and_then(Sequential::awaiting).map_or(Ok(()), |ticket| Err(InFlight { ticket }))
    }

    /// The policy as [`Additive`], if nodes can be merged.
    fn additive(&mut self) -> Option<&mut dyn Additive> {
        None
    }

    /// The policy as [`Elastic`], if its arms can change.
    fn elastic(&mut self) -> Option<&mut dyn Elastic> {
        None
    }

    /// The policy as [`Distinct`], if it can propose two different arms on demand.
    fn distinct(&self) -> Option<&dyn Distinct> {
        None
    }

    /// The policy as [`Sequential`], if it needs each outcome before the next decision.
    fn sequential(&self) -> Option<&dyn Sequential> {
        None
    }
}

/// The probabilities for a slot that a fair coin picks: the mean of both slots.
fn either_slot(mut left: Vec<f64>, right: &[f64]) -> Vec<f64> {
    for (p, &q) in left.iter_mut().zip(right) {
        *p = f64::midpoint(*p, q);
    }
    left
}

/// The probabilities for a slot that a fair coin picks, if the next duel is certain.
fn sure_pair(n_arms: usize, left: Arm, right: Arm) -> Vec<f64> {
    let mut probabilities = vec![0.0; n_arms];
    probabilities[left.index()] += 0.5;
    probabilities[right.index()] += 0.5;
    probabilities
}

/// A policy whose knowledge is a sum of increments. Each increment depends only on a ticket and its
/// outcome. Addition commutes, so nodes may learn separately and be merged.
pub trait Additive {
    /// All sums, in a fixed order.
    fn sums(&self) -> Vec<f64>;

    /// Adds what another node has learned: its sums now minus its sums at the last merge.
    ///
    /// # Panics
    ///
    /// If `increments` is not as long as [`Self::sums`].
    fn add(&mut self, increments: &[f64]);

    /// Reverses what [`Policy::update`] learned from this ticket and outcome. Afterwards the policy
    /// is as if the duel had been void: exactly so if it keeps counts, up to rounding if it keeps
    /// sums of real numbers. If `update` ignored the outcome (a duel of an older phase, or of an
    /// arm with itself), this does nothing. Clocks and duels in flight stay as they are.
    ///
    /// Decisions made in the meantime remain, as they do after a late outcome: a remembered
    /// favourite, turns already taken, a fixed rival, the starting sum of a new arm. Each policy
    /// with such memories documents them.
    ///
    /// # Panics
    ///
    /// As [`Policy::update`]. [`AnyPolicy::take_back`] checks the ticket first.
    fn take_back(&mut self, ticket: &Ticket, outcome: Outcome);
}

/// A policy whose arms can be added and retired while it runs. Indices never change.
pub trait Elastic {
    /// Adds `n` arms in one step. Each starts with the average standing of the arms before. Returns
    /// the first of them.
    fn add_arms(&mut self, n: usize) -> Arm;

    /// Adds an arm that starts with an average standing.
    fn add_arm(&mut self) -> Arm {
        self.add_arms(1)
    }

    /// Stops proposing an arm. The policy still learns from outcomes of the arm's duels in flight.
    /// Returns false if nothing changes: the arm is already retired, or it is the last one.
    ///
    /// # Panics
    ///
    /// If there is no such arm.
    fn retire(&mut self, arm: Arm) -> bool;

    /// Proposes a retired arm again, with everything learned about it. Returns false if the arm was
    /// not retired.
    ///
    /// # Panics
    ///
    /// If there is no such arm.
    fn restore(&mut self, arm: Arm) -> bool;
}

/// A policy that can propose two different arms with an exact propensity, as a voting page needs.
pub trait Distinct {
    /// Proposes a duel between two different arms; `None` if fewer than two are left.
    fn propose_distinct(&self, rng: &mut dyn Rng) -> Option<Ticket>;
}

/// A policy that needs each outcome before its next decision. It refuses to propose while a duel is
/// in flight.
pub trait Sequential {
    /// The duel in flight, if there is one.
    fn awaiting(&self) -> Option<Ticket>;
}

/// A sequential policy cannot propose a duel, because it waits for an outcome.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "the duel of arms {} and {} (round {}) is in flight; this policy needs its outcome before the next duel",
    ticket.left, ticket.right, ticket.round
)]
pub struct InFlight {
    /// The duel that the policy waits for.
    pub ticket: Ticket,
}

impl Hint for InFlight {
    fn hints(&self, _: &dyn FrontEnd) -> Vec<String> {
        vec!["update or void that ticket first".to_owned()]
    }
}
