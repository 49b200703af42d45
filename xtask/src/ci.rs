//! `cargo xtask ci`: every check required for landing.
//!
//! All checks that run programs share one build, which the step `build` makes. Every step selects
//! its packages in the same way: for another selection, cargo would choose other features and
//! compile nearly everything again. `thorough.rs` names everything that a step leaves to the
//! thorough tier.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

use crate::{browser, python, schemathesis, shell, target, thorough, tidy};

/// The arguments of every build and test of `ci`. They select the profile for checks and all
/// packages except the search example, whose search engine takes a minute to compile.
pub(crate) const SELECTED: [&str; 6] =
    ["--workspace", "--exclude", LEFT_OUT, "--locked", "--profile", PROFILE];

/// The profile in Cargo.toml that `ci` uses.
const PROFILE: &str = "ci";

/// The package that only the thorough tier builds.
pub(crate) const LEFT_OUT: &str = "tiltyard-example-search";

pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&Shell) -> Result<()>,
}

/// Steps that run one after the other, because cargo itself uses all cores. The steps that find the
/// most mistakes in the shortest time come first.
pub(crate) const IN_ORDER: &[Step] = &[
    Step { name: "format", run: format },
    Step { name: "lints", run: lints },
    Step { name: "the core for wasm32", run: wasm },
    Step { name: "documentation", run: documentation },
    Step { name: "build", run: build },
    Step { name: "tests", run: tests },
    Step { name: "statistics", run: statistics },
];

/// Downloads for later steps. They hardly use a core, so they run while the other steps compile.
pub(crate) const FETCHED: &[Step] = &[
    Step { name: "packages for the API", run: |sh| schemathesis::install(sh).map(drop) },
    Step { name: "packages for the pages", run: browser::prepare },
    Step { name: "packages for Python", run: |sh| python::prepare(sh).map(drop) },
];

/// Checks of the build. None keeps two cores busy, so two run at the same time. The longest come
/// first.
pub(crate) const SIDE_BY_SIDE: &[Step] = &[
    Step { name: "pages in a browser", run: |sh| browser::run(sh, browser::Request::default()) },
    Step { name: "the Python package", run: python::quick },
    Step { name: "the API and its document", run: |sh| schemathesis::run(sh, schemathesis::FEW) },
    Step { name: "damaged data", run: |sh| damage(sh, TRIALS) },
    Step { name: "killed servers", run: |sh| crash(sh, "30") },
    Step { name: "power cuts", run: |sh| power(sh, "12") },
    Step { name: "fuzzed readers", run: |sh| fuzz(sh, "20s") },
    Step { name: "generated files", run: tidy::generated_is_current },
];

/// The number of steps of [`SIDE_BY_SIDE`] that run at the same time.
const LANES: usize = 2;

/// Runs every check.
pub(crate) fn run() -> Result<()> {
    components(&shell()?)?;
    // Found before the build, which replaces this program's file. After that, the system would
    // report its path as deleted.
    let program = std::env::current_exe()?;
    let mut times = Vec::new();
    let result = all(&program, &mut times);
    report(&times);
    result
}

fn all(program: &Path, times: &mut Vec<(&'static str, Duration)>) -> Result<()> {
    let fetching = {
        let program = program.to_owned();
        thread::spawn(move || FETCHED.iter().map(|step| quiet(&program, step)).collect::<Vec<_>>())
    };
    for step in IN_ORDER {
        println!("\n== {}", step.name);
        let start = Instant::now();
        (step.run)(&shell()?).with_context(|| failed(step))?;
        times.push((step.name, start.elapsed()));
        println!("== {}: {:.0} s", step.name, start.elapsed().as_secs_f64());
    }
    for ended in fetching.join().expect("the downloading thread does not panic") {
        ended.tell(times)?;
    }
    // The output of a step is printed when it ends, because two outputs at a time would mix.
    let (ended, told) = mpsc::channel();
    let waiting = &Mutex::new(SIDE_BY_SIDE.iter());
    thread::scope(move |scope| {
        for _ in 0..LANES {
            let ended = ended.clone();
            scope.spawn(move || {
                while let Some(step) = { waiting.lock().expect("no step panics in here").next() } {
                    // The receiver is gone if an earlier step failed.
                    if ended.send(quiet(program, step)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(ended);
        told.into_iter().try_for_each(|step: Ended| step.tell(times))
    })
}

fn failed(step: &Step) -> String {
    format!("`{}` failed", step.name)
}

/// A step that has ended, with its output.
struct Ended {
    name: &'static str,
    time: Duration,
    output: String,
    is_ok: bool,
}

impl Ended {
    fn tell(self, times: &mut Vec<(&'static str, Duration)>) -> Result<()> {
        println!("\n== {}\n{}", self.name, self.output.trim_end());
        println!("== {}: {:.0} s", self.name, self.time.as_secs_f64());
        times.push((self.name, self.time));
        if !self.is_ok {
            bail!("`{}` failed", self.name);
        }
        Ok(())
    }
}

/// Runs a step in its own process, so that its output can be captured.
fn quiet(program: &Path, step: &Step) -> Ended {
    let start = Instant::now();
    let run = || -> Result<(String, bool)> {
        let output = std::process::Command::new(program)
            .args(["step", step.name])
            .stdin(std::process::Stdio::null())
            .output()?;
        let text = [output.stdout, output.stderr].concat();
        Ok((String::from_utf8_lossy(&text).into_owned(), output.status.success()))
    };
    let (output, is_ok) = run().unwrap_or_else(|error| (format!("{error:#}"), false));
    Ended { name: step.name, time: start.elapsed(), output, is_ok }
}

/// Runs the step with this name. The processes of [`quiet`] call this.
pub(crate) fn step(name: &str) -> Result<()> {
    let mut steps = IN_ORDER.iter().chain(FETCHED).chain(SIDE_BY_SIDE);
    let step = steps.find(|step| step.name == name).with_context(|| format!("unknown step `{name}`"))?;
    (step.run)(&shell()?).with_context(|| failed(step))
}

/// Prints the time of each step, longest first.
fn report(times: &[(&'static str, Duration)]) {
    let mut times = times.to_vec();
    times.sort_by_key(|&(_, time)| std::cmp::Reverse(time));
    println!("\nseconds  step");
    for (name, time) in times {
        println!("{:>7.0}  {name}", time.as_secs_f64());
    }
}

/// Installs rustfmt and clippy, which a minimal toolchain lacks.
fn components(sh: &Shell) -> Result<()> {
    for (probe, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if cmd!(sh, "cargo {probe} --version").ignore_stdout().ignore_stderr().quiet().run().is_err() {
            cmd!(sh, "rustup component add {component}")
                .run()
                .with_context(|| format!("`cargo {probe}` is missing and could not be installed"))?;
        }
    }
    Ok(())
}

pub(crate) fn format(sh: &Shell) -> Result<()> {
    Ok(cmd!(sh, "cargo fmt --all --check").run()?)
}

fn lints(sh: &Shell) -> Result<()> {
    cmd!(sh, "cargo clippy {SELECTED...} --all-targets -- -D warnings").run()?;
    Ok(cmd!(sh, "cargo clippy {SELECTED...} {NAMED...} -- -D warnings").run()?)
}

/// Checks that the core compiles without an operating system. Installs the target if it is missing;
/// if that fails, the check is skipped and says so.
fn wasm(sh: &Shell) -> Result<()> {
    let target = "wasm32-unknown-unknown";
    if cmd!(sh, "rustup target add {target}").quiet().run().is_err() {
        println!("SKIPPED: the target {target} is missing and `rustup` could not add it");
        return Ok(());
    }
    Ok(cmd!(sh, "cargo check --locked --package tiltyard-bandit --target {target} --profile {PROFILE}")
        .run()?)
}

fn documentation(sh: &Shell) -> Result<()> {
    let _strict = sh.push_env("RUSTDOCFLAGS", "-D warnings");
    Ok(cmd!(sh, "cargo doc {SELECTED...} --no-deps --document-private-items").run()?)
}

/// Tests that cargo leaves out unless they are named, even with `--all-targets`.
const NAMED: [&str; 8] = ["--test", "slow", "--test", "crash", "--test", "power", "--test", "damage"];

/// Compiles everything that later steps run.
fn build(sh: &Shell) -> Result<()> {
    cmd!(sh, "cargo build {SELECTED...} --lib --bins --examples --tests").run()?;
    Ok(cmd!(sh, "cargo build {SELECTED...} {NAMED...}").run()?)
}

/// Compiles libraries, programs and examples, and returns their directory. A test is named as well,
/// because cargo chooses the features of test builds only if there is a test.
pub(crate) fn built(sh: &Shell) -> Result<PathBuf> {
    cmd!(sh, "cargo build {SELECTED...} --lib --bins --examples --test crash").run()?;
    Ok(target().join(PROFILE))
}

/// Builds the program for tests and returns its path.
pub(crate) fn program(sh: &Shell) -> Result<PathBuf> {
    Ok(built(sh)?.join(format!("tiltyard{}", std::env::consts::EXE_SUFFIX)))
}

/// Runs the tests of every crate and the examples in the documentation.
///
/// `cargo nextest` keeps all cores busy until the end. `cargo test` does not, because it runs one
/// test program after the other.
pub(crate) fn tests(sh: &Shell) -> Result<()> {
    if cmd!(sh, "cargo nextest --version").quiet().ignore_stdout().ignore_stderr().run().is_err() {
        println!("`cargo nextest` is not installed; `cargo test` runs the same tests and takes longer");
        return Ok(cmd!(sh, "cargo test {SELECTED...}").run()?);
    }
    let without_harness = WITHOUT_HARNESS.map(|name| format!("binary(={name})")).join(" | ");
    let others = format!("not ({without_harness})");
    // Nextest has its own profiles, and calls those of cargo `--cargo-profile`.
    let selected = SELECTED.map(|word| if word == "--profile" { "--cargo-profile" } else { word });
    cmd!(sh, "cargo nextest run {selected...} --no-fail-fast --status-level fail -E {others}").run()?;
    let targets = WITHOUT_HARNESS.iter().flat_map(|name| ["--test", name]);
    cmd!(sh, "cargo test {SELECTED...} {targets...}").run()?;
    Ok(cmd!(sh, "cargo test {SELECTED...} --doc").run()?)
}

/// Tests with their own `main`, which `cargo nextest` cannot list.
pub(crate) const WITHOUT_HARNESS: [&str; 3] = ["fuzz", "merging_allocates_nothing", "no_allocation"];

/// Runs the statistics over millions of rounds, except those that take longest.
pub(crate) fn statistics(sh: &Shell) -> Result<()> {
    let left_out = thorough::STATISTICS.iter().flat_map(|name| ["--skip", name]);
    Ok(cmd!(sh, "cargo test {SELECTED...} --test slow -- {left_out...}").run()?)
}

/// Kills servers at random while clients vote.
pub(crate) fn crash(sh: &Shell, seconds: &str) -> Result<()> {
    Ok(cmd!(sh, "cargo test {SELECTED...} --test crash -- --seconds {seconds}").run()?)
}

/// Cuts the power of servers on a faulty disk, in a number of trials.
pub(crate) fn power(sh: &Shell, trials: &str) -> Result<()> {
    Ok(cmd!(sh, "cargo test {SELECTED...} --test power -- --trials {trials}").run()?)
}

/// The number of damages that `ci` does.
pub(crate) const TRIALS: &str = "1000";

/// Damages data, serves it, and compares every answer with the truth.
pub(crate) fn damage(sh: &Shell, trials: &str) -> Result<()> {
    Ok(cmd!(sh, "cargo test {SELECTED...} --test damage -- --trials {trials}").run()?)
}

/// Tests the readers with a number of damaged inputs, or for a number of seconds.
pub(crate) fn fuzz(sh: &Shell, amount: &str) -> Result<()> {
    Ok(cmd!(sh, "cargo test {SELECTED...} --test fuzz -- --amount {amount}").run()?)
}
