//! A log read as a series of votes, page by page: nothing of the store is held while a page is
//! looked at, however long that takes.

use super::{Arena, ArenaError, load};
use crate::domain::{BallotEvent, BallotReader, Event, Record};
use crate::id::ExperimentId;
use crate::store::StoreError;

/// The most records of a page.
const RECORDS: usize = 512;

/// A page ends once it has so many votes that came in together.
const IMPORTED: usize = 4096;

/// A position in the series of votes of a log, up to where the log was durable when it began.
#[derive(Debug)]
pub struct BallotPages {
    id: ExperimentId,
    ballots: BallotReader,
    /// The last log position that was read.
    at: u64,
    /// The last log position to read.
    last: u64,
}

impl BallotPages {
    /// The last log position that it reads.
    pub fn last(&self) -> u64 {
        self.last
    }
}

impl Arena {
    /// Reads an experiment's whole log as a series of votes, until it ends or `visit` says false.
    /// Votes that are voided by now do not count. It may take long.
    ///
    /// # Errors
    ///
    /// If there is no such experiment, or its log cannot be read.
    pub fn ballots(
        &self,
        id: ExperimentId,
        visit: &mut dyn FnMut(BallotEvent) -> bool,
    ) -> Result<(), ArenaError> {
        let mut reader = self.ballot_reader(id)?;
        loop {
            let steps = self.next_ballots(&mut reader)?;
            let Some(steps) = steps else { return Ok(()) };
            if !steps.into_iter().all(&mut *visit) {
                return Ok(());
            }
        }
    }

    /// The beginning of an experiment's series of votes.
    ///
    /// # Errors
    ///
    /// If there is no such experiment, or its log cannot be read.
    pub fn ballot_reader(&self, id: ExperimentId) -> Result<BallotPages, ArenaError> {
        let last = self.live(id)?.progress.borrow().durable;
        let ballots = BallotReader::new(load::voided(&*self.store, id)?);
        Ok(BallotPages { id, ballots, at: 0, last })
    }

    /// What another page of the log says; nothing at its end.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    pub fn next_ballots(&self, reader: &mut BallotPages) -> Result<Option<Vec<BallotEvent>>, ArenaError> {
        if reader.at >= reader.last {
            return Ok(None);
        }
        let mut records: Vec<Record> = Vec::with_capacity(RECORDS);
        let mut n_imported = 0;
        self.store.read(reader.id, reader.at, &mut |record| {
            if record.seq > reader.last {
                return false;
            }
            if let Event::Imported(imported) = &record.event {
                n_imported += imported.votes.len();
            }
            records.push(record);
            records.len() < RECORDS && n_imported < IMPORTED
        })?;
        let Some(end) = records.last().map(|record| record.seq) else {
            // It was durable, and now it is not there.
            let text = format!("the log of experiment {} ends before record {}", reader.id, reader.last);
            return Err(StoreError::Damaged { text }.into());
        };
        reader.at = end;
        let mut steps = Vec::with_capacity(records.len());
        for record in records {
            let Some(mut step) = reader.ballots.push(&record) else { continue };
            if let BallotEvent::Voted(ballot) = &mut step
                && ballot.late
            {
                ballot.context = self.context_of(reader.id, ballot.duel)?;
            }
            steps.push(step);
        }
        Ok(Some(steps))
    }

    fn context_of(&self, id: ExperimentId, seq: u64) -> Result<Option<serde_json::Value>, StoreError> {
        let issue = self.store.duel(id, seq)?.into_iter().next();
        Ok(issue.and_then(|record| match record.event {
            Event::Issued(issued) => issued.context,
            _ => None,
        }))
    }
}
