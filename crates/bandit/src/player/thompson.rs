//! # Thompson sampling: pull each arm with the probability that it is the best
//!
//! ## Idea
//!
//! Thompson sampling pulls each arm with the probability that it is the best, given the rewards so
//! far. To do so, it draws a plausible mean reward for each arm from its posterior, and pulls the
//! arm with the largest draw.
//!
//! ## Update rule
//!
//! ```text
//! decide:  theta_i ~ Beta(1 + S_i, 1 + F_i) for each arm; pull the arm with the largest theta
//! update with reward x in [0, 1]:  S_i += x, F_i += 1 - x
//! ```
//!
//! ## Parameters
//!
//! None.
//!
//! ## Guarantee
//!
//! The regret is of order sum_i ln T / gap_i if the distributions of the rewards do not change. In
//! Sparring each player faces an opponent that learns, so this guarantee does not carry over.
//!
//! ## Cost
//!
//! O(K) draws from Beta distributions per round, and O(K) memory. The exact probability of a pull
//! is expensive to compute, so tickets say `Unknown`.
//!
//! ## Example
//!
//! ```
//! use tiltyard_bandit::{Stream, player::{Player, Thompson}};
//! let mut rng = Stream::new(1).rng();
//! let mut player = Thompson::new(3);
//! let pull = player.propose(&mut rng);
//! player.issue(&pull);
//! player.update(&pull, 0.5);
//! ```
//!
//! ## Reference
//!
//! Thompson, *On the likelihood that one unknown probability exceeds another in view of the
//! evidence of two samples*, Biometrika 25, 1933; DOI `10.1093/biomet/25.3-4.285`.

use rand::Rng;
use rand_distr::{Beta, Distribution};
use serde::{Deserialize, Serialize};

use super::tally::Tally;
use super::{AdditivePlayer, Player, PlayerInfo, Pull};
use crate::Arm;
use crate::argmax::Best;
use crate::params::{ParamError, Params};
use crate::policy::Citation;

/// Posterior sampling; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Thompson {
    tally: Tally,
}

impl Thompson {
    /// Over `n_arms` arms, each with a uniform prior.
    ///
    /// # Panics
    ///
    /// If `n_arms` is 0.
    pub fn new(n_arms: usize) -> Self {
        assert!(n_arms > 0, "there must be at least one arm");
        Self { tally: Tally::new(n_arms) }
    }

    fn sample<R: Rng + ?Sized>(&self, arm: Arm, rng: &mut R) -> f64 {
        let successes = self.tally.reward(arm);
        let failures = (self.tally.count(arm) - successes).max(0.0);
        Beta::new(1.0 + successes, 1.0 + failures).expect("both parameters are at least 1").sample(rng)
    }
}

impl Player for Thompson {
    const INFO: PlayerInfo = PlayerInfo {
        name: "thompson",
        title: "posterior sampling",
        known_probability: false,
        params: &[],
        reference: Citation {
            authors: "Thompson",
            title: "On the likelihood that one unknown probability exceeds another in view of the evidence of two samples",
            venue: "Biometrika 25",
            year: 1933,
            doi: "doi:10.1093/biomet/25.3-4.285",
        },
    };

    fn build(params: &mut Params<'_>) -> Result<Self, ParamError> {
        Ok(Self::new(params.context().n_arms))
    }

    fn n_arms(&self) -> usize {
        self.tally.n_arms()
    }

    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Pull {
        let mut best = Best::default();
        for arm in Arm::all(self.n_arms()) {
            let theta = self.sample(arm, rng);
            best.offer(theta, rng);
        }
        Pull { arm: Arm::new(best.index()), probability: None, rate: 1.0 }
    }

    fn issue(&mut self, _: &Pull) {}

    fn update(&mut self, pull: &Pull, reward: f64) {
        self.tally.record(pull.arm, reward);
    }

    fn void(&mut self, _: &Pull) {}

    fn reset(&mut self) {
        self.tally.reset();
    }

    fn standing(&self, arm: Arm) -> f64 {
        self.tally.mean(arm)
    }

    fn additive(&self) -> Option<&dyn AdditivePlayer> {
        Some(&self.tally)
    }

    fn additive_mut(&mut self) -> Option<&mut dyn AdditivePlayer> {
        Some(&mut self.tally)
    }
}
