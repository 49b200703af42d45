//! The verdicts on the paper's claims, at the quick scale: 25 runs of 1e5 rounds, from
//! specifications to findings.

use std::path::{Path, PathBuf};

use tiltyard_bandit::Arm;
use tiltyard_lab::Progress;
use tiltyard_lab::claim::rex3::{CLAIMS, SPECIFICATIONS};
use tiltyard_lab::claim::{Evidence, Finding, Verdict, check_all};
use tiltyard_lab::plan::{Shard, Source};
use tiltyard_lab::results::{Results, Series};
use tiltyard_lab::runner::{Experiment, Target, run_experiment};
use tiltyard_lab::spec::Specification;
use tiltyard_world::matrix_file::read_matrix;

/// The paper's policies that claims refer to.
const POLICIES: &[&str] = &[
    "rex3",
    "rex3:schedule=literal",
    "rex3:gmax=T/2",
    "sparring:player=exp3",
    "rucb:alpha=0.51",
    "savage:rule=condorcet,delta=1/T",
    "btm:gamma=1.1,delta=1/T",
    "random",
];

const ANYTIME_ELIMINATION: &[&str] =
    &["savage:rule=condorcet,delta=1e-8,radius=anytime", "btm:gamma=1.1,delta=1e-8"];

/// Runs a specification.
fn run(id: &str, text: &str, data: Option<&Path>) -> Vec<Series> {
    let specification = Specification::parse(id, text).unwrap();
    let mut experiment = Experiment::new(&specification, data).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let directory = &directory.path().join("results");
    let target = Target { directory, resume: false, shard: Shard::WHOLE, revision: None };
    run_experiment(&mut experiment, &target, &Progress::default()).unwrap();
    Results::open(directory).unwrap().series
}

/// A figure at the quick scale, from the lines before the tables, the lines of each world, and the
/// policies.
fn figure(lines: &str, worlds: &[&str], policies: &[&str]) -> String {
    let mut text = format!("runs = 25\nhorizon = 1e5\n{lines}\n");
    for world in worlds {
        text.push_str("[[world]]\n");
        text.push_str(world);
        text.push('\n');
    }
    for policy in policies {
        text.push_str("[[policy]]\npolicy = \"");
        text.push_str(policy);
        text.push_str("\"\n");
    }
    text
}

/// The evidence that needs no data: the built-in worlds.
fn built_in(evidence: &mut Evidence) {
    for (id, worlds) in [
        ("arxiv", &["world = \"arxiv6\""][..]),
        ("artificial", &["world = \"savage30\"", "world = \"bvs20\""]),
        ("deceptive", &["world = \"deceptive10\""]),
    ] {
        evidence.add_figure(id, run(id, &figure("", worlds, POLICIES), None));
    }
    for (id, text) in SPECIFICATIONS {
        evidence.add_figure(*id, run(id, text, None));
    }
}

/// The evidence from the paper's real matrices.
fn real(evidence: &mut Evidence, data: &Path) {
    let data = Some(data);
    let np = "data = \"matrices/letor64_provenance_unconfirmed.csv\"\nname = \"np2004-64\"";
    let nav = "data = \"matrices/mslr_navigational_136.csv\"";
    let named = |file: &str, name: &str| format!("data = \"matrices/{file}\"\nname = \"{name}\"");
    for (id, world) in [
        ("np2004-64", np.to_owned()),
        ("mslr-nav", named("mslr_navigational_136.csv", "mslr-nav")),
        ("mslr-inf", named("mslr_informational_136.csv", "mslr-inf")),
        ("mslr-perf", named("mslr_perfect_136.csv", "mslr-perf")),
    ] {
        evidence.add_figure(id, run(id, &figure("", &[&world], POLICIES), data));
    }
    for (id, n_arms) in [("np2004-16", 16), ("np2004-32", 32)] {
        let file = named("letor64_provenance_unconfirmed.csv", id);
        let world = format!("{file}\narms = [{n_arms}]\ndraw = \"first\"");
        let policies = [POLICIES, ANYTIME_ELIMINATION].concat();
        evidence.add_figure(id, run(id, &figure("", &[&world], &policies), data));
    }
    let end = "checkpoints = [1e5]\nhorizons = [1e5]";
    let cut = format!("{nav}\nname = \"mslr-nav-64\"\narms = [64]");
    let grid = "rex3\"\ngrid = { gamma = [0.001, 0.003, 0.01, 0.02, 0.04, 0.08, 0.12, 0.2, 0.3, 0.5] }\nlabel = \"REX3";
    evidence.add_figure("gamma", run("gamma", &figure(end, &[np, &cut], &[grid]), data));
    let sweep = format!("{nav}\narms = [4, 8, 16, 32, 64, 136]");
    evidence.add_figure("k-sweep", run("k-sweep", &figure(end, &[&sweep], POLICIES), data));
}

/// The matrices of the paper's table.
fn matrices(evidence: &mut Evidence, data: &Path) {
    let read = |file: &str| read_matrix(&data.join("matrices").join(file)).unwrap();
    let np = read("letor64_provenance_unconfirmed.csv");
    for (name, n_arms) in [("np2004-16", 16), ("np2004-32", 32), ("np2004-64", 64)] {
        let first: Vec<Arm> = Arm::all(n_arms).collect();
        evidence.add_matrix(name, np.submatrix(&first).unwrap(), Source::Data);
    }
    evidence.add_matrix("mslr-nav", read("mslr_navigational_136.csv"), Source::Data);
    evidence.add_matrix("mslr-inf", read("mslr_informational_136.csv"), Source::Data);
    evidence.add_matrix("mslr-perf", read("mslr_perfect_136.csv"), Source::Data);
}

/// The verdicts that differ from the expected ones. If `TILTYARD_CLAIMS` is set to a path, all
/// findings are written there.
fn disagreements(evidence: &Evidence, expected: &[(&str, Verdict)]) -> Vec<String> {
    let findings = check_all(CLAIMS, evidence);
    if let Some(path) = std::env::var_os("TILTYARD_CLAIMS") {
        let path = PathBuf::from(path).with_extension(format!("{}.json", expected.len()));
        std::fs::write(path, serde_json::to_string_pretty(&findings).unwrap()).unwrap();
    }
    let wrong = |finding: &Finding| {
        let wanted = expected
            .iter()
            .find(|(id, _)| *id == finding.claim.id)
            .map_or(Verdict::NotRun, |wanted| wanted.1);
        let judgement = &finding.judgement;
        (judgement.verdict != wanted).then(|| {
            format!(
                "{}: {:?}, not {wanted:?}: {} {:?}",
                finding.claim.id, judgement.verdict, judgement.note, judgement.power
            )
        })
    };
    findings.iter().filter_map(wrong).collect()
}

/// Only with the built-in worlds.
#[test]
fn stat_verdicts_on_built_in_worlds() {
    let mut evidence = Evidence::new();
    built_in(&mut evidence);
    let wrong = disagreements(
        &evidence,
        &[
            ("C1", Verdict::Holds),
            ("C2", Verdict::Holds),
            ("C4", Verdict::Holds),
            ("C5", Verdict::Holds),
            ("C6", Verdict::Fails),
            ("C7", Verdict::Holds),
            ("C9", Verdict::Holds),
            ("C10", Verdict::Holds),
            ("C11", Verdict::Holds),
            ("C12", Verdict::Holds),
            ("C13", Verdict::Holds),
            ("C14", Verdict::Fails),
            ("C15", Verdict::Holds),
            ("C16", Verdict::Holds),
            ("C17", Verdict::Holds),
            ("C18", Verdict::Holds),
            ("C19", Verdict::Holds),
            ("C21", Verdict::Fails),
            ("C22", Verdict::Fails),
            ("C23", Verdict::Holds),
        ],
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// With the paper's matrices, if they are available.
#[test]
fn stat_verdicts_on_real_matrices() {
    let Some(data) = std::env::var_os("TILTYARD_DATA") else {
        eprintln!("skipped: TILTYARD_DATA is not set, so claims are not checked on real matrices");
        return;
    };
    let mut evidence = Evidence::new();
    built_in(&mut evidence);
    real(&mut evidence, Path::new(&data));
    matrices(&mut evidence, Path::new(&data));
    let wrong = disagreements(
        &evidence,
        &[
            ("C1", Verdict::Holds),
            ("C2", Verdict::Holds),
            ("C3", Verdict::Holds),
            ("C4", Verdict::Holds),
            ("C5", Verdict::Holds),
            ("C6", Verdict::Fails),
            ("C7", Verdict::Holds),
            ("C8", Verdict::Holds),
            ("C9", Verdict::Holds),
            ("C10", Verdict::Holds),
            ("C11", Verdict::Holds),
            ("C12", Verdict::Holds),
            ("C13", Verdict::Holds),
            ("C14", Verdict::Fails),
            ("C15", Verdict::Holds),
            ("C16", Verdict::Holds),
            ("C17", Verdict::Holds),
            ("C18", Verdict::Holds),
            ("C19", Verdict::Holds),
            ("C20", Verdict::Holds),
            ("C21", Verdict::Fails),
            ("C22", Verdict::Fails),
            ("C23", Verdict::Holds),
            ("C24", Verdict::Holds),
        ],
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
