//! Kills servers: `cargo xtask crash [SECONDS]`.
//!
//! Clients ask for duels, answer, answer again and void. Meanwhile the server is killed with
//! SIGKILL at random moments and started again on the same data. After each start, the test
//! compares the server's state, bit for bit, with the log folded from its beginning. At the end, it
//! reads the log: everything that was acknowledged is there, unchanged and only once, and nothing
//! is counted twice.
//!
//! The operating system survives a killed process, so this test cannot find missing syncs. The
//! simulated disk of `arena/tests/it` can.

#![expect(clippy::print_stdout, reason = "it prints its findings")]

use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rand::RngExt as _;
use tiltyard::Stream;

mod audit;
mod client;
mod http;
mod server;

use client::{Ledger, Shared};
use server::Server;

/// The number of clients that vote at the same time.
const CLIENTS: u64 = 8;

/// One policy that can take voided answers back, and one that must learn again from the beginning.
const POLICIES: [&str; 2] = ["rex3", "mergerucb"];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str, default: u64| {
        let value = arguments.iter().position(|word| word == name).and_then(|place| arguments.get(place + 1));
        value.map_or(default, |value| value.parse().expect("a whole number"))
    };
    let (seconds, seed) = (number("--seconds", 60), number("--seed", 1));
    match run(Duration::from_secs(seconds), seed) {
        Ok(told) => {
            println!("{told}\n1 passed, 0 failed");
            ExitCode::SUCCESS
        }
        Err(wrong) => {
            println!("seed {seed}: {wrong}\n0 passed, 1 failed");
            ExitCode::FAILURE
        }
    }
}

fn run(time: Duration, seed: u64) -> Result<String, String> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut rng = Stream::new(seed).label("killer").rng();
    let mut server = Server::start(directory.path(), None)?;
    let experiments: Vec<String> =
        POLICIES.iter().map(|policy| client::create(&server, policy)).collect::<Result<_, _>>()?;
    let shared = Arc::new(Shared::new(server.access(), experiments));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                client::run(&shared, Stream::new(seed).label("client").index(number).rng(), number)
            })
        })
        .collect();
    let start = Instant::now();
    let mut n_kills = 0;
    while start.elapsed() < time {
        // Often early, while the server still folds its log or gets its first requests, and
        // sometimes late.
        let wait = if rng.random_bool(0.3) { rng.random_range(0..40) } else { rng.random_range(40..400) };
        thread::sleep(Duration::from_millis(wait));
        shared.take_away();
        let key = server.kill();
        n_kills += 1;
        if rng.random_bool(0.2) {
            // Killed again while it starts.
            let again =
                Server::start_and_kill(directory.path(), Duration::from_millis(rng.random_range(0..60)))?;
            n_kills += again;
        }
        server = Server::start(directory.path(), Some(key))?;
        audit::live_state_is_the_log(&server, directory.path())?;
        shared.give(server.access());
    }
    shared.stop();
    let mut ledger = Ledger::default();
    for client in clients {
        ledger.add(client.join().map_err(|_| "a client panicked".to_owned())??);
    }
    server.stop()?;
    let found = audit::log_has_all(directory.path(), &ledger)?;
    Ok(format!(
        "{n_kills} kills in {:.0} s: {} duels, {} outcomes and {} voids acknowledged, each of them in the log once; \
         {} records, {found} votes count",
        start.elapsed().as_secs_f64(),
        ledger.duels.len(),
        ledger.outcomes.len(),
        ledger.voided.len(),
        audit::n_records(directory.path())?,
    ))
}
