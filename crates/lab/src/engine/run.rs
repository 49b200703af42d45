//! One run: a policy in a world, round after round.

use core::ops::ControlFlow;

use rand::Rng;
use tiltyard_bandit::Arm;
use tiltyard_bandit::policy::Policy;
use tiltyard_world::{Best, Gaps, Regret, VoteSupply, World};

use crate::engine::poll_interval::PollInterval;

/// A world with everything that a run in it needs.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the names say it")]
pub struct RunConfig<'a, W: World> {
    pub world: &'a W,
    /// The regret to measure.
    pub regret: Regret,
    /// The world's gaps for this regret.
    pub gaps: &'a Gaps,
    /// For each arm of the policy, the arm of the world behind it; `None` if they are the same.
    pub order: Option<&'a [Arm]>,
    /// Rounds at which the regret is recorded, counted from 1, in rising order. The last ends the
    /// run.
    pub checkpoints: &'a [u64],
}

impl<W: World> RunConfig<'_, W> {
    /// The arm that counts as best in a round, for accuracy.
    pub(crate) fn best_in(&self, round: u64) -> Arm {
        if self.regret.dynamic { self.world.best_in(round) } else { self.world.best().arm }
    }
}

/// The record of one run, with one entry per checkpoint. A run that was stopped has fewer.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The expected regret accumulated up to each checkpoint.
    pub regret: Vec<f64>,
    /// Whether the pair of that round was (best, best), where best is the arm that the regret
    /// compares with.
    pub hit: Vec<bool>,
    /// The arm that regret was measured against, by its index in the world. If the arms were drawn
    /// from a larger world, by its index in the larger one.
    pub best: Best,
    /// How many answers were missing or repeated, at the end (of the longest horizon).
    pub supply: VoteSupply,
}

impl Run {
    /// An empty record, with room for its checkpoints.
    pub(crate) fn new(best: Best, n_checkpoints: usize) -> Self {
        let (regret, hit) = (Vec::with_capacity(n_checkpoints), Vec::with_capacity(n_checkpoints));
        Self { regret, hit, best, supply: VoteSupply::default() }
    }

    pub(crate) fn record(&mut self, regret: f64, hit: bool) {
        self.regret.push(regret);
        self.hit.push(hit);
    }
}

/// Plays a policy up to the last checkpoint. Calls `tick` every few milliseconds with the number of
/// rounds played since the last call. If `tick` breaks, the run stops, and its record ends before
/// the last checkpoint.
///
/// The regret is the *expected* regret of each pair under the world's true numbers, so the noise of
/// outcomes does not enter it. The policy and the world have separate generators: in run 17 of
/// every policy the world draws the same numbers.
pub fn run<P: Policy, W: World, R: Rng>(
    policy: &mut P,
    config: &RunConfig<'_, W>,
    (policy_rng, world_rng): (&mut R, &mut R),
    mut tick: impl FnMut(u64) -> ControlFlow<()>,
) -> Run {
    let &RunConfig { world, regret, gaps, order, checkpoints } = config;
    let binary = policy.info().binary;
    let mut played = Run::new(world.best(), checkpoints.len());
    let mut state = world.start();
    let mut interval = PollInterval::new();
    let (mut sum, mut pair, mut round) = (0.0, None, 0);
    'run: for &checkpoint in checkpoints {
        while round < checkpoint {
            let start = round;
            let end = interval.end(round, checkpoint);
            while round < end {
                round += 1;
                let ticket = policy.decide(policy_rng);
                let [left, right] =
                    [ticket.left, ticket.right].map(|arm| order.map_or(arm, |order| order[arm.index()]));
                let (outcome, cost) =
                    world.answer(&mut state, (gaps, regret.slots), round, (left, right), world_rng);
                sum += cost;
                match outcome {
                    Some(outcome) if binary => policy.update(&ticket, outcome.to_binary(world_rng)),
                    Some(outcome) => policy.update(&ticket, outcome),
                    None => policy.void(&ticket),
                }
                pair = Some((left, right));
            }
            interval.lap();
            if tick(round - start).is_break() {
                break 'run;
            }
        }
        let best = config.best_in(round);
        played.record(sum, pair == Some((best, best)));
    }
    played.supply = state.supply;
    played
}
