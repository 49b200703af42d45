//! Continuous policies: duels of points of a convex set instead of arms.
//!
//! The contract has the shape of [`Policy`](crate::policy::Policy):
//!
//! ```text
//! propose(&self, rng)                      which two points to compare, and everything update() will need; pure
//! propose_into(&self, rng, &mut ticket)    the same into a ticket that is there already: allocates nothing
//! issue(&mut self, &ticket)                the duel is now in flight
//! update(&mut self, &ticket, outcome)      learn; draws no randomness; legal late, out of order, in batches
//! void(&mut self, &ticket)                 the answer will never come
//! recommend(&self)                         the point it would bet on now
//! ```
//!
//! Each policy is one file here, with one line in [`registry`]. The documentation of its `Family`
//! is also the page that `tiltyard policy show NAME` prints.

use rand::Rng;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Outcome;

pub mod convex;
pub mod dbgd;
mod info;
pub mod registry;
mod sphere;
mod ticket;

pub use convex::{Ball, ConvexSet, Cuboid, Region, SetError};
pub use dbgd::{Dbgd, DbgdError, Steps};
pub use info::Info;
pub use sphere::draw_direction;
pub use ticket::{ContinuousTicket, ContinuousTicketError};

/// A dueling-bandit algorithm over a convex set of points.
///
/// Randomness is passed in; a policy holds none of its own. Saving is serialization: a restored
/// policy continues bit for bit.
pub trait ContinuousPolicy: Clone + Send + Serialize + DeserializeOwned {
    /// What is known about this algorithm.
    fn info(&self) -> &'static Info;

    /// d: how many numbers make a point.
    fn dimension(&self) -> usize;

    /// How many duels were issued so far.
    fn round(&self) -> u64;

    /// Proposes a duel by overwriting a ticket. It changes nothing else, and allocates nothing if
    /// the ticket is one of this many dimensions.
    fn propose_into<R: Rng + ?Sized>(&self, rng: &mut R, ticket: &mut ContinuousTicket);

    /// Takes note that the proposed duel is in flight.
    fn issue(&mut self, ticket: &ContinuousTicket);

    /// Learns from the outcome of a duel issued earlier, however long ago. Draws no randomness.
    ///
    /// # Panics
    ///
    /// If the ticket is of another number of dimensions; [`ContinuousTicket::check`] tells of
    /// tickets from outside.
    fn update(&mut self, ticket: &ContinuousTicket, outcome: Outcome);

    /// Takes note that the outcome of an issued duel will never come.
    fn void(&mut self, ticket: &ContinuousTicket);

    /// The point it would bet on now.
    fn recommend(&self) -> &[f64];

    /// Proposes a duel. It changes nothing: until the ticket is issued, it may be thrown away.
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> ContinuousTicket {
        let mut ticket = ContinuousTicket::blank(self.dimension());
        self.propose_into(rng, &mut ticket);
        ticket
    }

    /// Proposes a duel and issues it: one step.
    fn decide<R: Rng + ?Sized>(&mut self, rng: &mut R) -> ContinuousTicket {
        let ticket = self.propose(rng);
        self.issue(&ticket);
        ticket
    }

    /// [`Self::decide`] into a ticket that is there already.
    fn decide_into<R: Rng + ?Sized>(&mut self, rng: &mut R, ticket: &mut ContinuousTicket) {
        self.propose_into(rng, ticket);
        self.issue(ticket);
    }
}
