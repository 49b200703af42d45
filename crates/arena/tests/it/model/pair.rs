//! An arena and the model, with the same requests to both.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use tiltyard_arena::ArenaError;
use tiltyard_arena::arena::{Done, Duel, Pending, RankerDuel};
use tiltyard_arena::domain::{
    AaCounts, Answer, AnswerRequest, ArmCounts, ClickRequest, Clicked, InterleaveRequest, IssueRequest,
    ListsRequest, MergeOptions, NewArm, Refusal, Settings, Status, VoidReason,
};
use tiltyard_arena::id::ExperimentId;
use tiltyard_arena::time::Clock;
use tiltyard_bandit::{Arm, Outcome};

use super::ask::{Ask, POLICIES};
use super::contract::{Model, Tale, document, lists};
use crate::sim_store::SimStore;
use crate::support::Desk;

pub(super) struct Pair {
    pub(super) desk: Desk,
    pub(super) trial: ExperimentId,
    model: Model,
    /// Responses that are not durable yet, with the expected results.
    done: Vec<(Pending<Done>, Done)>,
    duels: Vec<(Pending<Vec<Duel>>, Vec<Duel>)>,
    /// Duels of rankers, and the lists that must be merged, if any.
    rankers: Vec<(Pending<RankerDuel>, Duel, Option<u8>)>,
}

fn name(number: u8) -> String {
    char::from(b'a' + number).to_string()
}

impl Pair {
    pub(super) fn new(policy: usize, settings: Settings) -> Self {
        let desk = Desk::new(Arc::new(SimStore::new()), 7);
        let (policy, elastic, can_differ) = POLICIES[policy];
        let trial = desk.create(policy, 3, |wanted| *wanted = settings.clone());
        let model = Model {
            elastic,
            can_differ,
            policy,
            settings,
            status: Status::Running,
            now: desk.clock.now().0 / crate::support::SECOND,
            arms: (0..3).map(|number| (name(number), false)).collect(),
            tales: Vec::new(),
            requests: BTreeMap::new(),
            votes: BTreeMap::new(),
        };
        Self { desk, trial, model, done: Vec::new(), duels: Vec::new(), rankers: Vec::new() }
    }

    /// The index of a duel that is counted back from the latest.
    fn place(&self, back: usize) -> Option<usize> {
        self.model.tales.len().checked_sub(1 + back)
    }

    pub(super) fn ask(mut self, ask: &Ask) -> Result<Self, TestCaseError> {
        let Self { desk, trial, model, .. } = &mut self;
        let arena = Arc::clone(&desk.arena);
        let trial = *trial;
        match ask {
            Ask::Issue { count, client, distinct } => self.issue(*count, *client, *distinct)?,
            Ask::Answer { duel, answer, voter } => {
                let Some(at) = self.place(*duel) else { return Ok(self) };
                let voter = voter.map(|voter| format!("v{voter}"));
                let expected = self.model.answer(at, *answer, voter.as_deref());
                let request = AnswerRequest { answer: *answer, voter, said: None };
                self.compare(arena.answer(self.model.tales[at].duel.id, &request), expected)?;
            }
            Ask::Interleave { client, lists } => self.interleave(*client, *lists)?,
            Ask::Lists { duel, lists: which } => {
                let Some(at) = self.place(*duel) else { return Ok(self) };
                let duel = self.model.tales[at].duel;
                let options = MergeOptions { method: None, length: Some(4) };
                let request = ListsRequest { lists: lists(&self.model.arms, *which), options };
                match (arena.merge(duel.id, &request), self.model.merge(at, *which)) {
                    (Ok(pending), Ok(())) => self.rankers.push((pending, duel, Some(*which))),
                    (result, expected) => refused(result, expected)?,
                }
            }
            Ask::Click { duel, left, right, voter } => {
                let Some(at) = self.place(*duel) else { return Ok(self) };
                let tale = &self.model.tales[at];
                let voter = voter.map(|voter| format!("v{voter}"));
                let (l, r) = tale.duel.drawn.sides();
                let equal = l == r;
                // Two equal rankers have one document together.
                let clicks = (*left, *right && !equal);
                let which = tale.lists.unwrap_or_default();
                let name = |arm: Arm| document(&self.model.arms[arm.index()].0, which);
                let documents = [(clicks.0, name(l)), (clicks.1, name(r))];
                let documents = documents.into_iter().filter(|(clicked, _)| *clicked);
                let clicked = Clicked::Documents(documents.map(|(_, document)| document).collect());
                let id = tale.duel.id;
                let is_aa = tale.duel.drawn.aa;
                let expected = self.model.click(at, clicks, voter.as_deref());
                let request = ClickRequest { clicked, voter, said: None };
                let result = arena.click(id, &request);
                if is_aa && expected == Ok(Done::Recorded) {
                    // A coin toss decided which side picked the only document: ask what was
                    // recorded.
                    let pending = result.map_err(|error| TestCaseError::fail(error.to_string()))?;
                    self.done.push((pending, Done::Recorded));
                    self.write()?;
                    let past = self.desk.done(self.desk.arena.duel(id));
                    let past = past.map_err(|error| TestCaseError::fail(error.to_string()))?;
                    if !clicks.0 {
                        prop_assert_eq!(&past.answer.as_ref().map(|said| said.0), &Some(Answer::Tie));
                    }
                    self.model.tales[at].answer = past.answer.map(|(answer, _)| (answer, request.voter));
                } else {
                    self.compare(result, expected)?;
                }
            }
            Ask::Shown { duel } => {
                let Some(at) = self.place(*duel) else { return Ok(self) };
                let expected = self.model.shown(at);
                self.compare(arena.shown(self.model.tales[at].duel.id), Ok(expected))?;
            }
            Ask::Void { duel } => {
                let Some(at) = self.place(*duel) else { return Ok(self) };
                let expected = self.model.void(at);
                let id = self.model.tales[at].duel.id;
                self.compare(arena.void(id, VoidReason::Asked), Ok(expected))?;
            }
            Ask::Change(status) => {
                let expected = model.change(*status);
                self.compare(arena.change(trial, *status), expected)?;
            }
            Ask::Add(number) => {
                let name = name(*number);
                let expected = model.add(&name).map(|()| Done::Recorded);
                let result = arena.add_arms(trial, vec![NewArm::named(name)]);
                self.compare(result.map(recorded), expected)?;
            }
            Ask::Retire(number) => {
                let expected = model.retire(&name(*number)).map(|()| Done::Recorded);
                self.compare(arena.retire_arm(trial, &name(*number)).map(recorded), expected)?;
            }
            Ask::Restore(number) => {
                let expected = model.restore(&name(*number)).map(|()| Done::Recorded);
                self.compare(arena.restore_arm(trial, &name(*number)).map(recorded), expected)?;
            }
            Ask::Wait { seconds } => {
                model.now += seconds;
                desk.clock.seconds(*seconds);
            }
            Ask::Sweep => prop_assert_eq!(arena.sweep(), Ok(model.sweep())),
            Ask::Write => self.write()?,
            Ask::Snapshot => arena.snapshot_all(),
            Ask::Restart => {
                drop(arena);
                self.write()?;
                // Never the same draws again: new voters must get new numbers.
                let seed = 10 + self.desk.state(self.trial).seq();
                self.desk = self.desk.restarted(seed);
            }
        }
        Ok(self)
    }

    fn interleave(&mut self, client: Option<u8>, which: Option<u8>) -> Result<(), TestCaseError> {
        let client = client.map(|client| format!("c{client}"));
        let expected = self.model.issue(1, client.as_deref(), Some(false));
        let options = MergeOptions { method: None, length: Some(4) };
        let lists = which.map(|which| lists(&self.model.arms, which));
        let request = InterleaveRequest { client: client.clone(), context: None, options, lists };
        let result = self.desk.arena.interleave(self.trial, &request);
        let again = match expected {
            Ok(again) => again,
            Err(expected) => return refused(result, Err(expected)),
        };
        if let Some(again) = again {
            let duel = again[0];
            let same = |tale: &Tale| tale.duel.id == duel.id;
            let at = self.model.tales.iter().position(same).expect("it was issued");
            let merged = match which {
                None => Ok(()),
                Some(which) => self.model.merge(at, which),
            };
            match (result, merged) {
                (Ok(pending), Ok(())) => self.rankers.push((pending, duel, self.model.tales[at].lists)),
                (result, expected) => refused(result, expected)?,
            }
            return Ok(());
        }
        let pending = result.map_err(|error| TestCaseError::fail(error.to_string()))?;
        self.write()?;
        let found = pending.poll().expect("nothing fails").expect("everything was written");
        let open = found.duel.drawn;
        match self.model.settings.aa {
            0.0 => prop_assert!(!open.aa),
            1.0 => prop_assert!(open.aa),
            _ => {}
        }
        prop_assert!(!open.aa || (open.holdout && open.ticket.is_self_duel()));
        check_list(&found, found.duel, which, &self.model.arms)?;
        let tale = Tale { lists: which, ..Tale::new(found.duel, self.model.now) };
        self.model.tales.push(tale);
        if let Some(client) = client {
            self.model.requests.insert(client, (1, vec![found.duel]));
        }
        Ok(())
    }

    fn issue(&mut self, count: u32, client: Option<u8>, distinct: Option<bool>) -> Result<(), TestCaseError> {
        let client = client.map(|client| format!("c{client}"));
        let expected = self.model.issue(count, client.as_deref(), distinct);
        let request = IssueRequest { count, distinct, client: client.clone(), context: None };
        let pending = match (self.desk.arena.issue(self.trial, &request), &expected) {
            (Ok(pending), Ok(_)) => pending,
            (Err(ArenaError::Refused(refusal)), Err(expected)) => {
                prop_assert_eq!(&refusal, expected);
                return Ok(());
            }
            (result, _) => {
                let result = result.map(|_| "duels");
                return Err(TestCaseError::fail(format!("{result:?} instead of {expected:?}")));
            }
        };
        if let Ok(Some(before)) = expected {
            self.duels.push((pending, before));
            return Ok(());
        }
        // New duels are known once they are written, together with all earlier requests.
        self.write()?;
        let duels = pending.poll().expect("nothing fails").expect("everything was written");
        prop_assert_eq!(duels.len(), count as usize);
        let must_differ = distinct.unwrap_or(self.model.can_differ);
        for &duel in &duels {
            let open = duel.drawn;
            let (left, right) = open.sides();
            prop_assert!(left != right || !(must_differ || open.holdout));
            prop_assert!(
                [left, right].iter().all(|arm| !self.model.arms[arm.index()].1),
                "a retired arm was drawn"
            );
            match self.model.settings.holdout {
                0.0 => prop_assert!(!open.holdout),
                1.0 => prop_assert!(open.holdout),
                _ => {}
            }
            let expires =
                (self.model.now + self.model.settings.expires_after.cast_signed()) * crate::support::SECOND;
            prop_assert_eq!(open.expires.0, expires);
            prop_assert!(self.model.tales.iter().all(|tale| tale.duel.id != duel.id));
            self.model.tales.push(Tale::new(duel, self.model.now));
        }
        if let Some(client) = client {
            self.model.requests.insert(client, (count, duels));
        }
        Ok(())
    }

    /// Refusals are known at once, other results once they are durable.
    fn compare(
        &mut self,
        result: Result<Pending<Done>, ArenaError>,
        expected: Result<Done, Refusal>,
    ) -> Result<(), TestCaseError> {
        match (result, expected) {
            (Ok(pending), Ok(expected)) => self.done.push((pending, expected)),
            (Err(ArenaError::Refused(refusal)), Err(expected)) => prop_assert_eq!(refusal, expected),
            (result, expected) => {
                let result = result.map(|_| "it was accepted");
                return Err(TestCaseError::fail(format!("{result:?} instead of {expected:?}")));
            }
        }
        Ok(())
    }

    pub(super) fn write(&mut self) -> Result<(), TestCaseError> {
        self.desk.settle();
        for (pending, expected) in self.done.drain(..) {
            prop_assert_eq!(
                pending.poll().expect("nothing fails").expect("everything was written"),
                expected
            );
        }
        for (pending, duel, which) in self.rankers.drain(..) {
            let found = pending.poll().expect("nothing fails").expect("everything was written");
            check_list(&found, duel, which, &self.model.arms)?;
        }
        for (pending, expected) in self.duels.drain(..) {
            prop_assert_eq!(
                pending.poll().expect("nothing fails").expect("everything was written"),
                expected
            );
        }
        Ok(())
    }

    pub(super) fn check_counts(&self) -> Result<(), TestCaseError> {
        let state = self.desk.state(self.trial);
        let (totals, arms, pairs) = self.model.counts();
        prop_assert_eq!(*state.totals(), totals);
        let kept: Vec<ArmCounts> = state.arms().iter().map(|entry| entry.counts).collect();
        prop_assert_eq!(kept, arms);
        prop_assert_eq!(state.pairs(), &pairs);
        let is_aa = |tale: &&Tale| tale.duel.drawn.aa && !tale.voided;
        let said = |tale: &Tale| tale.answer.as_ref().and_then(|(answer, _)| answer.outcome());
        let scores: Vec<f64> =
            self.model.tales.iter().filter(is_aa).filter_map(said).map(Outcome::score).collect();
        let count = |wanted: fn(f64) -> bool| scores.iter().filter(|&&score| wanted(score)).count() as u64;
        let aa = AaCounts { left: count(|s| s > 0.0), right: count(|s| s < 0.0), ties: count(|s| s == 0.0) };
        prop_assert_eq!(state.aa(), aa);
        prop_assert_eq!(state.n_in_flight() as u64, self.model.n_in_flight());
        prop_assert_eq!(state.status(), self.model.status);
        let names: Vec<(String, bool)> =
            state.arms().iter().map(|entry| (entry.arm.name.clone(), entry.retired)).collect();
        prop_assert_eq!(&names, &self.model.arms);
        Ok(())
    }
}

/// The request must have been refused, for the expected reason.
fn refused<T>(
    result: Result<Pending<T>, ArenaError>,
    expected: Result<(), Refusal>,
) -> Result<(), TestCaseError> {
    match (result, expected) {
        (Err(ArenaError::Refused(refusal)), Err(expected)) => prop_assert_eq!(refusal, expected),
        (result, expected) => {
            let result = result.map(|_| "it was accepted");
            return Err(TestCaseError::fail(format!("{result:?} instead of {expected:?}")));
        }
    }
    Ok(())
}

/// The merged list exists if it must, and holds the documents of both rankers and no others.
fn check_list(
    found: &RankerDuel,
    duel: Duel,
    which: Option<u8>,
    arms: &[(String, bool)],
) -> Result<(), TestCaseError> {
    prop_assert_eq!(found.duel.id, duel.id);
    let Some(which) = which else {
        prop_assert_eq!(&found.merged, &None);
        return Ok(());
    };
    let (left, right) = duel.drawn.sides();
    let mut expected = vec![left, right];
    expected.sort_unstable();
    expected.dedup();
    let expected: BTreeSet<String> =
        expected.iter().map(|arm| document(&arms[arm.index()].0, which)).collect();
    let merged = found.merged.as_ref().expect("the lists were brought");
    prop_assert_eq!(merged.list.documents().iter().cloned().collect::<BTreeSet<_>>(), expected);
    prop_assert_eq!(merged.alone, left == right && !duel.drawn.aa);
    Ok(())
}

fn recorded(pending: Pending<()>) -> Pending<Done> {
    pending.map(|()| Done::Recorded)
}
