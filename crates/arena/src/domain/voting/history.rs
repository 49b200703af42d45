//! What became of a duel.

use std::sync::Arc;

use tiltyard_bandit::Outcome;

use crate::domain::{
    Answer, ClosedDuel, Comparison, DrawnDuel, Event, Lesson, PairVote, Ranked, Record, Slate,
};

/// What became of a duel that is no longer in flight.
#[derive(Debug, Clone, PartialEq)]
pub struct DuelHistory {
    /// The duel.
    pub drawn: DrawnDuel,
    /// Its answer, and who gave it.
    pub answer: Option<(Answer, Option<String>)>,
    /// What the policy learned.
    pub learned: Option<Outcome>,
    /// What the policy learned if its predecessor had drawn the duel.
    pub lesson: Option<Lesson>,
    /// What the apprentice learned.
    pub apprentice: Option<Lesson>,
    /// The log position of the answer.
    pub answered: Option<u64>,
    /// What was clicked, if the answer was made of clicks.
    pub clicks: Option<Vec<u32>>,
    /// All arms that were shown, if they were more than two.
    pub slate: Option<Arc<Slate>>,
    /// What was said of them, if that is the answer.
    pub ranked: Option<Arc<Ranked>>,
    /// Whether it expired.
    pub expired: bool,
    /// Whether it was voided.
    pub voided: bool,
}

impl DuelHistory {
    /// A duel in flight.
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

    /// The duel after another event about it.
    pub fn absorb(&mut self, record: &Record) {
        match &record.event {
            // It decides what an expiry counts as.
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

    /// The votes that its answer is.
    pub(crate) fn votes(&self) -> Vec<PairVote> {
        let Some((answer, _)) = &self.answer else { return Vec::new() };
        let comparison = Comparison { drawn: self.drawn, slate: self.slate.clone() };
        comparison.votes(*answer, self.ranked.as_ref().map(|ranked| &ranked.ranking))
    }

    /// What folding its voiding will need.
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
