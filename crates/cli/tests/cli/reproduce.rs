//! `tiltyard reproduce`, as far as it needs no long runs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use tiltyard::bandit::Arm;
use tiltyard::bandit::matrix::builtin;
use tiltyard::lab::reproduce::{PAPERS, Selection};
use tiltyard::lab::spec::Specification;

use crate::{seen, tiltyard};

/// A directory with invented matrices instead of real ones, and room for a report.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path().join("data/matrices");
        std::fs::create_dir_all(&folder).unwrap();
        for (name, n_arms) in [
            ("letor64_provenance_unconfirmed", 64),
            ("mslr_navigational_136", 136),
            ("mslr_informational_136", 136),
            ("mslr_perfect_136", 136),
        ] {
            let matrix = builtin::savage(n_arms).unwrap();
            let mut text = String::new();
            for arm in Arm::all(n_arms) {
                let row: Vec<String> = matrix.row(arm).iter().map(f64::to_string).collect();
                writeln!(text, "{}", row.join(",")).unwrap();
            }
            std::fs::write(folder.join(format!("{name}.csv")), text).unwrap();
        }
        Self(directory)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A figure of another paper.
    fn paper(&self, name: &str, figure: &str, out: &Path) -> Command {
        let mut command = tiltyard(&["reproduce", "--paper", name, figure, "--quiet", "--out"]);
        command.arg(out).env("TILTYARD_DATA", self.path("data"));
        command
    }

    /// The table of matrices, which needs no runs.
    fn matrices(&self, out: &Path, more: &[&str]) -> Command {
        let mut command = tiltyard(&["reproduce", "matrices", "--out"]);
        command.arg(out).args(more).env("TILTYARD_DATA", self.path("data"));
        command
    }
}

/// `--print` prints a specification that `run` accepts.
#[test]
fn law_printed_figures_are_specifications() {
    for paper in PAPERS {
        for (id, _) in Selection::all(paper).specifications() {
            let output = tiltyard(&["reproduce", "--paper", paper.name, "--print", id]).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            Specification::parse(id, &text).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

/// Everything except the runs: the report, its path on stdout, the verdicts as messages, and the
/// effect of `--strict`. The invented matrix for MSLR informational has a Condorcet winner, so C16
/// and C24 fail.
#[test]
fn trace_a_report_without_runs() {
    let place = Place::new();
    let out = place.path("report");
    let text = seen(&mut place.matrices(&out, &[]));
    let text: String = text.split_inclusive('\n').filter(|line| !line.starts_with("done in")).collect();
    insta::assert_snapshot!("reproduce_matrices", text);
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("MSLR informational") && page.contains("real, identity unconfirmed"));
    let claims: serde_json::Value =
        serde_json::from_slice(&std::fs::read(out.join("claims.json")).unwrap()).unwrap();
    assert_eq!(claims.as_array().unwrap().len(), 24);

    let strict = seen(&mut place.matrices(&out, &["--strict", "--quiet"]));
    insta::assert_snapshot!("reproduce_strict", strict);
}

#[test]
fn trace_what_is_refused() {
    let place = Place::new();
    let out = place.path("report");
    assert!(place.matrices(&out, &[]).output().unwrap().status.success());
    let mut text = String::new();
    for command in [
        &mut tiltyard(&["reproduce", "arxvi"]),
        &mut tiltyard(&["reproduce", "--print", "matrices"]),
        &mut tiltyard(&["reproduce", "--print", "gama"]),
        &mut tiltyard(&["reproduce", "--scale", "huge"]),
        &mut tiltyard(&["reproduce", "--paper", "rex4"]),
        &mut tiltyard(&["reproduce", "--paper", "dts", "gamma"]),
        &mut tiltyard(&["reproduce", "--paper", "rmed", "--print", "mslr5"]),
        &mut tiltyard(&["reproduce", "--print", "arxiv", "--seed", "2"]),
        &mut place.paper("dts", "mslr5", &out),
        &mut place.matrices(&out, &["--seed", "2", "--quiet"]),
        &mut place.matrices(&out, &["--scale", "paper", "--quiet"]),
        &mut place.matrices(&place.path("data"), &["--quiet"]),
        &mut place.matrices(&place.path("other"), &["--data", "/nowhere/at/all", "--quiet"]),
    ] {
        writeln!(text, "{}", seen(command)).unwrap();
    }
    insta::assert_snapshot!("reproduce_refused", text);
    assert!(!place.path("other").exists(), "a job that cannot be done must not be begun");
}
