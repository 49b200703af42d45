//! Lessons: tickets by which a policy learns from an answer, no matter which policy drew the duel.
//!
//! A policy learns from its own duels by their tickets. An apprentice, and a policy that took over
//! from another, also learn from duels that they did not draw. The right ticket for that is made
//! when the answer comes and stored in the log, so that a voided answer can be taken back.

use rand::Rng;
use serde::{Deserialize, Serialize};
use tiltyard_bandit::policy::{AnyPolicy, Lessons};
use tiltyard_bandit::{Arm, Outcome, Ticket};

use crate::domain::{Answer, Comparison, Experiment, FoldErrorKind, Ranking, flat_ticket};

/// What a policy learns from an answer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// The ticket by which it learns.
    #[serde(with = "flat_ticket")]
    pub ticket: Ticket,
    /// The outcome, from the viewpoint of the ticket's left arm.
    pub outcome: Outcome,
}

impl Lesson {
    /// What a policy learns from the outcome of a duel that it did not draw. `None` if it cannot
    /// learn from it, for example because it has retired one of the arms.
    pub(crate) fn new(
        policy: &AnyPolicy,
        (left, right): (Arm, Arm),
        propensity: Option<f64>,
        outcome: Outcome,
        rng: &mut dyn Rng,
    ) -> Option<Self> {
        let ticket = policy.lesson(left, right, propensity).ok()?;
        Some(Self { ticket, outcome: readable(policy, outcome, rng) })
    }
}

/// An outcome in the form that a policy can learn: some take only wins and losses.
fn readable(policy: &AnyPolicy, outcome: Outcome, rng: &mut dyn Rng) -> Outcome {
    if policy.info().binary { outcome.to_binary(rng) } else { outcome }
}

/// Learns the lessons of one answer. If `ticks`, they count as one round together.
pub(crate) fn learn(policy: &mut AnyPolicy, lessons: &[Lesson], ticks: bool) -> Result<(), FoldErrorKind> {
    if let Some(first) = lessons.first().filter(|_| ticks) {
        policy.issue(&first.ticket).map_err(FoldErrorKind::Ticket)?;
    }
    for Lesson { ticket, outcome } in lessons {
        policy.update(ticket, *outcome).map_err(FoldErrorKind::Ticket)?;
    }
    Ok(())
}

/// Takes lessons back. Returns whether the policy could.
pub(crate) fn take_back(policy: &mut AnyPolicy, lessons: &[Lesson]) -> Result<bool, FoldErrorKind> {
    let mut could = true;
    for Lesson { ticket, outcome } in lessons {
        could &= policy.take_back(ticket, *outcome).map_err(FoldErrorKind::Ticket)?;
    }
    Ok(could)
}

/// What is learned from an answer.
#[derive(Debug, Default)]
pub(crate) struct Taught {
    /// The outcome that the policy learns by the ticket of its own duel.
    pub(crate) learned: Option<Outcome>,
    /// The policy's other lessons.
    pub(crate) lessons: Vec<Lesson>,
    /// The apprentice's lessons.
    pub(crate) apprentice: Vec<Lesson>,
}

impl Experiment {
    /// What the policy and the apprentice learn from an answer.
    ///
    /// A policy that divides by probabilities learns from every decided pair of a ranked slate,
    /// including the drawn pair. It divides by the probability that the two arms are shown
    /// together, because its own ticket covers only one of the ways in which they can be. A policy
    /// that counts wins learns from the drawn pair alone, because the other pairs are not separate
    /// votes.
    pub(crate) fn teach(
        &self,
        seq: u64,
        comparison: &Comparison,
        answer: Answer,
        ranking: Option<&Ranking<u32>>,
        rng: &mut dyn Rng,
    ) -> Taught {
        let Comparison { drawn, slate } = comparison;
        if drawn.holdout {
            return Taught::default();
        }
        let ticket = &drawn.ticket;
        let of_drawn = match ranking {
            Some(ranking) => ranking.of_pair(ticket.left, ticket.right),
            None => drawn.outcome(answer),
        };
        let votes = comparison.votes(answer, ranking);
        let has_chances = slate.as_ref().is_some_and(|slate| !slate.chances.is_empty());
        let takes_all =
            |policy: &AnyPolicy| has_chances && policy.capabilities().lessons == Lessons::Weighted;
        let mut lessons = |policy: &AnyPolicy| -> Vec<Lesson> {
            if takes_all(policy) {
                let mut lesson =
                    |sides, propensity, outcome| Lesson::new(policy, sides, propensity, outcome, rng);
                return votes
                    .iter()
                    .filter_map(|vote| lesson(vote.sides(), vote.propensity, vote.outcome))
                    .collect();
            }
            let (sides, propensity) = ((ticket.left, ticket.right), ticket.propensity());
            of_drawn
                .and_then(|outcome| Lesson::new(policy, sides, propensity, outcome, rng))
                .into_iter()
                .collect()
        };
        let by_ticket = self.tenure.drew(seq) && !takes_all(&self.policy);
        let taken = if by_ticket { Vec::new() } else { lessons(&self.policy) };
        let apprentice = self.apprentice.as_ref().map(|learner| lessons(&learner.policy)).unwrap_or_default();
        let learned = of_drawn.filter(|_| by_ticket).map(|outcome| readable(&self.policy, outcome, rng));
        Taught { learned, lessons: taken, apprentice }
    }
}
