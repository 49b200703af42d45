//! Live preference experiments: a durable service of dueling bandits.
//!
//! An *experiment* issues *duels* and accepts their *outcomes*. Its state is a pure function of an
//! append-only log. The arena reports something as recorded only after it has synced the log.
//!
//! - [`domain`]: experiments and the events that change them. No I/O, no clock, no threads.
//! - [`store`]: the storage of logs; SQLite, behind a trait.
//! - [`Arena`]: the live experiments of this process, and the writer.
//! - `app`: the code that the API and the pages share.
//! - [`http`]: the API.
//! - `pages`: the pages for people, such as the dashboard and the voting page.
//! - [`server`]: the API and the pages behind one address.

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
