//! The facts about a world that the bounds need.

use core::f64::consts::E;
use core::fmt;

use tiltyard_bandit::Arm;
use tiltyard_bandit::matrix::Diagonal;
use tiltyard_bandit::theory::{AnytimeRate, LateTerm, condorcet, dual_averaging_late};
use tiltyard_world::builtin::{self, WorldError};
use tiltyard_world::{Regret, World};

use crate::plan::ROUNDS;

/// A world with the numbers that the bounds need.
pub(crate) struct WorldBounds {
    pub(crate) name: &'static str,
    n_arms: usize,
    /// The largest mean score of an arm against a uniform opponent.
    advantage: f64,
    /// The regret of the worst arm per round.
    worst: f64,
    /// The regret of random play per round.
    random: f64,
    regret: Regret,
}

impl WorldBounds {
    /// The bounds of a built-in world.
    pub(crate) fn of(name: &'static str) -> Result<Self, WorldError> {
        let world = builtin::open(name, ROUNDS)?;
        let n_arms = world.n_arms();
        let n = n_arms as f64;
        let regret = world.natural_regret();
        let gaps = world.gaps(regret).expect("a world can measure its own regret");
        let gaps: Vec<f64> = Arm::all(n_arms).map(|arm| world.gap(&gaps, 1, arm)).collect();
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::NEG_INFINITY, f64::max);
        let random = gaps.iter().sum::<f64>() / n;
        let advantage = match world.matrix() {
            Some(matrix) => largest(&mut matrix.borda(Diagonal::Included).iter().map(|b| 2.0 * b / n - 1.0)),
            // The gap of random play is the difference between the best utility and the mean
            // utility.
            None => random,
        };
        let worst = largest(&mut gaps.into_iter());
        Ok(Self { name, n_arms, advantage, worst, random, regret })
    }

    /// The proven bound for a rate in each round, a number of duels not in view, and the share of
    /// outcomes that arrives.
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

    /// The bound of the default schedule.
    pub(crate) fn anytime_bound(&self, missing: impl Fn(u64) -> u64, share: f64) -> f64 {
        self.bound(|round| self.rate().gamma(round), missing, share)
    }

    /// The bound of the default schedule on several nodes. Their clocks are behind by the number of
    /// duels not in view. That number never shrinks by more than one per round, so the rates still
    /// fall.
    pub(crate) fn nodes_bound(&self, count: u64, stale: u64) -> f64 {
        // Of the last m rounds, every N-th was the node's own.
        let missing = |round: u64| {
            let m = stale.min(round - 1);
            m - m / count
        };
        self.bound(|round| self.rate().gamma(round - missing(round)), missing, 1.0)
    }

    /// The fixed rate that minimizes the bound, to three digits, and the bound.
    pub(crate) fn best_rate(&self, missing: impl Fn(u64) -> u64) -> (f64, f64) {
        let at = |gamma: f64| (gamma, self.bound(|_| gamma, &missing, 1.0));
        // 20 rates per decade, from 1/2 down. The bound is flat near its minimum.
        (0..100)
            .map(|i| 0.5 * 10f64.powf(-f64::from(i) / 20.0))
            .map(|gamma| at(format!("{gamma:.2e}").parse().expect("a number")))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .expect("a hundred rates")
    }

    /// A bound as text.
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
