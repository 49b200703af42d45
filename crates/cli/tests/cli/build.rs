//! `tiltyard world build`, and playing on its matrices and on logged votes.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{file, seen, tiltyard};

const VOTES: &str = "\
left,right,outcome,voter,task
ant,bee,left,v1,1
bee,ant,right,v2,1
ant,bee,tie,v3,1
bee,cat,left,v1,2
cat,bee,both_bad,v2,2
ant,ant,left,v1,3
bee,cat,skip,v3,2
";

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// The binary's messages with the matrix and the pairs it wrote.
fn build(arguments: &[&str], out: &Path) -> String {
    let out_text = text(out);
    let mut all = vec!["world", "build"];
    all.extend(arguments);
    all.extend(["--out", &out_text]);
    let mut transcript = seen(&mut tiltyard(&all));
    for path in [out.to_owned(), out.with_extension("pairs.csv")] {
        if let Ok(contents) = fs::read_to_string(&path) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            write!(transcript, "----- {name} -----\n{contents}").unwrap();
        }
    }
    transcript
}

/// P(ant, bee) = (2 + 1/2 + 1/2) / 4 = 0.75; P(bee, cat) = (1 + 1/2 + 1/2) / 3; ant and cat were
/// never compared.
#[test]
fn trace_votes() {
    let (directory, path) = file("votes.csv", VOTES.as_bytes());
    let out = directory.path().join("m.csv");
    insta::assert_snapshot!("build_votes", build(&["votes", &text(&path)], &out));
    let out_text = text(&out);
    let json = ["world", "build", "votes", &text(&path), "--force", "--format", "json", "--out", &out_text];
    let output = tiltyard(&json).output().unwrap();
    assert!(output.stderr.is_empty());
    let mut summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["matrix"].take(), out_text.as_str());
    assert!(summary["pairs_file"].take().as_str().unwrap().ends_with("m.pairs.csv"));
    insta::assert_snapshot!("build_votes_json", serde_json::to_string_pretty(&summary).unwrap());
    insta::assert_snapshot!("show_named", seen(&mut tiltyard(&["world", "show", &text(&out)])));
    insta::assert_snapshot!("check_named", seen(&mut tiltyard(&["world", "check", &text(&out)])));
}

#[test]
fn trace_scores() {
    let (directory, path) = file("elo.csv", b"arm,score\nant,1600\n\"bee, the\",1200\n7,1200\n");
    let out = directory.path().join("m.csv");
    let model = ["scores", &text(&path), "--model", "bradley-terry", "--scale", "400", "--base", "10"];
    insta::assert_snapshot!("build_scores", build(&model, &out));
    let thurstone =
        ["scores", &text(&path), "--model", "thurstone", "--scale", "200", "--force", "--format", "json"];
    insta::assert_snapshot!("build_scores_json", build(&thurstone, &out));
}

#[test]
fn trace_refusals() {
    let (directory, path) = file("votes.csv", VOTES.as_bytes());
    let votes = text(&path);
    let out = directory.path().join("m.csv");
    let (_other, words) = file("words.csv", b"left,right,outcome\na,b,left\na,b,bth\n");
    let (_third, columns) = file("columns.csv", b"first,second,outcome\na,b,left\n");
    let mut all = String::new();
    let mut refused = |arguments: &[&str], out: &Path| {
        writeln!(all, "{}", build(arguments, out)).unwrap();
        assert!(!out.exists() || out.is_dir(), "no file may be left behind");
    };
    refused(&["votes", &votes, "--unseen", "refuse"], &out);
    refused(&["votes", &votes, "--smoothing", "-1"], &out);
    refused(&["votes", &votes], &directory.path().join("m.npy"));
    refused(&["votes", &votes], &directory.path().join("no/m.csv"));
    refused(&["votes", "nowhere.csv"], &out);
    refused(&["votes", &text(&words)], &out);
    refused(&["votes", &text(&columns)], &out);
    refused(&["scores", &votes, "--model", "thurstone"], &out);
    refused(&["scores", &votes, "--model", "thurstone", "--base", "2"], &out);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "no temporary file is left");
    insta::assert_snapshot!("build_refusals", all);
}

/// Not even `--force` writes over an input, also where the name of the output follows from another.
#[test]
fn trace_inputs_are_kept() {
    for (input, out) in [("m.csv", "m.csv"), ("m.pairs.csv", "m.csv")] {
        let (directory, path) = file(input, VOTES.as_bytes());
        let shown = build(&["votes", &text(&path), "--force"], &directory.path().join(out));
        assert!(shown.starts_with("exit code: 2\n") && shown.contains("is an input"), "{shown}");
        assert_eq!(fs::read(&path).unwrap(), VOTES.as_bytes());
    }
}

#[test]
fn trace_what_is_there_is_kept() {
    let (directory, path) = file("votes.csv", VOTES.as_bytes());
    for name in ["m.csv", "m.pairs.csv"] {
        let taken = directory.path().join(name);
        fs::write(&taken, "mine").unwrap();
        let text = build(&["votes", &text(&path)], &directory.path().join("m.csv"));
        assert!(text.starts_with("exit code: 2\n") && text.contains("exists already"), "{text}");
        assert!(text.contains("hint: `--force`"), "{text}");
        assert_eq!(fs::read_to_string(&taken).unwrap(), "mine");
        fs::remove_file(&taken).unwrap();
    }
}

/// 400 duels cannot be answered from five votes. The messages and the JSON say so.
#[test]
fn trace_a_replay_says_that_it_ran_dry() {
    let (_directory, path) = file("votes.csv", VOTES.as_bytes());
    let world = format!("replay:file={}", text(&path));
    let play = |world: &str| {
        let rounds =
            ["play", "--rounds", "400", "--runs", "2", "--policy", "random", "--format", "json", "--world"];
        tiltyard(&rounds).arg(world).output().unwrap()
    };
    let once = play(&world);
    let report: Value = serde_json::from_slice(&once.stdout).unwrap();
    assert_eq!((&report["best_name"], &report["best_kind"]), (&"ant".into(), &"Copeland winner".into()));
    let policy = &report["policies"][0];
    // Of 400 random duels of 3 arms two thirds are of different arms, and 5 of those are answered.
    let unanswered = policy["unanswered"].as_u64().unwrap();
    assert!((450..620).contains(&unanswered), "{unanswered}");
    assert!(policy["dry_from"].as_u64().unwrap() < 20 && policy["repeated"].is_null());
    assert_eq!(policy["dry_runs"], 2);
    let talk = String::from_utf8(once.stderr).unwrap();
    assert!(
        talk.contains("warning: not every duel of random had a fresh answer")
            && talk.contains("duels unanswered"),
        "{talk}"
    );

    let bootstrap = play(&(world + ",mode=bootstrap"));
    let report: Value = serde_json::from_slice(&bootstrap.stdout).unwrap();
    let policy = &report["policies"][0];
    // The pair without votes stays unanswered even so.
    assert!(policy["repeated"].as_u64().unwrap() > 300 && policy["unanswered"].as_u64().unwrap() > 100);
    assert!(String::from_utf8(bootstrap.stderr).unwrap().contains("answered by a vote used before"));
}

#[test]
fn trace_bad_replays() {
    let mut all = String::new();
    for world in [
        "replay",
        "replay:file=no/votes.csv",
        "replay:file=a,b.csv",
        "replay:mode=once,file=v.csv,x=1",
        "repaly",
    ] {
        let arguments = ["play", "--rounds", "10", "--runs", "1", "--world", world];
        writeln!(all, "$ tiltyard {}\n{}", arguments.join(" "), seen(&mut tiltyard(&arguments))).unwrap();
    }
    insta::assert_snapshot!(all);
}
