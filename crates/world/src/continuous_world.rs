//! The contract of worlds whose duels are of points.

use rand::Rng;
use tiltyard_bandit::Outcome;

/// What answers duels of points, and the truth that regret is measured by.
///
/// A world is immutable: everything random about an answer is drawn from the generator passed in.
pub trait ContinuousWorld: Clone + Send + Sync {
    /// d: how many numbers make a point.
    fn dimension(&self) -> usize;

    /// The outcome of a duel.
    fn duel<R: Rng + ?Sized>(&self, left: &[f64], right: &[f64], rng: &mut R) -> Outcome;

    /// The expected regret of a duel: the mean over both slots of how much more often than half the time the best point would
    /// beat the one there, (P(best, left) + P(best, right) - 1) / 2. It is the Condorcet regret of worlds with arms; a sum over the
    /// slots, which some papers use, is twice that.
    fn regret(&self, left: &[f64], right: &[f64]) -> f64;
}
