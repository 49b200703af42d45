//! What the policies that count who beat whom have in common: the counts, the duels in flight, the
//! round, and how outcomes are learned, taken back, merged and restored.

use rand::Rng;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::limits::LAST_ROUND;
use super::{Additive, Info, Lessons, Policy, Propensity};
use crate::damaged::Damaged;
use crate::structures::counts::duel_counts::DuelCounts;
use crate::ticket::Draw;
use crate::{Arm, Outcome, Ticket};

/// Who beat whom, which duels are in flight, and how many were issued.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PairTally {
    pub(super) counts: DuelCounts,
    /// Duels issued.
    pub(super) round: u64,
}

impl PairTally {
    pub(super) fn new(n_arms: usize) -> Self {
        Self { counts: DuelCounts::new(n_arms), round: 0 }
    }

    /// From saved parts.
    pub(super) fn restore(counts: DuelCounts, round: u64) -> Result<Self, Damaged> {
        if round > LAST_ROUND {
            return Err(Damaged("the round is out of reach"));
        }
        Ok(Self { counts, round })
    }

    #[inline]
    pub(super) fn n_arms(&self) -> usize {
        self.counts.n_arms()
    }

    /// The next duel.
    #[inline]
    pub(super) fn ticket(&self, (left, right): (Arm, Arm), epoch: u32, draw: Draw) -> Ticket {
        Ticket { round: self.round + 1, left, right, rate: 1.0, epoch, draw }
    }
}

/// The pairs whose counts these increments change, for [`PairCounting::added`].
pub(super) fn changed_pairs(n_arms: usize, increments: &[f64]) -> impl Iterator<Item = (Arm, Arm)> {
    // Written so that NaN counts as a change.
    let unchanged = move |i: Arm, j: Arm| increments[i.index() * n_arms + j.index()].abs() <= 0.0;
    let pairs = Arm::all(n_arms).flat_map(|i| Arm::all(i.index()).map(move |j| (i, j)));
    pairs.filter(move |&(i, j)| !(unchanged(i, j) && unchanged(j, i)))
}

/// What has a tally; see `keeps_tally!`.
pub(super) trait KeepsTally {
    fn tally(&self) -> &PairTally;

    fn tally_mut(&mut self) -> &mut PairTally;
}

/// Implements [`KeepsTally`] for a type whose tally is a field of that name.
macro_rules! keeps_tally {
    ($policy:ty) => {
        impl $crate::policy::counting::KeepsTally for $policy {
            #[inline]
            fn tally(&self) -> &PairTally {
                &self.tally
            }

            #[inline]
            fn tally_mut(&mut self) -> &mut PairTally {
                &mut self.tally
            }
        }
    };
}

pub(super) use keeps_tally;

/// A policy that learns by counting wins: how it chooses a pair, and what follows from counts that
/// have changed. [`Policy`] and [`Additive`] are implemented for all of them.
///
/// The tally has changed when a method in the past tense is called, and the two arms differ.
pub(super) trait PairCounting:
    KeepsTally + Clone + Send + Sync + Serialize + DeserializeOwned
{
    /// What its tickets say of how a pair was drawn.
    const PROPENSITY: Propensity = Propensity::Pair;

    /// Whether duels in flight matter to its choice; else they are not counted.
    const COUNTS_IN_FLIGHT: bool = true;

    fn info(&self) -> &'static Info;

    /// Chooses the next pair.
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket;

    /// A round has begun. Here the two arms may be the same.
    fn issued(&mut self, ticket: &Ticket);

    /// A win was counted.
    fn counted(&mut self, winner: Arm, loser: Arm);

    /// An outcome came that is not counted: an arm met itself.
    fn met_itself(&mut self) {}

    /// A duel is no longer in flight.
    fn voided(&mut self, _left: Arm, _right: Arm) {}

    /// A counted win was taken back. What was decided meanwhile stays; see
    /// [`Additive::take_back`].
    fn taken_back(&mut self, winner: Arm, loser: Arm) {
        self.counted(winner, loser);
    }

    /// Wins of any pairs were added.
    fn added(&mut self, increments: &[f64]);

    /// The arm that has beaten the most others so far.
    fn recommend(&self) -> Arm {
        self.tally().counts.beats_most()
    }

    fn probabilities(&self) -> Option<Vec<f64>> {
        None
    }
}

impl<P: PairCounting> Policy for P {
    fn info(&self) -> &'static Info {
        PairCounting::info(self)
    }

    fn propensity(&self) -> Propensity {
        P::PROPENSITY
    }

    #[inline]
    fn n_arms(&self) -> usize {
        self.tally().n_arms()
    }

    fn round(&self) -> u64 {
        self.tally().round
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket {
        PairCounting::propose(self, rng)
    }

    #[inline]
    fn issue(&mut self, ticket: &Ticket) {
        let tally = self.tally_mut();
        tally.round += 1;
        if P::COUNTS_IN_FLIGHT && !ticket.is_self_duel() {
            tally.counts.issue(ticket);
        }
        self.issued(ticket);
    }

    #[inline]
    fn update(&mut self, ticket: &Ticket, outcome: Outcome) {
        if ticket.is_self_duel() {
            self.met_itself();
            return;
        }
        let (winner, loser) = ticket.winner_and_loser(outcome);
        let counts = &mut self.tally_mut().counts;
        if P::COUNTS_IN_FLIGHT {
            counts.land(ticket);
        }
        counts.record(winner, loser);
        self.counted(winner, loser);
    }

    fn void(&mut self, ticket: &Ticket) {
        if P::COUNTS_IN_FLIGHT && !ticket.is_self_duel() {
            self.tally_mut().counts.land(ticket);
            self.voided(ticket.left, ticket.right);
        }
    }

    fn lessons(&self) -> Lessons {
        Lessons::Counted
    }

    fn recommend(&self) -> Arm {
        PairCounting::recommend(self)
    }

    fn probabilities(&self) -> Option<Vec<f64>> {
        PairCounting::probabilities(self)
    }

    fn additive(&mut self) -> Option<&mut dyn Additive> {
        Some(self)
    }
}

impl<P: PairCounting> Additive for P {
    fn sums(&self) -> Vec<f64> {
        self.tally().counts.sums()
    }

    fn add(&mut self, increments: &[f64]) {
        self.tally_mut().counts.add(increments);
        self.added(increments);
    }

    fn take_back(&mut self, ticket: &Ticket, outcome: Outcome) {
        let (winner, loser) = ticket.winner_and_loser(outcome);
        if !ticket.is_self_duel() && self.tally_mut().counts.erase(winner, loser) {
            self.taken_back(winner, loser);
        }
    }
}
