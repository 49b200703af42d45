//! A world made ready for runs, behind a pointer.
//!
//! Items of all worlds of a job are worked off by one loop, so the type of the world must be forgotten between runs. Inside a run
//! it is known: the loop is compiled once for each policy and type of world, and calls nothing through a pointer.

use core::any::Any;
use core::ops::ControlFlow;

use tiltyard_bandit::matrix::{PreferenceMatrix, SubmatrixError};
use tiltyard_bandit::params::Context;
use tiltyard_bandit::policy::Policy;
use tiltyard_bandit::policy::registry::{self, Visitor};
use tiltyard_bandit::{Arm, Spec};
use tiltyard_world::builtin::{self, WorldError, WorldVisitor};
use tiltyard_world::{Best, Delivery, MatrixWorld, Regret, RegretError, World};

use crate::ground::{Ground, Standing};
use crate::late_run::{LateRngs, run_late};
use crate::run::{Curve, Stage, Streams, run};

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

/// What a run left behind. The curve is short if the run was stopped.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Played {
    pub(crate) curve: Curve,
    pub(crate) best: Best,
}

/// Called with rounds played; says whether to go on.
pub(crate) type Tick<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

/// A world with all that its runs share.
pub(crate) trait Prepared: Send + Sync {
    fn n_arms(&self) -> usize;
    /// The best arm; of a world whose arms are drawn anew in each run, that of all arms.
    fn best(&self) -> Best;
    /// What that arm is called, if arms have names.
    fn best_name(&self) -> Option<&str>;
    /// The preference matrix; none if the world has none, or one that differs from run to run.
    fn matrix(&self) -> Option<&PreferenceMatrix>;
    /// How outcomes reach the policy.
    fn delivery(&self) -> Delivery;
    fn regret(&self) -> Regret;
    fn play(&self, task: &Task<'_>, tick: Tick<'_>) -> Played;
    /// The world for a run that somebody else plays; of a world whose arms are drawn anew in each run, all arms.
    fn ground(&self) -> Box<dyn Ground>;
}

/// Which arms of a world a run meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arms {
    All,
    /// The first so many.
    First(usize),
    /// So many, drawn anew in each run.
    Random(usize),
}

/// Makes the world that a text names ready, for runs of `rounds` rounds and a regret (the world's own if none): once for each choice of
/// arms. The world itself is made once, for that may take long.
pub(crate) fn prepare(
    text: &str,
    rounds: u64,
    regret: Option<Regret>,
    arms: &[Arms],
) -> Result<Vec<Box<dyn Prepared>>, PrepareError> {
    let (text, delivery) = Delivery::split(text, rounds)?;
    builtin::visit(text, rounds, Preparing { delivery, regret, arms })?
}

/// The same for a matrix that is there already.
pub(crate) fn prepare_matrix(
    world: MatrixWorld,
    regret: Option<Regret>,
    arms: &[Arms],
) -> Result<Vec<Box<dyn Prepared>>, PrepareError> {
    Preparing { delivery: Delivery::default(), regret, arms }.visit(world)
}

/// The world that a text names, with all its arms.
pub(crate) fn prepare_all(
    text: &str,
    rounds: u64,
    regret: Option<Regret>,
) -> Result<Box<dyn Prepared>, PrepareError> {
    Ok(prepare(text, rounds, regret, &[Arms::All])?.remove(0))
}

/// A matrix that is there already, with all its arms.
pub(crate) fn prepare_matrix_all(
    world: MatrixWorld,
    regret: Option<Regret>,
) -> Result<Box<dyn Prepared>, PrepareError> {
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

struct Preparing<'a> {
    delivery: Delivery,
    regret: Option<Regret>,
    arms: &'a [Arms],
}

impl WorldVisitor for Preparing<'_> {
    type Output = Result<Vec<Box<dyn Prepared>>, PrepareError>;

    fn visit<W: World + 'static>(self, world: W) -> Self::Output {
        let regret = self.regret.unwrap_or_else(|| world.natural_regret());
        let ruler = world.ruler(regret)?;
        let whole = Whole { world, delivery: self.delivery, regret, ruler };
        self.arms.iter().map(|&arms| choose(&whole, arms)).collect()
    }
}

fn choose<W: World + 'static>(whole: &Whole<W>, arms: Arms) -> Result<Box<dyn Prepared>, PrepareError> {
    let &Whole { ref world, delivery, regret, .. } = whole;
    // Of a world that is more than its matrix (corrupted, or made of votes) the rest would be cut off too.
    let plain = (world as &dyn Any).downcast_ref::<MatrixWorld>();
    let matrix = || plain.and_then(World::matrix).ok_or(PrepareError::NoMatrix);
    Ok(match arms {
        Arms::All => Box::new(whole.clone()),
        Arms::First(n_arms) => {
            let all = matrix()?;
            if n_arms > all.n_arms() {
                return Err(SubmatrixError::TooMany { wanted: n_arms, n_arms: all.n_arms() }.into());
            }
            let first: Vec<_> = Arm::all(n_arms).collect();
            let world = MatrixWorld::new(all.submatrix(&first)?);
            let ruler = world.ruler(regret)?;
            Box::new(Whole { world, delivery, regret, ruler })
        }
        Arms::Random(n_arms) => {
            let all = matrix()?.clone();
            // Drawn once to see that it can be done.
            all.random_submatrix(n_arms, &mut Streams::of(0, 0).submatrix(n_arms).rng())?;
            Box::new(Drawn { best: world.best(), all, n_arms, delivery, regret })
        }
    })
}

/// A world that is the same in every run.
#[derive(Clone)]
struct Whole<W: World> {
    world: W,
    delivery: Delivery,
    regret: Regret,
    ruler: W::Ruler,
}

impl<W: World + 'static> Prepared for Whole<W> {
    fn n_arms(&self) -> usize {
        self.world.n_arms()
    }

    fn best(&self) -> Best {
        self.world.best()
    }

    fn best_name(&self) -> Option<&str> {
        self.world.arm_name(self.world.best().arm)
    }

    fn matrix(&self) -> Option<&PreferenceMatrix> {
        self.world.matrix()
    }

    fn delivery(&self) -> Delivery {
        self.delivery
    }

    fn regret(&self) -> Regret {
        self.regret
    }

    fn play(&self, task: &Task<'_>, tick: Tick<'_>) -> Played {
        let streams = Streams::of(task.seed, task.run);
        let Task { spec, checkpoints, fixed_horizon, .. } = *task;
        let order = task.permute.then(|| streams.order(self.world.n_arms()));
        let horizon = checkpoints.last().copied().filter(|_| fixed_horizon);
        let context = Context { n_arms: self.world.n_arms(), horizon };
        let stage = Stage {
            world: &self.world,
            regret: self.regret,
            ruler: &self.ruler,
            order: order.as_deref(),
            checkpoints,
        };
        let curve = if self.delivery.is_prompt() {
            let runner = Runner { stage, spec, streams, tick };
            registry::visit(spec, context, &mut streams.setup(spec).rng(), runner).expect(BUILT_BEFORE)
        } else {
            self.play_late(&stage, spec, context, streams, tick)
        };
        Played { curve, best: self.best() }
    }

    fn ground(&self) -> Box<dyn Ground> {
        Box::new(Standing::<W, _, _>::new(self.world.clone(), self.regret, self.ruler.clone()))
    }
}

const BUILT_BEFORE: &str = "the same policy was built before the first run";

impl<W: World> Whole<W> {
    fn play_late(
        &self,
        stage: &Stage<'_, W>,
        spec: &Spec,
        context: Context,
        streams: Streams,
        tick: Tick<'_>,
    ) -> Curve {
        // Built from the same numbers, the nodes are copies of each other.
        let build = |_| registry::build(spec, context, &mut streams.setup(spec).rng()).expect(BUILT_BEFORE);
        let mut nodes: Vec<_> = (0..self.delivery.nodes()).map(build).collect();
        let rngs = LateRngs {
            policy: &mut streams.policy(spec).rng(),
            world: &mut streams.world().rng(),
            delivery: &mut streams.delivery().rng(),
        };
        run_late(&mut nodes, stage, &self.delivery, rngs, tick)
    }
}

/// A matrix of which each run sees some arms, drawn without forcing the winner in.
struct Drawn {
    all: PreferenceMatrix,
    best: Best,
    n_arms: usize,
    delivery: Delivery,
    regret: Regret,
}

impl Prepared for Drawn {
    fn n_arms(&self) -> usize {
        self.n_arms
    }

    fn best(&self) -> Best {
        self.best
    }

    fn best_name(&self) -> Option<&str> {
        None
    }

    fn matrix(&self) -> Option<&PreferenceMatrix> {
        None
    }

    fn delivery(&self) -> Delivery {
        self.delivery
    }

    fn regret(&self) -> Regret {
        self.regret
    }

    fn play(&self, task: &Task<'_>, tick: Tick<'_>) -> Played {
        let mut rng = Streams::of(task.seed, task.run).submatrix(self.n_arms).rng();
        let drawn = self.all.random_submatrix(self.n_arms, &mut rng);
        let (matrix, arms) = drawn.expect("as many were drawn before the first run");
        let world = MatrixWorld::new(matrix);
        let ruler = world.ruler(self.regret).expect("the whole matrix could measure it");
        let Played { curve, best } =
            Whole { world, delivery: self.delivery, regret: self.regret, ruler }.play(task, tick);
        Played { curve, best: Best { arm: arms[best.arm.index()], ..best } }
    }

    fn ground(&self) -> Box<dyn Ground> {
        let world = MatrixWorld::new(self.all.clone());
        let ruler = world.ruler(self.regret).expect("the whole matrix could measure it");
        Box::new(Standing::<MatrixWorld, _, _>::new(world, self.regret, ruler))
    }
}

/// Runs the policy that the registry hands it.
struct Runner<'a, W: World> {
    stage: Stage<'a, W>,
    spec: &'a Spec,
    streams: Streams,
    tick: Tick<'a>,
}

impl<W: World> Visitor for Runner<'_, W> {
    type Output = Curve;

    fn visit<P: Policy + 'static>(self, mut policy: P, _: Vec<(&'static str, String)>) -> Curve {
        let Self { stage, spec, streams, tick } = self;
        let rngs = (&mut streams.policy(spec).rng(), &mut streams.world().rng());
        run(&mut policy, &stage, rngs, tick)
    }
}
