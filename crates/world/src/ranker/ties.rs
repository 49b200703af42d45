//! Which of two documents with the same score comes first.
//!
//! It matters. In real collections most features tie most documents: counts are small whole
//! numbers, fields are missing, some features depend on the query alone. The rule then makes most
//! of the list.

use core::fmt;
use core::str::FromStr;

use rand::seq::SliceRandom;
use tiltyard_bandit::Stream;
use tiltyard_bandit::spec::suggest;

/// How documents with the same score are ordered.
///
/// Each of the three is a fixed order: the same seed gives the same lists, whoever reads them and
/// in whatever sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ties {
    /// By one shuffle of the query's documents, the same for all rankers: the default.
    ///
    /// Two rankers that say the same of a query then have the same list, and a duel between them is
    /// even, exactly; two features that are constant are one ranker twice. What sets two lists
    /// apart is what the rankers say, never the luck of a shuffle, so the matrix shows differences
    /// of rankers with less noise. The price: a shuffle that happens to be good is good for
    /// everybody who ties.
    #[default]
    Shared,
    /// By a shuffle of its own for each ranker and query.
    ///
    /// Rankers that say the same differ by luck: with few queries an entry that should be 1/2 is
    /// off by the luck of the shuffles, which no number of interleavings averages out. It is what a
    /// simulation does that shuffles before it sorts.
    Independent,
    /// By the order of the file.
    ///
    /// Dangerous: some files are sorted by label, or have the relevant documents first, and a
    /// ranker that knows nothing then looks like one that knows everything. For files whose order
    /// is known to mean nothing, and for hand-made examples.
    FileOrder,
}

impl Ties {
    const ALL: [(&'static str, Self); 3] =
        [("shared", Self::Shared), ("independent", Self::Independent), ("file-order", Self::FileOrder)];

    /// The documents of a query, in the order in which those with the same score are listed, into
    /// `order`.
    pub(super) fn order(self, seed: u64, query: &str, ranker: usize, n_documents: u32, order: &mut Vec<u32>) {
        order.clear();
        order.extend(0..n_documents);
        let stream = Stream::new(seed).label("ties").label(query);
        match self {
            Self::Shared => order.shuffle(&mut stream.rng()),
            Self::Independent => order.shuffle(&mut stream.index(ranker as u64).rng()),
            Self::FileOrder => {}
        }
    }
}

impl fmt::Display for Ties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = Self::ALL.iter().find(|(_, ties)| ties == self).map_or("", |&(word, _)| word);
        f.pad(word)
    }
}

impl FromStr for Ties {
    type Err = UnknownTies;

    fn from_str(text: &str) -> Result<Self, UnknownTies> {
        Self::ALL.iter().find(|&&(word, _)| word == text).map(|&(_, ties)| ties).ok_or_else(|| UnknownTies {
            text: text.to_owned(),
            suggestion: suggest(text, Self::ALL.map(|(word, _)| word)),
        })
    }
}

/// A word that is no [`Ties`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no rule for ties: there are shared, independent and file-order")]
pub struct UnknownTies {
    /// The word.
    pub text: String,
    /// What was probably meant.
    pub suggestion: Option<&'static str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(ties: Ties, seed: u64, query: &str, ranker: usize) -> Vec<u32> {
        let mut order = Vec::new();
        ties.order(seed, query, ranker, 20, &mut order);
        order
    }

    #[test]
    fn trace_words() {
        for (word, ties) in Ties::ALL {
            assert_eq!((word.parse(), ties.to_string().as_str()), (Ok(ties), word));
        }
        assert_eq!("sharde".parse::<Ties>().unwrap_err().suggestion, Some("shared"));
    }

    #[test]
    fn trace_who_shares_what() {
        assert_eq!(order(Ties::Shared, 1, "a", 0), order(Ties::Shared, 1, "a", 1));
        assert_ne!(order(Ties::Shared, 1, "a", 0), order(Ties::Shared, 1, "b", 0));
        assert_ne!(order(Ties::Shared, 1, "a", 0), order(Ties::Shared, 2, "a", 0));
        assert_ne!(order(Ties::Independent, 1, "a", 0), order(Ties::Independent, 1, "a", 1));
        assert_eq!(order(Ties::Independent, 1, "a", 1), order(Ties::Independent, 1, "a", 1));
        assert_eq!(order(Ties::FileOrder, 1, "a", 3), (0..20).collect::<Vec<_>>());
    }
}
