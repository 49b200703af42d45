//! Duels under way: which node hears of which duel and which outcome, and when.

use core::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use tiltyard_bandit::{Outcome, Ticket};
use tiltyard_world::delivery::{Arrival, Delivery};

/// A duel under way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Duel {
    /// The node that issued it.
    pub(super) node: usize,
    pub(super) ticket: Ticket,
    /// `None` if the duel has no outcome or the outcome got lost.
    pub(super) outcome: Option<Outcome>,
}

/// A message about a duel, to one node or to all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum News {
    /// The other nodes hear that the duel was issued.
    Issued,
    /// The node that issued it learns its outcome.
    Outcome,
    /// The other nodes learn its outcome.
    Shared,
}

/// Everything under way in a run. A ticket stays at most [`Delivery::longest`] rounds, so all
/// memory is allocated once.
#[derive(Debug)]
pub(super) struct Transit {
    /// How many rounds the nodes are behind each other; `None` if there is only one node.
    stale: Option<u64>,
    /// The duel of round t is at index t mod the length.
    duels: Vec<Option<Duel>>,
    /// Rounds whose duels the other nodes have not heard of, in order.
    unheard: VecDeque<u64>,
    /// The next message about each duel, as (round in which it is due, round of the duel, message).
    /// Each duel appears at most once.
    due: BinaryHeap<Reverse<(u64, u64, News)>>,
}

impl Transit {
    /// Allocates memory for a run of this many rounds.
    pub(super) fn new(delivery: &Delivery, rounds: u64) -> Self {
        // One more for the duel of the current round.
        let window = usize::try_from(delivery.longest().min(rounds) + 1).expect("a few million rounds");
        let stale = (delivery.nodes() > 1).then(|| delivery.stale());
        Self {
            stale,
            duels: vec![None; window],
            unheard: VecDeque::with_capacity(if stale.is_some() { window } else { 0 }),
            due: BinaryHeap::with_capacity(window),
        }
    }

    fn place(&self, round: u64) -> usize {
        usize::try_from(round % self.duels.len() as u64).expect("below a length")
    }

    /// Puts the duel of a round under way.
    pub(super) fn send(&mut self, round: u64, mut duel: Duel, arrival: Arrival) {
        if arrival.lost {
            duel.outcome = None;
        }
        let place = self.place(round);
        self.duels[place] = Some(duel);
        self.due.push(Reverse((arrival.arrives, round, News::Outcome)));
        if self.stale.is_some() {
            self.unheard.push_back(round);
        }
    }

    /// Delivers everything that is due by the end of a round: first the news that duels were
    /// issued, then outcomes in the order of arrival. Outcomes that arrive in the same round come
    /// in the order of issue. Must be called in every round.
    pub(super) fn deliver(&mut self, round: u64, mut hand_over: impl FnMut(News, &Duel)) {
        if let Some(stale) = self.stale {
            while let Some(issued) = self.unheard.pop_front_if(|issued| *issued + stale <= round) {
                hand_over(News::Issued, self.duel(issued));
            }
        }
        while let Some(&Reverse((due, issued, news))) = self.due.peek() {
            if due > round {
                break;
            }
            self.due.pop();
            hand_over(news, self.duel(issued));
            match self.stale {
                Some(stale) if news == News::Outcome => {
                    self.due.push(Reverse((due + stale, issued, News::Shared)));
                }
                _ => {
                    let place = self.place(issued);
                    self.duels[place] = None;
                }
            }
        }
    }

    fn duel(&self, round: u64) -> &Duel {
        self.duels[self.place(round)].as_ref().expect("a duel stays until its last news")
    }

    /// The number of duels whose outcomes have not reached every node.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.due.len()
    }

    /// The capacities of all buffers.
    #[cfg(test)]
    pub(super) fn capacities(&self) -> [usize; 3] {
        [self.duels.len(), self.unheard.capacity(), self.due.capacity()]
    }
}
