//! A specification prepared for running.

use std::path::Path;

use tiltyard_bandit::Spec;

use crate::engine::identity::{Identity, WorldIdentity, with_content};
use crate::engine::matrix_cache::MatrixCache;
use crate::engine::plan::{Cell, Plan, PlannedPolicy, PlannedWorld, Source};
use crate::engine::policy_check::CheckedPolicy;
use crate::engine::prepared_world::{Arms, PrepareError, PreparedWorld};
use crate::spec::{
    Draw, Problem, Specification, SpecificationError, StandInWorld, WorldEntry, WorldLocation,
};

/// A specification with its worlds made, its policies checked, and its plan laid out.
pub struct Experiment {
    /// The title of the specification.
    pub title: String,
    /// The specification as written.
    pub text: String,
    /// All runs, in order.
    pub plan: Plan,
    /// Everything that determines the numbers.
    pub identity: Identity,
    pub(crate) worlds: Vec<Option<PreparedWorld>>,
    pub(crate) specs: Vec<Spec>,
}

impl core::fmt::Debug for Experiment {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Experiment")
            .field("title", &self.title)
            .field("plan", &self.plan)
            .finish_non_exhaustive()
    }
}

impl Experiment {
    /// Makes the worlds of a specification and checks that every policy can play in each of them.
    /// Files of real data are looked up in the directory `data`, if there is one.
    ///
    /// # Errors
    ///
    /// If the data directory, a world or a policy does not exist, or a policy cannot play in a
    /// world.
    pub fn new(specification: &Specification, data: Option<&Path>) -> Result<Self, SpecificationError> {
        Self::with_cache(specification, data, &mut MatrixCache::default())
    }

    /// Like [`Self::new`], with a cache of matrices that several experiments share.
    pub(crate) fn with_cache(
        specification: &Specification,
        data: Option<&Path>,
        cache: &mut MatrixCache,
    ) -> Result<Self, SpecificationError> {
        if let Some(directory) = data.filter(|directory| !directory.is_dir()) {
            let problem = Problem::NoDirectory(directory.to_owned());
            return Err(SpecificationError::new(&specification.origin, None, "", problem));
        }
        let mut worlds = ExperimentWorlds::default();
        for entry in &specification.worlds {
            worlds.add(specification, entry, data, cache)?;
        }
        let policies = specification.policies.iter().map(|policy| PlannedPolicy {
            policy: policy.spec.to_string(),
            label: policy.label.clone(),
            swept: policy.swept.clone(),
        });
        let policies: Vec<_> = policies.collect();
        let mut cells = Vec::new();
        for (world, planned) in worlds.planned.iter().enumerate() {
            let horizon = worlds.identities[world].horizon;
            for (policy, entry) in specification.policies.iter().enumerate() {
                let built = CheckedPolicy::new(&entry.spec, &worlds.prepared[world], horizon);
                let built = built.map_err(|error| {
                    let problem = Problem::Policy { world: planned.name.clone(), error };
                    specification.error(entry.line, "policy.policy", problem)
                })?;
                let (runs, rounds) = if built.fixed_horizon {
                    (specification.runs_fixed_horizon, &specification.horizons)
                } else {
                    (specification.runs, &specification.checkpoints)
                };
                cells.push(Cell {
                    world,
                    policy,
                    runs,
                    fixed_horizon: built.fixed_horizon,
                    checkpoints: rounds.up_to(horizon),
                    params: built.params.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
                });
            }
        }
        let identity = Identity {
            seed: specification.seed,
            permute: specification.permute,
            worlds: worlds.identities,
            policies: policies.iter().map(|policy| policy.policy.clone()).collect(),
            runs: cells.iter().map(|cell| cell.runs).collect(),
            rounds: cells.iter().map(|cell| cell.checkpoints.clone()).collect(),
        };
        Ok(Self {
            title: specification.title.clone(),
            text: specification.text.clone(),
            plan: Plan { worlds: worlds.planned, policies, cells },
            identity,
            worlds: worlds.prepared.into_iter().map(Some).collect(),
            specs: specification.policies.iter().map(|policy| policy.spec.clone()).collect(),
        })
    }
}

/// Worlds made so far.
#[derive(Default)]
struct ExperimentWorlds {
    planned: Vec<PlannedWorld>,
    identities: Vec<WorldIdentity>,
    prepared: Vec<PreparedWorld>,
}

/// A world with the text that makes it, its name, its label and its source.
struct LocatedWorld {
    text: String,
    name: String,
    label: String,
    source: Source,
    /// The number of its first arms to use, if it stands in for a smaller world.
    arms: Option<usize>,
}

impl ExperimentWorlds {
    fn add(
        &mut self,
        specification: &Specification,
        entry: &WorldEntry,
        data: Option<&Path>,
        matrices: &mut MatrixCache,
    ) -> Result<(), SpecificationError> {
        let field =
            if matches!(entry.location, WorldLocation::Named(_)) { "world.world" } else { "world.data" };
        let refuse = |problem| specification.error(entry.line, field, problem);
        let found = find(entry, data).map_err(refuse)?;
        let horizon = entry.horizon.unwrap_or(specification.horizon);
        let arms: Vec<Arms> = match entry.draw {
            _ if found.arms.is_some() => found.arms.into_iter().map(Arms::First).collect(),
            _ if entry.arms.is_empty() => vec![Arms::All],
            Draw::Random => entry.arms.iter().map(|&n_arms| Arms::Random(n_arms)).collect(),
            Draw::First => entry.arms.iter().map(|&n_arms| Arms::First(n_arms)).collect(),
        };
        let prepared = matrices.prepare(&found.text, horizon, specification.regret, &arms);
        let prepared = prepared.map_err(|error| match error {
            PrepareError::Arms(_) | PrepareError::NoMatrix => {
                specification.error(entry.arms_line, "world.arms", Problem::World(error))
            }
            error => refuse(Problem::World(error)),
        })?;
        let text = with_content(&found.text).map_err(|error| refuse(Problem::Unreadable(error)))?;
        for (prepared, arms) in prepared.into_iter().zip(arms) {
            let (suffix, arms) = match arms {
                Arms::All => (String::new(), "all".to_owned()),
                Arms::First(n_arms) => (format!(" [first {n_arms}]"), format!("first {n_arms}")),
                Arms::Random(n_arms) => (format!(" [random {n_arms}]"), format!("random {n_arms}")),
            };
            let name = entry.name.clone().unwrap_or_else(|| format!("{}{suffix}", found.name));
            if self.planned.iter().any(|other| other.name == name) {
                return Err(refuse(Problem::WorldTwice { name }));
            }
            let regret = prepared.regret().to_string();
            self.identities.push(WorldIdentity {
                name: name.clone(),
                text: text.clone(),
                arms,
                regret: regret.clone(),
                horizon,
            });
            let label = if entry.arms.len() > 1 {
                format!("{}, K = {}", found.label, prepared.n_arms())
            } else {
                found.label.clone()
            };
            let (n_arms, source) = (prepared.n_arms(), found.source);
            self.planned.push(PlannedWorld { name, label, n_arms, regret, source });
            self.prepared.push(prepared);
        }
        Ok(())
    }
}

fn find(entry: &WorldEntry, data: Option<&Path>) -> Result<LocatedWorld, Problem> {
    let label = |own: &Option<String>, text: &str| own.clone().unwrap_or_else(|| text.to_owned());
    match &entry.location {
        WorldLocation::Named(text) => Ok(LocatedWorld {
            text: text.clone(),
            name: text.clone(),
            label: label(&entry.label, text),
            source: Source::Named,
            arms: None,
        }),
        WorldLocation::Data { file, otherwise, otherwise_label } => {
            if let Some(path) = data.map(|directory| directory.join(file)).filter(|path| path.is_file()) {
                return Ok(LocatedWorld {
                    text: path.display().to_string(),
                    name: file.clone(),
                    label: label(&entry.label, file),
                    source: Source::Data,
                    arms: None,
                });
            }
            let Some(StandInWorld { text, arms }) = otherwise else {
                return Err(Problem::NoData { file: file.clone(), directory: data.map(Path::to_owned) });
            };
            Ok(LocatedWorld {
                text: text.clone(),
                name: text.clone(),
                label: label(otherwise_label, text),
                source: Source::StandIn,
                arms: *arms,
            })
        }
    }
}
