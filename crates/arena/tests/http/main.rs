//! The API over real sockets: what it answers, what it refuses, and that nobody can stop it for
//! others.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod browser;
mod client;
mod document;
mod duels;
mod experiments;
mod fuzz;
mod history;
mod interleave;
mod keys;
mod limits;
mod outcomes;
mod overload;
mod problems;
mod rude;
mod search;
mod server;
mod slates;
mod standing;
mod stores;
mod stream;
mod verdict;
mod votes;
mod voting;
