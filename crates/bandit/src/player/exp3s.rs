//! # EXP3.S: exponential weights that share, for best arms that change
//!
//! ## Idea
//!
//! EXP3.S finds the best arm even if it changes now and then.
//!
//! It works like EXP3, but with every reward a small part of the total weight is distributed
//! equally over all arms. No arm falls so far behind that it cannot come back within a short time.
//! The regret is therefore small compared with the best arm of each stretch of time, and not only
//! with the best arm of the whole time.
//!
//! ## Update rule
//!
//! ```text
//! p_i = (1 - gamma) w_i / W + gamma / K                  W the sum of all weights
//! update with reward x:  w_i <- w_i exp((gamma / K) x / p_i)   for the arm i drawn
//!                        w_j <- w_j + (e alpha / K) W          for all arms j, W as it was before
//! alpha = 1 / T,  gamma = min(1, sqrt(S K ln(K T) / T))
//! ```
//!
//! Weights are shared when an outcome is learned, because that is a round of the paper. The weights
//! are not sums: the order of outcomes matters a little, and nodes cannot be merged by addition.
//! After round T, gamma and alpha stay the same.
//!
//! ## Parameters
//!
//! `switches`: S, the number of stretches of time with one best arm each, which is 1 plus the
//! number of changes.
//!
//! ## Guarantee
//!
//! For oblivious rewards in [0, 1], the regret against every sequence of arms with S stretches is
//! at most K (S ln(K T) + e) / gamma + (e - 1) gamma T (Auer et al. 2002, Theorem 8.1 with
//! alpha = 1 / T; from memory). For this gamma it is about e sqrt(S K T ln(K T)). The authors' own
//! gamma for a known S is lower by a factor of about sqrt(e - 1), and gives 4 % less.
//!
//! ## Cost
//!
//! O(log K) per round, because the shared weight is one number for all arms. O(K) memory. One word
//! of randomness per pull, and one more if it explores.
//!
//! ## Example
//!
//! ```
//! use tiltyard_bandit::{Stream, player::{Exp3S, Player}};
//! let mut rng = Stream::new(1).rng();
//! let mut player = Exp3S::new(3, 1000, 2)?;
//! let pull = player.propose(&mut rng);
//! player.issue(&pull);
//! player.update(&pull, 1.0);
//! # Ok::<(), tiltyard_bandit::params::ParamError>(())
//! ```
//!
//! ## Reference
//!
//! Auer, Cesa-Bianchi, Freund and Schapire, *The nonstochastic multiarmed bandit problem*, SIAM
//! Journal on Computing 32(1), 2002, section 8; DOI `10.1137/S0097539701398375`.

use core::f64::consts::E;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::{Player, PlayerInfo, Pull};
use crate::Arm;
use crate::damaged::Damaged;
use crate::params::{ParamError, Params, Range};
use crate::policy::Citation;
use crate::structures::weights::shared_weights::SharedWeights;

/// Exponential weights that share; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved")]
pub struct Exp3S {
    gamma: f64,
    /// e alpha / K.
    fraction: f64,
    weights: SharedWeights,
}

/// The serialized form of [`Exp3S`].
#[derive(Deserialize)]
struct Saved {
    gamma: f64,
    fraction: f64,
    weights: SharedWeights,
}

impl TryFrom<Saved> for Exp3S {
    type Error = Damaged;

    fn try_from(Saved { gamma, fraction, weights }: Saved) -> Result<Self, Damaged> {
        if !GAMMA.contains(gamma) || !FRACTION.contains(fraction) {
            return Err(Damaged("gamma or the shared fraction is out of range"));
        }
        Ok(Self { gamma, fraction, weights })
    }
}

const GAMMA: Range = Range::above_zero_to(1.0);

/// e alpha / K is largest for alpha = 1 and one arm.
const FRACTION: Range = Range::above_zero_to(E);

parameters! {
    /// exp3s: number of stretches of time with one best arm each: 1 plus the number of changes
    SWITCHES: whole("switches" = 1, [1 to 9_007_199_254_740_992.0] "1 or more");
}

impl Exp3S {
    /// Over `n_arms` arms and `rounds` rounds, for `switches` stretches of time with one best arm
    /// each.
    ///
    /// # Errors
    ///
    /// If one of the three is 0.
    pub fn new(n_arms: usize, rounds: u64, switches: u64) -> Result<Self, ParamError> {
        if n_arms == 0 {
            return Err(ParamError::NoArms);
        }
        if rounds == 0 {
            return Err(ParamError::NoRounds);
        }
        if switches == 0 {
            return Err(ParamError::OutOfRange { key: SWITCHES.doc.key, value: 0.0, range: SWITCHES.range });
        }
        // With one arm there is nothing to learn; the rate of two arms will do.
        let (k, t, s) = (n_arms.max(2) as f64, rounds as f64, switches as f64);
        let gamma = libm::sqrt(s * k * (libm::log(k) + libm::log(t)) / t).min(1.0);
        Ok(Self { gamma, fraction: E / (n_arms as f64 * t), weights: SharedWeights::new(n_arms) })
    }

    /// The probability of each arm at the next pull.
    pub fn distribution(&self) -> Vec<f64> {
        Arm::all(self.weights.len()).map(|arm| self.probability(arm)).collect()
    }

    #[inline]
    fn probability(&self, arm: Arm) -> f64 {
        let p = (1.0 - self.gamma) * self.weights.share(arm) + self.gamma / self.weights.len() as f64;
        // Rounding must not take the probability above 1.
        p.min(1.0)
    }
}

impl Player for Exp3S {
    const INFO: PlayerInfo = PlayerInfo {
        name: "exp3s",
        title: "exponential weights that share, for best arms that change",
        known_probability: true,
        params: &[SWITCHES.doc],
        reference: Citation {
            authors: "Auer, Cesa-Bianchi, Freund and Schapire",
            title: "The nonstochastic multiarmed bandit problem",
            venue: "SIAM Journal on Computing 32(1)",
            year: 2002,
            doi: "doi:10.1137/S0097539701398375",
        },
    };

    fn build(params: &mut Params<'_>) -> Result<Self, ParamError> {
        let switches = SWITCHES.read(params)?;
        let context = params.context();
        let rounds = context.horizon.ok_or_else(|| params.needs_horizon(SWITCHES.doc.key))?;
        Self::new(context.n_arms, rounds, switches)
    }

    fn n_arms(&self) -> usize {
        self.weights.len()
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Pull {
        let u = rng.random::<f64>() - self.gamma;
        let arm =
            if u < 0.0 { self.weights.draw_uniform(rng) } else { self.weights.find(u / (1.0 - self.gamma)) };
        Pull { arm, probability: Some(self.probability(arm)), rate: self.gamma / self.weights.len() as f64 }
    }

    fn issue(&mut self, _: &Pull) {}

    #[inline]
    fn update(&mut self, pull: &Pull, reward: f64) {
        let p = pull.probability.expect("EXP3.S's pulls have a probability");
        // At most 1 for this player's own tickets. The bound is for tickets that only look like its
        // own.
        let exponent = (self.gamma / self.weights.len() as f64 * reward / p).min(1.0);
        self.weights.grow_and_share(pull.arm, libm::expm1(exponent), self.fraction);
    }

    fn void(&mut self, _: &Pull) {}

    fn reset(&mut self) {
        self.weights.reset();
    }

    fn probabilities(&self) -> Option<Vec<f64>> {
        Some(self.distribution())
    }

    fn standing(&self, arm: Arm) -> f64 {
        self.weights.share(arm)
    }
}
