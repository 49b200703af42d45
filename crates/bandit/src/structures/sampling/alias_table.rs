//! Draws from a multiset of arms in O(1): Walker's alias table, built with Vose's method, in whole
//! numbers.
//!
//! There are K columns of N tokens each, where N is the size of the multiset. An arm that occurs c
//! times gets c K tokens. An arm with fewer than N tokens puts them in its own column, and an arm
//! with more than N tokens fills the rest of that column. So a column contains at most two arms. A
//! draw takes a column, then a token of it. Nothing is rounded: the probability of an arm is
//! exactly c / N.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::Arm;
use crate::damaged::Damaged;

/// A non-empty multiset of arms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u64>", into = "Vec<u64>")]
pub(crate) struct AliasTable {
    /// The number of times that each arm occurs.
    counts: Vec<u64>,
    /// N.
    total: u64,
    columns: Vec<Column>,
    // Scratch space, kept so that building allocates nothing.
    tokens: Vec<u128>,
    order: Vec<u32>,
}

/// The first `keep` tokens belong to the column's own arm, the rest to `other`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Column {
    keep: u64,
    other: u32,
}

impl AliasTable {
    /// The multiset that contains one arm, once.
    pub(crate) fn single(n_arms: usize, arm: Arm) -> Self {
        let mut counts = vec![0; n_arms];
        counts[arm.index()] = 1;
        Self::try_from(counts).expect("a multiset of one")
    }

    /// K.
    pub(crate) fn n_arms(&self) -> usize {
        self.counts.len()
    }

    /// N.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The probability of an arm.
    pub(crate) fn share(&self, arm: Arm) -> f64 {
        self.counts[arm.index()] as f64 / self.total as f64
    }

    /// Draws an arm, in O(1).
    #[inline]
    pub(crate) fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Arm {
        let column = rng.random_range(0..self.columns.len());
        self.look(column, rng.random_range(0..self.total))
    }

    fn look(&self, column: usize, token: u64) -> Arm {
        let Column { keep, other } = self.columns[column];
        Arm::new(if token < keep { column } else { other as usize })
    }

    /// Takes another multiset, as the number of times that each arm occurs, and leaves the old
    /// counts in its place. Takes O(K) time and allocates nothing.
    pub(crate) fn swap(&mut self, counts: &mut Vec<u64>) {
        debug_assert_eq!(counts.len(), self.counts.len(), "one count per arm");
        core::mem::swap(&mut self.counts, counts);
        self.total = self.counts.iter().sum();
        self.build();
    }

    fn build(&mut self) {
        let Self { counts, total, columns, tokens, order } = self;
        let n_arms = counts.len();
        let full = u128::from(*total);
        // Arms that cannot fill their column are at the front of `order`, the others at the back.
        let (mut front, mut back) = (0, n_arms);
        for i in 0..n_arms {
            tokens[i] = u128::from(counts[i]) * n_arms as u128;
            columns[i] = Column { keep: *total, other: index(i) };
            if tokens[i] < full {
                order[front] = index(i);
                front += 1;
            } else {
                back -= 1;
                order[back] = index(i);
            }
        }
        // All tokens together fill all columns. So if a column is not full, there is an arm with
        // more tokens than fit in its column.
        while front > 0 {
            front -= 1;
            let small = order[front] as usize;
            let large = order[back] as usize;
            let keep = u64::try_from(tokens[small]).expect("less than a column");
            columns[small] = Column { keep, other: index(large) };
            tokens[large] -= full - tokens[small];
            if tokens[large] < full {
                order[front] = index(large);
                front += 1;
                back += 1;
            }
        }
    }
}

/// The index of an arm, in half the space.
fn index(i: usize) -> u32 {
    u32::try_from(i).expect("arms are counted in 32 bits")
}

impl From<AliasTable> for Vec<u64> {
    fn from(alias: AliasTable) -> Self {
        alias.counts
    }
}

impl TryFrom<Vec<u64>> for AliasTable {
    type Error = Damaged;

    fn try_from(counts: Vec<u64>) -> Result<Self, Damaged> {
        let total = counts.iter().try_fold(0u64, |total, &count| total.checked_add(count));
        let Some(total) = total.filter(|&total| total > 0 && u32::try_from(counts.len()).is_ok()) else {
            return Err(Damaged("a multiset is empty, or too large"));
        };
        let n_arms = counts.len();
        let columns = vec![Column { keep: 0, other: 0 }; n_arms];
        let mut alias = Self { counts, total, columns, tokens: vec![0; n_arms], order: vec![0; n_arms] };
        alias.build();
        Ok(alias)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The number of tokens of each arm, counted over the two parts of each column.
    fn tokens(alias: &AliasTable) -> Vec<u128> {
        let mut tokens = vec![0; alias.n_arms()];
        for (i, column) in alias.columns.iter().enumerate() {
            tokens[i] += u128::from(column.keep);
            tokens[column.other as usize] += u128::from(alias.total - column.keep);
        }
        tokens
    }

    fn check(alias: &AliasTable) {
        let n_arms = alias.n_arms() as u128;
        let want: Vec<u128> = alias.counts.iter().map(|&count| u128::from(count) * n_arms).collect();
        assert_eq!(tokens(alias), want, "{:?}", alias.counts);
    }

    /// Counts (3, 0, 1): N = 4, tokens (9, 0, 3) in columns of 4. Column 2 keeps 3 and takes 1 of
    /// arm 0 (8 left). Column 1 takes 4 of arm 0 (4 left). These 4 fill column 0.
    #[test]
    fn trace_by_hand() {
        let alias = AliasTable::try_from(vec![3, 0, 1]).unwrap();
        let columns: Vec<(u64, u32)> = alias.columns.iter().map(|c| (c.keep, c.other)).collect();
        assert_eq!(columns, [(4, 0), (0, 0), (3, 0)]);
        let drawn = |column| (0..4).map(|token| alias.look(column, token).index()).collect::<Vec<_>>();
        assert_eq!([drawn(0), drawn(1), drawn(2)], [[0, 0, 0, 0], [0, 0, 0, 0], [2, 2, 2, 0]]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

        /// Each arm has exactly its share of the tokens, even after one multiset replaced another.
        #[test]
        fn law_shares_are_exact(
            old in prop::collection::vec(prop_oneof![Just(0u64), 0..9u64, 0..1_000_000u64], 1..60),
            salt in any::<u64>(),
        ) {
            prop_assume!(old.iter().sum::<u64>() > 0);
            let mut alias = AliasTable::try_from(old.clone()).unwrap();
            check(&alias);
            let mut rng = crate::Stream::new(salt).rng();
            let mut new: Vec<u64> = old.iter().map(|_| rng.random_range(0..5)).collect();
            new[0] += 1;
            let want = AliasTable::try_from(new.clone()).unwrap();
            alias.swap(&mut new);
            check(&alias);
            prop_assert_eq!(&new, &old);
            // Nothing of the old multiset remains.
            prop_assert_eq!((&alias.columns, alias.total), (&want.columns, want.total));
        }
    }

    /// The products need more than 64 bits.
    #[test]
    fn trace_huge_multisets() {
        let alias = AliasTable::try_from(vec![u64::MAX - 5, 0, 2, 3]).unwrap();
        check(&alias);
        assert!((alias.share(Arm::new(0)) - 1.0).abs() < 1e-15);
        let arm = alias.draw(&mut crate::Stream::new(1).rng());
        assert_eq!(arm, Arm::new(0));
    }

    #[test]
    fn trace_damaged_counts() {
        for counts in [vec![], vec![0, 0], vec![u64::MAX, 1]] {
            assert!(AliasTable::try_from(counts).is_err());
        }
        let single = AliasTable::single(3, Arm::new(1));
        assert_eq!((single.n_arms(), single.total()), (3, 1));
        assert_eq!(Vec::from(single), [0, 1, 0]);
    }

    /// 40,000 draws of shares 1/2, 1/8, 3/8: one standard error is at most 100.
    #[test]
    fn stat_draws() {
        let alias = AliasTable::try_from(vec![4, 1, 0, 3]).unwrap();
        let mut rng = crate::Stream::new(1).rng();
        let mut drawn = [0.0; 4];
        for _ in 0..40_000 {
            drawn[alias.draw(&mut rng).index()] += 1.0;
        }
        for (i, drawn) in drawn.into_iter().enumerate() {
            let want: f64 = 40_000.0 * alias.share(Arm::new(i));
            assert!((drawn - want).abs() <= 500.0 * f64::from(u8::from(want > 0.0)), "{i}: {drawn}");
        }
    }
}
