//! Preference matrices made of something else.

pub mod scores;
pub mod votes;
