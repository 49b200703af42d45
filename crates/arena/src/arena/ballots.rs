//! Reads a log as a series of votes, page by page. Nothing of the store is held while the caller
//! looks at a page, no matter how long that takes.

use super::{Arena, ArenaError, load};
use crate::domain::{BallotEvent, BallotReader, Event, Head, Record};
use crate::id::ExperimentId;
use crate::store::StoreError;

/// The maximum number of records of a page.
const RECORDS: usize = 512;

/// The number of imported votes after which a page ends.
const IMPORTED: usize = 4096;

/// A position in the series of votes of a log. The series ends where the log was durable when the
/// reader was made.
#[derive(Debug)]
pub struct BallotPages {
    id: ExperimentId,
    ballots: BallotReader,
    /// The last log position that has been read.
    at: u64,
    /// The last record to read.
    last: Head,
}

impl BallotPages {
    /// The last record that the reader will read.
    pub fn last(&self) -> Head {
        self.last
    }
}

impl Arena {
    /// Reads an experiment's whole log as a series of votes, until it ends or `visit` returns
    /// false. Votes that have been voided do not count. This may take long.
    ///
    /// # Errors
    ///
    /// If the experiment does not exist, or its log cannot be read.
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

    /// A reader at the beginning of an experiment's series of votes.
    ///
    /// # Errors
    ///
    /// If the experiment does not exist, or its log cannot be read.
    pub fn ballot_reader(&self, id: ExperimentId) -> Result<BallotPages, ArenaError> {
        let live = self.live(id)?;
        live.check_looked_up()?;
        let last = live.head();
        let ballots = BallotReader::new(load::voided(&*self.store, id)?);
        Ok(BallotPages { id, ballots, at: 0, last })
    }

    /// The votes of the next page of the log; none at its end.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    pub fn next_ballots(&self, reader: &mut BallotPages) -> Result<Option<Vec<BallotEvent>>, ArenaError> {
        if reader.at >= reader.last.seq {
            return Ok(None);
        }
        let mut records: Vec<Record> = Vec::with_capacity(RECORDS);
        let mut n_imported = 0;
        let read = self.store.read(reader.id, reader.at, &mut |record| {
            if record.seq > reader.last.seq {
                return false;
            }
            if let Event::Imported(imported) = &record.event {
                n_imported += imported.votes.len();
            }
            records.push(record);
            records.len() < RECORDS && n_imported < IMPORTED
        });
        self.noticed(read)?;
        let Some(end) = records.last().map(|record| record.seq) else {
            // The records were durable and are missing now.
            return self.noticed(Err(StoreError::record(reader.id, reader.at + 1, "is missing")));
        };
        self.noticed(self.store.reveal(&mut records))?;
        reader.at = end;
        let mut steps = Vec::with_capacity(records.len());
        for record in records {
            let Some(mut step) = reader.ballots.push(&record) else { continue };
            if let BallotEvent::Voted(ballot) = &mut step
                && ballot.late
            {
                let issue = self.noticed(self.store.duel(reader.id, ballot.duel))?.into_iter().next();
                ballot.context = self.context(issue)?;
            }
            steps.push(step);
        }
        Ok(Some(steps))
    }
}
