//! Probabilistic: every list becomes a distribution over documents (Hofmann, Whiteson and de Rijke,
//! CIKM 2011, doi:10.1145/2063576.2063618).
//!
//! The document of rank r has weight r^-tau, with tau = 3 by default. At every position a coin
//! decides which list gives the document. The document is drawn by the list's weights, and is
//! removed from both lists. So every document can appear anywhere, and a list that has good
//! documents further down can show it.
//!
//! **Credit.** With `assigned`, a click is a point for the list that gave the document. With
//! `marginal`, the default, the point is shared in proportion to the probabilities that each list
//! gave it: P_left / (P_left + P_right), with the probabilities of that document at that position
//! after those above it. Given the merged list, positions were assigned independently, so this is
//! the exact expectation of the assigned credit over all assignments. It has the same mean over
//! merged lists and less variance. (The paper also takes the expectation of the *sign* of the
//! difference, which is another number if there are several clicks.)
//!
//! **If a list runs out**, the other one continues. Those positions are worth nothing, so that a
//! longer list is not favoured.

use super::team_draft::{NOTHING, TEAMS};
use super::{CreditBy, Dice, Merged, Pool};

/// Lists as distributions over documents, from which drawn documents are removed.
#[derive(Debug, Clone)]
struct Softmax {
    tau: f64,
    /// r^-tau for r = 1, 2, ..., computed once.
    table: Vec<f64>,
    /// The weights of all places of the pool; 0 after the document is removed.
    weights: Vec<f64>,
    lists: Vec<Mass>,
}

/// The remaining weight of one list.
#[derive(Debug, Clone, Copy)]
struct Mass {
    total: f64,
    /// The total when it was last recomputed.
    fresh: f64,
    n_documents: usize,
}

impl Softmax {
    fn new(tau: f64) -> Self {
        Self { tau, table: Vec::new(), weights: Vec::new(), lists: Vec::new() }
    }

    /// Computes the weights of all ranks.
    fn prepare<D: Copy>(&mut self, pool: &Pool<D>) {
        let longest = (0..pool.n_lists()).map(|list| pool.list(list).len()).max().unwrap_or(0);
        for rank in self.table.len() + 1..=longest {
            self.table.push(libm::pow(rank as f64, -self.tau));
        }
    }

    /// Puts all documents back.
    fn refill<D: Copy>(&mut self, pool: &Pool<D>) {
        self.weights.clear();
        self.lists.clear();
        for list in 0..pool.n_lists() {
            let weights = &self.table[..pool.list(list).len()];
            self.weights.extend_from_slice(weights);
            let total = weights.iter().sum();
            self.lists.push(Mass { total, fresh: total, n_documents: weights.len() });
        }
    }

    /// Whether a list has no documents left.
    fn is_empty(&self, list: usize) -> bool {
        self.lists[list].n_documents == 0
    }

    /// Draws a document of a list by its weights.
    fn draw<D: Copy>(&self, pool: &Pool<D>, list: usize, dice: &mut impl Dice) -> u32 {
        let place = dice.weighted(&self.weights[pool.span(list)], self.lists[list].total);
        pool.list(list)[place]
    }

    /// The probability of a document in the distribution of a list.
    fn probability<D: Copy>(&self, pool: &Pool<D>, list: usize, document: u32) -> f64 {
        match pool.ranks(document)[list] as usize {
            0 => 0.0,
            rank => self.weights[pool.span(list).start + rank - 1] / self.lists[list].total,
        }
    }

    /// Removes a document from all lists.
    fn remove<D: Copy>(&mut self, pool: &Pool<D>, document: u32) {
        for (list, &rank) in pool.ranks(document).iter().enumerate() {
            if rank == 0 {
                continue;
            }
            let span = pool.span(list);
            let weight = core::mem::take(&mut self.weights[span.start + rank as usize - 1]);
            let mass = &mut self.lists[list];
            mass.n_documents -= 1;
            mass.total -= weight;
            // Differences lose digits. Before three of sixteen are lost, the sum is computed again.
            if mass.total < 1e-3 * mass.fresh {
                mass.total = self.weights[span].iter().sum();
                mass.fresh = mass.total;
            }
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Probabilistic {
    softmax: Softmax,
    credit: CreditBy,
}

impl Probabilistic {
    pub(super) fn new(tau: f64, credit: CreditBy) -> Self {
        Self { softmax: Softmax::new(tau), credit }
    }

    pub(super) fn prepare<D: Copy>(&mut self, pool: &Pool<D>) {
        self.softmax.prepare(pool);
    }

    pub(super) fn draw<D: Copy>(
        &mut self,
        pool: &Pool<D>,
        length: usize,
        dice: &mut impl Dice,
        merged: &mut Merged<D>,
    ) {
        let (documents, shares) = merged.start_shares();
        let softmax = &mut self.softmax;
        softmax.refill(pool);
        while documents.len() < length {
            let (side, counts) = match (softmax.is_empty(0), softmax.is_empty(1)) {
                (false, false) => (usize::from(dice.coin()), true),
                (true, false) => (1, false),
                (false, true) => (0, false),
                (true, true) => return,
            };
            let document = softmax.draw(pool, side, dice);
            let share = match self.credit {
                _ if !counts => NOTHING,
                CreditBy::Assigned => TEAMS[side],
                CreditBy::Marginal => {
                    let [left, right] = [0, 1].map(|list| softmax.probability(pool, list, document));
                    let left = left / (left + right);
                    [left, 1.0 - left]
                }
            };
            documents.push(pool.document(document));
            shares.push(share);
            softmax.remove(pool, document);
        }
    }
}
