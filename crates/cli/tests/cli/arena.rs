//! A live experiment from the command line: the real binary as server and as client.

mod client;
mod live;
mod refused;
mod settings;
mod story;
mod stream;
mod upkeep;
mod verdict;
mod votes;
