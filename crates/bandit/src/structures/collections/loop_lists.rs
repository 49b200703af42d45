//! Loops over changing lists. Each member of the current list is served once, while the list of the
//! next loop fills.

use crate::damaged::Damaged;

/// Items 0, 1, ..., n - 1. Some remain to be served in this loop, in ascending order. Some will be
/// served in the next loop.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LoopLists {
    n_items: usize,
    /// The items that remain in this loop, as bits. Never empty.
    remaining: Vec<u64>,
    /// The items of the next loop, as bits. None of them remains in this loop.
    next: Vec<u64>,
}

const BITS: usize = u64::BITS as usize;

impl LoopLists {
    /// All items remain. There must be at least one.
    pub(crate) fn new(n_items: usize) -> Self {
        let remaining = words(&vec![true; n_items]);
        let next = vec![0; remaining.len()];
        Self { n_items, remaining, next }
    }

    /// Lists from one flag per item.
    ///
    /// # Errors
    ///
    /// If no item remains, or an item is on both lists.
    pub(crate) fn from_flags(remaining: &[bool], next: &[bool]) -> Result<Self, Damaged> {
        if remaining.len() != next.len() || !remaining.contains(&true) {
            return Err(Damaged("flags of items are missing, or no item remains in the loop"));
        }
        if remaining.iter().zip(next).any(|(&remaining, &next)| remaining && next) {
            return Err(Damaged("an item is on the lists of both loops"));
        }
        Ok(Self { n_items: remaining.len(), remaining: words(remaining), next: words(next) })
    }

    /// One flag per item: whether it remains in this loop.
    pub(crate) fn remaining(&self) -> Vec<bool> {
        flags(&self.remaining, self.n_items)
    }

    /// One flag per item: whether it is on the list of the next loop.
    pub(crate) fn next(&self) -> Vec<bool> {
        flags(&self.next, self.n_items)
    }

    /// The item that is served next.
    #[inline]
    pub(crate) fn first(&self) -> usize {
        let place = self.remaining.iter().position(|&word| word != 0).expect("something remains");
        place * BITS + self.remaining[place].trailing_zeros() as usize
    }

    /// Records that an item was served, whether or not it was the first. Then the items that
    /// `joins` names, 64 at a time as bits, join the next loop if they do not remain in this one.
    /// If no item remains, the next loop begins. If no item joined it, it has all items.
    #[inline]
    pub(crate) fn serve(&mut self, item: usize, joins: impl Fn(usize) -> u64) {
        self.remaining[item / BITS] &= !(1 << (item % BITS));
        for (w, (next, &remaining)) in self.next.iter_mut().zip(&self.remaining).enumerate() {
            *next |= joins(w) & !remaining;
        }
        if self.remaining.iter().any(|&word| word != 0) {
            return;
        }
        core::mem::swap(&mut self.remaining, &mut self.next);
        if self.remaining.iter().all(|&word| word == 0) {
            for item in 0..self.n_items {
                self.remaining[item / BITS] |= 1 << (item % BITS);
            }
        }
    }
}

fn words(flags: &[bool]) -> Vec<u64> {
    let word = |flags: &[bool]| flags.iter().rev().fold(0, |word, &flag| word << 1 | u64::from(flag));
    flags.chunks(BITS).map(word).collect()
}

fn flags(words: &[u64], n_items: usize) -> Vec<bool> {
    (0..n_items).map(|item| words[item / BITS] >> (item % BITS) & 1 == 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three items. Item 0 is served, and `joins` names 1 and 2. They remain in this loop, so they
    /// do not join. Then 1 is served and joins. Then 2 is served, and 0 and 2 join: the next loop
    /// is 0, 1, 2 again. Then 1 is served out of turn.
    #[test]
    fn trace_lists() {
        let mut lists = LoopLists::new(3);
        lists.serve(0, |_| 0b110);
        assert_eq!((lists.first(), lists.next()), (1, vec![false; 3]));
        lists.serve(1, |_| 0b110);
        assert_eq!((lists.first(), lists.next()), (2, vec![false, true, false]));
        lists.serve(2, |_| 0b101);
        assert_eq!((lists.remaining(), lists.next()), (vec![true; 3], vec![false; 3]));
        lists.serve(1, |_| 0b010);
        assert_eq!((lists.remaining(), lists.next()), (vec![true, false, true], vec![false, true, false]));
        let again = LoopLists::from_flags(&lists.remaining(), &lists.next()).expect("just written");
        assert_eq!(again, lists);
    }

    #[test]
    fn trace_edges() {
        assert!(LoopLists::from_flags(&[false, false], &[true, false]).is_err());
        assert!(LoopLists::from_flags(&[true, false], &[true, false]).is_err());
        assert!(LoopLists::from_flags(&[true], &[]).is_err());
        // No item joins, so all are served again.
        let mut lists = LoopLists::new(130);
        for item in 0..130 {
            assert_eq!(lists.first(), item);
            lists.serve(item, |_| 0);
        }
        assert_eq!(lists, LoopLists::new(130));
        // Only item 129 joins.
        for item in 0..130 {
            lists.serve(item, |w| if w == 2 { 0b10 } else { 0 });
        }
        assert_eq!(lists.first(), 129);
    }
}
