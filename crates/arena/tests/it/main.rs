//! Tests of the arena as a whole.

mod sim_store;
mod store;
mod support;
