//! Errors in the files of a collection.

use std::io;

use super::letor::{MAX_DOCUMENTS, MAX_FEATURE, MAX_ID, MAX_LINE, MAX_VALUES};
use super::query::MAX_LABEL;
use tiltyard_bandit::hint::{FrontEnd, Hint};

/// Why a collection cannot be read.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum ReadCollectionError {
    #[error("cannot read {file}")]
    Unreadable { file: String, source: io::Error },
    /// A gzip file is damaged or incomplete.
    #[error("{file}: the compressed data is {} after line {line}", damage(source))]
    Compression {
        file: String,
        /// The last line that could be read, from 1; 0 if there is none.
        line: u64,
        source: io::Error,
    },
    #[error("{file}: line {line}: {error}")]
    Line {
        file: String,
        /// The line, from 1, with blank lines and comments counted.
        line: u64,
        error: LineError,
    },
    #[error("{file}: it contains no queries")]
    Empty {
        /// The file, or all files of the collection.
        file: String,
    },
}

impl Hint for ReadCollectionError {
    fn hints(&self, _: &dyn FrontEnd) -> Vec<String> {
        let hint = match self {
            Self::Line { error: LineError::QueryReturns { .. }, .. } => {
                "sort the file by query; if folds overlap, use only one of them"
            }
            Self::Line { .. } => "a document is a line `label qid:Q 1:v 2:v ... # comment`",
            Self::Compression { .. } => "download the file again; `gzip -t FILE` tests it",
            Self::Unreadable { .. } | Self::Empty { .. } => return Vec::new(),
        };
        vec![hint.to_owned()]
    }
}

fn damage(source: &io::Error) -> &'static str {
    if source.kind() == io::ErrorKind::UnexpectedEof { "cut short" } else { "damaged" }
}

/// Why a line of a collection's file is invalid. Fields and features count from 1. Quoted text is
/// shortened if it is long.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum LineError {
    #[error("it is longer than {MAX_LINE} bytes")]
    TooLong,
    #[error("field 1: `{text}` is not a label, a whole number from 0 to {MAX_LABEL}")]
    Label { text: String },
    #[error("field 2 should be `qid:...`, not `{text}`")]
    NoQueryId { text: String },
    #[error("field 2: `{text}` is not a query: after `qid:` come 1 to {MAX_ID} bytes of UTF-8 without `#`")]
    QueryId { text: String },
    #[error("field {field}: `{text}` is not of the form `feature:value`")]
    Feature { field: usize, text: String },
    #[error("field {field}: `{text}` is not a feature, a whole number from 1 to {MAX_FEATURE}")]
    FeatureId { field: usize, text: String },
    #[error("field {field}: `{text}` is not a finite number in single precision")]
    Value { field: usize, text: String },
    #[error("feature {feature} is given twice")]
    RepeatedFeature { feature: u32 },
    #[error("query `{id}` returns after another query; it began in line {line} of {file}")]
    QueryReturns { id: String, file: String, line: u64 },
    #[error("query `{id}` has more than {MAX_DOCUMENTS} documents")]
    TooManyDocuments { id: String },
    #[error("query `{id}` has more than {MAX_VALUES} values")]
    TooManyValues { id: String },
    /// A line of a TREC file has too many or too few fields.
    #[error("the number of fields is {got}, but `{form}` has {expected}")]
    Fields { form: &'static str, expected: usize, got: usize },
    #[error("field {field}: `{text}` is not UTF-8")]
    NotText { field: usize, text: String },
    /// A field of a TREC file is not the kind of number that belongs there.
    #[error("field {field}: `{text}` is not a valid number here")]
    Number { field: usize, text: String },
    #[error("field 4: relevance {relevance} is above {MAX_LABEL}")]
    Relevance { relevance: i64 },
    #[error("query `{id}` has document `{document}` twice")]
    RepeatedDocument { id: String, document: String },
}

/// A piece of a file for a message, shortened and without control characters. Binary data must not
/// fill the screen.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    const LONGEST: usize = 40;
    // More bytes are not needed, because a character takes at most four.
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * LONGEST + 4)]);
    let mut excerpt: String = text
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c })
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        excerpt.push_str("...");
    }
    excerpt
}
