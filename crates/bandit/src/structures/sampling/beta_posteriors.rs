//! Beta posteriors of several arms, and draws of the arm with the largest sample.
//!
//! The direct way is to draw a sample for each arm and take the largest. That needs O(K) draws from
//! Beta distributions, and nearly all samples lose. Here the arms are visited one by one. Let m be
//! the largest sample so far. For the next arm, the first draw only decides *whether* its sample is
//! above m.
//!
//! If the arm's density f falls to the right of m, two functions bound it there. The first is its
//! tangent in logarithms, f(m) exp(-s (x - m)), where s is the slope of -ln f at m, because Beta
//! densities with parameters of at least 1 are log-concave. The second is the constant f(m). The
//! area b under the smaller of the two is an upper bound on Pr(sample > m). So with probability 1 -
//! b the arm is done, at the cost of one random word and one exponential. Otherwise a point is
//! drawn from the envelope and accepted with probability f / envelope. This gives exactly the right
//! distribution: both the probability that the sample is above m, and the sample itself in that
//! case.
//!
//! If the density rises at m, or b is not below 1, the arm's sample is drawn in the usual way.

use rand::{Rng, RngExt};
use rand_distr::{Beta, Distribution};
use serde::{Deserialize, Serialize};

use crate::Arm;
use crate::argmax::first_best;
use crate::damaged::Damaged;
use crate::structures::weights::exp::exp;

/// The wins and losses of each arm. Its posterior is Beta(1 + eta wins, 1 + eta losses).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub(crate) struct BetaPosteriors {
    eta: f64,
    wins: Vec<u64>,
    losses: Vec<u64>,
    densities: Vec<Density>,
    /// The arm with the largest posterior mean. It is visited first: the sooner m is large, the
    /// fewer samples are drawn.
    leader: Arm,
}

/// A Beta density, x^a (1 - x)^b exp(scale).
#[derive(Debug, Clone, Copy, PartialEq)]
struct Density {
    a: f64,
    b: f64,
    scale: f64,
}

impl Density {
    fn new(eta: f64, wins: u64, losses: u64) -> Self {
        let (a, b) = (eta * wins as f64, eta * losses as f64);
        let scale = libm::lgamma(a + b + 2.0) - libm::lgamma(a + 1.0) - libm::lgamma(b + 1.0);
        Self { a, b, scale }
    }

    fn mean(self) -> f64 {
        (1.0 + self.a) / (2.0 + self.a + self.b)
    }

    fn sample<R: Rng + ?Sized>(self, rng: &mut R) -> f64 {
        Beta::new(1.0 + self.a, 1.0 + self.b).expect("both parameters are at least 1").sample(rng)
    }

    /// A sample, if it is above `top`.
    #[inline]
    fn above<R: Rng + ?Sized>(self, top: &Top, rng: &mut R) -> Option<f64> {
        let slope = self.b * top.per_rest - self.a * top.per_value;
        if slope >= 0.0 {
            let height = self.a * top.ln_value + self.b * top.ln_rest + self.scale;
            if height < NEVER {
                return None;
            }
            // If the tangent is so flat that x reaches 1 before it has fallen much, the constant is
            // the smaller envelope.
            let flat = slope * top.rest < 1.0;
            let rate = if flat { top.per_rest } else { slope };
            let area = exp(height) / rate;
            if area < 1.0 {
                let passes = rng.random::<f64>() < area;
                return if passes { self.point_below(top, slope, flat, rng) } else { None };
            }
        }
        Some(self.sample(rng)).filter(|&sample| sample > top.value)
    }

    /// A point under the envelope, if it is under the density too.
    #[cold]
    fn point_below<R: Rng + ?Sized>(self, top: &Top, slope: f64, flat: bool, rng: &mut R) -> Option<f64> {
        let u: f64 = rng.random();
        let step = if flat { top.rest * u } else { -libm::log1p(-u) / slope };
        let sample = top.value + step;
        if sample >= 1.0 || step <= 0.0 {
            return None;
        }
        let envelope = if flat { 0.0 } else { -slope * step };
        let density = self.a * libm::log1p(step * top.per_value) + self.b * libm::log1p(-step * top.per_rest);
        (libm::log1p(-rng.random::<f64>()) < density - envelope).then_some(sample)
    }
}

/// ln of a probability that a 64-bit generator cannot distinguish from 0.
const NEVER: f64 = -45.0;

/// The largest sample so far, with the functions of it that each arm needs.
struct Top {
    value: f64,
    rest: f64,
    ln_value: f64,
    ln_rest: f64,
    per_value: f64,
    per_rest: f64,
}

impl Top {
    fn new(sample: f64) -> Self {
        // Samples of extreme distributions may be rounded to 0 or 1. Then ln x or ln(1 - x) is
        // infinite.
        let value = sample.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON / 2.0);
        let rest = 1.0 - value;
        Self {
            value,
            rest,
            ln_value: libm::log(value),
            ln_rest: libm::log(rest),
            per_value: 1.0 / value,
            per_rest: 1.0 / rest,
        }
    }
}

impl BetaPosteriors {
    pub(crate) fn new(n_arms: usize, eta: f64) -> Self {
        Self::assemble(eta, vec![0; n_arms], vec![0; n_arms])
    }

    fn assemble(eta: f64, wins: Vec<u64>, losses: Vec<u64>) -> Self {
        let densities =
            wins.iter().zip(&losses).map(|(&wins, &losses)| Density::new(eta, wins, losses)).collect();
        let mut posteriors = Self { eta, wins, losses, densities, leader: Arm::new(0) };
        posteriors.leader = posteriors.best();
        posteriors
    }

    #[inline]
    pub(crate) fn n_arms(&self) -> usize {
        self.wins.len()
    }

    pub(crate) fn eta(&self) -> f64 {
        self.eta
    }

    /// The arm with the largest posterior mean, and the lowest index among equals. Takes O(K) time.
    pub(crate) fn best(&self) -> Arm {
        first_best(Arm::all(self.n_arms()), |arm| self.densities[arm.index()].mean())
    }

    /// The arm with the most wins. Ties are broken by the fewest losses, then by the lowest index.
    /// Takes O(K) time.
    pub(crate) fn most_wins(&self) -> Arm {
        let standing = |arm: Arm| (self.wins[arm.index()], core::cmp::Reverse(self.losses[arm.index()]));
        first_best(Arm::all(self.n_arms()), standing)
    }

    /// Counts a duel. A duel of an arm with itself is a win and a loss.
    #[inline]
    pub(crate) fn record(&mut self, winner: Arm, loser: Arm) {
        self.wins[winner.index()] += 1;
        self.losses[loser.index()] += 1;
        self.look_at(winner, loser);
    }

    /// Takes back a counted duel. Counts do not fall below 0.
    pub(crate) fn erase(&mut self, winner: Arm, loser: Arm) {
        for count in [&mut self.wins[winner.index()], &mut self.losses[loser.index()]] {
            *count = count.saturating_sub(1);
        }
        self.look_at(winner, loser);
    }

    /// Recomputes everything that depends on the counts of two arms.
    #[inline]
    fn look_at(&mut self, winner: Arm, loser: Arm) {
        for arm in [winner.index(), loser.index()] {
            self.densities[arm] = Density::new(self.eta, self.wins[arm], self.losses[arm]);
        }
        self.leader = self.best();
    }

    /// The wins of each arm, then the losses of each arm.
    pub(crate) fn sums(&self) -> Vec<f64> {
        self.wins.iter().chain(&self.losses).map(|&count| count as f64).collect()
    }

    /// Adds to all counts. Increments should be whole numbers. Sums are rounded, and no count falls
    /// below 0.
    pub(crate) fn add(&mut self, increments: &[f64]) {
        assert_eq!(increments.len(), 2 * self.n_arms(), "one increment of wins and one of losses per arm");
        for (count, increment) in self.wins.iter_mut().chain(&mut self.losses).zip(increments) {
            let sum = (*count as f64 + increment).round().clamp(0.0, HIGHEST as f64);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped before")]
            let sum = sum as u64;
            *count = sum;
        }
        *self = Self::assemble(self.eta, core::mem::take(&mut self.wins), core::mem::take(&mut self.losses));
    }

    /// Draws a sample for each arm, and returns the arm with the largest sample.
    #[inline]
    pub(crate) fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Arm {
        let mut best = self.leader;
        let mut top = Top::new(self.densities[best.index()].sample(rng));
        for (arm, density) in Arm::all(self.n_arms()).zip(&self.densities) {
            if arm == self.leader {
                continue;
            }
            if let Some(sample) = density.above(&top, rng) {
                best = arm;
                top = Top::new(sample);
            }
        }
        best
    }
}

/// The largest count. No run has this many duels, and a count at this value can still grow.
const HIGHEST: u64 = 1 << 52;

/// The stored part of [`BetaPosteriors`]. The rest follows from it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Saved {
    eta: f64,
    wins: Vec<u64>,
    losses: Vec<u64>,
}

impl From<BetaPosteriors> for Saved {
    fn from(BetaPosteriors { eta, wins, losses, .. }: BetaPosteriors) -> Self {
        Self { eta, wins, losses }
    }
}

impl TryFrom<Saved> for BetaPosteriors {
    type Error = Damaged;

    fn try_from(Saved { eta, wins, losses }: Saved) -> Result<Self, Damaged> {
        if wins.is_empty() || wins.len() != losses.len() {
            return Err(Damaged("the counts of wins and of losses differ in length or are empty"));
        }
        if wins.iter().chain(&losses).any(|&count| count > HIGHEST) {
            return Err(Damaged("a count is larger than any run can reach"));
        }
        Ok(Self::assemble(eta, wins, losses))
    }
}
