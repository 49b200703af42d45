//! The common part of the policies that count who beat whom: the counts, the duels in flight, the
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

/// The counts of who beat whom, the duels in flight, and the round.
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

    pub(super) fn restore(counts: DuelCounts, round: u64) -> Result<Self, Damaged> {
        if round > LAST_ROUND {
            return Err(Damaged("the round is out of range"));
        }
        Ok(Self { counts, round })
    }

    #[inline]
    pub(super) fn n_arms(&self) -> usize {
        self.counts.n_arms()
    }

    /// The ticket of the next duel.
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

/// A type with a tally; see `keeps_tally!`.
pub(super) trait KeepsTally {
    fn tally(&self) -> &PairTally;

    fn tally_mut(&mut self) -> &mut PairTally;
}

/// Implements [`KeepsTally`] for a type with a field `tally`.
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

/// A policy that learns by counting wins. It defines how to choose a pair, and how to react if
/// counts change. [`Policy`] and [`Additive`] are implemented for every such policy.
///
/// Methods in the past tense are called after the tally has changed. Their two arms differ, unless
/// the method says otherwise.
pub(super) trait PairCounting:
    KeepsTally + Clone + Send + Sync + Serialize + DeserializeOwned
{
    /// How much the tickets record about the probability of the pair.
    const PROPENSITY: Propensity = Propensity::Pair;

    /// Whether the choice of a pair depends on duels in flight. If not, they are not counted.
    const COUNTS_IN_FLIGHT: bool = true;

    fn info(&self) -> &'static Info;

    /// Chooses the next pair.
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket;

    /// A duel was issued. Its two arms may be the same.
    fn issued(&mut self, ticket: &Ticket);

    /// A win was counted.
    fn counted(&mut self, winner: Arm, loser: Arm);

    /// An outcome arrived that is not counted, because an arm met itself.
    fn met_itself(&mut self) {}

    /// A duel is no longer in flight.
    fn voided(&mut self, _left: Arm, _right: Arm) {}

    /// A counted win was taken back. Decisions made in the meantime remain; see
    /// [`Additive::take_back`].
    fn taken_back(&mut self, winner: Arm, loser: Arm) {
        self.counted(winner, loser);
    }

    /// Increments to the wins of any pairs were added.
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
