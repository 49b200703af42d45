//! Statistics of a collection, computed in one pass.

use super::query::{MAX_LABEL, Query};
use crate::ranker::Columns;

/// Statistics of the sizes, labels and features of a collection. Pass the queries to [`Self::add`]
/// one by one.
///
/// ```
/// use std::io::Cursor;
/// use tiltyard_world::collection::{LetorReader, Summary};
///
/// let mut summary = Summary::default();
/// for query in LetorReader::new("example", Cursor::new("2 qid:a 1:0.5 2:1\n0 qid:a 2:1\n"))? {
///     summary.add(&query?);
/// }
/// assert_eq!((summary.n_queries(), summary.n_documents(), summary.n_features()), (1, 2, 2));
/// assert_eq!(summary.n_constant(), 1);
/// # Ok::<(), tiltyard_world::collection::ReadCollectionError>(())
/// ```
#[derive(Debug, Default)]
pub struct Summary {
    n_queries: u64,
    n_documents: u64,
    fewest: Option<u64>,
    most: u64,
    labels: [u64; MAX_LABEL as usize + 1],
    without_relevant: u64,
    /// The number of queries with at least two documents, which thus have pairs.
    n_with_pairs: u64,
    features: Vec<Column>,
    columns: Columns,
    scores: Vec<f32>,
}

/// Statistics of a feature so far.
#[derive(Debug, Clone, Copy)]
struct Column {
    low: f32,
    high: f32,
    n_values: u64,
    /// The sum over queries of the share of pairs that do *not* tie. A query that does not mention
    /// the feature adds 0.
    untied: f64,
}

/// Statistics of a feature over the whole collection. The feature is 0 in a document that does not
/// mention it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeatureSummary {
    /// The smallest value.
    pub low: f32,
    /// The largest value.
    pub high: f32,
    /// The probability that two documents of a query have the same value, averaged over queries.
    pub tied: f64,
}

impl Summary {
    /// Adds the next query.
    pub fn add(&mut self, query: &Query) {
        let n_documents = query.n_documents() as u64;
        self.n_queries += 1;
        self.n_documents += n_documents;
        self.fewest = Some(self.fewest.map_or(n_documents, |fewest| fewest.min(n_documents)));
        self.most = self.most.max(n_documents);
        query.labels().iter().for_each(|&label| self.labels[usize::from(label)] += 1);
        self.without_relevant += u64::from(query.labels().iter().all(|&label| label == 0));
        self.n_with_pairs += u64::from(n_documents > 1);

        self.columns.fill(query);
        let unseen = Column { low: f32::INFINITY, high: f32::NEG_INFINITY, n_values: 0, untied: 0.0 };
        if self.columns.n_features() > self.features.len() {
            self.features.resize(self.columns.n_features(), unseen);
        }
        for (feature, column) in self.features.iter_mut().enumerate().take(self.columns.n_features()) {
            let n_values = self.columns.n_values(feature);
            if n_values == 0 {
                continue;
            }
            column.n_values += n_values as u64;
            self.columns.scores(feature, &mut self.scores);
            for &score in &self.scores {
                column.low = column.low.min(score);
                column.high = column.high.max(score);
            }
            if n_documents > 1 {
                column.untied += 1.0 - tied_pairs(&mut self.scores);
            }
        }
    }

    /// The number of queries.
    pub fn n_queries(&self) -> u64 {
        self.n_queries
    }

    /// The number of documents of all queries.
    pub fn n_documents(&self) -> u64 {
        self.n_documents
    }

    /// The largest feature number, counted from 1 as in files.
    pub fn n_features(&self) -> usize {
        self.features.len()
    }

    /// The smallest, the mean and the largest number of documents per query. `None` without
    /// queries.
    pub fn documents_a_query(&self) -> Option<(u64, f64, u64)> {
        self.fewest.map(|fewest| (fewest, self.n_documents as f64 / self.n_queries as f64, self.most))
    }

    /// The number of documents with each label, from 0 to the largest label.
    pub fn labels(&self) -> &[u64] {
        let largest = self.labels.iter().rposition(|&count| count > 0);
        &self.labels[..largest.map_or(0, |largest| largest + 1)]
    }

    /// The number of queries without a relevant document. All rankers are equal there.
    pub fn n_without_relevant(&self) -> u64 {
        self.without_relevant
    }

    /// The number of features with the same value in all documents of the collection.
    pub fn n_constant(&self) -> usize {
        self.features().filter(|feature| feature.low >= feature.high).count()
    }

    /// The probability that two documents of a query have the same value of a feature, averaged
    /// over features. `None` without features, or if no query has two documents.
    pub fn tied(&self) -> Option<f64> {
        let n_features = self.n_features();
        let any = n_features > 0 && self.n_with_pairs > 0;
        any.then(|| self.features().map(|feature| feature.tied).sum::<f64>() / n_features as f64)
    }

    /// All features, starting with feature 1 of the files.
    pub fn features(&self) -> impl Iterator<Item = FeatureSummary> {
        self.features.iter().map(|column| {
            // The feature is 0 in documents that do not mention it.
            let everywhere = column.n_values == self.n_documents;
            let (low, high) = if everywhere {
                (column.low, column.high)
            } else {
                (column.low.min(0.0), column.high.max(0.0))
            };
            let tied =
                if self.n_with_pairs == 0 { 1.0 } else { 1.0 - column.untied / self.n_with_pairs as f64 };
            FeatureSummary { low, high, tied }
        })
    }
}

/// The share of equal pairs among at least two scores. Sorts the scores.
fn tied_pairs(scores: &mut [f32]) -> f64 {
    scores.sort_unstable_by(f32::total_cmp);
    // `==`, so that 0 and -0 tie here as they do for rankers.
    #[expect(clippy::float_cmp, reason = "ties are exactly equal values")]
    let ties: f64 = scores.chunk_by(|a, b| a == b).map(|group| pairs(group.len())).sum();
    ties / pairs(scores.len())
}

fn pairs(n: usize) -> f64 {
    n as f64 * (n as f64 - 1.0) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(id: &str, documents: &[(u8, &[(u32, f32)])]) -> Query {
        let mut query = Query::new(id);
        for (label, features) in documents {
            query.push(*label, features).unwrap();
        }
        query
    }

    /// Feature 1 ties one pair of three in query a and none in b, a share of 1/6. Feature 2 is
    /// always 7. Only b mentions feature 3, and it ties no pair there, a share of 1/2.
    #[test]
    fn trace_a_small_collection() {
        let mut summary = Summary::default();
        assert_eq!(
            (summary.documents_a_query(), summary.tied(), summary.labels()),
            (None, None, [].as_slice())
        );
        summary
            .add(&query("a", &[(0, &[(0, 1.0), (1, 7.0)]), (2, &[(1, 7.0)]), (0, &[(0, -0.0), (1, 7.0)])]));
        summary.add(&query("b", &[(0, &[(0, 1.0), (1, 7.0), (2, -1.0)]), (0, &[(0, 2.0), (1, 7.0)])]));
        summary.add(&query("c", &[(1, &[(1, 7.0)])]));
        assert_eq!((summary.n_queries(), summary.n_documents(), summary.n_features()), (3, 6, 3));
        assert_eq!(summary.documents_a_query(), Some((1, 2.0, 3)));
        assert_eq!(summary.labels(), [4, 1, 1]);
        assert_eq!((summary.n_without_relevant(), summary.n_constant()), (1, 1));
        let features: Vec<_> = summary.features().collect();
        let ranges: Vec<_> = features.iter().map(|feature| (feature.low, feature.high)).collect();
        assert_eq!(ranges, [(0.0, 2.0), (7.0, 7.0), (-1.0, 0.0)]);
        for (feature, tied) in features.iter().zip([1.0 / 6.0, 1.0, 0.5]) {
            assert!((feature.tied - tied).abs() < 1e-15, "{features:?}");
        }
        assert!((summary.tied().unwrap() - 10.0 / 18.0).abs() < 1e-15);
    }
}
