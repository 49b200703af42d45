//! The log: its events, how they are folded into a state, and the votes read back from it.

pub(crate) mod ballots;
pub(crate) mod contribution;
pub(crate) mod event;
pub(crate) mod fold;
pub(crate) mod saved;
