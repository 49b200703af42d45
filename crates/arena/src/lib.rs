//! Live preference experiments: a durable service of dueling bandits.
//!
//! An *experiment* issues *duels* and takes their *outcomes*. Its state is a pure function of an
//! append-only log, and whoever is told that something was recorded can rely on it: the log was
//! synced before.
//!
//! - [`domain`]: what an experiment is and what may happen to it. No I/O, no clock, no threads.
//! - [`store`]: where logs are kept; SQLite, behind a trait.
//! - [`Arena`]: experiments that are live in this process, and the one who writes.
//! - `app`: what the API and the pages share.
//! - [`http`]: the API.
//! - `pages`: what people see: a dashboard, a page to vote on.
//! - [`server`]: both of them behind one address.

mod app;
pub mod arena;
pub mod domain;
pub mod http;
pub mod id;
pub mod key;
mod pages;
pub mod server;
pub mod store;
pub mod time;
pub mod upkeep;

pub use arena::{Arena, ArenaError};
