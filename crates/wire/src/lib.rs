//! Requests and responses of the arena as JSON, with their schemas for the OpenAPI document.
//!
//! The server and every client written in Rust use these types. They change independently of the
//! types in the arena's domain.

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

/// The server's state and version.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// Always `ok`.
    pub status: String,
    /// The server's version.
    pub version: String,
}

/// Prints an enum as the word that represents it in JSON.
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
