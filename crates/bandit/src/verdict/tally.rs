//! The votes of one pair of arms.

use serde::{Deserialize, Serialize};

use crate::Outcome;

/// The votes of one pair, seen from its first arm.
///
/// A vote of score s in [-1, 1] is a win of strength s or a loss of strength -s for the
/// [lead](super::ln_lead), where ties say nothing, and a reward of (1 + s) / 2 for the
/// [interval](super::interval()), where a tie is half a win.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Wins of the first arm, graded ones by their strength.
    pub wins: f64,
    /// Losses of the first arm, graded ones by their strength.
    pub losses: f64,
    /// All votes, ties among them.
    pub votes: f64,
    /// Wins and half the ties: the sum of the first arm's rewards.
    pub score: f64,
}

/// What is left of thousands of votes when all of them were taken back is less, and no vote that is
/// worth counting is.
const NOTHING: f64 = 1e-9;

impl Tally {
    /// Counts a vote. The weight is at most 1 and was fixed before the outcome was known, else the
    /// promises made of a tally do not hold: a vote counted twice is believed twice.
    pub fn add(&mut self, outcome: Outcome, weight: f64) {
        debug_assert!((0.0..=1.0).contains(&weight), "a vote counts at most once");
        let [wins, losses, score] = parts(outcome, weight);
        self.wins += wins;
        self.losses += losses;
        self.votes += weight;
        self.score += score;
    }

    /// Takes back a vote that was counted: exactly, if all votes were wins, ties and losses of
    /// weight 1. What rounding would leave below zero is zero, and what is left after the last vote
    /// is nothing: without that, a ten-quadrillionth of a vote would be as good as one.
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
        // 0.1 + 0.2 - 0.3 is not 0 in binary, and adding in one order and taking back in another
        // may end below it.
        let mut tally = Tally::default();
        for weight in [0.3, 0.2, 0.1] {
            tally.add(Outcome::WIN, weight);
        }
        for weight in [0.1, 0.3, 0.2 + 1e-16] {
            tally.take_back(Outcome::WIN, weight);
        }
        assert_eq!(tally, Tally::default());
        // Thirds add up to a little more than they are taken back as. The last one gone, nothing is
        // left.
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
            // Fifty rewards of at most 1, each rounded: far below 1e-12.
            prop_assert!((flipped.score - there.score).abs() < 1e-12);
            prop_assert_eq!(flipped.votes.to_bits(), there.votes.to_bits());
        }
    }
}
