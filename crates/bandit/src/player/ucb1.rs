//! # UCB1: optimism in the face of uncertainty
//!
//! ## Idea
//!
//! UCB1 pulls the arm whose mean reward could be the highest, given how seldom it was pulled.
//!
//! ## Update rule
//!
//! ```text
//! index_i = mean reward of i + sqrt(alpha ln t / n_i)
//!   n_i pulls of i so far, +infinity if n_i = 0
//! decide:  pull the arm with the largest index, ties at random
//! ```
//!
//! Pulls in flight count in n_i, so late rewards do not make UCB1 repeat one arm.
//!
//! ## Parameters
//!
//! `alpha`: width of the confidence interval; the original UCB1 uses 2.
//!
//! ## Guarantee
//!
//! The regret is of order sum_i ln T / gap_i if the distributions of the rewards do not change
//! (Auer et al. 2002, Theorem 1). In Sparring each player faces an opponent that learns, so this
//! guarantee does not carry over.
//!
//! ## Cost
//!
//! O(K) per round and O(K) memory. One word of randomness for each tie.
//!
//! ## Example
//!
//! ```
//! use tiltyard_bandit::{Stream, player::{Player, Ucb1}};
//! let mut rng = Stream::new(1).rng();
//! let mut player = Ucb1::new(3, 2.0);
//! let pull = player.propose(&mut rng);
//! player.issue(&pull);
//! player.update(&pull, 1.0);
//! ```
//!
//! ## Reference
//!
//! Auer, Cesa-Bianchi and Fischer, *Finite-time analysis of the multiarmed bandit problem*, Machine
//! Learning 47, 2002; DOI `10.1023/A:1013689704352`.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::tally::Tally;
use super::{AdditivePlayer, Player, PlayerInfo, Pull};
use crate::Arm;
use crate::argmax::argmax;
use crate::damaged::Damaged;
use crate::params::{ParamError, Params};
use crate::policy::Citation;

parameters! {
    /// ucb1: width of the confidence interval
    ALPHA: number("alpha" = 2, [above 0]);
}

/// Upper confidence bounds; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved")]
pub struct Ucb1 {
    alpha: f64,
    tally: Tally,
    in_flight: Vec<u32>,
    /// Pulls issued.
    round: u64,
}

#[derive(Deserialize)]
struct Saved {
    alpha: f64,
    tally: Tally,
    in_flight: Vec<u32>,
    round: u64,
}

impl TryFrom<Saved> for Ucb1 {
    type Error = Damaged;

    fn try_from(Saved { alpha, tally, in_flight, round }: Saved) -> Result<Self, Damaged> {
        if tally.n_arms() != in_flight.len() || !(alpha > 0.0 && alpha.is_finite()) || round == u64::MAX {
            return Err(Damaged("the pulls in flight, alpha or the round are out of range"));
        }
        Ok(Self { alpha, tally, in_flight, round })
    }
}

impl Ucb1 {
    /// Over `n_arms` arms, with confidence width `alpha`.
    ///
    /// # Panics
    ///
    /// If there are no arms or `alpha` is not positive.
    pub fn new(n_arms: usize, alpha: f64) -> Self {
        assert!(n_arms > 0 && alpha > 0.0, "there must be at least one arm, and alpha must be above 0");
        Self { alpha, tally: Tally::new(n_arms), in_flight: vec![0; n_arms], round: 0 }
    }

    fn index(&self, arm: Arm, alpha_ln_t: f64) -> f64 {
        let n = self.tally.count(arm) + f64::from(self.in_flight[arm.index()]);
        if n == 0.0 { f64::INFINITY } else { self.tally.mean(arm) + libm::sqrt(alpha_ln_t / n) }
    }
}

impl Player for Ucb1 {
    const INFO: PlayerInfo = PlayerInfo {
        name: "ucb1",
        title: "upper confidence bounds",
        known_probability: false,
        params: &[ALPHA.doc],
        reference: Citation {
            authors: "Auer, Cesa-Bianchi and Fischer",
            title: "Finite-time analysis of the multiarmed bandit problem",
            venue: "Machine Learning 47",
            year: 2002,
            doi: "doi:10.1023/A:1013689704352",
        },
    };

    fn build(params: &mut Params<'_>) -> Result<Self, ParamError> {
        let alpha = ALPHA.read(params)?;
        Ok(Self::new(params.context().n_arms, alpha))
    }

    fn n_arms(&self) -> usize {
        self.tally.n_arms()
    }

    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Pull {
        let alpha_ln_t = self.alpha * libm::log((self.round + 1) as f64);
        let arm = argmax(Arm::all(self.n_arms()).map(|arm| self.index(arm, alpha_ln_t)), rng);
        Pull { arm: Arm::new(arm), probability: None, rate: 1.0 }
    }

    fn issue(&mut self, pull: &Pull) {
        self.round += 1;
        self.in_flight[pull.arm.index()] += 1;
    }

    fn update(&mut self, pull: &Pull, reward: f64) {
        self.void(pull);
        self.tally.record(pull.arm, reward);
    }

    fn void(&mut self, pull: &Pull) {
        // A node that learns from another node's pulls has none of them in flight.
        let in_flight = &mut self.in_flight[pull.arm.index()];
        *in_flight = in_flight.saturating_sub(1);
    }

    fn reset(&mut self) {
        self.tally.reset();
        self.in_flight.fill(0);
        self.round = 0;
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
