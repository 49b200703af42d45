//! A set of arms with uniform draws.

use rand::{Rng, RngExt};

use crate::Arm;

/// Arms as bits. The order of the members is the order of their indices, so two sets with the same
/// members draw the same arms, however they were built.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ArmSet {
    words: Vec<u64>,
    len: usize,
}

const BITS: usize = u64::BITS as usize;

impl ArmSet {
    /// All of `n_arms` arms.
    pub(crate) fn full(n_arms: usize) -> Self {
        let mut set = Self::empty(n_arms);
        for arm in Arm::all(n_arms) {
            set.insert(arm);
        }
        set
    }

    /// None of `n_arms` arms.
    pub(crate) fn empty(n_arms: usize) -> Self {
        Self { words: vec![0; n_arms.div_ceil(BITS)], len: 0 }
    }

    /// The set whose members are the bits of these words. `None` if the number of words is wrong,
    /// or a bit is not an arm.
    pub(crate) fn from_words(n_arms: usize, words: &[u64]) -> Option<Self> {
        let len = words.iter().map(|word| word.count_ones() as usize).sum();
        let set = Self { words: words.to_vec(), len };
        let fits = words.len() == n_arms.div_ceil(BITS) && set.iter().all(|arm| arm.index() < n_arms);
        fits.then_some(set)
    }

    /// The members as bits.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Removes all members.
    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
        self.len = 0;
    }

    /// The number of members that two sets have in common.
    #[inline]
    pub(crate) fn n_common(&self, other: &Self) -> usize {
        self.words.iter().zip(&other.words).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// The common member of both sets that has `rank` other common members before it.
    pub(crate) fn nth_common(&self, other: &Self, rank: usize) -> Arm {
        let mut rank = rank;
        for (i, word) in self.words.iter().zip(&other.words).map(|(a, b)| a & b).enumerate() {
            let here = word.count_ones() as usize;
            if rank < here {
                return Arm::new(i * BITS + nth_bit(word, rank));
            }
            rank -= here;
        }
        panic!("the sets have {} members in common", self.n_common(other))
    }

    /// The members, in the order of their indices.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Arm> {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            let some = |word: u64| (word != 0).then_some(word);
            core::iter::successors(some(word), move |&word| some(word & (word - 1)))
                .map(move |word| Arm::new(i * BITS + word.trailing_zeros() as usize))
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn contains(&self, arm: Arm) -> bool {
        self.words[arm.index() / BITS] & bit(arm) != 0
    }

    /// Inserts an arm that is not a member.
    pub(crate) fn insert(&mut self, arm: Arm) {
        debug_assert!(!self.contains(arm), "arm {arm} is already a member");
        self.words[arm.index() / BITS] |= bit(arm);
        self.len += 1;
    }

    /// Removes a member.
    pub(crate) fn remove(&mut self, arm: Arm) {
        debug_assert!(self.contains(arm), "arm {arm} is not a member");
        self.words[arm.index() / BITS] &= !bit(arm);
        self.len -= 1;
    }

    /// The member, if there is exactly one.
    pub(crate) fn only(&self) -> Option<Arm> {
        (self.len == 1).then(|| self.nth(0))
    }

    /// Draws a member uniformly, with one random word.
    pub(crate) fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Arm {
        self.nth(rng.random_range(0..self.len))
    }

    /// The member that has `rank` members before it, in O(K / 64).
    pub(crate) fn nth(&self, rank: usize) -> Arm {
        let mut rank = rank;
        for (i, &word) in self.words.iter().enumerate() {
            let here = word.count_ones() as usize;
            if rank < here {
                return Arm::new(i * BITS + nth_bit(word, rank));
            }
            rank -= here;
        }
        panic!("the set has {} members", self.len)
    }

    /// The number of members with a lower index.
    pub(crate) fn rank(&self, arm: Arm) -> usize {
        let (full, last) = (arm.index() / BITS, self.words[arm.index() / BITS] & (bit(arm) - 1));
        self.words[..full].iter().chain([&last]).map(|word| word.count_ones() as usize).sum()
    }
}

fn bit(arm: Arm) -> u64 {
    1 << (arm.index() % BITS)
}

/// The position of the set bit that has `rank` set bits below it. The search halves the word down
/// to a byte, then goes bit by bit.
fn nth_bit(word: u64, rank: usize) -> usize {
    let (mut word, mut rank, mut start) = (word, rank, 0);
    for half in [32, 16, 8] {
        let low = word & ((1 << half) - 1);
        let below = low.count_ones() as usize;
        if rank < below {
            word = low;
        } else {
            rank -= below;
            word >>= half;
            start += half;
        }
    }
    for _ in 0..rank {
        word &= word - 1;
    }
    start + word.trailing_zeros() as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Compared with a sorted list.
        #[test]
        fn law_ranks(members in proptest::collection::btree_set(0..200usize, 1..200)) {
            let mut set = ArmSet::full(200);
            for arm in Arm::all(200).filter(|arm| !members.contains(&arm.index())) {
                set.remove(arm);
            }
            prop_assert_eq!(set.len(), members.len());
            for (rank, &member) in members.iter().enumerate() {
                prop_assert_eq!(set.nth(rank), Arm::new(member));
                prop_assert_eq!(set.rank(Arm::new(member)), rank);
                prop_assert!(set.contains(Arm::new(member)));
            }
            prop_assert!(set.iter().map(Arm::index).eq(members.iter().copied()));
            prop_assert_eq!(set.only().is_some(), members.len() == 1);
            prop_assert_eq!(ArmSet::from_words(200, set.words()), Some(set.clone()));
            prop_assert_eq!(ArmSet::from_words(*members.last().expect("one"), set.words()), None);

            // Common members with the set of even arms.
            let mut even = ArmSet::full(200);
            for arm in Arm::all(200).filter(|arm| arm.index() % 2 == 1) {
                even.remove(arm);
            }
            let common: Vec<usize> = members.iter().copied().filter(|arm| arm % 2 == 0).collect();
            prop_assert_eq!(set.n_common(&even), common.len());
            for (rank, &arm) in common.iter().enumerate() {
                prop_assert_eq!(set.nth_common(&even, rank), Arm::new(arm));
            }
            set.clear();
            prop_assert_eq!(set, ArmSet::empty(200));
        }
    }
}
