//! Beta posteriors of several arms, and which of them gives the largest sample.
//!
//! Drawing a sample for each arm and taking the largest is O(K) draws from Beta laws, nearly all of
//! which lose. Here the arms pass one by one with the largest sample so far, m, and what is drawn
//! of the next arm is first of all *whether* it is above m. Where the density f falls to the right
//! of m, it lies there below an envelope: below its tangent in logarithms, f(m) exp(-s (x - m))
//! with s the slope of -ln f at m, because Beta densities whose parameters are at least 1 are
//! log-concave; and below f(m). The area b under the smaller of the two is above Pr(sample > m). So
//! with probability 1 - b the arm is done, at the price of one word and one exponential; else a
//! point is drawn from the envelope and accepted with the chance f / envelope, which makes the
//! sample, given that it is above m, and the chance of it exact. Arms whose density rises at m, or
//! whose b is no chance, are drawn as usual.

use rand::{Rng, RngExt};
use rand_distr::{Beta, Distribution};
use serde::{Deserialize, Serialize};

use crate::Arm;
use crate::argmax::first_best;
use crate::damaged::Damaged;
use crate::structures::weights::exp::exp;

/// Wins and losses of each arm; its posterior is Beta(1 + eta wins, 1 + eta losses).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub(crate) struct BetaPosteriors {
    eta: f64,
    wins: Vec<u64>,
    losses: Vec<u64>,
    densities: Vec<Density>,
    /// The arm of the largest posterior mean, which passes first: the sooner m is large, the fewer
    /// samples are drawn.
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
            // Where the tangent is so flat that it reaches 1 before it has fallen much, the
            // constant is the smaller envelope.
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

    /// A point under the envelope, if it lies under the density too.
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

/// ln of a chance that a generator of 64 bits cannot tell from 0.
const NEVER: f64 = -45.0;

/// The largest sample so far, with what each arm compares it by.
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
        // Samples of extreme laws may be rounded to 0 or 1, which have no logarithm.
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

    /// The arm of the largest posterior mean, the lowest index among equals. In O(K).
    pub(crate) fn best(&self) -> Arm {
        first_best(Arm::all(self.n_arms()), |arm| self.densities[arm.index()].mean())
    }

    /// The arm that has won most often; among those the one that has lost least, then the lowest
    /// index. In O(K).
    pub(crate) fn most_wins(&self) -> Arm {
        let standing = |arm: Arm| (self.wins[arm.index()], core::cmp::Reverse(self.losses[arm.index()]));
        first_best(Arm::all(self.n_arms()), standing)
    }

    /// Counts a duel; one of an arm with itself is a win and a loss.
    #[inline]
    pub(crate) fn record(&mut self, winner: Arm, loser: Arm) {
        self.wins[winner.index()] += 1;
        self.losses[loser.index()] += 1;
        self.look_at(winner, loser);
    }

    /// Takes a counted duel back. One that was not counted changes nothing.
    pub(crate) fn erase(&mut self, winner: Arm, loser: Arm) {
        for count in [&mut self.wins[winner.index()], &mut self.losses[loser.index()]] {
            *count = count.saturating_sub(1);
        }
        self.look_at(winner, loser);
    }

    /// Makes anew what follows from the counts of two arms.
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

    /// Increments of counts are whole; what is not is rounded, and no count falls below 0.
    pub(crate) fn add(&mut self, increments: &[f64]) {
        assert_eq!(increments.len(), 2 * self.n_arms(), "wins and losses of each arm");
        for (count, increment) in self.wins.iter_mut().chain(&mut self.losses).zip(increments) {
            let sum = (*count as f64 + increment).round().clamp(0.0, HIGHEST as f64);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cut off before")]
            let sum = sum as u64;
            *count = sum;
        }
        *self = Self::assemble(self.eta, core::mem::take(&mut self.wins), core::mem::take(&mut self.losses));
    }

    /// Draws a sample for each arm, and returns the arm of the largest.
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

/// No run has as many duels, and a count can still go on from it.
const HIGHEST: u64 = 1 << 52;

/// What is stored of [`BetaPosteriors`]: all but what follows from it.
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
            return Err(Damaged("not one count of wins and one of losses an arm"));
        }
        if wins.iter().chain(&losses).any(|&count| count > HIGHEST) {
            return Err(Damaged("more duels than a run can have seen"));
        }
        Ok(Self::assemble(eta, wins, losses))
    }
}
