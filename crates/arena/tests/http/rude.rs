//! Clients that are slow, go silent or send nonsense do not block others.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use serde_json::json;

use crate::client::{Reply, connect};
use crate::server::Server;

const POST: &str = "POST /v1/experiments HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

/// The server serves others while incomplete requests hold many more connections than it handles
/// requests at once.
#[test]
fn trace_half_requests_take_nobodys_turn() {
    let server = Server::configured(|config| {
        config.max_requests = 4;
        config.max_connections = 200;
        config.read_timeout = Duration::from_secs(30);
    });
    let id = server.experiment();
    let halves = [
        String::new(),
        "G".to_owned(),
        "GET /v1/experi".to_owned(),
        "GET /v1/experiments HTTP/1.1\r\nHost: local".to_owned(),
        format!("{POST}Content-Length: 100\r\n\r\n"),
        format!("{POST}Content-Length: 100\r\n\r\n{{\"name\":"),
        format!("{POST}Transfer-Encoding: chunked\r\n\r\n5\r\n{{\"na"),
        format!("POST /v1/experiments/{id}/duels HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n"),
        // Sends requests and never reads the responses.
        "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(50),
    ];
    let mut held: Vec<TcpStream> = Vec::new();
    for half in halves.iter().cycle().take(90) {
        let mut stream = connect(server.address).unwrap();
        stream.write_all(half.as_bytes()).unwrap();
        held.push(stream);
    }
    for _ in 0..20 {
        let duel = server.duel(&id);
        server.client().post(&format!("/v1/duels/{duel}/outcome"), &json!({ "outcome": "left" })).expect(200);
    }
    assert_eq!(server.totals(&id)["votes"], 20);
    drop(held);
    server.duel(&id);
}

/// Silent connections are closed, and their places become free again.
#[test]
fn trace_silent_connections_are_ended() {
    let server = Server::configured(|config| {
        config.max_connections = 8;
        config.read_timeout = Duration::from_millis(200);
    });
    let requests = ["", "GET /healthz HTTP/1.1\r\n", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"];
    for round in 0..4 {
        let mut held = Vec::new();
        for request in requests.iter().cycle().take(8) {
            let mut stream = connect(server.address).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            held.push(stream);
        }
        // All places are taken; this request waits until some are free.
        assert_eq!(server.client().get("/healthz").status, 200, "round {round}");
        for mut stream in held {
            // The server closes the connection, so reading ends.
            let mut bytes = Vec::new();
            let _ = stream.read_to_end(&mut bytes);
        }
    }
}

/// Clients that never read a long response are disconnected.
#[test]
fn trace_those_who_never_read_are_let_go() {
    let server = Server::configured(|config| {
        config.max_connections = 2;
        config.read_timeout = Duration::from_millis(300);
    });
    for _ in 0..2 {
        let mut held = Vec::new();
        for _ in 0..2 {
            let mut stream = connect(server.address).unwrap();
            stream.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
            // Megabytes of responses, more than the buffers of sockets hold.
            let request = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(500);
            let _ = stream.write_all(request.as_bytes());
            held.push(stream);
        }
        assert_eq!(server.client().get("/healthz").status, 200);
    }
}

#[test]
fn trace_nonsense_is_refused_and_harms_nobody() {
    let server = Server::start();
    let id = server.experiment();
    let many = "X: y\r\n".repeat(200);
    let cases: Vec<Vec<u8>> = vec![
        b"\r\n\r\n\r\n".to_vec(),
        b"\0\0\0\0\0\0\0\0".to_vec(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        b"GET\r\n\r\n".to_vec(),
        b"GET / HTTP/9.9\r\n\r\n".to_vec(),
        b"GET /v1/experiments HTTP/1.1\r\n\r\n".to_vec(),
        b"get /healthz http/1.1\r\nHost: localhost\r\n\r\n".to_vec(),
        b"G\xffT /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec(),
        b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec(),
        b"GET /v1/experiments/\0 HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec(),
        b"GET /v1/experiments HTTP/1.1\r\nHost: \xff\xff\r\n\r\n".to_vec(),
        b"GET /v1/experiments HTTP/1.1\r\nHost: a\r\nHost: localhost\r\n\r\n".to_vec(),
        b"GET /v1/experiments HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n".to_vec(),
        b"GET /v1/experiments HTTP/1.1\r\n Host: localhost\r\n\r\n".to_vec(),
        b"GET http://evil.example/v1/experiments HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_vec(),
        b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_vec(),
        b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "x".repeat(100_000)).into_bytes(),
        format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\n{many}\r\n").into_bytes(),
        format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "y".repeat(1_000_000))
            .into_bytes(),
        format!("{POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}").into_bytes(),
        format!("{POST}Content-Length: -1\r\n\r\n{{}}").into_bytes(),
        format!("{POST}Content-Length: 18446744073709551616\r\n\r\n{{}}").into_bytes(),
        format!("{POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n")
            .into_bytes(),
        format!("{POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n{{}}\r\n0\r\n\r\n").into_bytes(),
        format!("{POST}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{{}}").into_bytes(),
        format!("{POST}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}garbage").into_bytes(),
        format!("{POST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n").into_bytes(),
        format!("{POST}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{{}}").into_bytes(),
        format!("{POST}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{{}}").into_bytes(),
    ];
    for case in &cases {
        let mut stream = connect(server.address).unwrap();
        // The server may close the connection before it has received everything.
        let _ = stream.write_all(case);
        let _ = stream.shutdown(Shutdown::Write);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        if let Some(reply) = Reply::parse(&bytes) {
            let shown = String::from_utf8_lossy(&case[..case.len().min(80)]).into_owned();
            assert!(reply.status < 500, "{shown:?}: {}", reply.status);
            assert!(
                reply.status >= 400
                    || reply.status == 100
                    || case.starts_with(b"GET /v1/experiments HTTP/1.1\r\nHost: a"),
                "{shown:?}: {}",
                reply.status
            );
        }
        server.client().get("/healthz").expect(200);
    }
    // None of the cases created an experiment.
    assert_eq!(
        server.client().get("/v1/experiments").expect(200)["experiments"].as_array().unwrap().len(),
        1
    );
    server.duel(&id);
}

/// Request smuggling: contradictory lengths of a body could hide a second request in the first.
#[test]
fn trace_no_request_hides_in_another() {
    let server = Server::start();
    let hidden = "POST /v1/experiments HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 31\r\n\r\n{\"name\":\"x\",\"arms\":[\"a\",\"b\"]}  ";
    for lengths in [
        format!("Content-Length: {}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 5 + hidden.len()),
        format!("Content-Length: 0\r\nContent-Length: {}\r\n\r\n", hidden.len()),
        "Transfer-Encoding: identity, chunked\r\nContent-Length: 0\r\n\r\n0\r\n\r\n".to_owned(),
    ] {
        let mut stream = connect(server.address).unwrap();
        let _ = stream.write_all(format!("{POST}{lengths}{hidden}").as_bytes());
        let _ = stream.shutdown(Shutdown::Write);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let answers = String::from_utf8_lossy(&bytes).matches("HTTP/1.1 ").count();
        assert!(answers <= 1, "{lengths:?}: {}", String::from_utf8_lossy(&bytes));
    }
    assert_eq!(server.client().get("/v1/experiments").expect(200), json!({ "experiments": [] }));
}
