//! Multileaving: several rankings merged into one list, so that clicks on it compare them all at once.
//!
//! The same shape as [`interleave`](crate::interleave): [`Multileaving`] names a method, a [`Multileaver`] merges lists, and the
//! [`Multileaved`] list is plain data that knows what clicks on it are worth to each ranking.
//!
//! ```
//! use tiltyard_bandit::Stream;
//! use tiltyard_world::interleave::Clicks;
//! use tiltyard_world::multileave::{Multileaved, Multileaver, Multileaving};
//!
//! let mut leaver = Multileaver::new("team-draft".parse::<Multileaving>()?);
//! let mut list = Multileaved::default();
//! leaver.merge(&[&["a", "b", "c"], &["b", "c", "a"], &["c", "a", "d"]], 3, &mut Stream::new(1).rng(), &mut list);
//! let mut credits = Vec::new();
//! list.credit(&Clicks::at([0, 1, 2], 3)?, &mut credits);
//! assert_eq!(credits, [1.0, 1.0, 1.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod method;
mod probabilistic;
mod team_draft;

pub use method::Multileaving;

use rand::Rng;
use serde::{Deserialize, Serialize};

use self::probabilistic::Probabilistic;
use self::team_draft::TeamDraft;
use crate::interleave::{Clicks, Dice, Pool, RngDice};

/// A list merged from several, with what is needed to credit clicks on it. Plain data: store it until the clicks come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Multileaved<D> {
    documents: Vec<D>,
    n_lists: usize,
    /// What a click is worth to each list, one row a position.
    shares: Vec<f64>,
}

impl<D> Default for Multileaved<D> {
    fn default() -> Self {
        Self { documents: Vec::new(), n_lists: 0, shares: Vec::new() }
    }
}

impl<D> Multileaved<D> {
    /// The documents to show, best first.
    pub fn documents(&self) -> &[D] {
        &self.documents
    }

    /// What a click at a position is worth to each list; nothing beyond the end.
    pub fn shares(&self, position: usize) -> &[f64] {
        let start = position.saturating_mul(self.n_lists);
        self.shares.get(start..start.saturating_add(self.n_lists)).unwrap_or(&[])
    }

    /// What each list earns by these clicks. For two of them, [`Credits`](crate::interleave::Credits) says who won.
    pub fn credit(&self, clicks: &Clicks, credits: &mut Vec<f64>) {
        credits.clear();
        credits.resize(self.n_lists, 0.0);
        for position in clicks.iter() {
            for (credit, share) in credits.iter_mut().zip(self.shares(position)) {
                *credit += share;
            }
        }
    }

    fn start(&mut self, n_lists: usize) {
        self.documents.clear();
        self.shares.clear();
        self.n_lists = n_lists;
    }

    /// Adds a document, and a row of shares that are all 0.
    fn push(&mut self, document: D) -> &mut [f64] {
        self.documents.push(document);
        let start = self.shares.len();
        self.shares.resize(start + self.n_lists, 0.0);
        &mut self.shares[start..]
    }
}

/// Merges several lists, again and again, and allocates nothing once it has seen lists of their size.
#[derive(Debug, Clone)]
pub struct Multileaver<D> {
    method: Multileaving,
    length: usize,
    pool: Pool<D>,
    engine: Engine,
}

#[derive(Debug, Clone)]
enum Engine {
    TeamDraft(TeamDraft),
    Probabilistic(Probabilistic),
}

impl<D: Copy + Eq> Multileaver<D> {
    /// A multileaver with no lists yet.
    pub fn new(method: Multileaving) -> Self {
        let engine = match method {
            Multileaving::TeamDraft => Engine::TeamDraft(TeamDraft::default()),
            Multileaving::Probabilistic { tau } => Engine::Probabilistic(Probabilistic::new(tau)),
        };
        Self { method, length: 0, pool: Pool::default(), engine }
    }

    /// The method.
    pub fn method(&self) -> Multileaving {
        self.method
    }

    /// Takes lists, to be merged into one of at most `length` documents.
    ///
    /// Costs O(n m) comparisons of documents, where n is the sum of the lengths and m the number of distinct documents. Team draft
    /// looks only at the top `length` of each list.
    pub fn prepare(&mut self, lists: &[&[D]], length: usize) {
        self.length = length;
        let depth = if matches!(self.engine, Engine::Probabilistic(_)) { usize::MAX } else { length };
        self.pool.fill(lists, depth);
        if let Engine::Probabilistic(engine) = &mut self.engine {
            engine.prepare(&self.pool);
        }
    }

    /// Draws a merged list of the lists last prepared.
    pub fn draw<R: Rng + ?Sized>(&mut self, rng: &mut R, merged: &mut Multileaved<D>) {
        self.draw_with(&mut RngDice::new(rng), merged);
    }

    /// Takes lists and draws a merged list of at most `length` documents.
    pub fn merge<R: Rng + ?Sized>(
        &mut self,
        lists: &[&[D]],
        length: usize,
        rng: &mut R,
        merged: &mut Multileaved<D>,
    ) {
        self.prepare(lists, length);
        self.draw(rng, merged);
    }

    /// The same for any source of chance, so that tests can walk through all of it.
    fn draw_with(&mut self, dice: &mut impl Dice, merged: &mut Multileaved<D>) {
        merged.start(self.pool.n_lists());
        match &mut self.engine {
            Engine::TeamDraft(engine) => engine.draw(&self.pool, self.length, dice, merged),
            Engine::Probabilistic(engine) => engine.draw(&self.pool, self.length, dice, merged),
        }
    }
}

#[cfg(test)]
mod tests;
