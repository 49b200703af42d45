//! Standing, segments, voters, apprentices and evaluation on the command line.

use std::fmt::Write as _;
use std::io::Read as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::client::{answer, answers};
use super::live::{Server, Transcript, lines, signal, steady, take};
use crate::tiltyard;

/// Gets duels and answers each of them. `rule` chooses the answer by the duel's number, its left
/// arm and its right arm.
fn vote(
    server: &Server,
    experiment: &str,
    count: usize,
    voter: &str,
    context: &str,
    rule: impl Fn(usize, &str, &str) -> &'static str,
) {
    let printed = server.run(&["duel", experiment, "--count", &count.to_string(), "--context", context]);
    let one = |(place, line): (usize, &str)| {
        let [id, left, right] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("no duel: {line}") };
        json!({ "duel": id, "voter": voter, "outcome": rule(place, left, right) })
    };
    let outcomes: Vec<Value> = printed.lines().enumerate().map(one).collect();
    let body = json!({ "outcomes": outcomes }).to_string();
    let head = format!(
        "POST /v1/outcomes HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
        body.len()
    );
    let mut text = String::new();
    server.send(&head, &body).read_to_string(&mut text).unwrap();
    assert_eq!(text.matches(r#""recorded""#).count(), count, "{text}");
}

/// The answer that lets `winner` win.
fn side(winner: &str, left: &str) -> &'static str {
    if winner == left { "left" } else { "right" }
}

/// Votes on three arms. Of every 20 votes on a pair, a fixed number is for the first arm.
fn votes_of_three(rounds: usize) -> String {
    let mut text = "left,right,outcome,voter\n".to_owned();
    for i in 0..20 * rounds {
        for (left, right, wins) in [("plain", "funny", 5), ("plain", "short", 12), ("short", "funny", 3)] {
            let outcome = if (i * 7) % 20 < wins { "left" } else { "right" };
            writeln!(text, "{left},{right},{outcome},u{}", i % 5).unwrap();
        }
    }
    text
}

#[test]
fn trace_standing() {
    let server = Server::new(&[]);
    let mut story = Transcript::default();
    let run = |story: &mut Transcript, arguments: &[&str]| story.run(&mut server.command(arguments));
    server.run(&["new", "tone", "--arm", "plain", "--arm", "funny", "--arm", "short"]);
    run(&mut story, &["standing", "tone", "--pairs", "--ratings"]);
    for (rounds, name) in [(1, "few"), (10, "many")] {
        let (_directory, path) = crate::file("votes.csv", votes_of_three(rounds).as_bytes());
        server.run(&["import", "tone", &path.display().to_string(), "--run", name]);
        run(&mut story, &["standing", "tone", "--pairs", "--ratings"]);
    }
    let shown: Value =
        serde_json::from_str(&server.run(&["standing", "tone", "--ratings", "--format", "json"])).unwrap();
    assert_eq!(shown["verdict"]["status"], "leader", "{shown}");
    assert_eq!(shown["pairs"].as_array().unwrap().len(), 3);
    assert_eq!(shown["ratings"]["status"], "rated");
    server.run(&["arm", "retire", "tone", "funny"]);
    run(&mut story, &["standing", "tone"]);
    run(&mut story, &["standing", "nothing"]);
    insta::assert_snapshot!("standing", story.text());
}

#[test]
fn trace_margin_and_alarms() {
    let server = Server::new(&[]);
    let mut story = Transcript::default();
    let new = ["--arm", "a", "--arm", "b", "--policy", "random"];
    server.run(&[&["new", "close", "--set", "margin=0.2"][..], &new].concat());
    vote(&server, "close", 400, "u", "null", |place, left, _| side(["a", "b"][place % 2], left));
    story.run(&mut server.command(&["standing", "close"]));
    server.run(&[&["new", "turned"][..], &new].concat());
    for winner in ["a", "b"] {
        vote(&server, "turned", 100, "u", "null", |_, left, _| side(winner, left));
    }
    story.run(&mut server.command(&["standing", "turned"]));
    insta::assert_snapshot!("alarms", story.text());

    // The left arm is random, and so is the output except for the alarm.
    server.run(&[&["new", "lazy"][..], &new].concat());
    vote(&server, "lazy", 100, "u", "null", |_, _, _| "left");
    let shown = server.run(&["standing", "lazy"]);
    let alarm = shown.lines().find(|line| line.starts_with("Alarm: ")).unwrap();
    insta::assert_snapshot!("alarm_of_sides", alarm);
}

/// The other columns leave room for long names.
#[test]
fn law_tables_fit_a_terminal() {
    let server = Server::new(&[]);
    let [one, other] = ["first", "other"].map(|name| format!("{name} with a name of many words"));
    let new = ["new", "long", "--arm", &one, "--arm", &other, "--policy", "random"];
    server.run(&new);
    vote(&server, "long", 1000, "u", r#"{"k": "v"}"#, |place, left, _| {
        side([&one, &other][usize::from(place % 3 == 0)], left)
    });
    for arguments in
        [&["standing", "long"][..], &["segments", "long", "--key", "k", "--value", "v"], &["voters", "long"]]
    {
        let output = server.command(arguments).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).unwrap();
        // The sentence with the verdict comes from the server.
        for line in text.lines().filter(|line| !line.ends_with("confidence.")) {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}

#[test]
fn trace_segments() {
    let server = Server::new(&[]);
    let mut story = Transcript::default();
    let run = |story: &mut Transcript, arguments: &[&str]| story.run(&mut server.command(arguments));
    server.run(&["new", "tone", "--arm", "a", "--arm", "b", "--policy", "random"]);
    run(&mut story, &["segments", "tone", "--key", "user.language"]);
    for (count, context, winner) in [
        (60, r#"{"user": {"language": "fr"}}"#, "a"),
        (50, r#"{"user": {"language": "de"}}"#, "b"),
        (13, r#"{"user": {"language": "it"}}"#, "b"),
        (2, r#"{"user": {"language": "en"}}"#, "b"),
        (8, "{}", "a"),
    ] {
        vote(&server, "tone", count, "u", context, |_, left, _| side(winner, left));
    }
    run(&mut story, &["segments", "tone", "--key", "user.language"]);
    run(&mut story, &["segments", "tone", "--key", "user.language", "--value", "de"]);
    run(&mut story, &["segments", "tone", "--since", "1h"]);
    run(&mut story, &["segments", "tone", "--until", "1h"]);
    insta::assert_snapshot!("segments", story.text());
    let json = server.run(&["segments", "tone", "--key", "user.language", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["segments"].as_array().unwrap().len(), 5);
}

#[test]
fn trace_voters() {
    let server = Server::new(&[]);
    let mut story = Transcript::default();
    let run = |story: &mut Transcript, arguments: &[&str]| story.run(&mut server.command(arguments));
    server.run(&["new", "tone", "--arm", "a", "--arm", "b", "--policy", "random"]);
    run(&mut story, &["voters", "tone"]);
    // Even without one of them, the others have more votes than the voter who votes against them.
    for (voter, winner, count) in
        [("ann", "a", 10), ("troll", "b", 25), ("ben", "a", 10), ("cat", "a", 10), ("dan", "a", 10)]
    {
        vote(&server, "tone", count, voter, "null", |_, left, _| side(winner, left));
    }
    // The sides are random, so their counts are replaced.
    let sides = |text: &str| {
        let coin = |line: &str| match line.split_whitespace().collect::<Vec<_>>()[..] {
            [votes, left, right, ..] if left.parse::<u32>().is_ok() => {
                let [votes, left, right] = [votes, left, right].map(|text| text.parse::<u32>().unwrap());
                assert_eq!(left + right, votes, "{line}");
                // After the column of votes, and of the same width.
                format!("{}    ..     ..{}", &line[..5], &line[18..])
            }
            _ => line.to_owned(),
        };
        text.lines().map(coin).collect::<Vec<_>>().join("\n")
    };
    run(&mut story, &["voters", "tone", "--voter", "nobody"]);
    run(&mut story, &["void", "tone", "--voter", "troll", "--dry-run"]);
    run(&mut story, &["void", "tone", "--voter", "nobody", "--dry-run"]);
    let shown = server.command(&["voters", "tone", "--limit", "2"]).output().unwrap();
    let shown = String::from_utf8([shown.stdout, shown.stderr].concat()).unwrap();
    insta::assert_snapshot!("voters", sides(&shown));
    let json: Value = serde_json::from_str(&server.run(&[
        "void",
        "tone",
        "--voter",
        "troll",
        "--dry-run",
        "--format",
        "json",
    ]))
    .unwrap();
    assert_eq!((&json["found"], &json["after"]["leader"]), (&json!(25), &json!("a")), "{json}");
    run(&mut story, &["void", "tone", "--voter", "troll"]);
    insta::assert_snapshot!("voters_void", story.text());
}

#[test]
fn trace_apprentice() {
    let server = Server::new(&[]);
    let mut story = Transcript::default();
    let run = |story: &mut Transcript, arguments: &[&str]| story.run(&mut server.command(arguments));
    let new = ["--arm", "a", "--arm", "b", "--policy", "random", "--set", "stop=pause"];
    server.run(&[&["new", "tone"][..], &new].concat());
    run(&mut story, &["apprentice", "tone", "show"]);
    run(&mut story, &["apprentice", "tone", "take-over"]);
    run(&mut story, &["apprentice", "tone", "begin", "wsw"]);
    run(&mut story, &["apprentice", "tone", "begin", "rex3"]);
    run(&mut story, &["apprentice", "tone", "begin", "vdb"]);
    run(&mut story, &["apprentice", "tone", "dismiss"]);
    run(&mut story, &["apprentice", "tone", "begin", "rex3:gamma=0.1"]);
    run(&mut story, &["apprentice", "tone", "show"]);
    let json: Value =
        serde_json::from_str(&server.run(&["apprentice", "tone", "show", "--format", "json"])).unwrap();
    assert_eq!(json["lessons"], 0);
    run(&mut story, &["apprentice", "tone", "take-over"]);
    insta::assert_snapshot!("apprentice", story.text());

    // Enough for a verdict, which pauses the experiment.
    vote(&server, "tone", 40, "u", "null", |_, left, _| side("a", left));
    let mut watch = server.command(&["watch", "tone", "--from", "start"]);
    let mut watch = watch.stdout(Stdio::piped()).spawn().unwrap();
    let printed = take(&lines(&mut watch), 5 + 40 + 40 + 1);
    signal("INT", &watch);
    assert_eq!(watch.wait().unwrap().code(), Some(0));
    let told: Vec<&str> = printed
        .iter()
        .map(String::as_str)
        .filter(|line| line.contains("  apprentice  ") || line.contains("  status  "))
        .collect();
    // The position is not checked: it depends on the rules of the verdict.
    let [apprentices @ .., status] = &told[..] else { panic!("{printed:?}") };
    assert!(status.ends_with("paused, because there is a verdict"), "{status}");
    insta::assert_snapshot!("apprentice_events", steady(&apprentices.join("\n")));
}

/// Uses a fake server with fixed answers.
#[test]
fn trace_evaluate() {
    let id = "0000000000001";
    let found = answer("200 OK", "", &json!({ "id": id }).to_string());
    let evaluation = json!({
        "target": "rucb", "against": "arm:b", "words": "rucb would have won more than it lost against b.",
        "confidence": 0.95, "duels": 1200, "unusable": 30, "effective_sample_size": 800.4,
        "largest_weight": 3.25, "support": 0.9975,
        "estimates": [
            { "method": "ips", "exact": true, "value": 0.25, "low": 0.125, "high": 0.375 },
            { "method": "dr", "exact": false, "value": 0.2, "low": -0.0625, "high": 0.5 },
        ],
    });
    let evaluated = answer("200 OK", "", &evaluation.to_string());
    let mut story = Transcript::default();
    for words in [&[][..], &["--format", "json"]] {
        let (url, thread) = answers(&[&found, &evaluated]);
        let arguments = [&["evaluate", id, "--policy", "rucb", "--against", "b"], words].concat();
        story.run(tiltyard(&arguments).env("TILTYARD_SERVER", url));
        assert_eq!(thread.join().unwrap(), 2);
    }
    insta::assert_snapshot!("evaluate", story.text());
}

/// The slots of the arms are random, and so are the numbers, but their meaning is not.
#[test]
fn trace_evaluate_live_traffic() {
    let server = Server::new(&[]);
    let mut story = Transcript::default();
    let run = |story: &mut Transcript, arguments: &[&str]| story.run(&mut server.command(arguments));
    server.run(&["new", "tone", "--arm", "a", "--arm", "policy", "--policy", "random"]);
    run(&mut story, &["evaluate", "tone", "--arm", "a"]);
    vote(&server, "tone", 1000, "u", "null", |_, left, _| side("a", left));
    run(&mut story, &["evaluate", "tone", "--arm", "b"]);
    run(&mut story, &["evaluate", "tone", "--arm", "a", "--against", "b"]);
    run(&mut story, &["evaluate", "tone", "--policy", "rex4"]);
    insta::assert_snapshot!("evaluate_refused", story.text());

    for (target, against, words) in [
        (["--arm", "a"], "uniform", "a would have won more than it lost against an arm drawn at random."),
        (["--arm", "policy"], "a", "policy would have lost more than it won against a."),
        (["--arm", "a"], "arm:policy", "a would have won more than it lost against policy."),
        (
            ["--policy", "rex3"],
            "uniform",
            "rex3 would have won more than it lost against an arm drawn at random.",
        ),
    ] {
        let shown = server.run(&[&["evaluate", "tone", "--against", against], &target[..]].concat());
        assert_eq!(shown.lines().next(), Some(words), "{shown}");
        assert!(shown.contains("\nvotes used: 1000; "), "{shown}");
    }
    let json: Value =
        serde_json::from_str(&server.run(&["evaluate", "tone", "--arm", "a", "--format", "json"])).unwrap();
    assert_eq!(json["against"], "policy");
}
