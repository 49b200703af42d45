//! Tickets of continuous policies.

use serde::{Deserialize, Serialize};

/// A proposed duel of two points. It is complete: `update` reads the direction from the ticket and
/// never "the last one", so answers may come late, out of order, in batches, or from a log.
///
/// It owns its numbers; [`ContinuousPolicy::propose_into`](super::ContinuousPolicy::propose_into)
/// overwrites one that is there already, so that a loop allocates nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContinuousTicket {
    /// The round it was proposed for, counted from 1.
    pub round: u64,
    /// The direction explored: a unit vector u.
    pub direction: Vec<f64>,
    /// The point in the left slot: where the policy stood when it proposed.
    pub left: Vec<f64>,
    /// The point in the right slot: the explored one.
    pub right: Vec<f64>,
}

impl ContinuousTicket {
    /// A ticket of `dimension` dimensions to be overwritten.
    pub fn blank(dimension: usize) -> Self {
        let zeros = || vec![0.0; dimension];
        Self { round: 0, direction: zeros(), left: zeros(), right: zeros() }
    }

    /// Checks a ticket that comes from outside (a log, a client) before a policy learns from it.
    ///
    /// # Errors
    ///
    /// If its vectors are not of this many dimensions or hold something that is no number, or if
    /// the direction is not of length 1.
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
        // Rounding of a normalised vector is some sqrt(d) units in the last place; 1e-9 covers a
        // million dimensions.
        if (length - 1.0).abs() <= 1e-9 { Ok(()) } else { Err(ContinuousTicketError::NotAUnit { length }) }
    }
}

/// A ticket no continuous policy can have issued.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ContinuousTicketError {
    /// A vector of another length.
    #[error("the ticket holds a vector of {got} numbers, but a point has {dimension}")]
    Dimension {
        /// The length found.
        got: usize,
        /// The length there must be.
        dimension: usize,
    },
    /// An infinity, or not a number.
    #[error("the ticket holds {value} where a finite number must stand")]
    NotFinite {
        /// What was found.
        value: f64,
    },
    /// A direction that is no unit vector.
    #[error("the ticket's direction has length {length}, not 1")]
    NotAUnit {
        /// Its length.
        length: f64,
    },
}
