//! `play`: several policies in one world, over many runs.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tiltyard_bandit::Spec;
use tiltyard_bandit::hint::{FrontEnd, Hint};
use tiltyard_world::builtin::WorldError;
use tiltyard_world::{Best, MatrixWorld, Regret, RegretError, VoteSupply};

pub use crate::engine::Progress;
use crate::engine::plan::{Cell, Items, Plan, PlannedPolicy, PlannedWorld, Source};
use crate::engine::policy_check::CheckedPolicy;
pub use crate::engine::policy_check::EntryError;
use crate::engine::prepared_world::{PrepareError, PreparedWorld, prepare_all, prepare_matrix_all};
use crate::engine::scheduler::{End, Queue, Scheduler};
use crate::results::Series;
use crate::statistics::{Proportion, Summary};

/// Policies to play in one world.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Job {
    /// A built-in world or a file.
    pub world: String,
    pub policies: Vec<Spec>,
    /// Whether to leave out a policy that cannot play in the world and name it in the report.
    /// Otherwise such a policy is an error.
    pub lenient: bool,
    /// Rounds at which regret and accuracy are recorded, in rising order. The last is the length of
    /// a run.
    pub checkpoints: Vec<u64>,
    /// Runs per policy.
    pub runs: u64,
    pub seed: u64,
    /// The regret to measure; the world's own if `None`.
    pub regret: Option<Regret>,
}

/// The results of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The number of arms, K.
    pub n_arms: usize,
    /// The arm that regret is measured against, by its index in the world.
    pub best: Best,
    /// The name of that arm, if arms have names.
    pub best_name: Option<String>,
    /// The regret measured.
    pub regret: Regret,
    /// One report per policy, in the order of the job.
    pub policies: Vec<PolicyReport>,
    /// The policies that were left out.
    pub left_out: Vec<LeftOut>,
}

/// A policy that was left out because it cannot play in the world.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct LeftOut {
    pub spec: Spec,
    pub reason: String,
}

/// The results of one policy.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyReport {
    /// The policy.
    pub spec: Spec,
    /// The parameters in force.
    pub params: Vec<(&'static str, String)>,
    /// All runs of the policy.
    pub series: Series,
    /// Regret at each checkpoint.
    pub regret: Summary,
    /// The share of runs whose pair was (best, best), at each checkpoint.
    pub accuracy: Vec<f64>,
    /// The time spent in this policy's runs, summed over threads.
    pub time: Duration,
    /// Rounds played.
    pub rounds: u64,
    /// How many of the world's answers were missing or repeated.
    pub supply: SupplyReport,
}

/// How many answers were missing or repeated, over all runs. Every count is 0 in a world that draws
/// each answer anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SupplyReport {
    /// Duels that stayed unanswered.
    pub unanswered: u64,
    /// Answers that the same run had received before.
    pub repeated: u64,
    /// Runs in which either happened. A policy that needs the horizon has one run for each horizon.
    pub dry_runs: u64,
    /// The earliest round in which either happened.
    pub dry_from: Option<u64>,
}

impl SupplyReport {
    fn add(&mut self, run: VoteSupply) {
        self.unanswered += run.unanswered;
        self.repeated += run.repeated;
        self.dry_runs += u64::from(run.dry_from.is_some());
        self.dry_from = self.dry_from.into_iter().chain(run.dry_from).min();
    }
}

/// Plays a job on the threads of the current rayon pool. The numbers do not depend on how many
/// threads there are.
///
/// # Errors
///
/// If the job is invalid, in which case nothing is run, or if it was stopped.
pub fn play(job: &Job, progress: &Progress) -> Result<Report, PlayError> {
    let rounds = job.check()?;
    play_in(prepare_all(&job.world, rounds, job.regret)?, job, rounds, progress)
}

/// Plays a job in an existing matrix. The world of the job is then only a name.
///
/// # Errors
///
/// If the job is invalid, in which case nothing is run, or if it was stopped.
pub fn play_matrix(world: MatrixWorld, job: &Job, progress: &Progress) -> Result<Report, PlayError> {
    let rounds = job.check()?;
    play_in(prepare_matrix_all(world, job.regret)?, job, rounds, progress)
}

fn play_in(world: PreparedWorld, job: &Job, rounds: u64, progress: &Progress) -> Result<Report, PlayError> {
    let (n_arms, best, regret) = (world.n_arms(), world.best(), world.regret());
    let best_name = world.best_name().map(str::to_owned);
    let mut plan = Plan::default();
    plan.worlds.push(PlannedWorld {
        name: job.world.clone(),
        label: job.world.clone(),
        n_arms,
        regret: regret.to_string(),
        source: Source::Named,
    });
    let (mut policies, mut left_out) = (Vec::new(), Vec::new());
    for spec in &job.policies {
        let checked = match CheckedPolicy::new(spec, &world, rounds) {
            Ok(checked) => checked,
            Err(error) if job.lenient => {
                left_out.push(LeftOut { spec: spec.clone(), reason: error.to_string() });
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let cell = Cell {
            world: 0,
            policy: plan.policies.len(),
            runs: job.runs,
            fixed_horizon: checked.fixed_horizon,
            checkpoints: job.checkpoints.clone(),
            params: Vec::new(),
        };
        let name = spec.to_string();
        plan.policies.push(PlannedPolicy { policy: name.clone(), label: name, swept: Vec::new() });
        policies.push(PolicyReport {
            spec: spec.clone(),
            params: checked.params,
            series: Series::new(&plan, &cell),
            regret: Summary::default(),
            accuracy: Vec::new(),
            time: Duration::ZERO,
            rounds: 0,
            supply: SupplyReport::default(),
        });
        plan.cells.push(cell);
    }

    let specs: Vec<Spec> = policies.iter().map(|policy| policy.spec.clone()).collect();
    let worlds = [Some(world)];
    let scheduler =
        Scheduler { items: Items::of(&plan), worlds: &worlds, specs: &specs, seed: job.seed, permute: true };
    let queue = Queue::of(&scheduler.items, |_| true);
    progress.begin(0, queue.rounds());
    let played = Mutex::new(Vec::new());
    let end = scheduler.run_all(queue, progress, |index, run, time| {
        played.lock().unwrap_or_else(PoisonError::into_inner).push((index, run, time));
        Ok::<_, PlayError>(())
    })?;
    if end == End::Stopped {
        return Err(PlayError::Stopped);
    }
    let mut played = played.into_inner().unwrap_or_else(PoisonError::into_inner);
    played.sort_unstable_by_key(|&(index, ..)| index);
    for (index, run, time) in played {
        let item = scheduler.items.get(index);
        let policy = &mut policies[item.cell];
        policy.supply.add(run.supply);
        policy.series.push(run);
        policy.time += time;
        policy.rounds += item.rounds();
    }
    for policy in &mut policies {
        policy.regret = policy.series.regret();
        policy.accuracy = policy.series.accuracy().into_iter().map(Proportion::share).collect();
    }
    Ok(Report { n_arms, best, best_name, regret, policies, left_out })
}

impl Job {
    /// The length of a run, if the job is valid.
    fn check(&self) -> Result<u64, PlayError> {
        if self.policies.is_empty() {
            return Err(PlayError::NoPolicies);
        }
        if self.runs == 0 {
            return Err(PlayError::NoRuns);
        }
        check_checkpoints(&self.checkpoints)
    }
}

/// The length of a run, if the checkpoints are valid.
pub(crate) fn check_checkpoints(checkpoints: &[u64]) -> Result<u64, PlayError> {
    let Some(&rounds) = checkpoints.last() else { return Err(PlayError::NoRounds) };
    if checkpoints[0] == 0 {
        return Err(PlayError::NoRounds);
    }
    if !checkpoints.is_sorted_by(|a, b| a < b) {
        return Err(PlayError::Unsorted);
    }
    Ok(rounds)
}

/// A job cannot be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// The job has no policies.
    #[error("there must be at least one policy")]
    NoPolicies,
    /// The job has no runs.
    #[error("there must be at least one run")]
    NoRuns,
    /// The job has no rounds.
    #[error("there must be at least one round")]
    NoRounds,
    /// The checkpoints are not in rising order.
    #[error("checkpoints must be in rising order")]
    Unsorted,
    /// The job was stopped before its end.
    #[error("stopped before the end")]
    Stopped,
    /// The world cannot be made.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A policy cannot be made, or cannot play in the world.
    #[error(transparent)]
    Policy(#[from] EntryError),
    /// The regret is not defined in the world.
    #[error(transparent)]
    Regret(#[from] RegretError),
}

impl Hint for PlayError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::World(error) => error.hints(front),
            Self::Policy(error) => error.hints(front),
            Self::Regret(error) => error.hints(front),
            _ => Vec::new(),
        }
    }
}

impl From<PrepareError> for PlayError {
    fn from(error: PrepareError) -> Self {
        match error {
            PrepareError::World(error) => error.into(),
            PrepareError::Regret(error) => error.into(),
            PrepareError::Arms(_) | PrepareError::NoMatrix => unreachable!("all arms were asked for"),
        }
    }
}
