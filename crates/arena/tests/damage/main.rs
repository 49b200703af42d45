//! Damages data: `cargo xtask damage [TRIALS]`.
//!
//! Each trial copies a data directory, after a kill or after a clean stop, and damages one thing:
//! bits, pages, files, records or indexes. A server is started on it and asked everything. Each
//! answer must be the truth or an error that says where the damage is. `verify` must find what the
//! server found, and `repair` must restore the truth, as far as a backup has it.
//!
//! At the end some trials are repeated without the check of hashes. If those trials found no false
//! answer, this test would be useless, and it fails.

#![expect(clippy::print_stdout, reason = "it prints its findings")]

use std::process::ExitCode;
use std::sync::PoisonError;
use std::time::Instant;

mod damage;
mod fixture;
mod trial;
mod truth;

use damage::KINDS;
use fixture::Fixture;
use trial::{PANIC, Repair, Report};

/// The number of trials without hashes.
const WITHOUT_CHECKS: u64 = 60;

/// The number of failures that are printed.
const PRINTED: usize = 20;

/// The part of the experiments that must be served as before, over all trials in which one flipped
/// bit of the database damaged a log. Most bits belong to one experiment.
const STILL_SERVED: f64 = 0.6;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str, default: u64| {
        let value = arguments.iter().position(|word| word == name).and_then(|place| arguments.get(place + 1));
        value.map_or(default, |value| value.parse().expect("a whole number"))
    };
    let seed = std::env::var("TILTYARD_DAMAGE_SEED").ok();
    let seed = seed.map_or(1, |seed| seed.parse().expect("a whole number"));
    std::panic::set_hook(Box::new(|panic| {
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = panic.to_string();
    }));
    match run(number("--trials", 500), seed) {
        Ok(()) => {
            println!("1 passed, 0 failed");
            ExitCode::SUCCESS
        }
        Err(wrong) => {
            println!("{wrong}\n0 passed, 1 failed");
            ExitCode::FAILURE
        }
    }
}

fn run(n_trials: u64, seed: u64) -> Result<(), String> {
    let start = Instant::now();
    let fixture = Fixture::new()?;
    println!("{} ({:.1} s)", fixture.describe(), start.elapsed().as_secs_f64());
    let start = Instant::now();
    let reports: Vec<Report> = (seed..seed + n_trials).map(|seed| trial::run(&fixture, seed, true)).collect();
    let seconds = start.elapsed().as_secs_f64();
    table(&reports);
    println!("\n{n_trials} trials in {seconds:.0} s, {:.1} ms each", 1e3 * seconds / n_trials as f64);
    let count = |kind| reports.iter().filter(|report| report.repair == Some(kind)).count();
    println!("repaired: {} as a whole, {} by a cut", count(Repair::Whole), count(Repair::Cut));
    if n_trials == 1 {
        println!("{:#?}", reports[0]);
    }
    let failed: Vec<&Report> = reports.iter().filter(|report| report.wrong().next().is_some()).collect();
    for report in failed.iter().take(PRINTED) {
        println!(
            "\nTILTYARD_DAMAGE_SEED={} cargo xtask damage 1\n  {:?}, {}",
            report.seed, report.kind, report.story
        );
        for wrong in report.wrong().take(2) {
            println!("  - {wrong}");
        }
        println!("  ({} in all)", report.wrong().count());
    }
    if !failed.is_empty() {
        return Err(format!("\n{} trials failed", failed.len()));
    }
    still_served(&fixture, &reports)?;
    without_checks(&fixture, seed)
}

fn table(reports: &[Report]) {
    let header = ["trials", "truth", "named", "refused", "failed"];
    println!(
        "\n{:<42}{:>8}{:>8}{:>8}{:>9}{:>8}",
        "damage", header[0], header[1], header[2], header[3], header[4]
    );
    let line = |name: &str, reports: &[&Report]| {
        let count = |is: &dyn Fn(&Report) -> bool| reports.iter().filter(|report| is(report)).count();
        println!(
            "{name:<42}{:>8}{:>8}{:>8}{:>9}{:>8}",
            reports.len(),
            count(&|report| report.served.is_truth()),
            count(&|report| report.served.refused.is_none()
                && !(report.served.apart.is_empty() && report.served.notes.is_empty())),
            count(&|report| report.served.refused.is_some()),
            count(&|report| report.wrong().next().is_some()),
        );
    };
    for (kind, _, name) in KINDS {
        line(name, &reports.iter().filter(|report| report.kind == kind).collect::<Vec<_>>());
    }
    line("all", &reports.iter().collect::<Vec<_>>());
}

/// One flipped bit of the database rarely concerns several experiments.
fn still_served(fixture: &Fixture, reports: &[Report]) -> Result<(), String> {
    let n_experiments = fixture.truth.experiments().count();
    let damaged = reports.iter().filter(|report| report.is_one_bit && !report.served.apart.is_empty());
    let (n_damaged, n_served) =
        damaged.fold((0, 0), |(n, served), report| (n + 1, served + report.served.true_logs.len()));
    if n_damaged == 0 {
        return Ok(());
    }
    let part = f64::from(u32::try_from(n_served).unwrap_or(u32::MAX)) / (n_damaged * n_experiments) as f64;
    println!(
        "{n_damaged} times one bit of the database damaged a log: {:.0} % of the experiments were served as before",
        100.0 * part
    );
    if part < STILL_SERVED && n_damaged >= 20 {
        return Err(format!("that is less than {:.0} %", 100.0 * STILL_SERVED));
    }
    Ok(())
}

/// The same trials with hashing switched off must fail.
fn without_checks(fixture: &Fixture, seed: u64) -> Result<(), String> {
    let false_answers = (seed..seed + WITHOUT_CHECKS)
        .filter(|&seed| trial::run(fixture, seed, false).served.n_false > 0)
        .count();
    println!("without hashes, {false_answers} of {WITHOUT_CHECKS} trials give false answers");
    if false_answers == 0 {
        return Err("this test does not notice that hashing is switched off".to_owned());
    }
    Ok(())
}
