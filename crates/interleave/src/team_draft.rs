//! Team draft: two captains pick players in turn (Radlinski, Kurup and Joachims, CIKM 2008,
//! doi:10.1145/1458082.1458092).
//!
//! In every round a coin decides which list picks first. Each list picks its best document that has
//! not been picked. A click is a point for the list that picked the document.
//!
//! **If a list runs out**, the paper stops. Here the merged list is filled up with the documents of
//! the other list, and those documents are worth nothing to anyone. More exactly, a round counts
//! only if both lists can pick in it, whichever goes first. If both want the same document and one
//! of them has no other, the coin decides who gets it, and nothing counts after that. So every
//! position belongs to the left list and to the right list with the same probability, whatever the
//! lists: a user who clicks without looking favours nobody.

use super::{Cursor, Dice, Merged, Pool};

/// The value of a click on a document that the left list picked, and that the right list picked.
pub(super) const TEAMS: [[f64; 2]; 2] = [[1.0, 0.0], [0.0, 1.0]];

/// The value of a click on a document that fills up the list.
pub(super) const NOTHING: [f64; 2] = [0.0, 0.0];

#[derive(Debug, Clone, Default)]
pub(super) struct TeamDraft {
    taken: Vec<bool>,
}

impl TeamDraft {
    pub(super) fn draw<D: Copy>(
        &mut self,
        pool: &Pool<D>,
        length: usize,
        dice: &mut impl Dice,
        merged: &mut Merged<D>,
    ) {
        let (documents, shares) = merged.start_shares();
        self.taken.clear();
        self.taken.resize(pool.n_documents(), false);
        let taken = &mut self.taken[..];
        let mut cursors = [Cursor::new(pool.list(0)), Cursor::new(pool.list(1))];
        let mut take = |number: u32, share: [f64; 2], taken: &mut [bool]| {
            documents.push(pool.document(number));
            shares.push(share);
            taken[number as usize] = true;
            documents.len() < length
        };
        if length == 0 {
            return;
        }
        while let (Some(left), Some(right)) = (cursors[0].peek(taken), cursors[1].peek(taken)) {
            let first = usize::from(dice.coin());
            let mut picks = [left, right];
            if !take(picks[first], TEAMS[first], taken) {
                return;
            }
            if left == right {
                // Both wanted it, so the second picks again. The round continues only if the first
                // could have picked again in its place.
                let (Some(left), Some(right)) = (cursors[0].peek(taken), cursors[1].peek(taken)) else {
                    break;
                };
                picks = [left, right];
            }
            let second = 1 - first;
            if !take(picks[second], TEAMS[second], taken) {
                return;
            }
        }
        // One list has no documents left, and the other fills up.
        for mut cursor in cursors {
            while let Some(number) = cursor.peek(taken) {
                if !take(number, NOTHING, taken) {
                    return;
                }
            }
        }
    }
}
