//! The contract of worlds.

use core::fmt;

use rand::Rng;
use tiltyard_bandit::matrix::{PreferenceMatrix, Reference, ReferenceKind};
use tiltyard_bandit::{Arm, Outcome};

use crate::regret::{Regret, RegretError, Slots};
use crate::replay::DrawnVotes;

/// What answers duels, and the truth that regret is measured by.
///
/// A world is immutable: everything random about an answer is drawn from the generator passed in,
/// and what a run uses up (the votes of a replay) is in that run's state, so one value serves all
/// runs on all threads.
pub trait World: Clone + Send + Sync {
    /// K.
    fn n_arms(&self) -> usize;

    /// The state of a run that begins.
    fn start(&self) -> RunState {
        RunState::default()
    }

    /// The outcome of a duel in a round, counted from 1; `None` if it stays unanswered.
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

    /// The best arm of a round, which dynamic regret and its accuracy are measured against: the
    /// same in every round of a world that stays as it is.
    fn best_in(&self, _round: u64) -> Arm {
        self.best().arm
    }

    /// The stretches of rounds within which nothing changes, in order; none if nothing ever
    /// changes, or all the time.
    fn segments(&self) -> Vec<Segment> {
        Vec::new()
    }

    /// The regret that its paper uses: what a person most likely wants to see.
    fn natural_regret(&self) -> Regret;

    /// Makes ready to measure a kind of regret.
    ///
    /// # Errors
    ///
    /// If that regret has no meaning here.
    fn gaps(&self, regret: Regret) -> Result<Gaps, RegretError>;

    /// How far an arm is from the best one in a round; what [`Slots`] then combines for a pair. It
    /// is the expected gap, not the realised one, as in the paper.
    fn gap(&self, gaps: &Gaps, round: u64, arm: Arm) -> f64;

    /// The outcome of a duel, and what the pair costs: what a loop asks in each round. One call,
    /// because in a world of any kind a call has its price.
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

    /// Its preference matrix, if it is made of one.
    fn matrix(&self) -> Option<&PreferenceMatrix> {
        None
    }

    /// What an arm is called, if the arms have names.
    fn arm_name(&self, _arm: Arm) -> Option<&str> {
        None
    }

    /// The expected utility of an arm in a round, if it is made of utilities.
    fn utility(&self, _round: u64, _arm: Arm) -> Option<f64> {
        None
    }
}

/// How far each arm is from the best, made ready for one kind of regret. Only the world that made
/// it can read it.
#[derive(Debug, Clone, PartialEq)]
pub enum Gaps {
    /// One gap an arm, or one an arm in each segment.
    Table(Vec<f64>),
    /// The best mean utility: gaps are read off the laws, which a duel has just looked at. With a
    /// million arms a table of its own would be two more trips to memory in each round.
    BestMean(f64),
    /// Utilities that change: the gap is worked out in each round.
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

/// What a run has used up: nothing in most worlds, which answer each duel anew.
#[derive(Debug, Clone, Default)]
pub struct RunState {
    /// Outcomes that an adversary may still flip.
    pub(crate) flips_left: u64,
    /// Votes that a replay has drawn.
    pub(crate) votes: DrawnVotes,
    /// How far the answers came from fresh evidence.
    pub supply: Supply,
}

/// How far the answers of one run came from fresh evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Supply {
    /// Duels that stayed unanswered.
    pub unanswered: u64,
    /// Answers that had been given before in the same run.
    pub repeated: u64,
    /// The first round that was unanswered or repeated.
    pub dry_from: Option<u64>,
}

/// A stretch of rounds within which a world stays as it is. It ends where the next begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Its first round, counted from 1.
    pub from: u64,
    /// The best arm while it lasts.
    pub best: Best,
}

/// The arm that regret is measured against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Best {
    /// The arm.
    pub arm: Arm,
    /// What makes it the best.
    pub kind: BestKind,
}

impl Best {
    /// The arm; none where the best is a point.
    pub fn as_arm(self) -> Option<Arm> {
        (self.kind != BestKind::Point).then_some(self.arm)
    }
}

/// What makes an arm the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BestKind {
    /// It beats every other arm.
    Condorcet,
    /// No arm beats every other; this one beats the most. Regret may be negative.
    Copeland,
    /// It has the highest utility, summed over all rounds.
    Utility,
    /// It is no arm, but a point that beats every other.
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
