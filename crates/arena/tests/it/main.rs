//! Integration tests of the arena.

mod apprentice;
mod imports;
mod interleave;
mod model;
mod people;
mod release;
mod sim_store;
mod simulation;
mod slates;
mod stable;
mod store;
mod support;
mod timeline;
mod trace;
