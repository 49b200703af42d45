//! Tests of the whole crate, from outside. One binary; a module for each theme.

mod chi_square;
mod elastic;
mod extremes;
mod identities;
mod laws;
mod pages;
mod reduction;
mod reference;
mod saved;
mod sequential;
mod stable;
mod support;
mod traces;
mod twin_btm;
mod twin_interleaved_filter;
