//! Tests of the whole crate, from outside. One binary; a module for each theme.

mod chi_square;
mod elastic;
mod extremes;
mod identities;
mod laws;
mod pages;
mod partial_monitoring;
mod reduction;
mod reference;
mod saved;
mod sequential;
mod stable;
mod support;
mod traces;
mod twin_btm;
mod twin_btw;
mod twin_dbgd;
mod twin_dexp3;
mod twin_doubler;
mod twin_feedexp3;
mod twin_interleaved_filter;
mod twin_rucb;
mod twin_savage;
mod twin_selfsparring;
mod twin_winner_stays;
