//! Tests of the whole crate, from outside. One binary; a module for each theme.

mod chi_square;
mod extremes;
mod identities;
mod laws;
mod pages;
mod reduction;
mod reference;
mod stable;
mod support;
mod traces;
mod twin_dbgd;
