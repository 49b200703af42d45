//! The contract of worlds in which points duel instead of arms.

use rand::Rng;
use tiltyard_bandit::{Arm, Outcome};

use crate::linear_ranker::LinearRankerWorld;
use crate::regret::{Regret, RegretError};
use crate::world::{Best, BestKind, Gaps, RunState, World};

/// A source of outcomes for duels between points that also knows the true regret.
///
/// A world is immutable. All randomness of an answer comes from the generator passed in.
pub trait ContinuousWorld: Clone + Send + Sync {
    /// d, the number of coordinates of a point.
    fn dimension(&self) -> usize;

    /// The outcome of a duel.
    fn duel<R: Rng + ?Sized>(&self, left: &[f64], right: &[f64], rng: &mut R) -> Outcome;

    /// The expected regret of a duel, (P(best, left) + P(best, right) - 1) / 2. This is the mean
    /// over both slots of P(best, point) - 1/2, the Condorcet regret of worlds with arms. Some
    /// papers use the sum over the slots, which is twice as large.
    fn regret(&self, left: &[f64], right: &[f64]) -> f64;
}

/// A continuous world as a [`World`]. It has no arms, so no policy over arms can play in it. A
/// continuous policy plays in the inner world.
#[derive(Debug, Clone, PartialEq)]
pub struct PointWorld(pub LinearRankerWorld);

const NO_ARMS: &str = "a continuous world has no arms";

impl World for PointWorld {
    fn n_arms(&self) -> usize {
        0
    }

    fn duel<R: Rng + ?Sized>(&self, _: &mut RunState, _: u64, _: Arm, _: Arm, _: &mut R) -> Option<Outcome> {
        unreachable!("{NO_ARMS}")
    }

    /// The best is a point, so the arm in this value has no meaning.
    fn best(&self) -> Best {
        Best { arm: Arm::new(0), kind: BestKind::Point }
    }

    fn natural_regret(&self) -> Regret {
        Regret::CONDORCET
    }

    fn gaps(&self, regret: Regret) -> Result<Gaps, RegretError> {
        let measures = regret == Regret::CONDORCET;
        if measures { Ok(Gaps::Table(Vec::new())) } else { Err(RegretError::Points { regret }) }
    }

    fn gap(&self, _: &Gaps, _: u64, _: Arm) -> f64 {
        unreachable!("{NO_ARMS}")
    }
}
