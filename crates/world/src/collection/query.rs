//! One query of a collection: its documents with their labels and features.

/// The largest label. The gain `2^label - 1` still fits 31 bits.
pub const MAX_LABEL: u8 = 31;

/// A query with its documents in the order of the file, their labels and their features.
///
/// Features are stored sparsely, document after document. A feature that the file does not mention
/// is 0. Features are numbered from 0 here: feature 1 of a file is feature 0, and ranker 0 ranks by
/// it.
///
/// ```
/// use tiltyard_world::collection::Query;
///
/// let mut query = Query::new("cats");
/// query.push(2, &[(0, 0.5), (3, 1.5)])?;
/// query.push(0, &[(1, 0.25)])?;
/// assert_eq!(query.n_documents(), 2);
/// assert_eq!(query.features(0).collect::<Vec<_>>(), [(0, 0.5), (3, 1.5)]);
/// assert_eq!(query.labels(), [2, 0]);
/// # Ok::<(), tiltyard_world::collection::QueryError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    id: String,
    labels: Vec<u8>,
    /// Where the features of each document start in `index` and `value`, and their end.
    starts: Vec<usize>,
    index: Vec<u32>,
    value: Vec<f32>,
    /// The names of the documents, if the reader was asked to keep them.
    names: Option<Vec<String>>,
}

impl Query {
    /// A query without documents.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            labels: Vec::new(),
            starts: vec![0],
            index: Vec::new(),
            value: Vec::new(),
            names: None,
        }
    }

    /// Adds a document with its features and their values. Feature numbers count from 0 and must
    /// increase.
    ///
    /// # Errors
    ///
    /// If the label is above [`MAX_LABEL`], a value is not finite, or the feature numbers do not
    /// increase. The document is then not added.
    pub fn push(&mut self, label: u8, features: &[(u32, f32)]) -> Result<(), QueryError> {
        if label > MAX_LABEL {
            return Err(QueryError::Label { label });
        }
        for (i, &(feature, value)) in features.iter().enumerate() {
            if !value.is_finite() {
                return Err(QueryError::Value { feature, value });
            }
            if i > 0 && features[i - 1].0 >= feature {
                return Err(QueryError::Order { feature });
            }
        }
        for &(feature, value) in features {
            self.push_value(feature, value);
        }
        self.close_document(label);
        Ok(())
    }

    /// The name of the query in its file.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The number of documents.
    pub fn n_documents(&self) -> usize {
        self.labels.len()
    }

    /// The number of stored values of all documents.
    pub fn n_values(&self) -> usize {
        self.value.len()
    }

    /// One more than the largest feature number that any document mentions.
    pub fn n_features(&self) -> usize {
        let last_of =
            |range: &[usize]| self.index[range[0]..range[1]].last().map_or(0, |&last| last as usize + 1);
        self.starts.windows(2).map(last_of).max().unwrap_or(0)
    }

    /// The relevance of each document; 0 means not relevant.
    pub fn labels(&self) -> &[u8] {
        &self.labels
    }

    /// The features that a document mentions, with their values, in increasing order.
    ///
    /// # Panics
    ///
    /// If there is no such document.
    pub fn features(&self, document: usize) -> impl ExactSizeIterator<Item = (u32, f32)> + Clone {
        let range = self.starts[document]..self.starts[document + 1];
        self.index[range.clone()].iter().copied().zip(self.value[range].iter().copied())
    }

    /// The name of a document, if the reader was asked to keep names. It is empty if the file does
    /// not name the document.
    pub fn name(&self, document: usize) -> Option<&str> {
        self.names.as_ref().and_then(|names| names.get(document)).map(String::as_str)
    }

    /// Removes all documents and sets another name. Keeps the memory.
    pub(super) fn restart(&mut self, id: &str) {
        self.id.clear();
        self.id.push_str(id);
        self.labels.clear();
        self.starts.truncate(1);
        self.index.clear();
        self.value.clear();
        self.names = None;
    }

    /// Adds a value to the document that [`Self::close_document`] will end. The caller ensures that
    /// features increase.
    pub(super) fn push_value(&mut self, feature: u32, value: f32) {
        self.index.push(feature);
        self.value.push(value);
    }

    /// The values of the document that is not closed yet.
    pub(super) fn open_values(&mut self) -> (&mut [u32], &mut [f32]) {
        let start = self.starts[self.labels.len()];
        (&mut self.index[start..], &mut self.value[start..])
    }

    /// Ends the document whose values were pushed last.
    pub(super) fn close_document(&mut self, label: u8) {
        self.labels.push(label);
        self.starts.push(self.value.len());
    }

    /// Gives the last document a name.
    pub(super) fn name_last(&mut self, name: String) {
        self.names.get_or_insert_default().push(name);
    }
}

/// Why a document cannot be added to a query. Features count from 0.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum QueryError {
    #[error("label {label} is above {MAX_LABEL}")]
    Label { label: u8 },
    #[error("feature {feature} is {value}, not a finite number")]
    Value { feature: u32, value: f32 },
    #[error("feature {feature} is not larger than the feature before it")]
    Order { feature: u32 },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_documents_keep_their_features() {
        let mut query = Query::new("q");
        assert_eq!((query.n_documents(), query.n_features(), query.n_values()), (0, 0, 0));
        query.push(1, &[(2, 1.0)]).unwrap();
        query.push(0, &[]).unwrap();
        query.push(4, &[(0, -1.0), (1, 3.0)]).unwrap();
        assert_eq!((query.n_documents(), query.n_features(), query.n_values()), (3, 3, 3));
        assert_eq!(query.features(1).len(), 0);
        assert_eq!(query.features(2).collect::<Vec<_>>(), [(0, -1.0), (1, 3.0)]);
        assert_eq!(query.labels(), [1, 0, 4]);
        assert_eq!(query.name(0), None);
    }

    #[test]
    fn trace_a_refused_document_leaves_no_trace() {
        let mut query = Query::new("q");
        query.push(1, &[(2, 1.0)]).unwrap();
        let before = query.clone();
        assert_eq!(query.push(32, &[]), Err(QueryError::Label { label: 32 }));
        assert_eq!(query.push(0, &[(0, 1.0), (0, 2.0)]), Err(QueryError::Order { feature: 0 }));
        assert_eq!(query.push(0, &[(3, 1.0), (1, 2.0)]), Err(QueryError::Order { feature: 1 }));
        assert!(matches!(query.push(0, &[(3, f32::NAN)]), Err(QueryError::Value { feature: 3, .. })));
        assert_eq!(query, before);
    }
}
