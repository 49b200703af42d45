//! A generated adversarial sequence: every arm rises and falls.

use core::f64::consts::TAU;

use tiltyard_bandit::Arm;

use super::Drift;

/// Arm i has utility `0.45 + 0.35 sin(2 pi (t / period + i / K))`, and arm 0 a tenth more.
///
/// At almost any time another arm is ahead, and over whole periods arm 0 gains the most. Nothing is random: this is a
/// sequence that an oblivious adversary wrote down, without a single duel that repeats an earlier one's chances.
#[derive(Debug, Clone, PartialEq)]
pub struct Waves {
    n_arms: usize,
    period: f64,
}

impl Waves {
    /// Over `n_arms` arms with `period` rounds to a wave.
    ///
    /// # Panics
    ///
    /// If there are no arms or the period is not positive.
    pub fn new(n_arms: usize, period: f64) -> Self {
        assert!(n_arms > 0 && period > 0.0, "at least one arm, and a period above 0");
        Self { n_arms, period }
    }
}

impl Drift for Waves {
    fn n_arms(&self) -> usize {
        self.n_arms
    }

    fn mean(&self, round: u64, arm: Arm) -> f64 {
        let phase = round as f64 / self.period + arm.index() as f64 / self.n_arms as f64;
        let bonus = if arm == self.best() { 0.1 } else { 0.0 };
        0.45 + 0.35 * (TAU * phase).sin() + bonus
    }

    fn best(&self) -> Arm {
        Arm::new(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Over ten whole periods the sines cancel: arm 0 gains 0.55 a round, the others 0.45.
    #[test]
    fn trace_gains_over_whole_periods() {
        let world = Waves::new(10, 100.0);
        let mean = |arm| (1..=1000).map(|round| world.mean(round, arm)).sum::<f64>() / 1000.0;
        assert!((mean(Arm::new(0)) - 0.55).abs() < 1e-9);
        assert!((mean(Arm::new(7)) - 0.45).abs() < 1e-9);
        let leaders: std::collections::BTreeSet<_> = (1..=100).map(|round| world.best_in(round)).collect();
        assert!(leaders.len() >= 8, "{leaders:?}");
        for round in 1..=100 {
            for arm in Arm::all(10) {
                assert!((0.0..=1.0).contains(&world.mean(round, arm)));
            }
        }
    }
}
