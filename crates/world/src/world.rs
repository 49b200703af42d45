//! The contract of worlds.

use core::fmt;

use rand::Rng;
use tiltyard_bandit::matrix::{PreferenceMatrix, Reference, ReferenceKind};
use tiltyard_bandit::{Arm, Outcome};

use crate::regret::{Regret, RegretError, Slots};
use crate::replay::DrawnVotes;

/// A source of outcomes for duels that also knows the true regret.
///
/// A world is immutable, so one value serves all runs on all threads. All randomness of an answer
/// comes from the generator passed in. Whatever a run uses up, such as the votes of a replay, is in
/// the [`RunState`] of that run.
pub trait World: Clone + Send + Sync {
    /// K, the number of arms.
    fn n_arms(&self) -> usize;

    /// The state at the start of a run.
    fn start(&self) -> RunState {
        RunState::default()
    }

    /// The outcome of a duel in a round, or `None` if nobody answers. Rounds count from 1.
    fn duel<R: Rng + ?Sized>(
        &self,
        state: &mut RunState,
        round: u64,
        left: Arm,
        right: Arm,
        rng: &mut R,
    ) -> Option<Outcome>;

    /// The arm that regret is measured against.
    fn best(&self) -> Best;

    /// The best arm of a round. Dynamic regret and its accuracy are measured against it. In a world
    /// that does not change it is the same in every round.
    fn best_in(&self, _round: u64) -> Arm {
        self.best().arm
    }

    /// The stretches of rounds without a change, in order. Empty if the world never changes or
    /// changes all the time.
    fn segments(&self) -> Vec<Segment> {
        Vec::new()
    }

    /// The regret that the world's paper uses, and thus the one people most likely want to see.
    fn natural_regret(&self) -> Regret;

    /// Prepares the gaps for one kind of regret.
    ///
    /// # Errors
    ///
    /// If that regret has no meaning in this world.
    fn gaps(&self, regret: Regret) -> Result<Gaps, RegretError>;

    /// How far an arm is from the best arm in a round. [`Slots`] combines the gaps of a pair. It is
    /// the expected gap, not the realised one, as in the paper.
    fn gap(&self, gaps: &Gaps, round: u64, arm: Arm) -> f64;

    /// The outcome of a duel and the regret of its pair, which the loop of a run needs in each
    /// round. A single call, because a call into [`AnyWorld`](crate::AnyWorld) is not free.
    #[inline]
    fn answer<R: Rng + ?Sized>(
        &self,
        state: &mut RunState,
        (gaps, slots): (&Gaps, Slots),
        round: u64,
        (left, right): (Arm, Arm),
        rng: &mut R,
    ) -> (Option<Outcome>, f64) {
        let outcome = self.duel(state, round, left, right, rng);
        (outcome, slots.combine(self.gap(gaps, round, left), self.gap(gaps, round, right)))
    }

    /// The preference matrix, if the world consists of one.
    fn matrix(&self) -> Option<&PreferenceMatrix> {
        None
    }

    /// The name of an arm, if the arms have names.
    fn arm_name(&self, _arm: Arm) -> Option<&str> {
        None
    }

    /// The expected utility of an arm in a round, if the world consists of utilities.
    fn utility(&self, _round: u64, _arm: Arm) -> Option<f64> {
        None
    }
}

/// How far each arm is from the best arm, prepared for one kind of regret. Only the world that made
/// the value can read it.
#[derive(Debug, Clone, PartialEq)]
pub enum Gaps {
    /// One gap per arm, or one per arm and segment.
    Table(Vec<f64>),
    /// The best mean utility. A gap is computed from the arm's distribution, which the duel has
    /// just read. With a million arms a separate table would cost two more trips to memory per
    /// round.
    BestMean(f64),
    /// Utilities that change: the gap is computed in each round.
    EachRound(Regret),
}

impl Gaps {
    #[inline]
    pub(crate) fn table(&self) -> &[f64] {
        if let Self::Table(gaps) = self {
            gaps
        } else {
            unreachable!("these gaps were made by another world")
        }
    }
}

/// What a run has used up. In most worlds that is nothing, because they draw each answer afresh.
#[derive(Debug, Clone, Default)]
pub struct RunState {
    /// How many outcomes an adversary may still flip.
    pub(crate) flips_left: u64,
    pub(crate) votes: DrawnVotes,
    /// How many answers of the run were not fresh votes.
    pub supply: VoteSupply,
}

/// How many duels of a run were not answered by a fresh vote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VoteSupply {
    /// The number of duels without an answer.
    pub unanswered: u64,
    /// The number of answers by a vote that had already answered in the same run.
    pub repeated: u64,
    /// The first round that was unanswered or repeated.
    pub dry_from: Option<u64>,
}

/// A stretch of rounds in which a world does not change. It ends where the next segment begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// The first round, counted from 1.
    pub from: u64,
    /// The best arm of the segment.
    pub best: Best,
}

/// The arm that regret is measured against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Best {
    pub arm: Arm,
    pub kind: BestKind,
}

impl Best {
    /// The arm, or `None` if the best is a point.
    pub fn as_arm(self) -> Option<Arm> {
        (self.kind != BestKind::Point).then_some(self.arm)
    }
}

/// In what sense an arm is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BestKind {
    /// It beats every other arm.
    Condorcet,
    /// No arm beats every other, and this one beats the most. Regret may be negative.
    Copeland,
    /// It has the highest utility, summed over all rounds.
    Utility,
    /// The best is a point that beats every other point. The world has no arms.
    Point,
}

impl fmt::Display for BestKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Condorcet => "Condorcet winner",
            Self::Copeland => "Copeland winner",
            Self::Utility => "highest utility",
            Self::Point => "best point",
        })
    }
}

impl From<Reference> for Best {
    fn from(reference: Reference) -> Self {
        let kind = match reference.kind {
            ReferenceKind::Condorcet => BestKind::Condorcet,
            ReferenceKind::Copeland => BestKind::Copeland,
        };
        Self { arm: reference.arm, kind }
    }
}
