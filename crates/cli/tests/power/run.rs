//! Runs the trials, several at a time, and reports failures.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use crate::self_check;
use crate::trial::{self, Failure, Kind, Tally};

/// Trials that run at the same time. A trial waits most of the time.
const LANES: usize = 2;

/// The number of failures whose files are kept.
const MOST_KEPT: usize = 3;

pub(crate) fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let place = arguments.iter().position(|word| word == "--trials");
    let n_trials = place.and_then(|place| arguments.get(place + 1));
    let n_trials = n_trials.map_or(6, |value| value.parse().expect("a whole number"));
    let seed = std::env::var("TILTYARD_POWER_SEED").ok();
    let seed = seed.map_or(0, |value| value.parse().expect("TILTYARD_POWER_SEED is a whole number"));
    match all(seed, n_trials) {
        Ok(told) => {
            println!("{told}\n1 passed, 0 failed");
            ExitCode::SUCCESS
        }
        Err(wrong) => {
            println!("{wrong}\n0 passed, 1 failed");
            ExitCode::FAILURE
        }
    }
}

fn all(first: u64, n_trials: u64) -> Result<String, String> {
    let start = Instant::now();
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let shim = compile(directory.path())?;
    println!("{}", self_check::run(&shim)?);
    let next = AtomicU64::new(first);
    let (tally, failures) = (Mutex::new(Tally::default()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + n_trials {
                        break;
                    }
                    let kind = Kind::of(seed);
                    let keep = failures.lock().expect("no panic").len() < MOST_KEPT;
                    match trial::run(&shim, seed, kind, keep) {
                        Ok(did) => tally.lock().expect("no panic").add(&did),
                        Err(failure) => {
                            report(seed, kind, &failure);
                            failures.lock().expect("no panic").push(seed);
                        }
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().expect("no panic");
    let tally = tally.into_inner().expect("no panic");
    let [duels, answers, voids, reads] = tally.counts;
    let told = format!(
        "{n_trials} trials in {:.0} s: {} servers on a disk with {} faults acknowledged {duels} duels, {answers} \
         answers and {voids} voids, and answered {reads} reads; {} disk images checked",
        start.elapsed().as_secs_f64(),
        tally.n_servers,
        tally.n_faults,
        tally.n_images,
    );
    if failures.is_empty() {
        return Ok(told + ": nothing lost, nothing taken back, no damage");
    }
    failures.sort_unstable();
    Err(format!("{told}\n{} of {n_trials} trials failed, with the seeds {failures:?}", failures.len()))
}

fn report(seed: u64, kind: Kind, failure: &Failure) {
    let Failure { what, story, kept } = failure;
    let kept = kept.as_ref().map(|path| format!("    journal and image: {}\n", path.display()));
    println!(
        "seed {seed} ({kind:?}), {what}\n{story}{}    again: TILTYARD_POWER_SEED={seed} cargo xtask power 1",
        kept.unwrap_or_default()
    );
}

/// Compiles the shim. A C compiler is there, because SQLite needed one.
fn compile(directory: &Path) -> Result<PathBuf, String> {
    let shim = directory.join("shim.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/power/shim.c");
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let output = Command::new(&compiler)
        .args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o"])
        .args([&shim, &source])
        .arg("-pthread")
        .output()
        .map_err(|error| format!("could not run the C compiler {}: {error}", compiler.display()))?;
    if output.status.success() {
        Ok(shim)
    } else {
        Err(format!("the shim does not compile: {}", String::from_utf8_lossy(&output.stderr)))
    }
}
