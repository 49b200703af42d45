//! A log read as a series of votes, for exports, segments, voters and off-policy evaluation.
//!
//! A vote in the log is two records, the issue of a duel and its answer. This joins them again, in
//! the order of the log, and holds no more than the duels in flight.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::domain::{Answer, Comparison, DrawnDuel, Event, ImportedVote, PairVote, Ranking, Record, Slate};
use crate::time::Time;

/// Joins the records of a log into votes.
#[derive(Debug, Default)]
pub struct BallotReader {
    /// Duels and imports that are voided somewhere in the log, by their log positions. Whatever was
    /// said there does not count.
    voided: BTreeSet<u64>,
    in_flight: BTreeMap<u64, InFlight>,
}

/// A duel in flight.
#[derive(Debug)]
struct InFlight {
    comparison: Comparison,
    context: Option<Value>,
}

/// What became of a duel.
#[derive(Debug, Clone, PartialEq)]
pub enum BallotEvent {
    /// It was issued.
    Issued {
        /// Its log position.
        duel: u64,
        /// When.
        at: Time,
        /// What is shown.
        comparison: Comparison,
        /// What the caller wanted kept with it.
        context: Option<Value>,
    },
    /// It was answered, and that counts.
    Voted(Box<Ballot>),
    /// It is no longer in flight, and nothing counts: it expired, was skipped, or is voided.
    Ended {
        /// Its log position.
        duel: u64,
        /// What was shown.
        comparison: Comparison,
    },
    /// Votes that were given elsewhere came in, and count.
    Imported(Box<ImportedBatch>),
}

/// Votes that were given elsewhere, as they came in.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedBatch {
    /// The log position of the import.
    pub seq: u64,
    /// When they came in.
    pub at: Time,
    /// Where they are from.
    pub source: String,
    /// The votes.
    pub votes: Vec<ImportedVote>,
}

/// A vote with all that the log knows of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Ballot {
    /// The log position of the duel.
    pub duel: u64,
    /// The log position of its answer.
    pub seq: u64,
    /// When it was recorded.
    pub at: Time,
    /// What was drawn, and how it was shown.
    pub drawn: DrawnDuel,
    /// What was said, from the viewpoint of what was shown on the left; never skipped. A ranking
    /// stands in `ranked`.
    pub answer: Answer,
    /// Who said it.
    pub voter: Option<String>,
    /// When it was said, by the caller's clock.
    pub said: Option<Time>,
    /// What the caller wanted kept with the duel. Nothing for late ones: their duel is no longer at
    /// hand.
    pub context: Option<Value>,
    /// Whether it came after the duel had expired.
    pub late: bool,
    /// What was shown and said, if several arms were ranked.
    pub ranked: Option<(Arc<Slate>, Ranking<u32>)>,
}

impl Ballot {
    /// What was shown.
    pub(crate) fn comparison(&self) -> Comparison {
        let slate = self.ranked.as_ref().map(|(slate, _)| Arc::clone(slate));
        Comparison { drawn: self.drawn, slate }
    }

    /// The votes about pairs of arms that it is.
    pub fn votes(&self) -> Vec<PairVote> {
        self.comparison().votes(self.answer, self.ranked.as_ref().map(|(_, ranking)| ranking))
    }
}

impl BallotReader {
    /// A log from its beginning, of which these duels and imports are voided.
    pub fn new(voided: BTreeSet<u64>) -> Self {
        Self { voided, in_flight: BTreeMap::new() }
    }

    /// What another record says of a duel, if it says something.
    pub fn push(&mut self, record: &Record) -> Option<BallotEvent> {
        match &record.event {
            Event::Issued(issued) => {
                let (comparison, context) = (issued.comparison(), issued.context.clone());
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
                // A ranker against itself is no vote.
                if self.voided.contains(&duel) || answered.answer == Answer::Skip || drawn.aa {
                    return (!late).then_some(BallotEvent::Ended { duel, comparison });
                }
                Some(BallotEvent::Voted(Box::new(Ballot {
                    duel,
                    seq: record.seq,
                    at: record.at,
                    drawn,
                    answer: answered.answer,
                    voter: answered.voter.clone(),
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
