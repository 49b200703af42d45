//! The common part of EXP3 and EXP3-IX: exponential weights whose rate may fall with time.

use core::fmt::Debug;

use rand::Rng;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{AdditivePlayer, Player, PlayerInfo, Pull};
use crate::Arm;
use crate::damaged::Damaged;
use crate::params::{ParamError, Params, Range};
use crate::structures::weights::exp_weights::ExpWeights;
use crate::structures::weights::falling_rate::FallingRate;

/// Exponential weights over sums of gains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved<V>", bound = "V: Variant")]
pub struct Exponential<V> {
    #[serde(flatten)]
    variant: V,
    weights: ExpWeights,
    /// Pulls issued.
    round: u64,
    /// gamma, or eta.
    rate: f64,
    /// The first round with another rate.
    #[serde(skip)]
    next_change: u64,
    /// The rate as a function of time; unused if the rate is fixed.
    #[serde(skip)]
    falling: FallingRate,
}

/// The part in which players with exponential weights differ.
pub trait Variant: Debug + Clone + PartialEq + Send + Sync + Serialize + DeserializeOwned + 'static {
    /// The facts about the player.
    const INFO: PlayerInfo;

    /// Builds the player from its parameters.
    ///
    /// # Errors
    ///
    /// If a parameter is refused.
    fn build(params: &mut Params<'_>) -> Result<Exponential<Self>, ParamError>;

    /// Whether a saved player may have this rate.
    fn allows(&self, rate: f64) -> bool;

    /// The rate, if it never changes.
    fn fixed(&self) -> Option<f64>;

    /// The rate as a function of time, if it changes.
    fn falling(&self, n_arms: usize) -> FallingRate;

    /// The first round with another rate, if the rate falls.
    fn next_change(&self, falling: FallingRate, rate: f64) -> u64 {
        falling.one_percent_below(rate)
    }

    /// The probability that a pull is drawn uniformly from all arms.
    fn exploration(&self, _rate: f64) -> f64 {
        0.0
    }

    /// The factor that turns the sums into log-weights.
    fn scale(&self, rate: f64, _n_arms: usize) -> f64 {
        rate
    }

    /// The rate that a pull records.
    fn stated_rate(&self, rate: f64, _n_arms: usize) -> f64 {
        rate
    }

    /// What a reward adds to the sum of an arm that was drawn with probability `p`.
    fn increment(&self, pull: &Pull, p: f64, reward: f64) -> f64;
}

pub(super) const RATE: Range = Range::above_zero_to(1.0);

/// The serialized form of [`Exponential`].
#[derive(Deserialize)]
#[serde(bound = "V: Variant")]
struct Saved<V> {
    #[serde(flatten)]
    variant: V,
    weights: ExpWeights,
    round: u64,
    rate: f64,
}

impl<V: Variant> TryFrom<Saved<V>> for Exponential<V> {
    type Error = Damaged;

    fn try_from(Saved { variant, weights, round, rate }: Saved<V>) -> Result<Self, Damaged> {
        let falling = variant.falling(weights.len());
        let fits = RATE.contains(rate)
            && variant.allows(rate)
            && weights.has_scale(variant.scale(rate, weights.len()));
        if !fits || round == u64::MAX {
            return Err(Damaged("the rate does not fit the weights"));
        }
        let mut player = Self { variant, weights, round, rate, next_change: 0, falling };
        player.next_change = player.when_the_rate_changes();
        Ok(player)
    }
}

impl<V: Variant> Exponential<V> {
    pub(super) fn new(n_arms: usize, variant: V) -> Self {
        assert!(n_arms > 0, "there must be at least one arm");
        let (weights, falling) = (ExpWeights::new(n_arms, 1.0), variant.falling(n_arms));
        let mut player = Self { variant, weights, round: 0, rate: 1.0, next_change: 1, falling };
        player.tune();
        player
    }

    /// The probability of each arm at the next pull.
    pub fn distribution(&self) -> Vec<f64> {
        self.weights.probabilities(self.variant.exploration(self.rate))
    }

    fn when_the_rate_changes(&self) -> u64 {
        if self.variant.fixed().is_some() {
            u64::MAX
        } else {
            self.variant.next_change(self.falling, self.rate)
        }
    }

    /// Sets the rate and everything that follows from it, for the next round.
    fn tune(&mut self) {
        self.rate = self.variant.fixed().unwrap_or_else(|| self.falling.at(self.round + 1));
        self.weights.set_scale(self.variant.scale(self.rate, self.weights.len()));
        self.next_change = self.when_the_rate_changes();
    }

    #[inline]
    fn increment(&self, pull: &Pull, reward: f64) -> f64 {
        let p = pull.probability.expect("pulls by exponential weights have a probability");
        self.variant.increment(pull, p, reward)
    }
}

impl<V: Variant> Player for Exponential<V> {
    const INFO: PlayerInfo = V::INFO;

    fn build(params: &mut Params<'_>) -> Result<Self, ParamError> {
        V::build(params)
    }

    fn n_arms(&self) -> usize {
        self.weights.len()
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Pull {
        let (arm, probability) = self.weights.mixture(self.variant.exploration(self.rate)).draw(rng);
        let rate = self.variant.stated_rate(self.rate, self.weights.len());
        Pull { arm, probability: Some(probability), rate }
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
        let increment = self.increment(pull, reward);
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

impl<V: Variant> AdditivePlayer for Exponential<V> {
    fn sums(&self) -> Vec<f64> {
        self.weights.sums().to_vec()
    }

    fn add(&mut self, increments: &[f64]) {
        self.weights.add_all(increments);
    }

    fn take_back(&mut self, pull: &Pull, reward: f64) {
        self.weights.add(pull.arm, -self.increment(pull, reward));
    }
}
