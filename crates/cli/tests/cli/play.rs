//! `tiltyard play`: its formats, and that its numbers do not depend on threads.

use std::fmt::Write as _;

use serde_json::Value;

use crate::{file, seen, tiltyard};

const SMALL: [&str; 9] = ["play", "--rounds", "300", "--runs", "3", "--at", "1e2", "--seed", "7"];

fn json(arguments: &[&str]) -> Value {
    let mut all = SMALL.to_vec();
    all.extend(["--format", "json"]);
    all.extend(arguments);
    let output = tiltyard(&all).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The report without its times.
fn timeless(mut report: Value) -> Value {
    for policy in report["policies"].as_array_mut().unwrap() {
        let policy = policy.as_object_mut().unwrap();
        assert!(policy.remove("seconds").unwrap().as_f64().unwrap() > 0.0);
        assert!(policy.remove("ns_per_round").unwrap().as_f64().unwrap() > 0.0);
    }
    report
}

#[test]
fn stable_json() {
    let report = timeless(json(&["--policy", "rex3", "--policy", "rex3:gmax=T/2", "--policy", "random"]));
    insta::assert_snapshot!(serde_json::to_string_pretty(&report).unwrap());
}

#[test]
fn law_threads_do_not_change_numbers() {
    let one = timeless(json(&["--threads", "1"]));
    for threads in ["2", "5"] {
        assert_eq!(timeless(json(&["--threads", threads])), one);
    }
}

/// The numbers of a policy do not depend on the other policies.
#[test]
fn law_company_does_not_change_numbers() {
    let alone = timeless(json(&["--policy", "rex3"]));
    let among = timeless(json(&["--policy", "random", "--policy", "rex3"]));
    assert_eq!(alone["policies"][0], among["policies"][1]);
}

#[test]
fn law_the_seed_changes_numbers() {
    let one = timeless(json(&["--policy", "rex3"]));
    let mut all = SMALL.to_vec();
    all.extend(["--format", "json", "--policy", "rex3"]);
    all[8] = "8";
    let output = tiltyard(&all).output().unwrap();
    let two = timeless(serde_json::from_slice(&output.stdout).unwrap());
    assert_ne!(one["policies"][0]["regret"], two["policies"][0]["regret"]);
}

#[test]
fn stable_csv() {
    let mut all = SMALL.to_vec();
    all.extend(["--format", "csv", "--policy", "rex3:schedule=literal,gmax=t/10", "--policy", "sparring"]);
    let text = seen(&mut tiltyard(&all));
    // The last column is a time.
    let lines: Vec<_> = text
        .lines()
        .map(|line| match line.rsplit_once(',') {
            Some((rest, last)) if last.parse::<f64>().is_ok() => format!("{rest},[NS]"),
            _ => line.to_owned(),
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn trace_table_shape() {
    let mut all = SMALL.to_vec();
    all.extend(["--world", "bernoulli10"]);
    let text = seen(&mut tiltyard(&all));
    assert!(
        text.contains("bernoulli10: 10 arms, best arm 0 (highest utility); bandit regret, mean of 3 runs")
    );
    for policy in ["rex3 ", "rex3:schedule=literal", "rex3:gmax=T/2", "sparring:player=exp3", "random"] {
        assert!(text.lines().any(|line| line.starts_with(policy)), "{policy} is missing in\n{text}");
    }
    assert!(text.contains("t = 100") && text.contains("t = 300"), "{text}");
}

/// The output distinguishes the best arm over all rounds from the best arm of each round.
#[test]
fn trace_dynamic_regret_says_what_it_is_against() {
    let mut all = SMALL.to_vec();
    all.extend(["--world", "piecewise:of=cyclic4,segments=3", "--policy", "random"]);
    let text = seen(&mut tiltyard(&all));
    for needed in [
        "best arm over all rounds 0 (Copeland winner); dynamic-condorcet regret",
        "Regret and accuracy are relative to the best arm of each round, or to a Copeland winner if no arm beats every other.",
    ] {
        assert!(text.contains(needed), "`{needed}` is missing in\n{text}");
    }
    assert!(!text.contains("may be negative"), "{text}");
}

#[test]
fn trace_one_arm_is_legal() {
    let (_directory, path) = file("one.csv", b"0.5\n");
    let report = json(&["--world", &path.display().to_string()]);
    assert_eq!(report["arms"], 1);
    for policy in report["policies"].as_array().unwrap() {
        assert_eq!(policy["regret"]["max"], serde_json::json!([0.0, 0.0]));
        assert_eq!(policy["accuracy"], serde_json::json!([1.0, 1.0]));
    }
}

#[test]
fn trace_every_world_and_every_regret_can_be_played() {
    let list = tiltyard(&["world", "list", "--format", "json", "--quiet"]).output().unwrap();
    let worlds: Value = serde_json::from_slice(&list.stdout).unwrap();
    let has_arms = |world: &&Value| world["name"] != "linear-ranker";
    for world in worlds.as_array().unwrap().iter().filter(has_arms) {
        let name = world["name"].as_str().unwrap();
        let report = json(&["--world", name, "--policy", "rex3"]);
        assert_eq!(report["world"], name);
        // `piecewise` has as many arms as the matrix it is built from.
        assert!(world["arms"].is_null() || report["arms"] == world["arms"], "{name}");
        let uniform = json(&["--world", name, "--policy", "random", "--regret", "dynamic-condorcet"]);
        // No policy can do better than the best arm of each round.
        assert!(uniform["policies"][0]["regret"]["min"][1].as_f64().unwrap() > 0.0, "{name}");
    }
    for regret in ["weak", "strong", "binary-weak", "binary-strong", "borda", "copeland", "copeland-full"] {
        assert_eq!(json(&["--regret", regret, "--policy", "random"])["regret"], regret);
    }
    assert_eq!(json(&["--world", "beta10", "--regret", "borda", "--policy", "random"])["regret"], "borda");
}

#[test]
fn stable_wrapped_worlds() {
    let rounds = |wrappers: &str| json(&["--world", &format!("arxiv6{wrappers}"), "--policy", "rex3"]);
    let mut text = String::new();
    for wrappers in [
        "",
        "+delayed:rounds=30",
        "+delayed:mean=30",
        "+delayed:mean=30,law=uniform",
        "+batched:size=50",
        "+lossy:share=0.5",
        "+nodes:count=4,stale=20",
        "+nodes:count=2,stale=5+lossy:share=0.1+delayed:mean=3+batched:size=4",
    ] {
        let report = rounds(wrappers);
        assert_eq!(report["world"], format!("arxiv6{wrappers}"));
        writeln!(text, "{wrappers:>70} {}", report["policies"][0]["regret"]["mean"]).unwrap();
    }
    insta::assert_snapshot!(text);
}

/// The numbers of a small job in worlds that change or are corrupted, and in files of segments and
/// utilities.
#[test]
fn stable_changing_worlds() {
    let (_directory, segments) = file("s.csv", b"from,1\n0.5,0.9\n0.1,0.5\nfrom,151\n0.5,0.2\n0.8,0.5\n");
    let (_directory, utilities) = file("u.csv", b"left,right\n0.9,0.1\n0.2,0.6\n");
    let mut text = String::new();
    for world in [
        "piecewise:of=arxiv6,segments=3",
        "rotating10:arms=4",
        "arxiv6+corrupted:flips=50",
        "arxiv6+corrupted:flips=T/4,when=random+delayed:rounds=20",
        &format!("piecewise:file={}", segments.display()),
        &format!("utilities:file={},after=repeat", utilities.display()),
    ] {
        let report = json(&["--world", world, "--policy", "rex3"]);
        let name = world.split_once("file=").map_or(world, |(name, _)| name);
        let policy = &report["policies"][0];
        writeln!(text, "{name:>60} {} {} {}", report["regret"], policy["regret"]["mean"], policy["accuracy"])
            .unwrap();
    }
    insta::assert_snapshot!(text);
}

/// A continuous policy in a continuous world has the same numbers on any number of threads.
#[test]
fn stable_points() {
    let all = |threads| {
        let policies = ["--policy", "dbgd", "--policy", "dbgd:tuning=practice", "--threads", threads];
        timeless(json(&[&["--world", "linear-ranker:dims=3"], policies.as_slice()].concat()))
    };
    let report = all("1");
    assert_eq!(all("3"), report);
    insta::assert_snapshot!(serde_json::to_string_pretty(&report).unwrap());
    let table = seen(&mut tiltyard(&["world", "show", "linear-ranker:utility=ndcg"]));
    insta::assert_snapshot!(table);
}

#[test]
fn law_threads_do_not_change_late_runs() {
    let world = "savage6+nodes:count=3,stale=7+lossy:share=0.1+delayed:mean=5";
    let at = |threads: &str| timeless(json(&["--world", world, "--policy", "rex3", "--threads", threads]));
    assert_eq!(at("1"), at("3"));
}

#[test]
fn trace_quiet_says_nothing_on_stderr() {
    let mut all = SMALL.to_vec();
    all.push("--quiet");
    let output = tiltyard(&all).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
}
