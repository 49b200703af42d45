//! What may be asked of an experiment.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tiltyard_bandit::Outcome;

use crate::domain::experiment::DrawnDuel;
use crate::domain::learning::apprentice::Lesson;
use crate::domain::log::event::{ClosedDuel, Event, Record};
use crate::domain::setup::arms::NewArm;
use crate::domain::setup::settings::Settings;
use crate::domain::voting::answer::Answer;
use crate::domain::voting::slate::{Ranked, Slate};
use crate::time::Time;

/// An experiment to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct Create {
    /// What people call it.
    pub name: String,
    /// Its arms.
    pub arms: Vec<NewArm>,
    /// The policy, as `name:key=value`.
    pub policy: String,
    /// Turns the settings that hold by default into those wanted.
    pub settings: Settings,
    /// Whether `settings.distinct` was left to the policy.
    pub distinct_by_policy: bool,
}

/// Duels to be issued.
#[derive(Debug, Clone, PartialEq)]
pub struct IssueRequest {
    /// How many.
    pub count: u32,
    /// Whether the arms must differ; what the settings say if nothing is said here.
    pub distinct: Option<bool>,
    /// The client's name for the request: asked again, the same duels are returned.
    pub client: Option<String>,
    /// Whatever the caller wants kept with the duels.
    pub context: Option<Value>,
}

impl Default for IssueRequest {
    fn default() -> Self {
        Self { count: 1, distinct: None, client: None, context: None }
    }
}

/// An answer to a duel.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerRequest {
    /// The answer.
    pub answer: Answer,
    /// Who gave it.
    pub voter: Option<String>,
    /// When, by the caller's clock.
    pub said: Option<Time>,
}

/// Why a duel was voided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VoidReason {
    /// Someone asked for this one.
    Asked,
    /// All votes of its voter were voided.
    Voter,
}

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
    /// The place of the answer in the log.
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
    pub fn new(drawn: DrawnDuel, slate: Option<Arc<Slate>>) -> Self {
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

    /// What folding its voiding will need.
    pub fn learned(&self) -> ClosedDuel {
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
