//! Import and export of votes.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use super::live::{Server, Transcript, signal};
use crate::tiltyard;

fn show(server: &Server, experiment: &str) -> Value {
    serde_json::from_str(&server.run(&["experiment", "show", experiment, "--format", "json"])).unwrap()
}

/// The counts of an experiment, without those that exist only for duels issued by this server.
fn counted(server: &Server, experiment: &str) -> (Vec<Option<u64>>, Vec<Value>, Vec<Vec<Value>>) {
    let show = show(server, experiment);
    let standing = &show["standing"];
    let totals = ["votes", "left", "right", "ties", "both_bad", "graded"];
    let totals = totals.map(|name| standing["totals"][name].as_u64()).to_vec();
    let fields =
        ["first", "second", "votes", "first_wins", "second_wins", "ties", "both_bad", "graded", "graded_sum"];
    let pair = |pair: &Value| Value::from(fields.map(|name| pair[name].clone()).to_vec());
    let pairs = standing["pairs"].as_array().unwrap().iter().map(pair).collect();
    let names = ["name", "wins", "losses", "ties", "both_bad", "graded", "self_duels"];
    let arm = |arm: &Value| names.map(|name| arm[name].clone()).to_vec();
    (totals, pairs, standing["arms"].as_array().unwrap().iter().map(arm).collect())
}

const JOURNAL: &str = r#"{"op_code":0,"worker_id":"w","study_name":"tones","directions":[1]}
{"op_code":3,"worker_id":"w","study_id":0,"system_attr":{"preference:is_preferential":true}}
{"op_code":3,"worker_id":"w","study_id":0,"system_attr":{"preference:values1":[[0,1],[2,1]]}}
{"op_code":3,"worker_id":"w","study_id":0,"system_attr":{"preference:values2":[[2,0]]}}
{"op_code":3,"worker_id":"w","study_id":0,"system_attr":{"preference:values2":[]}}
"#;

#[test]
fn trace_files_of_votes() {
    let server = Server::new(&[]);
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let csv = write(
        "old.csv",
        "left,right,outcome,voter,time,note\na,b,left,u1,2026-01-31T12:00:00Z,x\nb,c,0.5,u2,,\nc,a,skip,,,\na,c,tie (bothbad),,1682351591.1,\n",
    );
    let arena = write(
        "arena.json",
        "[{\"model_a\": \"a\", \"model_b\": \"b\", \"winner\": \"model_b\", \"judge\": \"j\", \"tstamp\": 1682351591.1},\n\
         {\"model_a\": \"b\", \"model_b\": \"a\", \"winner\": \"tie\", \"judge\": \"j\", \"tstamp\": 1682351591.2}]\n",
    );
    let log = write(
        "fastchat.jsonl",
        "{\"tstamp\": 1.5, \"type\": \"leftvote\", \"models\": [\"\", \"\"], \"states\": [{\"model_name\": \"a\"}, {\"model_name\": \"b\"}]}\n\
         {\"tstamp\": 2.5, \"type\": \"chat\"}\n",
    );
    let journal = write("study.log", JOURNAL);
    let mut story = Transcript::default();
    let run = |story: &mut Transcript, words: &[&str]| story.run(&mut server.command(words));
    server.run(&["new", "old", "--arm", "a", "--arm", "b"]);
    server.run(&["new", "fixed", "--arm", "a", "--arm", "b", "--policy", "rucb"]);
    run(&mut story, &["import", "old", &csv, "--dry-run"]);
    run(&mut story, &["import", "old", &csv]);
    run(&mut story, &["import", "fixed", &csv, "--add-arms"]);
    run(&mut story, &["import", "old", &csv, &arena, "--add-arms"]);
    run(&mut story, &["import", "old", &csv, &arena, &log]);
    run(&mut story, &["import", "old", &csv, "--run", "again", "--quiet"]);
    run(&mut story, &["import", "--new", "trials", "--policy", "rucb", &journal, "--dry-run"]);
    run(&mut story, &["import", "--new", "trials", "--policy", "rucb", &journal]);
    run(&mut story, &["experiment", "show", "trials"]);
    // Refused before anything is sent, and refused by the server.
    run(&mut story, &["import", "old"]);
    run(&mut story, &["import", "nothing", &csv]);
    run(&mut story, &["import", "old", "none.csv"]);
    run(&mut story, &["import", "old", &csv, "--format", "fastchat"]);
    run(&mut story, &["import", "old", &csv, "--format", "optuna"]);
    run(&mut story, &["import", "old", &journal, "--study", "other"]);
    let heavy = write("heavy.csv", "left,right,outcome,weight\na,b,left,1\na,b,left,2\n");
    run(&mut story, &["import", "old", &heavy]);
    let late = write("late.csv", "left,right,outcome,time\na,b,left,31.1.2026\n");
    run(&mut story, &["import", "old", &late]);
    let skips = write("skips.csv", "left,right,outcome\na,b,skip\n");
    run(&mut story, &["import", "old", &skips]);
    let voters = write("voters.csv", &format!("left,right,outcome,voter\na,b,left,{}\n", "v".repeat(201)));
    run(&mut story, &["import", "old", &voters]);
    run(&mut story, &["import", "old", &csv, "--run", "a b"]);
    run(&mut story, &["experiment", "show", "old"]);
    insta::assert_snapshot!("import", story.text());
}

/// Exporting and importing a vote of every kind gives the same counts.
#[test]
fn law_what_leaves_comes_back() {
    let server = Server::new(&[]);
    server.run(&[
        "new",
        "first",
        "--arm",
        "a, \"b\"",
        "--arm",
        "c",
        "--arm",
        "d e",
        "--set",
        "distinct=false",
    ]);
    let printed = server.run(&["duel", "first", "--count", "30", "--context", r#"{"x": "1,2"}"#]);
    let answers = ["left", "right", "tie", "both_bad", "skip", "0.25", "-0.125"];
    for (line, answer) in printed.lines().zip(answers.iter().cycle()) {
        server.run(&["vote", line.split('\t').next().unwrap(), answer, "--voter", "u,1"]);
    }
    let (_old, path) =
        crate::file("old.csv", b"left,right,outcome,weight,pscore\nc,d e,left,0.5,0.25\nc,c,tie,1,\n");
    server.run(&["import", "first", &path.display().to_string()]);
    let directory = tempfile::tempdir().unwrap();
    let expected = counted(&server, "first");
    assert_eq!(expected.0[0], Some(28));
    for name in ["out.csv", "out.jsonl"] {
        let out = directory.path().join(name).display().to_string();
        server.run(&["export", "first", "--out", &out]);
        server.run(&["import", "--new", name, &out]);
        // Imported arms are sorted by name, which is the order they had.
        assert_eq!(counted(&server, name), expected, "{name}");
        // Imported votes can be exported and imported once more.
        let again = directory.path().join(format!("again {name}")).display().to_string();
        server.run(&["export", name, "--out", &again]);
        server.run(&["import", "--new", &again, &again]);
        assert_eq!(counted(&server, &again), expected, "{name}");
    }
}

#[test]
fn trace_where_votes_go() {
    let server = Server::new(&[]);
    let (directory, path) = crate::file("old.csv", b"left,right,outcome\na,b,left\nb,a,0.5\n");
    server.run(&["import", "--new", "old", &path.display().to_string()]);
    let printed = server.run(&["export", "old"]);
    assert_eq!(printed.lines().count(), 3);
    assert!(printed.starts_with("seq,duel,"), "{printed}");
    let printed = server.run(&["export", "old", "--format", "jsonl", "--after", "2"]);
    assert_eq!(printed, "");
    let out = directory.path().join("votes.parquet");
    let name = out.display().to_string();
    server.run(&["export", "old", "--out", &name]);
    let kept = fs::read(&out).unwrap();
    assert!(kept.starts_with(b"PAR1") && kept.ends_with(b"PAR1"));
    let piped = server.command(&["export", "old", "--format", "parquet"]).output().unwrap();
    assert_eq!((piped.status.code(), piped.stdout), (Some(0), kept));
    let mut story = Transcript::default();
    story.run(&mut server.command(&["export", "old", "--out", &name]));
    story.run(&mut server.command(&["export", "old", "--out", &name, "--force"]));
    story.run(&mut server.command(&["export", "none"]));
    let nowhere = directory.path().join("no/votes.csv").display().to_string();
    story.run(&mut server.command(&["export", "old", "--out", &nowhere]));
    insta::assert_snapshot!("export", story.text());
}

/// If the connection breaks, no file is written, and the exit code is 1.
#[test]
fn trace_a_file_is_whole_or_not_there() {
    let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
    let head = "HTTP/1.1 200 OK\r\nConnection: close\r\n";
    let json = |body: &str| format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let experiment = json("{}");
    let votes = format!(
        "{head}Content-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\n{}",
        chunk("seq,left,right,outcome\n1,a,b,left\n")
    );
    let thread = std::thread::spawn(move || {
        for text in [&experiment, &votes, &experiment, &votes] {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 4096];
            assert!(stream.read(&mut request).unwrap() > 0);
            stream.write_all(text.as_bytes()).unwrap();
        }
    });
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("votes.csv").display().to_string();
    for arguments in [&["export", "0000000000001", "--out", &out][..], &["export", "0000000000001"]] {
        let output = tiltyard(arguments).env("TILTYARD_SERVER", &url).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(" broke: "), "{said}");
    }
    thread.join().unwrap();
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0, "a file was left behind");
}

fn many(path: &Path, n: usize) {
    let mut text = "left,right,outcome\n".to_owned();
    for i in 0..n {
        text.push_str(["a,b,left\n", "b,c,right\n", "c,a,tie\n"][i % 3]);
    }
    fs::write(path, text).unwrap();
}

/// An import that is stopped and run again counts each vote once.
#[test]
fn trace_an_import_that_was_stopped_goes_on() {
    let server = Server::new(&[]);
    server.run(&["new", "old", "--arm", "a", "--arm", "b", "--arm", "c"]);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("many.csv");
    many(&path, 60_000);
    let path = path.display().to_string();
    let mut import = server.command(&["import", "old", &path]);
    let import = import.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let votes = || show(&server, "old")["standing"]["totals"]["imported"].as_u64().unwrap();
    for _ in 0..10_000 {
        if votes() > 0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    signal("INT", &import);
    let output = import.wait_with_output().unwrap();
    // The import may have ended before the signal.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{output:?}");
    if output.status.code() == Some(3) {
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with("error: stopped before all votes were sent"), "{said}");
    }
    let before = votes();
    assert!(before > 0 && before % 1000 == 0, "{before}");
    let printed = server.run(&["import", "old", &path]);
    assert_eq!(votes(), 60_000);
    let now: u64 = printed.lines().next().unwrap().rsplit(' ').next().unwrap().parse().unwrap();
    assert_eq!(now + before, 60_000, "{printed}");
}
