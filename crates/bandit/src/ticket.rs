//! Tickets: a proposed duel, with everything that the policy needs to learn from its outcome.

use serde::{Deserialize, Serialize};

use crate::hint::Hint;
use crate::{Arm, Outcome};

/// A proposed duel. It is small, `Copy` and complete: `update` reads the ticket and never "the last
/// pair". Outcomes may therefore arrive late, out of order, in batches, on another node or from a
/// log.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ticket {
    /// The round for which it was proposed, counted from 1. It is [`Ticket::LESSON`] if another
    /// policy proposed it than the one that learns from it.
    pub round: u64,
    /// The arm in the left slot.
    pub left: Arm,
    /// The arm in the right slot. It may be the same arm.
    pub right: Arm,
    /// The learning rate with which the pair was drawn; 1 for policies without a learning rate.
    pub rate: f64,
    /// The phase of the policy in which it was proposed. Policies that work in phases ignore
    /// tickets of earlier phases.
    pub epoch: u32,
    /// How the pair was drawn.
    pub draw: Draw,
}

/// How a pair was drawn, with the probabilities that off-policy evaluation and importance weights
/// need.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Draw {
    /// Two slots drawn independently: the probability of each arm in its slot, and the probability
    /// `z` that a pair is acceptable (1 unless equal arms are excluded).
    Slots {
        /// Probability of the left arm in the left slot, before unacceptable pairs are rejected.
        left: f64,
        /// Probability of the right arm in the right slot, before unacceptable pairs are rejected.
        right: f64,
        /// Probability that a pair of two independent draws is acceptable. In a lesson, z is chosen
        /// such that left * right / z is the probability with which the pair was drawn; it may
        /// exceed 1.
        z: f64,
    },
    /// The pair was drawn as a whole, with this probability.
    Pair(f64),
    /// The exact probability is too expensive to compute (policies with Thompson sampling).
    Unknown,
}

impl Ticket {
    /// The round of a lesson: a duel that the policy learns from without having drawn it. See
    /// [`Policy::lesson`](crate::policy::Policy::lesson).
    pub const LESSON: u64 = 0;

    /// Whether it is a lesson: the policy that learns from it did not draw it.
    #[inline]
    pub fn is_lesson(&self) -> bool {
        self.round == Self::LESSON
    }

    /// The exact probability of this ordered pair, if it is known.
    pub fn propensity(&self) -> Option<f64> {
        match self.draw {
            Draw::Slots { left, right, z } => Some(left * right / z),
            Draw::Pair(p) => Some(p),
            Draw::Unknown => None,
        }
    }

    /// Whether an arm duels itself.
    #[inline]
    pub fn is_self_duel(&self) -> bool {
        self.left == self.right
    }

    /// The winner and the loser, for policies that count a tie as a loss of the left arm.
    #[inline]
    pub(crate) fn winner_and_loser(&self, outcome: Outcome) -> (Arm, Arm) {
        if outcome.score() > 0.0 { (self.left, self.right) } else { (self.right, self.left) }
    }

    /// The same ticket for relabelled arms.
    #[must_use]
    pub fn relabelled(self, label: impl Fn(Arm) -> Arm) -> Self {
        Self { left: label(self.left), right: label(self.right), ..self }
    }

    /// Checks a ticket from outside (a log, a client) before a policy learns from it.
    ///
    /// # Errors
    ///
    /// If it names an arm that does not exist, or contains a rate or probability that is
    /// impossible.
    pub fn check(&self, n_arms: usize) -> Result<(), TicketError> {
        for arm in [self.left, self.right] {
            if arm.index() >= n_arms {
                return Err(TicketError::ArmOutOfRange { arm, n_arms });
            }
        }
        let probabilities = match self.draw {
            // In a lesson z is a quotient of two probabilities and may be above or below 1.
            Draw::Slots { left, right, z } => {
                [left, right, if self.is_lesson() { z.min(1.0 / z) } else { z }]
            }
            Draw::Pair(p) => [p; 3],
            Draw::Unknown => [1.0; 3],
        };
        let wrong = probabilities.into_iter().find(|&p| !is_probability(p));
        match wrong.or_else(|| Some(self.rate).filter(|&rate| !(rate > 0.0 && rate <= 1.0))) {
            Some(value) => Err(TicketError::NotAProbability { value }),
            None => Ok(()),
        }
    }
}

/// No generator draws an event this rare. Sums of its inverse stay finite, however many terms they
/// have.
const LEAST: f64 = 1e-100;

/// Whether an event that did occur can have had this probability.
pub(crate) fn is_probability(p: f64) -> bool {
    // Written positively so that NaN fails.
    (LEAST..=1.0).contains(&p)
}

/// Why a ticket was rejected: no policy can have issued it.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum TicketError {
    /// The arm does not exist.
    #[error("the ticket names arm {arm}, but there are {n_arms} arms, counted from 0")]
    ArmOutOfRange { arm: Arm, n_arms: usize },
    /// A rate or probability is outside (0, 1].
    #[error("the ticket contains {value} in place of a rate or probability in (0, 1]")]
    NotAProbability { value: f64 },
}

impl Hint for TicketError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket(draw: Draw) -> Ticket {
        Ticket { round: 1, left: Arm::new(0), right: Arm::new(2), rate: 0.5, epoch: 0, draw }
    }

    #[test]
    fn trace_propensity() {
        assert_eq!(ticket(Draw::Slots { left: 0.5, right: 0.25, z: 0.5 }).propensity(), Some(0.25));
        assert_eq!(ticket(Draw::Pair(0.125)).propensity(), Some(0.125));
        assert_eq!(ticket(Draw::Unknown).propensity(), None);
    }

    #[test]
    fn law_a_ticket_fits_one_cache_line() {
        assert!(size_of::<Ticket>() <= 64);
    }

    #[test]
    fn trace_foreign_tickets_are_refused() {
        assert_eq!(ticket(Draw::Unknown).check(3), Ok(()));
        assert_eq!(
            ticket(Draw::Unknown).check(2),
            Err(TicketError::ArmOutOfRange { arm: Arm::new(2), n_arms: 2 })
        );
        let zero = ticket(Draw::Slots { left: 0.0, right: 0.5, z: 1.0 });
        assert_eq!(zero.check(3), Err(TicketError::NotAProbability { value: 0.0 }));
        assert!(ticket(Draw::Pair(f64::NAN)).check(3).is_err());
        assert!(Ticket { rate: f64::INFINITY, ..ticket(Draw::Unknown) }.check(3).is_err());
        // Only in a lesson may z exceed 1.
        let rare = ticket(Draw::Slots { left: 0.5, right: 0.5, z: 2.0 });
        assert_eq!(rare.check(3), Err(TicketError::NotAProbability { value: 2.0 }));
        assert_eq!(Ticket { round: Ticket::LESSON, ..rare }.check(3), Ok(()));
        for z in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e101] {
            let draw = Draw::Slots { left: 0.5, right: 0.5, z };
            assert!(Ticket { round: Ticket::LESSON, ..ticket(draw) }.check(3).is_err(), "{z}");
        }
    }
}
