//! Integration tests of the arena.

mod apprentice;
mod clock;
mod imports;
mod interleave;
mod jobs;
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
