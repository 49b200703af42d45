//! `tiltyard replay`: simulation, off-policy evaluation, and the choice between them.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use crate::{file, seen, tiltyard};

/// Three arms, every pair 40 times. `ant` wins three of four duels, and `bee` beats `cat` in two of
/// three.
fn log(with_propensity: bool) -> String {
    let mut log = format!("left,right,outcome{}\n", if with_propensity { ",pscore" } else { "" });
    let end = if with_propensity { ",0.1666666666666" } else { "" };
    for round in 0..40 {
        let ant = if round % 4 == 0 { "right" } else { "left" };
        let bee = if round % 3 == 0 { "right" } else { "left" };
        writeln!(log, "ant,bee,{ant}{end}\nant,cat,{ant}{end}\nbee,cat,{bee}{end}").unwrap();
        let bee = if round % 3 == 0 { "left" } else { "right" };
        writeln!(log, "bee,ant,{}{end}", if round % 4 == 0 { "left" } else { "right" }).unwrap();
        writeln!(log, "cat,ant,tie{end}\ncat,bee,{bee}{end}").unwrap();
    }
    log
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn stable_simulation() {
    let (_directory, path) = file("votes.csv", log(false).as_bytes());
    let path = text(&path);
    let arguments =
        ["replay", &path, "--runs", "5", "--policy", "rex3", "--policy", "random", "--policy", "rucb"];
    insta::assert_snapshot!("replay_simulation", seen(&mut tiltyard(&arguments)));
    let output =
        tiltyard(&["replay", &path, "--runs", "5", "--bootstrap", "--rounds", "1e4", "--format", "json"])
            .output()
            .unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((json["kind"].as_str(), json["mode"].as_str()), (Some("simulation"), Some("bootstrap")));
    assert_eq!(json["winner"], "ant");
    assert_eq!(json["policies"].as_array().map(Vec::len), Some(2));
    assert_eq!(json["policies"][0]["votes"].as_array().map(Vec::len), Some(5));
    assert!(
        String::from_utf8(output.stderr).unwrap().contains("this is a simulation, not off-policy evaluation")
    );
}

#[test]
fn stable_evaluation() {
    let (_directory, path) = file("votes.csv", log(true).as_bytes());
    let path = text(&path);
    let arguments =
        ["replay", &path, "--policy", "rex3", "--policy", "random", "--arm", "cat", "--against", "bee"];
    insta::assert_snapshot!("replay_evaluation", seen(&mut tiltyard(&arguments)));
    let output = tiltyard(&["replay", &path, "--arm", "ant", "--against", "log", "--format", "json"])
        .output()
        .unwrap();
    assert!(output.stderr.is_empty());
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((json["kind"].as_str(), json["against"].as_str()), (Some("off-policy"), Some("log")));
    let ant = &json["subjects"][0];
    assert_eq!(
        (&ant["arm"], &ant["ips"]["exact"], &ant["dr"]["exact"]),
        (&"ant".into(), &true.into(), &false.into())
    );
    let value = |method: &str| ant[method]["value"].as_f64().unwrap();
    // Against the log, every arm is equally likely. In two of three cases `ant` meets another arm:
    // it scores 1/2 against `bee` and, with as many ties, 1/4 against `cat`. Because the log is
    // read only once, weights that depend on time shift this a little.
    for method in ["ips", "snips", "dr"] {
        assert!((value(method) - 0.25).abs() < 0.05, "{method}: {}", value(method));
    }
    // With `--simulate`, the same log is simulated.
    let simulated = seen(&mut tiltyard(&["replay", &path, "--runs", "2", "--simulate"]));
    assert!(
        simulated.contains("this is a simulation, not off-policy evaluation: you asked for one"),
        "{simulated}"
    );
}

#[test]
fn trace_refusals() {
    let (_directory, with) = file("with.csv", log(true).as_bytes());
    let (_directory, without) = file("without.csv", log(false).as_bytes());
    let (_directory, some) = file("some.csv", b"left,right,outcome,pscore\na,b,left,0.5\nb,a,left,\n");
    let (_directory, odd) = file("odd.csv", b"left,right,outcome,pscore\na,b,left,0.5\nb,a,left,1.5\n");
    let (with, without, some, odd) = (text(&with), text(&without), text(&some), text(&odd));
    let commands: [&[&str]; 10] = [
        &["replay", &some],
        &["replay", &odd],
        &["replay", &without, "--arm", "ant"],
        &["replay", &without, "--against", "log"],
        &["replay", &with, "--arm", "dog"],
        &["replay", &with, "--policy", "dts"],
        &["replay", &with, "--policy", "sparring"],
        &["replay", &with, "--bootstrap"],
        &["replay", &with, "--confidence", "95"],
        &["replay", &without, "--policy", "rex4"],
    ];
    let mut transcript = String::new();
    for command in commands {
        write!(transcript, "$ {}\n{}\n", command[2..].join(" "), seen(&mut tiltyard(command))).unwrap();
    }
    insta::assert_snapshot!("replay_refusals", transcript);
}
