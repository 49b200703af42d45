//! The engine turns a world and some policies into finished runs, in memory or in a directory.
//!
//! The path of a run:
//!
//! 1. `experiment` makes the worlds of a specification ([`prepared_world`], with [`matrix_cache`])
//!    and checks that every policy can play in them ([`policy_check`]). [`plan`] puts all runs into
//!    one order, and [`identity`] records everything that determines their numbers. [`play`] does
//!    the same for several policies in one world.
//! 2. [`scheduler`] plays the items of a plan on all cores, the longest first, and reports to
//!    [`progress`].
//! 3. [`mod@run`] is the loop of one run. [`late_run`] is the loop for outcomes that arrive late.
//!    Both draw from [`streams`], and [`poll_interval`] says how often they look at the clock. Both
//!    return a [`Run`]: the regret at each checkpoint.
//! 4. `play` keeps the runs in memory. [`runner`] appends each run to a [`journal`], so that a
//!    killed job can continue. At the end `results` writes the runs in the order of the plan.
//!    [`merge`] does that for the shards of a job.
//!
//! [`session`] is a run that the caller plays. [`continuous_run`] is the loop for points instead of
//! arms.
//!
//! Regret has four types: a [`Run`] here, a `Series` in results (all runs of a policy in a world),
//! a `Summary` over runs, and a `Curve` in a figure.

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
