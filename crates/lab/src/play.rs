//! `play`: several policies in one world, over many runs.

use core::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use tiltyard_bandit::Spec;
use tiltyard_bandit::params::{Context, ParamError};
use tiltyard_bandit::policy::Policy;
use tiltyard_bandit::policy::registry::{self, BuildError, Visitor};
use tiltyard_world::builtin::{self, WorldError, WorldVisitor};
use tiltyard_world::{Best, Delivery, Regret, RegretError, Supply, World};

use crate::late_run::{LateRngs, run_late};
use crate::run::{Curve, Stage, Streams, run};
use crate::summary::Summary;

/// What to play.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The world: a built-in one or a file.
    pub world: String,
    /// The policies.
    pub policies: Vec<Spec>,
    /// Rounds at which regret and accuracy are recorded, in rising order; the last is the length of a run.
    pub checkpoints: Vec<u64>,
    /// How many runs of each policy.
    pub runs: u64,
    /// The seed of everything.
    pub seed: u64,
    /// The regret to measure; the world's own if none.
    pub regret: Option<Regret>,
}

/// What came out.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// K.
    pub n_arms: usize,
    /// The arm that regret is measured against, by the world's own numbers.
    pub best: Best,
    /// What it is called, if the arms have names.
    pub best_name: Option<String>,
    /// The regret measured.
    pub regret: Regret,
    /// The policies, in the order asked for.
    pub policies: Vec<PolicyReport>,
}

/// What came out for one policy.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyReport {
    /// The specification.
    pub spec: Spec,
    /// The parameters in force.
    pub params: Vec<(&'static str, String)>,
    /// Whether it was told the horizon, and so was run once for each checkpoint.
    pub fixed_horizon: bool,
    /// Regret at each checkpoint.
    pub regret: Summary,
    /// At each checkpoint, the fraction of runs whose pair was (best, best).
    pub accuracy: Vec<f64>,
    /// Time in this policy's runs, summed over threads.
    pub time: Duration,
    /// Rounds played.
    pub rounds: u64,
    /// What the world had to say about its answers.
    pub supply: SupplyReport,
}

/// How far the answers of all runs came from fresh evidence. All is 0 in a world that draws each of them anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SupplyReport {
    /// Duels that stayed unanswered, in all runs.
    pub unanswered: u64,
    /// Answers that had been given before in their run, in all runs.
    pub repeated: u64,
    /// Runs in which either happened; a policy told the horizon has a run for each.
    pub dry_runs: u64,
    /// The earliest round in which either happened.
    pub dry_from: Option<u64>,
}

impl SupplyReport {
    fn add(&mut self, run: Supply) {
        self.unanswered += run.unanswered;
        self.repeated += run.repeated;
        self.dry_runs += u64::from(run.dry_from.is_some());
        self.dry_from = self.dry_from.into_iter().chain(run.dry_from).min();
    }
}

/// How far the job is, readable from other threads while it runs.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// Rounds played so far.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Rounds to play in all; 0 until that is known.
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }
}

/// Plays. Runs are spread over the threads of the current rayon pool; the numbers do not depend on how many there are.
///
/// # Errors
///
/// If the job makes no sense; nothing is run then.
pub fn play(job: &Job, progress: &Progress) -> Result<Report, PlayError> {
    let rounds = job.check()?;
    let (world, delivery) = Delivery::split(&job.world, rounds)?;
    builtin::visit(world, rounds, InWorld { job, delivery, progress })?
}

impl Job {
    /// The length of a run, if the job makes sense.
    fn check(&self) -> Result<u64, PlayError> {
        if self.policies.is_empty() {
            return Err(PlayError::NoPolicies);
        }
        if self.runs == 0 {
            return Err(PlayError::NoRuns);
        }
        let Some(&rounds) = self.checkpoints.last() else { return Err(PlayError::NoRounds) };
        if self.checkpoints[0] == 0 {
            return Err(PlayError::NoRounds);
        }
        if !self.checkpoints.is_sorted_by(|a, b| a < b) {
            return Err(PlayError::Unsorted);
        }
        Ok(rounds)
    }
}

struct InWorld<'a> {
    job: &'a Job,
    delivery: Delivery,
    progress: &'a Progress,
}

/// A policy of the job, with what has been found out about it.
struct Entry<'a> {
    spec: &'a Spec,
    params: Vec<(&'static str, String)>,
    fixed_horizon: bool,
    abilities: Abilities,
}

/// What decides whether a policy can be delayed and be several nodes.
#[derive(Clone, Copy)]
struct Abilities {
    sequential: bool,
    additive: bool,
}

/// One piece of work: one policy, one run, and the checkpoints of that run.
struct Item<'a> {
    policy: usize,
    run: u64,
    checkpoints: &'a [u64],
}

impl WorldVisitor for InWorld<'_> {
    type Output = Result<Report, PlayError>;

    fn visit<W: World + 'static>(self, world: W) -> Self::Output {
        let Self { job, delivery, progress } = self;
        let regret = job.regret.unwrap_or_else(|| world.natural_regret());
        let ruler = world.ruler(regret)?;
        let rounds = job.checkpoints[job.checkpoints.len() - 1];
        let n_arms = world.n_arms();
        let entries = job
            .policies
            .iter()
            .map(|spec| Entry::new(spec, n_arms, rounds)?.allowed(&delivery))
            .collect::<Result<Vec<_>, PlayError>>()?;
        let items = items(job, &entries);
        let total = items.iter().filter_map(|item| item.checkpoints.last()).sum();
        progress.total.store(total, Ordering::Relaxed);

        let setting = Setting { job, delivery, progress, world: &world, regret, ruler: &ruler };
        let results: Vec<(Curve, Duration)> = items
            .par_iter()
            // Runs are long and unequal: hand them out one at a time.
            .with_max_len(1)
            .map(|item| {
                let start = Instant::now();
                let curve = setting.run(&entries[item.policy], item);
                (curve, start.elapsed())
            })
            .collect();

        let policies = entries
            .into_iter()
            .enumerate()
            .map(|(policy, entry)| {
                let own = items.iter().zip(&results).filter(|(item, _)| item.policy == policy);
                entry.report(job.checkpoints.len(), own)
            })
            .collect();
        let best = world.best();
        let best_name = world.arm_name(best.arm).map(str::to_owned);
        Ok(Report { n_arms, best, best_name, regret, policies })
    }
}

fn items<'a>(job: &'a Job, entries: &[Entry<'_>]) -> Vec<Item<'a>> {
    let mut items = Vec::new();
    for (policy, entry) in entries.iter().enumerate() {
        for run in 0..job.runs {
            if entry.fixed_horizon {
                // As in the paper: a run of its own for each known horizon.
                items.extend(job.checkpoints.chunks(1).map(|checkpoints| Item { policy, run, checkpoints }));
            } else {
                items.push(Item { policy, run, checkpoints: &job.checkpoints });
            }
        }
    }
    items
}

/// What all runs of a job share.
struct Setting<'a, W: World> {
    job: &'a Job,
    delivery: Delivery,
    progress: &'a Progress,
    world: &'a W,
    regret: Regret,
    ruler: &'a W::Ruler,
}

impl<W: World> Setting<'_, W> {
    fn run(&self, entry: &Entry<'_>, item: &Item<'_>) -> Curve {
        let streams = Streams::of(self.job.seed, item.run);
        let horizon = item.checkpoints.last().copied().filter(|_| entry.fixed_horizon);
        let context = Context { n_arms: self.world.n_arms(), horizon };
        if !self.delivery.is_prompt() {
            return self.run_late(entry, item, context);
        }
        let runner = Runner { setting: self, spec: entry.spec, streams, checkpoints: item.checkpoints };
        registry::visit(entry.spec, context, &mut streams.setup(entry.spec).rng(), runner)
            .expect("the same policy was built before the first run")
    }

    fn run_late(&self, entry: &Entry<'_>, item: &Item<'_>, context: Context) -> Curve {
        let Self { job, delivery, progress, world, regret, ruler } = *self;
        let streams = Streams::of(job.seed, item.run);
        // Built from the same numbers, the nodes are copies of each other.
        let build = |_| {
            registry::build(entry.spec, context, &mut streams.setup(entry.spec).rng())
                .expect("the same policy was built before the first run")
        };
        let mut nodes: Vec<_> = (0..delivery.nodes()).map(build).collect();
        let order = streams.order(context.n_arms);
        let stage = Stage { world, regret, ruler, order: Some(&order), checkpoints: item.checkpoints };
        let rngs = LateRngs {
            policy: &mut streams.policy(entry.spec).rng(),
            world: &mut streams.world().rng(),
            delivery: &mut streams.delivery().rng(),
        };
        run_late(&mut nodes, &stage, &delivery, rngs, &mut |rounds| {
            progress.done.fetch_add(rounds, Ordering::Relaxed);
        })
    }
}

/// Runs the policy that the registry hands it.
struct Runner<'a, W: World> {
    setting: &'a Setting<'a, W>,
    spec: &'a Spec,
    streams: Streams,
    checkpoints: &'a [u64],
}

impl<W: World> Visitor for Runner<'_, W> {
    type Output = Curve;

    fn visit<P: Policy + 'static>(self, mut policy: P, _: Vec<(&'static str, String)>) -> Curve {
        let Self { setting, spec, streams, checkpoints } = self;
        let Setting { world, regret, ruler, progress, .. } = *setting;
        let order = streams.order(world.n_arms());
        let stage = Stage { world, regret, ruler, order: Some(&order), checkpoints };
        let rngs = (&mut streams.policy(spec).rng(), &mut streams.world().rng());
        run(&mut policy, &stage, rngs, |rounds| {
            progress.done.fetch_add(rounds, Ordering::Relaxed);
        })
    }
}

impl<'a> Entry<'a> {
    /// Builds the policy once without a horizon. If it asks for one, it is a fixed-horizon policy, and is built with the longest
    /// to see that nothing else is wrong.
    fn new(spec: &'a Spec, n_arms: usize, rounds: u64) -> Result<Self, BuildError> {
        struct ReadFacts;
        impl Visitor for ReadFacts {
            type Output = (Vec<(&'static str, String)>, Abilities);
            fn visit<P: Policy + 'static>(
                self,
                mut policy: P,
                params: Vec<(&'static str, String)>,
            ) -> Self::Output {
                let sequential = policy.sequential().is_some();
                (params, Abilities { sequential, additive: policy.additive().is_some() })
            }
        }
        let build = |horizon| {
            let mut rng = tiltyard_bandit::Stream::new(0).rng();
            registry::visit(spec, Context { n_arms, horizon }, &mut rng, ReadFacts)
        };
        let ((params, abilities), fixed_horizon) = match build(None) {
            Ok(facts) => (facts, false),
            Err(BuildError::Param(ParamError::NeedsHorizon { .. })) => (build(Some(rounds))?, true),
            Err(error) => return Err(error),
        };
        Ok(Self { spec, params, fixed_horizon, abilities })
    }

    /// The same, if it can be played with outcomes delivered like that.
    fn allowed(self, delivery: &Delivery) -> Result<Self, PlayError> {
        let policy = || self.spec.to_string();
        if delivery.nodes() > 1 && !self.abilities.additive {
            return Err(PlayError::NotAdditive { policy: policy(), nodes: delivery.nodes() });
        }
        if delivery.is_late() && self.abilities.sequential {
            return Err(PlayError::Sequential { policy: policy() });
        }
        Ok(self)
    }

    fn report<'b>(
        self,
        n_checkpoints: usize,
        own: impl Iterator<Item = (&'b Item<'b>, &'b (Curve, Duration))>,
    ) -> PolicyReport {
        let mut values = vec![Vec::new(); n_checkpoints];
        let mut hits = vec![0u64; n_checkpoints];
        let (mut time, mut rounds, mut supply) = (Duration::ZERO, 0, SupplyReport::default());
        let mut next = 0;
        for (item, (curve, elapsed)) in own {
            // A fixed-horizon policy's items each hold the next checkpoint of a run, the others' all of them.
            for (regret, &hit) in curve.regret.iter().zip(&curve.hit) {
                values[next].push(*regret);
                hits[next] += u64::from(hit);
                next = (next + 1) % n_checkpoints;
            }
            supply.add(curve.supply);
            time += *elapsed;
            rounds += item.checkpoints[item.checkpoints.len() - 1];
        }
        let n_runs = values[0].len() as f64;
        let mut regret = Summary::default();
        for values in &values {
            regret.push(values);
        }
        PolicyReport {
            spec: self.spec.clone(),
            params: self.params,
            fixed_horizon: self.fixed_horizon,
            regret,
            accuracy: hits.iter().map(|&hits| hits as f64 / n_runs).collect(),
            time,
            rounds,
            supply,
        }
    }
}

/// Why a job makes no sense.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// Nobody plays.
    #[error("there must be at least one policy")]
    NoPolicies,
    /// No runs.
    #[error("there must be at least one run")]
    NoRuns,
    /// No rounds.
    #[error("there must be at least one round")]
    NoRounds,
    /// Checkpoints that do not rise.
    #[error("checkpoints must rise")]
    Unsorted,
    /// Outcomes come late to a policy that cannot wait.
    #[error("`{policy}` needs each outcome before its next duel, so outcomes cannot be held back from it")]
    Sequential {
        /// The policy.
        policy: String,
    },
    /// A policy that cannot be several nodes.
    #[error(
        "`{policy}` cannot be {nodes} nodes: what it learns is no sum that nodes could share (it is not additive)"
    )]
    NotAdditive {
        /// The policy.
        policy: String,
        /// How many nodes were asked for.
        nodes: usize,
    },
    /// The world cannot be made.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A policy cannot be made.
    #[error(transparent)]
    Policy(#[from] BuildError),
    /// The regret has no meaning in that world.
    #[error(transparent)]
    Regret(#[from] RegretError),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The registry has no sequential policy yet, so one is made up.
    #[test]
    fn trace_a_sequential_policy_cannot_be_made_to_wait() {
        let spec: Spec = "wsw".parse().unwrap();
        let allowed = |wrappers: &str| {
            let abilities = Abilities { sequential: true, additive: false };
            let entry = Entry { spec: &spec, params: Vec::new(), fixed_horizon: false, abilities };
            let (_, delivery) = Delivery::split(wrappers, 100).unwrap();
            entry.allowed(&delivery).map(|_| ()).map_err(|error| error.to_string())
        };
        for bearable in ["arxiv6", "arxiv6+lossy", "arxiv6+delayed:rounds=0", "arxiv6+nodes:count=1"] {
            assert_eq!(allowed(bearable), Ok(()), "{bearable}");
        }
        let refused =
            "`wsw` needs each outcome before its next duel, so outcomes cannot be held back from it";
        for late in ["arxiv6+delayed", "arxiv6+batched", "arxiv6+delayed:mean=1"] {
            assert_eq!(allowed(late), Err(refused.to_owned()), "{late}");
        }
    }
}
