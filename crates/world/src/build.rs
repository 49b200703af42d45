//! Preference matrices made of something else.

pub mod letor;
