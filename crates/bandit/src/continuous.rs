//! Continuous policies: they duel points of a convex set instead of arms.
//!
//! The contract has the shape of [`Policy`](crate::policy::Policy):
//!
//! ```text
//! propose(&self, rng)                      which two points to compare,
//!   and everything update() will need; pure
//! propose_into(&self, rng, &mut ticket)
//!   the same, but overwrites an existing ticket: allocates nothing
//! issue(&mut self, &ticket)                the duel is now in flight
//! update(&mut self, &ticket, outcome)
//!   learn; draws no randomness; legal late, out of order, in batches
//! void(&mut self, &ticket)                 the answer will never come
//! recommend(&self)                         the point it would bet on now
//! ```
//!
//! Each policy is one file in this module and one line in [`registry`]. `tiltyard policy show NAME`
//! prints the documentation of the policy's `Family`.

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
/// The caller passes the random generator in; a policy owns none. To save a policy, serialize it: a
/// restored policy continues bit for bit.
pub trait ContinuousPolicy: Clone + Send + Serialize + DeserializeOwned {
    /// The facts about this algorithm: its name, assumptions, cost and reference.
    fn info(&self) -> &'static Info;

    /// d, the number of coordinates of a point.
    fn dimension(&self) -> usize;

    /// The number of duels issued so far.
    fn round(&self) -> u64;

    /// Proposes a duel by overwriting `ticket`, without changing the policy. Allocates nothing if
    /// the ticket already has this dimension.
    fn propose_into<R: Rng + ?Sized>(&self, rng: &mut R, ticket: &mut ContinuousTicket);

    /// Records that the proposed duel is now in flight.
    fn issue(&mut self, ticket: &ContinuousTicket);

    /// Learns from the outcome of a duel issued earlier, however long ago. Draws no randomness.
    ///
    /// # Panics
    ///
    /// If the ticket has another dimension. Check tickets from outside with
    /// [`ContinuousTicket::check`].
    fn update(&mut self, ticket: &ContinuousTicket, outcome: Outcome);

    /// Records that the outcome of an issued duel will never come.
    fn void(&mut self, ticket: &ContinuousTicket);

    /// The point it would bet on now.
    fn recommend(&self) -> &[f64];

    /// Proposes a duel without changing the policy. A ticket that has not been issued may be
    /// discarded.
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> ContinuousTicket {
        let mut ticket = ContinuousTicket::blank(self.dimension());
        self.propose_into(rng, &mut ticket);
        ticket
    }

    /// Proposes a duel and issues it.
    fn decide<R: Rng + ?Sized>(&mut self, rng: &mut R) -> ContinuousTicket {
        let ticket = self.propose(rng);
        self.issue(&ticket);
        ticket
    }

    /// Like [`Self::decide`], but overwrites an existing ticket.
    fn decide_into<R: Rng + ?Sized>(&mut self, rng: &mut R, ticket: &mut ContinuousTicket) {
        self.propose_into(rng, ticket);
        self.issue(ticket);
    }
}
