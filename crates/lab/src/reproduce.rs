//! Reproduces papers: computes their figures and tables again, checks their claims, and writes a
//! report.
//!
//! A [`Paper`] is a static description in its own file under `paper/`. Each figure is a
//! specification that ships with the program. [`Job::prepare`] builds the worlds of the selected
//! figures, each once. [`Job::run`] plays all figures as one job and writes
//!
//! ```text
//! OUT/results/FIGURE/   results.parquet, summary.csv, manifest.json, as `tiltyard run` writes them
//! OUT/figures/          FIGURE.svg and FIGURE.png
//! OUT/claims.json       every claim with its verdict
//! OUT/report.html       the report for people, in one file
//! OUT/manifest.json     what was run, on which machine, and how long it took
//! ```
//!
//! A job may be killed at any moment. Started again, it continues where it stopped and keeps
//! finished figures.

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
