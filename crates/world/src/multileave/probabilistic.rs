//! Probabilistic multileaving (Schuth et al., SIGIR 2015, doi:10.1145/2766462.2767838).
//!
//! For every position a list is drawn, each as likely as any other, and gives a document by its weights r^-tau; the document leaves all
//! lists. A click is shared among the lists by the probability that each gave the document. Given the merged list, positions were
//! assigned independently, so this is exact and costs one division a list and position; the paper, which scores whole assignments,
//! samples them.
//!
//! **Where a list runs out** the others go on, and those positions are worth nothing to anyone.

use super::Multileaved;
use crate::interleave::{Dice, Pool, Softmax};

#[derive(Debug, Clone)]
pub(super) struct Probabilistic {
    softmax: Softmax,
    /// The lists that have something left.
    open: Vec<usize>,
}

impl Probabilistic {
    pub(super) fn new(tau: f64) -> Self {
        Self { softmax: Softmax::new(tau), open: Vec::new() }
    }

    pub(super) fn prepare<D: Copy>(&mut self, pool: &Pool<D>) {
        self.softmax.prepare(pool);
    }

    pub(super) fn draw<D: Copy>(
        &mut self,
        pool: &Pool<D>,
        length: usize,
        dice: &mut impl Dice,
        merged: &mut Multileaved<D>,
    ) {
        let softmax = &mut self.softmax;
        softmax.refill(pool);
        self.open.clear();
        self.open.extend(0..pool.n_lists());
        while merged.documents.len() < length {
            self.open.retain(|&list| !softmax.is_empty(list));
            if self.open.is_empty() {
                return;
            }
            let list = self.open[dice.below(self.open.len())];
            let document = softmax.draw(pool, list, dice);
            let shares = merged.push(pool.document(document));
            if self.open.len() == pool.n_lists() {
                for (list, share) in shares.iter_mut().enumerate() {
                    *share = softmax.probability(pool, list, document);
                }
                let total: f64 = shares.iter().sum();
                for share in shares {
                    *share /= total;
                }
            }
            softmax.remove(pool, document);
        }
    }
}
