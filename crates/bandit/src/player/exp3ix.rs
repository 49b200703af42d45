//! # EXP3-IX: exponential weights with implicit exploration
//!
//! ## Idea
//!
//! EXP3-IX pulls an arm more often the less it seems to have lost, and limits how much a single
//! loss can count.
//!
//! It divides a loss by slightly more than the probability with which its arm was drawn. The
//! estimate is then a little too small for arms that are seldom drawn, and so they are explored.
//! The estimate is also bounded, so the regret is small with high probability and not only on
//! average. Nothing is mixed into the distribution itself.
//!
//! ## Update rule
//!
//! ```text
//! p_i = exp(-eta L_i) / sum_j exp(-eta L_j)
//! update with loss l = 1 - reward:  L_i += l / (p_i + gamma)
//!   for the arm i drawn, gamma = eta / 2
//! eta = sqrt(2 ln K / (K T)), or eta_t = sqrt(ln K / (K t)) without horizon
//! ```
//!
//! gamma is that of the round in which the arm was drawn. Losses must not be negative, so EXP3-IX
//! suits the losses of a player, but not the signed scores of a duel. A falling rate is kept until
//! its formula has fallen by 1 %.
//!
//! ## Parameters
//!
//! `rounds`: the number of rounds that the rate is computed for, or `t` for no horizon.
//!
//! ## Guarantee
//!
//! With probability 1 - d, the regret is at most 2 sqrt(2 K T ln K) + (sqrt(2 K T / ln K) + 1)
//! ln(2 / d) for `rounds=T`, and at most 4 sqrt(K T ln K) + (2 sqrt(K T / ln K) + 1) ln(2 / d)
//! without horizon (Neu 2015, Theorem 1; constants from memory).
//!
//! ## Cost
//!
//! O(log K) per round and O(K) memory. One word of randomness per pull.
//!
//! ## Example
//!
//! ```
//! use tiltyard_bandit::{Stream, player::{Exp3Ix, Player}};
//! let mut rng = Stream::new(1).rng();
//! let mut player = Exp3Ix::anytime(3);
//! let pull = player.propose(&mut rng);
//! player.issue(&pull);
//! player.update(&pull, 1.0);
//! ```
//!
//! ## Reference
//!
//! Neu, *Explore no more: improved high-probability regret bounds for non-stochastic bandits*,
//! NeurIPS 2015; DOI `10.48550/arXiv.1506.03271`.

use serde::{Deserialize, Serialize};

use super::exponential::{Exponential, Variant};
use super::{PlayerInfo, Pull};
use crate::expr::Letter;
use crate::params::{ParamError, Params, Range};
use crate::policy::Citation;
use crate::structures::weights::falling_rate::FallingRate;

/// Exponential weights with implicit exploration; see the [module](self).
pub type Exp3Ix = Exponential<ImplicitExploration>;

/// Negated sums of losses, each divided by slightly more than its probability.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImplicitExploration {
    /// eta, if the horizon is known.
    fixed: Option<f64>,
}

parameters! {
    /// exp3ix: number of rounds that its rate is computed for; `t` for no horizon
    ROUNDS: formula("rounds" = "t", [at least 1] "at least 1, in T, K; or t");
}

impl Exp3Ix {
    /// Over `n_arms` arms, without horizon.
    ///
    /// # Panics
    ///
    /// If `n_arms` is 0.
    pub fn anytime(n_arms: usize) -> Self {
        Self::new(n_arms, ImplicitExploration { fixed: None })
    }

    /// Over `n_arms` arms, with the rate for `rounds` rounds.
    ///
    /// # Errors
    ///
    /// If there are no arms, or `rounds` is below 1.
    pub fn for_rounds(n_arms: usize, rounds: f64) -> Result<Self, ParamError> {
        if n_arms == 0 {
            return Err(ParamError::NoArms);
        }
        ROUNDS.check(rounds)?;
        // With one arm there is nothing to learn; the rate of two arms will do.
        let k = n_arms.max(2) as f64;
        let fixed = Some(libm::sqrt(2.0 * libm::log(k) / (k * rounds)));
        Ok(Self::new(n_arms, ImplicitExploration { fixed }))
    }
}

impl Variant for ImplicitExploration {
    const INFO: PlayerInfo = PlayerInfo {
        name: "exp3ix",
        title: "exponential weights with implicit exploration",
        known_probability: true,
        params: &[ROUNDS.doc],
        reference: Citation {
            authors: "Neu",
            title: "Explore no more: improved high-probability regret bounds for non-stochastic bandits",
            venue: "NeurIPS",
            year: 2015,
            doi: "doi:10.48550/arXiv.1506.03271",
        },
    };

    fn build(params: &mut Params<'_>) -> Result<Exp3Ix, ParamError> {
        let n_arms = params.context().n_arms;
        let rounds = ROUNDS.expr(params)?;
        if rounds.uses(Letter::Round) {
            let slope = params.gain_a_round(ROUNDS.doc.key, &rounds)?;
            Range::closed(1.0, 1.0).check(ROUNDS.doc.key, slope)?;
            return Ok(Exp3Ix::anytime(n_arms));
        }
        Exp3Ix::for_rounds(n_arms, params.value(ROUNDS.doc.key, &rounds)?)
    }

    fn allows(&self, rate: f64) -> bool {
        self.fixed.is_none_or(|fixed| fixed.to_bits() == rate.to_bits())
    }

    fn fixed(&self) -> Option<f64> {
        self.fixed
    }

    fn falling(&self, n_arms: usize) -> FallingRate {
        FallingRate::for_losses(n_arms)
    }

    #[inline]
    fn increment(&self, pull: &Pull, p: f64, reward: f64) -> f64 {
        (reward - 1.0) / (p + pull.rate / 2.0)
    }
}
