//! Reads a log as a series of votes, for exports, segments, voter statistics and off-policy
//! evaluation.
//!
//! The log holds a vote as two records: the issue of a duel, and its answer. [`BallotReader`] joins
//! them, in the order of the log. It remembers only the duels in flight. It has the names of voters
//! and the contexts only if the records were revealed ([`crate::store::Store::reveal`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::domain::{Answer, Comparison, DrawnDuel, Event, ImportedVote, PairVote, Ranking, Record, Slate};
use crate::time::Time;

/// Joins the records of a log into votes.
#[derive(Debug, Default)]
pub struct BallotReader {
    /// Log positions of the duels and imports that are voided anywhere in the log. Their votes do
    /// not count.
    voided: BTreeSet<u64>,
    in_flight: BTreeMap<u64, InFlight>,
}

#[derive(Debug)]
struct InFlight {
    comparison: Comparison,
    context: Option<Value>,
}

/// A step in the life of a duel, or an import.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub enum BallotEvent {
    /// A duel was issued.
    Issued {
        /// Its log position.
        duel: u64,
        at: Time,
        comparison: Comparison,
        /// Data that the caller attached to the duel.
        context: Option<Value>,
    },
    /// A duel was answered, and the answer counts.
    Voted(Box<Ballot>),
    /// A duel ended without a vote that counts: it expired, was skipped, was a duel of a ranker
    /// with itself, or is voided.
    Ended {
        /// Its log position.
        duel: u64,
        comparison: Comparison,
    },
    /// Votes given elsewhere were imported, and count.
    Imported(Box<ImportedBatch>),
}

/// A batch of imported votes, which were given elsewhere.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedBatch {
    /// The log position of the import.
    pub seq: u64,
    pub at: Time,
    /// Where the votes come from, for people to read.
    pub source: String,
    pub votes: Vec<ImportedVote>,
}

/// A vote with everything that the log knows about it.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct Ballot {
    /// The log position of the duel.
    pub duel: u64,
    /// The log position of the answer.
    pub seq: u64,
    /// When the answer was recorded.
    pub at: Time,
    /// The duel as it was drawn and shown.
    pub drawn: DrawnDuel,
    /// The answer, from the viewpoint of the arm shown on the left; never [`Answer::Skip`]. A
    /// ranking is in `ranked`.
    pub answer: Answer,
    pub voter: Option<String>,
    /// When the voter answered, by the caller's clock.
    pub said: Option<Time>,
    /// Data that the caller attached to the duel. `None` for a late answer: the reader no longer
    /// has its duel.
    pub context: Option<Value>,
    /// Whether the answer came after the duel had expired.
    pub late: bool,
    /// The slate and its ranking, if several arms were shown.
    pub ranked: Option<(Arc<Slate>, Ranking<u32>)>,
}

impl Ballot {
    pub(crate) fn comparison(&self) -> Comparison {
        let slate = self.ranked.as_ref().map(|(slate, _)| Arc::clone(slate));
        Comparison { drawn: self.drawn, slate }
    }

    /// The votes about pairs of arms that this vote consists of.
    pub fn votes(&self) -> Vec<PairVote> {
        self.comparison().votes(self.answer, self.ranked.as_ref().map(|(_, ranking)| ranking))
    }
}

impl BallotReader {
    /// A reader for a log from its beginning. `voided` has the log positions of all voided duels
    /// and imports.
    pub fn new(voided: BTreeSet<u64>) -> Self {
        Self { voided, in_flight: BTreeMap::new() }
    }

    /// Reads the next record of the log. `None` if the record is not a step of a duel or import.
    pub fn push(&mut self, record: &Record) -> Option<BallotEvent> {
        match &record.event {
            Event::Issued(issued) => {
                let (comparison, context) = (issued.comparison(), issued.context());
                let in_flight = InFlight { comparison: comparison.clone(), context: context.clone() };
                self.in_flight.insert(record.seq, in_flight);
                Some(BallotEvent::Issued { duel: record.seq, at: record.at, comparison, context })
            }
            Event::Shown(shown) => {
                if let Some(InFlight { comparison, .. }) = self.in_flight.get_mut(&shown.duel) {
                    comparison.drawn.shown = true;
                }
                None
            }
            Event::Answered(answered) => {
                let duel = answered.duel;
                let late = answered.late.is_some();
                let in_flight = self.in_flight.remove(&duel);
                let late_one = |drawn| InFlight {
                    comparison: Comparison { drawn, slate: answered.slate.clone() },
                    context: None,
                };
                let InFlight { comparison, context } = answered.late.map(late_one).or(in_flight)?;
                let drawn = comparison.drawn;
                // A duel of a ranker with itself gives no vote.
                if self.voided.contains(&duel) || answered.answer == Answer::Skip || drawn.aa {
                    return (!late).then_some(BallotEvent::Ended { duel, comparison });
                }
                Some(BallotEvent::Voted(Box::new(Ballot {
                    duel,
                    seq: record.seq,
                    at: record.at,
                    drawn,
                    answer: answered.answer,
                    voter: answered.voter.as_ref().map(ToString::to_string),
                    said: answered.said,
                    context,
                    late,
                    ranked: comparison
                        .slate
                        .zip(answered.ranked.as_ref())
                        .map(|(slate, ranked)| (slate, ranked.ranking.clone())),
                })))
            }
            Event::Voided(voided) => self.end(voided.duel),
            Event::Expired(expired) => self.end(expired.duel),
            Event::Imported(imported) if !self.voided.contains(&record.seq) => {
                Some(BallotEvent::Imported(Box::new(ImportedBatch {
                    seq: record.seq,
                    at: record.at,
                    source: imported.source.clone(),
                    votes: imported.votes.clone(),
                })))
            }
            _ => None,
        }
    }

    fn end(&mut self, duel: u64) -> Option<BallotEvent> {
        let comparison = self.in_flight.remove(&duel)?.comparison;
        Some(BallotEvent::Ended { duel, comparison })
    }
}
