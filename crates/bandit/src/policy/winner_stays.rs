//! Winner Stays: an incumbent meets one arm after another, and an arm that beats it takes its place
//! and its credit.
//!
//! The paper defines the policy by C, the wins minus losses of each arm. The two arms with the
//! largest C duel. Among arms with equal C, those of the last duel come first, and any choice left
//! is random.
//!
//! This implementation needs no C. In the pass after p complete passes, all arms not met yet have
//! C = -p. Two arms duel until one of them has fallen below that, to -(p + 1). So only the distance
//! of each of the two to -(p + 1) matters. This is its *stake*. A newcomer has a stake of 1, and a
//! duel moves 1 from the loser to the winner. The series ends when one arm has nothing left, and
//! the winner keeps the sum. When a pass ends, all other arms tie, the last loser among them. As an
//! arm of the last duel, the last loser stays for the first series of the next pass. In that pass
//! the series end at a value that is 1 lower, so the champion's stake is 1 larger.

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
    /// The winner of the last series.
    incumbent: Option<Arm>,
    /// The opponent of the incumbent, once it is drawn.
    challenger: Option<Arm>,
    /// The stakes of the incumbent and the challenger: how far each is from losing the series.
    stakes: [u64; 2],
    /// Passes completed.
    passes: u64,
    /// The winner of the last pass.
    champion: Option<Arm>,
    /// The duel in flight.
    awaiting: Option<Ticket>,
}

/// No run reaches this count, and adding to it does not overflow.
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

    /// The number of complete passes over the arms.
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

    /// A ticket for a duel of two arms, with its probability.
    pub(crate) fn ticket(&self, left: Arm, right: Arm, p: f64) -> Ticket {
        Ticket { round: self.round + 1, left, right, rate: 1.0, epoch: 0, draw: Draw::Pair(p) }
    }

    /// Records that a duel was issued. A duel that this state cannot have proposed, or a duel of an
    /// arm with itself, only counts as a round.
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

    /// Learns the outcome of the duel in flight, and drops any other outcome. Returns whether a
    /// pass is complete.
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

/// Whether `ticket` is the duel in flight.
#[inline]
pub(crate) fn is(awaiting: Option<Ticket>, ticket: &Ticket) -> bool {
    let key = |ticket: &Ticket| (ticket.round, ticket.left, ticket.right);
    awaiting.is_some_and(|awaited| key(&awaited) == key(ticket))
}

/// The serialized form of [`WinnerStays`]. A missing arm is stored as K.
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

/// The index of an arm, or K for no arm.
pub(crate) fn to_index(arm: Option<Arm>, n_arms: usize) -> usize {
    arm.map_or(n_arms, Arm::index)
}

/// The arm with an index; `None` for K.
pub(crate) fn from_index(index: usize, n_arms: usize) -> Result<Option<Arm>, Damaged> {
    if index > n_arms {
        return Err(Damaged("an arm does not exist"));
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
            return Err(Damaged("the arms or stakes of the series do not fit together"));
        }
        let counts = [round, passes, stakes[0], stakes[1]];
        if counts.iter().any(|&count| count > HIGHEST) || stakes.contains(&0) {
            return Err(Damaged("a count is out of range"));
        }
        let pair = incumbent.zip(challenger);
        if awaiting.is_some_and(|ticket| Some((ticket.left, ticket.right)) != pair) {
            return Err(Damaged("the duel in flight does not belong to the series"));
        }
        Ok(Self { round, unmet, incumbent, challenger, stakes, passes, champion, awaiting })
    }
}
