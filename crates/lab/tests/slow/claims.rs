//! The verdicts on the paper's claims, at the quick scale: 25 runs of 1e5 rounds, half-decades from 1e3.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use tiltyard_bandit::matrix::PreferenceMatrix;
use tiltyard_bandit::{Arm, Stream};
use tiltyard_lab::Progress;
use tiltyard_lab::claim::{Evidence, Origin, Verdict, check_all};
use tiltyard_lab::play::{Job, play};
use tiltyard_lab::results::{RunCurve, Series};
use tiltyard_world::Supply;
use tiltyard_world::matrix_file::read_matrix;

const RUNS: u64 = 25;
const HALF_DECADES: [u64; 5] = [1000, 3162, 10_000, 31_623, 100_000];
const END: [u64; 1] = [100_000];

/// The paper's policies, as far as claims speak of them.
const POLICIES: [&str; 8] = [
    "rex3",
    "rex3:schedule=literal",
    "rex3:gmax=T/2",
    "sparring:player=exp3",
    "rucb:alpha=0.51",
    "savage:rule=condorcet,delta=1/T",
    "btm:gamma=1.1,delta=1/T",
    "random",
];

const ELIMINATION: [&str; 4] = [
    "savage:rule=condorcet,delta=1/T",
    "savage:rule=condorcet,delta=1e-8,radius=anytime",
    "btm:gamma=1.1,delta=1/T",
    "btm:gamma=1.1,delta=1e-8",
];

/// Policies in a world that may be another one in each run.
fn series(
    name: &str,
    world: impl Fn(u64) -> String + Sync,
    policies: &[&str],
    checkpoints: &[u64],
    runs: u64,
) -> Vec<Series> {
    let reports: Vec<_> = (0..runs)
        .into_par_iter()
        .map(|run| {
            let job = Job {
                world: world(run),
                policies: policies.iter().map(|policy| policy.parse().unwrap()).collect(),
                checkpoints: checkpoints.to_vec(),
                runs: 1,
                seed: 2015 + run,
                regret: None,
            };
            play(&job, &Progress::default()).unwrap()
        })
        .collect();
    let one = |(i, policy): (usize, &&str)| Series {
        world: name.to_owned(),
        world_label: name.to_owned(),
        policy: (*policy).to_owned(),
        label: (*policy).to_owned(),
        swept: Vec::new(),
        n_arms: reports[0].n_arms,
        fixed_horizon: reports[0].policies[i].fixed_horizon,
        checkpoints: checkpoints.to_vec(),
        runs: reports
            .iter()
            .map(|report| RunCurve {
                regret: report.policies[i].regret.mean.clone(),
                hit: report.policies[i].accuracy.iter().map(|&accuracy| accuracy > 0.5).collect(),
                best: report.best.arm.index(),
                best_kind: report.best.kind,
                supply: Supply::default(),
            })
            .collect(),
    };
    policies.iter().enumerate().map(one).collect()
}

/// What needs no data: the built-in worlds.
fn built_in(evidence: &mut Evidence) {
    let mut add = |figure: &str, world: &str, policies: &[&str], checkpoints: &[u64], runs| {
        evidence.add_figure(figure, series(world, |_| world.to_owned(), policies, checkpoints, runs));
    };
    for (figure, world) in [
        ("arxiv", "arxiv6"),
        ("artificial", "savage30"),
        ("artificial", "bvs20"),
        ("deceptive", "deceptive10"),
        ("claim-06", "savage6"),
    ] {
        add(figure, world, &POLICIES, &HALF_DECADES, RUNS);
    }
    let gammas =
        ["0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.5"].map(|gamma| format!("rex3:gamma={gamma}"));
    let gammas: Vec<&str> = gammas.iter().map(String::as_str).collect();
    add("claim-02", "bernoulli10:arms=16,best=0.6,rest=0.5", &gammas, &END, 20);
    for (k, best, horizon) in [
        (4, "0.52", 10_000),
        (16, "0.54", 10_000),
        (64, "0.58", 10_000),
        (4, "0.50632", 100_000),
        (16, "0.51265", 100_000),
        (64, "0.5253", 100_000),
    ] {
        let world = format!("bernoulli10:arms={k},best={best},rest=0.5");
        add("claim-12", &world, &["rex3:gmax=T/2"], &[horizon], 40);
    }
    for world in ["arxiv6", "savage6", "savage30"] {
        add("claim-14", world, &ELIMINATION, &END, 20);
        add("claim-19", world, &["rex3", "rex3:guard=false"], &END, 200);
    }
}

/// What the paper's real matrices add.
fn real(evidence: &mut Evidence, data: &Path, scratch: &Path) {
    let file = |name: &str| data.join("matrices").join(name).display().to_string();
    let np = read_matrix(Path::new(&file("letor64_provenance_unconfirmed.csv"))).unwrap();
    let mut worlds = vec![
        ("np2004-64", file("letor64_provenance_unconfirmed.csv")),
        ("mslr-nav", file("mslr_navigational_136.csv")),
        ("mslr-inf", file("mslr_informational_136.csv")),
        ("mslr-perf", file("mslr_perfect_136.csv")),
    ];
    for (name, n_arms) in [("np2004-16", 16), ("np2004-32", 32)] {
        let first: Vec<Arm> = Arm::all(n_arms).collect();
        worlds.push((name, save(scratch, name, &np.submatrix(&first).unwrap())));
    }
    for (name, path) in &worlds {
        evidence.add_matrix(*name, read_matrix(Path::new(path)).unwrap(), Origin::Original);
        let mut policies = POLICIES.to_vec();
        if name.starts_with("np2004") && *name != "np2004-64" {
            policies.extend(ELIMINATION.iter().filter(|policy| policy.contains("1e-8")));
        }
        evidence.add_figure(*name, series(name, |_| path.clone(), &policies, &HALF_DECADES, RUNS));
    }

    let gammas = ["0.001", "0.003", "0.01", "0.02", "0.04", "0.08", "0.12", "0.2", "0.3", "0.5"];
    let gammas = gammas.map(|gamma| format!("rex3:gamma={gamma}"));
    let gammas: Vec<&str> = gammas.iter().map(String::as_str).collect();
    let nav = read_matrix(Path::new(&worlds[1].1)).unwrap();
    let cut = nav.random_submatrix(64, &mut Stream::new(64).rng()).unwrap();
    let cut = save(scratch, "nav64", &cut.0);
    evidence.add_figure("gamma", series("np2004-64", |_| worlds[0].1.clone(), &gammas, &END, RUNS));
    evidence.add_figure("gamma", series("mslr-nav-64", |_| cut.clone(), &gammas, &END, RUNS));

    for n_arms in [4, 8, 16, 32, 64, 136] {
        let part = |run: u64| {
            let mut rng = Stream::new(8).index(n_arms as u64).index(run).rng();
            let (matrix, _) = nav.random_submatrix(n_arms, &mut rng).unwrap();
            save(scratch, &format!("nav-{n_arms}-{run}"), &matrix)
        };
        let name = format!("mslr-nav [random {n_arms}]");
        evidence.add_figure("k-sweep", series(&name, part, &POLICIES, &END, RUNS));
    }
}

fn save(folder: &Path, name: &str, matrix: &PreferenceMatrix) -> String {
    let path = folder.join(format!("{name}.csv"));
    let row = |arm| matrix.row(arm).iter().map(f64::to_string).collect::<Vec<_>>().join(",") + "\n";
    std::fs::write(&path, Arm::all(matrix.n_arms()).map(row).collect::<String>()).unwrap();
    path.display().to_string()
}

/// The verdicts, and where they disagree with what is expected. With `TILTYARD_CLAIMS` set to a path all findings are written there.
fn disagreements(evidence: &Evidence, expected: &[(&str, Verdict)]) -> Vec<String> {
    let findings = check_all(evidence);
    if let Some(path) = std::env::var_os("TILTYARD_CLAIMS") {
        let path = PathBuf::from(path).with_extension(format!("{}.json", expected.len()));
        std::fs::write(path, serde_json::to_string_pretty(&findings).unwrap()).unwrap();
    }
    let wrong = |finding: &tiltyard_lab::claim::Finding| {
        let wanted =
            expected.iter().find(|(id, _)| *id == finding.id).map_or(Verdict::NotRun, |wanted| wanted.1);
        let judgement = &finding.judgement;
        (judgement.verdict != wanted).then(|| {
            format!(
                "{}: {:?}, not {wanted:?}: {} {:?}",
                finding.id, judgement.verdict, judgement.note, judgement.power
            )
        })
    };
    findings.iter().filter_map(wrong).collect()
}

/// On the built-in worlds alone.
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

/// With the paper's matrices, where a person has them.
#[test]
fn stat_verdicts_on_real_matrices() {
    let Some(data) = std::env::var_os("TILTYARD_DATA") else {
        eprintln!("skipped: TILTYARD_DATA is not set, so claims are not checked on real matrices");
        return;
    };
    let scratch = tempfile::tempdir().unwrap();
    let mut evidence = Evidence::new();
    built_in(&mut evidence);
    real(&mut evidence, Path::new(&data), scratch.path());
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
