//! Imports votes that were given elsewhere, and voids imports.

use super::live::LiveState;
use super::{Arena, ArenaError, Done, Pending};
use crate::domain::{Event, ImportRequest, ImportVoided, Imported, Kind, Record, Refusal};
use crate::id::ExperimentId;

/// Imports are refused once the queue for the store is filled to 1/20. A batch can be a thousand
/// times as long as a vote, and live votes have priority.
const SHARE: usize = 20;

/// An import of votes, by this request or an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Import {
    /// Whether this request or an earlier one had the effect.
    pub done: Done,
    /// The log position of the import.
    pub seq: u64,
    /// The number of votes.
    pub votes: usize,
}

impl Arena {
    /// Imports votes, all of them or none. A repeated request with the same client id does nothing.
    ///
    /// # Errors
    ///
    /// If the votes are refused, or the store fails.
    pub fn import(&self, id: ExperimentId, request: ImportRequest) -> Result<Pending<Import>, ArenaError> {
        self.check_load()?;
        if self.n_waiting() > self.most_waiting / SHARE {
            return Err(ArenaError::Overloaded);
        }
        let live = self.live(id)?;
        let mut state = self.lock(&live)?;
        let imported = state.folded.import(request)?;
        let votes = imported.votes.len();
        let names = imported.votes.iter().filter_map(|vote| vote.voter.as_ref()?.name());
        let numbers = self.numbers(id, &state, names.collect())?;
        if let Some(seq) = self.find_client(id, &state, &imported.client)? {
            match self.record_at(id, &state, seq)?.map(|record| record.event) {
                Some(Event::Imported(before)) if before.says(&imported, &numbers) => {}
                _ => return Err(Refusal::ClientTaken { client: imported.client }.into()),
            }
            if self.is_import_voided(id, &state, seq)? {
                return Err(Refusal::ImportVoided.into());
            }
            let import = Import { done: Done::Already, seq, votes };
            return Ok(Pending::until(import, &live, seq));
        }
        let event = state.folded.take_in(imported, numbers, &mut self.rng())?;
        let seq = state.folded.seq() + 1;
        let done = self.record(&live, &mut state, vec![event])?;
        Ok(Pending::write(Import { done: Done::Recorded, seq, votes }, done))
    }

    /// Voids the import at a log position.
    ///
    /// # Errors
    ///
    /// If the log has no import at this position, or the store fails.
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
            // The position of the voiding is unknown, so wait for the whole tail.
            return Ok(Pending::until(import, &live, state.folded.seq()));
        }
        let event = Event::ImportVoided(ImportVoided { import: seq, votes });
        let done = self.record(&live, &mut state, vec![event])?;
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
            let read = self.store.read(id, seq - 1, &mut |record| {
                found = Some(record);
                false
            });
            self.noticed(read)?;
        }
        Ok(found.filter(|record| record.seq == seq))
    }

    fn is_import_voided(&self, id: ExperimentId, state: &LiveState, seq: u64) -> Result<bool, ArenaError> {
        let voids =
            |record: &Record| matches!(&record.event, Event::ImportVoided(voided) if voided.import == seq);
        self.live(id)?.check_looked_up()?;
        Ok(state.tail.iter().any(voids) || self.store.duels_with(id, Kind::ImportVoided)?.contains(&seq))
    }
}
