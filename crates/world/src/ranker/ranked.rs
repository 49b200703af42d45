//! Queries with the tops of all rankers' lists, which is all that a simulation needs.

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
    /// Where each ranker's list starts in `lists`, and their end.
    starts: Vec<u32>,
}

impl RankedQuery {
    /// A query with one label per document and one list per ranker. Lists contain numbers of
    /// documents, best first.
    ///
    /// # Errors
    ///
    /// If a list contains a document without a label, or a document twice.
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

    /// Adds the next ranker's list. The caller ensures that its documents are valid.
    pub(super) fn push_list(&mut self, list: impl IntoIterator<Item = u32>) {
        self.lists.extend(list);
        let end = u32::try_from(self.lists.len()).expect("rankers and depth are limited");
        self.starts.push(end);
    }

    /// Frees memory that was reserved for growth.
    pub(super) fn shrink(&mut self) {
        self.lists.shrink_to_fit();
        self.starts.shrink_to_fit();
    }

    /// The name of the query.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The number of documents of the query, listed or not.
    pub fn n_documents(&self) -> usize {
        self.labels.len()
    }

    /// The number of rankers.
    pub fn n_rankers(&self) -> usize {
        self.starts.len() - 1
    }

    /// The top of a ranker's list: the numbers of documents, best first.
    ///
    /// # Panics
    ///
    /// If there is no such ranker.
    pub fn list(&self, ranker: usize) -> &[u32] {
        &self.lists[self.starts[ranker] as usize..self.starts[ranker + 1] as usize]
    }

    /// The relevance of a document; 0 means not relevant.
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
///
/// [`from_queries`](Self::from_queries) and [`from_runs`](Self::from_runs) make one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankedCollection {
    n_rankers: usize,
    depth: usize,
    queries: Vec<RankedQuery>,
}

impl RankedCollection {
    /// The limit on the length of a list.
    pub const MAX_DEPTH: usize = 1000;

    /// Makes a collection of ranked queries.
    ///
    /// # Errors
    ///
    /// If there are no queries, they differ in the number of rankers, there are no or too many
    /// rankers, all lists are empty, or a list is longer than [`Self::MAX_DEPTH`].
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

    /// The number of rankers, which are the arms of a matrix built from the collection.
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

/// Why a ranked collection could not be made. Rankers and documents count from 0.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum RankedError {
    #[error(transparent)]
    Collection(#[from] ReadCollectionError),
    #[error("there are no queries to rank")]
    NoQueries,
    #[error("there are no rankers: no document has a feature")]
    NoRankers,
    #[error("{n_rankers} rankers are more than the {MAX_ARMS} arms that a matrix may have")]
    TooManyRankers { n_rankers: usize },
    #[error("the depth of the lists is {depth}, but must be from 1 to {}", RankedCollection::MAX_DEPTH)]
    Depth { depth: usize },
    #[error("query `{id}` has lists of {got} rankers, but the first query has lists of {expected}")]
    UnequalRankers { id: Box<str>, expected: usize, got: usize },
    #[error("query `{id}`: ranker {ranker} lists document {document}, which does not exist")]
    NoSuchDocument { id: Box<str>, ranker: usize, document: u32 },
    #[error("query `{id}`: ranker {ranker} lists document {document} twice")]
    ListedTwice { id: Box<str>, ranker: usize, document: u32 },
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
            "query `q`: ranker 0 lists document 2, which does not exist"
        );
        assert_eq!(
            message(RankedQuery::new("q", [0, 1], [[0, 1], [1, 1]]).unwrap_err()),
            "query `q`: ranker 1 lists document 1 twice"
        );
        assert_eq!(message(RankedCollection::new(vec![]).unwrap_err()), "there are no queries to rank");
        let [one, two] = [1, 2].map(|n| RankedQuery::new(format!("q{n}"), [0], vec![[0]; n]).unwrap());
        assert_eq!(
            message(RankedCollection::new(vec![one, two]).unwrap_err()),
            "query `q2` has lists of 2 rankers, but the first query has lists of 1"
        );
        let empty = RankedQuery::new("q", [0], [[]]).unwrap();
        assert!(matches!(RankedCollection::new(vec![empty]), Err(RankedError::Depth { depth: 0 })));
    }
}
