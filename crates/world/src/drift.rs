//! Worlds with utilities that change over time: deceptive, switching, and chosen by an adversary.

use rand::{Rng, RngExt};
use tiltyard_bandit::{Arm, Outcome};

use crate::regret::{Gap, Regret, RegretError};
use crate::utility::Answers;
use crate::world::{Best, BestKind, Gaps, RunState, Segment, World};

mod any;
pub(crate) mod deceptive;
pub(crate) mod switch;
mod table;
pub(crate) mod waves;

pub use any::AnyDrift;
pub use deceptive::{Deceptive, LogBase};
pub use switch::Switch;
pub use table::{After, Table, TableError};
pub use waves::Waves;

/// A sequence of utilities, one for each arm and round, fixed before the first duel.
pub trait Drift: Clone + Send + Sync {
    /// K, the number of arms.
    fn n_arms(&self) -> usize;

    /// The expected utility of an arm in a round, in [0, 1]. Rounds count from 1.
    fn mean(&self, round: u64, arm: Arm) -> f64;

    /// The best single arm over all rounds, in hindsight.
    fn best(&self) -> Arm;

    /// The best arm of a round: the arm with the largest mean, or the first of several.
    fn best_in(&self, round: u64) -> Arm {
        Arm::all(self.n_arms())
            .reduce(|best, arm| if self.mean(round, arm) > self.mean(round, best) { arm } else { best })
            .expect("there is at least one arm")
    }

    /// For a sequence that changes in steps, the first round of each stretch without a change. It
    /// begins with 1. Empty if the sequence changes all the time.
    fn starts(&self) -> Vec<u64> {
        Vec::new()
    }

    /// The regret that people most likely want to see.
    fn natural_regret(&self) -> Regret {
        Regret::BANDIT
    }

    /// The name of an arm, if the arms have names.
    fn arm_name(&self, _arm: Arm) -> Option<&str> {
        None
    }
}

/// How the utility of an arm in a round depends on its mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noise {
    /// The utility is 1 with the mean as its probability, else 0.
    Bernoulli,
    /// The utility is the mean itself: a deterministic sequence, as an adversary would write it.
    None,
}

/// A world with a sequence of utilities.
#[derive(Debug, Clone, PartialEq)]
pub struct DriftWorld<D> {
    drift: D,
    noise: Noise,
    answers: Answers,
}

impl<D: Drift> DriftWorld<D> {
    /// A world with this sequence of mean utilities.
    pub fn new(drift: D, noise: Noise, answers: Answers) -> Self {
        Self { drift, noise, answers }
    }

    fn draw<R: Rng + ?Sized>(&self, round: u64, arm: Arm, rng: &mut R) -> f64 {
        let mean = self.drift.mean(round, arm);
        match self.noise {
            Noise::Bernoulli => f64::from(u8::from(rng.random::<f64>() < mean)),
            Noise::None => mean,
        }
    }

    /// The share of the other arms that have a lower mean in a round.
    fn copeland(&self, round: u64, arm: Arm) -> f64 {
        let n_arms = self.n_arms();
        let mean = self.drift.mean(round, arm);
        let beaten = Arm::all(n_arms).filter(|&other| self.drift.mean(round, other) < mean).count();
        beaten as f64 / (n_arms - 1).max(1) as f64
    }
}

impl<D: Drift> World for DriftWorld<D> {
    fn n_arms(&self) -> usize {
        self.drift.n_arms()
    }

    #[inline]
    fn duel<R: Rng + ?Sized>(
        &self,
        _: &mut RunState,
        round: u64,
        left: Arm,
        right: Arm,
        rng: &mut R,
    ) -> Option<Outcome> {
        let x = self.draw(round, left, rng);
        let y = if left == right { x } else { self.draw(round, right, rng) };
        Some(self.answers.answer(x, y, rng))
    }

    fn best(&self) -> Best {
        Best { arm: self.drift.best(), kind: BestKind::Utility }
    }

    fn best_in(&self, round: u64) -> Arm {
        self.drift.best_in(round)
    }

    fn segments(&self) -> Vec<Segment> {
        let segment =
            |from| Segment { from, best: Best { arm: self.drift.best_in(from), kind: BestKind::Utility } };
        self.drift.starts().into_iter().map(segment).collect()
    }

    fn natural_regret(&self) -> Regret {
        self.drift.natural_regret()
    }

    fn gaps(&self, regret: Regret) -> Result<Gaps, RegretError> {
        Ok(Gaps::EachRound(regret))
    }

    fn gap(&self, gaps: &Gaps, round: u64, arm: Arm) -> f64 {
        let Gaps::EachRound(regret) = gaps else { unreachable!("these gaps were made by another world") };
        let best = if regret.dynamic { self.drift.best_in(round) } else { self.drift.best() };
        let utility = || self.drift.mean(round, best) - self.drift.mean(round, arm);
        match regret.gap {
            Gap::Utility => utility(),
            // P(i, j) = (1 + x_i - x_j) / 2. This is exact for Bernoulli utilities and for binary
            // answers.
            Gap::Preference => utility() / 2.0,
            Gap::Identity => f64::from(u8::from(arm != best)),
            Gap::Borda => utility() / 2.0 * self.n_arms() as f64 / (self.n_arms() - 1).max(1) as f64,
            Gap::Copeland => self.copeland(round, best) - self.copeland(round, arm),
        }
    }

    fn utility(&self, round: u64, arm: Arm) -> Option<f64> {
        Some(self.drift.mean(round, arm))
    }

    fn arm_name(&self, arm: Arm) -> Option<&str> {
        self.drift.arm_name(arm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> DriftWorld<Table> {
        // The sums are 1.2, 1.5 and 0.9: arm 1 is the best overall, arm 0 in the first round, arm 2
        // in the third.
        let rows = vec![0.9, 0.6, 0.0, 0.2, 0.5, 0.1, 0.1, 0.4, 0.8];
        DriftWorld::new(Table::new(3, rows).unwrap(), Noise::None, Answers::Graded)
    }

    #[test]
    fn trace_static_and_dynamic_gaps() {
        let world = table();
        assert_eq!(world.best(), Best { arm: Arm::new(1), kind: BestKind::Utility });
        let cases = [
            ("bandit", 1, [-0.3, 0.0, 0.6]),
            ("bandit", 3, [0.3, 0.0, -0.4]),
            ("dynamic-bandit", 1, [0.0, 0.3, 0.9]),
            ("dynamic-bandit", 3, [0.7, 0.4, 0.0]),
            ("condorcet", 1, [-0.15, 0.0, 0.3]),
            ("dynamic-binary-weak", 3, [1.0, 1.0, 0.0]),
            // With three arms: half the difference in utility, times 3/2.
            ("borda", 1, [-0.225, 0.0, 0.45]),
            // In round 1, arm 1 beats only arm 2, one of the two other arms.
            ("copeland", 1, [-0.5, 0.0, 0.5]),
        ];
        for (name, round, expected) in cases {
            let gaps = world.gaps(name.parse().unwrap()).unwrap();
            for (arm, expected) in Arm::all(3).zip(expected) {
                let got = world.gap(&gaps, round, arm);
                assert!(
                    (got - expected).abs() < 1e-12,
                    "{name} round {round} arm {arm}: {got}, not {expected}"
                );
            }
        }
    }
}
