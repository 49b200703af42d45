//! Draws of arms without replacement.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::Arm;
use crate::damaged::Damaged;

/// All arms in some order. The first `left` of them can still be drawn, each with the same
/// probability. The order is part of the state, because it decides which arm a random word selects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub(crate) struct Deck {
    cards: Vec<Arm>,
    /// The position of each arm in `cards`.
    places: Vec<usize>,
    /// The number of arms that are left.
    left: usize,
}

impl Deck {
    /// A deck with all arms left.
    pub(crate) fn full(n_arms: usize) -> Self {
        Self { cards: Arm::all(n_arms).collect(), places: (0..n_arms).collect(), left: n_arms }
    }

    #[inline]
    pub(crate) fn n_arms(&self) -> usize {
        self.cards.len()
    }

    /// The number of arms that are left.
    #[inline]
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    #[inline]
    pub(crate) fn contains(&self, arm: Arm) -> bool {
        self.places[arm.index()] < self.left
    }

    /// One of the arms left.
    #[inline]
    pub(crate) fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Arm {
        self.cards[rng.random_range(0..self.left)]
    }

    /// Two different arms of those left, as an ordered pair.
    pub(crate) fn draw_two<R: Rng + ?Sized>(&self, rng: &mut R) -> (Arm, Arm) {
        let first = rng.random_range(0..self.left);
        // One of the others: indices from `first` on move up by one.
        let second = rng.random_range(0..self.left - 1);
        (self.cards[first], self.cards[second + usize::from(second >= first)])
    }

    /// Takes an arm out. Does nothing if the arm is already out.
    #[inline]
    pub(crate) fn take(&mut self, arm: Arm) {
        if self.contains(arm) {
            self.left -= 1;
            let (place, last) = (self.places[arm.index()], self.cards[self.left]);
            self.cards.swap(place, self.left);
            self.places.swap(arm.index(), last.index());
        }
    }

    /// Puts all arms back.
    pub(crate) fn refill(&mut self) {
        self.left = self.cards.len();
    }
}

/// The stored part of [`Deck`]. The positions follow from it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Saved {
    cards: Vec<Arm>,
    left: usize,
}

impl From<Deck> for Saved {
    fn from(deck: Deck) -> Self {
        Self { cards: deck.cards, left: deck.left }
    }
}

impl TryFrom<Saved> for Deck {
    type Error = Damaged;

    fn try_from(Saved { cards, left }: Saved) -> Result<Self, Damaged> {
        let n_arms = cards.len();
        let mut places = vec![n_arms; n_arms];
        for (place, card) in cards.iter().enumerate() {
            match places.get_mut(card.index()) {
                Some(free) if *free == n_arms => *free = place,
                _ => return Err(Damaged("the order of the arms is not a permutation")),
            }
        }
        if left > n_arms || n_arms == 0 {
            return Err(Damaged("more arms are left than exist, or there are no arms"));
        }
        Ok(Self { cards, places, left })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::Stream;

    proptest! {
        /// A deck behaves like a set, and a restored deck is identical.
        #[test]
        fn law_a_deck_is_a_set(n_arms in 1..40usize, taken in proptest::collection::vec(0..60usize, 0..80)) {
            let mut deck = Deck::full(n_arms);
            let mut left: BTreeSet<usize> = (0..n_arms).collect();
            let mut rng = Stream::new(1).rng();
            for arm in taken {
                if arm >= n_arms {
                    deck.refill();
                    left = (0..n_arms).collect();
                    continue;
                }
                deck.take(Arm::new(arm));
                left.remove(&arm);
                prop_assert_eq!(deck.left(), left.len());
                prop_assert!(Arm::all(n_arms).all(|arm| deck.contains(arm) == left.contains(&arm.index())));
                if !left.is_empty() {
                    prop_assert!(left.contains(&deck.draw(&mut rng).index()));
                }
                if left.len() > 1 {
                    let (a, b) = deck.draw_two(&mut rng);
                    prop_assert!(a != b && left.contains(&a.index()) && left.contains(&b.index()));
                }
                let text = serde_json::to_string(&deck).expect("plain data");
                prop_assert_eq!(&serde_json::from_str::<Deck>(&text).expect("just written"), &deck);
            }
        }
    }
}
