//! The number of wins of each arm over each other arm, for policies that count.

use serde::{Deserialize, Serialize};

use crate::damaged::Damaged;
use crate::structures::collections::pairs::{n_pairs, pair_of};
use crate::{Arm, Ticket};

/// The wins of each arm over each other arm, and the duels in flight. A duel of an arm with itself
/// carries no information and is never counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved")]
pub(crate) struct DuelCounts {
    n_arms: usize,
    /// Wins of i over j, row by row.
    wins: Vec<u64>,
    /// The duels in flight, one number per pair.
    in_flight: Vec<u32>,
}

impl DuelCounts {
    pub(crate) fn new(n_arms: usize) -> Self {
        Self { n_arms, wins: vec![0; n_arms * n_arms], in_flight: vec![0; n_pairs(n_arms)] }
    }

    #[inline]
    pub(crate) fn n_arms(&self) -> usize {
        self.n_arms
    }

    /// The number of wins of the first arm over the second.
    #[inline]
    pub(crate) fn wins(&self, winner: Arm, loser: Arm) -> u64 {
        self.wins[winner.index() * self.n_arms + loser.index()]
    }

    /// The number of wins of the first arm over the second, and of the second over the first.
    #[inline]
    pub(crate) fn score(&self, a: Arm, b: Arm) -> (u64, u64) {
        (self.wins(a, b), self.wins(b, a))
    }

    #[inline]
    pub(crate) fn in_flight(&self, a: Arm, b: Arm) -> u32 {
        self.in_flight[pair_of(a.index(), b.index())]
    }

    /// Records that a duel of two different arms is in flight. A lesson does not count, because
    /// another policy drew it.
    #[inline]
    pub(crate) fn issue(&mut self, ticket: &Ticket) {
        if !ticket.is_lesson() {
            let in_flight = &mut self.in_flight[pair_of(ticket.left.index(), ticket.right.index())];
            *in_flight = in_flight.saturating_add(1);
        }
    }

    /// Records that a duel in flight has ended, with or without an outcome.
    #[inline]
    pub(crate) fn land(&mut self, ticket: &Ticket) {
        if !ticket.is_lesson() {
            // A node that learns from the duels of another node has none of them in flight.
            let in_flight = &mut self.in_flight[pair_of(ticket.left.index(), ticket.right.index())];
            *in_flight = in_flight.saturating_sub(1);
        }
    }

    #[inline]
    pub(crate) fn record(&mut self, winner: Arm, loser: Arm) {
        debug_assert_ne!(winner, loser, "a duel of an arm with itself is not counted");
        self.wins[winner.index() * self.n_arms + loser.index()] += 1;
    }

    /// Takes back a counted win. Returns false if there is none.
    pub(crate) fn erase(&mut self, winner: Arm, loser: Arm) -> bool {
        let wins = &mut self.wins[winner.index() * self.n_arms + loser.index()];
        let fewer = wins.checked_sub(1);
        *wins = fewer.unwrap_or(0);
        fewer.is_some()
    }

    /// Wins of i over j, row by row.
    pub(crate) fn sums(&self) -> Vec<f64> {
        self.wins.iter().map(|&wins| wins as f64).collect()
    }

    /// Adds wins of i over j, row by row. Increments should be whole numbers. Sums are rounded, and
    /// no count falls below 0.
    pub(crate) fn add(&mut self, increments: &[f64]) {
        assert_eq!(increments.len(), self.wins.len(), "one increment per ordered pair of arms");
        for (i, (wins, increment)) in self.wins.iter_mut().zip(increments).enumerate() {
            if i % (self.n_arms + 1) != 0 {
                *wins = count(*wins as f64 + increment);
            }
        }
    }

    /// The arm that leads the most other arms in direct duels. Ties are broken by the largest sum
    /// of winning rates (1/2 for arms that never met), then by the lowest index. Takes O(K^2) time.
    pub(crate) fn beats_most(&self) -> Arm {
        let score = |i: Arm| {
            let (mut beaten, mut rates) = (0usize, 0.0);
            for j in Arm::all(self.n_arms).filter(|&j| j != i) {
                let (won, lost) = (self.wins(i, j), self.wins(j, i));
                beaten += usize::from(won > lost);
                rates += if won + lost == 0 { 0.5 } else { won as f64 / (won + lost) as f64 };
            }
            (beaten, rates)
        };
        let mut best = (Arm::new(0), score(Arm::new(0)));
        for arm in Arm::all(self.n_arms).skip(1) {
            let (beaten, rates) = score(arm);
            // Sums of rates in another order may differ in the last bits. The result must not
            // depend on that, and so on the labels of arms.
            if beaten > best.1.0 || beaten == best.1.0 && rates > best.1.1 + 1e-9 {
                best = (arm, (beaten, rates));
            }
        }
        best.0
    }
}

/// The nearest count, at most [`HIGHEST`].
fn count(value: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to [0, 2^52] before"
    )]
    let count = value.round().clamp(0.0, HIGHEST as f64) as u64;
    count
}

/// The largest count. The sum of two such counts is still an exact whole number in floating point.
const HIGHEST: u64 = 1 << 52;

#[derive(Deserialize)]
struct Saved {
    n_arms: usize,
    wins: Vec<u64>,
    in_flight: Vec<u32>,
}

impl TryFrom<Saved> for DuelCounts {
    type Error = Damaged;

    fn try_from(Saved { n_arms, wins, in_flight }: Saved) -> Result<Self, Damaged> {
        let fits = n_arms > 0
            && n_arms.checked_mul(n_arms) == Some(wins.len())
            && in_flight.len() == n_pairs(n_arms);
        if !fits {
            return Err(Damaged("the number of counts does not fit the number of arms"));
        }
        if wins.iter().any(|&wins| wins > HIGHEST) {
            return Err(Damaged("a count of wins is larger than any run can reach"));
        }
        if wins.iter().step_by(n_arms + 1).any(|&wins| wins != 0) {
            return Err(Damaged("an arm is counted as the winner over itself"));
        }
        Ok(Self { n_arms, wins, in_flight })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Draw;

    /// Arm 1 beats 0 (2 : 1) and 2 (1 : 0): two arms. Arm 2 beats 0 once: one arm.
    #[test]
    fn trace_beats_most() {
        let mut counts = DuelCounts::new(3);
        assert_eq!(counts.beats_most(), Arm::new(0));
        for (winner, loser) in [(1, 0), (0, 1), (1, 0), (1, 2), (2, 0)] {
            counts.record(Arm::new(winner), Arm::new(loser));
        }
        assert_eq!(counts.beats_most(), Arm::new(1));
        assert_eq!(counts.sums(), [0.0, 1.0, 0.0, 2.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
    }

    /// Four wins are taken back, but only three were counted. The number in flight does not change.
    #[test]
    fn trace_erase() {
        let (a, b) = (Arm::new(0), Arm::new(1));
        let mut counts = DuelCounts::new(2);
        let ticket = Ticket { round: 1, left: a, right: b, rate: 1.0, epoch: 0, draw: Draw::Unknown };
        counts.issue(&ticket);
        // A lesson changes nothing in flight.
        let lesson = Ticket { round: Ticket::LESSON, ..ticket };
        counts.issue(&lesson);
        counts.land(&lesson);
        for _ in 0..3 {
            counts.record(a, b);
        }
        counts.record(b, a);
        let erased = [(); 4].map(|()| counts.erase(a, b));
        assert_eq!(erased, [true, true, true, false]);
        assert_eq!((counts.wins(a, b), counts.wins(b, a), counts.in_flight(a, b)), (0, 1, 1));
    }

    /// Merging never counts an arm against itself, never goes below 0, and tolerates NaN.
    #[test]
    fn trace_odd_increments() {
        let mut counts = DuelCounts::new(2);
        counts.add(&[5.0, 3.0, -2.0, f64::NAN]);
        assert_eq!(counts.sums(), [0.0, 3.0, 0.0, 0.0]);
        counts.add(&[0.0, f64::NAN, f64::INFINITY, 0.0]);
        assert!(serde_json::from_str::<DuelCounts>(&serde_json::to_string(&counts).expect("plain")).is_ok());
    }
}
