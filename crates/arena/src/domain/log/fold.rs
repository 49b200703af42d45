//! The fold: how an event changes an experiment.
//!
//! It draws no randomness and reads no clock, so that the same log gives the same state, bit for bit, on every machine.
//!
//! **Voided answers.** Where what a policy learned is a sum (`Additive`), a voided answer is taken back when its `Voided` event is folded. Other
//! policies cannot take back: for them the state is what it would be had the answer never come, and the log has to be folded
//! anew with the voided answers known from the start ([`Fold::forgetting`]). Either way the state is a function of the log alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tiltyard_bandit::policy::UpdateError;
use tiltyard_bandit::{Arm, Outcome, Ticket};

use crate::domain::experiment::{DrawnDuel, Experiment, build};
use crate::domain::learning::apprentice::Tenure;
use crate::domain::log::event::{Answered, ClosedDuel, Created, Event, Issued, Record, Status, Voided};
use crate::domain::refusal::Refusal;
use crate::domain::setup::arms::{ArmCounts, ArmEntry, NewArm};
use crate::domain::setup::settings::Late;
use crate::domain::state::audit_log::AuditLog;
use crate::domain::state::counts::{PairCounts, Totals};
use crate::domain::state::timeline::Timeline;
use crate::domain::state::voters::Voters;
use crate::domain::verdict::error_budget::ErrorBudget;
use crate::domain::verdict::evidence::Evidence;
use crate::domain::voting::answer::Answer;
use crate::domain::voting::merged_lists::MergedLists;
use crate::domain::voting::slate::Slate;

/// A log being folded from its beginning, or from a saved state on.
#[derive(Debug, Default)]
pub struct Fold {
    experiment: Option<Experiment>,
    forgotten: BTreeSet<u64>,
}

impl Fold {
    /// From the beginning.
    pub fn new() -> Self {
        Self::default()
    }

    /// From a saved state on.
    pub fn from_state(experiment: Experiment) -> Self {
        Self { experiment: Some(experiment), forgotten: BTreeSet::new() }
    }

    /// From the beginning, where these duels are known to be voided later. A policy that can take answers back has no use for it.
    pub fn forgetting(duels: BTreeSet<u64>) -> Self {
        Self { experiment: None, forgotten: duels }
    }

    /// Folds another record in.
    ///
    /// # Errors
    ///
    /// If it cannot be the next of this log.
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

    /// The state at the end; nothing if the log is empty.
    pub fn finish(self) -> Option<Experiment> {
        self.experiment
    }
}

impl Experiment {
    /// The experiment that the first record of a log makes.
    ///
    /// # Errors
    ///
    /// If that record does not make one.
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
            slates: BTreeMap::new(),
            forgotten: BTreeSet::new(),
            longest_payload: arms.iter().map(NewArm::payload_length).max().unwrap_or(0),
            relearn: false,
            stopped: false,
        })
    }

    /// Folds the next record in.
    ///
    /// # Errors
    ///
    /// If it cannot be the next of this log. The state is then not to be used any more.
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
                let policy = self.policy.elastic().ok_or(FoldErrorKind::NotElastic)?;
                let index = Arc::make_mut(&mut self.index);
                for arm in &added.arms {
                    let new = policy.add_arm();
                    if let Some(apprentice) = &mut self.apprentice {
                        apprentice.policy.elastic().ok_or(FoldErrorKind::NotElastic)?.add_arm();
                    }
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
                self.policy.elastic().ok_or(FoldErrorKind::NotElastic)?.retire(arm);
                if let Some(apprentice) = &mut self.apprentice {
                    apprentice.policy.elastic().ok_or(FoldErrorKind::NotElastic)?.retire(arm);
                }
                self.arms[arm.index()].retired = true;
                self.active.retain(|&other| other != arm);
                self.evidence.activate(arm, false);
                Ok(())
            }
            Event::ArmRestored(changed) => {
                let arm = self.known(changed.arm)?;
                self.policy.elastic().ok_or(FoldErrorKind::NotElastic)?.restore(arm);
                if let Some(apprentice) = &mut self.apprentice {
                    apprentice.policy.elastic().ok_or(FoldErrorKind::NotElastic)?.restore(arm);
                }
                self.arms[arm.index()].retired = false;
                if let Err(place) = self.active.binary_search(&arm) {
                    self.active.insert(place, arm);
                }
                self.evidence.activate(arm, true);
                Ok(())
            }
            Event::Issued(issued) => self.fold_issued(record.seq, issued),
            Event::Shown(shown) => {
                let expires = self.expiry_from_showing(record.at);
                let drawn = self
                    .in_flight
                    .get_mut(&shown.duel)
                    .ok_or(FoldErrorKind::NotInFlight { duel: shown.duel })?;
                drawn.shown = true;
                drawn.expires = expires.unwrap_or(drawn.expires);
                Ok(())
            }
            Event::Answered(answered) => self.fold_answered(record, answered),
            Event::Voided(voided) => self.fold_voided(voided),
            Event::Expired(expired) => self.fold_expired(expired.duel),
            Event::Interleaved(event) => {
                let _ =
                    self.in_flight.get(&event.duel).ok_or(FoldErrorKind::NotInFlight { duel: event.duel })?;
                self.merged_lists.merged(event);
                Ok(())
            }
            Event::Apprentice(changed) => self.fold_apprentice(record.seq, changed),
            Event::Imported(imported) => self.fold_imported(record.seq, imported),
            Event::ImportVoided(voided) => self.fold_import_voided(voided),
            Event::KeyMade(_) | Event::KeyRevoked(_) => Err(FoldErrorKind::Misplaced),
        }
    }

    pub(crate) fn known(&self, arm: u32) -> Result<Arm, FoldErrorKind> {
        let n_arms = self.arms.len();
        if (arm as usize) < n_arms { Ok(Arm::new(arm as usize)) } else { Err(FoldErrorKind::NoArm { arm }) }
    }

    fn fold_issued(&mut self, place: u64, issued: &Issued) -> Result<(), FoldErrorKind> {
        let drawn = issued.drawn;
        let ticket = &drawn.ticket;
        ticket.check(self.arms.len()).map_err(|error| FoldErrorKind::Ticket(error.into()))?;
        if !drawn.holdout {
            self.policy.issue(ticket).map_err(FoldErrorKind::Ticket)?;
        }
        let slate = issued.slate.as_deref();
        if let Some(slate) = slate
            && !slate.fits(&drawn, self.arms.len())
        {
            return Err(FoldErrorKind::NoSuchSlate);
        }
        self.each_arm(ticket, slate, |counts| {
            counts.duels += 1;
            counts.in_flight += 1;
        });
        self.totals.duels += 1;
        match slate {
            Some(slate) => self.evidence.issue_slate(place, slate),
            None => self.evidence.issue(place, ticket.left, ticket.right),
        }
        self.in_flight.insert(place, drawn);
        if let Some(slate) = &issued.slate {
            self.slates.insert(place, Arc::clone(slate));
        }
        self.merged_lists.issued(place, issued);
        Ok(())
    }

    fn fold_answered(&mut self, record: &Record, answered: &Answered) -> Result<(), FoldErrorKind> {
        let (drawn, slate) = if let Some(drawn) = answered.late {
            let slate = answered.slate.clone();
            self.check_past(&drawn, slate.as_deref())?;
            let missed = self.missed(&drawn);
            self.each_arm(&drawn.ticket, slate.as_deref(), |counts| missed.arm(counts, -1));
            missed.total(&mut self.totals, -1);
            (drawn, slate)
        } else {
            self.take(answered.duel)?
        };
        let late = answered.late.is_some();
        match (slate.as_deref(), answered.ranked.as_deref()) {
            (Some(slate), Some(ranked)) => {
                Self::check_ranked(Some(slate), ranked, answered.duel)?;
                if !late {
                    self.evidence.settle_slate(answered.duel, slate, Some(&ranked.ranking));
                }
                self.count_ranking(&drawn, slate, &ranked.ranking, late, 1);
                self.fold_ranked(answered.duel, ranked)?;
            }
            (slate, None) if answered.answer != Answer::Ranking => {
                let (left, right) = drawn.sides();
                match slate {
                    _ if late => {}
                    Some(slate) => self.evidence.settle_slate(answered.duel, slate, None),
                    None => self.evidence.settle(answered.duel, left, right, answered.answer.outcome()),
                }
                self.count(&drawn, slate, answered.answer, late, 1);
            }
            _ => return Err(FoldErrorKind::NoSuchRanking { duel: answered.duel }),
        }
        if let Some(voter) = &answered.voter
            && answered.answer != Answer::Skip
        {
            self.voters.count(voter, record.at, &self.settings);
        }
        self.fold_lessons(answered.lesson.as_ref(), answered.apprentice.as_ref())?;
        match answered.learned {
            _ if drawn.holdout || !self.tenure.drew(answered.duel) => Ok(()),
            Some(outcome) if !self.forgotten.contains(&answered.duel) => {
                self.policy.update(&drawn.ticket, outcome).map_err(FoldErrorKind::Ticket)
            }
            _ => self.policy.void(&drawn.ticket).map_err(FoldErrorKind::Ticket),
        }
    }

    fn fold_voided(&mut self, voided: &Voided) -> Result<(), FoldErrorKind> {
        let Some(past) = &voided.past else {
            let (drawn, slate) = self.give_up(voided.duel)?;
            self.each_arm(&drawn.ticket, slate.as_deref(), |counts| counts.voided += 1);
            self.totals.voided += 1;
            return self.tell_of_no_answer(voided.duel, &drawn);
        };
        let ClosedDuel { drawn, answer, learned, late, slate, ranked, .. } = past;
        let slate = slate.as_deref();
        self.check_past(drawn, slate)?;
        if let (Some(slate), Some(ranked)) = (slate, ranked) {
            Self::check_ranked(Some(slate), ranked, voided.duel)?;
            self.count_ranking(drawn, slate, &ranked.ranking, *late, -1);
            if !late {
                self.evidence.take_slate_back(voided.duel, slate, &ranked.ranking);
            }
            self.take_ranked_back(voided.duel, past, ranked)?;
        } else if let Some(answer) = answer {
            self.count(drawn, slate, *answer, *late, -1);
            if let Some(outcome) = answer.outcome()
                && !late
            {
                let (left, right) = drawn.sides();
                self.evidence.take_back(voided.duel, left, right, outcome, 1.0);
            }
        } else {
            let missed = self.missed(drawn);
            self.each_arm(&drawn.ticket, slate, |counts| missed.arm(counts, -1));
            missed.total(&mut self.totals, -1);
        }
        self.each_arm(&drawn.ticket, slate, |counts| counts.voided += 1);
        self.totals.voided += 1;
        self.take_lessons_back(voided.duel, past)?;
        match learned {
            _ if drawn.holdout || !self.tenure.drew(voided.duel) => Ok(()),
            // Not learned in the first place.
            Some(_) if self.forgotten.remove(&voided.duel) => Ok(()),
            Some(outcome) => {
                self.relearn |=
                    !self.policy.take_back(&drawn.ticket, *outcome).map_err(FoldErrorKind::Ticket)?;
                Ok(())
            }
            // It had expired and might still have been answered; else the policy knows already that nothing will come.
            None if answer.is_none() && self.settings.late == Late::Accept => {
                self.policy.void(&drawn.ticket).map_err(FoldErrorKind::Ticket)
            }
            None => Ok(()),
        }
    }

    fn fold_expired(&mut self, duel: u64) -> Result<(), FoldErrorKind> {
        let (drawn, slate) = self.give_up(duel)?;
        let missed = self.missed(&drawn);
        self.each_arm(&drawn.ticket, slate.as_deref(), |counts| missed.arm(counts, 1));
        missed.total(&mut self.totals, 1);
        if self.settings.late == Late::Refuse { self.tell_of_no_answer(duel, &drawn) } else { Ok(()) }
    }

    /// Takes a duel out of those in flight.
    fn take(&mut self, duel: u64) -> Result<(DrawnDuel, Option<Arc<Slate>>), FoldErrorKind> {
        let drawn = self.in_flight.remove(&duel).ok_or(FoldErrorKind::NotInFlight { duel })?;
        let slate = self.slates.remove(&duel);
        self.merged_lists.forget(duel);
        self.each_arm(&drawn.ticket, slate.as_deref(), |counts| counts.in_flight -= 1);
        Ok((drawn, slate))
    }

    /// Checks what an event carries of a duel that is no longer in flight.
    fn check_past(&self, drawn: &DrawnDuel, slate: Option<&Slate>) -> Result<(), FoldErrorKind> {
        let n_arms = self.arms.len();
        drawn.ticket.check(n_arms).map_err(|error| FoldErrorKind::Ticket(error.into()))?;
        if slate.is_none_or(|slate| slate.fits(drawn, n_arms)) {
            Ok(())
        } else {
            Err(FoldErrorKind::NoSuchSlate)
        }
    }

    /// Tells the policy that the answer to a duel that it drew will never come.
    fn tell_of_no_answer(&mut self, duel: u64, drawn: &DrawnDuel) -> Result<(), FoldErrorKind> {
        if drawn.holdout || !self.tenure.drew(duel) {
            return Ok(());
        }
        self.policy.void(&drawn.ticket).map_err(FoldErrorKind::Ticket)
    }

    /// Takes a duel out of those in flight that no answer came to.
    fn give_up(&mut self, duel: u64) -> Result<(DrawnDuel, Option<Arc<Slate>>), FoldErrorKind> {
        let (drawn, slate) = self.take(duel)?;
        match &slate {
            Some(slate) => self.evidence.settle_slate(duel, slate, None),
            None => self.evidence.settle(duel, drawn.ticket.left, drawn.ticket.right, None),
        }
        Ok((drawn, slate))
    }

    fn missed(&self, drawn: &DrawnDuel) -> ExpiryKind {
        let counts_from_showing = self.settings.activation == crate::domain::Activation::Shown;
        if counts_from_showing && !drawn.shown { ExpiryKind::NeverShown } else { ExpiryKind::Unanswered }
    }

    /// Changes the counts of both arms, once if they are the same, or of all arms of a slate.
    fn each_arm(&mut self, ticket: &Ticket, slate: Option<&Slate>, change: impl Fn(&mut ArmCounts)) {
        if let Some(slate) = slate {
            for &arm in &slate.arms {
                change(&mut self.arms[arm as usize].counts);
            }
            return;
        }
        change(&mut self.arms[ticket.left.index()].counts);
        if !ticket.is_self_duel() {
            change(&mut self.arms[ticket.right.index()].counts);
        }
    }

    /// Counts an answer in, or out again.
    fn count(&mut self, drawn: &DrawnDuel, slate: Option<&Slate>, answer: Answer, late: bool, by: i8) {
        let Some(outcome) = answer.outcome() else {
            self.each_arm(&drawn.ticket, slate, |counts| add(&mut counts.skipped, by));
            add(&mut self.totals.skipped, by);
            return;
        };
        if drawn.aa {
            self.merged_lists.count_aa(outcome, by);
            return;
        }
        if drawn.holdout {
            add(&mut self.totals.holdout, by);
        }
        if late {
            add(&mut self.totals.late, by);
        }
        self.count_vote(drawn.sides(), answer, outcome, by);
    }

    /// Counts a vote in, or out again.
    pub(crate) fn count_vote(&mut self, (left, right): (Arm, Arm), answer: Answer, outcome: Outcome, by: i8) {
        let seen = VoteKind::of(answer, outcome);
        let totals = &mut self.totals;
        add(&mut totals.votes, by);
        add(
            match seen {
                VoteKind::First => &mut totals.left,
                VoteKind::Second => &mut totals.right,
                VoteKind::Tie => &mut totals.ties,
                VoteKind::BothBad => &mut totals.both_bad,
                VoteKind::Graded => &mut totals.graded,
            },
            by,
        );
        if left == right {
            add(&mut self.arms[left.index()].counts.self_duels, by);
            return;
        }
        for (arm, seen) in [(left, seen), (right, seen.flipped())] {
            let counts = &mut self.arms[arm.index()].counts;
            add(
                match seen {
                    VoteKind::First => &mut counts.wins,
                    VoteKind::Second => &mut counts.losses,
                    VoteKind::Tie => &mut counts.ties,
                    VoteKind::BothBad => &mut counts.both_bad,
                    VoteKind::Graded => &mut counts.graded,
                },
                by,
            );
        }
        let (key, seen, outcome) = if left < right {
            ((left, right), seen, outcome)
        } else {
            ((right, left), seen.flipped(), outcome.flipped())
        };
        let pair = self.pairs.entry(key).or_default();
        pair.add(seen, outcome, by);
        if pair.is_empty() {
            self.pairs.remove(&key);
        }
    }

    /// Counts a vote from elsewhere in, or out again.
    pub(crate) fn count_import(&mut self, outcome: Outcome, by: i8) {
        add(&mut self.totals.imported, by);
        if outcome == Outcome::WIN {
            add(&mut self.totals.imported_left, by);
        } else if outcome == Outcome::LOSS {
            add(&mut self.totals.imported_right, by);
        }
    }
}

impl PairCounts {
    fn add(&mut self, seen: VoteKind, outcome: Outcome, by: i8) {
        let count = match seen {
            VoteKind::First => &mut self.first,
            VoteKind::Second => &mut self.second,
            VoteKind::Tie => &mut self.ties,
            VoteKind::BothBad => &mut self.both_bad,
            VoteKind::Graded => &mut self.graded,
        };
        add(count, by);
        if let VoteKind::Graded = seen {
            // A sum of nothing is 0, whatever rounding has left.
            self.graded_sum =
                if self.graded == 0 { 0.0 } else { self.graded_sum + f64::from(by) * outcome.score() };
        }
    }
}

/// An answer, as it is counted.
#[derive(Clone, Copy)]
enum VoteKind {
    First,
    Second,
    Tie,
    BothBad,
    Graded,
}

impl VoteKind {
    fn of(answer: Answer, outcome: Outcome) -> Self {
        if answer == Answer::BothBad {
            Self::BothBad
        } else if outcome == Outcome::WIN {
            Self::First
        } else if outcome == Outcome::LOSS {
            Self::Second
        } else if outcome == Outcome::TIE {
            Self::Tie
        } else {
            Self::Graded
        }
    }

    fn flipped(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
            other => other,
        }
    }
}

/// How a duel went without an answer.
#[derive(Clone, Copy)]
enum ExpiryKind {
    Unanswered,
    NeverShown,
}

impl ExpiryKind {
    fn arm(self, counts: &mut ArmCounts, by: i8) {
        match self {
            Self::Unanswered => add(&mut counts.unanswered, by),
            Self::NeverShown => add(&mut counts.never_shown, by),
        }
    }

    fn total(self, totals: &mut Totals, by: i8) {
        match self {
            Self::Unanswered => add(&mut totals.unanswered, by),
            Self::NeverShown => add(&mut totals.never_shown, by),
        }
    }
}

pub(crate) fn add(count: &mut u64, by: i8) {
    *count = count.saturating_add_signed(i64::from(by));
}

/// A record that cannot be the next of its log: the log is damaged, or was written by a later version.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("record {seq} of experiment {experiment} ({kind}): {wrong}")]
pub struct FoldError {
    experiment: crate::id::ExperimentId,
    seq: u64,
    kind: &'static str,
    wrong: Box<FoldErrorKind>,
}

impl FoldError {
    fn at(record: &Record, wrong: FoldErrorKind) -> Self {
        Self {
            experiment: record.experiment,
            seq: record.seq,
            kind: record.event.kind().word(),
            wrong: Box::new(wrong),
        }
    }
}

/// What is wrong with a record.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum FoldErrorKind {
    #[error("a log begins with the experiment being made")]
    NotCreated,
    #[error("the experiment is made a second time")]
    CreatedTwice,
    #[error("record {expected} was to come")]
    Gap { expected: u64 },
    #[error("its policy cannot be made: {0}")]
    Policy(Refusal),
    #[error("the policy cannot change its arms")]
    NotElastic,
    #[error("there is no apprentice")]
    NoApprentice,
    #[error("there is no arm {arm}")]
    NoArm { arm: u32 },
    #[error("duel {duel} is not in flight")]
    NotInFlight { duel: u64 },
    #[error("its slate does not fit the duel or the arms")]
    NoSuchSlate,
    #[error("duel {duel} has no slate that could be ranked like that")]
    NoSuchRanking { duel: u64 },
    #[error("{0}")]
    Ticket(UpdateError),
    #[error("it belongs into the log of the arena itself")]
    Misplaced,
}
