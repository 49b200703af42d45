//! Preference matrices made of something else.

pub mod letor;
pub mod scores;
pub mod votes;
