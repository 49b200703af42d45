//! Which of two documents with the same score comes first.
//!
//! This matters, because in real collections most features tie most documents: counts are small
//! whole numbers, fields are missing, and some features depend only on the query. The rule for ties
//! then decides most of the list.

use core::fmt;
use core::str::FromStr;

use rand::seq::SliceRandom;
use tiltyard_bandit::Stream;
use tiltyard_bandit::spec::suggest;

/// How documents with the same score are ordered.
///
/// All three are fixed orders. The same seed always gives the same lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ties {
    /// One shuffle of the query's documents, the same for all rankers. This is the default.
    ///
    /// Two rankers with the same scores have the same list, so a duel between them is exactly even.
    /// Two constant features thus give the same ranker. Lists differ only because scores differ,
    /// never by the luck of a shuffle, so the matrix has less noise. The drawback is that a lucky
    /// shuffle helps all rankers with ties.
    #[default]
    Shared,
    /// A separate shuffle for each ranker and query.
    ///
    /// Rankers with the same scores differ by luck. With few queries, an entry that should be 1/2
    /// is off by the luck of the shuffles, and no number of interleavings averages that out. A
    /// simulation that shuffles before it sorts does this.
    Independent,
    /// The order of the file.
    ///
    /// This is dangerous: some files are sorted by label or have the relevant documents first, and
    /// a useless ranker then looks perfect. Use it only for files in a meaningless order and for
    /// examples written by hand.
    FileOrder,
}

impl Ties {
    const ALL: [(&'static str, Self); 3] =
        [("shared", Self::Shared), ("independent", Self::Independent), ("file-order", Self::FileOrder)];

    /// Writes the documents of a query into `order`, in the order that applies to equal scores.
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

/// No rule for ties has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a rule for ties: it is one of shared, independent, file-order")]
#[expect(missing_docs, reason = "the names say it")]
pub struct UnknownTies {
    pub text: String,
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
