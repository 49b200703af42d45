//! Tickets of continuous policies.

use serde::{Deserialize, Serialize};

/// A proposed duel of two points, with everything that the policy needs to learn from its outcome.
/// `update` reads the direction from the ticket and never "the last one", so outcomes may arrive
/// late, out of order, in batches, or from a log.
///
/// A ticket owns its vectors.
/// [`ContinuousPolicy::propose_into`](super::ContinuousPolicy::propose_into) overwrites an existing
/// ticket, so a loop allocates nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContinuousTicket {
    /// The round it was proposed for, counted from 1.
    pub round: u64,
    /// The direction explored: a unit vector u.
    pub direction: Vec<f64>,
    /// The point in the left slot: the policy's point when it proposed the duel.
    pub left: Vec<f64>,
    /// The point in the right slot: the explored point.
    pub right: Vec<f64>,
}

impl ContinuousTicket {
    /// A blank ticket with `dimension` dimensions, to be overwritten.
    pub fn blank(dimension: usize) -> Self {
        let zeros = || vec![0.0; dimension];
        Self { round: 0, direction: zeros(), left: zeros(), right: zeros() }
    }

    /// Checks a ticket that comes from outside (a log, a client) before a policy learns from it.
    ///
    /// # Errors
    ///
    /// If a vector does not have this dimension or holds a number that is not finite, or if the
    /// direction does not have length 1.
    pub fn check(&self, dimension: usize) -> Result<(), ContinuousTicketError> {
        for vector in [&self.direction, &self.left, &self.right] {
            if vector.len() != dimension {
                return Err(ContinuousTicketError::Dimension { got: vector.len(), dimension });
            }
            if let Some(&value) = vector.iter().find(|value| !value.is_finite()) {
                return Err(ContinuousTicketError::NotFinite { value });
            }
        }
        let length = self.direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        // A normalised vector has a rounding error of about sqrt(d) units in the last place; 1e-9
        // covers a million dimensions.
        if (length - 1.0).abs() <= 1e-9 { Ok(()) } else { Err(ContinuousTicketError::NotAUnit { length }) }
    }
}

/// A ticket that no continuous policy can have issued.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum ContinuousTicketError {
    /// A vector has the wrong number of coordinates.
    #[error("the ticket holds a vector of {got} coordinates, but a point has {dimension}")]
    Dimension { got: usize, dimension: usize },
    /// A number is infinite or not a number.
    #[error("the ticket holds {value} instead of a finite number")]
    NotFinite { value: f64 },
    /// The direction is not a unit vector.
    #[error("the ticket's direction has length {length}, not 1")]
    NotAUnit { length: f64 },
}
