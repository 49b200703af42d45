//! The next pair to compare, until every pair has met a required number of times.

/// Finds the next pair that has met less often than required. All pairs of items 0, 1, ..., n - 1
/// meet once before any pair meets twice, and so on. In each pass they come in the order of their
/// places. The next pair follows from the number of times that each pair has met, so it need not be
/// stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PairQuota {
    n_items: usize,
    /// Every pair has met at least `pass - 1` times.
    pass: u64,
    /// The first pair that has met less often than `pass`. If `high` is `n_items`, there is no such
    /// pair.
    low: usize,
    high: usize,
}

impl PairQuota {
    /// Each pair must meet `quota` times, at least once. `met` is the number of times that a pair
    /// has met.
    pub(crate) fn new(n_items: usize, quota: u64, met: impl Fn(usize, usize) -> u64) -> Self {
        let mut new = Self { n_items, pass: quota, low: 0, high: n_items };
        new.restart(quota, met);
        new
    }

    /// The pair that must meet next, lower item first.
    #[inline]
    pub(crate) fn next(&self) -> Option<(usize, usize)> {
        (self.high < self.n_items).then_some((self.low, self.high))
    }

    /// Updates the next pair after some pairs met more often, or after the quota rose.
    #[inline]
    pub(crate) fn advance(&mut self, quota: u64, met: impl Fn(usize, usize) -> u64) {
        while self.high < self.n_items {
            if met(self.low, self.high) < self.pass {
                return;
            }
            self.low += 1;
            if self.low == self.high {
                (self.low, self.high) = (0, self.high + 1);
            }
        }
        if self.pass < quota {
            self.restart(quota, met);
        }
    }

    /// Updates the next pair after the count of a pair (lower item first) fell by one, to `met`.
    pub(crate) fn reopen(&mut self, low: usize, high: usize, met: u64) {
        let earlier = (high, low) < (self.high, self.low);
        if met + 1 < self.pass || met + 1 == self.pass && earlier {
            (self.pass, self.low, self.high) = (met + 1, low, high);
        }
    }

    /// Finds the next pair from scratch.
    pub(crate) fn restart(&mut self, quota: u64, met: impl Fn(usize, usize) -> u64) {
        (self.pass, self.low, self.high) = (quota, 0, self.n_items);
        for high in 1..self.n_items {
            for low in 0..high {
                let met = met(low, high);
                if met < self.pass && (met + 1 < self.pass || self.high == self.n_items) {
                    (self.pass, self.low, self.high) = (met + 1, low, high);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn table(met: &[[u64; 4]; 4]) -> impl Fn(usize, usize) -> u64 {
        |low, high| met[low][high]
    }

    /// Passes over the pairs (0, 1), (0, 2), (1, 2), ...: each once, then each twice.
    #[test]
    fn trace_passes() {
        let mut met = [[0; 4]; 4];
        let mut quota = PairQuota::new(4, 2, table(&met));
        let pass = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)];
        for pair in pass.into_iter().chain(pass) {
            assert_eq!(quota.next(), Some(pair));
            met[pair.0][pair.1] += 1;
            quota.advance(2, table(&met));
        }
        assert_eq!(quota.next(), None);
        quota.advance(3, table(&met));
        assert_eq!(quota.next(), Some((0, 1)));
        let mut one = PairQuota::new(1, u64::MAX, |_, _| 0);
        one.advance(u64::MAX, |_, _| 0);
        assert_eq!(one.next(), None);
    }

    proptest! {
        /// Step-by-step updates and a search from scratch find the same pair.
        #[test]
        fn law_steps_and_a_fresh_look_agree(
            steps in proptest::collection::vec((0..4u8, 0..4usize, 0..4usize), 0..200),
        ) {
            let mut met = [[0; 4]; 4];
            let mut most = 1;
            let mut quota = PairQuota::new(4, most, table(&met));
            for (step, i, j) in steps {
                let (low, high) = (i.min(j), i.max(j));
                match step {
                    0 => most += u64::from(i == j),
                    1 if low < high && met[low][high] > 0 => {
                        met[low][high] -= 1;
                        quota.reopen(low, high, met[low][high]);
                    }
                    2 if low < high => met[low][high] += 1,
                    _ => {
                        if let Some((low, high)) = quota.next() {
                            met[low][high] += 1;
                        }
                    }
                }
                quota.advance(most, table(&met));
                prop_assert_eq!(&quota, &PairQuota::new(4, most, table(&met)));
            }
        }
    }
}
