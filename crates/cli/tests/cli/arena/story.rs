//! A whole experiment, from its creation to its end.

use std::process::Stdio;

use super::live::{Server, Transcript, lines, signal, steady, take};

/// Gets duels, each with the answer that lets `a` win.
fn duel(server: &Server, experiment: &str, arguments: &[&str]) -> Vec<(String, &'static str)> {
    let printed = server.run(&[&["duel", experiment], arguments].concat());
    let one = |line: &str| match line.split('\t').collect::<Vec<_>>()[..] {
        [id, "a", "b"] => (id.to_owned(), "left"),
        [id, "b", "a"] => (id.to_owned(), "right"),
        _ => panic!("not a duel of a and b: {line}"),
    };
    printed.lines().map(one).collect()
}

/// Puts `a` on the left, because the sides are random.
fn one_way_round(text: &str) -> String {
    text.replace("(b | a): right", "(a | b): left")
        .replace("(b | a): left", "(a | b): right")
        .replace("b | a", "a | b")
        .replace("score -0.5", "score 0.5")
}

#[test]
fn trace_a_story() {
    let server = Server::new(&[]);
    let mut story = Transcript::default();
    let run = |story: &mut Transcript, arguments: &[&str]| story.run(&mut server.command(arguments));
    run(&mut story, &["experiment", "list"]);
    run(&mut story, &["new", "headline", "--arm", "a", "--arm", "b", "--set", "expires_after=1e4"]);

    // The same request gets the same duel.
    let first = duel(&server, "headline", &["--client-id", "page 1"]);
    assert_eq!(duel(&server, "headline", &["--client-id", "page 1"]), first);
    let (id, a) = &first[0];
    let b = if *a == "left" { "right" } else { "left" };
    let vote =
        |answer: &str, voter: &str| server.command(&["vote", id, answer, "--voter", voter]).output().unwrap();
    assert_eq!(vote(a, "u1").stdout, b"recorded\n");
    assert_eq!(vote(a, "u1").stdout, b"already\n");
    let other = vote(b, "u1");
    assert_eq!(other.status.code(), Some(2));
    let said = String::from_utf8(other.stderr).unwrap();
    assert_eq!(said, "error: the duel has another answer already (outcome_contradicts)\n");

    let more =
        duel(&server, "headline", &["--count", "4", "--context", r#"{"page": 2}"#, "--distinct", "true"]);
    let half = if more[3].1 == "left" { "0.5" } else { "-0.5" };
    for ((id, _), answer) in more.iter().zip(["tie", "both_bad", "skip", half]) {
        assert_eq!(server.run(&["vote", id, answer, "--voter", "u2"]), "recorded");
    }

    run(&mut story, &["arm", "add", "headline", "c"]);
    run(&mut story, &["arm", "retire", "headline", "c"]);
    run(&mut story, &["arm", "retire", "headline", "c"]);
    run(&mut story, &["arm", "restore", "headline", "c"]);
    run(&mut story, &["arm", "retire", "headline", "c", "a"]);
    run(&mut story, &["experiment", "show", "headline"]);

    run(&mut story, &["void", "headline", "--voter", "u2", "--since", "1h", "--dry-run"]);
    run(&mut story, &["void", "headline", "--voter", "u2", "--since", "2100-01-01T00:00:00Z"]);
    run(&mut story, &["void", "headline", "--voter", "u2"]);
    run(&mut story, &["void", "headline", "--voter", "u2", "--dry-run"]);
    run(&mut story, &["void", id]);
    run(&mut story, &["void", id]);
    run(&mut story, &["experiment", "pause", "headline"]);
    run(&mut story, &["duel", "headline"]);
    run(&mut story, &["experiment", "resume", "headline"]);
    run(&mut story, &["experiment", "close", "headline"]);
    run(&mut story, &["vote", id, "tie"]);
    run(&mut story, &["experiment", "resume", "headline"]);
    run(&mut story, &["experiment", "list"]);
    insta::assert_snapshot!("story", story.text());

    let n_events: usize = 1 + 5 + 5 + 4 + 4 + 3;
    let mut watch = server.command(&["watch", "headline", "--from", "start"]);
    let mut watch = watch.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let printed = lines(&mut watch);
    let events = take(&printed, n_events).join("\n");
    signal("INT", &watch);
    let output = watch.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(0), String::new()));
    insta::assert_snapshot!("events", steady(&one_way_round(&events)));
}

#[test]
fn trace_keys() {
    let server = Server::new(&[]);
    let mut story = Transcript::default();
    let id = server.run(&["new", "headline", "--arm", "a", "--arm", "b"]);
    story.run(&mut server.command(&[
        "key",
        "new",
        "--scope",
        "voter",
        "--experiment",
        "headline",
        "--label",
        "page",
    ]));
    story.run(&mut server.command(&["key", "new", "--scope", "reader", "--expires", "30d"]));
    let keys: serde_json::Value =
        serde_json::from_str(&server.run(&["key", "list", "--format", "json"])).unwrap();
    assert_eq!(keys["keys"].as_array().unwrap().len(), 3);

    let made: serde_json::Value = serde_json::from_str(&server.run(&[
        "key",
        "new",
        "--scope",
        "voter",
        "--experiment",
        &id,
        "--format",
        "json",
    ]))
    .unwrap();
    let [key, secret] = ["id", "key"].map(|field| made[field].as_str().unwrap());
    let voter = |arguments: &[&str]| {
        let mut command = server.command(arguments);
        command.env("TILTYARD_KEY", secret);
        command
    };
    // A voter's key cannot look up names.
    let issued = voter(&["duel", &id]).output().unwrap();
    assert!(issued.status.success());
    story.run(&mut voter(&["duel", "headline"]));
    story.run(&mut voter(&["experiment", "pause", &id]));
    story.run(&mut voter(&["key", "list"]));
    // A file works like the environment, and overrides it.
    let (_directory, path) = crate::file("key", format!("{secret}\n").as_bytes());
    let path = path.display().to_string();
    assert!(server.command(&["duel", &id, "--key-file", &path]).output().unwrap().status.success());
    assert!(!server.command(&["key", "list", "--key-file", &path]).output().unwrap().status.success());
    let mut from_file = server.command(&["duel", &id]);
    assert!(
        from_file
            .env_remove("TILTYARD_KEY")
            .env("TILTYARD_KEY_FILE", &path)
            .output()
            .unwrap()
            .status
            .success()
    );

    story.run(&mut server.command(&["key", "revoke", key]));
    story.run(&mut server.command(&["key", "revoke", key]));
    story.run(&mut voter(&["duel", &id]));
    story.run(server.command(&["duel", &id]).env_remove("TILTYARD_KEY"));
    insta::assert_snapshot!("keys", story.text());
}

#[test]
fn trace_a_person_votes() {
    use std::io::Write as _;

    let server = Server::new(&[]);
    let (_directory, path) = crate::file(
        "arms.json",
        br#"[{"name": "a", "label": "Short"}, {"name": "b", "label": "Long", "payload": {"x": 1}}]"#,
    );
    server.run(&["new", "headline", "--arms-file", &path.display().to_string()]);
    let mut vote = server.command(&["vote", "headline", "--voter", "me"]);
    let mut vote = vote.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    vote.stdin.take().unwrap().write_all(b"t\nwhat?\nB\ns\nq\nt\n").unwrap();
    let output = vote.wait_with_output().unwrap();
    let asked = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    insta::assert_snapshot!("asked", asked.replace("[l] Long\n  [r] Short", "[l] Short\n  [r] Long"));

    let show: serde_json::Value =
        serde_json::from_str(&server.run(&["experiment", "show", "headline", "--format", "json"])).unwrap();
    let totals = &show["standing"]["totals"];
    let counts =
        ["duels", "in_flight", "votes", "ties", "both_bad", "skipped"].map(|name| totals[name].as_u64());
    assert_eq!(counts, [4, 0, 2, 1, 1, 2].map(Some));
    assert_eq!(show["experiment"]["name"], "headline");
    let mut table = Transcript::default();
    table.run(&mut server.command(&["experiment", "show", "headline"]));
    insta::assert_snapshot!("show_labels", table.text());
}

#[test]
fn trace_experiments_have_ids_and_names() {
    let server = Server::new(&[]);
    let one = server.run(&["new", "twin", "--arm", "a", "--arm", "b", "--policy", "rucb"]);
    let mut story = Transcript::default();
    story.run(&mut server.command(&["experiment", "pause", "twin"]));
    server.run(&["new", "twin", "--arm", "a", "--arm", "b"]);
    // A name that could be an id, and one that must be encoded in an address.
    let odd = "0123456789abc";
    let names = [odd, "50% off & more/less?"];
    for name in names {
        server.run(&["new", name, "--arm", "a", "--arm", "b"]);
        server.run(&["arm", "add", name, "c d/e%"]);
        server.run(&["arm", "retire", name, "c d/e%"]);
    }
    server.run(&["experiment", "resume", &one]);
    let twins = server.command(&["experiment", "pause", "twin"]).output().unwrap();
    assert_eq!(twins.status.code(), Some(2));
    let said = steady(&String::from_utf8(twins.stderr).unwrap());
    // Ids are random, and so is their order.
    assert!(said.starts_with("error: 2 experiments are called `twin`\n\nhint: use the id of one of them: [ID 1]: running, created [TIME]; [ID 2]: running, created [TIME]"), "{said}");
    story.run(&mut server.command(&["experiment", "show", "nothing"]));
    story.run(&mut server.command(&["arm", "add", &one, "c"]));
    insta::assert_snapshot!("names", story.text());
}

/// More arms than fit on a page of the API.
#[test]
fn trace_many_arms() {
    let server = Server::new(&[]);
    let names: Vec<String> = (0..2500).map(|i| format!("arm {i}\n")).collect();
    let (_directory, path) = crate::file("arms.txt", names.concat().as_bytes());
    server.run(&["new", "many", "--arms-file", &path.display().to_string()]);
    server.run(&["arm", "retire", "many", "arm 2499"]);
    let table = server.run(&["experiment", "show", "many"]);
    assert_eq!(table.lines().filter(|line| line.starts_with("arm ")).count(), 1 + 2500);
    assert!(table.ends_with("retired"), "{table}");
    let show: serde_json::Value =
        serde_json::from_str(&server.run(&["experiment", "show", "many", "--format", "json"])).unwrap();
    let arms = show["standing"]["arms"].as_array().unwrap();
    assert!(arms.iter().enumerate().all(|(i, arm)| arm["index"] == i) && arms.len() == 2500);
    assert_eq!(show["standing"].get("arms_next"), None);
    let mut watch = server.command(&["watch", "many", "--from", "start"]);
    let mut watch = watch.stdout(Stdio::piped()).spawn().unwrap();
    let events = take(&lines(&mut watch), 2);
    assert!(events[0].ends_with("arm 6, arm 7 and 2492 more, with rex3"), "{events:?}");
    assert!(events[1].ends_with("arm_retired   arm 2499"), "{events:?}");
    signal("INT", &watch);
    assert_eq!(watch.wait().unwrap().code(), Some(0));
}
