//! The engine: from a world and some policies to finished runs, in memory or in a directory.
//!
//! How a run flows:
//!
//! 1. `experiment` makes the worlds of a specification ([`prepared_world`], by way of
//!    [`matrix_cache`]) and checks that every policy can play in them ([`policy_check`]). [`plan`]
//!    puts all runs into one order; [`identity`] says what decides their numbers. [`play`] does the
//!    same for several policies in one world.
//! 2. [`scheduler`] plays the items of a plan on all cores, the longest first, and tells
//!    [`progress`].
//! 3. [`mod@run`] is the loop of one run, and [`late_run`] the one where outcomes come late; both
//!    draw from [`streams`], and look at the clock as often as [`poll_interval`] says. Either
//!    leaves a [`Run`] behind: regret at each checkpoint.
//! 4. `play` keeps the runs in memory. [`runner`] appends each to a [`journal`], so that a job that
//!    was killed continues, and at the end has `results` write them in the order of the plan;
//!    [`merge`] does that for the shards of a job.
//!
//! [`session`] is a run that somebody else plays; [`continuous_run`] the loop for points instead of
//! arms. Regret is a [`Run`] here, a `Series` in results (all runs of a policy in a world), a
//! `Summary` over runs, and a `Curve` in a figure: no fifth shape.

mod continuous_run;
mod experiment;
pub(crate) mod identity;
mod journal;
mod late_run;
pub(crate) mod matrix_cache;
pub mod merge;
pub mod plan;
pub mod play;
mod policy_check;
mod poll_interval;
pub(crate) mod prepared_world;
mod progress;
mod run;
pub mod runner;
mod scheduler;
pub mod session;
mod streams;
pub(crate) mod throughput;

pub use continuous_run::run_continuous;
pub use experiment::Experiment;
pub(crate) use journal::Record;
pub use late_run::{LateRngs, run_late};
pub(crate) use policy_check::EntryError;
pub use progress::Progress;
pub use run::{Run, RunConfig, run};
pub use streams::Streams;
