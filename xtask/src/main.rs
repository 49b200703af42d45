//! Every developer task of Tiltyard: `cargo xtask ci|test|fuzz|schemathesis|browser|python|crash|bench|docs|delay-table|guide|fresh`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a task talks to the person who started it")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

mod browser;
mod python;
mod schemathesis;
mod system;
mod tidy;

const HELP: &str = "\
cargo xtask ci       every check: format, lints, tests of both tiers, documentation
cargo xtask test     the tests of both tiers and the examples in the documentation
cargo xtask fuzz     a million damaged files for the readers, or as many as told: `fuzz 1e5`, `fuzz 60s`
cargo xtask crash    servers killed for a minute while clients vote, or for as many seconds as told: `crash 600`
cargo xtask schemathesis   requests made up from the API's document, every answer compared with it (needs Python)
cargo xtask browser [FILTER] [--pictures]   the pages in a headless Chromium, which is installed with Node.js if need be; with pictures of
                     them in target/browser/pictures
cargo xtask python [--fast]   the Python package: its wheel in a fresh environment, its tests, types and notebook (needs Python); sooner
                     and with less of all that with `--fast`
cargo xtask bench    the benchmarks that give ratios of one run; `bench --timings` for criterion's, `bench --arena` for the live
                     service under load, `bench --peers` against other libraries, `bench --python` for the Python package
cargo xtask docs     write what is generated in docs/, and build the reference
cargo xtask delay-table   play what docs/delay.md shows, and write it anew (some minutes)
cargo xtask guide    play every policy in every world of crates/lab/specs/guide, and write docs/which-algorithm.md anew (about an
                     hour; what was played is kept in target/guide, and the same command continues)
cargo xtask fresh    the README's two commands in a fresh clone with an empty target directory";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let start = Instant::now();
    let result = match words.as_slice() {
        ["ci"] => ci(),
        ["test"] => shell().and_then(|sh| test(&sh)),
        ["fuzz"] => shell().and_then(|sh| fuzz(&sh, "1e6")),
        ["fuzz", amount] => shell().and_then(|sh| fuzz(&sh, amount)),
        ["crash"] => shell().and_then(|sh| crash(&sh, "60")),
        ["crash", seconds] => shell().and_then(|sh| crash(&sh, seconds)),
        ["schemathesis"] => shell().and_then(|sh| schemathesis::run(&sh)),
        ["browser", rest @ ..] => {
            browser::Request::read(rest).and_then(|request| browser::run(&shell()?, request))
        }
        ["python", rest @ ..] => {
            python::Request::read(rest).and_then(|request| python::run(&shell()?, request))
        }
        ["bench", rest @ ..] => bench(rest),
        ["docs"] => docs(),
        ["delay-table"] => delay_table(),
        ["guide"] => guide(),
        ["fresh"] => fresh(),
        _ => {
            println!("{HELP}");
            return ExitCode::from(u8::from(!words.is_empty()) * 2);
        }
    };
    match result {
        Ok(()) => {
            println!("\n{} done in {:.0} s", words.join(" "), start.elapsed().as_secs_f64());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace's root.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_path_buf()
}

/// Where cargo builds.
fn target() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from))
}

/// A shell in the workspace's root, where tests find real data if there is any.
fn shell() -> Result<Shell> {
    let sh = Shell::new()?;
    sh.change_dir(root());
    let data = std::env::var_os("TILTYARD_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
    if data.join("matrices").is_dir() {
        println!("real data: {}", data.display());
        sh.set_var("TILTYARD_DATA", data);
    } else {
        println!(
            "real data: NOT FOUND; tests that need it say so and are skipped (set TILTYARD_DATA to run them)"
        );
    }
    Ok(sh)
}

fn ci() -> Result<()> {
    let sh = shell()?;
    components(&sh)?;
    step("format", || Ok(cmd!(sh, "cargo fmt --all --check").run()?))?;
    step("lints", || Ok(cmd!(sh, "cargo clippy --workspace --all-targets --locked -- -D warnings").run()?))?;
    step("the core for wasm32", || wasm(&sh))?;
    step("documentation", || {
        let _strict = sh.push_env("RUSTDOCFLAGS", "-D warnings");
        Ok(cmd!(sh, "cargo doc --workspace --no-deps --locked --document-private-items").run()?)
    })?;
    test(&sh)?;
    step("generated files", || tidy::generated_is_current(&sh))
}

/// The core compiles where there is no operating system. The target is installed if need be; where that cannot be done, the check
/// is left out, and says so.
fn wasm(sh: &Shell) -> Result<()> {
    let target = "wasm32-unknown-unknown";
    if cmd!(sh, "rustup target add {target}").quiet().run().is_err() {
        println!("SKIPPED: the target {target} is not there and `rustup` could not add it");
        return Ok(());
    }
    Ok(cmd!(sh, "cargo check --locked --package tiltyard-bandit --target {target}").run()?)
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

fn test(sh: &Shell) -> Result<()> {
    step("tests", || Ok(cmd!(sh, "cargo test --workspace --locked").run()?))?;
    // Statistics over millions of rounds: optimised, and not part of plain `cargo test`.
    step("slow tests", || {
        Ok(cmd!(sh, "cargo test --release --locked --package tiltyard-lab --test slow").run()?)
    })?;
    step("fuzzed readers", || fuzz(sh, "60s"))?;
    step("killed servers", || crash(sh, "60"))?;
    step("the API and its document", || schemathesis::run(sh))?;
    step("pages in a browser", || browser::run(sh, browser::Request::default()))?;
    step("the Python package", || python::run(sh, python::Request::default()))
}

/// Servers killed at random while clients vote.
fn crash(sh: &Shell, seconds: &str) -> Result<()> {
    Ok(cmd!(sh, "cargo test --release --locked --package tiltyard --test crash -- --seconds {seconds}")
        .run()?)
}

/// So many inputs, or inputs for so many seconds.
fn fuzz(sh: &Shell, amount: &str) -> Result<()> {
    Ok(cmd!(sh, "cargo test --release --locked --package tiltyard-world --test fuzz -- --amount {amount}")
        .run()?)
}

fn bench(rest: &[&str]) -> Result<()> {
    let sh = shell()?;
    match rest {
        ["--timings", rest @ ..] => {
            cmd!(sh, "cargo bench --package tiltyard-bench --bench policies -- {rest...}").run()?;
        }
        ["--peers", rest @ ..] => {
            cmd!(sh, "cargo bench --package tiltyard-bench --bench interleave -- {rest...}").run()?;
        }
        ["--arena", rest @ ..] => {
            cmd!(sh, "cargo bench --package tiltyard-bench --bench arena -- {rest...}").run()?;
        }
        ["--python", rest @ ..] => python::bench(&sh, rest)?,
        rest => cmd!(sh, "cargo bench --package tiltyard-bench --bench ratios -- {rest...}").run()?,
    }
    Ok(())
}

fn docs() -> Result<()> {
    let sh = shell()?;
    tidy::generate(&sh)?;
    cmd!(sh, "cargo doc --workspace --no-deps --locked").run()?;
    Ok(())
}

/// Regret against delay, loss and staleness. Apart from `docs`, since it plays some 1e9 rounds.
fn delay_table() -> Result<()> {
    let sh = shell()?;
    let page = cmd!(sh, "cargo run --quiet --release --locked --package tiltyard-lab --example delay_table")
        .read()?;
    Ok(sh.write_file("docs/delay.md", page + "\n")?)
}

/// Which algorithm to use, by measurement.
fn guide() -> Result<()> {
    let sh = shell()?;
    let page = cmd!(
        sh,
        "cargo run --quiet --release --locked --package tiltyard-lab --example guide -- target/guide"
    )
    .read()?;
    Ok(sh.write_file("docs/which-algorithm.md", page + "\n")?)
}

/// What a newcomer does, on this machine but with nothing of this checkout's target directory.
fn fresh() -> Result<()> {
    let sh = Shell::new()?;
    sh.change_dir(root());
    if !cmd!(sh, "git status --porcelain").read()?.is_empty() {
        bail!("uncommitted changes would not be in a fresh clone: commit them first");
    }
    let directory = sh.create_temp_dir()?;
    let clone = directory.path().join("tiltyard");
    let source = root();
    cmd!(sh, "git clone --quiet {source} {clone}").run()?;
    sh.change_dir(&clone);
    sh.set_var("CARGO_TARGET_DIR", directory.path().join("target"));
    let data = root().join("../shared/data");
    if data.is_dir() {
        sh.set_var("TILTYARD_DATA", data);
    }
    let readme = sh.read_file("README.md")?;
    let commands: Vec<&str> =
        readme.lines().filter_map(|line| line.strip_prefix("    cargo ")).map(str::trim).take(2).collect();
    if commands.len() != 2 {
        bail!("the README's first screen must hold two commands indented by four spaces");
    }
    for command in commands {
        let words: Vec<&str> = command.split('#').next().unwrap_or_default().split_whitespace().collect();
        step(command, || Ok(cmd!(sh, "cargo {words...}").run()?))?;
    }
    Ok(())
}

fn step(name: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    println!("\n== {name}");
    let start = Instant::now();
    work().with_context(|| format!("`{name}` failed"))?;
    println!("== {name}: {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}
