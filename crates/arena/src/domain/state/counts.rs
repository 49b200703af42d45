//! Counts of votes and duels.

use serde::{Deserialize, Serialize};
use tiltyard_bandit::Outcome;

use crate::domain::{Answer, PairVote};

/// The votes of a pair of arms, from the viewpoint of the arm with the lower index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PairCounts {
    /// Votes for the first arm.
    pub first: u64,
    /// Votes for the second arm.
    pub second: u64,
    /// Votes that both are equally good.
    pub ties: u64,
    /// Votes that both are equally bad.
    pub both_bad: u64,
    /// Graded answers that are neither win, loss nor tie.
    pub graded: u64,
    /// The sum of the graded answers, from the viewpoint of the first arm.
    pub graded_sum: f64,
}

impl PairCounts {
    /// All votes of the pair.
    pub fn votes(&self) -> u64 {
        self.first + self.second + self.ties + self.both_bad + self.graded
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.votes() == 0
    }

    /// Counts a vote of the pair (+1), or takes it back (-1).
    pub(crate) fn count(&mut self, vote: &PairVote, by: i8) {
        let (kind, outcome) = (VoteKind::of(vote), vote.weighted_outcome());
        let (kind, outcome) =
            if vote.left < vote.right { (kind, outcome) } else { (kind.flipped(), outcome.flipped()) };
        let Self { first, second, ties, both_bad, graded, .. } = self;
        add(kind.pick([first, second, ties, both_bad, graded]), by);
        if let VoteKind::Graded = kind {
            // Without graded votes the sum is 0, whatever rounding errors are left.
            self.graded_sum =
                if self.graded == 0 { 0.0 } else { self.graded_sum + f64::from(by) * outcome.score() };
        }
    }
}

/// The count to which a vote belongs.
#[derive(Clone, Copy)]
pub(crate) enum VoteKind {
    First,
    Second,
    Tie,
    BothBad,
    Graded,
}

impl VoteKind {
    pub(crate) fn of(vote: &PairVote) -> Self {
        match vote.weighted_outcome() {
            _ if vote.answer == Answer::BothBad => Self::BothBad,
            Outcome::WIN => Self::First,
            Outcome::LOSS => Self::Second,
            Outcome::TIE => Self::Tie,
            _ => Self::Graded,
        }
    }

    /// The same vote from the viewpoint of the other arm.
    pub(crate) fn flipped(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
            other => other,
        }
    }

    /// Picks the count to which the vote belongs.
    pub(crate) fn pick(self, [first, second, ties, both_bad, graded]: [&mut u64; 5]) -> &mut u64 {
        match self {
            Self::First => first,
            Self::Second => second,
            Self::Tie => ties,
            Self::BothBad => both_bad,
            Self::Graded => graded,
        }
    }
}

pub(crate) fn add(count: &mut u64, by: i8) {
    *count = count.saturating_add_signed(i64::from(by));
}

/// Counts over the whole experiment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Duels issued.
    pub duels: u64,
    /// Answers that count: all but skipped and voided ones.
    pub votes: u64,
    /// Votes for the arm shown on the left.
    pub left: u64,
    /// Votes for the arm shown on the right.
    pub right: u64,
    /// Votes that both are equally good.
    pub ties: u64,
    /// Votes that both are equally bad.
    pub both_bad: u64,
    /// Graded answers that are neither win, loss nor tie.
    pub graded: u64,
    /// Votes on duels that were drawn uniformly and not learned from.
    pub holdout: u64,
    /// Votes that came after the duel had expired.
    pub late: u64,
    /// Duels that were skipped.
    pub skipped: u64,
    /// Duels that were voided.
    pub voided: u64,
    /// Duels that expired without an answer.
    pub unanswered: u64,
    /// Duels that expired without being shown.
    pub never_shown: u64,
    /// Votes that were given elsewhere and imported.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub imported: u64,
    /// Imported votes for the arm shown on the left.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub imported_left: u64,
    /// Imported votes for the arm shown on the right.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub imported_right: u64,
    /// Slates that were ranked. Each pair that a ranking decides counts as one vote, graded by its
    /// weight.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rankings: u64,
}

/// Zero counts are omitted from snapshots, so that experiments without such votes keep their
/// digests.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}
