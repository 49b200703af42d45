//! The serialized form of an experiment, as snapshots hold it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tiltyard_bandit::Arm;
use tiltyard_bandit::policy::{self, AnyPolicy};

use crate::domain::{
    Apprentice, ArmEntry, AuditLog, Comparison, DrawnDuel, Evidence, Experiment, MergedLists, PairCounts,
    Settings, Slate, Status, Tenure, Timeline, Totals, VoterTally, Voters,
};
use crate::id::ExperimentId;
use crate::time::Time;

/// The layout of the snapshots that this version writes. Snapshots with another layout are ignored:
/// the log has everything.
const FORMAT: u32 = 5;

/// The serialized form of an experiment. A restored experiment continues bit for bit.
///
/// The digest of a state is computed from this form, without the layout number. A field that was
/// added in a later version is omitted while it has its initial value, as it has in every log that
/// does not use it. The digests of old logs therefore stay comparable.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SavedExperiment {
    /// Omitted from digests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    format: Option<u32>,
    id: ExperimentId,
    seq: u64,
    created: Time,
    name: String,
    status: Status,
    settings: Settings,
    /// The version of the policy's updates that the log names, and the version that folded the log.
    policy_versions: (u32, u32),
    policy: policy::Saved,
    #[serde(default, skip_serializing_if = "Tenure::is_first")]
    tenure: Tenure,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    apprentice: Option<SavedApprentice>,
    arms: Vec<ArmEntry>,
    #[serde(rename = "open")]
    in_flight: Vec<(u64, DrawnDuel)>,
    pairs: Vec<(Arm, Arm, PairCounts)>,
    evidence: Evidence,
    totals: Totals,
    timeline: Timeline,
    #[serde(rename = "notes")]
    audit_log: AuditLog,
    voters: BTreeMap<String, VoterTally>,
    /// Votes per voter, by the voters' numbers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    numbers: BTreeMap<u64, VoterTally>,
    #[serde(rename = "interleavings", default, skip_serializing_if = "MergedLists::is_empty")]
    merged_lists: MergedLists,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    slates: BTreeMap<u64, Arc<Slate>>,
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    stopped: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct SavedApprentice {
    policy_versions: (u32, u32),
    policy: policy::Saved,
    began: u64,
    lessons: u64,
}

impl Apprentice {
    fn into_saved(self) -> SavedApprentice {
        let Self { policy, policy_version, began, lessons } = self;
        SavedApprentice {
            policy_versions: (policy_version, policy.info().version),
            policy: policy.save(),
            began,
            lessons,
        }
    }

    fn restore(saved: SavedApprentice) -> Result<Self, RestoreError> {
        let SavedApprentice { policy_versions, policy, began, lessons } = saved;
        let (policy_version, policy) = restore(&policy, policy_versions)?;
        Ok(Self { policy, policy_version, began, lessons })
    }
}

/// The version that the log names, and the restored policy.
fn restore(saved: &policy::Saved, (logged, folded_by): (u32, u32)) -> Result<(u32, AnyPolicy), RestoreError> {
    let policy = AnyPolicy::restore(saved)?;
    if folded_by == policy.info().version {
        Ok((logged, policy))
    } else {
        Err(RestoreError::PolicyVersion { version: folded_by })
    }
}

impl SavedExperiment {
    /// The form from which digests are computed.
    pub(crate) fn for_digest(self) -> Self {
        Self { format: None, ..self }
    }
}

impl Experiment {
    /// Everything needed to continue from the current state.
    pub fn save(&self) -> SavedExperiment {
        self.clone().into_saved()
    }

    /// Everything needed to continue from the current state, without a copy of it.
    pub fn into_saved(self) -> SavedExperiment {
        let mut slates = BTreeMap::new();
        let in_flight = self.in_flight.into_iter().map(|(duel, shown)| {
            slates.extend(shown.slate.map(|slate| (duel, slate)));
            (duel, shown.drawn)
        });
        SavedExperiment {
            format: Some(FORMAT),
            id: self.id,
            seq: self.seq,
            created: self.created,
            name: self.name,
            status: self.status,
            settings: self.settings,
            policy_versions: (self.policy_version, self.policy.info().version),
            policy: self.policy.save(),
            tenure: self.tenure,
            apprentice: self.apprentice.map(Apprentice::into_saved),
            arms: self.arms,
            in_flight: in_flight.collect(),
            pairs: self.pairs.into_iter().map(|((first, second), counts)| (first, second, counts)).collect(),
            evidence: self.evidence,
            totals: self.totals,
            timeline: self.timeline,
            audit_log: self.audit_log,
            voters: self.voters.by_name,
            numbers: self.voters.by_number,
            merged_lists: self.merged_lists,
            slates,
            stopped: self.stopped,
        }
    }

    /// Continues from a saved state.
    ///
    /// # Errors
    ///
    /// If the state is damaged, or was saved with another layout or other versions of the policies.
    pub fn restore(saved: SavedExperiment) -> Result<Self, RestoreError> {
        if saved.format != Some(FORMAT) {
            return Err(RestoreError::Format { format: saved.format.unwrap_or(0) });
        }
        let (policy_version, policy) = restore(&saved.policy, saved.policy_versions)?;
        let apprentice = saved.apprentice.map(Apprentice::restore).transpose()?;
        let n_arms = saved.arms.len();
        let learner_fits = apprentice.as_ref().is_none_or(|apprentice| apprentice.policy.n_arms() == n_arms);
        let mut slates = saved.slates;
        let in_flight: BTreeMap<u64, Comparison> = saved
            .in_flight
            .into_iter()
            .map(|(duel, drawn)| (duel, Comparison { drawn, slate: slates.remove(&duel) }))
            .collect();
        let duels_fit = in_flight.values().all(|shown| shown.check(n_arms).is_ok());
        let evidence_fits = saved.evidence.is_of(saved.arms.iter().map(|entry| !entry.retired));
        if policy.n_arms() != n_arms || !learner_fits || !duels_fit || !evidence_fits {
            return Err(RestoreError::Arms { n_arms });
        }
        if !saved.timeline.fits(n_arms) {
            return Err(RestoreError::Timeline { n_arms });
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
            tenure: saved.tenure,
            apprentice,
            index: Arc::new(index),
            active: Arm::all(n_arms).filter(|arm| !saved.arms[arm.index()].retired).collect(),
            arms: saved.arms,
            in_flight,
            pairs: saved
                .pairs
                .into_iter()
                .map(|(first, second, counts)| ((first, second), counts))
                .collect::<BTreeMap<_, _>>(),
            evidence: saved.evidence,
            totals: saved.totals,
            timeline: saved.timeline,
            audit_log: saved.audit_log,
            voters: Voters { by_name: saved.voters, by_number: saved.numbers },
            merged_lists: saved.merged_lists,
            forgotten: BTreeSet::new(),
            longest_payload,
            relearn: false,
            stopped: saved.stopped,
        })
    }
}

/// Why a saved experiment cannot be restored.
#[expect(missing_docs, reason = "the messages describe them")]
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// The snapshot has another layout.
    #[error("the snapshot has layout {format}; this version reads layout {FORMAT}")]
    Format { format: u32 },
    /// Another version of the policy's updates folded the log.
    #[error("the snapshot was made with version {version} of the policy's updates")]
    PolicyVersion { version: u32 },
    /// The policy's state is damaged.
    #[error(transparent)]
    Policy(#[from] policy::RestoreError),
    /// The policies, the duels or the evidence do not fit the arms.
    #[error("the snapshot's policies, duels or evidence do not fit its {n_arms} arms")]
    Arms { n_arms: usize },
    /// The timeline is damaged, or does not fit the arms.
    #[error("the snapshot's timeline is damaged or does not fit its {n_arms} arms")]
    Timeline { n_arms: usize },
}
