//! The list that is shown, and what clicks on it are worth.

use serde::{Deserialize, Serialize};
use tiltyard_bandit::Outcome;

use super::Clicks;

/// A merged list with what is needed to credit clicks on it. Plain data: store it until the clicks
/// come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Merged<D> {
    documents: Vec<D>,
    stakes: Stakes,
}

/// What a click is worth, position by position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Stakes {
    /// What a click adds to the credit of the left list and of the right one.
    Shares(Vec<[f64; 2]>),
    /// The rank of the document in either list, counted from 1: what balanced interleaving credits
    /// by.
    Ranks(Vec<[Option<u32>; 2]>),
}

impl<D> Default for Merged<D> {
    fn default() -> Self {
        Self { documents: Vec::new(), stakes: Stakes::Shares(Vec::new()) }
    }
}

impl<D> Merged<D> {
    /// The documents to show, best first.
    pub fn documents(&self) -> &[D] {
        &self.documents
    }

    /// What clicks are worth.
    pub fn stakes(&self) -> &Stakes {
        &self.stakes
    }

    /// The same list, its documents called otherwise: indices while it is merged, names while it is
    /// kept.
    #[must_use]
    pub fn map<E>(self, name: impl FnMut(D) -> E) -> Merged<E> {
        Merged { documents: self.documents.into_iter().map(name).collect(), stakes: self.stakes }
    }

    /// What the two lists earn by these clicks. Clicks below the end of the list count nothing.
    pub fn credit(&self, clicks: &Clicks) -> Credits {
        match &self.stakes {
            Stakes::Shares(shares) => {
                let mut credits = Credits { left: 0.0, right: 0.0, clicks: 0 };
                for [left, right] in clicks.iter().map_while(|position| shares.get(position)) {
                    credits.left += left;
                    credits.right += right;
                    credits.clicks += 1;
                }
                credits
            }
            Stakes::Ranks(ranks) => {
                let clicked = || clicks.iter().map_while(|position| ranks.get(position));
                // The depth to which both lists must be read to meet the lowest click.
                let depth = clicked().last().and_then(|ranks| ranks.iter().flatten().min());
                let above = |side: usize| {
                    let own = clicked().filter_map(|ranks| ranks[side].as_ref());
                    own.filter(|&rank| Some(rank) <= depth).count() as f64
                };
                Credits { left: above(0), right: above(1), clicks: clicked().count() }
            }
        }
    }

    /// An empty list whose clicks are worth shares.
    pub(crate) fn start_shares(&mut self) -> (&mut Vec<D>, &mut Vec<[f64; 2]>) {
        self.documents.clear();
        if !matches!(self.stakes, Stakes::Shares(_)) {
            self.stakes = Stakes::Shares(Vec::new());
        }
        let Stakes::Shares(shares) = &mut self.stakes else { unreachable!("it was just set") };
        shares.clear();
        (&mut self.documents, shares)
    }

    /// An empty list whose clicks count by rank.
    pub(crate) fn start_ranks(&mut self) -> (&mut Vec<D>, &mut Vec<[Option<u32>; 2]>) {
        self.documents.clear();
        if !matches!(self.stakes, Stakes::Ranks(_)) {
            self.stakes = Stakes::Ranks(Vec::new());
        }
        let Stakes::Ranks(ranks) = &mut self.stakes else { unreachable!("it was just set") };
        ranks.clear();
        (&mut self.documents, ranks)
    }
}

/// What two lists earned. A click is worth from 0 to 1 to either.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Credits {
    /// The left list.
    pub left: f64,
    /// The right list.
    pub right: f64,
    /// Documents that were clicked.
    pub clicks: usize,
}

impl Credits {
    /// Credits nearer than this are equal: shares are added up in floating point.
    const EQUAL: f64 = 1e-9;

    /// Who earned more: a win, a tie or a loss of the left list.
    ///
    /// Where shares are fractions (the marginal credit, the optimised method) blind clicks give
    /// equal credits in expectation, but not as many wins as losses; [`Self::graded`] has no such
    /// fault.
    pub fn outcome(self) -> Outcome {
        let difference = self.left - self.right;
        if difference.abs() <= Self::EQUAL { Outcome::TIE } else { Outcome::won(difference > 0.0) }
    }

    /// How much more a clicked document was worth to the left list, in the mean; a tie without
    /// clicks.
    pub fn graded(self) -> Outcome {
        let mean = (self.left - self.right) / self.clicks.max(1) as f64;
        Outcome::new(mean.clamp(-1.0, 1.0)).unwrap_or(Outcome::TIE)
    }
}
