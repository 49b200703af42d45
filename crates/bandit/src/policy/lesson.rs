//! Lessons: duels that a policy learns from without having drawn them.

use core::fmt;

use super::Policy;
use crate::hint::Hint;
use crate::ticket::{Draw, is_probability};
use crate::{Arm, Ticket};

/// Whether a policy can learn from duels that it did not draw, and what it must know about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lessons {
    /// It counts who beat whom. A count means the same, whatever chose the pair.
    Counted,
    /// It divides by the probability of the pair, so it must know the probability under the law
    /// that drew the pair.
    Weighted,
    /// It cannot learn from them.
    Refused(Refusal),
}

/// Why a policy learns only from its own duels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// It waits for the outcome of the one duel that it has proposed.
    Sequential,
    /// It works in phases and counts the duels that each phase has asked for.
    Phases,
    /// Classical players choose its arms. They are paid for their own pulls, including duels of an
    /// arm with itself.
    OwnPlay,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sequential => "it waits for the outcome of the one duel that it has proposed itself",
            Self::Phases => "it works in phases, and counts only duels that it has asked for itself",
            Self::OwnPlay => {
                "its players are paid for their own pulls, including duels of an arm with itself, and other duels do not show these payments"
            }
        })
    }
}

/// Why a policy cannot learn from a duel that it did not draw.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum NoLesson {
    /// The policy learns only from its own duels.
    #[error("`{policy}` cannot learn from duels that it did not draw: {refusal}")]
    Refused { policy: &'static str, refusal: Refusal },
    /// The policy divides by the probability of the pair, and the probability is unknown.
    #[error("`{policy}` needs the probability with which the pair was drawn, but the probability is unknown")]
    UnknownPropensity { policy: &'static str },
    /// The arm does not exist.
    #[error("there is no arm {arm}: there are {n_arms} arms, counted from 0")]
    ArmOutOfRange { arm: Arm, n_arms: usize },
    /// No pair that was drawn can have had this probability.
    #[error("{value} is not the probability of a pair that was drawn: it must be in (0, 1]")]
    NotAProbability { value: f64 },
    /// The policy never draws this arm, so it would not have met the other arm in this duel.
    #[error("arm {arm} is retired, so its duels teach nothing about its opponents")]
    Retired { arm: Arm },
}

impl Hint for NoLesson {}

/// Makes a lesson for a policy that ignores the probability of the pair, unless the policy refuses
/// lessons.
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

/// Checks the duel and returns the probability of the pair, for a policy that needs it.
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

/// The slots of a pair that was drawn with a probability other than the product of the two. z
/// corrects for the difference: the increment s z / (2 p) is the increment s / (2 p) of the
/// policy's own duels, times the weight p_left p_right / propensity.
pub(super) fn slots(left: f64, right: f64, propensity: f64) -> Draw {
    Draw::Slots { left, right, z: left * right / propensity }
}
