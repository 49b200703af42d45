//! `cargo xtask thorough [STEP]...`: the same suites with larger budgets, and checks that are too
//! slow for every landing.
//!
//! It runs one step at a time. docs/thorough.md records the last result of each step. Without a
//! name, a step that passed on the current commit is not run again.

use core::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

use crate::{ci, clean_root, fresh, python, root, schemathesis, shell, tidy, toy_policy};

struct Step {
    name: &'static str,
    /// What this step runs and `ci` does not.
    what: &'static str,
    /// Why `ci` does not run it.
    why: &'static str,
    run: fn(&Shell) -> Result<()>,
}

/// Statistics that `ci` leaves out: twelve of the longest, which take about half of the time of all
/// 67. For each of them, `ci` runs other tests of the same policy or promise. A mistake that shows
/// in a thousand runs is found there; one that needs a hundred thousand runs is found here.
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
        what: "all statistics over millions of rounds (`ci`: all but twelve of the longest, listed in xtask/src/thorough.rs)",
        why: "15 minutes of processor time",
        run: statistics,
    },
    Step {
        name: "simulation",
        what: "20,000 seeds of clients, crashes and a failing disk (`ci`: 400)",
        why: "30 minutes",
        run: simulation,
    },
    Step {
        name: "kills",
        what: "servers that are killed again and again for an hour (`ci`: 30 seconds)",
        why: "one hour",
        run: |sh| ci::crash(sh, "3600"),
    },
    Step {
        name: "power",
        what: "600 trials of power cuts, failing syncs, short writes and a full disk (`ci`: 12)",
        why: "15 minutes",
        run: |sh| ci::power(sh, "600"),
    },
    Step {
        name: "damage",
        what: "40,000 damages to databases, write-ahead logs, heads and snapshots (`ci`: 1,000)",
        why: "40 minutes",
        run: |sh| ci::damage(sh, "40000"),
    },
    Step {
        name: "fuzz",
        what: "a million damaged inputs for all readers together (`ci`: 20,000, and then 20 more seconds)",
        why: "takes a minute or more and finds only rare mistakes",
        run: |sh| ci::fuzz(sh, "1e6"),
    },
    Step {
        name: "api",
        what: "2,000 random requests for each operation of the OpenAPI document (`ci`: 100)",
        why: "10 minutes",
        run: |sh| schemathesis::run(sh, schemathesis::MANY),
    },
    Step {
        name: "wheel",
        what: "the Python package as a wheel in a fresh environment, including the tests marked `thorough` (Ray) and the notebook",
        why: "needs another optimised build of the core and 400 MB of packages",
        run: python::whole,
    },
    Step {
        name: "search-example",
        what: "lints and tests of examples/search",
        why: "its search engine, tantivy, takes a minute to compile, and no released package depends on it",
        run: search_example,
    },
    Step {
        name: "delay-table",
        what: "all experiments of docs/delay.md; the page must not change",
        why: "1e9 rounds",
        run: |sh| same_page(sh, "docs/delay.md", tidy::delay_page),
    },
    Step {
        name: "guide",
        what: "all experiments of docs/which-algorithm.md; the page must not change",
        why: "one hour",
        run: |sh| same_page(sh, "docs/which-algorithm.md", tidy::guide_page),
    },
    Step {
        name: "toy-policy",
        what: "adds a policy to a copy of the tree with exactly the edits that CONTRIBUTING.md names, and then runs the checks that cover all policies",
        why: "needs another build of the tree",
        run: toy_policy::run,
    },
    Step {
        name: "fresh",
        what: "the README's two commands in a fresh clone with an empty target directory",
        why: "runs `ci` again, and a release build",
        run: |_| fresh(),
    },
    Step {
        name: "clean-root",
        what: "the program and the wheel in a Debian that has only Python: play, reproduce, serve, import",
        why: "downloads a Debian and needs root",
        run: clean_root::run,
    },
];

const PAGE: &str = "docs/thorough.md";

/// Runs the steps with these names, or all of them.
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
            println!("{}: already passed on {commit}", step.name);
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

/// Writes the page again and keeps its records.
pub(crate) fn write_page(sh: &Shell) -> Result<()> {
    Ok(sh.write_file(PAGE, Records::read(sh)?.page())?)
}

fn find(name: &str) -> Result<&'static Step> {
    STEPS.iter().find(|step| step.name == name).with_context(|| {
        let known: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        format!("unknown step `{name}`: the steps are {}", known.join(", "))
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

/// Checks that a page is what would be written now.
fn same_page(sh: &Shell, path: &str, make: fn(&Shell) -> Result<String>) -> Result<()> {
    if without_times(&sh.read_file(path)?) != without_times(&make(sh)?) {
        bail!("{path} is not what would be written now");
    }
    Ok(())
}

/// The page without the last column of tables that end in nanoseconds, which differ on every run.
fn without_times(page: &str) -> Vec<&str> {
    let mut is_timed = false;
    let mut lines = Vec::new();
    for line in page.lines() {
        is_timed = line.starts_with('|') && (is_timed || line.ends_with("| ns/round |"));
        let end = line.trim_end_matches(" |").rfind('|').filter(|_| is_timed);
        lines.push(&line[..end.unwrap_or(line.len())]);
    }
    lines
}

/// The current commit, marked if files differ from it.
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

/// The last result of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Record {
    commit: String,
    time: String,
    outcome: String,
}

/// The last results of all steps, in their order; `None` for a step that never ran.
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

For developers before a release: the checks that are too slow for every landing, and when each of them last passed.

`cargo xtask ci` runs every check required for landing. `cargo xtask thorough [STEP]...` runs the same suites with larger
budgets, and the slow checks. Without a name, it runs every step that has not passed on the current commit, one after
the other. You can stop it and start it again. The last three columns show the commit on which each step ran last, how
long it took, and the result.

| step | what it adds to `ci` | why `ci` leaves it out | commit | time | result |
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
        assert!(!read.passed("wheel", "0123456789 and changes"), "the uncommitted changes may differ");
        assert!(find("kill").is_err());
    }

    /// The page describes every step as this file does.
    #[test]
    fn law_the_page_lists_what_only_this_tier_runs() {
        let page = fs::read_to_string(root().join(PAGE)).unwrap();
        assert_eq!(page, Records::of(&page).page(), "run `cargo xtask docs`");
    }

    /// Everything that `ci` leaves out is named here: a package, a marker of tests, a test target,
    /// a switched-off test.
    #[test]
    fn law_nothing_is_dropped_in_silence() {
        let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
        // A step tests the package that `ci` excludes.
        let example = read("examples/search/Cargo.toml");
        assert!(example.contains(&format!("name = \"{}\"", ci::LEFT_OUT)));
        let selected = ci::SELECTED;
        assert_eq!(selected.iter().filter(|word| **word == "--exclude").count(), 1, "{selected:?}");
        // Every statistic that `ci` leaves out exists, and its name is not part of the name of
        // another test.
        for name in STATISTICS {
            let (module, test) = name.split_once("::").unwrap();
            let source = read(&format!("crates/lab/tests/slow/{module}.rs"));
            assert_eq!(source.matches(&format!("fn {test}")).count(), 1, "{name}");
            assert!(source.contains(&format!("fn {test}(")), "{name}");
        }
        // `cargo nextest` leaves out tests without a harness, so they are named for `cargo test`.
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
                        .chain(&["crash", "power", "damage"])
                        .any(|name| target.contains(&format!("\"{name}\""))),
                    "{path}: no step runs this test:\n[[{target}"
                );
            }
        }
        // The Python tests have only one marker, and the step `wheel` runs all tests.
        let markers = read("python/pyproject.toml");
        assert!(
            markers.lines().any(|line| line.starts_with("markers = [\"thorough: ") && line.ends_with("\"]"))
        );
        // `ci` names all targets that plain `cargo test` leaves out.
        for (path, manifest) in &manifests {
            for target in manifest.split("[[").filter(|target| target.contains("\ntest = false")) {
                assert!(
                    ["\"slow\"", "\"crash\"", "\"power\"", "\"damage\""]
                        .iter()
                        .any(|name| target.contains(name)),
                    "{path}: no step runs this test:\n[[{target}"
                );
            }
        }
    }

    #[test]
    fn trace_pages_are_compared_without_times() {
        let page = "a |\n| p | t | ns/round |\n| x | 1 ± 2 | 8 |\n\n| y | 9 |";
        assert_eq!(without_times(page), ["a |", "| p | t ", "| x | 1 ± 2 ", "", "| y | 9 |"]);
    }
}
