//! The list that is shown, and the credit for clicks on it.

use serde::{Deserialize, Serialize};
use tiltyard_bandit::Outcome;

use super::Clicks;

/// A merged list with everything needed to credit clicks on it. It is plain data: store it until
/// the clicks arrive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Merged<D> {
    documents: Vec<D>,
    stakes: Stakes,
}

/// The value of a click, position by position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Stakes {
    /// The credit that a click adds for the left list and for the right list.
    Shares(Vec<[f64; 2]>),
    /// The rank of the document in each list, counted from 1. Balanced interleaving credits by
    /// ranks.
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

    /// The value of clicks.
    pub fn stakes(&self) -> &Stakes {
        &self.stakes
    }

    /// The same list with other names for its documents: indices while it is merged, names while it
    /// is stored.
    #[must_use]
    pub fn map<E>(self, name: impl FnMut(D) -> E) -> Merged<E> {
        Merged { documents: self.documents.into_iter().map(name).collect(), stakes: self.stakes }
    }

    /// The credit of the two lists for these clicks. Clicks below the end of the list do not count.
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

    /// Clears the list, and makes its clicks worth shares.
    pub(crate) fn start_shares(&mut self) -> (&mut Vec<D>, &mut Vec<[f64; 2]>) {
        self.documents.clear();
        if !matches!(self.stakes, Stakes::Shares(_)) {
            self.stakes = Stakes::Shares(Vec::new());
        }
        let Stakes::Shares(shares) = &mut self.stakes else { unreachable!("it was just set") };
        shares.clear();
        (&mut self.documents, shares)
    }

    /// Clears the list, and makes its clicks count by rank.
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

/// The credit of two lists. A click is worth between 0 and 1 to each of them.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Credits {
    pub left: f64,
    pub right: f64,
    /// Documents that were clicked.
    pub clicks: usize,
}

impl Credits {
    /// Credits closer than this count as equal, because shares are added in floating point.
    const EQUAL: f64 = 1e-9;

    /// The list that earned more: a win, a tie or a loss of the left list.
    ///
    /// If shares are fractions (the marginal credit, the optimised method), random clicks give
    /// equal credits in expectation, but not as many wins as losses. [`Self::graded`] does not have
    /// this flaw.
    pub fn outcome(self) -> Outcome {
        let difference = self.left - self.right;
        if difference.abs() <= Self::EQUAL { Outcome::TIE } else { Outcome::won(difference > 0.0) }
    }

    /// How much more a clicked document was worth to the left list, on average; a tie without
    /// clicks.
    pub fn graded(self) -> Outcome {
        let mean = (self.left - self.right) / self.clicks.max(1) as f64;
        Outcome::new(mean.clamp(-1.0, 1.0)).unwrap_or(Outcome::TIE)
    }
}
