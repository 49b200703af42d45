//! # Tsallis-INF: one rule for stochastic and adversarial bandits
//!
//! ## Idea
//!
//! Tsallis-INF learns the best arm both where rewards are random and where an adversary chooses
//! them.
//!
//! It chooses the distribution that minimises the estimated loss so far plus a multiple of a
//! regularizer. The regularizer is the Tsallis entropy of order 1/2. An arm that lags behind by D
//! then has a weight of order 1 / D^2, not exp(-D). Bad arms are tried often enough that no
//! adversary can exploit it, but seldom enough that the regret in a stationary world grows
//! like ln T. No exploration is mixed in, and no horizon is needed.
//!
//! ## Update rule
//!
//! ```text
//! w_i = 4 / (eta_t (L_i - x))^2                       x < min L such that the w_i sum to 1
//! iw:  eta_t = 2 / sqrt(t)    L_i += l / w_i           for the arm i drawn, l its loss, 1 - reward
//! rv:  eta_t = 4 / sqrt(t)    L_i += (l - B_i) / w_i   for the arm i drawn
//!                             L_j += B_j               for all arms j,
//!                               B_j = 1/2 if w_j >= eta_t^2, else 0
//! ```
//!
//! The `rv` of the paper adds B_j to *all* arms, which makes the estimate unbiased. Some programs
//! add it only to the arm drawn, which favours arms of large weight. Only differences of L matter,
//! so this implementation subtracts 1/2 from the arms with B_j = 0 instead. For a late outcome, it
//! is no longer known which arms those were when its arm was drawn. So `rv` is used while the
//! weights that drew the arm are in force. A later outcome is learned as in `iw`, which is also
//! unbiased.
//!
//! Whenever something is learned, the rate is set to that of the next round. In between, the rate
//! is kept until it has fallen by 1 %, and for at least two rounds.
//!
//! ## Parameters
//!
//! `estimator`: loss estimates by importance weights, plain (`iw`) or with reduced variance (`rv`).
//!
//! ## Guarantee
//!
//! Against oblivious losses in [0, 1], the regret is at most 4 sqrt(K T) + 1 with `iw`, and at most
//! 2 sqrt(K T) + 10 K ln T + 16 with `rv`. If the distributions of the losses do not change and the
//! gaps are D_i, it is of order sum ln(T) / D_i (Zimmert and Seldin 2021, Theorem 1; constants from
//! memory).
//!
//! ## Cost
//!
//! O(K) per round: two or three passes over the arms, without branches. O(K) memory. One word of
//! randomness per pull.
//!
//! ## Example
//!
//! ```
//! use tiltyard_bandit::{Stream, player::{Player, Tsallis}};
//! let mut rng = Stream::new(1).rng();
//! let mut player = Tsallis::new(3);
//! let pull = player.propose(&mut rng);
//! player.issue(&pull);
//! player.update(&pull, 1.0);
//! ```
//!
//! ## Reference
//!
//! Zimmert and Seldin, *Tsallis-INF: an optimal algorithm for stochastic and adversarial bandits*,
//! Journal of Machine Learning Research 22(28), 2021; DOI `10.48550/arXiv.1807.07623`.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::{AdditivePlayer, Player, PlayerInfo, Pull};
use crate::Arm;
use crate::damaged::Damaged;
use crate::params::{ParamError, Params};
use crate::policy::Citation;
use crate::structures::weights::falling_rate::FallingRate;
use crate::structures::weights::tsallis_weights::TsallisWeights;

/// How a loss is estimated; see the [module](self).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Estimator {
    /// Importance weights.
    Iw,
    /// Importance weights with reduced variance.
    Rv,
}

impl Estimator {
    /// eta_t / 2 divided by 1 / sqrt(t).
    fn factor(self) -> f64 {
        match self {
            Self::Iw => 1.0,
            Self::Rv => 2.0,
        }
    }
}

parameters! {
    /// tsallis: loss estimates by importance weights, plain (`iw`) or with reduced variance (`rv`)
    ESTIMATOR: choice("estimator", Estimator: "iw" = Estimator::Iw, "rv" = Estimator::Rv);
}

/// Follow the regularized leader with Tsallis entropy; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved")]
pub struct Tsallis {
    estimator: Estimator,
    weights: TsallisWeights,
    /// Pulls issued.
    round: u64,
    /// 1 / sqrt(t), for the round t in which the rate last changed.
    rate: f64,
    /// The round in which the rate changes even if nothing is learned.
    #[serde(skip)]
    next_change: u64,
}

/// The serialized form of [`Tsallis`].
#[derive(Deserialize)]
struct Saved {
    estimator: Estimator,
    weights: TsallisWeights,
    round: u64,
    rate: f64,
}

impl TryFrom<Saved> for Tsallis {
    type Error = Damaged;

    fn try_from(Saved { estimator, weights, round, rate }: Saved) -> Result<Self, Damaged> {
        if !(rate > 0.0 && rate <= 1.0 && weights.has_scale(estimator.factor() * rate)) {
            return Err(Damaged("the rate does not fit the weights"));
        }
        if round == u64::MAX {
            return Err(Damaged("the round is out of range"));
        }
        Ok(Self { estimator, weights, round, rate, next_change: when_to_change(rate) })
    }
}

/// The round in which this rate changes even if nothing is learned: once it has fallen by 1 %, but
/// not in the very next round. An outcome that arrives at once thus finds the weights that drew its
/// arm.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive; saturates")]
fn when_to_change(rate: f64) -> u64 {
    let round = libm::round(1.0 / (rate * rate)) as u64;
    FallingRate::inverse_root().one_percent_below(rate).max(round.saturating_add(2))
}

/// An observation of one arm: its probability when it was drawn, and its loss in [0, 1].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) arm: Arm,
    pub(crate) probability: f64,
    pub(crate) loss: f64,
}

impl Tsallis {
    /// Over `n_arms` arms, with importance weights.
    ///
    /// # Panics
    ///
    /// If `n_arms` is 0.
    pub fn new(n_arms: usize) -> Self {
        Self::with(n_arms, Estimator::Iw)
    }

    /// Over `n_arms` arms, with either estimator.
    ///
    /// # Panics
    ///
    /// If there are no arms.
    pub fn with(n_arms: usize, estimator: Estimator) -> Self {
        assert!(n_arms > 0, "there must be at least one arm");
        let weights = TsallisWeights::new(n_arms, estimator.factor());
        let mut player = Self { estimator, weights, round: 0, rate: 1.0, next_change: 1 };
        player.tune();
        player
    }

    /// The probability of each arm at the next pull.
    pub fn distribution(&self) -> Vec<f64> {
        Arm::all(self.weights.len()).map(|arm| self.weights.probability(arm)).collect()
    }

    /// The estimated loss of each arm so far, L; with `rv` up to a constant that all arms share.
    /// The loss of a retired arm is relative to the least loss at its retirement.
    pub fn losses(&self) -> &[f64] {
        self.weights.losses()
    }

    /// How losses are estimated.
    pub fn estimator(&self) -> Estimator {
        self.estimator
    }

    /// Pulls issued.
    pub(crate) fn round(&self) -> u64 {
        self.round
    }

    pub(crate) fn weights(&self) -> &TsallisWeights {
        &self.weights
    }

    /// Draws an arm, with its probability.
    #[inline]
    pub(crate) fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> (Arm, f64) {
        self.weights.draw(rng)
    }

    /// 1 / sqrt(t): the part of the learning rate that a ticket records.
    pub(crate) fn rate(&self) -> f64 {
        self.rate
    }

    /// Advances the clock by one pull.
    #[inline]
    pub(crate) fn tick(&mut self) {
        self.round += 1;
        if self.round + 1 >= self.next_change {
            self.tune();
        }
    }

    /// Learns the losses of N slots, each with weight 1/N, that were drawn when the rate was
    /// `rate`.
    #[inline]
    pub(crate) fn learn<const N: usize>(&mut self, rate: f64, slots: [Seen; N]) {
        let share = 1.0 / N as f64;
        // Learning after the pull was issued changes the rate. Learning before that, or on another
        // node, shows in the probabilities. They may differ by rounding if the arms are labelled
        // differently.
        let in_force = self.estimator == Estimator::Rv
            && rate.to_bits() == self.rate.to_bits()
            && slots
                .iter()
                .all(|slot| (slot.probability / self.weights.probability(slot.arm) - 1.0).abs() <= 1e-9);
        // eta^2.
        let bound = 16.0 * rate * rate;
        for Seen { arm, probability, loss } in slots {
            let baseline = if in_force && !self.weights.is_below(arm, bound) { 0.5 } else { 0.0 };
            self.weights.add(arm, share * (loss - baseline) / probability);
        }
        if in_force {
            self.weights.add_below(bound, -0.5);
        }
        self.tune();
    }

    /// Reverses what [`Self::learn`] learned by importance weights.
    pub(crate) fn unlearn<const N: usize>(&mut self, slots: [Seen; N]) {
        let share = 1.0 / N as f64;
        self.learn_estimates(slots.map(|slot| (slot.arm, -(share * slot.loss / slot.probability))));
    }

    /// Adds loss estimates that the caller computed.
    pub(crate) fn learn_estimates<const N: usize>(&mut self, estimates: [(Arm, f64); N]) {
        for (arm, estimate) in estimates {
            self.weights.add(arm, estimate);
        }
        self.tune();
    }

    /// Changes the set of arms with `change`, and returns its result.
    pub(crate) fn change<T>(&mut self, change: impl FnOnce(&mut TsallisWeights) -> T) -> T {
        let changed = change(&mut self.weights);
        self.tune();
        changed
    }

    /// Sets the rate of the next round and recomputes the weights.
    fn tune(&mut self) {
        self.rate = FallingRate::inverse_root().at(self.round + 1);
        self.weights.solve(self.estimator.factor() * self.rate);
        self.next_change = when_to_change(self.rate);
    }
}

#[inline]
fn seen(pull: &Pull, reward: f64) -> Seen {
    let probability = pull.probability.expect("the pulls of Tsallis-INF have a probability");
    Seen { arm: pull.arm, probability, loss: 1.0 - reward }
}

impl Player for Tsallis {
    const INFO: PlayerInfo = PlayerInfo {
        name: "tsallis",
        title: "follow the regularized leader with Tsallis entropy",
        known_probability: true,
        params: &[ESTIMATOR.doc],
        reference: Citation {
            authors: "Zimmert and Seldin",
            title: "Tsallis-INF: an optimal algorithm for stochastic and adversarial bandits",
            venue: "Journal of Machine Learning Research 22(28)",
            year: 2021,
            doi: "doi:10.48550/arXiv.1807.07623",
        },
    };

    fn build(params: &mut Params<'_>) -> Result<Self, ParamError> {
        let estimator = ESTIMATOR.read(params)?;
        Ok(Self::with(params.context().n_arms, estimator))
    }

    fn n_arms(&self) -> usize {
        self.weights.len()
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Pull {
        let (arm, probability) = self.draw(rng);
        Pull { arm, probability: Some(probability), rate: self.rate }
    }

    #[inline]
    fn issue(&mut self, _: &Pull) {
        self.tick();
    }

    #[inline]
    fn update(&mut self, pull: &Pull, reward: f64) {
        self.learn(pull.rate, [seen(pull, reward)]);
    }

    fn void(&mut self, _: &Pull) {}

    fn reset(&mut self) {
        self.round = 0;
        self.weights.reset(self.estimator.factor());
        self.tune();
    }

    fn probabilities(&self) -> Option<Vec<f64>> {
        Some(self.distribution())
    }

    fn standing(&self, arm: Arm) -> f64 {
        -self.weights.losses()[arm.index()]
    }

    fn additive(&self) -> Option<&dyn AdditivePlayer> {
        // With `rv` an increment depends on the weights in force.
        if self.estimator == Estimator::Iw { Some(self) } else { None }
    }

    fn additive_mut(&mut self) -> Option<&mut dyn AdditivePlayer> {
        if self.estimator == Estimator::Iw { Some(self) } else { None }
    }
}

impl AdditivePlayer for Tsallis {
    fn sums(&self) -> Vec<f64> {
        self.weights.losses().to_vec()
    }

    fn add(&mut self, increments: &[f64]) {
        self.weights.add_all(increments);
        self.tune();
    }

    /// Afterwards the rate is that of the current round, as whenever something is learned.
    fn take_back(&mut self, pull: &Pull, reward: f64) {
        self.unlearn([seen(pull, reward)]);
    }
}
