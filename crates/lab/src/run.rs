//! One run: a policy in a world, round after round.

use core::ops::ControlFlow;

use rand::Rng;
use tiltyard_bandit::policy::{Origin, Policy};
use tiltyard_bandit::{Arm, Spec, Stream};
use tiltyard_world::{Regret, Supply, World};

use crate::pace::Pace;

/// A world with everything that a run in it needs.
#[derive(Debug, Clone, Copy)]
pub struct Stage<'a, W: World> {
    /// The world.
    pub world: &'a W,
    /// The regret to measure.
    pub regret: Regret,
    /// The world's ruler for it.
    pub ruler: &'a W::Ruler,
    /// Which arm of the world stands behind each arm of the policy; `None` if the same one.
    pub order: Option<&'a [Arm]>,
    /// Rounds at which the regret is recorded, counted from 1, in rising order; the last ends the run.
    pub checkpoints: &'a [u64],
}

/// What a run left behind at each checkpoint.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curve {
    /// The regret accumulated so far.
    pub regret: Vec<f64>,
    /// Whether the pair of that round was (best, best), with the arm that the regret compares with.
    pub hit: Vec<bool>,
    /// What the world had to say about its answers, at the end.
    pub supply: Supply,
}

/// Plays a policy up to the last checkpoint, and calls `tick` every few milliseconds with the number of rounds played since the last
/// call. If `tick` breaks, so does the run, and the curve ends before the last checkpoint.
///
/// The regret is the *expected* regret of each pair under the world's true numbers, so that the noise of outcomes does not enter
/// it. The policy and the world draw from generators of their own: in run 17 of every policy the world draws the same numbers.
pub fn run<P: Policy, W: World, R: Rng>(
    policy: &mut P,
    stage: &Stage<'_, W>,
    (policy_rng, world_rng): (&mut R, &mut R),
    mut tick: impl FnMut(u64) -> ControlFlow<()>,
) -> Curve {
    let &Stage { world, regret, ruler, order, checkpoints } = stage;
    let binary = policy.info().binary;
    let mut curve = Curve {
        regret: Vec::with_capacity(checkpoints.len()),
        hit: Vec::with_capacity(checkpoints.len()),
        supply: Supply::default(),
    };
    let mut memory = world.start();
    let mut pace = Pace::new();
    let (mut sum, mut pair, mut round) = (0.0, None, 0);
    'run: for &checkpoint in checkpoints {
        while round < checkpoint {
            let start = round;
            let end = pace.end(round, checkpoint);
            while round < end {
                round += 1;
                let ticket = policy.decide(policy_rng);
                let [left, right] =
                    [ticket.left, ticket.right].map(|arm| order.map_or(arm, |order| order[arm.index()]));
                let (outcome, cost) =
                    world.answer(&mut memory, (ruler, regret.slots), round, (left, right), world_rng);
                sum += cost;
                match outcome {
                    Some(outcome) if binary => policy.update(&ticket, outcome.to_binary(world_rng)),
                    Some(outcome) => policy.update(&ticket, outcome),
                    None => policy.void(&ticket),
                }
                pair = Some((left, right));
            }
            pace.lap();
            if tick(round - start).is_break() {
                break 'run;
            }
        }
        curve.regret.push(sum);
        let best = if regret.dynamic { world.best_in(round) } else { world.best().arm };
        curve.hit.push(pair == Some((best, best)));
    }
    curve.supply = world.supply(&memory);
    curve
}

/// The streams of one run.
#[derive(Debug, Clone, Copy)]
pub struct Streams(Origin);

impl Streams {
    /// Those of run number `run` under a seed.
    pub fn of(seed: u64, run: u64) -> Self {
        Self(Origin { seed, run: Some(run) })
    }

    /// What the world draws from: the same for every policy.
    pub fn world(self) -> Stream {
        self.0.stream().label("world")
    }

    /// What becomes of outcomes on their way: the same for every policy.
    pub fn delivery(self) -> Stream {
        self.0.stream().label("delivery")
    }

    /// What a policy draws from. Two policies of one job are told apart by their specification.
    pub fn policy(self, spec: &Spec) -> Stream {
        self.0.policy(spec)
    }

    /// What the construction of a policy draws from.
    pub fn setup(self, spec: &Spec) -> Stream {
        self.0.setup(spec)
    }

    /// What the choice of `n_arms` arms of a larger world draws from, the same for every policy.
    pub fn submatrix(self, n_arms: usize) -> Stream {
        self.0.stream().label("submatrix").index(n_arms as u64)
    }

    /// The order of the arms in this run, the same for every policy: so that no tie rule and no file's order can
    /// favour an arm.
    pub fn order(self, n_arms: usize) -> Vec<Arm> {
        let mut rng = self.0.stream().label("order").rng();
        let mut order: Vec<_> = Arm::all(n_arms).collect();
        rand::seq::SliceRandom::shuffle(order.as_mut_slice(), &mut rng);
        order
    }
}
