//! Loops over changing lists: each member of a list is served once while the list of the next loop
//! fills.

use crate::damaged::Damaged;

/// Items 0, 1, ..., n - 1. Some remain to be served in this loop, in rising order; some will be
/// served in the next.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LoopLists {
    n_items: usize,
    /// As bits. Never empty.
    remaining: Vec<u64>,
    /// As bits. None of those that remain.
    next: Vec<u64>,
}

const BITS: usize = u64::BITS as usize;

impl LoopLists {
    /// All items remain. There must be one.
    pub(crate) fn new(n_items: usize) -> Self {
        let remaining = words(&vec![true; n_items]);
        let next = vec![0; remaining.len()];
        Self { n_items, remaining, next }
    }

    /// From a flag an item.
    ///
    /// # Errors
    ///
    /// If nothing remains, or something is on both lists.
    pub(crate) fn from_flags(remaining: &[bool], next: &[bool]) -> Result<Self, Damaged> {
        if remaining.len() != next.len() || !remaining.contains(&true) {
            return Err(Damaged("not a flag for each item, or none remains in the loop"));
        }
        if remaining.iter().zip(next).any(|(&remaining, &next)| remaining && next) {
            return Err(Damaged("an item is on the lists of both loops"));
        }
        Ok(Self { n_items: remaining.len(), remaining: words(remaining), next: words(next) })
    }

    /// A flag an item: whether it remains in this loop.
    pub(crate) fn remaining(&self) -> Vec<bool> {
        flags(&self.remaining, self.n_items)
    }

    /// A flag an item: whether it is on the list of the next loop.
    pub(crate) fn next(&self) -> Vec<bool> {
        flags(&self.next, self.n_items)
    }

    /// Who is served next.
    #[inline]
    pub(crate) fn first(&self) -> usize {
        let place = self.remaining.iter().position(|&word| word != 0).expect("something remains");
        place * BITS + self.remaining[place].trailing_zeros() as usize
    }

    /// An item was served, whether or not it was the first. Then all that do not remain and that
    /// `joins` names, 64 at a time, join the next loop. If nothing remains the next loop begins; if
    /// nobody joined it, it has all items.
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

    /// Three items. 0 is served while 1 and 2 would join: they remain, so that only 0 could, and it
    /// does not. 1 joins as it is served. 2 is served while 0 and 2 join: the next loop is 0, 1, 2
    /// again. Then 1 out of turn.
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
        // Nobody joins: all are served again.
        let mut lists = LoopLists::new(130);
        for item in 0..130 {
            assert_eq!(lists.first(), item);
            lists.serve(item, |_| 0);
        }
        assert_eq!(lists, LoopLists::new(130));
        // Far items join alone.
        for item in 0..130 {
            lists.serve(item, |w| if w == 2 { 0b10 } else { 0 });
        }
        assert_eq!(lists.first(), 129);
    }
}
