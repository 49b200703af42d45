//! Statistics over millions of rounds, at fixed seeds: the slower tier of tests.
//!
//! Two independent estimates may differ by four standard errors of the difference, which happens by
//! chance once in sixteen thousand comparisons.

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

/// The report on one policy in one world.
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
