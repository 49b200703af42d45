//! Interleaving: two rankings are merged into one list, so that clicks on it say which ranking
//! people prefer.
//!
//! [`Interleaving`] names a method, and a [`Merger`] merges two lists with it. The [`Merged`] list
//! is shown, and [`Merged::credit`] turns clicks into an outcome. A merged list is plain data and
//! contains everything that the credit needs. It can be stored between showing and clicking, and
//! the two rankings are not needed again. Nothing here simulates anything. `docs/interleaving.md`
//! says which method to use when.
//!
//! Documents are anything that can be compared: indices in the lab, `&str` in a service. Lists may
//! have any length, be empty, and share any documents. If a document is in a list twice, the first
//! place counts, and the list is read as if the second were not there.
//!
//! ```
//! use tiltyard_bandit::{Outcome, Stream};
//! use tiltyard_interleave::{Clicks, Interleaving, Merged, Merger};
//!
//! let mut merger = Merger::new("team-draft".parse::<Interleaving>()?);
//! let mut merged = Merged::default();
//! let mut rng = Stream::new(1).rng();
//! merger.merge(&["a", "b", "c"], &["b", "d", "a"], 3, &mut rng, &mut merged);
//! assert_eq!(merged.documents().len(), 3);
//! let nobody = merged.credit(&Clicks::at([], 3)?).outcome();
//! assert_eq!(nobody, Outcome::TIE);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod balanced;
mod clicks;
mod dice;
#[cfg(test)]
mod exhaustive;
mod merged;
mod method;
mod optimized;
mod pool;
mod probabilistic;
mod team_draft;

pub use clicks::{ClickOutside, Clicks};
pub use merged::{Credits, Merged, Stakes};
pub use method::{CreditBy, Interleaving, InterleavingError, MethodInfo, RankCredit};

pub(crate) use dice::{Dice, RngDice};
#[cfg(test)]
pub(crate) use exhaustive::every_draw;
pub(crate) use pool::{Cursor, Pool};

use rand::Rng;

use self::optimized::Optimized;
use self::probabilistic::Probabilistic;
use self::team_draft::TeamDraft;

/// Merges two lists, again and again. It allocates nothing once it has seen lists of their size.
///
/// [`Self::merge`] does everything at once. To merge the same two lists many times, call
/// [`Self::prepare`] once and [`Self::draw`] as often as needed. That is much faster, above all for
/// the optimised method, which solves a linear programme to prepare.
#[derive(Debug, Clone)]
pub struct Merger<D> {
    method: Interleaving,
    length: usize,
    pool: Pool<D>,
    engine: Engine,
}

#[derive(Debug, Clone)]
enum Engine {
    TeamDraft(TeamDraft),
    Balanced(balanced::Balanced),
    Probabilistic(Probabilistic),
    Optimized(Box<Optimized>),
}

impl<D: Copy + Eq> Merger<D> {
    /// A merger with no lists yet.
    pub fn new(method: Interleaving) -> Self {
        let engine = match method {
            Interleaving::TeamDraft => Engine::TeamDraft(TeamDraft::default()),
            Interleaving::Balanced => Engine::Balanced(balanced::Balanced::default()),
            Interleaving::Probabilistic { tau, credit } => {
                Engine::Probabilistic(Probabilistic::new(tau, credit))
            }
            Interleaving::Optimized { credit } => Engine::Optimized(Box::new(Optimized::new(credit))),
        };
        Self { method, length: 0, pool: Pool::default(), engine }
    }

    /// The method.
    pub fn method(&self) -> Interleaving {
        self.method
    }

    /// Prepares two lists for merging into one of at most `length` documents.
    ///
    /// Costs O(n m) comparisons of documents, where n is the sum of the lengths and m the number of
    /// distinct documents. All methods except the probabilistic one use only the top `length` of
    /// each list.
    pub fn prepare(&mut self, left: &[D], right: &[D], length: usize) {
        self.length = length;
        let depth = if matches!(self.engine, Engine::Probabilistic(_)) { usize::MAX } else { length };
        self.pool.fill(&[left, right], depth);
        match &mut self.engine {
            Engine::TeamDraft(_) => {}
            Engine::Balanced(engine) => engine.prepare(),
            Engine::Probabilistic(engine) => engine.prepare(&self.pool),
            Engine::Optimized(engine) => engine.prepare(&self.pool, length),
        }
    }

    /// Draws a merged list of the two lists prepared last.
    pub fn draw<R: Rng + ?Sized>(&mut self, rng: &mut R, merged: &mut Merged<D>) {
        self.draw_with(&mut RngDice::new(rng), merged);
    }

    /// Prepares two lists and draws a merged list of at most `length` documents.
    pub fn merge<R: Rng + ?Sized>(
        &mut self,
        left: &[D],
        right: &[D],
        length: usize,
        rng: &mut R,
        merged: &mut Merged<D>,
    ) {
        self.prepare(left, right, length);
        self.draw(rng, merged);
    }

    /// Whether the two lists prepared last have no optimised distribution, so that team draft
    /// merges them. Always `false` for other methods.
    pub fn fell_back(&self) -> bool {
        matches!(&self.engine, Engine::Optimized(engine) if engine.fell_back())
    }

    /// Draws with any source of random choices, so that tests can try all of them.
    pub(crate) fn draw_with(&mut self, dice: &mut impl Dice, merged: &mut Merged<D>) {
        let (pool, length) = (&self.pool, self.length);
        match &mut self.engine {
            Engine::TeamDraft(engine) => engine.draw(pool, length, dice, merged),
            Engine::Balanced(engine) => engine.draw(pool, length, dice, merged),
            Engine::Probabilistic(engine) => engine.draw(pool, length, dice, merged),
            Engine::Optimized(engine) => engine.draw(pool, length, dice, merged),
        }
    }
}

#[cfg(test)]
mod tests;
