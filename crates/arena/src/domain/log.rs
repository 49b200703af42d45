//! The log: its events, how to fold them into a state, and how to read the votes back from it.

pub(crate) mod ballots;
pub(crate) mod chain;
pub(crate) mod contribution;
pub(crate) mod event;
pub(crate) mod fold;
pub(crate) mod people;
pub(crate) mod saved;
