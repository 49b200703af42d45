//! A world prepared for timing whole rounds.

use core::ops::ControlFlow;
use std::hint::black_box;
use std::time::{Duration, Instant};

use tiltyard_bandit::policy::Policy;
use tiltyard_bandit::{Arm, Stream};
use tiltyard_lab::{RunConfig, Streams, run};
use tiltyard_world::{Answers, Gaps, Law, Regret, UtilityWorld, World};

/// A world, its regret, and the order of its arms.
#[derive(Debug, Clone)]
pub struct TimedWorld<W: World> {
    world: W,
    regret: Regret,
    gaps: Gaps,
    order: Option<Vec<Arm>>,
}

impl<W: World> TimedWorld<W> {
    /// Prepares a world with its natural regret and its arms in their own order.
    pub fn new(world: W) -> Self {
        let regret = world.natural_regret();
        let gaps = world.gaps(regret).expect("a world can measure its natural regret");
        Self { world, regret, gaps, order: None }
    }

    /// The same with its arms in the order that `play` uses in some run. This costs one more table
    /// lookup for each arm of a duel.
    #[must_use]
    pub fn shuffled(self) -> Self {
        let order = Streams::of(1, 0).order(self.world.n_arms());
        Self { order: Some(order), ..self }
    }

    /// The world.
    pub fn world(&self) -> &W {
        &self.world
    }

    /// Plays a copy of a policy for some rounds (propose, issue, duel, regret, update, through
    /// [`tiltyard_lab::run`]) and returns the time that took. The copy is made, and its pages are
    /// touched, before the clock starts.
    pub fn time<P: Policy>(&self, policy: &P, rounds: u64) -> Duration {
        let mut policy = policy.clone();
        let checkpoints = [rounds];
        let config = RunConfig {
            world: &self.world,
            regret: self.regret,
            gaps: &self.gaps,
            order: self.order.as_deref(),
            checkpoints: &checkpoints,
        };
        let stream = Stream::new(1);
        let rngs = (&mut stream.label("policy").rng(), &mut stream.label("world").rng());
        let start = Instant::now();
        black_box(run(&mut policy, &config, rngs, |_| ControlFlow::Continue(())));
        let elapsed = start.elapsed();
        black_box(&policy);
        elapsed
    }
}

impl TimedWorld<UtilityWorld> {
    /// Bernoulli utilities: 0.6 for arm 0, 0.5 for the others, as in the built-in world
    /// `bernoulli10`.
    ///
    /// # Panics
    ///
    /// If there are no arms.
    pub fn bernoulli(n_arms: usize) -> Self {
        let laws = (0..n_arms).map(|i| Law::Bernoulli(if i == 0 { 0.6 } else { 0.5 })).collect();
        Self::new(UtilityWorld::new(laws, Answers::Graded).expect("means in [0, 1]"))
    }
}
