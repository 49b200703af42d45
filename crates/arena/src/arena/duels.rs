//! Issues, answers and voids duels of live experiments.

use std::collections::BTreeSet;
use std::sync::Arc;

use rand::Rng;

use super::live::{LiveExperiment, LiveState};
use super::{Arena, ArenaError, Done, Duel, Pending};
use crate::domain::{
    Answer, AnswerRequest, DuelHistory, Event, Evidence, IssueRequest, Issued, Known, Record, Refusal,
    VoidReason,
};
use crate::id::{DuelId, ExperimentId};
use crate::time::Time;

impl Arena {
    /// Issues duels. A repeated request with the same client id returns the same duels.
    ///
    /// # Errors
    ///
    /// If the request is refused, or the store fails.
    pub fn issue(&self, id: ExperimentId, request: &IssueRequest) -> Result<Pending<Vec<Duel>>, ArenaError> {
        self.check_load()?;
        let live = self.live(id)?;
        let mut state = self.lock(&live)?;
        if let Some(client) = &request.client
            && let Some(first) = self.find_client(id, &state, client)?
        {
            let duels = self.duels_again(id, &state, first, client, request.count)?;
            let last = first + u64::from(request.count) - 1;
            return Ok(Pending::until(duels, &live, last));
        }
        let before = state.folded.seq();
        let now = state.now;
        let issued_now = state.folded.issue(request, now, &mut self.rng());
        let records = issued_now.inspect_err(|_| {
            if state.folded.seq() != before {
                // The state includes some duels that will not be written.
                live.fail();
            }
        })?;
        let duels = records.iter().filter_map(issued).collect();
        Ok(Pending::write(duels, self.enqueue(&live, &mut state, records)))
    }

    /// The first duel of the request with this client id, if there was such a request.
    ///
    /// # Errors
    ///
    /// If the experiment does not exist, or its log cannot be read.
    pub fn issued_by(&self, id: ExperimentId, client: &str) -> Result<Option<DuelId>, ArenaError> {
        let live = self.live(id)?;
        let state = self.look(&live)?;
        let Some(first) = self.find_client(id, &state, client)? else { return Ok(None) };
        Ok(self.record_at(id, &state, first)?.as_ref().and_then(issued).map(|duel| duel.id))
    }

    pub(super) fn find_client(
        &self,
        id: ExperimentId,
        state: &LiveState,
        client: &str,
    ) -> Result<Option<u64>, ArenaError> {
        if let Some(first) = state.recent.client(client) {
            return Ok(Some(first));
        }
        self.live(id)?.check_looked_up()?;
        self.noticed(self.store.client(id, client))
    }

    /// The duels of an earlier request.
    pub(super) fn duels_again(
        &self,
        id: ExperimentId,
        state: &LiveState,
        first: u64,
        client: &str,
        count: u32,
    ) -> Result<Vec<Duel>, ArenaError> {
        let find = |seq: u64| -> Result<Option<(Duel, Option<u32>)>, ArenaError> {
            Ok(self.record_at(id, state, seq)?.as_ref().and_then(|record| match &record.event {
                // A slate is not a duel of two arms.
                Event::Issued(Issued { count, slate: None, .. }) => issued(record).map(|duel| (duel, *count)),
                _ => None,
            }))
        };
        let Some((duel, Some(before))) = find(first)? else {
            return Err(Refusal::ClientTaken { client: client.to_owned() }.into());
        };
        if before != count {
            return Err(Refusal::ClientReused { client: client.to_owned(), count: before }.into());
        }
        let mut duels = vec![duel];
        for seq in first + 1..first + u64::from(count) {
            duels.extend(find(seq)?.map(|(duel, _)| duel));
        }
        Ok(duels)
    }

    /// Records the answer to a duel.
    ///
    /// # Errors
    ///
    /// If the answer is refused, or the store fails.
    pub fn answer(&self, duel: DuelId, request: &AnswerRequest) -> Result<Pending<Done>, ArenaError> {
        self.about(duel, request.voter.as_deref(), |state, known, now, rng| {
            Ok(state.folded.answer(duel, known, request, now, rng)?)
        })
    }

    /// Records that a duel was shown.
    ///
    /// # Errors
    ///
    /// If the duel does not exist, or the store fails.
    pub fn shown(&self, duel: DuelId) -> Result<Pending<Done>, ArenaError> {
        self.about(duel, None, |state, known, _, _| Ok(state.folded.shown(duel, known.past)?))
    }

    /// Voids a duel, answered or not.
    ///
    /// # Errors
    ///
    /// If the duel does not exist, or the store fails.
    pub fn void(&self, duel: DuelId, reason: VoidReason) -> Result<Pending<Done>, ArenaError> {
        self.about(duel, None, |state, known, _, _| Ok(state.folded.void(duel, known.past, reason)?))
    }

    /// Voids duels of one experiment in a single write, so that a policy that has to learn its log
    /// again does so only once. Returns how many of them were not voided before.
    ///
    /// # Errors
    ///
    /// If one of the duels does not exist, or the store fails.
    pub fn void_all(
        &self,
        id: ExperimentId,
        duels: &[DuelId],
        reason: VoidReason,
    ) -> Result<Pending<usize>, ArenaError> {
        self.check_load()?;
        let live = self.live(id)?;
        let mut state = self.lock(&live)?;
        let mut events = Vec::with_capacity(duels.len());
        let mut places = BTreeSet::new();
        for &duel in duels.iter().filter(|duel| places.insert(duel.seq)) {
            let past = if state.folded.find(duel).is_some() { None } else { self.past(duel, &state)?.0 };
            events.extend(state.folded.void(duel, past.as_ref(), reason)?);
        }
        if events.is_empty() {
            let last = state.folded.seq();
            return Ok(Pending::until(0, &live, last));
        }
        let n_voided = events.len();
        let done = self.record(&live, &mut state, events)?;
        Ok(Pending::write(n_voided, done))
    }

    /// The evidence that would remain if these duels were voided. Nothing is changed.
    ///
    /// # Errors
    ///
    /// If the experiment does not exist, or its log cannot be read.
    pub fn evidence_without(
        &self,
        id: ExperimentId,
        duels: &[DuelId],
    ) -> Result<Pending<Evidence>, ArenaError> {
        let view = self.view(id, |experiment| (experiment.evidence().clone(), experiment.seq()))?;
        let ((mut evidence, seq), durable) = view.split();
        // The evidence does not include later duels.
        for duel in duels.iter().filter(|duel| duel.seq <= seq) {
            if let Some(past) = past_of(&self.noticed(self.store.duel(id, duel.seq))?) {
                evidence.forget(duel.seq, &past);
            }
        }
        Ok(durable.map(|()| evidence))
    }

    /// The experiment of a duel. If it is set apart, nobody knows whether the duel exists.
    pub(super) fn live_of(&self, duel: DuelId) -> Result<Arc<LiveExperiment>, ArenaError> {
        self.live(duel.experiment).map_err(|error| match error {
            ArenaError::Refused(_) => Refusal::NoDuel.into(),
            error => error,
        })
    }

    /// Decides on an event about one duel, by a voter if one is named, and records it.
    pub(super) fn about(
        &self,
        duel: DuelId,
        voter: Option<&str>,
        decide: impl FnOnce(&LiveState, Known<'_>, Time, &mut dyn Rng) -> Result<Option<Event>, ArenaError>,
    ) -> Result<Pending<Done>, ArenaError> {
        self.check_load()?;
        let live = self.live_of(duel)?;
        let mut state = self.lock(&live)?;
        let (past, known_at) = if state.folded.find(duel).is_some() {
            // The position of the last event about the duel is unknown, so wait for the whole tail.
            (None, state.folded.seq())
        } else {
            self.past(duel, &state)?
        };
        let number = match voter {
            Some(name) => self.number(duel.experiment, &mut state, name)?,
            None => None,
        };
        let known = Known { past: past.as_ref(), number };
        let event = decide(&state, known, state.now, &mut self.rng())?;
        let Some(event) = event else {
            return Ok(Pending::until(Done::Already, &live, known_at));
        };
        let done = self.record(&live, &mut state, vec![event])?;
        Ok(Pending::write(Done::Recorded, done))
    }

    /// The history of a duel that is not in flight, and the log position of the last record about
    /// it.
    pub(super) fn past(
        &self,
        duel: DuelId,
        state: &LiveState,
    ) -> Result<(Option<DuelHistory>, u64), ArenaError> {
        if let Some((past, seq)) = state.recent.past(duel.seq) {
            return Ok((Some(past.clone()), seq));
        }
        self.live(duel.experiment)?.check_looked_up()?;
        let records = self.noticed(self.store.duel(duel.experiment, duel.seq))?;
        let last = records.last().map_or(0, |record| record.seq);
        Ok((past_of(&records), last))
    }

    /// Reads a duel and its history. A duel in flight whose time is over has expired, even if no
    /// sweep has recorded that yet.
    ///
    /// # Errors
    ///
    /// If the duel does not exist.
    pub fn duel(&self, duel: DuelId) -> Result<Pending<DuelHistory>, ArenaError> {
        let live = self.live_of(duel)?;
        let state = self.lock(&live)?;
        let (past, known_at) = match state.folded.find(duel) {
            Some(_) => (state.in_flight(duel.seq), state.folded.seq()),
            None => self.past(duel, &state)?,
        };
        let past = past.filter(|past| past.drawn.token == duel.token).ok_or(Refusal::NoDuel)?;
        Ok(Pending::until(past, &live, known_at))
    }

    /// The duels that a voter has answered since a given time, without voided ones. This reads the
    /// whole log and changes nothing.
    ///
    /// # Errors
    ///
    /// If the experiment does not exist, or its log cannot be read.
    pub fn votes_of(
        &self,
        id: ExperimentId,
        voter: &str,
        since: Option<Time>,
    ) -> Result<Vec<DuelId>, ArenaError> {
        self.live(id)?.check_looked_up()?;
        let person = self.person(id, voter)?.or_erased();
        let mut places = BTreeSet::new();
        let mut voided = Vec::new();
        let read = self.store.read(id, 0, &mut |record| {
            match &record.event {
                Event::Answered(answered)
                    if answered.voter.as_ref().is_some_and(|voter| voter.is(&person))
                        && answered.answer != Answer::Skip
                        && since.is_none_or(|since| record.at >= since) =>
                {
                    places.insert(answered.duel);
                }
                Event::Voided(event) => voided.push(event.duel),
                _ => {}
            }
            true
        });
        self.noticed(read)?;
        for seq in voided {
            places.remove(&seq);
        }
        let mut duels = Vec::with_capacity(places.len());
        for seq in places {
            duels
                .extend(self.noticed(self.store.duel(id, seq))?.first().and_then(issued).map(|duel| duel.id));
        }
        Ok(duels)
    }
}

/// The duel that a record issues.
pub(super) fn issued(record: &Record) -> Option<Duel> {
    let Event::Issued(Issued { drawn, .. }) = &record.event else { return None };
    let id = DuelId { experiment: record.experiment, seq: record.seq, token: drawn.token };
    Some(Duel { id, drawn: *drawn })
}

/// The history of a duel, from its records.
fn past_of(records: &[Record]) -> Option<DuelHistory> {
    let (first, rest) = records.split_first()?;
    let Event::Issued(issued) = &first.event else { return None };
    let mut past = DuelHistory::new(issued.comparison());
    for record in rest {
        past.absorb(record);
    }
    Some(past)
}
