//! Duels that are drawn uniformly and never learned from: an unbiased sample beside what the policy chooses.

use rand::{Rng, RngExt};
use tiltyard_bandit::{Arm, Draw, Ticket};

/// A duel of two different arms of these, all ordered pairs alike.
pub(crate) fn draw(arms: &[Arm], rng: &mut dyn Rng) -> Ticket {
    let n_arms = arms.len();
    let left = rng.random_range(0..n_arms);
    let right = rng.random_range(0..n_arms - 1);
    let right = right + usize::from(right >= left);
    let pairs = (n_arms * (n_arms - 1)) as f64;
    Ticket {
        round: 0,
        left: arms[left],
        right: arms[right],
        rate: 1.0,
        epoch: 0,
        draw: Draw::Pair(1.0 / pairs),
    }
}
