//! Papers as programs: their figures and tables made again, their claims checked, and a report of
//! both.
//!
//! A [`Paper`] is a static description, in a file of its own under `paper/`. A figure is a
//! specification that is shipped with the program. [`Job::prepare`] makes the worlds of those that
//! are wanted, each once; [`Job::run`] plays all of them as one job and writes
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

mod draw;
mod job;
mod matrices;
mod page;
mod paper;
mod reference;
mod report;
mod report_directory;
mod scale;
mod selection;

pub(crate) use job::REPORT;
pub use job::{Ending, Job, ReproduceError, Reproduced, Request};
pub use page::claims_page;
pub use paper::{
    Citation, DTS, Data, ERRATA, Erratum, Leader, Notes, PAPERS, Paper, PaperFigure, REX3, RMED, VERSATILE,
    Words,
};
pub(crate) use report::STYLE as REPORT_STYLE;
pub use report_directory::{ReportDirectoryError, Verdicts};
pub(crate) use report_directory::{ReportFacts, ReportState, report_state};
pub use scale::Scale;
pub use selection::{CLAIMS, MATRICES, Selection, UnknownFigure, specification};
