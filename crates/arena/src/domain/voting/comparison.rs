//! Comparisons: the two arms of a duel, or all arms of a slate. A duel is a slate of two.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tiltyard_bandit::{Arm, Outcome, Ticket};

use crate::domain::{Answer, FoldErrorKind, PairVote, Ranking, Slate, flat_ticket};
use crate::time::Time;

/// A duel as it was drawn, and how it is shown.
#[expect(clippy::struct_excessive_bools, reason = "four independent facts")]
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DrawnDuel {
    /// The ticket that was drawn.
    #[serde(with = "flat_ticket")]
    pub ticket: Ticket,
    /// Whether the ticket's left arm is shown on the right.
    pub swapped: bool,
    /// Whether it was drawn uniformly and is never learned from.
    pub holdout: bool,
    /// Whether it is a duel of a ranker with itself, to check for side bias. Such duels are held
    /// out.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub aa: bool,
    /// A secret that only people who were shown the duel know.
    pub token: u64,
    /// When it expires.
    pub expires: Time,
    /// Whether it was reported as shown.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub shown: bool,
}

impl DrawnDuel {
    /// The arms shown on the left and on the right.
    pub fn sides(&self) -> (Arm, Arm) {
        let Ticket { left, right, .. } = self.ticket;
        if self.swapped { (right, left) } else { (left, right) }
    }

    /// The outcome of the ticket's left arm; `None` if the duel was skipped.
    pub(crate) fn outcome(&self, answer: Answer) -> Option<Outcome> {
        let outcome = answer.outcome()?;
        Some(if self.swapped { outcome.flipped() } else { outcome })
    }

    /// The vote in an answer; `None` if the duel was skipped.
    pub(crate) fn vote(&self, answer: Answer) -> Option<PairVote> {
        PairVote::new(self.sides(), answer, 1.0, self.ticket.propensity())
    }
}

/// Arms that are shown together, and the duel for which they were drawn.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    pub drawn: DrawnDuel,
    /// All arms shown, if there are more than the two that were drawn.
    pub slate: Option<Arc<Slate>>,
}

impl Comparison {
    /// The arms in the order in which they are shown. An arm against itself appears twice.
    pub(crate) fn arms(&self) -> impl Iterator<Item = Arm> + Clone {
        let (left, right) = self.drawn.sides();
        let n_arms = self.slate.as_ref().map_or(2, |slate| slate.size());
        (0..n_arms).map(move |i| match &self.slate {
            Some(slate) => Arm::new(slate.arms[i] as usize),
            None => [left, right][i],
        })
    }

    /// All pairs of these arms.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (Arm, Arm)> {
        let arms = self.arms();
        arms.clone()
            .enumerate()
            .flat_map(move |(i, one)| arms.clone().skip(i + 1).map(move |other| (one, other)))
    }

    /// The votes in an answer. A skipped duel has none.
    pub(crate) fn votes(&self, answer: Answer, ranking: Option<&Ranking<u32>>) -> Vec<PairVote> {
        match (&self.slate, ranking) {
            (Some(slate), Some(ranking)) => slate.votes(ranking),
            (Some(_), None) => Vec::new(),
            (None, _) => self.drawn.vote(answer).into_iter().collect(),
        }
    }

    /// Checks that it is valid in an experiment with `n_arms` arms.
    pub(crate) fn check(&self, n_arms: usize) -> Result<(), FoldErrorKind> {
        self.drawn.ticket.check(n_arms).map_err(|error| FoldErrorKind::Ticket(error.into()))?;
        let fits = self.slate.as_ref().is_none_or(|slate| slate.fits(&self.drawn, n_arms));
        if fits { Ok(()) } else { Err(FoldErrorKind::NoSuchSlate) }
    }
}
