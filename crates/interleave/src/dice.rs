//! The random choices of merging, behind a trait. Tests replace them by every possible choice.

use rand::{Rng, RngExt};

/// A source of random choices.
pub(crate) trait Dice {
    /// A fair coin.
    fn coin(&mut self) -> bool;

    /// An index, drawn with probability proportional to its weight. The weights add up to `total`,
    /// which is not 0.
    fn weighted(&mut self, weights: &[f64], total: f64) -> usize;
}

/// Random choices from a generator. One word serves for 64 coins.
pub(crate) struct RngDice<'a, R: ?Sized> {
    rng: &'a mut R,
    word: u64,
    coins: u32,
}

impl<'a, R: Rng + ?Sized> RngDice<'a, R> {
    pub(crate) fn new(rng: &'a mut R) -> Self {
        Self { rng, word: 0, coins: 0 }
    }
}

impl<R: Rng + ?Sized> Dice for RngDice<'_, R> {
    fn coin(&mut self) -> bool {
        if self.coins == 0 {
            (self.word, self.coins) = (self.rng.next_u64(), 64);
        }
        let heads = self.word & 1 == 1;
        self.word >>= 1;
        self.coins -= 1;
        heads
    }

    fn weighted(&mut self, weights: &[f64], total: f64) -> usize {
        let mut left = total * self.rng.random::<f64>();
        for (i, &weight) in weights.iter().enumerate() {
            if left < weight {
                return i;
            }
            left -= weight;
        }
        // Because of rounding, the total was a little larger than the sum of the weights.
        weights.iter().rposition(|&weight| weight > 0.0).unwrap_or(0)
    }
}
