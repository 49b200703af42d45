//! Off-policy evaluation: estimates, from the duels that one policy drew, how arms or other
//! policies would do.
//!
//! A log contains ordered pairs of arms, the probability with which each pair was drawn (its
//! *propensity*), and the outcomes. The *logging law* is the distribution from which the pairs were
//! drawn; it may adapt to earlier outcomes. From such a log one can estimate preferences and
//! functions of them. This module estimates
//!
//! ```text
//! theta = sum_i sum_j pi_i rho_j (2 P_ij - 1)        in [-c, c], c = 1 - sum_i pi_i rho_i
//! ```
//!
//! the mean score of an arm drawn from pi in duels with arms drawn from rho. Two examples:
//!
//! - If pi is a single arm and rho is uniform over K arms, theta is the arm's Borda score on the
//!   scale from -1 to 1.
//! - If pi is the distribution of a candidate policy and rho that of the current policy, the sign
//!   of theta says which of the two to use.
//!
//! Utilities, and differences of utilities, cannot be learned from duels without assuming a link.
//!
//! With w = (pi_a rho_b - pi_b rho_a) / (2 propensity) and u = (pi_a rho_b + pi_b rho_a) / (2
//! propensity), both 0 if an arm duels itself:
//!
//! - **ips** = mean(w s). It is unbiased, also if the logging law is adaptive. Its interval is
//!   exact: it holds for all numbers of duels at once, so you may look after every duel and stop at
//!   any time.
//! - **snips** = c mean(w s) / mean(u). It has a small bias, of order 1/n, and a smaller variance
//!   if the weights vary. Its interval is asymptotic.
//! - **dr** = mean(sum_ij pi_i rho_j f(i, j) + w (s - f(a, b))), where f is the mean score of the
//!   pair in the *earlier* duels, shrunk towards 0. It is unbiased for every f, because f does not
//!   depend on the current duel, and has a smaller variance if f is good. Its interval is
//!   asymptotic.
//!
//! The exact interval consists of two lower bounds. Z = (pi_a rho_b y + pi_b rho_a (1 - y)) / (2
//! propensity) with y = (1 + s) / 2 is never negative and has mean sum_ij pi_i rho_j P_ij over
//! different arms; Z' is the same with 1 - y. Neither the weights nor the propensities need a
//! bound. If pi and rho change from duel to duel, the interval holds for the mean of theta over the
//! log, as long as both are fixed before the duel's outcome is known. If the logging law never
//! draws some pairs, the means of Z and Z' are only smaller, so the interval still holds but stays
//! wide. The estimates themselves and the asymptotic intervals require that the logging law can
//! draw every ordered pair that pi and rho can form.
//!
//! The asymptotic intervals use a normal mixture over the running variance of martingale
//! differences. They too hold for all numbers of duels at once, but their coverage is right only in
//! the limit. If a pair is rare and its weight large, that limit is far away: as long as the log
//! does not contain the pair, its effect is unknown. Two terms guard against that, and both vanish
//! in the limit. The variance includes one more duel with the largest weight so far. For snips,
//! which treats the pairs in the log as if they were all pairs, the radius includes the missing
//! part c - mean(u). This module has no intervals for independent samples, because the terms are
//! not independent if the logging law is adaptive.
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
//!     // How well would arm 1 do against all arms?
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

/// One side of the comparison: the probability of each arm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Side<'a> {
    /// Always this arm.
    Arm(Arm),
    /// Every arm with the same probability.
    Uniform,
    /// These probabilities, one per arm.
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
                // Written positively so that NaN fails. The probabilities of a policy sum to 1 only
                // up to rounding.
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
    /// The probability with which this ordered pair was drawn, if it is known.
    pub propensity: Option<f64>,
    /// The outcome of the duel.
    pub outcome: Outcome,
}

impl Duel {
    /// The duel of a ticket.
    pub fn of(ticket: &Ticket, outcome: Outcome) -> Self {
        Self { left: ticket.left, right: ticket.right, propensity: ticket.propensity(), outcome }
    }
}

/// The way to estimate theta; see the [module](self).
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
    /// All methods.
    pub const ALL: [Self; 3] = [Self::Ips, Self::Snips, Self::Dr];

    /// Its name in tables and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ips => "ips",
            Self::Snips => "snips",
            Self::Dr => "dr",
        }
    }

    /// Whether its interval holds for every number of duels, not only in the limit.
    pub const fn is_exact(self) -> bool {
        matches!(self, Self::Ips)
    }
}

/// An estimate with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate of theta. It may be outside [-1, 1] after few duels.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// An evaluation of a log. It takes the duels in the order in which they were drawn. A duel costs
/// O(1) if the two sides are [`Side::Arm`] or [`Side::Uniform`] and stay the same, otherwise
/// O(K^2). Memory is O(K^2).
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
    /// An evaluation of a log with `n_arms` arms.
    ///
    /// # Panics
    ///
    /// If there are no arms.
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

    /// Takes the next duel of the log, and the distributions of the two sides. These may depend on
    /// all earlier duels but not on this one.
    ///
    /// # Errors
    ///
    /// If the propensity is unknown, a number is not a probability, or an arm does not exist. The
    /// evaluation is then unchanged.
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
        // The probability of this pair if the two sides are in this order, and in the opposite
        // order.
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

    /// The number of duels taken so far.
    pub fn n_duels(&self) -> u64 {
        self.n_duels
    }

    /// The number of duels, drawn by the two sides themselves, that would carry as much
    /// information: (sum u)^2 / sum u^2.
    pub fn effective_sample_size(&self) -> f64 {
        if self.weights_squared > 0.0 { self.weights * self.weights / self.weights_squared } else { 0.0 }
    }

    /// The largest u.
    pub fn largest_weight(&self) -> f64 {
        self.largest_weight
    }

    /// The share of the pairs of different arms that the two sides can form and that the log
    /// covers: mean(u) / c. Its mean is 1 if the logging law can draw every such pair, and less
    /// otherwise.
    pub fn support(&self) -> f64 {
        if self.unequal > 0.0 { self.weights / self.unequal } else { 1.0 }
    }

    /// The estimate of theta, with an interval at this confidence. If the two sides changed, it
    /// estimates the mean of theta over the log. `None` before the first duel with a positive
    /// weight.
    ///
    /// # Panics
    ///
    /// If the confidence is not in (0, 1).
    pub fn estimate(&self, method: Method, confidence: f64) -> Option<Estimate> {
        assert!(confidence > 0.0 && confidence < 1.0, "a confidence must be in (0, 1)");
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
        // theta is in [-c, c], so clamping the interval to that range does not change its coverage.
        // Two lower bounds can contradict each other; that is one of the rare errors that the
        // confidence allows for. The interval is then the range between them.
        let (low, high) = (low.clamp(-c, c), high.clamp(-c, c));
        Some(Estimate { value, low: low.min(high), high: high.max(low) })
    }

    /// The asymptotic interval around a mean of terms, where `variance` is the sum of their
    /// squares.
    fn around(&self, mean: f64, variance: f64, error: f64) -> (f64, f64, f64) {
        // The next duel may have as large a weight as the largest so far.
        let variance = variance.max(0.0) + self.largest_weight * self.largest_weight;
        let radius = normal_mixture::boundary(variance, error) / self.n_duels as f64;
        (mean, mean - radius, mean + radius)
    }
}

/// Why a duel cannot be used for off-policy evaluation.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum OffPolicyError {
    /// The propensity is unknown.
    #[error("the probability with which the pair was drawn is unknown, but off-policy evaluation needs it")]
    UnknownPropensity,
    /// The propensity is outside (0, 1].
    #[error("the probability of a drawn pair must be in (0, 1], not {value}")]
    NotAProbability { value: f64 },
    /// The arm does not exist.
    #[error("there is no arm {arm}: there are {n_arms} arms, counted from 0")]
    ArmOutOfRange { arm: Arm, n_arms: usize },
    /// The number of probabilities differs from the number of arms.
    #[error("a side has {got} probabilities, but there are {n_arms} arms")]
    Length { got: usize, n_arms: usize },
    /// The numbers are not a probability distribution.
    #[error("the probabilities of a side must be at least 0 and sum to 1; their sum is {sum}")]
    NotADistribution { sum: f64 },
}
