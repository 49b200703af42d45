//! The paper as a program: its figures and tables made again, its claims checked, and a report of both.
//!
//! A figure is a specification that is shipped with the program ([`FIGURES`]). [`Job::prepare`] makes the worlds of those that are wanted,
//! each once; [`Job::run`] plays all of them as one job and writes
//!
//! ```text
//! OUT/results/FIGURE/   results.parquet, summary.csv, manifest.json, as `tiltyard run` writes them
//! OUT/figures/          FIGURE.svg and FIGURE.png
//! OUT/claims.json       every claim with its verdict
//! OUT/report.html       all of it for people, in one file
//! OUT/manifest.json     what was run, on what, and how long it took
//! ```
//!
//! Killed at any moment, the same job continues where it was; figures that are finished are kept.

mod catalogue;
mod draw;
mod errata;
mod job;
mod matrices;
mod place;
mod reference;
mod report;
mod scale;

pub use catalogue::{CLAIMS, Entry, FIGURES, MATRICES, Selection, UnknownFigure, specification};
pub use errata::{ERRATA, Erratum};
pub use job::{Ending, Job, Order, ReproduceError, Reproduced};
pub use place::{PlaceError, Verdicts};
pub use scale::Scale;
