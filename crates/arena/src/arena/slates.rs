//! Issues and ranks slates of live experiments.

use std::sync::Arc;

use super::duels::issued;
use super::{Arena, ArenaError, Done, Duel, Pending};
use crate::domain::{Event, Issued, RankRequest, Record, Refusal, Slate, SlateRequest};
use crate::id::{DuelId, ExperimentId};

/// A slate as it is issued.
#[derive(Debug, Clone, PartialEq)]
pub struct SlateDuel {
    /// The duel that the slate is.
    pub duel: Duel,
    /// All arms of the slate.
    pub slate: Arc<Slate>,
    /// Whether this request drew the slate.
    pub drawn: bool,
}

impl SlateDuel {
    fn of(record: &Record, drawn: bool) -> Option<Self> {
        let Event::Issued(Issued { slate: Some(slate), .. }) = &record.event else { return None };
        Some(Self { duel: issued(record)?, slate: Arc::clone(slate), drawn })
    }
}

impl Arena {
    /// Issues a slate. A repeated request with the same client id returns the same slate.
    ///
    /// # Errors
    ///
    /// If the request is refused, or the store fails.
    pub fn issue_slate(
        &self,
        id: ExperimentId,
        request: &SlateRequest,
    ) -> Result<Pending<SlateDuel>, ArenaError> {
        self.check_load()?;
        let live = self.live(id)?;
        let mut state = self.lock(&live)?;
        if let Some(client) = &request.client
            && let Some(seq) = self.find_client(id, &state, client)?
        {
            let before = self.record_at(id, &state, seq)?;
            let found = before.and_then(|record| SlateDuel::of(&record, false));
            let same = found.filter(|found| found.slate.size() == request.size as usize);
            let found = same.ok_or_else(|| Refusal::ClientTaken { client: client.clone() })?;
            return Ok(Pending::until(found, &live, seq));
        }
        let now = state.now;
        let record = state.folded.issue_slate(request, now, &mut self.rng())?;
        let found = SlateDuel::of(&record, true).ok_or(Refusal::NoDuel)?;
        Ok(Pending::write(found, self.enqueue(&live, &mut state, vec![record])))
    }

    /// Records the answer to a slate.
    ///
    /// # Errors
    ///
    /// If the request is refused, or the store fails.
    pub fn rank(&self, duel: DuelId, request: &RankRequest) -> Result<Pending<Done>, ArenaError> {
        self.about(duel, request.voter.as_deref(), |state, known, now, rng| {
            Ok(state.folded.rank(duel, known, request, now, rng)?)
        })
    }
}
