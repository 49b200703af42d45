//! The fold: how each event changes an experiment.
//!
//! The fold draws no randomness and reads no clock. The same log therefore gives the same state,
//! bit for bit, on every machine.
//!
//! **Voided answers.** A policy that learned a sum (`Additive`) takes a voided answer back when its
//! `Voided` event is folded. Other policies cannot take answers back. Their state must be as if the
//! answer had never come. The log is therefore folded anew, with the voided answers known from the
//! start ([`Fold::forgetting`]). Either way the state is a function of the log alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tiltyard_bandit::Arm;
use tiltyard_bandit::policy::{Elastic, UpdateError};

use crate::domain::{
    Activation, Answer, Answered, ArmCounts, ArmEntry, AuditLog, Comparison, Contribution, Created,
    DrawnDuel, ErrorBudget, Event, Evidence, Experiment, ImportVoided, Imported, Issued, Late, MergedLists,
    NewArm, Record, Refusal, Status, Tenure, Timeline, Totals, Voided, Voters, add, build,
};

/// Folds a log, from its beginning or from a saved state.
#[derive(Debug, Default)]
pub struct Fold {
    experiment: Option<Experiment>,
    forgotten: BTreeSet<u64>,
}

impl Fold {
    /// Folds a log from its beginning.
    pub fn new() -> Self {
        Self::default()
    }

    /// Continues from a saved state.
    pub fn from_state(experiment: Experiment) -> Self {
        Self { experiment: Some(experiment), forgotten: BTreeSet::new() }
    }

    /// Folds a log from its beginning, knowing that these duels are voided later. Has no effect if
    /// the policy can take answers back.
    pub fn forgetting(duels: BTreeSet<u64>) -> Self {
        Self { experiment: None, forgotten: duels }
    }

    /// Folds the next record.
    ///
    /// # Errors
    ///
    /// If the record cannot be the next in this log.
    pub fn push(&mut self, record: &Record) -> Result<(), FoldError> {
        match &mut self.experiment {
            Some(experiment) => experiment.fold(record),
            none => {
                let mut experiment = Experiment::begin(record)?;
                if !experiment.policy.capabilities().additive {
                    experiment.forgotten = core::mem::take(&mut self.forgotten);
                }
                *none = Some(experiment);
                Ok(())
            }
        }
    }

    /// The state so far.
    pub fn state(&self) -> Option<&Experiment> {
        self.experiment.as_ref()
    }

    /// The final state; `None` if the log is empty.
    pub fn finish(self) -> Option<Experiment> {
        self.experiment
    }
}

impl Experiment {
    /// Creates an experiment from the first record of its log.
    ///
    /// # Errors
    ///
    /// If the record does not create an experiment.
    pub fn begin(record: &Record) -> Result<Self, FoldError> {
        let damaged = |error| FoldError::at(record, error);
        let Event::Created(created) = &record.event else {
            return Err(damaged(FoldErrorKind::NotCreated));
        };
        if record.seq != 1 {
            return Err(damaged(FoldErrorKind::Gap { expected: 1 }));
        }
        let Created { name, arms, policy, policy_version, seed, settings } = &**created;
        let policy = build(policy, arms.len(), settings.horizon, *seed)
            .map_err(|error| damaged(FoldErrorKind::Policy(error)))?;
        let index: BTreeMap<String, Arm> =
            Arm::all(arms.len()).map(|arm| (arms[arm.index()].name.clone(), arm)).collect();
        let elastic = policy.capabilities().elastic;
        let levels = ErrorBudget::new(settings.confidence, settings.margin.is_some(), arms.len(), elastic);
        Ok(Self {
            id: record.experiment,
            seq: 1,
            created: record.at,
            name: name.clone(),
            status: Status::Running,
            settings: settings.clone(),
            policy_version: *policy_version,
            policy,
            tenure: Tenure::default(),
            apprentice: None,
            active: Arm::all(arms.len()).collect(),
            arms: arms.iter().cloned().map(ArmEntry::new).collect(),
            index: Arc::new(index),
            in_flight: BTreeMap::new(),
            pairs: BTreeMap::new(),
            evidence: Evidence::new(levels, settings.margin),
            totals: Totals::default(),
            timeline: Timeline::new(record.at),
            audit_log: AuditLog::of(record),
            voters: Voters::default(),
            merged_lists: MergedLists::default(),
            forgotten: BTreeSet::new(),
            longest_payload: arms.iter().map(NewArm::payload_length).max().unwrap_or(0),
            relearn: false,
            stopped: false,
        })
    }

    /// Folds the next record.
    ///
    /// # Errors
    ///
    /// If the record cannot be the next in this log. The state must not be used after that.
    pub fn fold(&mut self, record: &Record) -> Result<(), FoldError> {
        if record.experiment != self.id || record.seq != self.seq + 1 {
            return Err(FoldError::at(record, FoldErrorKind::Gap { expected: self.seq + 1 }));
        }
        let before = self.totals;
        let n_arms = self.arms.len();
        self.change_by(record).map_err(|error| FoldError::at(record, error))?;
        self.timeline.fold(record, &before, &self.totals);
        self.audit_log.fold(record, n_arms);
        self.seq += 1;
        Ok(())
    }

    fn change_by(&mut self, record: &Record) -> Result<(), FoldErrorKind> {
        match &record.event {
            Event::Created(_) => Err(FoldErrorKind::CreatedTwice),
            Event::Changed(changed) => {
                self.status = changed.status;
                self.stopped |= changed.by_verdict;
                Ok(())
            }
            Event::ArmsAdded(added) => {
                let n_arms = added.arms.len();
                self.each_policy(|policy| {
                    if added.together {
                        policy.add_arms(n_arms);
                    } else {
                        // As earlier versions did, with the same bits.
                        for _ in 0..n_arms {
                            policy.add_arm();
                        }
                    }
                })?;
                let index = Arc::make_mut(&mut self.index);
                for arm in &added.arms {
                    let new = Arm::new(self.arms.len());
                    index.insert(arm.name.clone(), new);
                    self.active.push(new);
                    self.longest_payload = self.longest_payload.max(arm.payload_length());
                    self.arms.push(ArmEntry::new(arm.clone()));
                }
                self.evidence.add_arms(added.arms.len());
                Ok(())
            }
            Event::ArmRetired(changed) => {
                let arm = self.known(changed.arm)?;
                self.each_policy(|policy| policy.retire(arm))?;
                self.arms[arm.index()].retired = true;
                self.active.retain(|&other| other != arm);
                self.evidence.activate(arm, false);
                Ok(())
            }
            Event::ArmRestored(changed) => {
                let arm = self.known(changed.arm)?;
                self.each_policy(|policy| policy.restore(arm))?;
                self.arms[arm.index()].retired = false;
                if let Err(index) = self.active.binary_search(&arm) {
                    self.active.insert(index, arm);
                }
                self.evidence.activate(arm, true);
                Ok(())
            }
            Event::Issued(issued) => self.fold_issued(record.seq, issued),
            Event::Shown(shown) => {
                let expires = self.expiry_from_showing(record.at);
                let missing = FoldErrorKind::NotInFlight { duel: shown.duel };
                let drawn = &mut self.in_flight.get_mut(&shown.duel).ok_or(missing)?.drawn;
                drawn.shown = true;
                drawn.expires = expires.unwrap_or(drawn.expires);
                Ok(())
            }
            Event::Answered(answered) => self.fold_answered(record, answered),
            Event::Voided(voided) => self.fold_voided(voided),
            Event::Expired(expired) => self.fold_expired(expired.duel),
            Event::Extended(extended) => {
                for shown in self.in_flight.values_mut() {
                    shown.drawn.expires = shown.drawn.expires.plus_micros(extended.by);
                }
                Ok(())
            }
            Event::Interleaved(event) => {
                let _ =
                    self.in_flight.get(&event.duel).ok_or(FoldErrorKind::NotInFlight { duel: event.duel })?;
                self.merged_lists.merged(event);
                Ok(())
            }
            Event::Apprentice(changed) => self.fold_apprentice(record.seq, changed),
            Event::Imported(Imported { votes, .. }) => {
                self.apply(&Contribution::of_import(record.seq, votes, self.arms.len())?, 1)
            }
            Event::ImportVoided(ImportVoided { import, votes }) => {
                self.apply(&Contribution::of_import(*import, votes, self.arms.len())?, -1)
            }
            // The audit log has it.
            Event::Repaired(_) => Ok(()),
            Event::KeyMade(_) | Event::KeyRevoked(_) => Err(FoldErrorKind::Misplaced),
        }
    }

    fn known(&self, arm: u32) -> Result<Arm, FoldErrorKind> {
        let n_arms = self.arms.len();
        if (arm as usize) < n_arms { Ok(Arm::new(arm as usize)) } else { Err(FoldErrorKind::NoArm { arm }) }
    }

    /// Changes the arms of the policy, and of the apprentice.
    fn each_policy<T>(&mut self, change: impl Fn(&mut dyn Elastic) -> T) -> Result<(), FoldErrorKind> {
        let learner = self.apprentice.as_mut().map(|apprentice| &mut apprentice.policy);
        for policy in [Some(&mut self.policy), learner].into_iter().flatten() {
            change(policy.elastic().ok_or(FoldErrorKind::NotElastic)?);
        }
        Ok(())
    }

    fn fold_issued(&mut self, seq: u64, issued: &Issued) -> Result<(), FoldErrorKind> {
        let comparison = issued.comparison();
        comparison.check(self.arms.len())?;
        if !comparison.drawn.holdout {
            self.policy.issue(&comparison.drawn.ticket).map_err(FoldErrorKind::Ticket)?;
        }
        self.each_arm(&comparison, |counts| {
            counts.duels += 1;
            counts.in_flight += 1;
        });
        self.totals.duels += 1;
        self.evidence.issue(seq, comparison.pairs());
        self.in_flight.insert(seq, comparison);
        self.merged_lists.issued(seq, issued);
        Ok(())
    }

    fn fold_answered(&mut self, record: &Record, answered: &Answered) -> Result<(), FoldErrorKind> {
        let comparison = if let Some(drawn) = answered.late {
            let comparison = Comparison { drawn, slate: answered.slate.clone() };
            comparison.check(self.arms.len())?;
            self.count_expired(&comparison, -1);
            comparison
        } else {
            self.take(answered.duel)?
        };
        let closed = answered.closed(comparison, record.seq);
        self.apply(&Contribution::of_duel(answered.duel, &closed, answered.answer)?, 1)?;
        if let Some(voter) = &answered.voter
            && answered.answer != Answer::Skip
        {
            self.voters.count(voter, record.at, &self.settings);
        }
        Ok(())
    }

    fn fold_voided(&mut self, voided: &Voided) -> Result<(), FoldErrorKind> {
        let duel = voided.duel;
        let comparison = if let Some(past) = &voided.past {
            let comparison = past.comparison();
            comparison.check(self.arms.len())?;
            if let Some(answer) = past.answer {
                self.apply(&Contribution::of_duel(duel, past, answer)?, -1)?;
            } else {
                self.count_expired(&comparison, -1);
                // If late answers are refused, the policy was already told when the duel expired.
                if self.settings.late == Late::Accept {
                    self.tell_of_no_answer(duel, &past.drawn)?;
                }
            }
            comparison
        } else {
            let comparison = self.give_up(duel)?;
            self.tell_of_no_answer(duel, &comparison.drawn)?;
            comparison
        };
        self.each_arm(&comparison, |counts| counts.voided += 1);
        self.totals.voided += 1;
        Ok(())
    }

    fn fold_expired(&mut self, duel: u64) -> Result<(), FoldErrorKind> {
        let comparison = self.give_up(duel)?;
        self.count_expired(&comparison, 1);
        if self.settings.late == Late::Refuse {
            self.tell_of_no_answer(duel, &comparison.drawn)?;
        }
        Ok(())
    }

    /// Removes a duel from those in flight.
    fn take(&mut self, duel: u64) -> Result<Comparison, FoldErrorKind> {
        let comparison = self.in_flight.remove(&duel).ok_or(FoldErrorKind::NotInFlight { duel })?;
        self.merged_lists.forget(duel);
        self.each_arm(&comparison, |counts| counts.in_flight -= 1);
        Ok(comparison)
    }

    /// Removes a duel without an answer from those in flight.
    fn give_up(&mut self, duel: u64) -> Result<Comparison, FoldErrorKind> {
        let comparison = self.take(duel)?;
        self.evidence.settle(duel, comparison.pairs(), &[]);
        Ok(comparison)
    }

    /// Tells the policy that a duel it drew will never be answered.
    pub(crate) fn tell_of_no_answer(&mut self, duel: u64, drawn: &DrawnDuel) -> Result<(), FoldErrorKind> {
        if drawn.holdout || !self.tenure.drew(duel) {
            return Ok(());
        }
        self.policy.void(&drawn.ticket).map_err(FoldErrorKind::Ticket)
    }

    /// Counts a duel as expired (+1), or takes that back (-1).
    fn count_expired(&mut self, comparison: &Comparison, by: i8) {
        let counts_from_showing = self.settings.activation == Activation::Shown;
        if counts_from_showing && !comparison.drawn.shown {
            self.each_arm(comparison, |counts| add(&mut counts.never_shown, by));
            add(&mut self.totals.never_shown, by);
        } else {
            self.each_arm(comparison, |counts| add(&mut counts.unanswered, by));
            add(&mut self.totals.unanswered, by);
        }
    }

    /// Changes the counts of every arm shown. An arm shown next to itself is changed once.
    pub(crate) fn each_arm(&mut self, comparison: &Comparison, change: impl Fn(&mut ArmCounts)) {
        let is_alone = comparison.slate.is_none() && comparison.drawn.ticket.is_self_duel();
        for arm in comparison.arms().skip(usize::from(is_alone)) {
            change(&mut self.arms[arm.index()].counts);
        }
    }
}

/// A record that cannot be the next in its log: the log is damaged, or a later version wrote it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("record {seq} of experiment {experiment} ({kind}): {wrong}")]
pub struct FoldError {
    experiment: crate::id::ExperimentId,
    seq: u64,
    kind: &'static str,
    wrong: Box<FoldErrorKind>,
}

impl FoldError {
    /// The log that cannot be folded.
    pub fn experiment(&self) -> crate::id::ExperimentId {
        self.experiment
    }

    /// The position of the record.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    fn at(record: &Record, wrong: FoldErrorKind) -> Self {
        Self {
            experiment: record.experiment,
            seq: record.seq,
            kind: record.event.kind().word(),
            wrong: Box::new(wrong),
        }
    }
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum FoldErrorKind {
    #[error("a log must begin with the creation of the experiment")]
    NotCreated,
    #[error("the experiment is created a second time")]
    CreatedTwice,
    #[error("record {expected} was expected")]
    Gap { expected: u64 },
    #[error("its policy cannot be built: {0}")]
    Policy(Refusal),
    #[error("the policy cannot change its arms")]
    NotElastic,
    #[error("the experiment has no apprentice")]
    NoApprentice,
    #[error("the experiment has no arm with index {arm}")]
    NoArm { arm: u32 },
    #[error("duel {duel} is not in flight")]
    NotInFlight { duel: u64 },
    #[error("its slate does not fit the duel or the arms")]
    NoSuchSlate,
    #[error("the answer does not fit the slate of duel {duel}")]
    NoSuchRanking { duel: u64 },
    #[error("{0}")]
    Ticket(UpdateError),
    #[error("this kind of record belongs in the log of the arena itself")]
    Misplaced,
}
