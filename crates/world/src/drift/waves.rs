//! Generated sequences in which the utility of every arm rises and falls.

use core::cmp::Ordering;
use core::f64::consts::{PI, TAU};

use tiltyard_bandit::Arm;
use tiltyard_bandit::params::{Param, ParamError, Params};

use super::{AnyDrift, Drift, Noise};
use crate::family::{Build, Family};
use crate::param::{ANSWERS, ARMS, Choice, Number, choice, number};
use crate::regret::Regret;

const PERIOD: Number = number!("period" = 1000 above 0, "rounds per wave");
/// By default the length of a run.
const TURN: Param = Param { default: "T", meaning: "rounds until every arm has led once", ..PERIOD.doc };
const AMPLITUDE: Number = number!("amplitude" = 0.4 in [0, 0.5], "height of the waves above and below 1/2");
const NOISE: Choice<Noise> = choice!("noise":
    "bernoulli" => Noise::Bernoulli, "none" => Noise::None;
    "bernoulli: utilities are 0 or 1 with that mean; none: the mean itself");

pub(crate) static WAVES: Family = Family {
    name: "waves10",
    title: "an adversary's sequence: every arm rises and falls, and arm 0 gains the most over all rounds",
    provenance: "a formula, without randomness in the utilities",
    n_arms: Some(10),
    params: &[ARMS.doc, PERIOD.doc, ANSWERS.doc],
    needs_file: false,
    build: Build::Drift(build_waves),
};

pub(crate) static ROTATING: Family = Family {
    name: "rotating10",
    title: "the lead passes from arm to arm: every arm rises and falls, and none is best for long",
    provenance: "a formula: utilities 1/2 + a sin(2 pi (t / period + i / K))",
    n_arms: Some(10),
    params: &[ARMS.doc, TURN, AMPLITUDE.doc, NOISE.doc, ANSWERS.doc],
    needs_file: false,
    build: Build::Drift(build_rotating),
};

fn build_waves(params: &mut Params<'_>, _: u64) -> Result<(AnyDrift, Noise), ParamError> {
    Ok((Waves::new(ARMS.count(params)?, PERIOD.read(params)?).into(), Noise::None))
}

fn build_rotating(params: &mut Params<'_>, rounds: u64) -> Result<(AnyDrift, Noise), ParamError> {
    let n_arms = ARMS.count(params)?;
    let period = params.number_or(TURN.key, PERIOD.range, rounds as f64)?;
    let drift = Waves::rotating(n_arms, period, AMPLITUDE.read(params)?, rounds);
    Ok((drift.into(), NOISE.read(params)?))
}

/// Arm i has utility `centre + amplitude sin(2 pi (t / period + i / K))`. Arm 0 may have a bonus.
///
/// With the bonus ([`Waves::new`]) arm 0 gains the most over whole periods, although other arms
/// lead at almost any time. Such a sequence of an oblivious adversary is measured against the best
/// single arm. Without the bonus ([`Waves::rotating`]) the lead passes from arm to arm, and no arm
/// is best for long. Only a policy that follows the lead can gain there.
#[derive(Debug, Clone, PartialEq)]
pub struct Waves {
    n_arms: usize,
    period: f64,
    centre: f64,
    amplitude: f64,
    bonus: f64,
    best: Arm,
}

impl Waves {
    /// Waves of `n_arms` arms with `period` rounds per wave: 0.45 + 0.35 sin, plus 0.1 for arm 0.
    ///
    /// # Panics
    ///
    /// If there are no arms or the period is not positive.
    pub fn new(n_arms: usize, period: f64) -> Self {
        assert!(n_arms > 0 && period > 0.0, "at least one arm, and a period above 0");
        Self { n_arms, period, centre: 0.45, amplitude: 0.35, bonus: 0.1, best: Arm::new(0) }
    }

    /// 1/2 + `amplitude` sin, without a bonus. Arm K - 1 follows arm 0 in the lead, then arm K - 2,
    /// and each leads for period / K rounds. The best single arm is the best over `rounds`, the
    /// length of a run. Over whole periods all arms gain the same, and arm 0 counts as the best.
    ///
    /// # Panics
    ///
    /// If there are no arms, the period is not positive, or the amplitude is not in [0, 1/2].
    pub fn rotating(n_arms: usize, period: f64, amplitude: f64, rounds: u64) -> Self {
        assert!((0.0..=0.5).contains(&amplitude), "utilities are in [0, 1]");
        let mut waves = Self { centre: 0.5, amplitude, bonus: 0.0, ..Self::new(n_arms, period) };
        // Smaller differences are rounding errors.
        let least = 1e-9 * rounds as f64;
        let sum = |arm: Arm| waves.sum_of_sines(arm, rounds);
        let best = Arm::all(n_arms).reduce(|best, arm| if sum(arm) > sum(best) + least { arm } else { best });
        waves.best = best.expect("there is at least one arm");
        waves
    }

    /// The sum of sin(2 pi (t / period + i / K)) over rounds 1 to T = `rounds`. With
    /// a = 2 pi / period and b = 2 pi i / K it is
    /// sin(a T / 2) sin(a (T + 1) / 2 + b) / sin(a / 2).
    fn sum_of_sines(&self, arm: Arm, rounds: u64) -> f64 {
        let (half, offset) = (PI / self.period, TAU * self.offset(arm));
        let rounds = rounds as f64;
        let denominator = libm::sin(half);
        if denominator.abs() < 1e-9 {
            // The period is 1, 1/2, 1/3, ... rounds, so all rounds are alike.
            return rounds * libm::sin(2.0 * half + offset);
        }
        libm::sin(half * rounds) * libm::sin(half * (rounds + 1.0) + offset) / denominator
    }

    fn offset(&self, arm: Arm) -> f64 {
        arm.index() as f64 / self.n_arms as f64
    }
}

impl Drift for Waves {
    fn n_arms(&self) -> usize {
        self.n_arms
    }

    fn mean(&self, round: u64, arm: Arm) -> f64 {
        let phase = round as f64 / self.period + self.offset(arm);
        let bonus = if arm.index() == 0 { self.bonus } else { 0.0 };
        self.centre + self.amplitude * libm::sin(TAU * phase) + bonus
    }

    fn best(&self) -> Arm {
        self.best
    }

    fn best_in(&self, round: u64) -> Arm {
        // The arm nearest to the crest, which is at a quarter of a wave, or the first of two that
        // are equally near.
        let crest = (0.25 - round as f64 / self.period).rem_euclid(1.0) * self.n_arms as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to K")]
        let below = crest as usize;
        let beyond = crest - below as f64;
        let [below, above] = [below, below + 1].map(|i| Arm::new(i % self.n_arms));
        let nearest = match beyond.total_cmp(&0.5) {
            Ordering::Less => below,
            Ordering::Equal => below.min(above),
            Ordering::Greater => above,
        };
        // The bonus may keep arm 0 ahead of that arm.
        let first = Arm::new(0);
        if self.bonus > 0.0 && self.mean(round, first) >= self.mean(round, nearest) { first } else { nearest }
    }

    fn natural_regret(&self) -> Regret {
        if self.bonus > 0.0 { Regret::BANDIT } else { Regret::BANDIT.dynamic() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Over ten whole periods the sines cancel. Arm 0 gains 0.55 per round, the others 0.45.
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

    /// Four arms and a period of 8 rounds. Arm 0 is on the crest in round 2 (a quarter of a wave),
    /// arm 3 in round 4 (4/8 + 3/4 = 5/4), arm 2 in round 6, arm 1 in round 8. Over the first 2
    /// rounds the best single arm is arm 0, with the sines of 1/8 and 2/8 of a wave.
    #[test]
    fn trace_the_lead_goes_round() {
        let world = Waves::rotating(4, 8.0, 0.4, 2);
        for (round, leader) in [(2, 0), (4, 3), (6, 2), (8, 1), (10, 0)] {
            assert_eq!(world.best_in(round), Arm::new(leader), "round {round}");
            assert!((world.mean(round, Arm::new(leader)) - 0.9).abs() < 1e-12);
            // The opposite arm is in the trough, and the other two are halfway.
            assert!((world.mean(round, Arm::new((leader + 2) % 4)) - 0.1).abs() < 1e-12);
            assert!((world.mean(round, Arm::new((leader + 1) % 4)) - 0.5).abs() < 1e-12);
        }
        assert_eq!(world.best(), Arm::new(0));
        // The first half period, with the crest at arm 0 in its middle, and a whole period, over
        // which all arms gain the same.
        assert_eq!(Waves::rotating(4, 8.0, 0.4, 4).best(), Arm::new(0));
        assert_eq!(Waves::rotating(4, 8.0, 0.4, 8).best(), Arm::new(0));
    }

    proptest! {
        /// The closed forms agree with direct computation, up to rounding.
        #[test]
        fn law_leaders_and_sums(n_arms in 1..12usize, period in 0.3..300.0f64, rounds in 1..400u64, bonus: bool) {
            let world = if bonus {
                Waves::new(n_arms, period)
            } else {
                Waves::rotating(n_arms, period, 0.3, rounds)
            };
            let largest = |gain: &dyn Fn(Arm) -> f64| Arm::all(n_arms).map(gain).fold(0.0, f64::max);
            let at = |arm| world.mean(rounds, arm);
            prop_assert!(largest(&at) - at(world.best_in(rounds)) < 1e-12);
            if !bonus {
                let sum = |arm| (1..=rounds).map(|round| world.mean(round, arm)).sum::<f64>();
                prop_assert!(largest(&sum) - sum(world.best()) < 1e-6 * rounds as f64);
            }
        }
    }
}
