//! Links: matrices that turn feedback into losses relative to a reference.

use serde::{Deserialize, Serialize};

use super::n_actions;
use crate::Arm;

/// The reference to which the loss of a duel is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reference {
    /// The mean over all self-duels. Every duel of two arms teaches something, and no arm is
    /// special.
    Uniform,
    /// One arm's self-duel. Only duels with that arm teach anything.
    Arm(Arm),
}

/// A matrix that turns feedback into losses relative to a reference.
/// [`Game::link`](super::Game::link) checks and constructs it.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    n_actions: usize,
    entries: Vec<f64>,
}

impl Link {
    /// A matrix that was checked to be a link.
    pub(super) fn checked(n_actions: usize, entries: Vec<f64>) -> Self {
        Self { n_actions, entries }
    }

    /// N.
    pub fn n_actions(&self) -> usize {
        self.n_actions
    }

    /// k(action, other): the factor from the feedback of `other` to the loss of `action`.
    pub fn entry(&self, action: usize, other: usize) -> f64 {
        self.entries[action * self.n_actions + other]
    }

    /// The properties that rates depend on.
    pub fn size(&self) -> LinkSize {
        let squares = |row: &[f64]| row.iter().map(|entry| entry * entry).sum::<f64>();
        LinkSize {
            n_actions: self.n_actions,
            largest: self.entries.iter().map(|entry| entry.abs()).fold(0.0, f64::max),
            squares: self.entries.chunks(self.n_actions).map(squares).fold(0.0, f64::max),
        }
    }
}

/// The size of a link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkSize {
    /// N.
    pub n_actions: usize,
    /// The largest absolute value of an entry.
    pub largest: f64,
    /// The largest sum of squares in a row.
    pub squares: f64,
}

impl LinkSize {
    /// The size of [`Game::dueling_link`](super::Game::dueling_link), for any number of arms. The
    /// [module](super) has the derivation.
    pub fn dueling(n_arms: usize, reference: Reference) -> Self {
        // With one arm there is nothing to learn, so the rates for two arms serve.
        let n_arms = n_arms.max(2);
        let k = n_arms as f64;
        let (largest, squares) = match reference {
            Reference::Uniform => (1.0 / k, (k - 1.0) / (k * k)),
            Reference::Arm(_) => (1.0, 1.0),
        };
        Self { n_actions: n_actions(n_arms), largest, squares }
    }
}
