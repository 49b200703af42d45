//! Lessons: duels that a policy learns from without having drawn them.

use core::fmt;

use super::Policy;
use crate::hint::Hint;
use crate::ticket::{Draw, is_probability};
use crate::{Arm, Ticket};

/// Whether a policy can learn from duels that it did not draw, and what it must be told of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lessons {
    /// It counts who beat whom, and a count means the same whoever chose the pair.
    Counted,
    /// It divides by the chance of the pair, and must be told that of the law which drew it.
    Weighted,
    /// It cannot.
    Refused(Refusal),
}

/// Why a policy learns from its own duels only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// It waits for the outcome of the one duel that it has proposed.
    Sequential,
    /// It works in phases and counts the duels that a phase has asked for.
    Phases,
    /// Classical players choose its arms, and are paid for their own pulls, of an arm against
    /// itself too.
    OwnPlay,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sequential => "it waits for the outcome of the one duel that it has proposed itself",
            Self::Phases => "it works in phases, and counts only duels that it has asked for itself",
            Self::OwnPlay => {
                "its players are paid for their own pulls, of an arm against itself too, and another's duels do not say how much"
            }
        })
    }
}

/// Why there is no lesson in a duel.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NoLesson {
    /// The policy learns from its own duels only.
    #[error("`{policy}` cannot learn from duels that it did not draw: {refusal}")]
    Refused {
        /// The policy.
        policy: &'static str,
        /// Why.
        refusal: Refusal,
    },
    /// The chance of the pair is not known, and the policy divides by it.
    #[error("`{policy}` needs the probability with which the pair was drawn, and it is unknown")]
    UnknownPropensity {
        /// The policy.
        policy: &'static str,
    },
    /// The arm does not exist.
    #[error("there is no arm {arm}: there are {n_arms}, counted from 0")]
    ArmOutOfRange {
        /// The arm named.
        arm: Arm,
        /// How many arms there are.
        n_arms: usize,
    },
    /// The chance of the pair is none.
    #[error("{value} is not the probability of a pair that was drawn: it must lie in (0, 1]")]
    NotAProbability {
        /// What was given.
        value: f64,
    },
    /// The policy has no chance to draw the arm, so that it would not have met the other one.
    #[error("arm {arm} is retired, and teaches nothing about its opponents")]
    Retired {
        /// The arm.
        arm: Arm,
    },
}

impl Hint for NoLesson {}

/// The lesson of a policy that does not look at how a pair was drawn, or its refusal.
pub(super) fn counted<P: Policy>(
    policy: &P,
    left: Arm,
    right: Arm,
    propensity: Option<f64>,
) -> Result<Ticket, NoLesson> {
    if let Lessons::Refused(refusal) = policy.lessons() {
        return Err(NoLesson::Refused { policy: policy.info().name, refusal });
    }
    check(policy, left, right, propensity)?;
    let draw = propensity.map_or(Draw::Unknown, Draw::Pair);
    Ok(Ticket { round: Ticket::LESSON, left, right, rate: 1.0, epoch: 0, draw })
}

/// The chance of the pair, for a policy that needs it.
pub(super) fn weighted<P: Policy>(
    policy: &P,
    left: Arm,
    right: Arm,
    propensity: Option<f64>,
) -> Result<f64, NoLesson> {
    check(policy, left, right, propensity)?;
    propensity.ok_or(NoLesson::UnknownPropensity { policy: policy.info().name })
}

fn check<P: Policy>(policy: &P, left: Arm, right: Arm, propensity: Option<f64>) -> Result<(), NoLesson> {
    let n_arms = policy.n_arms();
    if let Some(arm) = [left, right].into_iter().find(|arm| arm.index() >= n_arms) {
        return Err(NoLesson::ArmOutOfRange { arm, n_arms });
    }
    match propensity {
        Some(value) if !is_probability(value) => Err(NoLesson::NotAProbability { value }),
        _ => Ok(()),
    }
}

/// Two slots whose pair came with another probability than their own: z makes up for it, so that an
/// increment s z / (2 p) is the policy's own, s / (2 p), times the weight p_left p_right /
/// propensity.
pub(super) fn slots(left: f64, right: f64, propensity: f64) -> Draw {
    Draw::Slots { left, right, z: left * right / propensity }
}
