//! Duels under way: which node hears of which duel and of which outcome, and when.

use core::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use tiltyard_bandit::{Outcome, Ticket};
use tiltyard_world::delivery::{Delivery, Arrival};

/// A duel under way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Duel {
    /// The node that issued it.
    pub(super) node: usize,
    /// The ticket.
    pub(super) ticket: Ticket,
    /// Its outcome; `None` if there is none, or it got lost.
    pub(super) outcome: Option<Outcome>,
}

/// Something that a node, or all others, hear of now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum News {
    /// The other nodes hear that the duel was issued.
    Issued,
    /// The node that issued it learns its outcome.
    Outcome,
    /// The other nodes learn its outcome.
    Shared,
}

/// Everything under way in a run. A ticket stays at most [`Delivery::longest`] rounds, so the room
/// for all of them is made once.
#[derive(Debug)]
pub(super) struct Transit {
    /// How many rounds the nodes are behind each other; `None` if there is only one.
    stale: Option<u64>,
    /// The duel of round t at t mod the length.
    duels: Vec<Option<Duel>>,
    /// Rounds whose duels the other nodes have not heard of, in order.
    unheard: VecDeque<u64>,
    /// What is next: the round it is due in, the round of the duel, and for whom it is. Each duel
    /// is in here at most once.
    due: BinaryHeap<Reverse<(u64, u64, News)>>,
}

impl Transit {
    /// Room for a run of so many rounds.
    pub(super) fn new(delivery: &Delivery, rounds: u64) -> Self {
        // With the duel of the round itself.
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

    /// Sends the duel of a round on its way.
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

    /// Hands over all that is due by the end of a round: first what was issued, then outcomes, in
    /// the order in which they arrive, and of one round's arrivals the earliest issued first. Must
    /// be called in every round.
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

    /// How many duels' outcomes have not reached everyone.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.due.len()
    }

    /// How many rounds it has room for.
    #[cfg(test)]
    pub(super) fn capacities(&self) -> [usize; 3] {
        [self.duels.len(), self.unheard.capacity(), self.due.capacity()]
    }
}
