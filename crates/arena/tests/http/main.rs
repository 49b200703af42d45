//! Tests of the API over real sockets: its responses, its errors, and that no client can block the
//! server for others.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

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
