//! The values of a query, ordered by feature instead of by document.

use crate::collection::Query;

/// The values of a query, feature after feature. It is reused for the next query.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    /// Where the values of each feature start, and their end.
    starts: Vec<usize>,
    documents: Vec<u32>,
    values: Vec<f32>,
    n_documents: usize,
}

impl Columns {
    /// Replaces the values with those of a query.
    pub(crate) fn fill(&mut self, query: &Query) {
        self.n_documents = query.n_documents();
        let n_features = query.n_features();
        // Count the values of each feature, shifted by two, and then sum up. After that
        // `starts[f + 1]` is the position of the next value of feature f.
        self.starts.clear();
        self.starts.resize(n_features + 2, 0);
        for document in 0..self.n_documents {
            for (feature, _) in query.features(document) {
                self.starts[feature as usize + 2] += 1;
            }
        }
        for feature in 2..self.starts.len() {
            self.starts[feature] += self.starts[feature - 1];
        }
        self.documents.resize(query.n_values(), 0);
        self.values.resize(query.n_values(), 0.0);
        for (document, number) in (0..self.n_documents).zip(0..) {
            for (feature, value) in query.features(document) {
                let next = &mut self.starts[feature as usize + 1];
                self.documents[*next] = number;
                self.values[*next] = value;
                *next += 1;
            }
        }
        self.starts.pop();
    }

    /// One more than the largest feature number.
    pub(crate) fn n_features(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of documents that mention a feature.
    pub(crate) fn n_values(&self, feature: usize) -> usize {
        self.starts[feature + 1] - self.starts[feature]
    }

    /// The value of a feature in every document, 0 in documents that do not mention it.
    pub(crate) fn scores(&self, feature: usize, scores: &mut Vec<f32>) {
        scores.clear();
        scores.resize(self.n_documents, 0.0);
        let range = self.starts[feature]..self.starts[feature + 1];
        for (&document, &value) in self.documents[range.clone()].iter().zip(&self.values[range]) {
            scores[document as usize] = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_columns() {
        let mut query = Query::new("q");
        query.push(0, &[(0, 1.0), (2, 2.0)]).unwrap();
        query.push(0, &[]).unwrap();
        query.push(0, &[(2, 3.0), (3, 4.0)]).unwrap();
        let mut columns = Columns::default();
        // The second time, the memory is reused.
        for _ in 0..2 {
            columns.fill(&query);
            assert_eq!(columns.n_features(), 4);
            let mut scores = Vec::new();
            let expected = [[1.0, 0.0, 0.0], [0.0; 3], [2.0, 0.0, 3.0], [0.0, 0.0, 4.0]];
            for (feature, (expected, n_values)) in expected.iter().zip([1, 0, 2, 1]).enumerate() {
                columns.scores(feature, &mut scores);
                assert_eq!((scores.as_slice(), columns.n_values(feature)), (expected.as_slice(), n_values));
            }
        }
        columns.fill(&Query::new("empty"));
        assert_eq!(columns.n_features(), 0);
    }
}
