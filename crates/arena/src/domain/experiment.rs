//! An experiment: its state, and what it answers to requests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use tiltyard_bandit::params::Context;
use tiltyard_bandit::policy::{AnyPolicy, registry};
use tiltyard_bandit::{Arm, Spec, Stream, Ticket};

use crate::domain::learning::apprentice::{Apprentice, Tenure, WhatIsLearned};
use crate::domain::log::event::{
    Answered, ArmChanged, ArmsAdded, Changed, Created, Event, Expired, Issued, Record, Shown, Status, Voided,
    flat_ticket,
};
use crate::domain::refusal::Refusal;
use crate::domain::setup::arms::{ArmEntry, NewArm};
use crate::domain::setup::request::{AnswerRequest, Create, DuelHistory, IssueRequest, VoidReason};
use crate::domain::setup::settings::{Activation, Late, Settings, Stop};
use crate::domain::state::audit_log::AuditLog;
use crate::domain::state::counts::{PairCounts, Totals};
use crate::domain::state::timeline::Timeline;
use crate::domain::state::voters::Voters;
use crate::domain::verdict::evidence::Evidence;
use crate::domain::voting::answer::Answer;
use crate::domain::voting::holdout;
use crate::domain::voting::merged_lists::MergedLists;
use crate::domain::voting::slate::Slate;
use crate::id::{DuelId, ExperimentId};
use crate::time::Time;

/// The most arms of an experiment.
const MOST_ARMS: usize = 1_000_000;

/// The most duels of one request.
pub(crate) const MOST_DUELS: u32 = 1000;

/// Longer names of experiments, clients and voters are refused.
const LONGEST_NAME: usize = 200;

/// Larger contexts are refused.
const LARGEST_CONTEXT: usize = 16 * 1024;

/// The largest payloads of all duels of a request: an answer must not grow far beyond what is useful.
const LARGEST_PAYLOADS: usize = 4 * 1024 * 1024;

/// The largest contexts of all duels of a request: what waits for the store must not grow far beyond what came in.
const LARGEST_CONTEXTS: usize = 1024 * 1024;

/// A duel in flight.
#[expect(clippy::struct_excessive_bools, reason = "four facts that have nothing to do with each other")]
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DrawnDuel {
    /// What the policy drew.
    #[serde(with = "flat_ticket")]
    pub ticket: Ticket,
    /// Whether the ticket's left arm is shown on the right.
    pub swapped: bool,
    /// Whether it was drawn uniformly and is not learned from.
    pub holdout: bool,
    /// Whether it is of a ranker with itself to check that nothing favours a side; such duels are held out.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub aa: bool,
    /// What only those who were shown the duel know.
    pub token: u64,
    /// When it is given up.
    pub expires: Time,
    /// Whether it was reported as shown.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub shown: bool,
}

impl DrawnDuel {
    /// The arms as they are shown: left, right.
    pub fn sides(&self) -> (Arm, Arm) {
        let Ticket { left, right, .. } = self.ticket;
        if self.swapped { (right, left) } else { (left, right) }
    }
}

/// An experiment, as its log has made it.
#[derive(Debug, Clone)]
pub struct Experiment {
    pub(crate) id: ExperimentId,
    /// The last place of the log that is folded in.
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
    pub(crate) in_flight: BTreeMap<u64, DrawnDuel>,
    pub(crate) pairs: BTreeMap<(Arm, Arm), PairCounts>,
    pub(crate) evidence: Evidence,
    pub(crate) totals: Totals,
    pub(crate) timeline: Timeline,
    pub(crate) audit_log: AuditLog,
    pub(crate) voters: Voters,
    pub(crate) merged_lists: MergedLists,
    /// The slates of duels in flight that show more than two arms; shared with snapshots being taken.
    pub(crate) slates: BTreeMap<u64, Arc<Slate>>,
    /// Answers that the policy must not learn since they are voided further on in the log; see [`crate::domain::Fold`].
    pub(crate) forgotten: BTreeSet<u64>,
    /// The length of the longest payload of an arm, as text.
    pub(crate) longest_payload: usize,
    /// Whether the policy has learned an answer that was voided, and cannot take it back.
    pub(crate) relearn: bool,
    /// Whether the verdict has paused it: that is done once, and a person may go on after it.
    pub(crate) stopped: bool,
}

impl Experiment {
    /// Checks what is asked for, and makes the first event of a log.
    ///
    /// # Errors
    ///
    /// If it is refused.
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

    /// Duels, one event each; each is folded in before the next is drawn.
    ///
    /// # Errors
    ///
    /// If they are refused.
    pub fn issue(
        &mut self,
        request: &IssueRequest,
        now: Time,
        rng: &mut dyn Rng,
    ) -> Result<Vec<Record>, Refusal> {
        self.check_issue(request)?;
        let distinct = request.distinct.unwrap_or(self.settings.distinct);
        let mut records = Vec::with_capacity(request.count as usize);
        for i in 0..request.count {
            let drawn = self.draw(distinct, now, rng)?;
            let first = if i == 0 { request.client.clone() } else { None };
            let issued = Issued {
                drawn,
                context: request.context.clone(),
                count: first.as_ref().map(|_| request.count),
                client: first,
                options: None,
                slate: None,
            };
            let record = self.next(now, Event::Issued(issued));
            self.fold(&record).expect("a duel just drawn fits the policy that drew it");
            records.push(record);
        }
        Ok(records)
    }

    pub(crate) fn check_issue(&self, request: &IssueRequest) -> Result<(), Refusal> {
        match self.status {
            Status::Running => {}
            Status::Paused => return Err(Refusal::Paused),
            Status::Closed => return Err(Refusal::Closed),
        }
        if !(1..=MOST_DUELS).contains(&request.count) {
            let (got, most) = (u64::from(request.count), u64::from(MOST_DUELS));
            return Err(Refusal::OutOfRange { what: "the number of duels", got, least: 1, most });
        }
        if let Some(client) = &request.client {
            check_name("a client id", client)?;
        }
        let length = request.context.as_ref().map_or(0, |context| context.to_string().len());
        if length > LARGEST_CONTEXT {
            return Err(Refusal::TooLong { what: "the context", length, longest: LARGEST_CONTEXT });
        }
        let length = length * request.count as usize;
        if length > LARGEST_CONTEXTS {
            let what = "the context, kept with each of the duels,";
            return Err(Refusal::TooLong { what, length, longest: LARGEST_CONTEXTS });
        }
        // Each duel is handed out with two of them.
        let length = 2 * self.longest_payload * request.count as usize;
        if length > LARGEST_PAYLOADS {
            let what = "the payloads of so many duels";
            return Err(Refusal::TooLong { what, length, longest: LARGEST_PAYLOADS });
        }
        if request.distinct == Some(true) && self.policy.distinct().is_none() {
            return Err(Refusal::NotDistinct { policy: self.policy.info().name.to_owned() });
        }
        let in_flight = self.in_flight.len() as u64;
        if in_flight + u64::from(request.count) > self.settings.max_in_flight {
            return Err(Refusal::TooManyInFlight { in_flight, most: self.settings.max_in_flight });
        }
        Ok(())
    }

    pub(crate) fn draw(&self, distinct: bool, now: Time, rng: &mut dyn Rng) -> Result<DrawnDuel, Refusal> {
        let holdout = self.settings.holdout > 0.0 && rng.random::<f64>() < self.settings.holdout;
        let ticket = if holdout {
            holdout::draw(&self.active, rng)
        } else if distinct {
            let policy = || Refusal::NotDistinct { policy: self.policy.info().name.to_owned() };
            self.policy.distinct().and_then(|distinct| distinct.propose_distinct(rng)).ok_or_else(policy)?
        } else {
            let policy = |_| Refusal::Sequential { policy: self.policy.info().name.to_owned() };
            self.policy.propose(rng).map_err(policy)?
        };
        let expires = now.plus_seconds(self.settings.expires_after);
        let (swapped, token) = (rng.random(), rng.random());
        Ok(DrawnDuel { ticket, swapped, holdout, aa: false, token, expires, shown: false })
    }

    /// The event that an answer makes, or nothing if the duel has that answer already. `past` is what became of the duel if it
    /// is no longer in flight.
    ///
    /// # Errors
    ///
    /// If the answer is refused.
    pub fn answer(
        &self,
        duel: DuelId,
        past: Option<&DuelHistory>,
        request: &AnswerRequest,
        now: Time,
        rng: &mut dyn Rng,
    ) -> Result<Option<Event>, Refusal> {
        let past = past.filter(|past| past.drawn.token == duel.token);
        let is_slate = self.slate(duel).is_some() || past.is_some_and(|past| past.slate.is_some());
        if is_slate && request.answer != Answer::Skip && past.is_none_or(|past| !past.voided) {
            return Err(Refusal::IsSlate);
        }
        self.take_answer(duel, past, request, now, rng)
    }

    /// The event that an answer makes that may be one to this duel.
    pub(crate) fn take_answer(
        &self,
        duel: DuelId,
        past: Option<&DuelHistory>,
        request: &AnswerRequest,
        now: Time,
        rng: &mut dyn Rng,
    ) -> Result<Option<Event>, Refusal> {
        let (drawn, late) = match (self.find(duel), past) {
            (Some(drawn), _) => (drawn, None),
            (None, None) => return Err(Refusal::NoDuel),
            (None, Some(past)) => {
                if past.voided {
                    return Err(Refusal::Voided);
                }
                if let Some((answer, voter)) = &past.answer {
                    let same = *answer == request.answer && *voter == request.voter;
                    return if same { Ok(None) } else { Err(Refusal::Contradiction) };
                }
                (&past.drawn, Some(past.drawn))
            }
        };
        if self.status == Status::Closed {
            return Err(Refusal::Closed);
        }
        if self.settings.late == Late::Refuse && (late.is_some() || now > drawn.expires) {
            return Err(Refusal::Expired);
        }
        if let Some(voter) = &request.voter {
            check_name("a voter's name", voter)?;
            if request.answer != Answer::Skip {
                self.check_voter(voter, now)?;
            }
        }
        let WhatIsLearned { learned, lesson, apprentice } =
            self.lessons(duel.seq, drawn, request.answer.outcome(), rng);
        Ok(Some(Event::Answered(Answered {
            duel: duel.seq,
            answer: request.answer,
            learned,
            lesson,
            apprentice,
            voter: request.voter.clone(),
            said: request.said,
            late,
            clicks: None,
            slate: past.filter(|_| late.is_some()).and_then(|past| past.slate.clone()),
            ranked: None,
        })))
    }

    /// Refuses a voter who has reached a limit.
    ///
    /// # Errors
    ///
    /// If they have.
    pub fn check_voter(&self, voter: &str, now: Time) -> Result<(), Refusal> {
        let reached = self.voters.check(voter, now, &self.settings);
        reached.map_err(|reached| Refusal::VoterLimit { limit: reached.limit, wait: reached.wait })
    }

    /// How many votes of a voter were counted, those that were voided later included; none where no setting limits them, for then nobody counts.
    pub fn votes_of(&self, voter: &str) -> Option<u64> {
        self.voters.votes(voter, &self.settings)
    }

    /// The event of a duel being shown, or nothing if that is known or no longer matters.
    ///
    /// # Errors
    ///
    /// If there is no such duel.
    pub fn shown(&self, duel: DuelId, past: Option<&DuelHistory>) -> Result<Option<Event>, Refusal> {
        match (self.find(duel), past.filter(|past| past.drawn.token == duel.token)) {
            (Some(drawn), _) => Ok((!drawn.shown).then_some(Event::Shown(Shown { duel: duel.seq }))),
            (None, Some(_)) => Ok(None),
            (None, None) => Err(Refusal::NoDuel),
        }
    }

    /// The event of a duel being voided, or nothing if it was before.
    ///
    /// # Errors
    ///
    /// If there is no such duel.
    pub fn void(
        &self,
        duel: DuelId,
        past: Option<&DuelHistory>,
        reason: VoidReason,
    ) -> Result<Option<Event>, Refusal> {
        let voided = |past| Some(Event::Voided(Voided { duel: duel.seq, reason, past }));
        match (self.find(duel), past.filter(|past| past.drawn.token == duel.token)) {
            (Some(_), _) => Ok(voided(None)),
            (None, Some(past)) if past.voided => Ok(None),
            (None, Some(past)) => Ok(voided(Some(past.learned()))),
            (None, None) => Err(Refusal::NoDuel),
        }
    }

    /// The events of duels being given up, at most so many.
    pub fn expire(&self, now: Time, most: usize) -> Vec<Event> {
        let expired = self.in_flight.iter().filter(|(_, drawn)| now > drawn.expires).take(most);
        expired.map(|(&duel, _)| Event::Expired(Expired { duel })).collect()
    }

    /// The event of another status, or nothing if it is that already.
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

    /// The event of being paused because there is a verdict, if the settings want that.
    pub fn stop(&self) -> Option<Event> {
        let may = self.settings.stop == Stop::Pause && self.status == Status::Running && !self.stopped;
        (may && self.evidence.is_decided())
            .then_some(Event::Changed(Changed { status: Status::Paused, by_verdict: true }))
    }

    /// The event of arms coming in.
    ///
    /// # Errors
    ///
    /// If they are refused.
    pub fn add_arms(&self, arms: Vec<NewArm>) -> Result<Event, Refusal> {
        self.check_elastic()?;
        let room = MOST_ARMS - self.arms.len();
        if !(1..=room).contains(&arms.len()) {
            let (got, most) = (arms.len() as u64, room as u64);
            return Err(Refusal::OutOfRange { what: "the number of new arms", got, least: 1, most });
        }
        check_arms(&arms, &self.index)?;
        let arms = arms.into_iter().map(NewArm::into_logged).collect();
        Ok(Event::ArmsAdded(ArmsAdded { arms }))
    }

    /// The event of an arm being retired.
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

    /// The event of a retired arm coming back.
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

    /// The record that an event becomes if it is the next.
    pub fn next(&self, at: Time, event: Event) -> Record {
        Record { experiment: self.id, seq: self.seq + 1, at, event }
    }

    /// The arm of that name.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn arm(&self, name: &str) -> Result<Arm, Refusal> {
        self.index.get(name).copied().ok_or_else(|| Refusal::NoArm { name: name.to_owned() })
    }

    /// The duel, if it is in flight.
    pub fn find(&self, duel: DuelId) -> Option<&DrawnDuel> {
        self.in_flight.get(&duel.seq).filter(|drawn| drawn.token == duel.token)
    }

    /// The duel issued at that place of the log, if it is in flight.
    pub fn open_at(&self, seq: u64) -> Option<DrawnDuel> {
        self.in_flight.get(&seq).copied()
    }

    /// The same, with all arms that it shows.
    pub fn at(&self, seq: u64) -> Option<DuelHistory> {
        self.open_at(seq).map(|drawn| DuelHistory::new(drawn, self.slates.get(&seq).cloned()))
    }

    /// Its id.
    pub fn id(&self) -> ExperimentId {
        self.id
    }

    /// The last place of the log that is folded in.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// When it was made.
    pub fn created(&self) -> Time {
        self.created
    }

    /// What people call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it issues duels.
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

    /// Which meaning of the policy's updates the log was written with.
    pub fn policy_version(&self) -> u32 {
        self.policy_version
    }

    /// Its arms, retired ones included.
    pub fn arms(&self) -> &[ArmEntry] {
        &self.arms
    }

    /// How many duels are in flight.
    pub fn n_in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// The votes of each pair that was compared.
    pub fn pairs(&self) -> &BTreeMap<(Arm, Arm), PairCounts> {
        &self.pairs
    }

    /// What the votes say of who is better.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// Arms that are not retired, in order.
    pub fn active(&self) -> &[Arm] {
        &self.active
    }

    /// What was counted in all.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// What happened when.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// What people did of late.
    pub fn audit_log(&self) -> &AuditLog {
        &self.audit_log
    }

    /// Whether the policy has learned an answer that was voided and that it cannot take back: the log must be folded anew.
    pub fn must_relearn(&self) -> bool {
        self.relearn
    }

    /// When a duel is given up that is shown now.
    pub(crate) fn expiry_from_showing(&self, now: Time) -> Option<Time> {
        (self.settings.activation == Activation::Shown).then(|| now.plus_seconds(self.settings.expires_after))
    }
}

/// The policy of an experiment as it was in the beginning.
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

/// An arm's index as it stands in the log.
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
