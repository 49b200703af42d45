//! All runs of one policy in one world, as curves.

use crate::engine::Run;
use crate::engine::plan::{Cell, Plan};
use crate::statistics::{Proportion, Summary};

/// All runs of one policy in one world.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The world's name in the results, as the specification writes it, without a directory of this
    /// machine.
    pub world: String,
    /// The world's name for people.
    pub world_label: String,
    /// The policy's specification, as `play --policy` accepts it.
    pub policy: String,
    /// The policy's name for people.
    pub label: String,
    /// The parameters that a grid set, as key and value, in the order of keys; empty without a
    /// grid.
    pub swept: Vec<(String, String)>,
    /// The number of arms, K.
    pub n_arms: usize,
    /// Whether the policy needed the horizon. If so, it was run once for each checkpoint.
    pub fixed_horizon: bool,
    /// The rounds at which curves were recorded, in rising order.
    pub checkpoints: Vec<u64>,
    /// The runs, in order.
    pub runs: Vec<Run>,
}

impl Series {
    /// The series of a cell of a plan, without runs yet.
    pub(crate) fn new(plan: &Plan, cell: &Cell) -> Self {
        let (world, policy) = (&plan.worlds[cell.world], &plan.policies[cell.policy]);
        Self {
            world: world.name.clone(),
            world_label: world.label.clone(),
            policy: policy.policy.clone(),
            label: policy.label.clone(),
            swept: policy.swept.clone(),
            n_arms: world.n_arms,
            fixed_horizon: cell.fixed_horizon,
            checkpoints: cell.checkpoints.clone(),
            runs: Vec::new(),
        }
    }

    /// Adds a run. A policy that needs the horizon plays each horizon separately, and each horizon
    /// is the next checkpoint of the same run.
    pub(crate) fn push(&mut self, run: Run) {
        match self.runs.last_mut() {
            Some(last) if last.regret.len() < self.checkpoints.len() => {
                last.regret.extend(run.regret);
                last.hit.extend(run.hit);
                last.supply = run.supply;
            }
            _ => self.runs.push(run),
        }
    }

    /// The value that a grid gave to a parameter, if it is a number.
    pub fn swept_number(&self, key: &str) -> Option<f64> {
        self.swept.iter().find(|(swept, _)| swept == key)?.1.parse().ok()
    }

    /// The regrets of all runs at the checkpoint with this index.
    pub fn regrets_at(&self, checkpoint: usize) -> Vec<f64> {
        self.runs.iter().map(|run| run.regret[checkpoint]).collect()
    }

    /// Mean, standard error, smallest and largest regret at each checkpoint.
    pub fn regret(&self) -> Summary {
        let mut summary = Summary::default();
        for checkpoint in 0..self.checkpoints.len() {
            summary.push(&self.regrets_at(checkpoint));
        }
        summary
    }

    /// The share of runs whose pair was (best, best), at each checkpoint.
    pub fn accuracy(&self) -> Vec<Proportion> {
        (0..self.checkpoints.len())
            .map(|checkpoint| {
                let hits = self.runs.iter().filter(|run| run.hit[checkpoint]).count();
                Proportion { hits: hits as u64, of: self.runs.len() as u64 }
            })
            .collect()
    }
}
