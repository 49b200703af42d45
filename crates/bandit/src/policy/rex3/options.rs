//! The options of REX3.

use serde::{Deserialize, Serialize};

use super::family::{GAMMA, GUARD, MIXING, TRANSFER};
use crate::params::{ParamError, Range};
use crate::structures::weights::falling_rate::FallingRate;
use crate::theory::{self, Gains};

/// The options of REX3.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// How gamma is set.
    pub schedule: Schedule,
    /// How a score is transformed before it is learned.
    pub transfer: Transfer,
    /// Whether to skip duels of an arm with itself.
    pub guard: bool,
    /// Uniform exploration as a fraction of gamma, in [1/6, 1].
    pub mixing: f64,
}

impl Default for Options {
    /// Anytime by dual averaging, for a gain of at most t/2.
    fn default() -> Self {
        let schedule = Schedule::DualAveraging { tau: theory::tau(Gains::at_most(0.5)) };
        let (transfer, guard, mixing) = (TRANSFER.default(), GUARD.default(), MIXING.default);
        Self { schedule, transfer, guard, mixing }
    }
}

impl Options {
    pub(super) fn check(&self) -> Result<(), ParamError> {
        MIXING.check(self.mixing)?;
        match self.schedule {
            Schedule::Fixed { gamma } => GAMMA.check(gamma),
            Schedule::DualAveraging { tau } | Schedule::Literal { tau } | Schedule::Epochs { tau } => {
                TAU.check("tau", tau)
            }
        }
    }
}

/// How gamma is set. Here `tau` is the gain term for one round: the paper's tau divided by the
/// number of rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// The same gamma throughout.
    Fixed {
        /// In (0, 1/2].
        gamma: f64,
    },
    /// gamma* of the rounds so far, applied to the whole past.
    DualAveraging {
        /// The gain term of one round.
        tau: f64,
    },
    /// gamma* of the rounds so far, applied to the current duel alone. It has no guarantee.
    Literal {
        /// The gain term of one round.
        tau: f64,
    },
    /// A fresh start at each power of two.
    Epochs {
        /// The gain term of one round.
        tau: f64,
    },
}

impl Schedule {
    pub(super) fn falling(self, n_arms: usize) -> FallingRate {
        let tau = match self {
            Self::Fixed { .. } => 1.0,
            Self::DualAveraging { tau } | Self::Literal { tau } | Self::Epochs { tau } => tau,
        };
        FallingRate::new(n_arms, tau, HIGHEST_GAMMA)
    }
}

/// How a score is transformed before it is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transfer {
    /// The score itself.
    Identity,
    /// Its sign.
    Sign,
    /// 1 for the winner, 0 for the loser and for ties.
    Indicator,
}

impl Transfer {
    /// psi(x_left - x_right) and psi(x_right - x_left).
    pub(super) fn apply(self, score: f64) -> (f64, f64) {
        let sign = || f64::from(i8::from(score > 0.0) - i8::from(score < 0.0));
        match self {
            Self::Identity => (score, -score),
            Self::Sign => (sign(), -sign()),
            Self::Indicator => (f64::from(u8::from(score > 0.0)), f64::from(u8::from(score < 0.0))),
        }
    }
}

/// The largest gamma for which the analysis holds.
pub(super) const HIGHEST_GAMMA: f64 = 0.5;

/// The gain of one round is at most 1, so tau is at most e. A million leaves room for experiments
/// and keeps gamma well above 0.
pub(super) const TAU: Range = Range::above_zero_to(1e6);
