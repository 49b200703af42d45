//! Experiments on dueling bandits: what is run, how it is spread over cores, and the statistics of what came out.
//!
//! Results never depend on the number of threads: each run draws from streams addressed by (seed, labels), and sums are
//! taken in the order of runs.

pub mod claim;
mod continuous_run;
mod digest;
mod entry;
mod experiment;
pub mod figure;
pub mod gallery;
mod ground;
pub mod identity;
mod journal;
mod late_run;
pub mod merge;
mod pace;
pub mod plan;
pub mod play;
mod prepared;
mod progress;
pub mod replay;
pub mod reproduce;
pub mod results;
mod run;
pub mod runner;
pub mod session;
mod shelf;
pub mod spec;
pub mod statistics;
mod summary;
pub mod vote_table;
mod words;
mod work;

pub use continuous_run::run_continuous;
pub use late_run::{LateRngs, run_late};
pub use progress::Progress;
pub use run::{Curve, Stage, Streams, run};
pub use summary::{Proportion, Summary, half_width};
