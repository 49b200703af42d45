//! Queries with the tops of all rankers' lists: what simulation needs and no more.

use crate::collection::ReadCollectionError;
use crate::matrix_file::MAX_ARMS;
use tiltyard_bandit::hint::{FrontEnd, Hint};

/// One query: the top of every ranker's list, and the labels of the documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankedQuery {
    id: Box<str>,
    labels: Box<[u8]>,
    /// The lists, one after the other.
    lists: Vec<u32>,
    /// Where each ranker's list starts in `lists`; one more at the end.
    starts: Vec<u32>,
}

impl RankedQuery {
    /// A query with the given labels, one a document, and lists of documents, one a ranker, best
    /// first.
    ///
    /// # Errors
    ///
    /// If a list holds a document that there is not, or one twice.
    pub fn new<L: AsRef<[u32]>>(
        id: impl Into<Box<str>>,
        labels: impl Into<Box<[u8]>>,
        lists: impl IntoIterator<Item = L>,
    ) -> Result<Self, RankedError> {
        let mut query = Self::without_lists(id, labels);
        // The last ranker that listed each document.
        let mut listed_by = vec![usize::MAX; query.labels.len()];
        for (ranker, list) in lists.into_iter().enumerate() {
            for &document in list.as_ref() {
                let Some(last) = listed_by.get_mut(document as usize) else {
                    return Err(RankedError::NoSuchDocument { id: query.id, ranker, document });
                };
                if *last == ranker {
                    return Err(RankedError::ListedTwice { id: query.id, ranker, document });
                }
                *last = ranker;
            }
            query.push_list(list.as_ref().iter().copied());
        }
        Ok(query)
    }

    pub(super) fn without_lists(id: impl Into<Box<str>>, labels: impl Into<Box<[u8]>>) -> Self {
        Self { id: id.into(), labels: labels.into(), lists: Vec::new(), starts: vec![0] }
    }

    /// Adds the next ranker's list. The caller sees to its documents.
    pub(super) fn push_list(&mut self, list: impl IntoIterator<Item = u32>) {
        self.lists.extend(list);
        let end = u32::try_from(self.lists.len()).expect("rankers and depth are limited");
        self.starts.push(end);
    }

    /// Gives back memory that was reserved for growth.
    pub(super) fn shrink(&mut self) {
        self.lists.shrink_to_fit();
        self.starts.shrink_to_fit();
    }

    /// What the query is called.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// How many documents the query has, listed or not.
    pub fn n_documents(&self) -> usize {
        self.labels.len()
    }

    /// How many rankers there are.
    pub fn n_rankers(&self) -> usize {
        self.starts.len() - 1
    }

    /// The top of a ranker's list, best first: numbers of documents.
    ///
    /// # Panics
    ///
    /// If there is no such ranker.
    pub fn list(&self, ranker: usize) -> &[u32] {
        &self.lists[self.starts[ranker] as usize..self.starts[ranker + 1] as usize]
    }

    /// How relevant a document is: 0 is not at all.
    ///
    /// # Panics
    ///
    /// If there is no such document.
    pub fn label(&self, document: u32) -> u8 {
        self.labels[document as usize]
    }

    /// The labels of all documents, listed or not.
    pub fn labels(&self) -> &[u8] {
        &self.labels
    }
}

/// Queries with the tops of the lists of the same rankers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankedCollection {
    n_rankers: usize,
    depth: usize,
    queries: Vec<RankedQuery>,
}

impl RankedCollection {
    /// The longest list that is kept of a ranker.
    pub const MAX_DEPTH: usize = 1000;

    /// Puts queries together.
    ///
    /// # Errors
    ///
    /// If there are none, they differ in the number of rankers, there are no or too many rankers,
    /// or a list is longer than [`Self::MAX_DEPTH`].
    pub fn new(queries: Vec<RankedQuery>) -> Result<Self, RankedError> {
        let Some(first) = queries.first() else { return Err(RankedError::NoQueries) };
        let n_rankers = first.n_rankers();
        check_rankers(n_rankers)?;
        let mut depth = 0;
        for query in &queries {
            if query.n_rankers() != n_rankers {
                let (id, got) = (query.id.clone(), query.n_rankers());
                return Err(RankedError::UnequalRankers { id, expected: n_rankers, got });
            }
            depth = (0..n_rankers).map(|ranker| query.list(ranker).len()).fold(depth, usize::max);
        }
        check_depth(depth)?;
        Ok(Self { n_rankers, depth, queries })
    }

    /// How many rankers there are: the arms of a matrix made from this.
    pub fn n_rankers(&self) -> usize {
        self.n_rankers
    }

    /// The length of the longest list.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The queries, in the order of the collection.
    pub fn queries(&self) -> &[RankedQuery] {
        &self.queries
    }

    /// The largest label of any document.
    pub fn max_label(&self) -> u8 {
        self.queries.iter().flat_map(|query| query.labels.iter().copied()).max().unwrap_or(0)
    }
}

pub(super) fn check_rankers(n_rankers: usize) -> Result<(), RankedError> {
    match n_rankers {
        0 => Err(RankedError::NoRankers),
        1..=MAX_ARMS => Ok(()),
        _ => Err(RankedError::TooManyRankers { n_rankers }),
    }
}

pub(super) fn check_depth(depth: usize) -> Result<(), RankedError> {
    if (1..=RankedCollection::MAX_DEPTH).contains(&depth) {
        Ok(())
    } else {
        Err(RankedError::Depth { depth })
    }
}

/// Why there is no ranked collection.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RankedError {
    /// The collection itself cannot be read.
    #[error(transparent)]
    Collection(#[from] ReadCollectionError),
    /// There is nothing to rank.
    #[error("there are no queries to rank")]
    NoQueries,
    /// There is nothing to rank by.
    #[error("there are no rankers: no document has a feature")]
    NoRankers,
    /// More rankers than a matrix may have arms.
    #[error("{n_rankers} rankers are more than the {MAX_ARMS} arms that a matrix may have")]
    TooManyRankers {
        /// The number of rankers.
        n_rankers: usize,
    },
    /// Lists of no length, or longer than anybody reads.
    #[error("lists of {depth} documents: the depth is from 1 to {}", RankedCollection::MAX_DEPTH)]
    Depth {
        /// The depth.
        depth: usize,
    },
    /// Queries that were ranked by different numbers of rankers.
    #[error("query `{id}` has lists of {got} rankers where the first query has {expected}")]
    UnequalRankers {
        /// The query.
        id: Box<str>,
        /// The number of rankers of the first query.
        expected: usize,
        /// The number of rankers of this one.
        got: usize,
    },
    /// A list with a document that the query does not have.
    #[error("query `{id}`: ranker {ranker} lists document {document}, which there is not")]
    NoSuchDocument {
        /// The query.
        id: Box<str>,
        /// The ranker, from 0.
        ranker: usize,
        /// The document, from 0.
        document: u32,
    },
    /// A list with a document twice.
    #[error("query `{id}`: ranker {ranker} lists document {document} twice")]
    ListedTwice {
        /// The query.
        id: Box<str>,
        /// The ranker, from 0.
        ranker: usize,
        /// The document, from 0.
        document: u32,
    },
}

impl Hint for RankedError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Collection(error) => error.hints(front),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_lists_come_back() {
        let query = RankedQuery::new("q", [0, 2, 1], [vec![1, 0], vec![], vec![2, 1, 0]]).unwrap();
        assert_eq!((query.n_documents(), query.n_rankers()), (3, 3));
        assert_eq!(query.list(0), [1, 0]);
        assert!(query.list(1).is_empty());
        assert_eq!(query.list(2), [2, 1, 0]);
        assert_eq!(query.label(1), 2);
        let collection = RankedCollection::new(vec![query]).unwrap();
        assert_eq!((collection.n_rankers(), collection.depth(), collection.max_label()), (3, 3, 2));
    }

    #[test]
    fn trace_what_is_refused() {
        let message = |error: RankedError| error.to_string();
        assert_eq!(
            message(RankedQuery::new("q", [0, 1], [[0, 2]]).unwrap_err()),
            "query `q`: ranker 0 lists document 2, which there is not"
        );
        assert_eq!(
            message(RankedQuery::new("q", [0, 1], [[0, 1], [1, 1]]).unwrap_err()),
            "query `q`: ranker 1 lists document 1 twice"
        );
        assert_eq!(message(RankedCollection::new(vec![]).unwrap_err()), "there are no queries to rank");
        let [one, two] = [1, 2].map(|n| RankedQuery::new(format!("q{n}"), [0], vec![[0]; n]).unwrap());
        assert_eq!(
            message(RankedCollection::new(vec![one, two]).unwrap_err()),
            "query `q2` has lists of 2 rankers where the first query has 1"
        );
        let empty = RankedQuery::new("q", [0], [[]]).unwrap();
        assert!(matches!(RankedCollection::new(vec![empty]), Err(RankedError::Depth { depth: 0 })));
    }
}
