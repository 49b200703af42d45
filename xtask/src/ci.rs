//! `cargo xtask ci`: every check at landing.
//!
//! One build serves all checks that run programs: `build` makes it, and every step selects its
//! packages in the same way, because cargo chooses other features, and so compiles nearly
//! everything anew, for another selection. Where a step leaves something to the other tier,
//! `thorough.rs` names it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

use crate::{browser, python, schemathesis, shell, target, thorough, tidy};

/// What every build and test of `ci` selects: all packages but the worked example of a search
/// engine, whose engine takes a minute to compile, in the profile for checks.
pub(crate) const SELECTED: [&str; 6] =
    ["--workspace", "--exclude", LEFT_OUT, "--locked", "--profile", PROFILE];

/// The profile of Cargo.toml in which `ci` builds.
const PROFILE: &str = "ci";

/// The package that only the thorough tier builds.
pub(crate) const LEFT_OUT: &str = "tiltyard-example-search";

/// A check.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&Shell) -> Result<()>,
}

/// First those that find most mistakes soonest, one after the other: cargo uses all cores by
/// itself.
pub(crate) const IN_ORDER: &[Step] = &[
    Step { name: "format", run: format },
    Step { name: "lints", run: lints },
    Step { name: "the core for wasm32", run: wasm },
    Step { name: "documentation", run: documentation },
    Step { name: "build", run: build },
    Step { name: "tests", run: tests },
    Step { name: "statistics", run: statistics },
];

/// What later steps fetch from the network, which keeps no core busy: done while the others
/// compile.
pub(crate) const FETCHED: &[Step] = &[
    Step { name: "packages for the API", run: |sh| schemathesis::install(sh).map(drop) },
    Step { name: "packages for the pages", run: browser::prepare },
    Step { name: "packages for Python", run: |sh| python::prepare(sh).map(drop) },
];

/// Checks of what was built. None keeps two cores busy, so two are run at a time; the longest
/// first.
pub(crate) const SIDE_BY_SIDE: &[Step] = &[
    Step { name: "pages in a browser", run: |sh| browser::run(sh, browser::Request::default()) },
    Step { name: "the Python package", run: python::quick },
    Step { name: "the API and its document", run: |sh| schemathesis::run(sh, schemathesis::FEW) },
    Step { name: "killed servers", run: |sh| crash(sh, "30") },
    Step { name: "fuzzed readers", run: |sh| fuzz(sh, "20s") },
    Step { name: "generated files", run: tidy::generated_is_current },
];

/// How many steps of [`SIDE_BY_SIDE`] run at the same time.
const LANES: usize = 2;

/// Every check.
pub(crate) fn run() -> Result<()> {
    components(&shell()?)?;
    // Asked for now: the build puts another file in the place of this program's, and the system
    // then knows the old one as deleted.
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
    for ended in fetching.join().expect("the thread that fetches does not panic") {
        ended.tell(times)?;
    }
    // What a step prints is held back until it ends: two at a time would be unreadable.
    let (ended, told) = mpsc::channel();
    let waiting = &Mutex::new(SIDE_BY_SIDE.iter());
    thread::scope(move |scope| {
        for _ in 0..LANES {
            let ended = ended.clone();
            scope.spawn(move || {
                while let Some(step) = { waiting.lock().expect("no step panics in here").next() } {
                    // Nobody listens any more if an earlier step failed.
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

/// A step that ended, with what it printed.
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

/// Runs a step in a process of its own, so that all it prints can be held back.
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

/// Runs the step of that name alone; the one way in for the processes of [`quiet`].
pub(crate) fn step(name: &str) -> Result<()> {
    let mut steps = IN_ORDER.iter().chain(FETCHED).chain(SIDE_BY_SIDE);
    let step = steps.find(|step| step.name == name).with_context(|| format!("there is no step `{name}`"))?;
    (step.run)(&shell()?).with_context(|| failed(step))
}

/// Each step's time, longest first.
fn report(times: &[(&'static str, Duration)]) {
    let mut times = times.to_vec();
    times.sort_by_key(|&(_, time)| std::cmp::Reverse(time));
    println!("\nseconds  step");
    for (name, time) in times {
        println!("{:>7.0}  {name}", time.as_secs_f64());
    }
}

/// Format and lints are components that a minimal toolchain lacks.
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

/// The core compiles where there is no operating system. The target is installed if need be; where
/// that cannot be done, the check is left out, and says so.
fn wasm(sh: &Shell) -> Result<()> {
    let target = "wasm32-unknown-unknown";
    if cmd!(sh, "rustup target add {target}").quiet().run().is_err() {
        println!("SKIPPED: the target {target} is not there and `rustup` could not add it");
        return Ok(());
    }
    Ok(cmd!(sh, "cargo check --locked --package tiltyard-bandit --target {target} --profile {PROFILE}")
        .run()?)
}

fn documentation(sh: &Shell) -> Result<()> {
    let _strict = sh.push_env("RUSTDOCFLAGS", "-D warnings");
    Ok(cmd!(sh, "cargo doc {SELECTED...} --no-deps --document-private-items").run()?)
}

/// Tests that cargo leaves out unless they are named, also where all targets are asked for.
const NAMED: [&str; 4] = ["--test", "slow", "--test", "crash"];

/// Compiles all that later steps run.
fn build(sh: &Shell) -> Result<()> {
    cmd!(sh, "cargo build {SELECTED...} --lib --bins --examples --tests").run()?;
    Ok(cmd!(sh, "cargo build {SELECTED...} {NAMED...}").run()?)
}

/// Compiles libraries, programs and examples, and says where they are. A test is named beside them
/// because cargo chooses the features of test builds only where there is a test.
pub(crate) fn built(sh: &Shell) -> Result<PathBuf> {
    cmd!(sh, "cargo build {SELECTED...} --lib --bins --examples --test crash").run()?;
    Ok(target().join(PROFILE))
}

/// The program, built for tests.
pub(crate) fn program(sh: &Shell) -> Result<PathBuf> {
    Ok(built(sh)?.join(format!("tiltyard{}", std::env::consts::EXE_SUFFIX)))
}

/// The tests of every crate and the examples in the documentation.
///
/// `cargo nextest` keeps all cores busy to the end, which `cargo test` does not: it ends one
/// program before it starts the next.
pub(crate) fn tests(sh: &Shell) -> Result<()> {
    if cmd!(sh, "cargo nextest --version").quiet().ignore_stdout().ignore_stderr().run().is_err() {
        println!("`cargo nextest` is not there: `cargo test` does the same and takes longer");
        return Ok(cmd!(sh, "cargo test {SELECTED...}").run()?);
    }
    let without_harness = WITHOUT_HARNESS.map(|name| format!("binary(={name})")).join(" | ");
    let others = format!("not ({without_harness})");
    // What cargo calls a profile, nextest calls a cargo profile.
    let selected = SELECTED.map(|word| if word == "--profile" { "--cargo-profile" } else { word });
    cmd!(sh, "cargo nextest run {selected...} --no-fail-fast --status-level fail -E {others}").run()?;
    let targets = WITHOUT_HARNESS.iter().flat_map(|name| ["--test", name]);
    cmd!(sh, "cargo test {SELECTED...} {targets...}").run()?;
    Ok(cmd!(sh, "cargo test {SELECTED...} --doc").run()?)
}

/// Tests that are programs of their own, which `cargo nextest` cannot list.
pub(crate) const WITHOUT_HARNESS: [&str; 3] = ["fuzz", "merging_allocates_nothing", "no_allocation"];

/// Statistics over millions of rounds, but for those that take longest.
pub(crate) fn statistics(sh: &Shell) -> Result<()> {
    let left_out = thorough::STATISTICS.iter().flat_map(|name| ["--skip", name]);
    Ok(cmd!(sh, "cargo test {SELECTED...} --test slow -- {left_out...}").run()?)
}

/// Servers killed at random while clients vote.
pub(crate) fn crash(sh: &Shell, seconds: &str) -> Result<()> {
    Ok(cmd!(sh, "cargo test {SELECTED...} --test crash -- --seconds {seconds}").run()?)
}

/// So many damaged inputs, or inputs for so many seconds.
pub(crate) fn fuzz(sh: &Shell, amount: &str) -> Result<()> {
    Ok(cmd!(sh, "cargo test {SELECTED...} --test fuzz -- --amount {amount}").run()?)
}
