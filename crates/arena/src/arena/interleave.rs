//! Draws duels of rankers, merges their lists and credits clicks.

use std::sync::Arc;

use serde_json::Value;

use super::duels::issued;
use super::live::{LiveExperiment, LiveState};
use super::{Arena, ArenaError, Done, Duel, Pending};
use crate::domain::{
    ClickRequest, DuelHistory, Event, InterleaveRequest, Interleaved, ListsRequest, Refusal,
};
use crate::id::{DuelId, ExperimentId};

/// A duel of rankers as it is issued.
#[derive(Debug, Clone, PartialEq)]
pub struct RankerDuel {
    /// The duel.
    pub duel: Duel,
    /// The merged list; none until the rankers' lists are given.
    pub merged: Option<Arc<Interleaved>>,
    /// Whether this request drew the duel.
    pub drawn: bool,
}

/// A duel of rankers and its history.
#[derive(Debug, Clone, PartialEq)]
pub struct RankerDuelHistory {
    /// The duel and its history.
    pub past: DuelHistory,
    /// The merged list; none until the rankers' lists are given.
    pub merged: Option<Arc<Interleaved>>,
    /// The data stored with the duel.
    pub context: Option<Value>,
}

impl Arena {
    /// Draws two rankers, and merges their lists if the lists of all rankers are given. A repeated
    /// request with the same client id returns the same duel.
    ///
    /// # Errors
    ///
    /// If the request is refused, or the store fails.
    pub fn interleave(
        &self,
        id: ExperimentId,
        request: &InterleaveRequest,
    ) -> Result<Pending<RankerDuel>, ArenaError> {
        self.check_load()?;
        let live = self.live(id)?;
        let mut state = self.lock(&live)?;
        if let Some(client) = &request.client
            && let Some(first) = self.find_client(id, &state, client)?
        {
            let duels = self.duels_again(id, &state, first, client, 1)?;
            let duel = *duels.first().ok_or(Refusal::NoDuel)?;
            if let Some(lists) = &request.lists {
                let lists = ListsRequest { lists: lists.clone(), options: request.options.clone() };
                return self.merge_locked(&live, &mut state, duel.id, &lists);
            }
            let merged = self.merged(duel.id, &state)?;
            // The position of its list is unknown, so wait for the whole tail.
            let last = state.folded.seq();
            return Ok(Pending::until(RankerDuel { duel, merged, drawn: false }, &live, last));
        }
        let now = state.now;
        let records = state.folded.interleave(request, now, &mut self.rng())?;
        let duel = records.iter().find_map(issued).ok_or(Refusal::NoDuel)?;
        let merged = records.iter().find_map(|record| match &record.event {
            Event::Interleaved(event) => Some(Arc::clone(event)),
            _ => None,
        });
        let duel = RankerDuel { duel, merged, drawn: true };
        Ok(Pending::write(duel, self.enqueue(&live, &mut state, records)))
    }

    /// Merges the lists of a duel's rankers. A repeated request with the same lists returns the
    /// same merged list.
    ///
    /// # Errors
    ///
    /// If the lists are refused, or the store fails.
    pub fn merge(&self, duel: DuelId, request: &ListsRequest) -> Result<Pending<RankerDuel>, ArenaError> {
        self.check_load()?;
        let live = self.live_of(duel)?;
        let mut state = self.lock(&live)?;
        self.merge_locked(&live, &mut state, duel, request)
    }

    fn merge_locked(
        &self,
        live: &Arc<LiveExperiment>,
        state: &mut LiveState,
        duel: DuelId,
        request: &ListsRequest,
    ) -> Result<Pending<RankerDuel>, ArenaError> {
        let (past, merged) = (self.past_of_closed(duel, state)?, self.merged(duel, state)?);
        let rng = &mut self.rng();
        let now = state.now;
        let event = state.folded.merge_lists(duel, past.as_ref(), merged.as_deref(), request, now, rng)?;
        let drawn = past.map(|past| past.drawn).or(state.folded.find(duel).copied());
        let found = Duel { id: duel, drawn: drawn.ok_or(Refusal::NoDuel)? };
        let Some(event) = event else {
            let duel = RankerDuel { duel: found, merged, drawn: false };
            let last = state.folded.seq();
            return Ok(Pending::until(duel, live, last));
        };
        let merged = if let Event::Interleaved(event) = &event { Some(Arc::clone(event)) } else { None };
        let duel = RankerDuel { duel: found, merged, drawn: false };
        Ok(Pending::write(duel, self.record(live, state, vec![event])?))
    }

    /// Records clicks on a merged list as the answer to the duel.
    ///
    /// # Errors
    ///
    /// If the clicks are refused, or the store fails.
    pub fn click(&self, duel: DuelId, request: &ClickRequest) -> Result<Pending<Done>, ArenaError> {
        self.about(duel, request.voter.as_deref(), |state, known, now, rng| {
            let merged = self.merged(duel, state)?;
            Ok(state.folded.click(duel, known, merged.as_deref(), request, now, rng)?)
        })
    }

    /// Reads a duel of rankers and its history. A duel in flight whose time is over has expired, as
    /// in [`Arena::duel`].
    ///
    /// # Errors
    ///
    /// If the duel does not exist, or the log cannot be read.
    pub fn ranker_duel(&self, duel: DuelId) -> Result<Pending<RankerDuelHistory>, ArenaError> {
        let live = self.live_of(duel)?;
        let state = self.lock(&live)?;
        let past = match state.folded.find(duel) {
            Some(_) => state.in_flight(duel.seq),
            None => self.past(duel, &state)?.0,
        };
        let past = past.filter(|past| past.drawn.token == duel.token).ok_or(Refusal::NoDuel)?;
        let merged = self.merged(duel, &state)?;
        let context = self.context(self.record_at(duel.experiment, &state, duel.seq)?)?;
        // The position of the last event about the duel is unknown, so wait for the whole tail.
        let last = state.folded.seq();
        Ok(Pending::until(RankerDuelHistory { past, merged, context }, &live, last))
    }

    /// The history of a duel; none if it is in flight.
    fn past_of_closed(&self, duel: DuelId, state: &LiveState) -> Result<Option<DuelHistory>, ArenaError> {
        if state.folded.find(duel).is_some() { Ok(None) } else { Ok(self.past(duel, state)?.0) }
    }

    /// The merged list of a duel. It is in the state while the duel is in flight, and in the log
    /// later.
    fn merged(&self, duel: DuelId, state: &LiveState) -> Result<Option<Arc<Interleaved>>, ArenaError> {
        if state.folded.find(duel).is_some() {
            return Ok(state.folded.interleaved(duel));
        }
        let merged = |event: &Event| match event {
            Event::Interleaved(event) if event.duel == duel.seq => Some(Arc::clone(event)),
            _ => None,
        };
        if let Some(found) = state.tail.iter().find_map(|record| merged(&record.event)) {
            return Ok(Some(found));
        }
        let records = self.store.duel(duel.experiment, duel.seq)?;
        Ok(records.iter().find_map(|record| merged(&record.event)))
    }
}
