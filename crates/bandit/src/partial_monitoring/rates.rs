//! The rates of `FeedExp3`.

use serde::{Deserialize, Serialize};

use super::LinkSize;

/// A schedule of the learning rate eta and the exploration rate gamma, for N actions and a link
/// with largest entry k and largest sum of squares in a row q.
///
/// The regret bound is ln N / eta_T + B sum_t eta_t / gamma_t + sum_t gamma_t, where B is its
/// variance term. Both anytime forms are gamma_t = min(1, (B ln N / t)^(1/3)) and eta_t = ((ln N)^2
/// / (B t^2))^(1/3). They make the three terms of the bound equal up to constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// Cesa-Bianchi, Lugosi and Stoltz: B = (e - 2) (k* N)^2, k* = max(1, k).
    Anytime,
    /// Piccolboni and Schindelhauer, for a known horizon: eta = sqrt(ln N / T), at most 1, and
    /// gamma = min(1, (N^2 ln N / T)^(1/4)).
    Fixed {
        /// T.
        horizon: u64,
    },
    /// B = N max(k, q), the smallest that this link allows, and eta_t at most 1/B.
    Link,
}

/// The rates of a round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// The learning rate, in (0, 1].
    pub eta: f64,
    /// The exploration rate, in (0, 1].
    pub gamma: f64,
}

impl Schedule {
    /// The rates that the formula gives for a round, counted from 1. eta_t never increases, as the
    /// theorems require.
    pub fn formula(self, size: LinkSize, round: u64) -> Rates {
        let t = round as f64;
        if let Self::Fixed { horizon } = self {
            let (n, log, t) = (size.actions(), libm::log(size.actions()), horizon as f64);
            let gamma = libm::sqrt(libm::sqrt(n * n * log / t)).min(1.0);
            return Rates { eta: libm::sqrt(log / t).min(1.0), gamma };
        }
        let gamma = libm::cbrt(self.variance(size) * libm::log(size.actions()) / t).min(1.0);
        let eta = self.eta_of_one(size) / libm::cbrt(t * t);
        Rates { eta: eta.min(self.highest_eta(size)), gamma }
    }

    /// The first round after `round` in which eta is at least 1 % lower. Until then both rates stay
    /// the same. The eta in use is then non-increasing and at most 1 % above its formula, so the
    /// bound holds for it, and each term of the bound is at most 1 % larger.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive; saturates")]
    pub fn one_percent_after(self, size: LinkSize, round: u64) -> u64 {
        if let Self::Fixed { .. } = self {
            return u64::MAX;
        }
        let ratio = self.eta_of_one(size) / (0.99 * self.formula(size, round).eta);
        (libm::ceil(ratio * libm::sqrt(ratio)) as u64).max(round + 1)
    }

    /// B.
    fn variance(self, size: LinkSize) -> f64 {
        let n = size.actions();
        match self {
            Self::Anytime | Self::Fixed { .. } => {
                let k = size.largest.max(1.0);
                (core::f64::consts::E - 2.0) * (k * n) * (k * n)
            }
            // With a link of zeros there is nothing to estimate.
            Self::Link if size.largest > 0.0 => n * size.largest.max(size.squares),
            Self::Link => 1.0,
        }
    }

    /// The formula for eta at t = 1, before any cap.
    fn eta_of_one(self, size: LinkSize) -> f64 {
        let log = libm::log(size.actions());
        libm::cbrt(log * log / self.variance(size))
    }

    /// The cap on eta. While gamma is still capped at 1, it limits the change of a log-weight by a
    /// single estimate to 1.
    fn highest_eta(self, size: LinkSize) -> f64 {
        if self == Self::Link { (1.0 / self.variance(size)).min(1.0) } else { 1.0 }
    }
}

impl LinkSize {
    /// N for the formulas: at least 2, so that ln N is not 0.
    fn actions(self) -> f64 {
        self.n_actions.max(2) as f64
    }
}
