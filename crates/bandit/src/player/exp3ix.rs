//! # EXP3-IX: exponential weights with implicit exploration
//!
//! ## Idea
//!
//! Divide a loss by slightly more than the probability with which its arm was drawn. The estimate is then a little too small for arms that
//! are seldom drawn, which is a way to explore them, and it is bounded: regret is small with high probability and not only on average.
//! Nothing is mixed into the distribution itself.
//!
//! ## Update rule
//!
//! ```text
//! p_i = exp(-eta L_i) / sum_j exp(-eta L_j)
//! update with loss l = 1 - reward:  L_i += l / (p_i + gamma)   for the arm i drawn, gamma = eta / 2
//! eta = sqrt(2 ln K / (K T)), or eta_t = sqrt(ln K / (K t)) without horizon
//! ```
//!
//! gamma is that of the round in which the arm was drawn. Losses must not be negative, so this is for the losses of a player, and not for
//! the signed scores of a duel. Where the rate falls it is held until its formula has fallen by 1 %.
//!
//! ## Parameters
//!
//! | key | default | legal | meaning |
//! |---|---|---|---|
//! | `rounds` | `t` | at least 1, in `T`, `K`; or `t` | the rounds that the rate is made for; `t` for no horizon |
//!
//! ## Guarantee
//!
//! With probability 1 - d: at most 2 sqrt(2 K T ln K) + (sqrt(2 K T / ln K) + 1) ln(2 / d) for `rounds=T`, and
//! 4 sqrt(K T ln K) + (2 sqrt(K T / ln K) + 1) ln(2 / d) without horizon (Neu 2015, Theorem 1; constants from memory).
//!
//! ## Cost
//!
//! O(log K) a round, O(K) memory; one word of randomness a pull.
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
//! Neu, *Explore no more: improved high-probability regret bounds for non-stochastic bandits*, NeurIPS 2015; DOI
//! `10.48550/arXiv.1506.03271`.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::{AdditivePlayer, Player, PlayerInfo, Pull};
use crate::Arm;
use crate::damaged::Damaged;
use crate::expr::Letter;
use crate::params::{Param, ParamError, Params, Range};
use crate::policy::Citation;
use crate::structures::weights::exp_weights::ExpWeights;
use crate::structures::weights::falling_rate::FallingRate;

/// Exponential weights with implicit exploration; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved")]
pub struct Exp3Ix {
    /// eta, where the horizon is known.
    fixed: Option<f64>,
    /// The sums are losses, negated.
    weights: ExpWeights,
    /// Pulls issued.
    round: u64,
    /// eta.
    rate: f64,
    /// The round from which on it is another.
    #[serde(skip)]
    next_change: u64,
}

/// What is stored of [`Exp3Ix`].
#[derive(Deserialize)]
struct Saved {
    fixed: Option<f64>,
    weights: ExpWeights,
    round: u64,
    rate: f64,
}

impl TryFrom<Saved> for Exp3Ix {
    type Error = Damaged;

    fn try_from(Saved { fixed, weights, round, rate }: Saved) -> Result<Self, Damaged> {
        let legal = RATE.contains(rate) && fixed.is_none_or(|fixed| fixed.to_bits() == rate.to_bits());
        if !legal || round == u64::MAX || !weights.has_scale(rate) {
            return Err(Damaged("the rate does not fit the weights"));
        }
        let mut player = Self { fixed, weights, round, rate, next_change: 0 };
        player.next_change = player.when_the_rate_changes();
        Ok(player)
    }
}

/// sqrt(2 ln K / K) is below 1 for all K.
const RATE: Range = Range::above_zero_to(1.0);

/// A horizon that a rate can be made for.
const ROUNDS: Range = Range::at_least(1.0);

impl Exp3Ix {
    /// Over `n_arms` arms, without horizon.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn anytime(n_arms: usize) -> Self {
        Self::new(n_arms, None)
    }

    /// Over `n_arms` arms, with the rate for so many rounds.
    ///
    /// # Errors
    ///
    /// If there are no arms, or less than one round.
    pub fn for_rounds(n_arms: usize, rounds: f64) -> Result<Self, ParamError> {
        if n_arms == 0 {
            return Err(ParamError::NoArms);
        }
        if !ROUNDS.contains(rounds) {
            return Err(ParamError::OutOfRange { key: "rounds", value: rounds, range: ROUNDS });
        }
        // One arm has nothing to learn; the rate of two will do.
        let k = n_arms.max(2) as f64;
        Ok(Self::new(n_arms, Some(libm::sqrt(2.0 * libm::log(k) / (k * rounds)))))
    }

    fn new(n_arms: usize, fixed: Option<f64>) -> Self {
        assert!(n_arms > 0, "there must be at least one arm");
        let mut player =
            Self { fixed, weights: ExpWeights::new(n_arms, 1.0), round: 0, rate: 1.0, next_change: 1 };
        player.tune();
        player
    }

    /// The probability of each arm at the next pull.
    pub fn distribution(&self) -> Vec<f64> {
        self.weights.probabilities(0.0)
    }

    fn falling(&self) -> FallingRate {
        FallingRate::for_losses(self.weights.len())
    }

    fn when_the_rate_changes(&self) -> u64 {
        if self.fixed.is_some() { u64::MAX } else { self.falling().one_percent_below(self.rate) }
    }

    /// Sets the rate, and all that follows from it, for the next round.
    fn tune(&mut self) {
        self.rate = self.fixed.unwrap_or_else(|| self.falling().at(self.round + 1));
        self.weights.set_scale(self.rate);
        self.next_change = self.when_the_rate_changes();
    }
}

/// What a reward adds to the sum of its arm.
#[inline]
fn increment(pull: &Pull, reward: f64) -> f64 {
    let p = pull.probability.expect("EXP3-IX's pulls have a probability");
    (reward - 1.0) / (p + pull.rate / 2.0)
}

impl Player for Exp3Ix {
    const INFO: PlayerInfo = PlayerInfo {
        name: "exp3ix",
        title: "exponential weights with implicit exploration",
        known_probability: true,
        params: &[Param {
            key: "rounds",
            default: "t",
            legal: "at least 1, in T, K; or t",
            meaning: "exp3ix: the rounds that its rate is made for; t for no horizon",
        }],
        reference: Citation {
            authors: "Neu",
            title: "Explore no more: improved high-probability regret bounds for non-stochastic bandits",
            venue: "NeurIPS",
            year: 2015,
            doi: "doi:10.48550/arXiv.1506.03271",
        },
    };

    fn build(params: &mut Params<'_>) -> Result<Self, ParamError> {
        let n_arms = params.context().n_arms;
        let rounds = params.expr_or("rounds", "t")?;
        if rounds.uses(Letter::Round) {
            let slope = params.gain_a_round("rounds", &rounds)?;
            let one = Range::closed(1.0, 1.0);
            return if one.contains(slope) {
                Ok(Self::anytime(n_arms))
            } else {
                Err(ParamError::OutOfRange { key: "rounds", value: slope, range: one })
            };
        }
        Self::for_rounds(n_arms, params.value("rounds", &rounds)?)
    }

    fn n_arms(&self) -> usize {
        self.weights.len()
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Pull {
        let (arm, probability) = self.weights.mixture(0.0).draw(rng);
        Pull { arm, probability: Some(probability), rate: self.rate }
    }

    #[inline]
    fn issue(&mut self, _: &Pull) {
        self.round += 1;
        if self.round + 1 >= self.next_change {
            self.tune();
        }
    }

    #[inline]
    fn update(&mut self, pull: &Pull, reward: f64) {
        let increment = increment(pull, reward);
        if increment != 0.0 {
            self.weights.add(pull.arm, increment);
        }
    }

    fn void(&mut self, _: &Pull) {}

    fn reset(&mut self) {
        self.round = 0;
        self.weights.reset(1.0);
        self.tune();
    }

    fn probabilities(&self) -> Option<Vec<f64>> {
        Some(self.distribution())
    }

    fn standing(&self, arm: Arm) -> f64 {
        self.weights.log_weight(arm)
    }

    fn additive(&self) -> Option<&dyn AdditivePlayer> {
        Some(self)
    }

    fn additive_mut(&mut self) -> Option<&mut dyn AdditivePlayer> {
        Some(self)
    }
}

impl AdditivePlayer for Exp3Ix {
    fn sums(&self) -> Vec<f64> {
        self.weights.sums().to_vec()
    }

    fn add(&mut self, increments: &[f64]) {
        self.weights.add_all(increments);
    }

    fn take_back(&mut self, pull: &Pull, reward: f64) {
        self.weights.add(pull.arm, -increment(pull, reward));
    }
}
