//! Balanced: at every depth, the merged list holds as much of the top of one list as of the other
//! (Joachims 2003, in *Text Mining*; first in KDD 2002, doi:10.1145/775047.775067).
//!
//! A coin decides which list goes first. Then the list that has been read less deeply gives its
//! next document, unless that document is already in the merged list. To credit clicks, both lists
//! are read down to the depth k at which either of them reaches the lowest click. Each list earns
//! the clicked documents among its first k.
//!
//! **It is biased**: for (a, b, c) against (b, c, a), a user who clicks at random makes the second
//! list win two times in three (`trace_balanced_favours_the_shifted_list`). Prefer team draft.

use super::{Dice, Merged, Pool};

/// There are only two possible lists, one for each side of the coin. Each is made when it is first
/// needed.
#[derive(Debug, Clone, Default)]
pub(super) struct Balanced {
    taken: Vec<bool>,
    made: [Made; 2],
}

#[derive(Debug, Clone, Default)]
struct Made {
    current: bool,
    numbers: Vec<u32>,
    ranks: Vec<[Option<u32>; 2]>,
}

impl Balanced {
    /// Discards what was made from other lists.
    pub(super) fn prepare(&mut self) {
        self.made.iter_mut().for_each(|made| made.current = false);
    }

    pub(super) fn draw<D: Copy>(
        &mut self,
        pool: &Pool<D>,
        length: usize,
        dice: &mut impl Dice,
        merged: &mut Merged<D>,
    ) {
        let first = usize::from(dice.coin());
        if !self.made[first].current {
            self.make(pool, length, first);
        }
        let made = &self.made[first];
        let (documents, ranks) = merged.start_ranks();
        documents.extend(made.numbers.iter().map(|&number| pool.document(number)));
        ranks.extend_from_slice(&made.ranks);
    }

    fn make<D: Copy>(&mut self, pool: &Pool<D>, length: usize, first: usize) {
        let made = &mut self.made[first];
        made.current = true;
        made.numbers.clear();
        made.ranks.clear();
        self.taken.clear();
        self.taken.resize(pool.n_documents(), false);
        let lists = [pool.list(0), pool.list(1)];
        for depth in 0..lists[0].len().max(lists[1].len()) {
            for side in [first, 1 - first] {
                if made.numbers.len() == length {
                    return;
                }
                let Some(&number) = lists[side].get(depth) else { continue };
                if !core::mem::replace(&mut self.taken[number as usize], true) {
                    made.numbers.push(number);
                    made.ranks.push(pool.two_ranks(number).map(|rank| (rank > 0).then_some(rank)));
                }
            }
        }
    }
}
