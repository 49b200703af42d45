//! An apprentice: a policy that learns in the shadow of the present one before it takes traffic.
//!
//! It draws no duels. Each answered duel is a lesson to it: the ticket under which it learns
//! rightly from a pair that another policy drew is made when the answer comes and kept in the log,
//! so that a voided answer can be taken back. When it takes over, duels that its predecessor drew
//! may still be in flight; their answers are lessons as well.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use tiltyard_bandit::Arm;
use tiltyard_bandit::policy::{AnyPolicy, Lessons, Propensity};

use crate::domain::{Event, Experiment, FoldErrorKind, Refusal, Status, build};

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

/// A policy that learns and does not draw.
#[derive(Debug, Clone)]
pub struct Apprentice {
    pub(crate) policy: AnyPolicy,
    pub(crate) policy_version: u32,
    /// The log position after which it learns.
    pub(crate) began: u64,
    pub(crate) lessons: u64,
}

impl Apprentice {
    /// The policy.
    pub fn policy(&self) -> &AnyPolicy {
        &self.policy
    }

    /// The log position after which it learns.
    pub fn began(&self) -> u64 {
        self.began
    }

    /// How many answers it has learned from.
    pub fn lessons(&self) -> u64 {
        self.lessons
    }
}

/// Since when the present policy has been learning, and drawing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tenure {
    /// The log position after which it learned.
    pub(crate) began: u64,
    /// The log position after which it drew the duels.
    pub(crate) since: u64,
}

impl Tenure {
    /// Whether no policy has taken over yet.
    pub(crate) fn is_first(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the present policy drew a duel.
    pub(crate) fn drew(self, seq: u64) -> bool {
        seq > self.since
    }
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
}
