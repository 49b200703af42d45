//! The stream of live events.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::connect;
use crate::server::{Server, text};

/// A reader of server-sent events.
struct Watcher(BufReader<TcpStream>);

impl Watcher {
    fn open(server: &Server, path: &str, header: &str) -> Self {
        let mut stream = connect(server.address).unwrap();
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n{header}\r\n",
            server.admin
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut watcher = Self(BufReader::new(stream));
        assert!(watcher.line().unwrap().starts_with("HTTP/1.1 200"));
        let mut head = Vec::new();
        while let Some(line) = watcher.line().filter(|line| !line.is_empty()) {
            head.push(line.to_ascii_lowercase());
        }
        assert!(head.contains(&"content-type: text/event-stream".to_owned()), "{head:?}");
        watcher
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.0.read_line(&mut line).unwrap();
        (read > 0).then(|| line.trim_end().to_owned())
    }

    /// The next event: its id, its type and its data. None if the stream has ended.
    fn next(&mut self) -> Option<(u64, String, Value)> {
        let (mut id, mut kind) = (None, None);
        loop {
            let line = self.line()?;
            // Between the events are the lengths of chunks; the last chunk has length zero.
            if line == "0" {
                return None;
            } else if let Some(text) = line.strip_prefix("id: ") {
                id = Some(text.parse().unwrap());
            } else if let Some(text) = line.strip_prefix("event: ") {
                kind = Some(text.to_owned());
            } else if let Some(data) = line.strip_prefix("data: ") {
                return Some((id?, kind?, serde_json::from_str(data).unwrap()));
            }
        }
    }
}

#[test]
fn trace_a_stream_tells_what_happens_and_goes_on_where_it_was() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment();
    let path = format!("/v1/experiments/{id}/events");
    // By default, a stream starts at the end of the log.
    let mut now = Watcher::open(&server, &path, "");
    let mut whole = Watcher::open(&server, &format!("{path}?after=0"), "");
    let duel = server.duel(&id);
    client.post(&format!("/v1/duels/{duel}/outcome"), &json!({ "outcome": "left" })).expect(200);
    let kinds = |watcher: &mut Watcher, n: usize| -> Vec<(u64, String)> {
        (0..n).map(|_| watcher.next().map(|(id, kind, _)| (id, kind)).unwrap()).collect()
    };
    let duel_and_answer = [(2, "duel".to_owned()), (3, "answered".to_owned())];
    assert_eq!(kinds(&mut now, 2), duel_and_answer);
    assert_eq!(kinds(&mut whole, 3)[1..], duel_and_answer);
    drop(now);
    server.duels(&id, 3);
    // The header takes precedence; a browser sends it when it reconnects.
    let mut back = Watcher::open(&server, &format!("{path}?after=0"), "Last-Event-ID: 3\r\n");
    let rest: Vec<_> = (0..3).map(|_| back.next().unwrap()).collect();
    assert_eq!(rest.iter().map(|event| event.0).collect::<Vec<_>>(), [4, 5, 6]);
    // The data is the same as in the history.
    let history = client.get(&format!("/v1/experiments/{id}/history?after=3")).expect(200);
    assert_eq!(json!(rest.iter().map(|event| &event.2).collect::<Vec<_>>()), history["events"]);
    client.get(&format!("{path}?after=x")).refused(422, "invalid");
    client.get("/v1/experiments/0000000000001/events").refused(404, "no_experiment");
}

#[test]
fn trace_streams_end_when_the_server_stops() {
    let mut server = Server::start();
    let id = server.experiment();
    let mut watcher = Watcher::open(&server, &format!("/v1/experiments/{id}/events?after=0"), "");
    assert_eq!(watcher.next().unwrap().1, "created");
    server.ask_to_stop();
    assert_eq!(watcher.next(), None);
    drop(server.stop());
}

#[test]
fn trace_streams_are_limited_and_given_back() {
    let server = Server::configured(|config| config.max_streams = 2);
    let id = server.experiment();
    let path = format!("/v1/experiments/{id}/events?after=0");
    let mut both = [(); 2].map(|()| Watcher::open(&server, &path, ""));
    for watcher in &mut both {
        watcher.next().unwrap();
    }
    server.client().get(&path).refused(503, "overloaded");
    // Streams do not block other requests.
    server.duels(&id, 10);
    drop(both);
    // The server notices that a reader has gone when it sends something.
    let mut opened = None;
    for _ in 0..100 {
        server.duel(&id);
        let mut stream = connect(server.address).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).unwrap();
        if &status == b"HTTP/1.1 200" {
            opened = Some(stream);
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(opened.is_some(), "a stream whose reader has gone is still counted");
}

/// A reader that reads nothing misses nothing, blocks nobody, and is disconnected in the end.
#[test]
fn trace_a_slow_reader_holds_up_nobody() {
    let server = Server::configured(|config| config.read_timeout = Duration::from_millis(500));
    let client = server.client();
    let id = server.experiment();
    let path = format!("/v1/experiments/{id}/events?after=0");
    let mut slow = connect(server.address).unwrap();
    slow.write_all(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).unwrap();
    // 400 duels with 15 KB of context each: more than the buffers of sockets hold.
    for _ in 0..8 {
        let body = json!({ "count": 50, "context": "x".repeat(15_000) });
        client.post(&format!("/v1/experiments/{id}/duels"), &body).expect(200);
    }
    let mut quick = Watcher::open(&server, &path, "");
    for place in 1..=401 {
        assert_eq!(quick.next().unwrap().0, place);
    }
    // The slow reader was disconnected: the data in its socket ends early.
    let mut ended = false;
    for _ in 0..300 {
        std::thread::sleep(Duration::from_millis(20));
        let text = client.get("/metrics").text();
        // Only this request and the quick reader are connected.
        ended = text.contains("\ntiltyard_connections 2\n");
        if ended {
            break;
        }
    }
    assert!(ended, "a reader that reads nothing is never disconnected");
    let mut found = Vec::new();
    let _ = slow.read_to_end(&mut found);
    assert!(found.len() < 400 * 15_000);
    // The reader reconnects and continues.
    let last = String::from_utf8_lossy(&found)
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("id: ")?.parse::<u64>().ok());
    let mut back = Watcher::open(&server, &path, &format!("Last-Event-ID: {}\r\n", last.unwrap()));
    assert_eq!(back.next().unwrap().0, last.unwrap() + 1);
    assert_eq!(text(&client.get("/healthz").expect(200)["status"]), "ok");
}
