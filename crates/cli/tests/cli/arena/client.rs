//! What the client does if the server is missing or busy, or is not a Tiltyard server.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread::JoinHandle;

use super::live::Transcript;
use crate::tiltyard;

/// A server that answers one connection after the other with these texts and then ends. The thread
/// returns the number of connections.
pub(super) fn answers(texts: &[&str]) -> (String, JoinHandle<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
    let thread = std::thread::spawn(move || {
        for text in &texts {
            let (mut stream, _) = listener.accept().unwrap();
            // A request may come in several parts. All of it must be read before the answer is
            // sent.
            let mut request = Vec::new();
            let mut part = [0; 4096];
            while !whole(&request) {
                match stream.read(&mut part).unwrap() {
                    0 => break,
                    n => request.extend_from_slice(&part[..n]),
                }
            }
            stream.write_all(text.as_bytes()).unwrap();
        }
        texts.len()
    });
    (url, thread)
}

/// Whether the head and the body of a request are complete.
fn whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    body.len() >= length.unwrap_or(0)
}

pub(super) fn answer(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len())
}

fn problem(status: &str, code: &str, retry_after: &str) -> String {
    let body = format!(r#"{{"code": "{code}", "detail": "told so", "retry_after": {retry_after}}}"#);
    answer(status, "Content-Type: application/problem+json\r\n", &body)
}

#[test]
fn trace_no_server() {
    // A port that was free a moment ago.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let mut story = Transcript::default();
    story.run(tiltyard(&["experiment", "list"]).env("TILTYARD_SERVER", url));
    insta::assert_snapshot!("no_server", story.text());
}

#[test]
fn trace_a_busy_server_is_asked_again() {
    let busy = problem("503 Service Unavailable", "overloaded", "0");
    let unknown = problem("503 Service Unavailable", "timed_out", "0");
    let limited = problem("429 Too Many Requests", "voter_limit", "null");
    let long = problem("429 Too Many Requests", "rate_limited", "3600");
    let empty = answer("200 OK", "", r#"{"keys": []}"#);
    let made = answer("201 Created", "", r#"{"id": "x"}"#);
    let new = &["new", "x", "--arm", "a", "--arm", "b"][..];
    let list = &["key", "list"][..];
    let mut story = Transcript::default();
    for (arguments, texts) in [
        (list, vec![&busy, &unknown, &empty]),
        // The number of attempts is limited.
        (list, vec![&busy; 4]),
        // Nothing was done, so a second attempt is safe.
        (new, vec![&busy, &made]),
        // The server may have carried out the request, so there is no second attempt.
        (new, vec![&unknown]),
        // Another attempt would never help, or only after a long time.
        (list, vec![&limited]),
        (list, vec![&long]),
    ] {
        let texts: Vec<&str> = texts.into_iter().map(String::as_str).collect();
        let (url, thread) = answers(&texts);
        story.run(tiltyard(arguments).env("TILTYARD_SERVER", url));
        assert_eq!(thread.join().unwrap(), texts.len());
    }
    insta::assert_snapshot!("busy", story.text());
}

/// A flag overrides the environment.
#[test]
fn trace_where_the_server_is() {
    let empty = answer("200 OK", "", r#"{"keys": []}"#);
    let (url, thread) = answers(&[&empty]);
    let mut list = tiltyard(&["key", "list", "--server", &format!("{url}/")]);
    assert!(list.env("TILTYARD_SERVER", "http://127.0.0.1:1").output().unwrap().status.success());
    assert_eq!(thread.join().unwrap(), 1);
}

#[test]
fn trace_a_broken_connection() {
    let empty = answer("200 OK", "", r#"{"keys": []}"#);
    let list = &["key", "list", "--quiet"][..];
    let (url, thread) = answers(&["", &empty]);
    assert!(tiltyard(list).env("TILTYARD_SERVER", url).output().unwrap().status.success());
    assert_eq!(thread.join().unwrap(), 2);
    // An experiment that may have been created is not created again.
    let (url, thread) = answers(&[""]);
    let mut story = Transcript::default();
    story.run(tiltyard(&["new", "x", "--arm", "a", "--arm", "b"]).env("TILTYARD_SERVER", url));
    assert_eq!(thread.join().unwrap(), 1);
    insta::assert_snapshot!("broken_connection", story.text());
}

#[test]
fn trace_something_else() {
    let mut story = Transcript::default();
    for text in [
        answer("200 OK", "", "<html>"),
        answer("404 Not Found", "", "<html>"),
        // A redirect is not followed, so the key stays with this server.
        answer("302 Found", "Location: http://127.0.0.1:1/\r\n", ""),
        answer("200 OK", "", r#"{"key": 1}"#),
        // Text from a server must not control the terminal.
        problem("400 Bad Request", "bad\\u001b[2J", "null"),
    ] {
        let (url, thread) = answers(&[&text]);
        story.run(tiltyard(&["key", "list"]).env("TILTYARD_SERVER", url));
        assert_eq!(thread.join().unwrap(), 1);
    }
    insta::assert_snapshot!("something_else", story.text());
}
