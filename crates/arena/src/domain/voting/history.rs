//! The history of a duel.

use std::sync::Arc;

use tiltyard_bandit::Outcome;

use crate::domain::{
    Answer, ClosedDuel, Comparison, DrawnDuel, Event, Lesson, PairVote, Ranked, Record, Slate, Voter,
};
use crate::id::DuelId;

/// What has happened to a duel since it was issued.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct DuelHistory {
    pub drawn: DrawnDuel,
    /// The answer and its voter.
    pub answer: Option<(Answer, Option<Voter>)>,
    /// The outcome that the policy learned by the duel's own ticket.
    pub learned: Option<Outcome>,
    /// What the policy learned, if its predecessor drew the duel.
    pub lesson: Option<Lesson>,
    /// What the apprentice learned.
    pub apprentice: Option<Lesson>,
    /// The log position of the answer.
    pub answered: Option<u64>,
    /// The clicked positions, if the answer follows from clicks.
    pub clicks: Option<Vec<u32>>,
    /// All arms shown, if there are more than two.
    pub slate: Option<Arc<Slate>>,
    /// The ranking of the slate and the lessons from it, if the answer is a ranking.
    pub ranked: Option<Arc<Ranked>>,
    pub expired: bool,
    pub voided: bool,
}

/// Facts that a reply depends on. The store has them, but the state of the experiment does not.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// The history of the duel, if it is no longer in flight.
    pub past: Option<&'a DuelHistory>,
    /// The number of the voter, if their name has one.
    pub number: Option<u64>,
}

impl Known<'_> {
    /// Without the history, unless the caller knows the secret of the duel.
    pub(crate) fn of(self, duel: DuelId) -> Self {
        Self { past: self.past.filter(|past| past.drawn.token == duel.token), ..self }
    }
}

impl DuelHistory {
    /// The history of a duel that was just issued.
    pub fn new(Comparison { drawn, slate }: Comparison) -> Self {
        Self {
            drawn,
            answer: None,
            learned: None,
            lesson: None,
            apprentice: None,
            answered: None,
            clicks: None,
            slate,
            ranked: None,
            expired: false,
            voided: false,
        }
    }

    /// Adds the next event about the duel.
    pub fn absorb(&mut self, record: &Record) {
        match &record.event {
            // This decides how an expiry counts.
            Event::Shown(_) => self.drawn.shown = true,
            Event::Answered(answered) => {
                self.answer = Some((answered.answer, answered.voter.clone()));
                self.learned = answered.learned;
                self.lesson = answered.lesson;
                self.apprentice = answered.apprentice;
                self.answered = Some(record.seq);
                self.clicks.clone_from(&answered.clicks);
                self.ranked.clone_from(&answered.ranked);
            }
            Event::Expired(_) => self.expired = true,
            Event::Voided(_) => self.voided = true,
            _ => {}
        }
    }

    /// The votes in its answer.
    pub(crate) fn votes(&self) -> Vec<PairVote> {
        let Some((answer, _)) = &self.answer else { return Vec::new() };
        let comparison = Comparison { drawn: self.drawn, slate: self.slate.clone() };
        comparison.votes(*answer, self.ranked.as_ref().map(|ranked| &ranked.ranking))
    }

    /// Everything needed to fold the voiding of the duel.
    pub(crate) fn closed(&self) -> ClosedDuel {
        let is_taught = self.lesson.is_some() || self.apprentice.is_some() || self.ranked.is_some();
        ClosedDuel {
            drawn: self.drawn,
            answer: self.answer.as_ref().map(|(answer, _)| *answer),
            learned: self.learned,
            lesson: self.lesson,
            apprentice: self.apprentice,
            answered: self.answered.filter(|_| is_taught),
            late: self.expired && self.answer.is_some(),
            slate: self.slate.clone(),
            ranked: self.ranked.clone(),
        }
    }
}
