//! Optimised: of all distributions over merged lists that favour nobody, the most sensitive one
//! (Radlinski and Craswell, WSDM 2013, doi:10.1145/2433396.2433429).
//!
//! **Allowed lists.** Each next document is the best remaining one of either list, so there are at
//! most 2^10 lists for 10 positions.
//!
//! **Credit.** A click on a document is worth 1/r to a list that ranks it r (`inverse`), or
//! (n + 1 - r) / n (`linear`), where n is the length of the longer list. A document that a list
//! lacks has rank n + 1 there. Only the top that can be shown counts.
//!
//! **Favouring nobody.** At every position the expected credits of the two lists are equal. A user
//! who clicks without looking, by any distribution over positions, therefore gives both the same.
//! These are linear equations in the probabilities of the lists.
//!
//! **Sensitivity.** Among the solutions, the expected sensitivity is largest. The sensitivity of a
//! list is what a click teaches if position i is clicked in proportion to 1/i: the probability that
//! the click is not a tie, times the entropy of who gets it.
//!
//! The programme is solved twice, with the lists in both orders, and the mean of the solutions is
//! used. So left and right are treated exactly alike, and at most 22 lists have a positive
//! probability.
//!
//! **If there is no such distribution**, which happens when the lists have different lengths, team
//! draft is used with its own credit. **Beyond 10 positions**, the first 10 are optimised. Below
//! them the lists give documents in turn, and clicks there are worth nothing.

mod simplex;

use self::simplex::Programme;
use super::team_draft::{NOTHING, TeamDraft};
use super::{Cursor, Dice, Merged, Pool, RankCredit};

/// The largest number of positions that are optimised.
pub(super) const DEPTH: usize = 10;

#[derive(Debug, Clone)]
pub(super) struct Optimized {
    credit: RankCredit,
    /// The number of positions that are optimised: 10, or fewer if the merged list is shorter.
    depth: usize,
    /// The allowed lists, one after another.
    allowed: Vec<u32>,
    /// The lists that can be drawn, by their index among the allowed ones, and their probabilities.
    support: Vec<usize>,
    probabilities: Vec<f64>,
    /// The credit of each document for both lists.
    worth: Vec<[f64; 2]>,
    /// How much more a click on each document is worth to the left list.
    advantage: Vec<f64>,
    /// The sensitivity of each allowed list.
    goal: Vec<f64>,
    taken: Vec<bool>,
    fallback: TeamDraft,
}

impl Optimized {
    pub(super) fn new(credit: RankCredit) -> Self {
        Self {
            credit,
            depth: 0,
            allowed: Vec::new(),
            support: Vec::new(),
            probabilities: Vec::new(),
            worth: Vec::new(),
            advantage: Vec::new(),
            goal: Vec::new(),
            taken: Vec::new(),
            fallback: TeamDraft::default(),
        }
    }

    pub(super) fn fell_back(&self) -> bool {
        self.depth > 0 && self.support.is_empty()
    }

    pub(super) fn prepare<D: Copy>(&mut self, pool: &Pool<D>, length: usize) {
        self.depth = pool.n_documents().min(length).min(DEPTH);
        self.allowed.clear();
        self.goal.clear();
        self.support.clear();
        self.probabilities.clear();
        self.weigh(pool);
        if self.depth == 0 {
            return;
        }
        self.taken.clear();
        self.taken.resize(pool.n_documents(), false);
        let mut walk = Walk {
            depth: self.depth,
            advantage: &self.advantage,
            taken: &mut self.taken,
            list: [0; DEPTH],
            allowed: &mut self.allowed,
            goal: &mut self.goal,
        };
        walk.below(0, [Cursor::new(pool.list(0)), Cursor::new(pool.list(1))], [0.0; 2]);
        self.solve();
    }

    /// The credit of each document.
    fn weigh<D: Copy>(&mut self, pool: &Pool<D>) {
        let longer = pool.list(0).len().max(pool.list(1).len());
        let worth = |rank: u32| {
            let rank = if rank == 0 { longer + 1 } else { rank as usize };
            match self.credit {
                RankCredit::Inverse => 1.0 / rank as f64,
                RankCredit::Linear => (longer + 1 - rank) as f64 / longer as f64,
            }
        };
        self.worth.clear();
        #[expect(clippy::cast_possible_truncation, reason = "the pool numbers documents by 32 bits")]
        self.worth.extend((0..pool.n_documents() as u32).map(|number| pool.two_ranks(number).map(worth)));
        self.advantage.clear();
        self.advantage.extend(self.worth.iter().map(|[left, right]| left - right));
    }

    fn solve(&mut self) {
        let n_lists = self.goal.len();
        let mut bounds = vec![0.0; self.depth + 1];
        bounds[0] = 1.0;
        // The first row says that probabilities add up to 1. Each of the others says that a
        // position favours nobody.
        let mut rows = vec![1.0; n_lists];
        for position in 0..self.depth {
            let documents = self.allowed.iter().skip(position).step_by(self.depth);
            rows.extend(documents.map(|&number| self.advantage[number as usize]));
        }
        let Some(first) = (Programme { rows: &rows, goal: &self.goal, bounds: &bounds }).solve() else {
            return;
        };
        // The same with the sides swapped, which puts the lists in the opposite order.
        rows.chunks_exact_mut(n_lists).for_each(<[f64]>::reverse);
        rows[n_lists..].iter_mut().for_each(|entry| *entry = -*entry);
        self.goal.reverse();
        let Some(second) = (Programme { rows: &rows, goal: &self.goal, bounds: &bounds }).solve() else {
            return;
        };
        let second = second.into_iter().map(|(list, probability)| (n_lists - 1 - list, probability));
        let mut law: Vec<(usize, f64)> = first.into_iter().chain(second).collect();
        law.sort_by_key(|&(list, _)| list);
        for (list, probability) in law {
            if self.support.last() == Some(&list) {
                *self.probabilities.last_mut().expect("one for each list") += probability;
            } else {
                self.support.push(list);
                self.probabilities.push(probability);
            }
        }
        let total: f64 = self.probabilities.iter().sum();
        self.probabilities.iter_mut().for_each(|probability| *probability /= total);
    }

    pub(super) fn draw<D: Copy>(
        &mut self,
        pool: &Pool<D>,
        length: usize,
        dice: &mut impl Dice,
        merged: &mut Merged<D>,
    ) {
        if self.fell_back() {
            return self.fallback.draw(pool, length, dice, merged);
        }
        let (documents, shares) = merged.start_shares();
        if self.depth == 0 {
            return;
        }
        let drawn = if self.support.len() == 1 { 0 } else { dice.weighted(&self.probabilities, 1.0) };
        let start = self.support[drawn] * self.depth;
        let list = &self.allowed[start..start + self.depth];
        documents.extend(list.iter().map(|&number| pool.document(number)));
        shares.extend(list.iter().map(|&number| self.worth[number as usize]));
        if length == self.depth || pool.n_documents() == self.depth {
            return;
        }
        self.taken.clear();
        self.taken.resize(pool.n_documents(), false);
        for &number in list {
            self.taken[number as usize] = true;
        }
        let mut cursors = [Cursor::new(pool.list(0)), Cursor::new(pool.list(1))];
        let mut side = usize::from(dice.coin());
        while documents.len() < length {
            let next = cursors[side].peek(&self.taken);
            side = 1 - side;
            let Some(number) = next.or_else(|| cursors[side].peek(&self.taken)) else { return };
            self.taken[number as usize] = true;
            documents.push(pool.document(number));
            shares.push(NOTHING);
        }
    }
}

/// The walk through all lists in which each document is the best remaining one of either list.
struct Walk<'a> {
    depth: usize,
    advantage: &'a [f64],
    taken: &'a mut [bool],
    list: [u32; DEPTH],
    allowed: &'a mut Vec<u32>,
    goal: &'a mut Vec<f64>,
}

impl Walk<'_> {
    /// Continues below `position`. `told` has the probabilities so far that a click is worth more
    /// to the left list, and to the right list.
    fn below(&mut self, position: usize, mut cursors: [Cursor<'_>; 2], told: [f64; 2]) {
        if position == self.depth {
            self.allowed.extend_from_slice(&self.list[..self.depth]);
            self.goal.push(sensitivity(told));
            return;
        }
        let [left, right] = cursors.each_mut().map(|cursor| cursor.peek(self.taken));
        for number in left.into_iter().chain(right.filter(|_| left != right)) {
            let advantage = self.advantage[number as usize];
            let chance = 1.0 / (position + 1) as f64;
            let mut told = told;
            // Equal ranks give exactly equal credits.
            if advantage != 0.0 {
                told[usize::from(advantage < 0.0)] += chance;
            }
            self.taken[number as usize] = true;
            self.list[position] = number;
            self.below(position + 1, cursors, told);
            self.taken[number as usize] = false;
        }
    }
}

/// The probability that a click is not a tie, times the entropy of who gets it, up to a factor that
/// is the same for all lists of a length.
fn sensitivity([left, right]: [f64; 2]) -> f64 {
    if left == 0.0 || right == 0.0 {
        return 0.0;
    }
    let told = left + right;
    told * libm::log2(told) - left * libm::log2(left) - right * libm::log2(right)
}
