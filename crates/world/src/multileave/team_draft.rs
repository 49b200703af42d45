//! Team draft of several lists (Schuth, Sietsma, Whiteson, Lefortier and de Rijke, CIKM 2014, doi:10.1145/2661829.2661952).
//!
//! In every round all lists pick once, in an order drawn afresh: each its best document that nobody has picked. A click is a point
//! for the list that picked the document.
//!
//! **Where lists run out**: a round counts only if every list has as many documents left as the round has picks to make, so that all
//! orders lead to whole rounds and every position belongs to each list with the same probability. From the first round that
//! does not, picks go on without credit. Lists of at least `length` documents never come to that.

use super::Multileaved;
use crate::interleave::{Cursor, Dice, Pool};

#[derive(Debug, Clone, Default)]
pub(super) struct TeamDraft {
    taken: Vec<bool>,
    /// How many documents each list has left.
    left: Vec<usize>,
    order: Vec<usize>,
}

impl TeamDraft {
    pub(super) fn draw<D: Copy>(
        &mut self,
        pool: &Pool<D>,
        length: usize,
        dice: &mut impl Dice,
        merged: &mut Multileaved<D>,
    ) {
        let n_lists = pool.n_lists();
        let length = length.min(pool.n_documents());
        self.taken.clear();
        self.taken.resize(pool.n_documents(), false);
        self.left.clear();
        self.left.extend((0..n_lists).map(|list| pool.list(list).len()));
        self.order.clear();
        self.order.extend(0..n_lists);
        let mut counts = true;
        while merged.documents.len() < length {
            let picks = n_lists.min(length - merged.documents.len());
            counts &= self.left.iter().all(|&left| left >= picks);
            for turn in 0..n_lists {
                if merged.documents.len() == length {
                    return;
                }
                // A shuffle, as far as it is needed.
                self.order.swap(turn, turn + dice.below(n_lists - turn));
                let list = self.order[turn];
                let Some(number) = Cursor::new(pool.list(list)).peek(&self.taken) else { continue };
                self.taken[number as usize] = true;
                for (left, &rank) in self.left.iter_mut().zip(pool.ranks(number)) {
                    *left -= usize::from(rank > 0);
                }
                let shares = merged.push(pool.document(number));
                if counts {
                    shares[list] = 1.0;
                }
            }
        }
    }
}
