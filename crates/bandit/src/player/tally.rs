//! Counts and sums of rewards per arm: what UCB1 and Thompson sampling know.

use serde::{Deserialize, Serialize};

use super::{AdditivePlayer, Pull};
use crate::Arm;
use crate::damaged::Damaged;

/// For each arm, the number and the sum of its rewards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved")]
pub(crate) struct Tally {
    counts: Vec<f64>,
    rewards: Vec<f64>,
}

#[derive(Deserialize)]
struct Saved {
    counts: Vec<f64>,
    rewards: Vec<f64>,
}

impl TryFrom<Saved> for Tally {
    type Error = Damaged;

    fn try_from(Saved { counts, rewards }: Saved) -> Result<Self, Damaged> {
        if counts.is_empty() || counts.len() != rewards.len() {
            return Err(Damaged("not one count and one sum of rewards per arm"));
        }
        if counts.iter().zip(&rewards).any(|(count, reward)| !(0.0 <= *reward && reward <= count)) {
            return Err(Damaged("a sum of rewards is negative or above its count"));
        }
        Ok(Self { counts, rewards })
    }
}

impl Tally {
    pub(crate) fn new(n_arms: usize) -> Self {
        Self { counts: vec![0.0; n_arms], rewards: vec![0.0; n_arms] }
    }

    pub(crate) fn n_arms(&self) -> usize {
        self.counts.len()
    }

    pub(crate) fn record(&mut self, arm: Arm, reward: f64) {
        self.counts[arm.index()] += 1.0;
        self.rewards[arm.index()] += reward;
    }

    pub(crate) fn reset(&mut self) {
        self.counts.fill(0.0);
        self.rewards.fill(0.0);
    }

    /// The number of an arm's rewards.
    pub(crate) fn count(&self, arm: Arm) -> f64 {
        self.counts[arm.index()]
    }

    /// The sum of an arm's rewards.
    pub(crate) fn reward(&self, arm: Arm) -> f64 {
        self.rewards[arm.index()]
    }

    /// The mean of an arm's rewards; 1/2 before the first.
    pub(crate) fn mean(&self, arm: Arm) -> f64 {
        if self.count(arm) > 0.0 { self.reward(arm) / self.count(arm) } else { 0.5 }
    }
}

impl AdditivePlayer for Tally {
    fn sums(&self) -> Vec<f64> {
        [self.counts.as_slice(), &self.rewards].concat()
    }

    fn add(&mut self, increments: &[f64]) {
        assert_eq!(increments.len(), 2 * self.n_arms(), "one count and one reward per arm");
        for (sum, increment) in self.counts.iter_mut().chain(&mut self.rewards).zip(increments) {
            *sum += increment;
        }
    }

    fn take_back(&mut self, pull: &Pull, reward: f64) {
        let i = pull.arm.index();
        self.counts[i] = (self.counts[i] - 1.0).max(0.0);
        // Rounding must not take the sum out of the range that the count allows.
        self.rewards[i] = (self.rewards[i] - reward).clamp(0.0, self.counts[i]);
    }
}
