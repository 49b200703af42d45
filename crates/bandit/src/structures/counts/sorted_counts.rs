//! Arms sorted by their counts. Finding the lowest, and adding or subtracting 1, take O(log K)
//! time.

use crate::Arm;

/// Some of K arms, each with a count, in ascending order of counts. When a count changes by one,
/// its arm first moves to the edge of its run of equal counts. So one swap keeps the order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SortedCounts {
    /// The arms in the list, in ascending order of counts.
    order: Vec<Arm>,
    /// The position of each arm in `order`, or [`ABSENT`].
    place: Vec<usize>,
    /// One count per arm. The count of an absent arm has no meaning.
    counts: Vec<u64>,
}

const ABSENT: usize = usize::MAX;

impl SortedCounts {
    /// All arms, with a count of zero.
    pub(crate) fn new(n_arms: usize) -> Self {
        Self { order: Arm::all(n_arms).collect(), place: (0..n_arms).collect(), counts: vec![0; n_arms] }
    }

    /// The arms in a saved order. `None` if the order is impossible.
    pub(crate) fn from_parts(order: Vec<Arm>, counts: Vec<u64>) -> Option<Self> {
        let mut place = vec![ABSENT; counts.len()];
        for (i, arm) in order.iter().enumerate() {
            let slot = place.get_mut(arm.index())?;
            if *slot != ABSENT {
                return None;
            }
            *slot = i;
        }
        let ladder = Self { order, place, counts };
        let count = |arm: &Arm| ladder.count(*arm);
        (!ladder.order.is_empty() && ladder.order.is_sorted_by_key(count)).then_some(ladder)
    }

    /// The arms in the list, lowest counts first.
    #[inline]
    pub(crate) fn arms(&self) -> &[Arm] {
        &self.order
    }

    /// The counts of all arms.
    pub(crate) fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Whether an arm is in the list.
    #[inline]
    pub(crate) fn contains(&self, arm: Arm) -> bool {
        self.place[arm.index()] != ABSENT
    }

    /// The count of an arm.
    #[inline]
    pub(crate) fn count(&self, arm: Arm) -> u64 {
        self.counts[arm.index()]
    }

    /// The lowest count.
    #[inline]
    pub(crate) fn lowest_count(&self) -> u64 {
        self.count(self.order[0])
    }

    /// The arms with the lowest count.
    #[inline]
    pub(crate) fn lowest(&self) -> &[Arm] {
        let lowest = self.lowest_count();
        &self.order[..self.order.partition_point(|&arm| self.count(arm) <= lowest)]
    }

    /// Adds 1 to an arm's count.
    #[inline]
    pub(crate) fn raise(&mut self, arm: Arm) {
        let (place, count) = (self.place[arm.index()], self.count(arm));
        let equal = self.order[place..].partition_point(|&other| self.count(other) <= count);
        self.swap(place, place + equal - 1);
        self.counts[arm.index()] += 1;
    }

    /// Subtracts 1 from an arm's count.
    pub(crate) fn lower(&mut self, arm: Arm) {
        let (place, count) = (self.place[arm.index()], self.count(arm));
        let below = self.order[..place].partition_point(|&other| self.count(other) < count);
        self.swap(place, below);
        self.counts[arm.index()] -= 1;
    }

    /// Removes an arm and gives the others new counts, in O(K log K) without allocation. Arms with
    /// equal counts are then in the order of their indices.
    pub(crate) fn remove(&mut self, gone: Arm, count: impl Fn(Arm, u64) -> u64) {
        self.place[gone.index()] = ABSENT;
        self.order.retain(|&arm| arm != gone);
        for arm in &self.order {
            let old = &mut self.counts[arm.index()];
            *old = count(*arm, *old);
        }
        let Self { order, place, counts } = self;
        order.sort_unstable_by_key(|&arm| (counts[arm.index()], arm));
        for (i, arm) in order.iter().enumerate() {
            place[arm.index()] = i;
        }
    }

    #[inline]
    fn swap(&mut self, i: usize, j: usize) {
        self.order.swap(i, j);
        self.place[self.order[i].index()] = i;
        self.place[self.order[j].index()] = j;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    /// Random steps, compared with a plain list of counts.
    #[test]
    fn law_the_order_is_that_of_the_counts() {
        let mut rng = crate::Stream::new(1).rng();
        for n_arms in [1, 2, 3, 17] {
            let mut ladder = SortedCounts::new(n_arms);
            let mut plain: Vec<Option<u64>> = vec![Some(0); n_arms];
            for step in 1..3000 {
                let arm = ladder.arms()[rng.random_range(0..ladder.arms().len())];
                match (rng.random_range(0..5), plain[arm.index()].as_mut().expect("in the list")) {
                    (0..3, count) => {
                        ladder.raise(arm);
                        *count += 1;
                    }
                    (_, count) if *count > 0 => {
                        ladder.lower(arm);
                        *count -= 1;
                    }
                    _ => {}
                }
                if step % 300 == 0 && ladder.arms().len() > 1 {
                    ladder.remove(arm, |other, count| count / 2 + other.index() as u64 % 2);
                    plain[arm.index()] = None;
                    for (i, count) in plain.iter_mut().enumerate() {
                        *count = count.map(|count| count / 2 + i as u64 % 2);
                    }
                }
                let left: Vec<u64> = plain.iter().copied().flatten().collect();
                let lowest = *left.iter().min().expect("one stays");
                assert_eq!(ladder.lowest_count(), lowest);
                assert_eq!(ladder.lowest().len(), left.iter().filter(|&&count| count == lowest).count());
                assert!(ladder.lowest().iter().all(|arm| plain[arm.index()] == Some(lowest)));
                assert_eq!(ladder.arms().len(), left.len());
                for (i, count) in plain.iter().enumerate() {
                    assert_eq!(ladder.contains(Arm::new(i)), count.is_some());
                    assert!(count.is_none_or(|count| count == ladder.count(Arm::new(i))));
                }
                let copy = SortedCounts::from_parts(ladder.arms().to_vec(), ladder.counts().to_vec());
                assert_eq!(copy, Some(ladder.clone()));
            }
        }
    }

    #[test]
    fn trace_what_is_no_ladder() {
        let arms = |indices: &[usize]| indices.iter().map(|&i| Arm::new(i)).collect::<Vec<_>>();
        assert!(SortedCounts::from_parts(arms(&[1, 0]), vec![2, 1]).is_some());
        for (order, counts) in
            [(&[0, 1][..], &[2, 1][..]), (&[0, 0], &[1, 1]), (&[0, 2], &[1, 1]), (&[], &[])]
        {
            assert_eq!(SortedCounts::from_parts(arms(order), counts.to_vec()), None, "{order:?} {counts:?}");
        }
    }
}
