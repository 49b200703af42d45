//! `tiltyard watch`: where it begins, how it continues, and how it ends.

use std::process::{Child, Stdio};

use serde_json::Value;

use super::live::{Server, lines, signal, take};

fn watch(server: &Server, arguments: &[&str]) -> Child {
    let mut command = server.command(&[&["watch", "x"], arguments].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn seqs(lines: &[String]) -> Vec<u64> {
    lines.iter().map(|line| serde_json::from_str::<Value>(line).unwrap()["seq"].as_u64().unwrap()).collect()
}

#[test]
fn trace_where_a_watch_begins() {
    let server = Server::new(&[]);
    server.run(&["new", "x", "--arm", "a", "--arm", "b"]);
    server.run(&["duel", "x", "--count", "3"]);
    let mut watches = ["start", "2", "now"].map(|from| watch(&server, &["--from", from, "--format", "json"]));
    let printed = watches.each_mut().map(lines);
    assert_eq!(seqs(&take(&printed[0], 4)), [1, 2, 3, 4]);
    assert_eq!(seqs(&take(&printed[1], 2)), [3, 4]);
    // `now` prints nothing until something happens. Its stream may have opened late, so one event
    // may not be enough.
    let mut next = 0;
    for _ in 0..100 {
        server.run(&["duel", "x"]);
        if let Ok(line) = printed[2].recv_timeout(std::time::Duration::from_millis(100)) {
            next = seqs(&[line])[0];
            break;
        }
    }
    assert!(next >= 5, "{next}");
    for mut watch in watches {
        signal("TERM", &watch);
        assert_eq!(watch.wait().unwrap().code(), Some(0));
    }
}

/// The watch ends when its reader goes away, even if nothing happens.
#[test]
fn trace_a_watch_ends_with_its_reader() {
    let server = Server::new(&[]);
    server.run(&["new", "x", "--arm", "a", "--arm", "b"]);
    let mut watch = watch(&server, &["--from", "start"]);
    let mut stdout = watch.stdout.take().unwrap();
    let mut first = [0; 1];
    std::io::Read::read_exact(&mut stdout, &mut first).unwrap();
    drop(stdout);
    let output = watch.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(0), String::new()));
}

/// The server stops and starts again on its port: no event is missed or printed twice.
#[test]
fn trace_a_watch_goes_on_where_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let first = Server::start(&["--listen", "127.0.0.1:0", "--data", "data"], directory.path(), |_| {});
    first.run(&["new", "x", "--arm", "a", "--arm", "b"]);
    let mut watch = watch(&first, &["--from", "start", "--format", "json"]);
    let printed = lines(&mut watch);
    assert_eq!(seqs(&take(&printed, 1)), [1]);
    let (address, key) = (first.url.trim_start_matches("http://").to_owned(), first.key.clone());
    assert_eq!(first.stop().0, Some(0));
    let mut second = Server::start(&["--listen", &address, "--data", "data"], directory.path(), |_| {});
    assert_eq!(second.key, None);
    second.key = key;
    second.run(&["duel", "x", "--count", "2"]);
    assert_eq!(seqs(&take(&printed, 2)), [2, 3]);
    signal("INT", &watch);
    let output = watch.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(said.starts_with("the stream ended; continuing after position 1 in 0.5 s\n"), "{said}");
}
