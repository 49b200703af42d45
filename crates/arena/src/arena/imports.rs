//! Votes from elsewhere: brought in, taken out again.

use super::live::LiveState;
use super::{Arena, ArenaError, Done, Pending};
use crate::domain::{Event, ImportRequest, ImportVoided, Imported, Kind, Record, Refusal};
use crate::id::ExperimentId;

/// Imports are refused once this share of the writes that may wait for the store do: a batch is a
/// thousand times as long as a vote, and whoever votes now goes first.
const SHARE: usize = 20;

/// Votes that were brought in, now or before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Import {
    /// Whether that was now.
    pub done: Done,
    /// The log position of the import.
    pub seq: u64,
    /// How many votes.
    pub votes: usize,
}

impl Arena {
    /// Brings votes in, all of them or none. Asked again with the same client id, it does nothing.
    ///
    /// # Errors
    ///
    /// If they are refused or cannot be kept.
    pub fn import(&self, id: ExperimentId, request: ImportRequest) -> Result<Pending<Import>, ArenaError> {
        self.check_load()?;
        if self.n_waiting() > self.most_waiting / SHARE {
            return Err(ArenaError::Overloaded);
        }
        let live = self.live(id)?;
        let mut state = self.lock(&live)?;
        let imported = state.folded.import(request)?;
        let votes = imported.votes.len();
        if let Some(seq) = self.find_client(id, &state, &imported.client)? {
            match self.record_at(id, &state, seq)?.map(|record| record.event) {
                Some(Event::Imported(before)) if before.says(&imported) => {}
                _ => return Err(Refusal::ClientTaken { client: imported.client }.into()),
            }
            if self.is_import_voided(id, &state, seq)? {
                return Err(Refusal::ImportVoided.into());
            }
            let import = Import { done: Done::Already, seq, votes };
            return Ok(Pending::until(import, &live, seq, state.epoch));
        }
        let event = state.folded.take_in(imported, &mut self.rng())?;
        let seq = state.folded.seq() + 1;
        let done = self.record(&live, &mut state, vec![event], self.now())?;
        Ok(Pending::write(Import { done: Done::Recorded, seq, votes }, done))
    }

    /// Takes the votes out again that came in at a log position.
    ///
    /// # Errors
    ///
    /// If none came in there, or that cannot be kept.
    pub fn void_import(&self, id: ExperimentId, seq: u64) -> Result<Pending<Import>, ArenaError> {
        self.check_load()?;
        let live = self.live(id)?;
        let mut state = self.lock(&live)?;
        let record = self.record_at(id, &state, seq)?;
        let Some(Event::Imported(Imported { votes, .. })) = record.map(|record| record.event) else {
            return Err(Refusal::NoImport.into());
        };
        let n_votes = votes.len();
        if self.is_import_voided(id, &state, seq)? {
            let import = Import { done: Done::Already, seq, votes: n_votes };
            // Where in the tail that stands is not known: all of it, to be sure.
            return Ok(Pending::until(import, &live, state.folded.seq(), state.epoch));
        }
        let event = Event::ImportVoided(ImportVoided { import: seq, votes });
        let done = self.record(&live, &mut state, vec![event], self.now())?;
        Ok(Pending::write(Import { done: Done::Recorded, seq, votes: n_votes }, done))
    }

    /// The record at a log position.
    pub(super) fn record_at(
        &self,
        id: ExperimentId,
        state: &LiveState,
        seq: u64,
    ) -> Result<Option<Record>, ArenaError> {
        // The tail has no gaps.
        let front = state.tail.front().map_or(u64::MAX, |record| record.seq);
        let at = usize::try_from(seq.wrapping_sub(front)).unwrap_or(usize::MAX);
        if let Some(record) = state.tail.get(at) {
            return Ok(Some(record.clone()));
        }
        let mut found = None;
        if (1..=state.folded.seq()).contains(&seq) {
            self.store.read(id, seq - 1, &mut |record| {
                found = Some(record);
                false
            })?;
        }
        Ok(found.filter(|record| record.seq == seq))
    }

    fn is_import_voided(&self, id: ExperimentId, state: &LiveState, seq: u64) -> Result<bool, ArenaError> {
        let voids =
            |record: &Record| matches!(&record.event, Event::ImportVoided(voided) if voided.import == seq);
        Ok(state.tail.iter().any(voids) || self.store.duels_with(id, Kind::ImportVoided)?.contains(&seq))
    }
}
