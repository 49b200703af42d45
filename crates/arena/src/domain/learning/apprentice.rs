//! An apprentice: a policy that learns in the shadow of the policy in charge before it takes
//! traffic.
//!
//! An apprentice draws no duels. It learns from each answered duel by a lesson: a ticket that is
//! right for a pair drawn by another policy. The lesson is made when the answer comes and stored in
//! the log, so that a voided answer can be taken back. When the apprentice takes over, duels that
//! its predecessor drew may still be in flight. Their answers are lessons as well.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use tiltyard_bandit::Arm;
use tiltyard_bandit::policy::{AnyPolicy, Lessons, Propensity};

use crate::domain::{Event, Experiment, FoldErrorKind, Refusal, Status, build};

/// A change of the apprentice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprenticeChanged {
    /// It began to learn.
    Began {
        /// The policy, as `name:key=value`.
        policy: String,
        /// The version of the policy's updates with which the log was written.
        policy_version: u32,
        /// The seed of the randomness that built the policy.
        seed: u64,
    },
    /// It was dismissed.
    Dismissed,
    /// It became the policy in charge.
    TookOver,
}

/// A policy that learns and draws no duels.
#[derive(Debug, Clone)]
pub struct Apprentice {
    pub(crate) policy: AnyPolicy,
    pub(crate) policy_version: u32,
    /// The log position after which it learns from answers.
    pub(crate) began: u64,
    pub(crate) lessons: u64,
}

impl Apprentice {
    /// The policy.
    pub fn policy(&self) -> &AnyPolicy {
        &self.policy
    }

    /// The log position after which it learns from answers.
    pub fn began(&self) -> u64 {
        self.began
    }

    /// The number of answers from which it has learned.
    pub fn lessons(&self) -> u64 {
        self.lessons
    }
}

/// Since when the policy in charge has been learning, and drawing duels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tenure {
    /// The log position after which it learned from answers.
    pub(crate) began: u64,
    /// The log position after which it drew duels.
    pub(crate) since: u64,
}

impl Tenure {
    /// Whether no policy has taken over yet.
    pub(crate) fn is_first(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the policy in charge drew a duel.
    pub(crate) fn drew(self, seq: u64) -> bool {
        seq > self.since
    }
}

impl Experiment {
    /// The apprentice, if there is one.
    pub fn apprentice(&self) -> Option<&Apprentice> {
        self.apprentice.as_ref()
    }

    /// The event that an apprentice begins to learn.
    ///
    /// # Errors
    ///
    /// If the policy could not learn here, or could not take over.
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

    /// The event that dismisses the apprentice.
    ///
    /// # Errors
    ///
    /// If the experiment has no apprentice.
    pub fn dismiss_apprentice(&self) -> Result<Event, Refusal> {
        self.apprentice.as_ref().ok_or(Refusal::NoApprentice)?;
        Ok(Event::Apprentice(ApprenticeChanged::Dismissed))
    }

    /// The event that lets the apprentice take over.
    ///
    /// # Errors
    ///
    /// If the experiment has no apprentice, or is closed.
    pub fn promote_apprentice(&self) -> Result<Event, Refusal> {
        self.apprentice.as_ref().ok_or(Refusal::NoApprentice)?;
        if self.status == Status::Closed {
            return Err(Refusal::Closed);
        }
        Ok(Event::Apprentice(ApprenticeChanged::TookOver))
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
                // Answers that the predecessor could not take back are gone with the predecessor.
                self.forgotten.clear();
                self.relearn = false;
            }
        }
        Ok(())
    }
}
