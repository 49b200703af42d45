//! `manifest.json`: what was run, on which machine, and how long it took.

use serde::{Deserialize, Serialize};

use crate::engine::identity::Identity;
use crate::engine::plan::{Plan, Shard};

/// The format of manifests that this version writes and reads.
pub(super) const FORMAT: u32 = 1;

/// The content of `manifest.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Manifest {
    /// The format of this file.
    pub format: u32,
    /// The title of the job.
    pub title: String,
    /// The hash of the identity.
    pub hash: String,
    pub seed: u64,
    /// The version of the program that ran the job.
    pub version: String,
    /// The revision of the program's source code, if known.
    pub revision: Option<String>,
    /// The part of a job that this is; `None` for a whole job.
    pub shard: Option<Shard>,
    /// Rounds played.
    pub rounds: u64,
    /// Seconds spent in runs, summed over threads and sessions.
    pub seconds: f64,
    /// The same for each cell of the plan.
    pub cell_seconds: Vec<f64>,
    /// Seconds that the last session took, from start to end.
    pub elapsed_seconds: f64,
    /// When the job was finished, in seconds since 1970-01-01 (UTC).
    pub finished: u64,
    /// The machine on which the job was finished.
    pub machine: Machine,
    /// The SHA-256 of `results.parquet`.
    pub results_sha256: String,
    /// The specification as written.
    pub specification: String,
    /// Everything that determines the numbers: the expanded specification.
    pub identity: Identity,
    /// Everything that was played, in the order of the rows.
    pub plan: Plan,
}

impl Manifest {
    /// The first 12 characters of the hash: enough to tell jobs apart, short enough for a caption.
    pub fn short_hash(&self) -> &str {
        self.hash.get(..12).unwrap_or(&self.hash)
    }

    /// A contradiction in the manifest, if there is one. The check keeps a damaged manifest from
    /// doing harm.
    pub(super) fn contradiction(&self) -> Option<&'static str> {
        if self.identity.hash() != self.hash {
            return Some("the stated hash is not the hash of the identity");
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

/// The machine that ran a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Machine {
    pub os: String,
    pub architecture: String,
    /// The model of the processor, if the system reports it.
    pub processor: Option<String>,
    /// Threads used.
    pub threads: usize,
}

impl Machine {
    /// This machine.
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
