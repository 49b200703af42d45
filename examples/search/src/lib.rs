//! A search engine with several rankers, and a live arena that finds out which one people prefer.
//!
//! The engine knows nothing of the arena, and the arena knows nothing of the engine. [`session`] is
//! all that connects them, and all that a real search page would have to add.

pub mod arena;
pub mod engine;
pub mod sections;
pub mod session;
pub mod user;
