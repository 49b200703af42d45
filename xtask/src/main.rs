//! All developer tasks of Tiltyard. `cargo xtask` lists them.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a task prints to the terminal")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

mod browser;
mod check;
mod ci;
mod clean_root;
mod exceptions;
mod python;
mod schemathesis;
mod system;
mod thorough;
mod tidy;
mod toy_policy;

const HELP: &str = "\
Checks:
  cargo xtask ci                    run every check required for landing, and print the time of each step
  cargo xtask check                 while working: check format and lints, and test the crates that changed
  cargo xtask thorough [STEP]...    run the same suites with larger budgets, step by step; docs/thorough.md records the results
  cargo xtask step NAME             run one step of `ci`
  cargo xtask test                  test every crate and the examples in the documentation, and run the statistics
  cargo xtask fuzz [AMOUNT]         give the readers a million damaged files, or another amount: `fuzz 1e5`, `fuzz 60s`
  cargo xtask crash [SECONDS]       kill servers while clients vote, for a minute or this many seconds
  cargo xtask power [TRIALS]        cut the power of servers on a faulty disk, in 60 trials or this many (Linux only);
                                    `TILTYARD_POWER_SEED=17 cargo xtask power 1` repeats the trial with seed 17
  cargo xtask damage [TRIALS]       damage data in 1,000 trials or this many, serve it, and compare every answer with the truth
  cargo xtask schemathesis          send random requests made from the OpenAPI document, and check every answer (needs Python)
  cargo xtask browser [FILTER] [--pictures]
                                    test the pages in a headless Chromium (installs it and Node.js if they are missing);
                                    `--pictures` writes pictures of the pages to target/browser/pictures
  cargo xtask python                check the tests and types of the Python package (needs Python);
                                    `thorough wheel` checks the wheel, Ray and the notebook
  cargo xtask fresh                 run the README's two commands in a fresh clone with an empty target directory

Generated files:
  cargo xtask docs                  write all generated files, and build the API documentation
  cargo xtask python reference      write docs/python-reference.md
  cargo xtask delay-table           run the experiments of docs/delay.md, and write the page (some minutes)
  cargo xtask guide                 play every policy in every world of crates/lab/specs/guide, and write
                                    docs/which-algorithm.md (about an hour; to continue after a stop, run it again)

Benchmarks:
  cargo xtask bench                 measure ratios within one run
  cargo xtask bench --timings       measure times with criterion
  cargo xtask bench --arena         measure the live service under load
  cargo xtask bench --peers         compare with other libraries
  cargo xtask bench --python        measure the Python package";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let start = Instant::now();
    let result = match words.as_slice() {
        ["ci"] => ci::run(),
        ["check"] => shell().and_then(|sh| check::run(&sh)),
        ["thorough", steps @ ..] => thorough::run(steps),
        ["step", name] => ci::step(name),
        ["test"] => shell().and_then(|sh| ci::tests(&sh).and_then(|()| ci::statistics(&sh))),
        ["fuzz"] => shell().and_then(|sh| ci::fuzz(&sh, "1e6")),
        ["fuzz", amount] => shell().and_then(|sh| ci::fuzz(&sh, amount)),
        ["crash"] => shell().and_then(|sh| ci::crash(&sh, "60")),
        ["crash", seconds] => shell().and_then(|sh| ci::crash(&sh, seconds)),
        ["power"] => shell().and_then(|sh| ci::power(&sh, "60")),
        ["power", trials] => shell().and_then(|sh| ci::power(&sh, trials)),
        ["damage"] => shell().and_then(|sh| ci::damage(&sh, ci::TRIALS)),
        ["damage", trials] => shell().and_then(|sh| ci::damage(&sh, trials)),
        ["schemathesis"] => shell().and_then(|sh| schemathesis::run(&sh, schemathesis::FEW)),
        ["browser", rest @ ..] => {
            browser::Request::read(rest).and_then(|request| browser::run(&shell()?, request))
        }
        ["python"] => shell().and_then(|sh| python::quick(&sh)),
        ["python", "reference"] => shell().and_then(|sh| python::reference(&sh)),
        ["bench", rest @ ..] => bench(rest),
        ["docs"] => docs(),
        ["delay-table"] => write("docs/delay.md", tidy::delay_page),
        ["guide"] => write("docs/which-algorithm.md", tidy::guide_page),
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

/// The root of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the workspace").to_path_buf()
}

/// Cargo's target directory.
fn target() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from))
}

/// A shell in the root of the workspace. It sets `TILTYARD_DATA` if there is real data.
fn shell() -> Result<Shell> {
    let sh = Shell::new()?;
    sh.change_dir(root());
    let data = std::env::var_os("TILTYARD_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
    if data.join("matrices").is_dir() {
        println!("real data: {}", data.display());
        sh.set_var("TILTYARD_DATA", data);
    } else {
        println!(
            "real data: NOT FOUND; tests that need it are skipped and say so (set TILTYARD_DATA to run them)"
        );
    }
    Ok(sh)
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
    thorough::write_page(&sh)?;
    cmd!(sh, "cargo doc --workspace --no-deps --locked").run()?;
    Ok(())
}

/// Writes a page that `docs` leaves out because it takes too long.
fn write(path: &str, make: fn(&Shell) -> Result<String>) -> Result<()> {
    let sh = shell()?;
    let page = make(&sh)?;
    Ok(sh.write_file(path, page)?)
}

/// Does what a newcomer does: on this machine, but with an empty target directory.
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
        bail!("the README must begin with two cargo commands that are indented by four spaces");
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
