//! Winner Stays: a champion meets one arm after the other, and who beats it takes its place and its
//! credit.
//!
//! The definition speaks of C, wins less losses of each arm: duel the two largest, keep the arms of
//! the last duel where they tie, and draw where that leaves a choice. What follows from it needs no
//! C. All arms that wait have C = -p after p passes over the arms, and two that duel go on until
//! one of them has fallen below that, to -(p + 1). So only how far each of the two is above that
//! end matters, its *stake*: a newcomer's is 1, a duel moves 1 from the loser to the winner, the
//! series ends when one has nothing left, and the winner keeps the sum. Where a pass ends, all
//! others tie, the last loser among them, and being of the last duel it stays for the first series
//! of the next pass. There the end lies 1 lower, so that the champion's stake is 1 larger.

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::damaged::Damaged;
use crate::structures::sampling::deck::Deck;
use crate::ticket::Draw;
use crate::{Arm, Outcome, Ticket};

/// The state of Winner Stays, which needs each outcome before the next duel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub(crate) struct WinnerStays {
    /// Duels issued.
    round: u64,
    /// The arms not met in this pass.
    unmet: Deck,
    /// Who won the last series.
    incumbent: Option<Arm>,
    /// Whom it meets, once that is drawn.
    challenger: Option<Arm>,
    /// How far the two are from losing the series.
    stakes: [u64; 2],
    /// Passes completed.
    passes: u64,
    /// Who won the last pass.
    champion: Option<Arm>,
    /// The duel in flight.
    awaiting: Option<Ticket>,
}

/// No run gets here, and a count can still go on from it.
const HIGHEST: u64 = 1 << 62;

impl WinnerStays {
    /// Over `n_arms` arms, at least one.
    pub(crate) fn new(n_arms: usize) -> Self {
        assert!(n_arms > 0, "there must be at least one arm");
        Self {
            round: 0,
            unmet: Deck::full(n_arms),
            incumbent: None,
            challenger: None,
            stakes: [1; 2],
            passes: 0,
            champion: None,
            awaiting: None,
        }
    }

    pub(crate) fn n_arms(&self) -> usize {
        self.unmet.n_arms()
    }

    pub(crate) fn round(&self) -> u64 {
        self.round
    }

    /// How many passes over the arms are complete.
    pub(crate) fn passes(&self) -> u64 {
        self.passes
    }

    /// The stakes of the incumbent and of its challenger.
    pub(crate) fn stakes(&self) -> [u64; 2] {
        self.stakes
    }

    pub(crate) fn awaiting(&self) -> Option<Ticket> {
        self.awaiting
    }

    /// The winner of the last complete pass; before the first one ends, the winner of the last
    /// series; before that, arm 0.
    pub(crate) fn best(&self) -> Arm {
        self.champion.or(self.incumbent).unwrap_or(Arm::new(0))
    }

    /// The next duel.
    #[inline]
    pub(crate) fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket {
        let left = self.unmet.left() as f64;
        let (left, right, p) = match (self.incumbent, self.challenger) {
            (Some(incumbent), Some(challenger)) => (incumbent, challenger, 1.0),
            (Some(incumbent), None) => (incumbent, self.unmet.draw(rng), 1.0 / left),
            (None, _) if self.n_arms() == 1 => (Arm::new(0), Arm::new(0), 1.0),
            (None, _) => {
                let (first, second) = self.unmet.draw_two(rng);
                (first, second, 1.0 / (left * (left - 1.0)))
            }
        };
        self.ticket(left, right, p)
    }

    /// A duel of two arms now, with its probability.
    pub(crate) fn ticket(&self, left: Arm, right: Arm, p: f64) -> Ticket {
        Ticket { round: self.round + 1, left, right, rate: 1.0, epoch: 0, draw: Draw::Pair(p) }
    }

    /// Takes note of a duel. One that this state cannot have proposed counts as a round and no
    /// more, as does a duel of an arm with itself.
    #[inline]
    pub(crate) fn issue(&mut self, ticket: &Ticket) {
        self.round += 1;
        self.awaiting = None;
        let Ticket { left, right, .. } = *ticket;
        if left == right {
            return;
        }
        let fits = match (self.incumbent, self.challenger) {
            (Some(incumbent), Some(challenger)) => (left, right) == (incumbent, challenger),
            (Some(incumbent), None) => left == incumbent && self.unmet.contains(right),
            (None, _) => true,
        };
        if fits {
            self.unmet.take(left);
            self.unmet.take(right);
            (self.incumbent, self.challenger) = (Some(left), Some(right));
            self.awaiting = Some(*ticket);
        }
    }

    /// Learns the outcome of the duel in flight; any other is dropped. True if a pass is complete.
    #[inline]
    pub(crate) fn update(&mut self, ticket: &Ticket, outcome: Outcome) -> bool {
        if !is(self.awaiting, ticket) {
            return false;
        }
        self.awaiting = None;
        let Ticket { left, right, .. } = *ticket;
        let left_won = outcome > Outcome::TIE;
        let [mine, other] = &mut self.stakes;
        let (won, lost) = if left_won { (mine, other) } else { (other, mine) };
        *won += 1;
        *lost -= 1;
        if *lost > 0 {
            return false;
        }
        let (winner, loser) = if left_won { (left, right) } else { (right, left) };
        self.stakes = [*won, 1];
        (self.incumbent, self.challenger) = (Some(winner), None);
        if self.unmet.left() > 0 {
            return false;
        }
        self.passes += 1;
        self.champion = Some(winner);
        self.stakes[0] += 1;
        self.challenger = Some(loser);
        self.unmet.refill();
        self.unmet.take(winner);
        self.unmet.take(loser);
        true
    }

    pub(crate) fn void(&mut self, ticket: &Ticket) {
        if is(self.awaiting, ticket) {
            self.awaiting = None;
        }
    }
}

/// Whether a ticket is the one in flight.
#[inline]
pub(crate) fn is(awaiting: Option<Ticket>, ticket: &Ticket) -> bool {
    let key = |ticket: &Ticket| (ticket.round, ticket.left, ticket.right);
    awaiting.is_some_and(|awaited| key(&awaited) == key(ticket))
}

/// What is stored of [`WinnerStays`]. An arm that there is not is stored as K.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Saved {
    round: u64,
    unmet: Deck,
    incumbent: usize,
    challenger: usize,
    stakes: [u64; 2],
    passes: u64,
    champion: usize,
    awaiting: Option<Ticket>,
}

/// The index of an arm, or K for none.
pub(crate) fn to_index(arm: Option<Arm>, n_arms: usize) -> usize {
    arm.map_or(n_arms, Arm::index)
}

/// The arm of an index, or none for K.
pub(crate) fn from_index(index: usize, n_arms: usize) -> Result<Option<Arm>, Damaged> {
    if index > n_arms {
        return Err(Damaged("there is no such arm"));
    }
    Ok((index < n_arms).then(|| Arm::new(index)))
}

impl From<WinnerStays> for Saved {
    fn from(state: WinnerStays) -> Self {
        let n_arms = state.n_arms();
        let WinnerStays { round, unmet, incumbent, challenger, stakes, passes, champion, awaiting } = state;
        Self {
            round,
            unmet,
            incumbent: to_index(incumbent, n_arms),
            challenger: to_index(challenger, n_arms),
            stakes,
            passes,
            champion: to_index(champion, n_arms),
            awaiting,
        }
    }
}

impl TryFrom<Saved> for WinnerStays {
    type Error = Damaged;

    fn try_from(saved: Saved) -> Result<Self, Damaged> {
        let Saved { round, unmet, stakes, passes, awaiting, .. } = saved;
        let n_arms = unmet.n_arms();
        let incumbent = from_index(saved.incumbent, n_arms)?;
        let challenger = from_index(saved.challenger, n_arms)?;
        let champion = from_index(saved.champion, n_arms)?;
        let met = |arm: Option<Arm>| arm.is_some_and(|arm| !unmet.contains(arm));
        let fits = match (incumbent, challenger) {
            (None, None) => unmet.left() == n_arms && passes == 0 && stakes == [1; 2],
            (None, Some(_)) => false,
            (Some(_), None) => met(incumbent) && unmet.left() > 0 && stakes[1] == 1,
            (Some(_), Some(_)) => incumbent != challenger && met(incumbent) && met(challenger),
        };
        if !fits || champion.is_some() != (passes > 0) {
            return Err(Damaged("a series of duels that cannot be"));
        }
        let counts = [round, passes, stakes[0], stakes[1]];
        if counts.iter().any(|&count| count > HIGHEST) || stakes.contains(&0) {
            return Err(Damaged("a count out of reach"));
        }
        let pair = incumbent.zip(challenger);
        if awaiting.is_some_and(|ticket| Some((ticket.left, ticket.right)) != pair) {
            return Err(Damaged("a duel in flight that is not of this series"));
        }
        Ok(Self { round, unmet, incumbent, challenger, stakes, passes, champion, awaiting })
    }
}
