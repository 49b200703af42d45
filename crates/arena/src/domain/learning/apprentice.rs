//! An apprentice: a policy that learns in the shadow of the present one before it takes traffic.
//!
//! It draws no duels. Each answered duel is a lesson to it: the ticket under which it learns rightly from a pair that another policy drew is made when the answer
//! comes and kept in the log, so that a voided answer can be taken back. When it takes over, duels that its predecessor drew may still be in
//! flight; their answers are lessons as well.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use tiltyard_bandit::policy::{AnyPolicy, Lessons, Propensity};
use tiltyard_bandit::{Arm, Outcome, Ticket};

use crate::domain::experiment::{DrawnDuel, Experiment, build};
use crate::domain::log::event::{ClosedDuel, Event, Status, flat_ticket};
use crate::domain::log::fold::FoldErrorKind;
use crate::domain::refusal::Refusal;

/// What happened to an apprentice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprenticeChanged {
    /// It began to learn.
    Began {
        /// The policy, as `name:key=value`.
        policy: String,
        /// Which meaning of that policy's updates the log was written with.
        policy_version: u32,
        /// What construction drew its randomness from.
        seed: u64,
    },
    /// It was sent away.
    Dismissed,
    /// It is the policy from now on.
    TookOver,
}

/// A duel that a policy learns from without having drawn it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// The ticket it learns by.
    #[serde(with = "flat_ticket")]
    pub ticket: Ticket,
    /// The outcome, from the viewpoint of the ticket's left arm.
    pub outcome: Outcome,
}

/// A policy that learns and does not draw.
#[derive(Debug, Clone)]
pub struct Apprentice {
    pub(crate) policy: AnyPolicy,
    pub(crate) policy_version: u32,
    /// The place of the log from behind which on it learns.
    pub(crate) began: u64,
    pub(crate) lessons: u64,
}

impl Apprentice {
    /// The policy.
    pub fn policy(&self) -> &AnyPolicy {
        &self.policy
    }

    /// The place of the log from behind which on it learns.
    pub fn began(&self) -> u64 {
        self.began
    }

    /// How many answers it has learned from.
    pub fn lessons(&self) -> u64 {
        self.lessons
    }

    fn learn(&mut self, lesson: &Lesson) -> Result<(), FoldErrorKind> {
        study(&mut self.policy, lesson)?;
        self.lessons += 1;
        Ok(())
    }
}

/// Since when the present policy has been learning, and drawing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tenure {
    /// The place of the log from behind which on it learned.
    pub(crate) began: u64,
    /// The place from behind which on it drew the duels.
    pub(crate) since: u64,
}

impl Tenure {
    /// Whether the present policy drew a duel.
    pub(crate) fn drew(self, seq: u64) -> bool {
        seq > self.since
    }
}

/// One round goes by, and is learned from.
pub(crate) fn study(policy: &mut AnyPolicy, lesson: &Lesson) -> Result<(), FoldErrorKind> {
    policy.issue(&lesson.ticket).map_err(FoldErrorKind::Ticket)?;
    policy.update(&lesson.ticket, lesson.outcome).map_err(FoldErrorKind::Ticket)
}

/// What a policy learns from a duel of its predecessor.
fn lesson(policy: &AnyPolicy, ticket: &Ticket, outcome: Outcome, rng: &mut dyn Rng) -> Option<Lesson> {
    Lesson::new(policy, (ticket.left, ticket.right), ticket.propensity(), outcome, rng)
}

impl Lesson {
    /// What a policy that did not draw a duel learns from its outcome; nothing where it cannot, as for an arm that it has retired.
    pub(crate) fn new(
        policy: &AnyPolicy,
        (left, right): (Arm, Arm),
        propensity: Option<f64>,
        outcome: Outcome,
        rng: &mut dyn Rng,
    ) -> Option<Self> {
        let ticket = policy.lesson(left, right, propensity).ok()?;
        let outcome = if policy.info().binary { outcome.to_binary(rng) } else { outcome };
        Some(Self { ticket, outcome })
    }
}

/// What is learned of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct WhatIsLearned {
    /// By the policy, from a duel of its own.
    pub(crate) learned: Option<Outcome>,
    /// By the policy, from a duel of its predecessor.
    pub(crate) lesson: Option<Lesson>,
    /// By the apprentice.
    pub(crate) apprentice: Option<Lesson>,
}

impl Experiment {
    /// The apprentice, if there is one.
    pub fn apprentice(&self) -> Option<&Apprentice> {
        self.apprentice.as_ref()
    }

    /// The event of an apprentice beginning to learn.
    ///
    /// # Errors
    ///
    /// If it could not learn here, or not take over.
    pub fn begin_apprentice(&self, policy: &str, rng: &mut dyn Rng) -> Result<Event, Refusal> {
        if self.status == Status::Closed {
            return Err(Refusal::Closed);
        }
        if self.apprentice.is_some() {
            return Err(Refusal::HasApprentice);
        }
        let seed = rng.random();
        let built = build(policy, self.arms.len(), self.settings.horizon, seed)?;
        let name = || built.info().name.to_owned();
        match built.capabilities().lessons {
            Lessons::Refused(refusal) => {
                return Err(Refusal::NoLessons { policy: name(), why: refusal.to_string() });
            }
            Lessons::Weighted if self.policy.propensity() != Propensity::Slots => {
                return Err(Refusal::NoChances {
                    policy: name(),
                    present: self.policy.info().name.to_owned(),
                });
            }
            Lessons::Weighted | Lessons::Counted => {}
        }
        if self.settings.distinct && !built.capabilities().distinct {
            return Err(Refusal::NotDistinct { policy: name() });
        }
        if self.active.len() < self.arms.len() && !built.capabilities().elastic {
            return Err(Refusal::NotElastic { policy: name() });
        }
        let policy_version = built.info().version;
        let policy = policy.to_owned();
        Ok(Event::Apprentice(ApprenticeChanged::Began { policy, policy_version, seed }))
    }

    /// The event of the apprentice being sent away.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn dismiss_apprentice(&self) -> Result<Event, Refusal> {
        self.apprentice.as_ref().ok_or(Refusal::NoApprentice)?;
        Ok(Event::Apprentice(ApprenticeChanged::Dismissed))
    }

    /// The event of the apprentice taking over.
    ///
    /// # Errors
    ///
    /// If there is none, or the experiment is closed.
    pub fn promote_apprentice(&self) -> Result<Event, Refusal> {
        self.apprentice.as_ref().ok_or(Refusal::NoApprentice)?;
        if self.status == Status::Closed {
            return Err(Refusal::Closed);
        }
        Ok(Event::Apprentice(ApprenticeChanged::TookOver))
    }

    /// Who learns what from an answer.
    pub(crate) fn lessons(
        &self,
        seq: u64,
        drawn: &DrawnDuel,
        shown: Option<Outcome>,
        rng: &mut dyn Rng,
    ) -> WhatIsLearned {
        let Some(shown) = shown.filter(|_| !drawn.holdout) else { return WhatIsLearned::default() };
        let outcome = if drawn.swapped { shown.flipped() } else { shown };
        let own = self.tenure.drew(seq);
        let learned = own.then(|| if self.policy.info().binary { outcome.to_binary(rng) } else { outcome });
        WhatIsLearned {
            learned,
            lesson: if own { None } else { lesson(&self.policy, &drawn.ticket, outcome, rng) },
            apprentice: self
                .apprentice
                .as_ref()
                .and_then(|apprentice| lesson(&apprentice.policy, &drawn.ticket, outcome, rng)),
        }
    }

    pub(crate) fn fold_apprentice(
        &mut self,
        seq: u64,
        changed: &ApprenticeChanged,
    ) -> Result<(), FoldErrorKind> {
        match changed {
            ApprenticeChanged::Began { policy, policy_version, seed } => {
                let horizon = self.settings.horizon;
                let mut policy =
                    build(policy, self.arms.len(), horizon, *seed).map_err(FoldErrorKind::Policy)?;
                let retired = Arm::all(self.arms.len()).filter(|arm| self.arms[arm.index()].retired);
                for arm in retired.collect::<Vec<_>>() {
                    policy.elastic().ok_or(FoldErrorKind::NotElastic)?.retire(arm);
                }
                let policy_version = *policy_version;
                self.apprentice = Some(Apprentice { policy, policy_version, began: seq, lessons: 0 });
            }
            ApprenticeChanged::Dismissed => {
                self.apprentice.take().ok_or(FoldErrorKind::NoApprentice)?;
            }
            ApprenticeChanged::TookOver => {
                let apprentice = self.apprentice.take().ok_or(FoldErrorKind::NoApprentice)?;
                self.policy = apprentice.policy;
                self.policy_version = apprentice.policy_version;
                self.tenure = Tenure { began: apprentice.began, since: seq };
                // What the predecessor could not take back went with it.
                self.forgotten.clear();
                self.relearn = false;
            }
        }
        Ok(())
    }

    /// An apprentice, and a policy that did not draw the duel, learn from an answer.
    pub(crate) fn fold_lessons(
        &mut self,
        lesson: Option<&Lesson>,
        apprentice: Option<&Lesson>,
    ) -> Result<(), FoldErrorKind> {
        if let Some(lesson) = lesson {
            study(&mut self.policy, lesson)?;
        }
        if let (Some(learner), Some(lesson)) = (&mut self.apprentice, apprentice) {
            learner.learn(lesson)?;
        }
        Ok(())
    }

    /// Takes back what was learned from a duel that was not drawn by who learned from it.
    pub(crate) fn take_lessons_back(&mut self, seq: u64, past: &ClosedDuel) -> Result<(), FoldErrorKind> {
        let answered = past.answered.unwrap_or(0);
        let Tenure { began, since } = self.tenure;
        if !self.tenure.drew(seq) && answered > began {
            // Before it took over, it learned as an apprentice.
            let lesson = if answered > since { past.lesson } else { past.apprentice };
            if let Some(Lesson { ticket, outcome }) = lesson {
                self.policy.take_back(&ticket, outcome).map_err(FoldErrorKind::Ticket)?;
            }
        }
        if let (Some(learner), Some(Lesson { ticket, outcome })) = (&mut self.apprentice, past.apprentice)
            && answered > learner.began
        {
            learner.policy.take_back(&ticket, outcome).map_err(FoldErrorKind::Ticket)?;
            learner.lessons -= 1;
        }
        Ok(())
    }
}
