//! Experiments on dueling bandits: how they are specified, run on all cores, summarized and drawn.
//!
//! Results never depend on the number of threads. Each run draws from streams addressed by (seed,
//! labels), and sums are added in the order of runs.

pub mod claim;
mod digest;
mod engine;
pub mod figure;
mod format;
pub mod gallery;
pub mod replay;
pub mod reproduce;
pub mod results;
pub mod spec;
mod statistics;
pub mod vote_table;

pub use engine::{LateRngs, Progress, Run, RunConfig, Streams, run, run_continuous, run_late};
pub use engine::{merge, plan, play, runner, session};
pub use statistics::{Interval, Proportion, Summary, half_width};
