//! One coin per ordered pair of arms, each with its own probability. Many coins are thrown at a
//! time.
//!
//! A throw compares sixteen random bits with the first sixteen bits of the probability. Only if
//! these are equal, once in 65,536 throws, it compares the next forty-eight. So four coins cost one
//! random word.
//!
//! A throw of all coins uses the words of a `SplitMix64` generator with a drawn seed. Its n-th word
//! can be computed without the words before it. So the result of any coin can be read in any order
//! and any number of times, and is always the same. Nothing is stored between reads.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::Arm;
use crate::stream::mix;
use crate::structures::bounds::superiority::Superiority;

/// The first bits of each probability, row by row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Coins {
    n_arms: usize,
    /// K, rounded up to whole blocks.
    stride: usize,
    /// The first sixteen bits of the probability that the arm of the row beats the arm of the
    /// column; 0 for an arm against itself.
    tops: Vec<u16>,
}

/// The number of coins that share a word.
const LANES: usize = 4;

/// The number of coins read together. They are independent, so the compiler can use vector
/// instructions.
const BLOCK: usize = 8 * LANES;

/// One throw of all coins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Throw {
    seed: u64,
}

/// The index of the first word for the bits after the first sixteen.
const REST: u64 = 1 << 40;

/// The index of the first word that seeds further draws of a pair.
const MORE: u64 = 1 << 41;

impl Throw {
    pub(crate) fn new<R: Rng + ?Sized>(rng: &mut R) -> Self {
        Self { seed: rng.next_u64() }
    }

    #[inline]
    fn word(self, index: u64) -> u64 {
        // The step of `SplitMix64`: the golden ratio in fixed point.
        mix(self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(index + 1)))
    }

    /// A generator for further draws of a pair in this throw. It is the same for both orders of the
    /// pair and every time.
    pub(crate) fn rng_of(self, pair: usize) -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::seed_from_u64(self.word(MORE + pair as u64))
    }
}

/// A probability with 64 bits after the binary point. 1 becomes the largest number below 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number in [0, 1]; saturates")]
#[inline]
fn fixed_point(chance: f64) -> u64 {
    (chance * 2f64.powi(64)) as u64
}

#[expect(clippy::cast_possible_truncation, reason = "sixteen bits are taken")]
#[inline]
fn lane(word: u64, lane: usize) -> u16 {
    (word >> (16 * lane)) as u16
}

impl Coins {
    /// Coins with these probabilities.
    pub(crate) fn new(n_arms: usize, above: &Superiority) -> Self {
        let stride = n_arms.next_multiple_of(BLOCK);
        let mut coins = Self { n_arms, stride, tops: vec![0; n_arms * stride] };
        for arm in Arm::all(n_arms) {
            for other in Arm::all(arm.index()) {
                coins.set(above, arm, other);
            }
        }
        coins
    }

    /// Updates the probability of a pair.
    #[inline]
    pub(crate) fn set(&mut self, above: &Superiority, arm: Arm, other: Arm) {
        for (arm, other) in [(arm, other), (other, arm)] {
            self.tops[arm.index() * self.stride + other.index()] =
                lane(fixed_point(above.chance(arm, other)), LANES - 1);
        }
    }

    /// Whether the arm of the row wins the coin at this place, given that the coin's first bits
    /// equal those of the probability.
    #[cold]
    fn rest(&self, above: &Superiority, throw: Throw, place: usize) -> bool {
        let (row, column) = (place / self.stride, place % self.stride);
        if row == column || column >= self.n_arms {
            return false;
        }
        let chance = fixed_point(above.chance(Arm::new(row), Arm::new(column)));
        throw.word(REST + place as u64) >> 16 < chance & (u64::MAX >> 16)
    }

    /// Whether `arm` beats `other` in this throw.
    #[inline]
    pub(crate) fn wins(&self, above: &Superiority, throw: Throw, arm: Arm, other: Arm) -> bool {
        let place = arm.index() * self.stride + other.index();
        let drawn = lane(throw.word((place / LANES) as u64), place % LANES);
        drawn < self.tops[place] || drawn == self.tops[place] && self.rest(above, throw, place)
    }

    /// The coins of a block of a row: 1 where the arm of the row wins, else 0.
    #[inline]
    fn block(&self, above: &Superiority, throw: Throw, row: Arm, block: usize) -> [u16; BLOCK] {
        let start = row.index() * self.stride + BLOCK * block;
        let tops: &[u16; BLOCK] = self.tops[start..start + BLOCK].try_into().expect("a slice of that length");
        let mut drawn = [0; BLOCK];
        for (i, four) in drawn.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let word = throw.word((start / LANES + i) as u64);
            *four = [lane(word, 0), lane(word, 1), lane(word, 2), lane(word, 3)];
        }
        let mut wins = [0; BLOCK];
        let mut equal = 0;
        for i in 0..BLOCK {
            wins[i] = u16::from(drawn[i] < tops[i]);
            equal |= u16::from(drawn[i] == tops[i]);
        }
        if equal != 0 {
            for i in (0..BLOCK).filter(|&i| drawn[i] == tops[i]) {
                wins[i] = u16::from(self.rest(above, throw, start + i));
            }
        }
        wins
    }

    /// Counts the coins of an arm against all arms with a lower index: adds 1 to the `scores` of
    /// each coin's winner. The length of `scores` must be at least K, rounded up to a multiple of
    /// 32.
    #[inline]
    pub(crate) fn score_row(&self, above: &Superiority, throw: Throw, arm: Arm, scores: &mut [u16]) {
        let n = arm.index();
        let mut won = 0;
        for block in 0..n.div_ceil(BLOCK) {
            let wins = self.block(above, throw, arm, block);
            let scores: &mut [u16; BLOCK] =
                (&mut scores[BLOCK * block..BLOCK * (block + 1)]).try_into().expect("a slice of that length");
            // The last block extends to arms with a higher index, which do not count.
            let here = u16::try_from((n - BLOCK * block).min(BLOCK)).unwrap_or(0);
            for i in 0..BLOCK {
                let counts = u16::from(PLACES[i] < here);
                scores[i] += counts & (1 - wins[i]);
                won += counts & wins[i];
            }
        }
        scores[n] += won;
    }

    /// Calls `winner` with each arm that beats this one.
    #[inline]
    pub(crate) fn winners_over(
        &self,
        above: &Superiority,
        throw: Throw,
        arm: Arm,
        mut winner: impl FnMut(Arm),
    ) {
        for block in 0..self.stride / BLOCK {
            let wins = self.block(above, throw, arm, block);
            for (other, _) in (BLOCK * block..self.n_arms).zip(wins).filter(|&(_, win)| win == 0) {
                if other != arm.index() {
                    winner(Arm::new(other));
                }
            }
        }
    }
}

/// 0, 1, 2, ...
const PLACES: [u16; BLOCK] = {
    let mut places = [0; BLOCK];
    let mut i = 1;
    while i < BLOCK {
        places[i] = places[i - 1] + 1;
        i += 1;
    }
    places
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Arms with the given numbers of wins and losses against arm 0, and no duels against each
    /// other.
    fn coins(n_arms: usize, wins: impl Fn(usize) -> (u64, u64)) -> (Superiority, Coins) {
        let mut above = Superiority::new(n_arms);
        for arm in Arm::all(n_arms).skip(1) {
            let (won, lost) = wins(arm.index());
            for n in 0..won {
                above.record(arm, Arm::new(0), (n + 1, 0));
            }
            for n in 0..lost {
                above.record(Arm::new(0), arm, (n + 1, won));
            }
        }
        let coins = Coins::new(n_arms, &above);
        (above, coins)
    }

    /// Reading one coin at a time, a row at a time, or all winners over an arm gives the same
    /// results.
    #[test]
    fn law_every_look_shows_the_same_side() {
        let mut rng = crate::Stream::new(1).rng();
        for n_arms in [1, 2, 3, 5, 31, 32, 33, 70] {
            let (above, coins) = coins(n_arms, |i| (i as u64 % 5, i as u64 % 3));
            for _ in 0..20 {
                let throw = Throw::new(&mut rng);
                let mut scores = [0; 96];
                let mut want = [0; 96];
                for arm in Arm::all(n_arms) {
                    coins.score_row(&above, throw, arm, &mut scores);
                    for other in Arm::all(arm.index()) {
                        let win = coins.wins(&above, throw, arm, other);
                        want[if win { arm } else { other }.index()] += 1;
                    }
                    let mut winners = Vec::new();
                    coins.winners_over(&above, throw, arm, |other| winners.push(other));
                    let plain = Arm::all(n_arms)
                        .filter(|&other| other != arm && !coins.wins(&above, throw, arm, other));
                    assert!(plain.eq(winners));
                }
                assert_eq!(scores, want);
            }
        }
    }

    /// Each coin has its probability: 20,000 throws, within five standard errors. Certain outcomes
    /// are certain.
    #[test]
    fn stat_chances() {
        let (above, coins) = coins(9, |i| if i == 8 { (0, 200) } else { (i as u64, 3) });
        let mut rng = crate::Stream::new(2).rng();
        let mut counts = [[0u32; 9]; 9];
        for _ in 0..20_000 {
            let throw = Throw::new(&mut rng);
            for arm in Arm::all(9) {
                for other in Arm::all(9).filter(|&other| other != arm) {
                    counts[arm.index()][other.index()] += u32::from(coins.wins(&above, throw, arm, other));
                }
            }
        }
        for arm in Arm::all(9) {
            for other in Arm::all(9).filter(|&other| other != arm) {
                let (p, share) =
                    (above.chance(arm, other), f64::from(counts[arm.index()][other.index()]) / 20_000.0);
                assert!((share - p).abs() <= 5.0 * (p * (1.0 - p) / 20_000.0).sqrt() + 1e-4, "{share}, {p}");
            }
        }
        assert_eq!((counts[8][0], counts[0][8]), (0, 20_000));
    }

    /// The bits after the first sixteen count: with equal first bits, a coin with probability
    /// 0.75 + 2^-16 / 2 wins half of the time.
    #[test]
    fn stat_the_bits_that_follow() {
        // F(1, 0) = 3/4 exactly has no bits after the second, so the coin always loses if its first
        // bits equal those of 3/4.
        let (above, coins) = coins(2, |_| (1, 0));
        let mut rng = crate::Stream::new(3).rng();
        let place = coins.stride;
        assert!((0..1000).all(|_| !coins.rest(&above, Throw::new(&mut rng), place)));
        // F(40, 30) = 0.8826...: its next 48 bits are a fraction of 2^48.
        let (above, coins) = self::coins(2, |_| (40, 30));
        let chance = above.chance(Arm::new(1), Arm::new(0)) * 65536.0;
        let wins = (0..20_000).filter(|_| coins.rest(&above, Throw::new(&mut rng), place)).count();
        assert!((wins as f64 / 20_000.0 - chance.fract()).abs() < 0.018, "{wins}, {}", chance.fract());
    }
}
