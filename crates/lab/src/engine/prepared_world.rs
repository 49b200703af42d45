//! A world prepared for runs.
//!
//! The loop of a run is compiled once per policy. Its world may be of any kind ([`AnyWorld`]).

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
    /// Whether the policy receives the last checkpoint as its horizon.
    pub(crate) fixed_horizon: bool,
    pub(crate) seed: u64,
    pub(crate) run: u64,
    pub(crate) checkpoints: &'a [u64],
    /// Whether the policy sees the arms in a random order drawn for this run.
    pub(crate) permute: bool,
}

/// Receives the number of rounds played since the last call, and returns whether to continue.
pub(crate) type Tick<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

/// The arms of a world that a run uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arms {
    All,
    /// The first n arms.
    First(usize),
    /// n arms, drawn anew in each run.
    Random(usize),
}

/// Prepares the world that a text names, for runs of `rounds` rounds and a regret (the world's own
/// if `None`). Returns one prepared world per choice of arms. The world itself is made only once,
/// because making it may take long.
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

/// Prepares an existing matrix in the same way.
pub(crate) fn prepare_matrix(
    world: MatrixWorld,
    regret: Option<Regret>,
    arms: &[Arms],
) -> Result<Vec<PreparedWorld>, PrepareError> {
    choose_all(world.into(), Delivery::default(), regret, arms)
}

/// Prepares the world that a text names, with all its arms.
pub(crate) fn prepare_all(
    text: &str,
    rounds: u64,
    regret: Option<Regret>,
) -> Result<PreparedWorld, PrepareError> {
    Ok(prepare(text, rounds, regret, &[Arms::All])?.remove(0))
}

/// Prepares an existing matrix, with all its arms.
pub(crate) fn prepare_matrix_all(
    world: MatrixWorld,
    regret: Option<Regret>,
) -> Result<PreparedWorld, PrepareError> {
    Ok(prepare_matrix(world, regret, &[Arms::All])?.remove(0))
}

/// A world cannot be prepared for runs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrepareError {
    /// The world cannot be made.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The regret is not defined in this world.
    #[error(transparent)]
    Regret(#[from] RegretError),
    /// More arms were requested than the world has, or none.
    #[error(transparent)]
    Arms(#[from] SubmatrixError),
    /// Some of the arms were requested, but the world is not a plain preference matrix.
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

/// A world with everything that its runs share.
#[derive(Clone)]
pub(crate) struct PreparedWorld {
    world: AnyWorld,
    gaps: Gaps,
    regret: Regret,
    delivery: Delivery,
    /// The number of arms that each run draws from the matrix, without forcing the winner in;
    /// `None` means all arms.
    drawn: Option<usize>,
}

impl PreparedWorld {
    fn choose(&self, arms: Arms) -> Result<Self, PrepareError> {
        // A world that is more than its matrix (corrupted, or made of votes) would lose the rest.
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
                // Drawn once to check that the number of arms is possible.
                matrix()?.random_submatrix(n_arms, &mut Streams::of(0, 0).submatrix(n_arms).rng())?;
                Self { drawn: Some(n_arms), ..self.clone() }
            }
        })
    }

    /// The same regret and delivery in another world, with all of its arms in every run.
    fn with_world(&self, world: AnyWorld) -> Result<Self, RegretError> {
        let &Self { regret, delivery, .. } = self;
        Ok(Self { gaps: world.gaps(regret)?, world, regret, delivery, drawn: None })
    }

    pub(crate) fn n_arms(&self) -> usize {
        self.drawn.unwrap_or_else(|| self.world.n_arms())
    }

    /// The best arm. If each run draws its arms, this is the best of all arms.
    pub(crate) fn best(&self) -> Best {
        self.world.best()
    }

    /// The name of the best arm; `None` if arms have no names or each run draws its arms.
    pub(crate) fn best_name(&self) -> Option<&str> {
        self.world.arm_name(self.world.best().arm).filter(|_| self.drawn.is_none())
    }

    /// The preference matrix; `None` if the world has no matrix or each run draws its arms.
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

    /// The world itself, if its duels are between points.
    pub(crate) fn points(&self) -> Option<&PointWorld> {
        if let AnyWorld::Points(world) = &self.world { Some(world) } else { None }
    }

    /// Everything that a run in this world needs besides a policy. If each run draws its arms, this
    /// configuration has all arms.
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
        let (matrix, arms) = drawn.expect("this many arms were drawn before the first run");
        let some = self.with_world(MatrixWorld::new(matrix).into());
        let mut run = some.expect("the whole matrix supports this regret").play_all(task, tick);
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
        // All nodes are built from the same stream, so they are copies of each other.
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

/// Plays a run with the policy that the registry passes to it.
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
