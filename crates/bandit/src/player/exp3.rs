//! # EXP3: exponential weights for adversarial bandits
//!
//! ## Idea
//!
//! Draw from a mixture of exponential weights and uniform exploration, and credit the arm drawn with its reward divided
//! by the probability of drawing it: an unbiased estimate of every arm's gain.
//!
//! ## Update rule
//!
//! ```text
//! p_i = (1 - gamma) w_i / sum_j w_j + gamma / K        w_i = exp((gamma / K) S_i)
//! update with reward x:  S_i += x / p_i                for the arm i drawn
//! ```
//!
//! Schedules: `fixed` (gamma given, or `min(1, sqrt(K ln K / ((e - 1) gmax)))`), `dual-averaging` (gamma from the rounds so far,
//! applied to the whole past), `literal` (each reward keeps the gamma of its own round; without guarantee), and `loss`: no
//! exploration, `S_i -= (1 - x) / p_i` and weights `exp(eta_t S_i)` with `eta_t = sqrt(ln K / (K t))`. Where a fall of the rate
//! re-weighs the past, the rate is held until its formula has fallen by 1 %.
//!
//! ## Parameters
//!
//! | key | default | legal | meaning |
//! |---|---|---|---|
//! | `schedule` | `fixed`; `dual-averaging` if `gmax` uses `t` | `fixed`, `dual-averaging`, `literal`, `loss` | where gamma comes from |
//! | `gamma` | none | (0, 1] | the rate itself |
//! | `gmax` | `T/2`; `t/2` where anytime | above 0, in `T`, `K`, or a multiple of `t` | bound on the best arm's gain; half the time is what self-play yields |
//!
//! ## Guarantee
//!
//! Regret at most 2 sqrt(e - 1) sqrt(gmax K ln K) against the best arm, for rewards in [0, 1] chosen by an oblivious adversary
//! (Auer et al. 2002, Corollary 3.2); `loss`: 2 sqrt(T K ln K) at all times (Bubeck and Cesa-Bianchi 2012, Theorem 3.1).
//!
//! ## Cost
//!
//! O(log K) a round, O(K) memory; one word of randomness a pull, and one more where it explores.
//!
//! ## Example
//!
//! ```
//! use tiltyard_bandit::{Stream, player::{Exp3, Player}};
//! let mut rng = Stream::new(1).rng();
//! let mut player = Exp3::anytime(3);
//! let pull = player.propose(&mut rng);
//! player.issue(&pull);
//! player.update(&pull, 1.0);
//! ```
//!
//! ## Reference
//!
//! Auer, Cesa-Bianchi, Freund and Schapire, *The nonstochastic multiarmed bandit problem*, SIAM Journal on Computing 32(1),
//! 2002; DOI `10.1137/S0097539701398375`.

use core::f64::consts::E;

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

/// Exponential weights for rewards; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved")]
pub struct Exp3 {
    schedule: Schedule,
    weights: ExpWeights,
    /// Pulls issued.
    round: u64,
    /// gamma, or eta in the loss form.
    rate: f64,
    /// The round from which on the rate is another.
    #[serde(skip)]
    next_change: u64,
    /// The rate as a function of time; `fixed` has no use for it.
    #[serde(skip)]
    falling: FallingRate,
}

/// What is stored of [`Exp3`].
#[derive(Deserialize)]
struct Saved {
    schedule: Schedule,
    weights: ExpWeights,
    round: u64,
    rate: f64,
}

impl TryFrom<Saved> for Exp3 {
    type Error = Damaged;

    fn try_from(saved: Saved) -> Result<Self, Damaged> {
        let Saved { schedule, weights, round, rate } = saved;
        let legal = match schedule {
            Schedule::Fixed { gamma } => GAMMA.contains(gamma),
            Schedule::DualAveraging { tau } | Schedule::Literal { tau } => TAU.contains(tau),
            Schedule::Loss => true,
        };
        let falling = schedule.falling(weights.len());
        let mut player = Self { schedule, weights, round, rate, next_change: 0, falling };
        if !legal || round == u64::MAX || !GAMMA.contains(rate) || !player.weights.has_scale(player.scale()) {
            return Err(Damaged("the rate does not fit the weights"));
        }
        player.next_change = player.when_the_rate_changes();
        Ok(player)
    }
}

/// Where the rate comes from. `tau` is (e - 1) times the gain bound of one round.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Schedule {
    Fixed { gamma: f64 },
    DualAveraging { tau: f64 },
    Literal { tau: f64 },
    Loss,
}

impl Schedule {
    fn falling(self, n_arms: usize) -> FallingRate {
        match self {
            Self::Fixed { .. } => FallingRate::new(n_arms, 1.0, 1.0),
            Self::DualAveraging { tau } | Self::Literal { tau } => FallingRate::new(n_arms, tau, 1.0),
            Self::Loss => FallingRate::for_losses(n_arms),
        }
    }
}

/// As in REX3: room for experiments, and a rate far from zero.
const TAU: Range = Range::above_zero_to(1e6);
const GAMMA: Range = Range::above_zero_to(1.0);

impl Exp3 {
    /// With a fixed gamma.
    ///
    /// # Errors
    ///
    /// If there are no arms or gamma lies outside (0, 1].
    pub fn fixed(n_arms: usize, gamma: f64) -> Result<Self, ParamError> {
        if n_arms == 0 {
            return Err(ParamError::NoArms);
        }
        if !GAMMA.contains(gamma) {
            return Err(ParamError::OutOfRange { key: "gamma", value: gamma, range: GAMMA });
        }
        Ok(Self::new(n_arms, Schedule::Fixed { gamma }))
    }

    /// The anytime loss form.
    ///
    /// # Panics
    ///
    /// If there are no arms.
    pub fn anytime(n_arms: usize) -> Self {
        assert!(n_arms > 0, "there must be at least one arm");
        Self::new(n_arms, Schedule::Loss)
    }

    fn new(n_arms: usize, schedule: Schedule) -> Self {
        let weights = ExpWeights::new(n_arms, 1.0);
        let falling = schedule.falling(n_arms);
        let mut player = Self { schedule, weights, round: 0, rate: 1.0, next_change: 1, falling };
        player.tune();
        player
    }

    /// The probability of each arm at the next pull.
    pub fn distribution(&self) -> Vec<f64> {
        self.weights.probabilities(self.explore())
    }

    fn explore(&self) -> f64 {
        if self.schedule == Schedule::Loss { 0.0 } else { self.rate }
    }

    /// What turns the sums into log-weights.
    fn scale(&self) -> f64 {
        match self.schedule {
            Schedule::Fixed { .. } | Schedule::DualAveraging { .. } => self.rate / self.weights.len() as f64,
            // The sums are log-weights already: each increment was taken with the rate of its round.
            Schedule::Literal { .. } => 1.0,
            Schedule::Loss => self.rate,
        }
    }

    fn when_the_rate_changes(&self) -> u64 {
        match self.schedule {
            Schedule::Fixed { .. } => u64::MAX,
            Schedule::DualAveraging { .. } | Schedule::Loss => self.falling.one_percent_below(self.rate),
            // Exact in each round once the cap lets go; the weights do not depend on it.
            Schedule::Literal { .. } => self.falling.uncapped_from(),
        }
    }

    /// What a reward adds to the sum of its arm.
    #[inline]
    fn increment(&self, pull: &Pull, reward: f64) -> f64 {
        let p = pull.probability.expect("EXP3's pulls have a probability");
        match self.schedule {
            Schedule::Literal { .. } => pull.rate * reward / p,
            Schedule::Loss => (reward - 1.0) / p,
            Schedule::Fixed { .. } | Schedule::DualAveraging { .. } => reward / p,
        }
    }

    /// Sets the rate, and all that follows from it, for the next round.
    fn tune(&mut self) {
        self.rate = match self.schedule {
            Schedule::Fixed { gamma } => gamma,
            _ => self.falling.at(self.round + 1),
        };
        self.weights.set_scale(self.scale());
        self.next_change = self.when_the_rate_changes();
    }
}

impl Player for Exp3 {
    const INFO: PlayerInfo = PlayerInfo {
        name: "exp3",
        title: "exponential weights for adversarial rewards",
        known_probability: true,
        params: &[
            Param {
                key: "schedule",
                default: "fixed",
                legal: "fixed, dual-averaging, literal, loss",
                meaning: "exp3: where gamma comes from",
            },
            Param { key: "gamma", default: "none", legal: "(0, 1]", meaning: "exp3: the rate itself" },
            Param {
                key: "gmax",
                default: "T/2",
                legal: "above 0, in T, K, or a multiple of t",
                meaning: "exp3: bound on the best arm's gain",
            },
        ],
        reference: Citation {
            authors: "Auer, Cesa-Bianchi, Freund and Schapire",
            title: "The nonstochastic multiarmed bandit problem",
            venue: "SIAM Journal on Computing 32(1)",
            year: 2002,
            doi: "doi:10.1137/S0097539701398375",
        },
    };

    fn build(params: &mut Params<'_>) -> Result<Self, ParamError> {
        let n_arms = params.context().n_arms;
        let names = ["fixed", "dual-averaging", "literal", "loss"].map(|name| (name, name));
        if let Some(gamma) = params.number("gamma", GAMMA)? {
            let value = params.choice("schedule", &names)?;
            if value != "fixed" {
                return Err(ParamError::Contradiction { key: "schedule", value, other: "gamma" });
            }
            return Self::fixed(n_arms, gamma);
        }
        if params.text("schedule") == Some("loss") {
            return Ok(Self::anytime(n_arms));
        }
        let anytime = params.expr("gmax")?.is_some_and(|gmax| gmax.uses(Letter::Round));
        let name = params.choice_or("schedule", &names, if anytime { "dual-averaging" } else { "fixed" })?;
        if name == "fixed" {
            let gmax = params.expr_or("gmax", "T/2")?;
            let gain = params.gain("gmax", &gmax, Range::above(0.0))?;
            return Self::fixed(n_arms, crate::theory::exp3_gamma(n_arms, gain));
        }
        let gmax = params.expr_or("gmax", "t/2")?;
        let tau = (E - 1.0) * params.gain_a_round("gmax", &gmax)?;
        if !TAU.contains(tau) {
            return Err(ParamError::OutOfRange { key: "gmax", value: tau, range: Range::above(0.0) });
        }
        Ok(Self::new(
            n_arms,
            if name == "literal" { Schedule::Literal { tau } } else { Schedule::DualAveraging { tau } },
        ))
    }

    fn n_arms(&self) -> usize {
        self.weights.len()
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Pull {
        let (arm, probability) = self.weights.mixture(self.explore()).draw(rng);
        Pull { arm, probability: Some(probability), rate: self.rate / self.weights.len() as f64 }
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

impl AdditivePlayer for Exp3 {
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
