//! The votes of one pair of arms.

use serde::{Deserialize, Serialize};

use crate::Outcome;

/// The votes of one pair, seen from its first arm.
///
/// For the [lead](super::ln_lead), a vote with score s in [-1, 1] is a win of strength s or a loss
/// of strength -s, and a tie is no evidence. For the [interval](super::interval()), the vote is a
/// reward of (1 + s) / 2, and a tie is half a win.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Wins of the first arm. A graded win counts by its strength.
    pub wins: f64,
    /// Losses of the first arm. A graded loss counts by its strength.
    pub losses: f64,
    /// All votes, ties included.
    pub votes: f64,
    /// The sum of the first arm's rewards: wins plus half the ties.
    pub score: f64,
}

/// Rounding errors that remain after thousands of votes were taken back are below this threshold.
/// No real vote is.
const NOTHING: f64 = 1e-9;

impl Tally {
    /// Counts a vote. The weight must be at most 1 and fixed before the outcome is known. Otherwise
    /// the guarantees of this module do not hold, because a vote with weight 2 counts as two
    /// independent votes.
    pub fn add(&mut self, outcome: Outcome, weight: f64) {
        debug_assert!((0.0..=1.0).contains(&weight), "a vote counts at most once");
        let [wins, losses, score] = parts(outcome, weight);
        self.wins += wins;
        self.losses += losses;
        self.votes += weight;
        self.score += score;
    }

    /// Takes back a vote that was counted. The result is exact if all votes were wins, ties and
    /// losses of weight 1. Values that rounding makes negative become zero, and after the last vote
    /// all values are set to zero. Otherwise a remainder of 1e-16 votes would look like a vote.
    pub fn take_back(&mut self, outcome: Outcome, weight: f64) {
        let [wins, losses, score] = parts(outcome, weight);
        self.wins = (self.wins - wins).max(0.0);
        self.losses = (self.losses - losses).max(0.0);
        self.votes = (self.votes - weight).max(0.0);
        self.score = (self.score - score).clamp(0.0, self.votes);
        if self.votes < NOTHING {
            *self = Self::default();
        }
    }

    /// Adds the votes of another tally of the same pair.
    pub fn merge(&mut self, other: &Self) {
        self.wins += other.wins;
        self.losses += other.losses;
        self.votes += other.votes;
        self.score += other.score;
    }

    /// The same votes seen from the second arm.
    #[must_use]
    pub fn flipped(&self) -> Self {
        Self {
            wins: self.losses,
            losses: self.wins,
            votes: self.votes,
            score: (self.votes - self.score).max(0.0),
        }
    }
}

/// Wins, losses and score of one vote.
fn parts(outcome: Outcome, weight: f64) -> [f64; 3] {
    let score = outcome.score();
    [weight * score.max(0.0), weight * (-score).max(0.0), weight * outcome.reward()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn trace_votes_of_a_pair() {
        // Two wins, a tie, a loss, and a win of strength 1/2 that counts half: 2 + 1/4 wins, 1
        // loss, 4 + 1/2 votes, and a score of 2 + 1/2 + 0 + (1 + 1/2)/2 * 1/2 = 2.875.
        let mut tally = Tally::default();
        for outcome in [Outcome::WIN, Outcome::TIE, Outcome::LOSS, Outcome::WIN] {
            tally.add(outcome, 1.0);
        }
        tally.add(Outcome::new(0.5).unwrap(), 0.5);
        assert_eq!(tally, Tally { wins: 2.25, losses: 1.0, votes: 4.5, score: 2.875 });
        // From the other arm: 4.5 - 2.875 = 1.625.
        assert_eq!(tally.flipped(), Tally { wins: 1.0, losses: 2.25, votes: 4.5, score: 1.625 });
        let mut twice = tally;
        twice.merge(&tally);
        assert_eq!(twice, Tally { wins: 4.5, losses: 2.0, votes: 9.0, score: 5.75 });
    }

    #[test]
    fn trace_nothing_is_left_below_zero() {
        // 0.1 + 0.2 - 0.3 is not 0 in binary. Adding in one order and taking back in another may
        // end below 0.
        let mut tally = Tally::default();
        for weight in [0.3, 0.2, 0.1] {
            tally.add(Outcome::WIN, weight);
        }
        for weight in [0.1, 0.3, 0.2 + 1e-16] {
            tally.take_back(Outcome::WIN, weight);
        }
        assert_eq!(tally, Tally::default());
        // Added thirds sum to a little more than the thirds taken back. After the last one nothing
        // is left.
        for outcomes in [
            &[Outcome::WIN; 3][..],
            &[Outcome::WIN, Outcome::TIE],
            &[Outcome::WIN, Outcome::TIE, Outcome::LOSS, Outcome::TIE],
        ] {
            for &outcome in outcomes {
                tally.add(outcome, 1.0 / 3.0);
            }
            for &outcome in outcomes {
                tally.take_back(outcome, 1.0 / 3.0);
                assert!(tally.score <= tally.votes);
            }
            assert_eq!(tally, Tally::default());
        }
    }

    proptest! {
        #[test]
        fn law_whole_votes_are_taken_back_exactly(scores in prop::collection::vec(-1_i8..=1, 1..200), split in 0_usize..200) {
            let outcomes: Vec<_> = scores.iter().map(|&s| Outcome::new(f64::from(s)).unwrap()).collect();
            let split = split % outcomes.len();
            let (kept, dropped) = outcomes.split_at(split);
            let mut tally = Tally::default();
            for &outcome in outcomes.iter().rev() { tally.add(outcome, 1.0); }
            for &outcome in dropped { tally.take_back(outcome, 1.0); }
            let mut expected = Tally::default();
            for &outcome in kept { expected.add(outcome, 1.0); }
            prop_assert_eq!(tally, expected);
        }

        #[test]
        fn law_flipped_is_the_tally_of_flipped_votes(scores in prop::collection::vec(-1.0_f64..=1.0, 0..50)) {
            let (mut here, mut there) = (Tally::default(), Tally::default());
            for score in scores {
                let outcome = Outcome::new(score).unwrap();
                here.add(outcome, 1.0);
                there.add(outcome.flipped(), 1.0);
            }
            let flipped = here.flipped();
            prop_assert!(flipped.wins.to_bits() == there.wins.to_bits() && flipped.losses.to_bits() == there.losses.to_bits());
            // The rounding error of fifty rewards of at most 1 is far below 1e-12.
            prop_assert!((flipped.score - there.score).abs() < 1e-12);
            prop_assert_eq!(flipped.votes.to_bits(), there.votes.to_bits());
        }
    }
}
