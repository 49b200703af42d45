//! A world made ready for runs.
//!
//! The loop of a run is compiled once for each policy, with a world that may be of any kind.

use core::ops::ControlFlow;

use tiltyard_bandit::hint::{FrontEnd, Hint};
use tiltyard_bandit::matrix::{PreferenceMatrix, SubmatrixError};
use tiltyard_bandit::params::Context;
use tiltyard_bandit::policy::Policy;
use tiltyard_bandit::policy::registry::{self, Visitor};
use tiltyard_bandit::{Arm, Spec};
use tiltyard_world::builtin::{self, WorldError};
use tiltyard_world::{AnyWorld, Best, Delivery, Gaps, MatrixWorld, PointWorld, Regret, RegretError, World};

use crate::engine::continuous_run::run_continuous;
use crate::engine::late_run::{LateRngs, run_late};
use crate::engine::policy_check::build_continuous;
use crate::engine::run::{Run, RunConfig, run};
use crate::engine::streams::Streams;

/// One run to play.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) spec: &'a Spec,
    /// Whether the policy is told the last checkpoint as its horizon.
    pub(crate) fixed_horizon: bool,
    pub(crate) seed: u64,
    pub(crate) run: u64,
    pub(crate) checkpoints: &'a [u64],
    /// Whether arms are shown to the policy in an order of this run's own.
    pub(crate) permute: bool,
}

/// Called with rounds played; says whether to go on.
pub(crate) type Tick<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

/// Which arms of a world a run meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arms {
    All,
    /// The first so many.
    First(usize),
    /// So many, drawn anew in each run.
    Random(usize),
}

/// Makes the world that a text names ready, for runs of `rounds` rounds and a regret (the world's
/// own if none): once for each choice of arms. The world itself is made once, for that may take
/// long.
pub(crate) fn prepare(
    text: &str,
    rounds: u64,
    regret: Option<Regret>,
    arms: &[Arms],
) -> Result<Vec<PreparedWorld>, PrepareError> {
    let (inner, delivery) = Delivery::split(text, rounds)?;
    let world = builtin::open(inner, rounds)?;
    if matches!(world, AnyWorld::Points(_)) && !delivery.is_prompt() {
        return Err(WorldError::Continuous { text: text.to_owned() }.into());
    }
    choose_all(world, delivery, regret, arms)
}

/// The same for a matrix that is there already.
pub(crate) fn prepare_matrix(
    world: MatrixWorld,
    regret: Option<Regret>,
    arms: &[Arms],
) -> Result<Vec<PreparedWorld>, PrepareError> {
    choose_all(world.into(), Delivery::default(), regret, arms)
}

/// The world that a text names, with all its arms.
pub(crate) fn prepare_all(
    text: &str,
    rounds: u64,
    regret: Option<Regret>,
) -> Result<PreparedWorld, PrepareError> {
    Ok(prepare(text, rounds, regret, &[Arms::All])?.remove(0))
}

/// A matrix that is there already, with all its arms.
pub(crate) fn prepare_matrix_all(
    world: MatrixWorld,
    regret: Option<Regret>,
) -> Result<PreparedWorld, PrepareError> {
    Ok(prepare_matrix(world, regret, &[Arms::All])?.remove(0))
}

/// Why a world is not ready.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrepareError {
    /// It cannot be made.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The regret has no meaning there.
    #[error(transparent)]
    Regret(#[from] RegretError),
    /// It has fewer arms than were asked for, or none were asked for.
    #[error(transparent)]
    Arms(#[from] SubmatrixError),
    /// Some of its arms were asked for, and it has no matrix to cut them from.
    #[error("only a world that is a preference matrix can be cut down to some of its arms")]
    NoMatrix,
}

impl Hint for PrepareError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::World(error) => error.hints(front),
            Self::Regret(error) => error.hints(front),
            Self::Arms(_) | Self::NoMatrix => Vec::new(),
        }
    }
}

fn choose_all(
    world: AnyWorld,
    delivery: Delivery,
    regret: Option<Regret>,
    arms: &[Arms],
) -> Result<Vec<PreparedWorld>, PrepareError> {
    let regret = regret.unwrap_or_else(|| world.natural_regret());
    let gaps = world.gaps(regret)?;
    let whole = PreparedWorld { world, gaps, regret, delivery, drawn: None };
    arms.iter().map(|&arms| whole.choose(arms)).collect()
}

/// A world with all that its runs share.
#[derive(Clone)]
pub(crate) struct PreparedWorld {
    world: AnyWorld,
    gaps: Gaps,
    regret: Regret,
    delivery: Delivery,
    /// How many arms of a matrix each run sees, drawn without forcing the winner in; all if none.
    drawn: Option<usize>,
}

impl PreparedWorld {
    fn choose(&self, arms: Arms) -> Result<Self, PrepareError> {
        // Of a world that is more than its matrix (corrupted, or made of votes) the rest would be
        // cut off too.
        let matrix = || match &self.world {
            AnyWorld::Matrix(world) => world.matrix().ok_or(PrepareError::NoMatrix),
            _ => Err(PrepareError::NoMatrix),
        };
        Ok(match arms {
            Arms::All => self.clone(),
            Arms::First(n_arms) => {
                let all = matrix()?;
                if n_arms > all.n_arms() {
                    return Err(SubmatrixError::TooMany { wanted: n_arms, n_arms: all.n_arms() }.into());
                }
                let first: Vec<_> = Arm::all(n_arms).collect();
                self.with_world(MatrixWorld::new(all.submatrix(&first)?).into())?
            }
            Arms::Random(n_arms) => {
                // Drawn once to see that it can be done.
                matrix()?.random_submatrix(n_arms, &mut Streams::of(0, 0).submatrix(n_arms).rng())?;
                Self { drawn: Some(n_arms), ..self.clone() }
            }
        })
    }

    /// The same regret and delivery in another world, all of whose arms every run sees.
    fn with_world(&self, world: AnyWorld) -> Result<Self, RegretError> {
        let &Self { regret, delivery, .. } = self;
        Ok(Self { gaps: world.gaps(regret)?, world, regret, delivery, drawn: None })
    }

    pub(crate) fn n_arms(&self) -> usize {
        self.drawn.unwrap_or_else(|| self.world.n_arms())
    }

    /// The best arm; of a world whose arms are drawn anew in each run, that of all arms.
    pub(crate) fn best(&self) -> Best {
        self.world.best()
    }

    /// What that arm is called, if arms have names.
    pub(crate) fn best_name(&self) -> Option<&str> {
        self.world.arm_name(self.world.best().arm).filter(|_| self.drawn.is_none())
    }

    /// The preference matrix; none if the world has none, or one that differs from run to run.
    pub(crate) fn matrix(&self) -> Option<&PreferenceMatrix> {
        self.world.matrix().filter(|_| self.drawn.is_none())
    }

    /// How outcomes reach the policy.
    pub(crate) fn delivery(&self) -> Delivery {
        self.delivery
    }

    pub(crate) fn regret(&self) -> Regret {
        self.regret
    }

    /// The world itself if its duels are of points.
    pub(crate) fn points(&self) -> Option<&PointWorld> {
        if let AnyWorld::Points(world) = &self.world { Some(world) } else { None }
    }

    /// What a run in it needs besides a policy; of a world whose arms are drawn anew in each run,
    /// with all arms.
    pub(crate) fn config<'a>(
        &'a self,
        order: Option<&'a [Arm]>,
        checkpoints: &'a [u64],
    ) -> RunConfig<'a, AnyWorld> {
        RunConfig { world: &self.world, regret: self.regret, gaps: &self.gaps, order, checkpoints }
    }

    pub(crate) fn play(&self, task: &Task<'_>, tick: Tick<'_>) -> Run {
        let Some(n_arms) = self.drawn else { return self.play_all(task, tick) };
        let mut rng = Streams::of(task.seed, task.run).submatrix(n_arms).rng();
        let all = self.world.matrix().expect("arms are drawn from matrices only");
        let drawn = all.random_submatrix(n_arms, &mut rng);
        let (matrix, arms) = drawn.expect("as many were drawn before the first run");
        let some = self.with_world(MatrixWorld::new(matrix).into());
        let mut run = some.expect("the whole matrix could measure it").play_all(task, tick);
        run.best.arm = arms[run.best.arm.index()];
        run
    }

    fn play_all(&self, task: &Task<'_>, tick: Tick<'_>) -> Run {
        let streams = Streams::of(task.seed, task.run);
        let Task { spec, checkpoints, fixed_horizon, .. } = *task;
        let horizon = checkpoints.last().copied().filter(|_| fixed_horizon);
        if let Some(world) = self.points() {
            let mut policy = build_continuous(spec, world, horizon).expect(BUILT_BEFORE).policy;
            let rngs = (&mut streams.policy(spec).rng(), &mut streams.world().rng());
            return run_continuous(&mut policy, world, checkpoints, rngs, tick);
        }
        let order = task.permute.then(|| streams.order(self.world.n_arms()));
        let context = Context { n_arms: self.world.n_arms(), horizon };
        let config = self.config(order.as_deref(), checkpoints);
        if self.delivery.is_prompt() {
            let loop_of_policy = PromptRun { config, spec, streams, tick };
            return registry::visit(spec, context, &mut streams.setup(spec).rng(), loop_of_policy)
                .expect(BUILT_BEFORE);
        }
        // Built from the same numbers, the nodes are copies of each other.
        let build = |_| registry::build(spec, context, &mut streams.setup(spec).rng()).expect(BUILT_BEFORE);
        let mut nodes: Vec<_> = (0..self.delivery.nodes()).map(build).collect();
        let rngs = LateRngs {
            policy: &mut streams.policy(spec).rng(),
            world: &mut streams.world().rng(),
            delivery: &mut streams.delivery().rng(),
        };
        run_late(&mut nodes, &config, &self.delivery, rngs, tick)
    }
}

const BUILT_BEFORE: &str = "the same policy was built before the first run";

/// Runs the policy that the registry hands it.
struct PromptRun<'a> {
    config: RunConfig<'a, AnyWorld>,
    spec: &'a Spec,
    streams: Streams,
    tick: Tick<'a>,
}

impl Visitor for PromptRun<'_> {
    type Output = Run;

    fn visit<P: Policy + 'static>(self, mut policy: P, _: Vec<(&'static str, String)>) -> Run {
        let Self { config, spec, streams, tick } = self;
        let rngs = (&mut streams.policy(spec).rng(), &mut streams.world().rng());
        run(&mut policy, &config, rngs, tick)
    }
}
