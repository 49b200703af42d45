//! The rates of `FeedExp3`.

use serde::{Deserialize, Serialize};

use super::LinkSize;

/// Where the learning rate eta and the exploration gamma come from, for N actions and a link whose
/// largest entry is k and whose largest sum of squares in a row is q.
///
/// With B the variance term of the regret bound ln N / eta_T + B sum_t eta_t / gamma_t + sum_t
/// gamma_t, both anytime forms are gamma_t = min(1, (B ln N / t)^(1/3)) and eta_t = ((ln N)^2 / (B
/// t^2))^(1/3), which make its three terms equal up to constants.
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
    /// B = N max(k, q): as small as this link allows, eta_t at most 1/B.
    Link,
}

/// eta and gamma of a round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// The learning rate, in (0, 1].
    pub eta: f64,
    /// The exploration, in (0, 1].
    pub gamma: f64,
}

impl Schedule {
    /// The formula of a round, counted from 1. Where a theorem wants eta_t non-increasing, so it
    /// is.
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

    /// The first round after `round` in which eta is at least 1 % lower. Both rates are held until
    /// then: that is a non-increasing eta, at most 1 % above its formula, so the bound holds for
    /// it, and each of its terms is at most 1 % larger.
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
            // A link of zeros has nothing to estimate.
            Self::Link if size.largest > 0.0 => n * size.largest.max(size.squares),
            Self::Link => 1.0,
        }
    }

    /// The formula of eta at t = 1, before any cap.
    fn eta_of_one(self, size: LinkSize) -> f64 {
        let log = libm::log(size.actions());
        libm::cbrt(log * log / self.variance(size))
    }

    /// No single estimate may move a log-weight by more than 1 where exploration has no say yet.
    fn highest_eta(self, size: LinkSize) -> f64 {
        if self == Self::Link { (1.0 / self.variance(size)).min(1.0) } else { 1.0 }
    }
}

impl LinkSize {
    /// N for the formulas. Two actions at least, so that ln N is not 0.
    fn actions(self) -> f64 {
        self.n_actions.max(2) as f64
    }
}
