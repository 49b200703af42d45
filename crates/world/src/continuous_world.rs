//! The contract of worlds whose duels are of points.

use rand::Rng;
use tiltyard_bandit::{Arm, Outcome};

use crate::linear_ranker::LinearRankerWorld;
use crate::regret::{Regret, RegretError};
use crate::world::{Best, BestKind, Gaps, RunState, World};

/// What answers duels of points, and the truth that regret is measured by.
///
/// A world is immutable: everything random about an answer is drawn from the generator passed in.
pub trait ContinuousWorld: Clone + Send + Sync {
    /// d: how many numbers make a point.
    fn dimension(&self) -> usize;

    /// The outcome of a duel.
    fn duel<R: Rng + ?Sized>(&self, left: &[f64], right: &[f64], rng: &mut R) -> Outcome;

    /// The expected regret of a duel: the mean over both slots of how much more often than half the
    /// time the best point would beat the one there, (P(best, left) + P(best, right) - 1) / 2. It
    /// is the Condorcet regret of worlds with arms; a sum over the slots, which some papers use, is
    /// twice that.
    fn regret(&self, left: &[f64], right: &[f64]) -> f64;
}

/// A continuous world among the others: it has no arms, so no policy over arms can play in it. A
/// continuous policy asks the world inside.
#[derive(Debug, Clone, PartialEq)]
pub struct PointWorld(pub LinearRankerWorld);

const NO_ARMS: &str = "a world without arms is asked about none";

impl World for PointWorld {
    fn n_arms(&self) -> usize {
        0
    }

    fn duel<R: Rng + ?Sized>(&self, _: &mut RunState, _: u64, _: Arm, _: Arm, _: &mut R) -> Option<Outcome> {
        unreachable!("{NO_ARMS}")
    }

    /// The best is a point; the arm in it is none of this world's.
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
