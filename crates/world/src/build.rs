//! Builds preference matrices from votes, scores or rankings.

pub mod letor;
pub mod scores;
pub mod votes;
