//! Statistics over millions of rounds, at fixed seeds: the slower tier of tests.
//!
//! The tolerances are those of two independent estimates: a difference may be four of its standard
//! errors, which by chance happens once in sixteen thousand comparisons.

#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod anytime;
mod changing;
mod claims;
mod copeland;
mod dbgd;
mod divergence;
mod late;
mod long_run;
mod merging;
mod off_policy;
mod papers;
mod presets;
mod reference;
mod settles;
mod simple;
mod thompson;
mod verdict;
mod verdict_votes;
mod versatile;

use tiltyard_lab::play::{Job, PolicyReport, Progress, play};

/// One policy in one world: its report, with the last checkpoint of interest.
fn report(world: &str, policy: &str, checkpoints: &[u64], runs: u64) -> PolicyReport {
    let job = Job {
        world: world.to_owned(),
        policies: vec![policy.parse().unwrap()],
        lenient: false,
        checkpoints: checkpoints.to_vec(),
        runs,
        seed: 2015,
        regret: None,
    };
    play(&job, &Progress::default()).unwrap().policies.remove(0)
}

/// Mean and standard error of the regret at the end.
fn regret(world: &str, policy: &str, rounds: u64, runs: u64) -> (f64, f64) {
    let report = report(world, policy, &[rounds], runs);
    (report.regret.mean[0], report.regret.sem[0])
}
