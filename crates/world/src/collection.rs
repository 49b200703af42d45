//! Learning-to-rank collections: queries, their documents, and how relevant each document is.
//!
//! A collection is a stream of [`Query`], read from files ([`LetorReader`]) or generated
//! ([`Synthetic`]). Readers hold one query at a time, so a file of several gigabytes needs no more
//! memory than its largest query.

mod error;
mod letor;
mod queries;
mod query;
mod source;
mod summary;
mod synthetic;
mod trec;
mod write;

pub use error::{LineError, ReadCollectionError};
pub use letor::{LetorReader, MAX_DOCUMENTS, MAX_FEATURE, MAX_ID, MAX_LINE, MAX_VALUES};
pub use queries::{OpenCollectionError, Queries};
pub use query::{MAX_LABEL, Query, QueryError};
pub use summary::{FeatureSummary, Summary};
pub use synthetic::{Labels, PARAMS, Shape, ShapeError, Synthetic};
pub use trec::{Qrels, TrecRun};
pub use write::write_letor;
