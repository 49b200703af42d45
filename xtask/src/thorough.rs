//! `cargo xtask thorough [STEP]`: the same suites with larger budgets, and what is too heavy for
//! every landing.
//!
//! One step at a time. What each did last is recorded in docs/thorough.md; a step that passed on
//! this very commit is not run again.

use core::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

use crate::{ci, clean_root, fresh, python, root, schemathesis, shell, tidy, toy_policy};

/// A step of this tier.
struct Step {
    name: &'static str,
    /// What it runs that `ci` does not.
    what: &'static str,
    /// Why `ci` does not.
    why: &'static str,
    run: fn(&Shell) -> Result<()>,
}

/// Statistics that `ci` leaves out: twelve of the longest, about half of the time of all 67. For
/// each, `ci` runs others of the same policy or promise, so that a mistake that shows in a thousand
/// runs is found there, and one that takes a hundred thousand here.
pub(crate) const STATISTICS: &[&str] = &[
    "claims::stat_verdicts_on_real_matrices",
    "copeland::stat_scb_is_for_many_arms_and_ccb_for_few",
    "long_run::stat_accuracy_ceiling",
    "long_run::stat_long_run_slope_of_rex3",
    "long_run::stat_long_run_slope_of_sparring",
    "merging::stat_mergedts_has_less_regret_than_mergerucb_when_tuned",
    "off_policy::stat_intervals_hold_and_estimates_are_unbiased",
    "papers::stat_versatile",
    "thompson::stat_breaking_ties_by_regret_pays",
    "thompson::stat_dts_grows_like_the_logarithm",
    "verdict::stat_verdict_no_leader_where_there_is_none",
    "versatile::stat_vdb_is_of_order_sqrt_t_where_it_is_deceived",
];

const STEPS: &[Step] = &[
    Step {
        name: "statistics",
        what: "all statistics over millions of rounds (`ci`: without twelve of the longest, which xtask/src/thorough.rs names)",
        why: "a quarter of an hour of processor time",
        run: statistics,
    },
    Step {
        name: "simulation",
        what: "20,000 seeds of clients, crashes and a failing disk (`ci`: 400)",
        why: "half an hour",
        run: simulation,
    },
    Step {
        name: "kills",
        what: "servers killed for an hour (`ci`: 30 seconds)",
        why: "an hour",
        run: |sh| ci::crash(sh, "3600"),
    },
    Step {
        name: "fuzz",
        what: "a million damaged inputs for every reader together (`ci`: 20,000, and 20 seconds more)",
        why: "a minute or more that finds the rare, not the common",
        run: |sh| ci::fuzz(sh, "1e6"),
    },
    Step {
        name: "api",
        what: "2,000 requests of each operation made up from the API's document (`ci`: 100)",
        why: "ten minutes",
        run: |sh| schemathesis::run(sh, schemathesis::MANY),
    },
    Step {
        name: "wheel",
        what: "the Python package as a wheel in a fresh environment, with the tests marked `thorough` (Ray) and the notebook",
        why: "another optimised build of the core, and 400 MB of packages",
        run: python::whole,
    },
    Step {
        name: "search-example",
        what: "lints and tests of examples/search",
        why: "its engine, tantivy, takes a minute to compile, and nothing that we ship depends on it",
        run: search_example,
    },
    Step {
        name: "delay-table",
        what: "everything that docs/delay.md shows, played again; the page must come out the same",
        why: "1e9 rounds",
        run: |sh| same_page(sh, "docs/delay.md", tidy::delay_page),
    },
    Step {
        name: "guide",
        what: "everything that docs/which-algorithm.md shows, played again; the page must come out the same",
        why: "an hour",
        run: |sh| same_page(sh, "docs/which-algorithm.md", tidy::guide_page),
    },
    Step {
        name: "toy-policy",
        what: "a policy added to a copy of the tree by the edits that CONTRIBUTING.md names, and no other; then the checks that know all policies",
        why: "another build of the tree",
        run: toy_policy::run,
    },
    Step {
        name: "fresh",
        what: "the README's two commands in a fresh clone with an empty target directory",
        why: "it is `ci` once more, and a release build",
        run: |_| fresh(),
    },
    Step {
        name: "clean-root",
        what: "the program and the wheel in a Debian with nothing but Python: played, drawn, served, imported",
        why: "fetches a Debian, and needs root",
        run: clean_root::run,
    },
];

const PAGE: &str = "docs/thorough.md";

/// Runs the step of that name, or all of them.
pub(crate) fn run(names: &[&str]) -> Result<()> {
    let steps: Vec<&Step> = match names {
        [] => STEPS.iter().collect(),
        names => names.iter().map(|name| find(name)).collect::<Result<_>>()?,
    };
    let sh = shell()?;
    for step in steps {
        let commit = commit(&sh)?;
        let mut records = Records::read(&sh)?;
        if names.is_empty() && records.passed(step.name, &commit) {
            println!("{}: passed on {commit} before", step.name);
            continue;
        }
        println!("\n== {}: {}", step.name, step.what);
        let start = Instant::now();
        let result = (step.run)(&sh);
        let outcome = if result.is_ok() { "passed" } else { "FAILED" };
        println!("== {}: {outcome}, {}", step.name, duration(start.elapsed()));
        records
            .set(step.name, Record { commit, time: duration(start.elapsed()), outcome: outcome.to_owned() });
        sh.change_dir(root());
        sh.write_file(PAGE, records.page())?;
        result.with_context(|| format!("`{}` failed", step.name))?;
    }
    Ok(())
}

/// Writes the page anew, with the records that it has.
pub(crate) fn write_page(sh: &Shell) -> Result<()> {
    Ok(sh.write_file(PAGE, Records::read(sh)?.page())?)
}

fn find(name: &str) -> Result<&'static Step> {
    STEPS.iter().find(|step| step.name == name).with_context(|| {
        let known: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        format!("there is no step `{name}`: there are {}", known.join(", "))
    })
}

fn statistics(sh: &Shell) -> Result<()> {
    let selected = ci::SELECTED;
    Ok(cmd!(sh, "cargo test {selected...} --test slow").run()?)
}

fn simulation(sh: &Shell) -> Result<()> {
    let _seeds = sh.push_env("TILTYARD_SIM_SEEDS", "20000");
    let selected = ci::SELECTED;
    Ok(cmd!(sh, "cargo test {selected...} --test it simulation::").run()?)
}

fn search_example(sh: &Shell) -> Result<()> {
    let package = ci::LEFT_OUT;
    cmd!(sh, "cargo clippy --locked --package {package} --all-targets -- -D warnings").run()?;
    Ok(cmd!(sh, "cargo test --locked --package {package}").run()?)
}

/// Whether a page that takes long to make is what would be written now.
fn same_page(sh: &Shell, path: &str, make: fn(&Shell) -> Result<String>) -> Result<()> {
    if sh.read_file(path)? != make(sh)? {
        bail!("{path} is not what comes out now");
    }
    Ok(())
}

/// The commit that is checked out, marked if files differ from it.
fn commit(sh: &Shell) -> Result<String> {
    let commit = cmd!(sh, "git rev-parse --short=10 HEAD").quiet().read()?;
    let exclude = format!(":!{PAGE}");
    let changes = cmd!(sh, "git status --porcelain -- . {exclude}").quiet().read()?;
    Ok(if changes.is_empty() { commit } else { format!("{commit} and changes") })
}

fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 120 { format!("{seconds} s") } else { format!("{} min", (seconds + 30) / 60) }
}

/// What a step did last.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Record {
    commit: String,
    time: String,
    outcome: String,
}

/// What all steps did last, in their order; `None` for those that never ran.
#[derive(Debug, PartialEq, Eq)]
struct Records(Vec<Option<Record>>);

impl Records {
    fn read(sh: &Shell) -> Result<Self> {
        Ok(Self::of(&if sh.path_exists(PAGE) { sh.read_file(PAGE)? } else { String::new() }))
    }

    fn of(page: &str) -> Self {
        let record = |step: &Step| {
            let start = format!("| `{}` |", step.name);
            let row = page.lines().find(|line| line.starts_with(&start))?;
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            match cells[..] {
                [.., commit, time, outcome] if !commit.is_empty() => Some(Record {
                    commit: commit.to_owned(),
                    time: time.to_owned(),
                    outcome: outcome.to_owned(),
                }),
                _ => None,
            }
        };
        Self(STEPS.iter().map(record).collect())
    }

    fn passed(&self, name: &str, commit: &str) -> bool {
        let of_step = STEPS.iter().zip(&self.0).find(|(step, _)| step.name == name);
        of_step.and_then(|(_, record)| record.as_ref()).is_some_and(|record| {
            record.commit == commit && record.outcome == "passed" && !commit.contains(' ')
        })
    }

    fn set(&mut self, name: &str, record: Record) {
        if let Some(i) = STEPS.iter().position(|step| step.name == name) {
            self.0[i] = Some(record);
        }
    }

    fn page(&self) -> String {
        let mut page = "\
# The thorough tier

<!-- Written by `cargo xtask thorough`. -->

`cargo xtask ci` is every check at landing. `cargo xtask thorough [STEP]...` runs the same suites with larger budgets, and the checks that are
too heavy for every landing. Without a name it runs every step that has not passed on the present commit, one after the other; it can be
stopped and started again. The last three columns say on which commit each step ran last, how long it took, and how it ended.

| step | what `ci` does not run | why not there | commit | time | outcome |
|---|---|---|---|---|---|
"
        .to_owned();
        for (step, record) in STEPS.iter().zip(&self.0) {
            let [commit, time, outcome] = record
                .as_ref()
                .map_or(["", "", "not run yet"], |record| [&record.commit, &record.time, &record.outcome]);
            let Step { name, what, why, .. } = step;
            writeln!(page, "| `{name}` | {what} | {why} | {commit} | {time} | {outcome} |")
                .expect("a string takes any text");
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn trace_records_are_kept_and_steps_that_passed_are_known() {
        let record = |commit: &str, outcome: &str| Record {
            commit: commit.to_owned(),
            time: "3 min".to_owned(),
            outcome: outcome.to_owned(),
        };
        let mut records = Records::of("");
        records.set("kills", record("0123456789", "passed"));
        records.set("fuzz", record("0123456789", "FAILED"));
        records.set("wheel", record("0123456789 and changes", "passed"));
        let read = Records::of(&records.page());
        assert_eq!(read, records);
        assert!(read.passed("kills", "0123456789") && !read.passed("kills", "9876543210"));
        assert!(!read.passed("fuzz", "0123456789") && !read.passed("api", "0123456789"));
        assert!(!read.passed("wheel", "0123456789 and changes"), "the changes may be others");
        assert!(find("kill").is_err());
    }

    /// The page shows every step as this file describes it.
    #[test]
    fn law_the_page_lists_what_only_this_tier_runs() {
        let page = fs::read_to_string(root().join(PAGE)).unwrap();
        assert_eq!(page, Records::of(&page).page(), "run `cargo xtask docs`");
    }

    /// Whatever plain `ci` leaves out is left out by a name that stands here: a package, a marker
    /// of tests, a test target, a switched-off test.
    #[test]
    fn law_nothing_is_dropped_in_silence() {
        let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
        // The package that `ci` excludes is tested by a step.
        let example = read("examples/search/Cargo.toml");
        assert!(example.contains(&format!("name = \"{}\"", ci::LEFT_OUT)));
        let selected = ci::SELECTED;
        assert_eq!(selected.iter().filter(|word| **word == "--exclude").count(), 1, "{selected:?}");
        // Every statistic that `ci` leaves out exists; and no test has a name that holds that of
        // one of them.
        for name in STATISTICS {
            let (module, test) = name.split_once("::").unwrap();
            let source = read(&format!("crates/lab/tests/slow/{module}.rs"));
            assert_eq!(source.matches(&format!("fn {test}")).count(), 1, "{name}");
            assert!(source.contains(&format!("fn {test}(")), "{name}");
        }
        // Tests without a harness, which `cargo nextest` leaves out, are named for `cargo test`.
        let manifests = shell().unwrap().read_dir(root().join("crates")).unwrap();
        let manifests: Vec<_> = manifests
            .iter()
            .map(|path| path.join("Cargo.toml"))
            .map(|path| (path.display().to_string(), fs::read_to_string(path).unwrap()))
            .collect();
        for (path, manifest) in &manifests {
            for target in manifest.split("[[").filter(|target| target.contains("\nharness = false")) {
                assert!(
                    ci::WITHOUT_HARNESS
                        .iter()
                        .chain(&["crash"])
                        .any(|name| target.contains(&format!("\"{name}\""))),
                    "{path}: nobody runs this test:\n[[{target}"
                );
            }
        }
        // Python's tests have one marker, and the step `wheel` runs all tests.
        let markers = read("python/pyproject.toml");
        assert!(
            markers.lines().any(|line| line.starts_with("markers = [\"thorough: ") && line.ends_with("\"]"))
        );
        // Targets that plain `cargo test` leaves out are those that `ci` names.
        for (path, manifest) in &manifests {
            for target in manifest.split("[[").filter(|target| target.contains("\ntest = false")) {
                assert!(
                    ["\"slow\"", "\"crash\""].iter().any(|name| target.contains(name)),
                    "{path}: nobody runs this test:\n[[{target}"
                );
            }
        }
    }
}
