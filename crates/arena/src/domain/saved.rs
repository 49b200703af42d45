//! An experiment at rest: what a snapshot holds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tiltyard_bandit::Arm;
use tiltyard_bandit::policy::{self, AnyPolicy};

use super::arms::ArmEntry;
use super::counts::{PairCounts, Totals};
use super::event::Status;
use super::evidence::Evidence;
use super::experiment::{Experiment, Open};
use super::settings::Settings;
use super::voters::Voters;
use crate::id::ExperimentId;
use crate::time::Time;

/// The layout of snapshots written now. Snapshots of another layout are passed over: the log has it all.
const FORMAT: u32 = 2;

/// An experiment at rest. Restored, it goes on bit for bit.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SavedExperiment {
    format: u32,
    id: ExperimentId,
    seq: u64,
    created: Time,
    name: String,
    status: Status,
    settings: Settings,
    /// The version that the log names, and the one that folded it.
    policy_versions: (u32, u32),
    policy: policy::Saved,
    arms: Vec<ArmEntry>,
    open: Vec<(u64, Open)>,
    pairs: Vec<(Arm, Arm, PairCounts)>,
    evidence: Evidence,
    totals: Totals,
    voters: Voters,
    stopped: bool,
}

impl Experiment {
    /// Everything needed to go on from here.
    pub fn save(&self) -> SavedExperiment {
        SavedExperiment {
            format: FORMAT,
            id: self.id,
            seq: self.seq,
            created: self.created,
            name: self.name.clone(),
            status: self.status,
            settings: self.settings.clone(),
            policy_versions: (self.policy_version, self.policy.info().version),
            policy: self.policy.save(),
            arms: self.arms.clone(),
            open: self.open.iter().map(|(&duel, &open)| (duel, open)).collect(),
            pairs: self.pairs.iter().map(|(&(first, second), &counts)| (first, second, counts)).collect(),
            evidence: self.evidence.clone(),
            totals: self.totals,
            voters: self.voters.clone(),
            stopped: self.stopped,
        }
    }

    /// Goes on from a saved state.
    ///
    /// # Errors
    ///
    /// If it was saved by a version that meant something else by it, or is damaged.
    pub fn restore(saved: SavedExperiment) -> Result<Self, RestoreError> {
        if saved.format != FORMAT {
            return Err(RestoreError::Format { format: saved.format });
        }
        let policy = AnyPolicy::restore(&saved.policy)?;
        let (policy_version, folded_by) = saved.policy_versions;
        if folded_by != policy.info().version {
            return Err(RestoreError::PolicyVersion { version: folded_by });
        }
        let n_arms = saved.arms.len();
        let arms_fit = |open: &Open| open.ticket.check(n_arms).is_ok();
        if policy.n_arms() != n_arms || !saved.open.iter().all(|(_, open)| arms_fit(open)) {
            return Err(RestoreError::Arms { n_arms });
        }
        let index = Arm::all(n_arms).map(|arm| (saved.arms[arm.index()].arm.name.clone(), arm)).collect();
        let longest_payload = saved.arms.iter().map(|entry| entry.arm.payload_length()).max().unwrap_or(0);
        Ok(Self {
            id: saved.id,
            seq: saved.seq,
            created: saved.created,
            name: saved.name,
            status: saved.status,
            settings: saved.settings,
            policy_version,
            policy,
            index: Arc::new(index),
            active: Arm::all(n_arms).filter(|arm| !saved.arms[arm.index()].retired).collect(),
            arms: saved.arms,
            open: saved.open.into_iter().collect(),
            pairs: saved
                .pairs
                .into_iter()
                .map(|(first, second, counts)| ((first, second), counts))
                .collect::<BTreeMap<_, _>>(),
            evidence: saved.evidence,
            totals: saved.totals,
            voters: saved.voters,
            forgotten: BTreeSet::new(),
            longest_payload,
            relearn: false,
            stopped: saved.stopped,
        })
    }
}

/// Why a saved experiment cannot go on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// It was saved in another layout.
    #[error("the snapshot has layout {format}; this version reads {FORMAT}")]
    Format {
        /// The layout found.
        format: u32,
    },
    /// It was folded by a version of the policy that learned something else.
    #[error("the snapshot was made with version {version} of the policy's updates")]
    PolicyVersion {
        /// That version.
        version: u32,
    },
    /// The policy's state is damaged.
    #[error(transparent)]
    Policy(#[from] policy::RestoreError),
    /// The arms do not fit.
    #[error("the snapshot's policy and duels do not fit its {n_arms} arms")]
    Arms {
        /// How many arms there are.
        n_arms: usize,
    },
}
