//! What each command refuses, with and without a server.

use super::live::{Server, Transcript};
use crate::{file, tiltyard};

#[test]
fn trace_what_is_refused_without_a_server() {
    let mut refused = Transcript::default();
    let duel = "0000000000001-2-0000000000003";
    for arguments in [
        &["new"][..],
        &["new", "x"],
        &["new", "x", "--arm", "a"],
        &["new", "x", "--arm", "a", "--arm", "b", "--set", "late"],
        &["new", "x", "--arm", "a", "--arm", "b", "--set", "late=accept", "--set", "late=refuse"],
        &["new", "x", "--arms-file", "no-such-file"],
        &["arm", "add", "x"],
        &["arm", "retire", "x"],
        &["duel", "x", "--count", "0"],
        &["duel", "x", "--context", "{"],
        &["duel", "x", "--distinct", "perhaps"],
        &["vote", duel],
        &["vote", duel, "2"],
        &["vote", "x", "left"],
        &["watch", "x", "--from", "yesterday"],
        &["void", "x"],
        &["void", duel, "--voter", "u"],
        &["void", duel, "--dry-run"],
        &["void", "x", "--voter", "u", "--since", "yesterday"],
        &["segments", "x", "--value", "fr"],
        &["segments", "x", "--key", "language", "--until", "tomorrow"],
        &["voters", "x", "--limit", "0"],
        &["apprentice", "x"],
        &["apprentice", "x", "begin"],
        &["evaluate", "x"],
        &["evaluate", "x", "--policy", "rex3", "--arm", "a"],
        &["key", "new", "--scope", "king"],
        &["key", "new", "--scope", "reader", "--expires", "soon"],
        &["key", "revoke", "mine"],
        &["experiment", "list", "--server", "https://arena.example.org"],
        &["experiment", "list", "--server", "arena.example.org"],
        &["experiment", "list", "--server", "http://127.0.0.1:7474/?key=1"],
        &["experiment", "list", "--key-file", "no-such-file"],
    ] {
        refused.run(&mut tiltyard(arguments));
    }
    insta::assert_snapshot!("refused_at_once", refused.text());
}

#[test]
fn trace_keys_are_not_repeated() {
    let secret = "tiltyard_0000000000001_5ec4e7";
    let (_directory, path) = file("key", b"two words\n");
    let mut refused = Transcript::default();
    refused.run(tiltyard(&["key", "list"]).env("TILTYARD_KEY", "two words"));
    refused.run(tiltyard(&["key", "list"]).env("TILTYARD_KEY", " "));
    refused.run(tiltyard(&["key", "list"]).env("TILTYARD_KEY_FILE", &path));
    let output = tiltyard(&["key", "revoke", secret]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("5ec4e7"));
    refused.run(tiltyard(&["key", "list"]).env("TILTYARD_SERVER", "http://me:5ec4e7@127.0.0.1:7474"));
    assert!(!refused.text().contains("5ec4e7"));
    insta::assert_snapshot!("bad_keys", refused.text());
}

#[test]
fn trace_arms_files() {
    let mut refused = Transcript::default();
    for (name, text) in [
        ("one.txt", "a\n"),
        ("broken.json", "[\"a\","),
        ("numbers.json", "[\"a\", 1]"),
        ("misspelt.json", r#"["a", {"name": "b", "lable": "B"}]"#),
    ] {
        let (_directory, path) = file(name, text.as_bytes());
        refused.run(&mut tiltyard(&["new", "x", "--arms-file", &path.display().to_string()]));
    }
    insta::assert_snapshot!("bad_arms_files", refused.text());
}

#[test]
fn trace_what_a_server_refuses() {
    let server = Server::new(&["--max-body-bytes", "1024"]);
    let id = server.run(&["new", "x", "--arm", "a", "--arm", "b"]);
    let no_duel = "0000000000001-2-0000000000003";
    let many = "a".repeat(2000);
    let mut refused = Transcript::default();
    for arguments in [
        &["new", " ", "--arm", "a", "--arm", "b"][..],
        &["new", "y", "--arm", "a", "--arm", "a"],
        &["new", "y", "--arm", "a", "--arm", "b", "--policy", "wsw"],
        &["new", "y", "--arm", "a", "--arm", "b", "--policy", "rex4"],
        &["new", "y", "--arm", "a", "--arm", "b", "--policy", "random", "--set", "distinct=yes"],
        &["new", "y", "--arm", "a", "--arm", "b", "--set", "holdouts=0.1"],
        &["new", "y", "--arm", "a", "--arm", "b", "--set", "holdout=2"],
        &["new", "y", "--arm", "a", "--arm", "b", "--set", "expires_after=0"],
        &["arm", "add", "x", "a"],
        &["arm", "retire", "x", "z"],
        &["arm", "retire", "x", "a"],
        &["duel", "x", "--count", "1001"],
        &["duel", "x", "--client-id", ""],
        &["vote", no_duel, "left"],
        &["void", no_duel],
        &["void", "nothing", "--voter", "u"],
        &["watch", "nothing"],
        &["key", "new", "--scope", "voter"],
        &["key", "new", "--scope", "admin", "--experiment", &id],
        &["key", "new", "--scope", "reader", "--label", ""],
        &["key", "revoke", "0000000000001"],
    ] {
        refused.run(&mut server.command(arguments));
    }
    insta::assert_snapshot!("refused_by_the_server", refused.text());

    let large = server.command(&["duel", "x", "--client-id", &many]).output().unwrap();
    let said = String::from_utf8(large.stderr).unwrap();
    assert!(
        said.starts_with("error: the body is larger than 1024 bytes (body_too_large)\n\nhint: "),
        "{said}"
    );
    assert_eq!(large.status.code(), Some(2));
}
