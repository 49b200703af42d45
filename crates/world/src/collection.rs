//! Learning-to-rank collections: queries, their documents, and how relevant each document is.
//!
//! A collection is a stream of [`Query`], read from files ([`LetorReader`]) or made up. Nothing here holds more
//! than one query at a time, so that files of several gigabytes need no more memory than their largest query.

mod error;
mod letor;
mod query;
mod source;

pub use error::{LineError, ReadCollectionError};
pub use letor::{LetorReader, MAX_DOCUMENTS, MAX_FEATURE, MAX_ID, MAX_LINE, MAX_VALUES};
pub use query::{MAX_LABEL, Query, QueryError};
