//! # EXP3: exponential weights for adversarial bandits
//!
//! ## Idea
//!
//! EXP3 pulls an arm more often the more reward it seems to have earned, and never stops trying the
//! others.
//!
//! It draws from a mixture of exponential weights and uniform exploration. It credits the arm drawn
//! with its reward divided by the probability of drawing it. This is an unbiased estimate of every
//! arm's gain.
//!
//! ## Update rule
//!
//! ```text
//! p_i = (1 - gamma) w_i / sum_j w_j + gamma / K        w_i = exp((gamma / K) S_i)
//! update with reward x:  S_i += x / p_i                for the arm i drawn
//! ```
//!
//! The **schedule** sets the rate:
//!
//! - `fixed`: gamma is given, or it is `min(1, sqrt(K ln K / ((e - 1) gmax)))`;
//! - `dual-averaging`: gamma follows from the rounds so far and is applied to the whole past;
//! - `literal`: each reward keeps the gamma of its own round. This schedule has no guarantee;
//! - `loss`: no exploration, `S_i -= (1 - x) / p_i` and weights `exp(eta_t S_i)` with
//!   `eta_t = sqrt(ln K / (K t))`.
//!
//! If a falling rate weighs the past again, the rate is kept until its formula has fallen by 1 %.
//!
//! ## Parameters
//!
//! `schedule`, `gamma` and `gmax`. The default gain bound, half the number of rounds, is what a
//! player earns in self-play.
//!
//! ## Guarantee
//!
//! For rewards in [0, 1] chosen by an oblivious adversary, the regret against the best arm is at
//! most 2 sqrt(e - 1) sqrt(gmax K ln K) (Auer et al. 2002, Corollary 3.2). With `loss` it is at
//! most 2 sqrt(T K ln K) at all times (Bubeck and Cesa-Bianchi 2012, Theorem 3.1).
//!
//! ## Cost
//!
//! O(log K) per round and O(K) memory. One word of randomness per pull, and one more if it
//! explores.
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
//! Auer, Cesa-Bianchi, Freund and Schapire, *The nonstochastic multiarmed bandit problem*, SIAM
//! Journal on Computing 32(1), 2002; DOI `10.1137/S0097539701398375`.

use core::f64::consts::E;

use serde::{Deserialize, Serialize};

use super::exponential::{Exponential, RATE, Variant};
use super::{PlayerInfo, Pull};
use crate::expr::Letter;
use crate::params::{ParamError, Params, Range};
use crate::policy::Citation;
use crate::structures::weights::falling_rate::FallingRate;

/// Exponential weights for rewards; see the [module](self).
pub type Exp3 = Exponential<Gains>;

/// Sums of rewards, or of losses for the schedule `loss`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gains {
    schedule: Schedule,
}

/// How the rate is set. `tau` is (e - 1) times the gain bound of one round.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Schedule {
    Fixed { gamma: f64 },
    DualAveraging { tau: f64 },
    Literal { tau: f64 },
    Loss,
}

parameters! {
    /// exp3: how gamma is set; the default is `dual-averaging` if `gmax` uses `t`
    SCHEDULE: choice("schedule", &str:
        "fixed" = "fixed", "dual-averaging" = "dual-averaging", "literal" = "literal", "loss" = "loss");
    /// exp3: the learning and exploration rate itself
    GAMMA: optional("gamma", [above 0 to 1]);
    /// exp3: upper bound on the best arm's gain; `t/2` for the schedules without horizon
    GMAX: formula("gmax" = "T/2", [above 0] "above 0, in T, K, or a multiple of t");
}

/// As in REX3: this leaves room for experiments and keeps the rate well above 0.
const TAU: Range = Range::above_zero_to(1e6);

impl Exp3 {
    /// With a fixed gamma.
    ///
    /// # Errors
    ///
    /// If there are no arms or gamma is outside (0, 1].
    pub fn fixed(n_arms: usize, gamma: f64) -> Result<Self, ParamError> {
        if n_arms == 0 {
            return Err(ParamError::NoArms);
        }
        GAMMA.check(gamma)?;
        Ok(Self::new(n_arms, Gains { schedule: Schedule::Fixed { gamma } }))
    }

    /// The anytime loss form.
    ///
    /// # Panics
    ///
    /// If there are no arms.
    pub fn anytime(n_arms: usize) -> Self {
        Self::new(n_arms, Gains { schedule: Schedule::Loss })
    }
}

impl Variant for Gains {
    const INFO: PlayerInfo = PlayerInfo {
        name: "exp3",
        title: "exponential weights for adversarial rewards",
        known_probability: true,
        params: &[SCHEDULE.doc, GAMMA.doc, GMAX.doc],
        reference: Citation {
            authors: "Auer, Cesa-Bianchi, Freund and Schapire",
            title: "The nonstochastic multiarmed bandit problem",
            venue: "SIAM Journal on Computing 32(1)",
            year: 2002,
            doi: "doi:10.1137/S0097539701398375",
        },
    };

    fn build(params: &mut Params<'_>) -> Result<Exp3, ParamError> {
        let n_arms = params.context().n_arms;
        if let Some(gamma) = GAMMA.read(params)? {
            let value = SCHEDULE.read(params)?;
            if value != "fixed" {
                let (key, other) = (SCHEDULE.doc.key, GAMMA.doc.key);
                return Err(ParamError::Contradiction { key, value, other });
            }
            return Exp3::fixed(n_arms, gamma);
        }
        if params.text(SCHEDULE.doc.key) == Some("loss") {
            return Ok(Exp3::anytime(n_arms));
        }
        let anytime = params.expr(GMAX.doc.key)?.is_some_and(|gmax| gmax.uses(Letter::Round));
        let name = SCHEDULE.read_or(params, if anytime { "dual-averaging" } else { "fixed" })?;
        if name == "fixed" {
            let gmax = GMAX.expr(params)?;
            let gain = params.gain(GMAX.doc.key, &gmax, GMAX.range)?;
            return Exp3::fixed(n_arms, crate::theory::exp3_gamma(n_arms, gain));
        }
        let gmax = params.expr_or(GMAX.doc.key, "t/2")?;
        let tau = (E - 1.0) * params.gain_a_round(GMAX.doc.key, &gmax)?;
        if !TAU.contains(tau) {
            return Err(ParamError::OutOfRange { key: GMAX.doc.key, value: tau, range: GMAX.range });
        }
        let schedule =
            if name == "literal" { Schedule::Literal { tau } } else { Schedule::DualAveraging { tau } };
        Ok(Exp3::new(n_arms, Self { schedule }))
    }

    fn allows(&self, _: f64) -> bool {
        match self.schedule {
            Schedule::Fixed { gamma } => RATE.contains(gamma),
            Schedule::DualAveraging { tau } | Schedule::Literal { tau } => TAU.contains(tau),
            Schedule::Loss => true,
        }
    }

    fn fixed(&self) -> Option<f64> {
        if let Schedule::Fixed { gamma } = self.schedule { Some(gamma) } else { None }
    }

    fn falling(&self, n_arms: usize) -> FallingRate {
        match self.schedule {
            Schedule::Fixed { .. } => FallingRate::new(n_arms, 1.0, 1.0),
            Schedule::DualAveraging { tau } | Schedule::Literal { tau } => FallingRate::new(n_arms, tau, 1.0),
            Schedule::Loss => FallingRate::for_losses(n_arms),
        }
    }

    fn next_change(&self, falling: FallingRate, rate: f64) -> u64 {
        match self.schedule {
            // Once the rate is below its cap, it is exact in each round. The weights do not depend
            // on it.
            Schedule::Literal { .. } => falling.uncapped_from(),
            _ => falling.one_percent_below(rate),
        }
    }

    #[inline]
    fn exploration(&self, rate: f64) -> f64 {
        if self.schedule == Schedule::Loss { 0.0 } else { rate }
    }

    fn scale(&self, rate: f64, n_arms: usize) -> f64 {
        match self.schedule {
            Schedule::Fixed { .. } | Schedule::DualAveraging { .. } => rate / n_arms as f64,
            // The sums already are log-weights: each increment was multiplied by the rate of its
            // round.
            Schedule::Literal { .. } => 1.0,
            Schedule::Loss => rate,
        }
    }

    #[inline]
    fn stated_rate(&self, rate: f64, n_arms: usize) -> f64 {
        rate / n_arms as f64
    }

    #[inline]
    fn increment(&self, pull: &Pull, p: f64, reward: f64) -> f64 {
        match self.schedule {
            Schedule::Literal { .. } => pull.rate * reward / p,
            Schedule::Loss => (reward - 1.0) / p,
            Schedule::Fixed { .. } | Schedule::DualAveraging { .. } => reward / p,
        }
    }
}
