//! The live service under load, with writes and syncs on:
//! `cargo bench -p tiltyard-bench --bench arena [-- --check]`.
//!
//! A server runs in its own process, on loopback, with its data in a temporary directory (`TMPDIR`
//! decides on which disk). For comparison, the same run times a loop with one durable insert per
//! commit. With `--check`, the exit code is 1 if a target is missed. Without `--bench`, which
//! `cargo bench` passes and `cargo test` does not, everything runs once and briefly, to check that
//! it works.

#![expect(clippy::print_stdout, reason = "this program prints a table")]

use std::env;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

#[path = "arena/insert_loop.rs"]
mod insert_loop;
#[path = "arena/load.rs"]
mod load;
#[path = "arena/pages.rs"]
mod pages;
#[path = "arena/replay.rs"]
mod replay;
#[path = "arena/server.rs"]
mod server;

/// The amount of work to measure.
#[derive(Debug, Clone, Copy)]
struct Effort {
    seconds: f64,
    votes: usize,
    arms: usize,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().collect();
    if let [_, word, directory, delay] = arguments.as_slice()
        && word == server::CHILD
    {
        return server::run(Path::new(directory), delay);
    }
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let effort = if has("--bench") {
        Effort { seconds: 5.0, votes: 1_000_000, arms: 100_000 }
    } else {
        Effort { seconds: 0.2, votes: 2_000, arms: 1_000 }
    };
    let mut targets = Targets::default();
    under_load(effort, &mut targets);
    replayed(effort, &mut targets);
    looked_at(effort, &mut targets);
    println!("\nTargets: {} ok, {} MISSED", targets.ok, targets.missed);
    if targets.missed > 0 && has("--check") { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

#[derive(Debug, Default)]
struct Targets {
    ok: usize,
    missed: usize,
}

impl Targets {
    fn judge(&mut self, holds: bool) -> &'static str {
        if holds {
            self.ok += 1;
            "ok"
        } else {
            self.missed += 1;
            "MISSED"
        }
    }
}

/// One way to load the server.
struct Case {
    name: &'static str,
    clients: usize,
    /// Duels requested, and outcomes sent, in one request.
    batch: usize,
    arms: usize,
    /// How much longer a sync takes than on this disk.
    delay: Duration,
    /// Pairs per second of all clients together; as many as they can if `None`.
    pace: Option<f64>,
}

fn under_load(effort: Effort, targets: &mut Targets) {
    println!("## Duels and outcomes per second\n");
    println!(
        "A pair is a duel and its outcome: two durable writes. `own` is the server's own time, without waiting for the disk.\n"
    );
    let many = effort.arms;
    let slow = Duration::from_millis(2);
    let case = |name, clients, batch, arms, delay| Case { name, clients, batch, arms, delay, pace: None };
    let paced =
        |name, arms| Case { name, clients: 64, batch: 1, arms, delay: Duration::ZERO, pace: Some(2000.0) };
    let cases = [
        case("1 client", 1, 1, 20, Duration::ZERO),
        case("64 clients", 64, 1, 20, Duration::ZERO),
        case("512 clients", 512, 1, 20, Duration::ZERO),
        case("64 clients, 100 per request", 64, 100, 20, Duration::ZERO),
        case("64 clients, syncs 2 ms longer", 64, 1, 20, slow),
        case("1 client, many arms", 1, 1, many, Duration::ZERO),
        case("64 clients, many arms", 64, 1, many, Duration::ZERO),
        paced("64 clients, 2000 pairs/s", 20),
        paced("64 clients, 2000 pairs/s, many arms", many),
    ];
    println!(
        "| case | arms | pairs/s | against the loop | duel p50 ms | p99 | outcome p50 ms | p99 | own p50 ms | p99 | errors |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let time = Duration::from_secs_f64(effort.seconds);
    let mut loops = Vec::new();
    let mut lines = Vec::new();
    for case in &cases {
        // Measured before each case, so that a disk that is slow for a while is slow for both.
        let directory = tempfile::tempdir().expect("a temporary directory");
        let inserts = insert_loop::per_second(directory.path(), time / 2, case.delay);
        if case.delay.is_zero() {
            loops.push(inserts);
        }
        let server = server::Child::start(case.delay);
        let result = load::run(&server, case, time);
        let ratio = result.pairs_per_second / inserts;
        println!(
            "| {} | {} | {:.0} | {ratio:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.3} | {:.3} | {} |",
            case.name,
            case.arms,
            result.pairs_per_second,
            result.duel.p50,
            result.duel.p99,
            result.outcome.p50,
            result.outcome.p99,
            result.own.p50,
            result.own.p99,
            result.errors
        );
        lines.push((case.name, ratio, result.own.p99, result.errors));
    }
    let mean = loops.iter().sum::<f64>() / loops.len() as f64;
    println!("\nThe loop with one durable insert per commit: {mean:.0} per second on average.\n");
    for (name, ratio, own, errors) in lines {
        if ["64 clients", "64 clients, 100 per request", "64 clients, syncs 2 ms longer"].contains(&name) {
            println!("{name}: {ratio:.2} times the loop (target 10): {}", targets.judge(ratio >= 10.0));
        }
        // At full speed, 64 clients keep both processors busy, and requests wait for them.
        if name.starts_with("1 client") || name.contains("pairs/s") {
            println!("{name}: own p99 {own:.3} ms (target 1): {}", targets.judge(own < 1.0));
        }
        if errors > 0 {
            println!("{name}: {errors} requests failed: {}", targets.judge(false));
        }
    }
}

fn replayed(effort: Effort, targets: &mut Targets) {
    println!("\n## Opening a log of {} votes\n", effort.votes);
    let result = replay::run(effort.votes);
    println!("{} records, {:.0} MB on disk", result.records, result.megabytes);
    println!(
        "without a snapshot: {:.2} s (target 4): {}",
        result.without,
        targets.judge(result.without < 4.0)
    );
    println!("with a snapshot: {:.3} s (target 0.5): {}", result.with, targets.judge(result.with < 0.5));
}

fn looked_at(effort: Effort, targets: &mut Targets) {
    println!("\n## The dashboard of {} votes\n", effort.votes);
    println!("One more vote arrives before each look. `own` is the server's own time.\n");
    println!("| arms | own p50 ms | p99 | kB | standing p50 ms |");
    println!("|--:|--:|--:|--:|--:|");
    let looks = if effort.votes > 100_000 { 100 } else { 5 };
    let mut lines = Vec::new();
    for arms in [2, 40, 200, 5000] {
        let pages::Looked { own, kilobytes, standing } = pages::run(arms, effort.votes, looks);
        println!("| {arms} | {:.2} | {:.2} | {kilobytes:.0} | {:.2} |", own.p50, own.p99, standing.p50);
        lines.push((arms, own.p50));
    }
    println!();
    for (arms, own) in lines {
        println!("{arms} arms: own p50 {own:.2} ms (target 5): {}", targets.judge(own < 5.0));
    }
}
