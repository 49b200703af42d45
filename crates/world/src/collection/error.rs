//! What can be wrong with the files of a collection.

use std::io;

use super::letor::{MAX_DOCUMENTS, MAX_FEATURE, MAX_ID, MAX_LINE, MAX_VALUES};
use super::query::MAX_LABEL;
use tiltyard_bandit::hint::{FrontEnd, Hint};

/// Why a collection cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadCollectionError {
    /// The file cannot be opened or read.
    #[error("cannot read {file}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system says.
        source: io::Error,
    },
    /// A gzip file that is damaged or cut short.
    #[error("{file}: the compressed data is {} after line {line}", damage(source))]
    Compression {
        /// The file.
        file: String,
        /// The last line that could be read, from 1; 0 if there is none.
        line: u64,
        /// What the decoder says.
        source: io::Error,
    },
    /// A line that is not what it should be.
    #[error("{file}: line {line}: {error}")]
    Line {
        /// The file.
        file: String,
        /// The line, from 1, with blank lines and comments counted.
        line: u64,
        /// What is wrong with it.
        error: LineError,
    },
    /// Nothing but blank lines and comments.
    #[error("{file}: no queries in it")]
    Empty {
        /// The file, or all of them.
        file: String,
    },
}

impl Hint for ReadCollectionError {
    fn hints(&self, _: &dyn FrontEnd) -> Vec<String> {
        let hint = match self {
            Self::Line { error: LineError::QueryReturns { .. }, .. } => {
                "sort the file by query; of folds that overlap, name one only"
            }
            Self::Line { .. } => "a document is a line `label qid:Q 1:v 2:v ... # comment`",
            Self::Compression { .. } => "fetch the file again; `gzip -t FILE` tests it",
            Self::Unreadable { .. } | Self::Empty { .. } => return Vec::new(),
        };
        vec![hint.to_owned()]
    }
}

fn damage(source: &io::Error) -> &'static str {
    if source.kind() == io::ErrorKind::UnexpectedEof { "cut short" } else { "damaged" }
}

/// What is wrong with a line of a collection's file. Fields count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// A line longer than any that makes sense.
    #[error("longer than {MAX_LINE} bytes")]
    TooLong,
    /// A label that is none.
    #[error("field 1: `{text}` is not a label, which is a whole number from 0 to {MAX_LABEL}")]
    Label {
        /// What stands there.
        text: String,
    },
    /// The second field is not `qid:...`.
    #[error("field 2 should be `qid:...`, not `{text}`")]
    NoQueryId {
        /// What stands there; empty if nothing does.
        text: String,
    },
    /// A query's name that cannot be one.
    #[error("field 2: `{text}` names no query: after `qid:` stand 1 to {MAX_ID} bytes of UTF-8 without `#`")]
    QueryId {
        /// What stands there.
        text: String,
    },
    /// A field that is not `feature:value`.
    #[error("field {field}: `{text}` is not of the form `feature:value`")]
    Feature {
        /// The field.
        field: usize,
        /// What stands there.
        text: String,
    },
    /// A feature's number that is none.
    #[error("field {field}: `{text}` is not a feature, which is a whole number from 1 to {MAX_FEATURE}")]
    FeatureId {
        /// The field.
        field: usize,
        /// What stands there.
        text: String,
    },
    /// A value that is not a finite number.
    #[error("field {field}: `{text}` is not a finite number of single precision")]
    Value {
        /// The field.
        field: usize,
        /// What stands there.
        text: String,
    },
    /// A feature that a document has twice.
    #[error("feature {feature} is given twice")]
    RepeatedFeature {
        /// The feature, from 1 as in the file.
        feature: u32,
    },
    /// A query whose documents are not all together.
    #[error("query `{id}` comes back after another one; it began in line {line} of {file}")]
    QueryReturns {
        /// The query.
        id: String,
        /// The file in which it began.
        file: String,
        /// The line in which it began, from 1.
        line: u64,
    },
    /// More documents than a query may have.
    #[error("query `{id}` has more than {MAX_DOCUMENTS} documents")]
    TooManyDocuments {
        /// The query.
        id: String,
    },
    /// More values than a query may have.
    #[error("query `{id}` has more than {MAX_VALUES} values")]
    TooManyValues {
        /// The query.
        id: String,
    },
    /// A line of a TREC file with more or fewer fields than it should have.
    #[error("{got} fields where `{form}` has {expected}")]
    Fields {
        /// What the line should be.
        form: &'static str,
        /// How many fields that has.
        expected: usize,
        /// How many this line has.
        got: usize,
    },
    /// A field of a TREC file that is no name.
    #[error("field {field}: `{text}` is not UTF-8")]
    NotText {
        /// The field.
        field: usize,
        /// What stands there.
        text: String,
    },
    /// A field of a TREC file that is not the number it should be.
    #[error("field {field}: `{text}` is not a number that may stand there")]
    Number {
        /// The field.
        field: usize,
        /// What stands there.
        text: String,
    },
    /// A judgement that is too high.
    #[error("field 4: relevance {relevance} is above {MAX_LABEL}")]
    Relevance {
        /// The judgement.
        relevance: i64,
    },
    /// A document that a TREC file gives a query twice.
    #[error("query `{id}` has document `{document}` twice")]
    RepeatedDocument {
        /// The query.
        id: String,
        /// The document.
        document: String,
    },
}

/// A piece of a file as a person can read it: one that is not text at all must not fill the screen.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    const LONGEST: usize = 40;
    // Of no use beyond: a character takes at most four bytes.
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
