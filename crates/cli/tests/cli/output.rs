//! The output of help, lists and pages.

use crate::{file, seen, tiltyard};

#[test]
fn trace_help() {
    insta::assert_snapshot!("help", seen(&mut tiltyard(&["--help"])));
    insta::assert_snapshot!("play_help", seen(&mut tiltyard(&["play", "--help"])));
    for command in [
        "serve",
        "new",
        "duel",
        "vote",
        "watch",
        "void",
        "standing",
        "segments",
        "voters",
        "evaluate",
        "apprentice",
    ] {
        insta::assert_snapshot!(format!("{command}_help"), seen(&mut tiltyard(&[command, "--help"])));
    }
    insta::assert_snapshot!("key_new_help", seen(&mut tiltyard(&["key", "new", "--help"])));
    insta::assert_snapshot!("experiment_help", seen(&mut tiltyard(&["experiment", "--help"])));
}

#[test]
fn trace_policy_list() {
    let text = seen(&mut tiltyard(&["policy", "list"]));
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split("  ").map(str::trim).collect()).collect();
    let row = |name: &str| {
        let row = rows.iter().find(|row| row[0] == name).unwrap_or_else(|| panic!("no `{name}` in\n{text}"));
        row.iter().copied().filter(|cell| !cell.is_empty()).collect::<Vec<_>>()
    };
    assert_eq!(row("policy"), ["policy", "settles on", "cost", "description"]);
    assert_eq!(
        row("rucb"),
        ["rucb", "pair", "O(K) per round, O(K^2) memory", "relative upper confidence bounds"]
    );
    assert_eq!(row("dbgd")[..3], ["dbgd", "region", "O(d) per round, O(d) memory"]);
    assert!(text.contains("hint: `tiltyard policy show NAME` describes one of them"), "{text}");
}

/// The page must say that the two anytime readings differ.
#[test]
fn trace_policy_show_rex3_tells_the_two_readings_apart() {
    let text = seen(&mut tiltyard(&["policy", "show", "rex3"]));
    for needed in [
        "The two anytime readings are not the same algorithm",
        "| `gamma` | none | (0, 1/2] |",
        "10.48550/arXiv.1601.03855",
        "capabilities: additive; elastic; distinct",
    ] {
        assert!(text.contains(needed), "`{needed}` is missing in\n{text}");
    }
}

/// A continuous policy has a page like any other, and says what it is.
#[test]
fn trace_policy_show_dbgd_says_that_it_is_continuous() {
    let text = seen(&mut tiltyard(&["policy", "show", "dbgd"]));
    for needed in [
        "- kind: continuous: duels points of a convex set, not arms",
        "| `delta` | by tuning | (0, 1e6] |",
        "doi:10.1145/1553374.1553527",
    ] {
        assert!(text.contains(needed), "`{needed}` is missing in\n{text}");
    }
}

#[test]
fn trace_world_list() {
    insta::assert_snapshot!(seen(&mut tiltyard(&["world", "list"])));
}

#[test]
fn trace_world_show_and_check() {
    insta::assert_snapshot!("show_arxiv6", seen(&mut tiltyard(&["world", "show", "arxiv6"])));
    insta::assert_snapshot!(
        "show_switch10",
        seen(&mut tiltyard(&["world", "show", "switch10", "--rounds", "1e3"]))
    );
    insta::assert_snapshot!(
        "show_piecewise",
        seen(&mut tiltyard(&["world", "show", "piecewise:of=cyclic4,segments=3", "--rounds", "1e3"]))
    );
    let corrupted = "cyclic4+corrupted:flips=T/10+lossy:share=0.1";
    insta::assert_snapshot!("show_corrupted", seen(&mut tiltyard(&["world", "show", corrupted])));
    insta::assert_snapshot!("check_piecewise", seen(&mut tiltyard(&["world", "check", "piecewise"])));
    let (_directory, path) = file("u.csv", b"round,left,right\n1,0.9,0.1\n500,0.2,0.6\n");
    let utilities = format!("utilities:file={}", path.display());
    insta::assert_snapshot!("show_utilities", seen(&mut tiltyard(&["world", "show", &utilities])));
    let wrapped = "arxiv6+lossy:share=0.1+delayed:mean=50";
    insta::assert_snapshot!("show_wrapped", seen(&mut tiltyard(&["world", "show", wrapped])));
    insta::assert_snapshot!("check_arxiv6", seen(&mut tiltyard(&["world", "check", "arxiv6"])));
    insta::assert_snapshot!("check_cyclic4", seen(&mut tiltyard(&["world", "check", "cyclic4"])));
    insta::assert_snapshot!("check_waves10", seen(&mut tiltyard(&["world", "check", "waves10"])));
}

/// In colours if the environment asks for them, else in shades of grey.
#[test]
fn trace_world_show_draws_circles_and_colours() {
    let (_directory, path) =
        file("circle.csv", b"0.5,0.8,0.2,0.9\n0.2,0.5,0.8,0.5\n0.8,0.2,0.5,0.7\n0.1,0.5,0.3,0.5\n");
    let path = path.display().to_string();
    let mut command = tiltyard(&["world", "show", &path]);
    insta::assert_snapshot!("show_circle", seen(&mut command));
    let text = seen(command.env_remove("NO_COLOR").env("CLICOLOR_FORCE", "1"));
    assert!(text.contains("\u{1b}[48;5;"), "{text}");
    insta::assert_snapshot!(
        "show_json",
        seen(&mut tiltyard(&["world", "show", "cyclic4", "--format", "json"]))
    );
}

#[test]
fn trace_world_show_writes_a_picture() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("matrix.svg");
    let show = |world: &str| {
        seen(&mut tiltyard(&[
            "world",
            "show",
            world,
            "--format",
            "json",
            "--svg",
            &path.display().to_string(),
        ]))
    };
    let text = show("cyclic4");
    assert!(text.starts_with("exit code: 0") && text.contains("wrote [DIR]/matrix.svg"), "{text}");
    insta::assert_snapshot!("cyclic4_svg", std::fs::read_to_string(&path).unwrap());
    insta::assert_snapshot!("svg_without_matrix", show("waves10"));
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    insta::assert_snapshot!("svg_to_a_directory", show("cyclic4"));
}

/// A cycle of three has no Condorcet winner. The output says which arm is used instead, and that
/// regret may be negative.
#[test]
fn trace_no_condorcet_winner() {
    let (_directory, path) = file("cycle.csv", b"0.5,0.8,0.2\n0.2,0.5,0.8\n0.8,0.2,0.5\n");
    let path = path.display().to_string();
    insta::assert_snapshot!("check_cycle", seen(&mut tiltyard(&["world", "check", &path])));
    let text = seen(&mut tiltyard(&["play", "--world", &path, "--rounds", "100", "--runs", "2"]));
    assert!(text.contains("Copeland winner") && text.contains("may be negative"), "{text}");
}

#[test]
fn trace_json_lists_are_json() {
    for arguments in [
        ["policy", "list", "--format", "json", "--quiet"].as_slice(),
        &["policy", "show", "sparring", "--format", "json"],
        &["policy", "show", "dbgd", "--format", "json"],
        &["world", "list", "--format", "json"],
        &["world", "show", "bvs20", "--format", "json"],
    ] {
        let output = tiltyard(arguments).output().unwrap();
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap();
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
