//! An experiment: its state, and the events that requests to it produce.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rand::{Rng, RngExt};
use tiltyard_bandit::params::Context;
use tiltyard_bandit::policy::{AnyPolicy, registry};
use tiltyard_bandit::{Arm, Spec, Stream};

use crate::domain::{
    Apprentice, ArmChanged, ArmEntry, ArmsAdded, AuditLog, Changed, Comparison, Create, Created, Event,
    Evidence, MergedLists, NewArm, PairCounts, Record, Refusal, Settings, Status, Stop, Tenure, Timeline,
    Totals, Voters,
};
use crate::id::ExperimentId;
use crate::time::Time;

/// The most arms of an experiment.
const MOST_ARMS: usize = 1_000_000;

/// Longer names of experiments, clients and voters are refused.
const LONGEST_NAME: usize = 200;

/// An experiment: the state to which its log folds.
#[derive(Debug, Clone)]
pub struct Experiment {
    pub(crate) id: ExperimentId,
    /// The last log position that was folded.
    pub(crate) seq: u64,
    pub(crate) created: Time,
    pub(crate) name: String,
    pub(crate) status: Status,
    pub(crate) settings: Settings,
    pub(crate) policy_version: u32,
    pub(crate) policy: AnyPolicy,
    pub(crate) tenure: Tenure,
    pub(crate) apprentice: Option<Apprentice>,
    pub(crate) arms: Vec<ArmEntry>,
    /// Arms by name; shared with snapshots being taken.
    pub(crate) index: Arc<BTreeMap<String, Arm>>,
    /// Arms that are not retired, in order.
    pub(crate) active: Vec<Arm>,
    pub(crate) in_flight: BTreeMap<u64, Comparison>,
    pub(crate) pairs: BTreeMap<(Arm, Arm), PairCounts>,
    pub(crate) evidence: Evidence,
    pub(crate) totals: Totals,
    pub(crate) timeline: Timeline,
    pub(crate) audit_log: AuditLog,
    pub(crate) voters: Voters,
    pub(crate) merged_lists: MergedLists,
    /// Duels whose answers the policy must not learn, because they are voided later in the log; see
    /// [`crate::domain::Fold`].
    pub(crate) forgotten: BTreeSet<u64>,
    /// The length of the longest payload of an arm, as text.
    pub(crate) longest_payload: usize,
    /// Whether the policy learned an answer that was voided, and cannot take it back.
    pub(crate) relearn: bool,
    /// Whether the verdict has paused the experiment. It does so only once: a person may resume the
    /// experiment.
    pub(crate) stopped: bool,
}

impl Experiment {
    /// Checks a request to create an experiment, and returns the first event of its log.
    ///
    /// # Errors
    ///
    /// If the request is refused.
    pub fn create(request: Create, rng: &mut dyn Rng) -> Result<Event, Refusal> {
        let Create { name, arms, policy, mut settings, distinct_by_policy } = request;
        check_name("an experiment's name", &name)?;
        let n_arms = arms.len();
        if !(2..=MOST_ARMS).contains(&n_arms) {
            return Err(Refusal::OutOfRange {
                what: "the number of arms",
                got: n_arms as u64,
                least: 2,
                most: MOST_ARMS as u64,
            });
        }
        check_arms(&arms, &BTreeMap::new())?;
        settings.check()?;
        let seed = rng.random();
        let built = build(&policy, n_arms, settings.horizon, seed)?;
        if built.capabilities().sequential {
            return Err(Refusal::Sequential { policy: built.info().name.to_owned() });
        }
        let can = built.distinct().is_some();
        if distinct_by_policy {
            settings.distinct = can;
        } else if settings.distinct && !can {
            return Err(Refusal::NotDistinct { policy: built.info().name.to_owned() });
        }
        let policy_version = built.info().version;
        let arms = arms.into_iter().map(NewArm::into_logged).collect();
        Ok(Event::Created(Box::new(Created { name, arms, policy, policy_version, seed, settings })))
    }

    /// The event that changes the status; `None` if the experiment already has this status.
    ///
    /// # Errors
    ///
    /// If the experiment is closed.
    pub fn change(&self, status: Status) -> Result<Option<Event>, Refusal> {
        match self.status {
            same if same == status => Ok(None),
            Status::Closed => Err(Refusal::Closed),
            _ => Ok(Some(Event::Changed(Changed { status, by_verdict: false }))),
        }
    }

    /// The event that pauses the experiment because there is a verdict, if the settings ask for it.
    pub fn stop(&self) -> Option<Event> {
        let may = self.settings.stop == Stop::Pause && self.status == Status::Running && !self.stopped;
        (may && self.evidence.is_decided())
            .then_some(Event::Changed(Changed { status: Status::Paused, by_verdict: true }))
    }

    /// The event that adds arms.
    ///
    /// # Errors
    ///
    /// If the arms are refused.
    pub fn add_arms(&self, arms: Vec<NewArm>) -> Result<Event, Refusal> {
        self.check_elastic()?;
        let room = MOST_ARMS - self.arms.len();
        if !(1..=room).contains(&arms.len()) {
            let (got, most) = (arms.len() as u64, room as u64);
            return Err(Refusal::OutOfRange { what: "the number of new arms", got, least: 1, most });
        }
        check_arms(&arms, &self.index)?;
        let arms = arms.into_iter().map(NewArm::into_logged).collect();
        Ok(Event::ArmsAdded(ArmsAdded { arms, together: true }))
    }

    /// The event that retires an arm.
    ///
    /// # Errors
    ///
    /// If that is refused.
    pub fn retire_arm(&self, name: &str) -> Result<Event, Refusal> {
        self.check_elastic()?;
        let arm = self.arm(name)?;
        if self.arms[arm.index()].retired {
            return Err(Refusal::AlreadyRetired { name: name.to_owned() });
        }
        if self.active.len() <= 2 {
            return Err(Refusal::LastArms { name: name.to_owned() });
        }
        Ok(Event::ArmRetired(ArmChanged { arm: number(arm) }))
    }

    /// The event that restores a retired arm.
    ///
    /// # Errors
    ///
    /// If that is refused.
    pub fn restore_arm(&self, name: &str) -> Result<Event, Refusal> {
        self.check_elastic()?;
        let arm = self.arm(name)?;
        if !self.arms[arm.index()].retired {
            return Err(Refusal::NotRetired { name: name.to_owned() });
        }
        Ok(Event::ArmRestored(ArmChanged { arm: number(arm) }))
    }

    fn check_elastic(&self) -> Result<(), Refusal> {
        if self.status == Status::Closed {
            return Err(Refusal::Closed);
        }
        if !self.policy.capabilities().elastic {
            return Err(Refusal::NotElastic { policy: self.policy.info().name.to_owned() });
        }
        if let Some(apprentice) = &self.apprentice
            && !apprentice.policy.capabilities().elastic
        {
            return Err(Refusal::ApprenticeNotElastic { policy: apprentice.policy.info().name.to_owned() });
        }
        Ok(())
    }

    /// The record of an event at the next position of the log.
    pub fn next(&self, at: Time, event: Event) -> Record {
        Record { experiment: self.id, seq: self.seq + 1, at, event }
    }

    /// The arm with this name.
    ///
    /// # Errors
    ///
    /// If the experiment has no such arm.
    pub fn arm(&self, name: &str) -> Result<Arm, Refusal> {
        self.index.get(name).copied().ok_or_else(|| Refusal::NoArm { name: name.to_owned() })
    }

    /// Its id.
    pub fn id(&self) -> ExperimentId {
        self.id
    }

    /// The last log position that was folded.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// When it was created.
    pub fn created(&self) -> Time {
        self.created
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is running, paused or closed.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Its settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Its policy.
    pub fn policy(&self) -> &AnyPolicy {
        &self.policy
    }

    /// The version of the policy's updates with which the log was written.
    pub fn policy_version(&self) -> u32 {
        self.policy_version
    }

    /// Its arms, including retired ones.
    pub fn arms(&self) -> &[ArmEntry] {
        &self.arms
    }

    /// The number of duels in flight.
    pub fn n_in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// The votes of each pair that was compared.
    pub fn pairs(&self) -> &BTreeMap<(Arm, Arm), PairCounts> {
        &self.pairs
    }

    /// The evidence on which arms are better.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// Arms that are not retired, in order.
    pub fn active(&self) -> &[Arm] {
        &self.active
    }

    /// Counts over the whole experiment.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Traffic and votes over time.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// The recent actions of people.
    pub fn audit_log(&self) -> &AuditLog {
        &self.audit_log
    }

    /// Whether the log must be folded anew, because the policy learned an answer that was voided
    /// and that it cannot take back.
    pub fn must_relearn(&self) -> bool {
        self.relearn
    }
}

/// Builds the policy of an experiment in its initial state.
pub(crate) fn build(
    policy: &str,
    n_arms: usize,
    horizon: Option<u64>,
    seed: u64,
) -> Result<AnyPolicy, Refusal> {
    let spec: Spec = policy.parse()?;
    let mut rng = Stream::new(seed).label("policy").rng();
    Ok(registry::build(&spec, Context { n_arms, horizon }, &mut rng)?)
}

/// An arm's index as the log stores it.
pub(crate) fn number(arm: Arm) -> u32 {
    u32::try_from(arm.index()).expect("an arm's index is below 2^32")
}

pub(crate) fn check_name(what: &'static str, name: &str) -> Result<(), Refusal> {
    if name.trim().is_empty() {
        return Err(Refusal::Blank { what });
    }
    if name.chars().any(char::is_control) {
        return Err(Refusal::ControlCharacter { what });
    }
    let length = name.chars().count();
    if length > LONGEST_NAME { Err(Refusal::TooLong { what, length, longest: LONGEST_NAME }) } else { Ok(()) }
}

fn check_arms(arms: &[NewArm], present: &BTreeMap<String, Arm>) -> Result<(), Refusal> {
    let mut names = BTreeSet::new();
    for arm in arms {
        arm.check()?;
        if present.contains_key(&arm.name) || !names.insert(&arm.name) {
            return Err(Refusal::TwiceNamed { name: arm.name.clone() });
        }
    }
    Ok(())
}
