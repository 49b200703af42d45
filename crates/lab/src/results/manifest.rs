//! `manifest.json`: what was run, on what, and how long it took.

use serde::{Deserialize, Serialize};

use crate::engine::identity::Identity;
use crate::engine::plan::{Plan, Shard};

/// The format of manifests that this version writes and reads.
pub(super) const FORMAT: u32 = 1;

/// What was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The format of this file.
    pub format: u32,
    /// What the job is about.
    pub title: String,
    /// The hash of its identity.
    pub hash: String,
    /// Its seed.
    pub seed: u64,
    /// The version that ran it.
    pub version: String,
    /// The revision of the source that ran it, where that is known.
    pub revision: Option<String>,
    /// Which part of a job this is; none if all of it.
    pub shard: Option<Shard>,
    /// Rounds played.
    pub rounds: u64,
    /// Seconds spent in runs, summed over threads and sessions.
    pub seconds: f64,
    /// The same for each cell of the plan.
    pub cell_seconds: Vec<f64>,
    /// Seconds that the last session took.
    pub elapsed_seconds: f64,
    /// When it was finished, in seconds since the beginning of 1970 (UTC).
    pub finished: u64,
    /// On what it was finished.
    pub machine: Machine,
    /// The SHA-256 of `results.parquet`.
    pub results_sha256: String,
    /// The specification as written.
    pub specification: String,
    /// What decides the numbers: the specification written out.
    pub identity: Identity,
    /// What was played, in the order of the rows.
    pub plan: Plan,
}

impl Manifest {
    /// The first characters of the hash: enough to tell jobs apart, short enough for a caption.
    pub fn short_hash(&self) -> &str {
        self.hash.get(..12).unwrap_or(&self.hash)
    }

    /// What in it cannot be, so that a damaged one does no harm.
    pub(super) fn contradiction(&self) -> Option<&'static str> {
        if self.identity.hash() != self.hash {
            return Some("the identity has another hash than the one stated");
        }
        let legal = |cell: &crate::engine::plan::Cell| {
            cell.world < self.plan.worlds.len()
                && cell.policy < self.plan.policies.len()
                && !cell.checkpoints.is_empty()
        };
        if !self.plan.cells.iter().all(legal) || self.cell_seconds.len() != self.plan.cells.len() {
            return Some("the plan contradicts itself");
        }
        let shard = self.shard.unwrap_or(Shard::WHOLE);
        Shard::new(shard.index, shard.count).is_none().then_some("there is no such shard")
    }
}

/// A computer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Its operating system.
    pub os: String,
    /// Its architecture.
    pub architecture: String,
    /// Its processor, where the system tells.
    pub processor: Option<String>,
    /// Threads used.
    pub threads: usize,
}

impl Machine {
    /// This one.
    pub(crate) fn this() -> Self {
        let processor = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        });
        Self {
            os: std::env::consts::OS.to_owned(),
            architecture: std::env::consts::ARCH.to_owned(),
            processor,
            threads: rayon::current_num_threads(),
        }
    }
}
