//! Duels of rankers: drawn, merged, and credited by clicks.

use std::sync::Arc;

use serde_json::Value;

use super::duels::issued;
use super::live::{LiveExperiment, LiveState};
use super::{Arena, ArenaError, Done, Duel, Pending};
use crate::domain::{
    ClickRequest, DuelHistory, Event, InterleaveRequest, Interleaved, Issued, ListsRequest, Refusal,
};
use crate::id::{DuelId, ExperimentId};

/// A duel of rankers as it is handed out.
#[derive(Debug, Clone, PartialEq)]
pub struct RankerDuel {
    /// The duel.
    pub duel: Duel,
    /// Its merged list; none as long as the rankers' lists did not come.
    pub merged: Option<Arc<Interleaved>>,
    /// Whether it was drawn now.
    pub drawn: bool,
}

/// A duel of rankers as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct RankerDuelHistory {
    /// The duel, and what became of it.
    pub past: DuelHistory,
    /// Its merged list; none as long as the rankers' lists did not come.
    pub merged: Option<Arc<Interleaved>>,
    /// What was kept with it.
    pub context: Option<Value>,
}

impl Arena {
    /// Draws two rankers, and merges their lists if all were brought. Asked again with the same
    /// client id, it returns the same.
    ///
    /// # Errors
    ///
    /// If it is refused or cannot be kept.
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
            let duels = self.duels_again(id, &live, &state, first, client, 1)?;
            let duel = *duels.first().ok_or(Refusal::NoDuel)?;
            if let Some(lists) = &request.lists {
                let lists = ListsRequest { lists: lists.clone(), options: request.options.clone() };
                return self.merge_locked(&live, &mut state, duel.id, &lists);
            }
            let merged = self.merged(duel.id, &state)?;
            // Where in the tail its list stands is not known: all of it, to be sure.
            let last = state.folded.seq();
            return Ok(Pending::until(RankerDuel { duel, merged, drawn: false }, &live, last, state.epoch));
        }
        let records = state.folded.interleave(request, self.now(), &mut self.rng())?;
        let duel = records.iter().find_map(issued).ok_or(Refusal::NoDuel)?;
        let merged = records.iter().find_map(|record| match &record.event {
            Event::Interleaved(event) => Some(Arc::clone(event)),
            _ => None,
        });
        let duel = RankerDuel { duel, merged, drawn: true };
        Ok(Pending::write(duel, self.enqueue(&live, &mut state, records)))
    }

    /// Merges the lists of a duel's rankers. The same lists again give the same merged list.
    ///
    /// # Errors
    ///
    /// If they are refused or cannot be kept.
    pub fn merge(&self, duel: DuelId, request: &ListsRequest) -> Result<Pending<RankerDuel>, ArenaError> {
        self.check_load()?;
        let live = self.live(duel.experiment).map_err(|_| Refusal::NoDuel)?;
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
        let now = self.now();
        let rng = &mut self.rng();
        let event = state.folded.merge_lists(duel, past.as_ref(), merged.as_deref(), request, now, rng)?;
        let drawn = past.map(|past| past.drawn).or(state.folded.find(duel).copied());
        let found = Duel { id: duel, drawn: drawn.ok_or(Refusal::NoDuel)? };
        let Some(event) = event else {
            let duel = RankerDuel { duel: found, merged, drawn: false };
            let last = state.folded.seq();
            return Ok(Pending::until(duel, live, last, state.epoch));
        };
        let merged = if let Event::Interleaved(event) = &event { Some(Arc::clone(event)) } else { None };
        let duel = RankerDuel { duel: found, merged, drawn: false };
        Ok(Pending::write(duel, self.record(live, state, vec![event], now)?))
    }

    /// Takes clicks on a merged list: they are the duel's answer.
    ///
    /// # Errors
    ///
    /// If they are refused or cannot be kept.
    pub fn click(&self, duel: DuelId, request: &ClickRequest) -> Result<Pending<Done>, ArenaError> {
        self.about(duel, |state, past, now, rng| {
            let merged = self.merged(duel, state)?;
            Ok(state.folded.click(duel, past, merged.as_deref(), request, now, rng)?)
        })
    }

    /// Where a duel of rankers stands. Nothing is changed.
    ///
    /// # Errors
    ///
    /// If there is no such duel, or the log cannot be read.
    pub fn ranker_duel(&self, duel: DuelId) -> Result<Pending<RankerDuelHistory>, ArenaError> {
        let live = self.live(duel.experiment).map_err(|_| Refusal::NoDuel)?;
        let state = self.lock(&live)?;
        let past = match state.folded.find(duel) {
            Some(_) => state.folded.at(duel.seq),
            None => self.past(duel, &state)?.0,
        };
        let past = past.filter(|past| past.drawn.token == duel.token).ok_or(Refusal::NoDuel)?;
        let merged = self.merged(duel, &state)?;
        let context = self.record_at(duel.experiment, &state, duel.seq)?.and_then(|record| {
            if let Event::Issued(Issued { context, .. }) = record.event { context } else { None }
        });
        // Where in the tail the last event about it stands is not known: all of it, to be sure.
        let last = state.folded.seq();
        Ok(Pending::until(RankerDuelHistory { past, merged, context }, &live, last, state.epoch))
    }

    /// What became of a duel; nothing if it is in flight.
    fn past_of_closed(&self, duel: DuelId, state: &LiveState) -> Result<Option<DuelHistory>, ArenaError> {
        if state.folded.find(duel).is_some() { Ok(None) } else { Ok(self.past(duel, state)?.0) }
    }

    /// The merged list of a duel, wherever it is: in the state while the duel is in flight, later
    /// in the log.
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
