//! A world as the bounds see it.

use core::f64::consts::E;
use core::fmt;

use tiltyard_bandit::Arm;
use tiltyard_bandit::matrix::Diagonal;
use tiltyard_bandit::theory::{AnytimeRate, LateTerm, condorcet, dual_averaging_late};
use tiltyard_world::builtin::{self, WorldError};
use tiltyard_world::{Regret, World};

use crate::plan::ROUNDS;

/// What the bounds need to know of a world.
pub(crate) struct WorldBounds {
    /// Its name.
    pub(crate) name: &'static str,
    n_arms: usize,
    /// The largest mean score of an arm against a uniform opponent.
    advantage: f64,
    /// What the worst arm costs a round.
    worst: f64,
    /// What random play costs a round.
    random: f64,
    regret: Regret,
}

impl WorldBounds {
    /// That of a built-in world.
    pub(crate) fn of(name: &'static str) -> Result<Self, WorldError> {
        let world = builtin::open(name, ROUNDS)?;
        let n_arms = world.n_arms();
        let n = n_arms as f64;
        let regret = world.natural_regret();
        let gaps = world.gaps(regret).expect("a world's own regret has a meaning in it");
        let gaps: Vec<f64> = Arm::all(n_arms).map(|arm| world.gap(&gaps, 1, arm)).collect();
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::NEG_INFINITY, f64::max);
        let random = gaps.iter().sum::<f64>() / n;
        let advantage = match world.matrix() {
            Some(matrix) => largest(&mut matrix.borda(Diagonal::Included).iter().map(|b| 2.0 * b / n - 1.0)),
            // The gap of random play is what the best arm's utility is above the mean one.
            None => random,
        };
        let worst = largest(&mut gaps.into_iter());
        Ok(Self { name, n_arms, advantage, worst, random, regret })
    }

    /// What is proven for a rate in each round, so many duels not in view, and a share of outcomes
    /// that arrives.
    fn bound(&self, gamma: impl Fn(u64) -> f64, missing: impl Fn(u64) -> u64, share: f64) -> f64 {
        let second_moment = 0.5 * (1.0 - 1.0 / self.n_arms as f64);
        let rounds = (1..=ROUNDS).map(|round| LateTerm {
            gamma: gamma(round),
            advantage: share * self.advantage,
            second_moment: share * second_moment,
            in_flight: missing(round),
        });
        let bound = dual_averaging_late(self.n_arms, rounds) / share;
        if self.regret == Regret::CONDORCET { condorcet(bound) } else { bound }
    }

    fn rate(&self) -> AnytimeRate {
        // The default: gmax = t/2.
        AnytimeRate::new(self.n_arms, E / 2.0)
    }

    /// That of the default schedule.
    pub(crate) fn anytime_bound(&self, missing: impl Fn(u64) -> u64, share: f64) -> f64 {
        self.bound(|round| self.rate().gamma(round), missing, share)
    }

    /// That of the default schedule on several nodes, whose clocks are behind by what is not in
    /// view. What is not in view never shrinks by more than a round a round, so the rates still
    /// fall.
    pub(crate) fn nodes_bound(&self, count: u64, stale: u64) -> f64 {
        // Of the last m rounds each N-th was the node's own.
        let missing = |round: u64| {
            let m = stale.min(round - 1);
            m - m / count
        };
        self.bound(|round| self.rate().gamma(round - missing(round)), missing, 1.0)
    }

    /// The fixed rate for which the bound is least, to three digits, and the bound.
    pub(crate) fn best_rate(&self, missing: impl Fn(u64) -> u64) -> (f64, f64) {
        let at = |gamma: f64| (gamma, self.bound(|_| gamma, &missing, 1.0));
        // 20 rates to a decade, from 1/2 down: the bound is flat near its least value.
        (0..100)
            .map(|i| 0.5 * 10f64.powf(-f64::from(i) / 20.0))
            .map(|gamma| at(format!("{gamma:.2e}").parse().expect("a number")))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .expect("a hundred rates")
    }

    /// A bound in words.
    pub(crate) fn promise(&self, bound: f64) -> String {
        // Written positively so that infinity fails.
        if bound < self.worst * ROUNDS as f64 { format!("{bound:.0}") } else { "none".to_owned() }
    }
}

impl fmt::Display for WorldBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n_arms, regret, random, worst, advantage, .. } = self;
        let [random, worst] = [random, worst].map(|cost| cost * ROUNDS as f64);
        write!(
            f,
            "{n_arms} arms, {regret} regret; random play loses {random:.0}, the worst arm {worst:.0}; g = {advantage:.3}."
        )
    }
}
