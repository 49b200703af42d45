//! Ranks a stream of queries and keeps the tops of all rankers' lists.

use core::fmt;
use core::str::FromStr;

use super::columns::Columns;
use super::mixtures::Mixtures;
use super::ranked::{RankedCollection, RankedError, RankedQuery, check_depth, check_rankers};
use super::ties::Ties;
use super::top::Top;
use crate::collection::{Query, ReadCollectionError};
use crate::matrix_file::MAX_ARMS;

/// The rankers: `features` or `mixtures:N`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rankers {
    /// One ranker per feature, highest value first. Ranker `i` ranks by feature `i + 1` of the
    /// files.
    #[default]
    Features,
    /// This many random linear mixtures of all features. Each feature is standardised within the
    /// query to mean 0 and variance 1, and ignored where it is constant. The weights of a ranker
    /// have a uniformly random direction, so a feature is as likely to count against a document as
    /// for it.
    Mixtures(usize),
}

impl fmt::Display for Rankers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Features => f.write_str("features"),
            Self::Mixtures(n_rankers) => write!(f, "mixtures:{n_rankers}"),
        }
    }
}

impl FromStr for Rankers {
    type Err = RankersError;

    fn from_str(text: &str) -> Result<Self, RankersError> {
        if text == "features" {
            return Ok(Self::Features);
        }
        let n_rankers = text.strip_prefix("mixtures:").and_then(|number| number.parse().ok());
        match n_rankers {
            Some(n_rankers @ 1..=MAX_ARMS) => Ok(Self::Mixtures(n_rankers)),
            _ => Err(RankersError { text: text.to_owned() }),
        }
    }
}

/// The text does not name rankers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` does not name rankers: write `features`, or `mixtures:N` with N from 1 to {MAX_ARMS}")]
#[expect(missing_docs, reason = "the names say it")]
pub struct RankersError {
    pub text: String,
}

/// How a collection is ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Ranking {
    pub rankers: Rankers,
    /// The number of documents to keep of each list.
    pub depth: usize,
    /// Which of two documents with the same score comes first.
    pub ties: Ties,
    /// The seed of ties and mixtures.
    pub seed: u64,
}

impl Default for Ranking {
    /// One ranker per feature, ten documents, ties by a shared shuffle, seed 1.
    fn default() -> Self {
        Self { rankers: Rankers::Features, depth: 10, ties: Ties::Shared, seed: 1 }
    }
}

impl RankedCollection {
    /// Ranks a stream of queries, holding one at a time.
    ///
    /// With one ranker per feature, the number of rankers is the largest feature number in any
    /// query.
    ///
    /// # Errors
    ///
    /// If the stream ends in an error, there are no queries or no features, there are more rankers
    /// than a matrix may have arms, or the depth is out of range.
    pub fn from_queries(
        queries: impl IntoIterator<Item = Result<Query, ReadCollectionError>>,
        ranking: &Ranking,
    ) -> Result<Self, RankedError> {
        let mut ranker = QueryRanker::new(*ranking)?;
        let mut lists = Vec::new();
        for query in queries {
            lists.push(ranker.rank(&query?)?);
        }
        ranker.level(&mut lists);
        Self::new(lists)
    }
}

/// Ranks queries one after the other, reusing its memory.
#[derive(Debug)]
struct QueryRanker {
    ranking: Ranking,
    mixtures: Option<Mixtures>,
    columns: Columns,
    scores: Vec<f32>,
    order: Vec<u32>,
    top: Top,
    /// The largest number of rankers of a query so far.
    n_rankers: usize,
}

impl QueryRanker {
    fn new(ranking: Ranking) -> Result<Self, RankedError> {
        check_depth(ranking.depth)?;
        let mixtures = match ranking.rankers {
            Rankers::Features => None,
            Rankers::Mixtures(n_rankers) => {
                check_rankers(n_rankers)?;
                Some(Mixtures::new(n_rankers, ranking.seed))
            }
        };
        Ok(Self {
            ranking,
            mixtures,
            columns: Columns::default(),
            scores: Vec::new(),
            order: Vec::new(),
            top: Top::default(),
            n_rankers: 0,
        })
    }

    fn rank(&mut self, query: &Query) -> Result<RankedQuery, RankedError> {
        self.columns.fill(query);
        let n_rankers = match (&mut self.mixtures, self.ranking.rankers) {
            (Some(mixtures), Rankers::Mixtures(n_rankers)) => {
                mixtures.fill(&self.columns, query.n_documents());
                n_rankers
            }
            _ => self.columns.n_features(),
        };
        self.n_rankers = self.n_rankers.max(n_rankers);
        if self.n_rankers > 0 {
            check_rankers(self.n_rankers)?;
        }
        let mut ranked = RankedQuery::without_lists(query.id(), query.labels());
        self.order(&ranked, 0);
        for ranker in 0..n_rankers {
            match &self.mixtures {
                Some(mixtures) => mixtures.scores(ranker, &mut self.scores),
                None => self.columns.scores(ranker, &mut self.scores),
            }
            self.push_list(ranker, &mut ranked);
        }
        ranked.shrink();
        Ok(ranked)
    }

    /// Adds the missing lists to queries that were ranked before the largest feature was known.
    /// They do not mention the missing features, so all documents tie. Only the name and the size
    /// of the query are needed.
    fn level(&mut self, ranked: &mut [RankedQuery]) {
        let n_rankers = self.n_rankers;
        for query in ranked.iter_mut().filter(|query| query.n_rankers() < n_rankers) {
            self.order(query, 0);
            self.scores.clear();
            self.scores.resize(query.n_documents(), 0.0);
            for ranker in query.n_rankers()..n_rankers {
                self.push_list(ranker, query);
            }
            query.shrink();
        }
    }

    /// Puts the documents of a query into the order for ties.
    fn order(&mut self, query: &RankedQuery, ranker: usize) {
        let Ranking { ties, seed, .. } = self.ranking;
        let n_documents =
            u32::try_from(query.n_documents()).expect("a query has at most a million documents");
        ties.order(seed, query.id(), ranker, n_documents, &mut self.order);
    }

    /// Adds the list of a ranker. Its scores are in `self.scores`.
    fn push_list(&mut self, ranker: usize, query: &mut RankedQuery) {
        if self.ranking.ties == Ties::Independent {
            self.order(query, ranker);
        }
        query.push_list(self.top.select(&self.scores, &self.order, self.ranking.depth));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::LetorReader;
    use std::io::Cursor;

    fn ranked(text: &'static str, ranking: Ranking) -> Result<RankedCollection, RankedError> {
        RankedCollection::from_queries(LetorReader::new("test", Cursor::new(text)).unwrap(), &ranking)
    }

    #[test]
    fn trace_words() {
        for (text, rankers) in [("features", Rankers::Features), ("mixtures:7", Rankers::Mixtures(7))] {
            assert_eq!((text.parse(), rankers.to_string().as_str()), (Ok(rankers), text));
        }
        for text in ["", "feature", "mixtures", "mixtures:", "mixtures:0", "mixtures:20001", "mixtures:-1"] {
            assert!(text.parse::<Rankers>().is_err(), "{text}");
        }
    }

    const TEXT: &str = "\
        0 qid:a 1:1 2:5\n0 qid:a 1:3\n1 qid:a 1:2\n\
        0 qid:b 1:1\n1 qid:b 4:2\n0 qid:b 4:-1\n2 qid:b 1:1 4:3\n";

    /// Only the second query mentions feature 4. In the first query it ties all documents.
    #[test]
    fn trace_features_in_file_order() {
        let ranked = ranked(TEXT, Ranking { depth: 3, ties: Ties::FileOrder, ..Ranking::default() }).unwrap();
        assert_eq!((ranked.n_rankers(), ranked.depth(), ranked.max_label()), (4, 3, 2));
        let lists = |query: usize| [0, 1, 2, 3].map(|ranker| ranked.queries()[query].list(ranker).to_vec());
        assert_eq!(lists(0), [[1, 2, 0], [0, 1, 2], [0, 1, 2], [0, 1, 2]]);
        assert_eq!(lists(1), [[0, 3, 1], [0, 1, 2], [0, 1, 2], [3, 1, 0]]);
    }

    /// With shared ties, all constant features have the same list, including features that only
    /// later queries mention.
    #[test]
    fn trace_shared_ties_make_constant_features_equal() {
        let shared = ranked(TEXT, Ranking::default()).unwrap();
        for query in shared.queries() {
            assert_eq!(query.list(2), query.list(if query.id() == "a" { 3 } else { 1 }));
        }
        let text: &str = Box::leak((0..30).map(|_| "0 qid:a 9:1\n").collect::<String>().into_boxed_str());
        let own = ranked(text, Ranking { ties: Ties::Independent, ..Ranking::default() }).unwrap();
        assert_ne!(own.queries()[0].list(0), own.queries()[0].list(8));
    }

    #[test]
    fn trace_mixtures_number_as_asked() {
        let ranking = Ranking { rankers: Rankers::Mixtures(9), ..Ranking::default() };
        let one = ranked(TEXT, ranking).unwrap();
        assert_eq!((one.n_rankers(), one.depth()), (9, 4));
        assert_eq!(one, ranked(TEXT, ranking).unwrap());
        assert_ne!(one, ranked(TEXT, Ranking { seed: 2, ..ranking }).unwrap());
    }

    #[test]
    fn trace_what_is_refused() {
        let error = |text, ranking| ranked(text, ranking).unwrap_err();
        assert!(matches!(error("1 qid:a\n", Ranking::default()), RankedError::NoRankers));
        assert!(matches!(
            error("1 qid:a 20001:1\n", Ranking::default()),
            RankedError::TooManyRankers { n_rankers: 20_001 }
        ));
        assert!(matches!(
            error(TEXT, Ranking { depth: 0, ..Ranking::default() }),
            RankedError::Depth { depth: 0 }
        ));
        let none = Ranking { rankers: Rankers::Mixtures(0), ..Ranking::default() };
        assert!(matches!(error(TEXT, none), RankedError::NoRankers));
        assert!(matches!(error("", Ranking::default()), RankedError::Collection(_)));
    }

    #[test]
    fn stable_shared_order() {
        let ranked = ranked(TEXT, Ranking::default()).unwrap();
        assert_eq!(ranked.queries()[1].list(1), [3, 2, 0, 1]);
    }
}
