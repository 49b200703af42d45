//! Arms drawn without replacement.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::Arm;
use crate::damaged::Damaged;

/// All arms in some order, of which those in front are left to be drawn, each as likely as the
/// other. The order is state: it decides which arm a generator's word stands for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub(crate) struct Deck {
    cards: Vec<Arm>,
    /// Where each arm lies.
    places: Vec<usize>,
    /// How many are left.
    left: usize,
}

impl Deck {
    /// All arms are left.
    pub(crate) fn full(n_arms: usize) -> Self {
        Self { cards: Arm::all(n_arms).collect(), places: (0..n_arms).collect(), left: n_arms }
    }

    #[inline]
    pub(crate) fn n_arms(&self) -> usize {
        self.cards.len()
    }

    /// How many arms are left.
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

    /// Two different ones of the arms left, in order.
    pub(crate) fn draw_two<R: Rng + ?Sized>(&self, rng: &mut R) -> (Arm, Arm) {
        let first = rng.random_range(0..self.left);
        // One of the others: those from `first` on move up by one.
        let second = rng.random_range(0..self.left - 1);
        (self.cards[first], self.cards[second + usize::from(second >= first)])
    }

    /// Takes an arm out; nothing happens if it is not left.
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

/// What is stored of [`Deck`]: all but where each arm lies.
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
                _ => return Err(Damaged("an order of the arms that is none")),
            }
        }
        if left > n_arms || n_arms == 0 {
            return Err(Damaged("more arms left than there are"));
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
        /// Against a set; a restored deck is the same to the last bit.
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
