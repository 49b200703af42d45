//! `tiltyard world build letor` and `trec`.

use std::fmt::Write as _;

use crate::{file, seen, tiltyard};

/// Two queries. Feature 1 ranks the relevant document first, feature 2 ranks it last, and feature 3
/// has no information.
const LETOR: &[u8] = b"1 qid:a 1:3 2:1
0 qid:a 1:2 2:2
0 qid:a 1:1 2:3
1 qid:b 1:9 2:0
0 qid:b 1:5 2:5 3:0
";

fn build(arguments: &[&str]) -> String {
    seen(&mut tiltyard(&[&["world", "build"], arguments].concat()))
}

#[test]
fn trace_a_matrix_of_feature_rankers() {
    let (directory, path) = file("letor.txt", LETOR);
    let (path, out) = (path.display().to_string(), directory.path().join("m.csv"));
    let out_text = out.display().to_string();
    let base = ["letor", &path, "--clicks", "perfect", "--samples", "500", "--out", &out_text];
    insta::assert_snapshot!("build_letor", build(&base));
    // Feature 1 always picks the relevant document, whichever ranker picks first.
    assert_eq!(
        std::fs::read_to_string(&out).unwrap().lines().next(),
        Some("\"feature 1\",\"feature 2\",\"feature 3\"")
    );
    let pairs = std::fs::read_to_string(directory.path().join("m.pairs.csv")).unwrap();
    assert!(pairs.contains("\nfeature 1,feature 2,500,500,0,0,1,0\n"), "{pairs}");
    // Without `--force` nothing is overwritten, and no other files were left behind.
    assert!(build(&base).starts_with("exit code: 2\n"));
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 3);
    let json = build(&[&base[..], &["--force", "--format", "json", "--threads", "1"]].concat());
    assert!(
        json.contains("\"condorcet_winner\":\"feature 1\"") && json.contains("\"samples\":1500"),
        "{json}"
    );
    // The matrix can be played on, and its arms have names.
    let play = seen(&mut tiltyard(&[
        "play", "--world", &out_text, "--rounds", "100", "--runs", "1", "--policy", "random",
    ]));
    assert!(play.contains("best arm 0 feature 1"), "{play}");
}

#[test]
fn trace_sampling_until_an_error() {
    let (directory, path) = file("letor.txt", LETOR);
    let out = directory.path().join("m.csv").display().to_string();
    let path = path.display().to_string();
    let within = build(&[
        "letor",
        &path,
        "--clicks",
        "informational",
        "--interleave",
        "probabilistic",
        "--within",
        "0.01",
        "--samples",
        "1e5",
        "--out",
        &out,
        "--format",
        "json",
    ]);
    let error: f64 = within
        .split("\"largest_standard_error\":")
        .nth(1)
        .unwrap()
        .split(',')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(error <= 0.01 && error > 0.005, "{within}");
}

#[test]
fn trace_a_matrix_of_runs() {
    let (directory, good) = file("good.run", b"q1 Q0 d1 1 9.0 good\nq1 Q0 d2 2 8.0 good\n");
    let bad = directory.path().join("bad.run");
    std::fs::write(&bad, "q1 Q0 d2 1 9.0 bad\nq1 Q0 d1 2 8.0 bad\n").unwrap();
    let qrels = directory.path().join("qrels.txt");
    std::fs::write(&qrels, "q1 0 d1 1\nq1 0 d2 0\n").unwrap();
    let text = |path: &std::path::Path| path.display().to_string();
    let out = text(&directory.path().join("m.csv"));
    insta::assert_snapshot!(
        "build_trec",
        build(&[
            "trec",
            &text(&good),
            &text(&bad),
            "--qrels",
            &text(&qrels),
            "--clicks",
            "perfect",
            "--samples",
            "200",
            "--out",
            &out,
        ])
    );
}

#[test]
fn trace_bad_arguments() {
    let (directory, path) = file("letor.txt", LETOR);
    let path = path.display().to_string();
    let out = directory.path().join("m.csv").display().to_string();
    let mut all = String::new();
    for arguments in [
        &["--clicks", "prefect"][..],
        &["--clicks", "perfect", "--interleave", "team"],
        &["--clicks", "perfect", "--within", "0.7"],
        &["--clicks", "perfect", "--top", "5000"],
        &["--clicks", "perfect", "--rankers", "mixture:3"],
        &["--clicks", "perfect", "--ties", "none"],
        &["--clicks", "dependent:click=0.5,stop=0.1"],
    ] {
        let command = [&["letor", &path, "--out", &out][..], arguments].concat();
        writeln!(all, "$ {}\n{}", arguments.join(" "), build(&command)).unwrap();
    }
    insta::assert_snapshot!("build_letor_bad", all);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1, "no file is left behind");
}
