//! Rankers order the documents of a query. A [`RankedCollection`] keeps the tops of their lists.
//!
//! Only the top of both lists and the labels of the documents there decide a duel of two rankers.
//! So the stream of queries is reduced, one query at a time, to the first few documents of each
//! ranker's list.
//!
//! ```
//! use std::io::Cursor;
//! use tiltyard_world::collection::LetorReader;
//! use tiltyard_world::ranker::{RankedCollection, Ranking};
//!
//! let text = "0 qid:a 1:1 2:5\n2 qid:a 1:3\n0 qid:a 1:2 2:1\n";
//! let queries = LetorReader::new("example", Cursor::new(text))?;
//! let ranking = Ranking { depth: 2, ..Ranking::default() };
//! let ranked = RankedCollection::from_queries(queries, &ranking)?;
//! // Feature 1 ranks the relevant document first. Feature 2 ranks it below the top 2.
//! assert_eq!(ranked.queries()[0].list(0), [1, 2]);
//! assert_eq!(ranked.queries()[0].list(1), [0, 2]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod columns;
mod mixtures;
mod ndcg;
mod ranked;
mod ranking;
mod ties;
mod top;

pub(crate) use columns::Columns;
pub use ndcg::{mean_ndcg, ndcg};
pub use ranked::{RankedCollection, RankedError, RankedQuery};
pub use ranking::{Rankers, RankersError, Ranking};
pub use ties::{Ties, UnknownTies};
