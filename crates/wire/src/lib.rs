//! Requests and responses of the arena as they travel: JSON, with the schemas of the OpenAPI
//! document.
//!
//! Both sides use these types: the server, and every client that is written in Rust. They change on
//! their own terms, apart from the types of the arena's domain.

use core::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

mod apprentice;
mod arms;
mod duels;
mod evaluation;
mod events;
mod experiments;
mod ids;
mod interleave;
mod keys;
mod outcomes;
mod problem;
mod segments;
mod slates;
mod standing;
mod verdict;
mod votes;

pub use apprentice::*;
pub use arms::*;
pub use duels::*;
pub use evaluation::*;
pub use events::*;
pub use experiments::*;
pub use ids::*;
pub use interleave::*;
pub use keys::*;
pub use outcomes::*;
pub use problem::*;
pub use segments::*;
pub use slates::*;
pub use standing::*;
pub use verdict::*;
pub use votes::*;

/// The server lives.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// `ok`.
    pub status: String,
    /// The server's version.
    pub version: String,
}

/// Words print as they travel.
macro_rules! display {
    ($($word:ident)*) => {$(
        impl fmt::Display for $word {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.serialize(f)
            }
        }
    )*};
}

display!(DoneWord Outcome ProblemCode Scope Status);
