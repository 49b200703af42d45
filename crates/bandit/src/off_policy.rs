//! Off-policy evaluation: what the duels of one law say about play that it did not choose.
//!
//! A log holds ordered pairs of arms, the probability with which its law drew each (the
//! *propensity*), and the outcomes. What can be learned from it about others are preferences and
//! functions of them. Here that is
//!
//! ```text
//! theta = sum_i sum_j pi_i rho_j (2 P_ij - 1)        in [-c, c], c = 1 - sum_i pi_i rho_i
//! ```
//!
//! the mean score of an arm drawn from pi in duels with arms drawn from rho. With pi a single arm
//! and rho uniform over K arms it is the arm's Borda score on the scale from -1 to 1; with pi what
//! a policy would play and rho what plays now, it says which to show. Utilities themselves, and
//! differences of them, cannot be learned from duels without assuming a link.
//!
//! With w = (pi_a rho_b - pi_b rho_a) / (2 propensity) and u = (pi_a rho_b + pi_b rho_a) / (2
//! propensity), both 0 where an arm meets itself:
//!
//! - **ips** = mean(w s). Unbiased, for adaptive laws too. Its interval is exact: it holds for
//!   every number of duels and all at once, so that one may look as often as one likes and stop
//!   when one likes.
//! - **snips** = c mean(w s) / mean(u). A small bias, of order 1/n, and less spread where weights
//!   vary. Its interval is asymptotic.
//! - **dr** = mean(sum_ij pi_i rho_j f(i, j) + w (s - f(a, b))), where f is the mean score of the
//!   pair in the duels *before*, drawn towards 0. Unbiased whatever f is, since f knows nothing of
//!   the duel at hand; less spread where f is good. Its interval is asymptotic.
//!
//! The exact interval is made of two lower bounds. Z = (pi_a rho_b y + pi_b rho_a (1 - y)) / (2
//! propensity) with y = (1 + s) / 2 is never negative and has mean sum_ij pi_i rho_j P_ij over
//! different arms; Z' is the same with 1 - y. No bound on weights is needed, and none on the
//! propensities. It holds for the mean over the log where pi and rho change from duel to duel, as
//! long as they are fixed before the duel's outcome is known. And it holds, though it stays wide,
//! if the law never draws some pairs: then the two masses are only smaller. The estimates
//! themselves and the asymptotic intervals need every ordered pair that pi and rho could make.
//!
//! The asymptotic intervals are those of a normal mixture over the running variance of martingale
//! differences, at every number of duels at once too, but with a coverage that is right only in the
//! limit. Where a pair is rare and its weight large, that limit is far: a log that has not shown
//! the pair yet does not know how much it could change. Two terms guard against that and vanish in
//! the limit: one more duel as heavy as the heaviest so far is added to the variance, and for
//! snips, which takes what was shown for all there is, the part c - mean(u) that was not shown is
//! added to the radius. Intervals for independent numbers are not offered: where the law is
//! adaptive, terms are not independent.
//!
//! ```
//! use tiltyard_bandit::off_policy::{Duel, Evaluation, Method, Side};
//! use tiltyard_bandit::policy::{Distinct, Policy, Rex3};
//! use tiltyard_bandit::{Arm, Outcome, Stream};
//!
//! let mut rng = Stream::new(1).rng();
//! let (mut policy, mut evaluation) = (Rex3::new(3), Evaluation::new(3));
//! for _ in 0..4000 {
//!     let ticket = policy.propose_distinct(&mut rng).expect("three arms");
//!     policy.issue(&ticket);
//!     // The lower index wins.
//!     let outcome = Outcome::won(ticket.left < ticket.right);
//!     policy.update(&ticket, outcome);
//!     // How would arm 1 do against all arms?
//!     evaluation.add(&Duel::of(&ticket, outcome), Side::Arm(Arm::new(1)), Side::Uniform)?;
//! }
//! // It loses to arm 0, ties with itself and beats arm 2: 0 in all.
//! let estimate = evaluation.estimate(Method::Ips, 0.95).expect("4000 duels");
//! assert!(estimate.low < 0.0 && 0.0 < estimate.high);
//! # Ok::<(), tiltyard_bandit::off_policy::OffPolicyError>(())
//! ```
//!
//! References: Fan, Grama and Liu, *Exponential inequalities for martingales with applications*,
//! 2015, DOI `10.1214/EJP.v20-3496`; Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, *Time-uniform
//! central limit theory and asymptotic confidence sequences*, DOI `10.48550/arXiv.2103.06476`;
//! Waudby-Smith, Wu, Ramdas, Karampatziakis and Mineiro, *Anytime-valid off-policy inference for
//! contextual bandits*, DOI `10.48550/arXiv.2210.10768`.

use crate::ticket::is_probability;
use crate::{Arm, Outcome, Ticket};

mod mass;
mod normal_mixture;
mod pair_means;

use mass::Mass;
use pair_means::PairMeans;

/// Who plays one side of the comparison: how likely each arm is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Side<'a> {
    /// Always this arm.
    Arm(Arm),
    /// Every arm alike.
    Uniform,
    /// With these probabilities, one an arm.
    Mixed(&'a [f64]),
}

impl Side<'_> {
    /// The probability of an arm.
    pub fn probability(self, arm: Arm, n_arms: usize) -> f64 {
        match self {
            Self::Arm(only) => f64::from(u8::from(only == arm)),
            Self::Uniform => 1.0 / n_arms as f64,
            Self::Mixed(probabilities) => probabilities[arm.index()],
        }
    }

    fn check(self, n_arms: usize) -> Result<(), OffPolicyError> {
        match self {
            Self::Arm(arm) if arm.index() >= n_arms => Err(OffPolicyError::ArmOutOfRange { arm, n_arms }),
            Self::Mixed(probabilities) if probabilities.len() != n_arms => {
                Err(OffPolicyError::Length { got: probabilities.len(), n_arms })
            }
            Self::Mixed(probabilities) => {
                let sum: f64 = probabilities.iter().sum();
                // Written positively so that NaN fails. A policy's own probabilities sum to 1 up to
                // rounding.
                let fits = probabilities.iter().all(|&p| p >= 0.0) && (sum - 1.0).abs() <= 1e-6;
                if fits { Ok(()) } else { Err(OffPolicyError::NotADistribution { sum }) }
            }
            Self::Arm(_) | Self::Uniform => Ok(()),
        }
    }
}

/// A duel of the log.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duel {
    /// The arm in the left slot.
    pub left: Arm,
    /// The arm in the right slot.
    pub right: Arm,
    /// The probability of this ordered pair under the law that drew it, where it is known.
    pub propensity: Option<f64>,
    /// What came of it.
    pub outcome: Outcome,
}

impl Duel {
    /// The duel that a ticket stands for.
    pub fn of(ticket: &Ticket, outcome: Outcome) -> Self {
        Self { left: ticket.left, right: ticket.right, propensity: ticket.propensity(), outcome }
    }
}

/// How theta is estimated; see the [module](self).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Inverse propensity scores.
    Ips,
    /// The same, divided by the mean of the weights.
    Snips,
    /// Doubly robust.
    Dr,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Ips, Self::Snips, Self::Dr];

    /// Its name in tables and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ips => "ips",
            Self::Snips => "snips",
            Self::Dr => "dr",
        }
    }

    /// Whether its interval holds for every number of duels, rather than in the limit.
    pub const fn is_exact(self) -> bool {
        matches!(self, Self::Ips)
    }
}

/// An estimate with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate of theta. It may lie outside of [-1, 1] while duels are few.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// Sums over a log, duel after duel, in the order in which they were drawn. O(1) a duel where the
/// two sides stay the same, O(K^2) where they change; O(K^2) memory.
#[derive(Debug, Clone)]
pub struct Evaluation {
    n_arms: usize,
    n_duels: u64,
    /// Sum of c over the duels.
    unequal: f64,
    /// Sums of w s, of its square, and of its product with u.
    scores: f64,
    scores_squared: f64,
    scores_by_weights: f64,
    /// Sums of u and of its square, and the largest.
    weights: f64,
    weights_squared: f64,
    largest_weight: f64,
    wins: Mass,
    losses: Mass,
    /// Sums of the doubly robust terms and of their squares.
    robust: f64,
    robust_squared: f64,
    means: PairMeans,
}

impl Evaluation {
    /// Of a log of `n_arms` arms.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn new(n_arms: usize) -> Self {
        assert!(n_arms > 0, "there must be at least one arm");
        Self {
            n_arms,
            n_duels: 0,
            unequal: 0.0,
            scores: 0.0,
            scores_squared: 0.0,
            scores_by_weights: 0.0,
            weights: 0.0,
            weights_squared: 0.0,
            largest_weight: 0.0,
            wins: Mass::default(),
            losses: Mass::default(),
            robust: 0.0,
            robust_squared: 0.0,
            means: PairMeans::new(n_arms),
        }
    }

    /// Takes the next duel of the log, and what the two sides would have played instead. They may
    /// depend on all duels before, and on this one not at all.
    ///
    /// # Errors
    ///
    /// If the propensity is unknown, or something is no probability or no arm. Nothing is learned
    /// then.
    pub fn add(&mut self, duel: &Duel, pi: Side<'_>, rho: Side<'_>) -> Result<(), OffPolicyError> {
        let n_arms = self.n_arms;
        if let Some(arm) = [duel.left, duel.right].into_iter().find(|arm| arm.index() >= n_arms) {
            return Err(OffPolicyError::ArmOutOfRange { arm, n_arms });
        }
        let propensity = duel.propensity.ok_or(OffPolicyError::UnknownPropensity)?;
        if !is_probability(propensity) {
            return Err(OffPolicyError::NotAProbability { value: propensity });
        }
        pi.check(n_arms)?;
        rho.check(n_arms)?;

        let equal: f64 = match (pi, rho) {
            (Side::Arm(arm), other) | (other, Side::Arm(arm)) => other.probability(arm, n_arms),
            (Side::Uniform, _) | (_, Side::Uniform) => 1.0 / n_arms as f64,
            (Side::Mixed(pi), Side::Mixed(rho)) => pi.iter().zip(rho).map(|(p, q)| p * q).sum(),
        };
        let unequal = (1.0 - equal).max(0.0);
        let (score, reward) = (duel.outcome.score(), duel.outcome.reward());
        // How likely the two sides meet in this order, and in the other one.
        let (forth, back) = if duel.left == duel.right {
            (0.0, 0.0)
        } else {
            let of = |side: Side<'_>, arm| side.probability(arm, n_arms);
            (of(pi, duel.left) * of(rho, duel.right), of(pi, duel.right) * of(rho, duel.left))
        };
        let (forth, back) = (forth / (2.0 * propensity), back / (2.0 * propensity));
        let (w, u) = (forth - back, forth + back);

        self.n_duels += 1;
        self.unequal += unequal;
        self.scores += w * score;
        self.scores_squared += (w * score) * (w * score);
        self.scores_by_weights += w * score * u;
        self.weights += u;
        self.weights_squared += u * u;
        self.largest_weight = self.largest_weight.max(u);
        self.wins.add(forth * reward + back * (1.0 - reward), unequal / 2.0);
        self.losses.add(forth * (1.0 - reward) + back * reward, unequal / 2.0);

        let expected = self.means.expected(pi, rho);
        let robust = expected + w * (score - self.means.mean(duel.left, duel.right));
        self.robust += robust;
        self.robust_squared += robust * robust;
        self.means.add(duel.left, duel.right, score);
        Ok(())
    }

    /// How many duels were taken.
    pub fn n_duels(&self) -> u64 {
        self.n_duels
    }

    /// How many duels drawn by the two sides themselves would say as much: (sum u)^2 / sum u^2.
    pub fn effective_sample_size(&self) -> f64 {
        if self.weights_squared > 0.0 { self.weights * self.weights / self.weights_squared } else { 0.0 }
    }

    /// The largest u.
    pub fn largest_weight(&self) -> f64 {
        self.largest_weight
    }

    /// Which part of what the two sides could make of different arms the log has shown: mean(u) /
    /// c. It has mean 1 if the law could draw every pair that they could make, and is less if it
    /// could not.
    pub fn support(&self) -> f64 {
        if self.unequal > 0.0 { self.weights / self.unequal } else { 1.0 }
    }

    /// The estimate of theta, or of its mean over the log where the two sides changed, with an
    /// interval at this confidence; nothing before the first duel that says something.
    ///
    /// # Panics
    ///
    /// If the confidence is not in (0, 1).
    pub fn estimate(&self, method: Method, confidence: f64) -> Option<Estimate> {
        assert!(confidence > 0.0 && confidence < 1.0, "a confidence lies in (0, 1)");
        if self.n_duels == 0 || self.unequal > 0.0 && self.weights <= 0.0 {
            return None;
        }
        let error = 1.0 - confidence;
        let n = self.n_duels as f64;
        let c = self.unequal / n;
        let (value, low, high) = match method {
            Method::Ips => {
                let (wins, losses) =
                    (self.wins.lower_bound(error / 2.0), self.losses.lower_bound(error / 2.0));
                (self.scores / n, 2.0 * wins - c, c - 2.0 * losses)
            }
            Method::Snips => {
                let ratio = if self.weights > 0.0 { self.scores / self.weights } else { 0.0 };
                // The sum of (w s - ratio u)^2.
                let variance = self.scores_squared - 2.0 * ratio * self.scores_by_weights
                    + ratio * ratio * self.weights_squared;
                let missing = (c - self.weights / n).max(0.0);
                let (value, low, high) = self.around(ratio * c, variance, error);
                (value, low - missing, high + missing)
            }
            Method::Dr => {
                let mean = self.robust / n;
                self.around(mean, self.robust_squared - mean * self.robust, error)
            }
        };
        // theta cannot leave [-c, c], and an interval that is cut to it covers as before. Two lower
        // bounds that contradict each other, which is one of the rare errors that the confidence
        // allows for, leave what lies between them.
        let (low, high) = (low.clamp(-c, c), high.clamp(-c, c));
        Some(Estimate { value, low: low.min(high), high: high.max(low) })
    }

    /// The asymptotic interval round a mean of terms whose squares add up to `variance`.
    fn around(&self, mean: f64, variance: f64, error: f64) -> (f64, f64, f64) {
        // Whatever comes next may be as heavy as the heaviest so far.
        let variance = variance.max(0.0) + self.largest_weight * self.largest_weight;
        let radius = normal_mixture::boundary(variance, error) / self.n_duels as f64;
        (mean, mean - radius, mean + radius)
    }
}

/// Why a duel says nothing about other play.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OffPolicyError {
    /// Nobody knows how likely the pair was.
    #[error(
        "the probability with which the pair was drawn is unknown, and without it the log says nothing about other play"
    )]
    UnknownPropensity,
    /// A propensity outside (0, 1].
    #[error("{value} is not the probability of a pair that was drawn: it must lie in (0, 1]")]
    NotAProbability {
        /// What was given.
        value: f64,
    },
    /// The arm does not exist.
    #[error("there is no arm {arm}: there are {n_arms}, counted from 0")]
    ArmOutOfRange {
        /// The arm named.
        arm: Arm,
        /// How many arms there are.
        n_arms: usize,
    },
    /// Not one probability an arm.
    #[error("{got} probabilities for {n_arms} arms")]
    Length {
        /// How many came.
        got: usize,
        /// How many arms there are.
        n_arms: usize,
    },
    /// Numbers that are no distribution.
    #[error("what a side plays must be probabilities that sum to 1, not to {sum}")]
    NotADistribution {
        /// Their sum.
        sum: f64,
    },
}
