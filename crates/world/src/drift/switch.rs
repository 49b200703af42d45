//! The switch trap: the arm that is best at first is not the best over all rounds.

use tiltyard_bandit::Arm;
use tiltyard_bandit::params::{ParamError, Params};

use super::{AnyDrift, Drift, Noise};
use crate::family::{Build, Family};
use crate::param::{ANSWERS, Number, number};

const ARMS: Number = number!("arms" = 10 in [2, 1e7], "how many arms");

pub(crate) static FAMILY: Family = Family {
    name: "switch10",
    title: "the switch trap: arm 1 is far ahead for the first tenth of the rounds, then arm 0 is best",
    provenance: "this library, to separate the two readings of REX3's anytime form",
    n_arms: Some(10),
    params: &[ARMS.doc, ANSWERS.doc],
    needs_file: false,
    build: Build::Drift(build),
};

fn build(params: &mut Params<'_>, rounds: u64) -> Result<(AnyDrift, Noise), ParamError> {
    Ok((Switch::new(ARMS.count(params)?, rounds).into(), Noise::Bernoulli))
}

/// For the first tenth of the rounds, arm 1 has mean 0.9 and the other arms 0.5. After that, arm 0
/// has mean 0.6 and the other arms 0.5.
///
/// Over T rounds, arm 0 gains 0.09 T more than an arm that stays at 0.5, and arm 1 gains 0.04 T
/// more. So arm 0 is the best single arm. A policy that gives its first impressions too much weight
/// never finds out. This world separates the two readings of REX3's "anytime".
#[derive(Debug, Clone, PartialEq)]
pub struct Switch {
    n_arms: usize,
    /// The last round before the switch.
    last: u64,
}

impl Switch {
    /// A switch trap with `n_arms` arms for runs of `horizon` rounds.
    ///
    /// # Panics
    ///
    /// If there are fewer than two arms.
    pub fn new(n_arms: usize, horizon: u64) -> Self {
        assert!(n_arms >= 2, "a switch needs two arms");
        Self { n_arms, last: horizon / 10 }
    }
}

impl Drift for Switch {
    fn n_arms(&self) -> usize {
        self.n_arms
    }

    fn mean(&self, round: u64, arm: Arm) -> f64 {
        match (round <= self.last, arm.index()) {
            (true, 1) => 0.9,
            (false, 0) => 0.6,
            _ => 0.5,
        }
    }

    fn best(&self) -> Arm {
        Arm::new(0)
    }

    fn best_in(&self, round: u64) -> Arm {
        Arm::new(usize::from(round <= self.last))
    }

    fn starts(&self) -> Vec<u64> {
        // A run of fewer than ten rounds has no rounds before the switch.
        if self.last == 0 { vec![1] } else { vec![1, self.last + 1] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_the_switch() {
        let world = Switch::new(10, 1000);
        let means = |round| [0, 1, 2].map(|arm| (10.0 * world.mean(round, Arm::new(arm))).to_string());
        assert_eq!(means(1), ["5", "9", "5"]);
        assert_eq!(means(100), ["5", "9", "5"]);
        assert_eq!(means(101), ["6", "5", "5"]);
        let gain = |arm| (1..=1000).map(|round| world.mean(round, Arm::new(arm)) - 0.5).sum::<f64>();
        assert!((gain(0) - 90.0).abs() < 1e-9 && (gain(1) - 40.0).abs() < 1e-9);
        assert_eq!((world.starts(), Switch::new(2, 9).starts()), (vec![1, 101], vec![1]));
    }
}
