//! Limits of sizes, rates, times and connections.

use std::io::{Read, Write};
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use tiltyard_arena::server::Auth;

use crate::client::{Reply, connect};
use crate::server::{HandClock, Server, Setup, text};

#[test]
fn trace_bodies_have_a_largest_size() {
    let server = Server::configured(|config| config.max_body_bytes = 1000);
    let client = server.client();
    let body = |length: usize| {
        let text = json!({ "name": "n", "arms": ["a", "b"] }).to_string();
        text.clone() + &" ".repeat(length - text.len())
    };
    client.send("POST", "/v1/experiments", Some(body(1000).as_bytes())).expect(201);
    client.send("POST", "/v1/experiments", Some(body(1001).as_bytes())).refused(413, "body_too_large");
    // A body without an announced length.
    let chunked = |length: usize| {
        let mut stream = connect(server.address).unwrap();
        let head = "POST /v1/experiments HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
        let half = length / 2;
        let body = body(length);
        let request = format!(
            "{head}{half:x}\r\n{}\r\n{:x}\r\n{}\r\n0\r\n\r\n",
            &body[..half],
            length - half,
            &body[half..]
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        Reply::parse(&bytes).unwrap()
    };
    chunked(1000).expect(201);
    chunked(1001).refused(413, "body_too_large");
    // A body with an announced length that is too large is refused without waiting for it.
    let mut stream = connect(server.address).unwrap();
    let head = "POST /v1/experiments HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    Reply::parse(&bytes).unwrap().refused(413, "body_too_large");
}

/// This also applies to routes that take no body.
#[test]
fn trace_a_body_that_does_not_come_is_not_waited_for() {
    let server = Server::configured(|config| config.read_timeout = Duration::from_millis(200));
    for path in ["POST /v1/experiments", "GET /v1/experiments"] {
        let mut stream = connect(server.address).unwrap();
        let head = format!(
            "{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{{"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        Reply::parse(&bytes).unwrap().refused(408, "body_too_slow");
    }
}

#[test]
fn trace_a_key_has_a_rate() {
    let clock = HandClock::new();
    let mut setup = Setup { clock: clock.clone(), ..Setup::default() };
    setup.config.auth = Auth::Keys;
    setup.config.rate_limit = 2;
    let server = Server::with(setup);
    let client = server.client();
    for _ in 0..4 {
        client.get("/v1/experiments").expect(200);
    }
    let problem = client.get("/v1/experiments").refused(429, "rate_limited");
    assert_eq!(problem["retry_after"], 1);
    // Requests without a key are not counted, and the health of the server has no rate limit.
    crate::client::Client::new(server.address).get("/v1/experiments").refused(401, "unauthorized");
    client.get("/healthz").expect(200);
    clock.forward(1);
    for _ in 0..2 {
        client.get("/v1/experiments").expect(200);
    }
    client.get("/v1/experiments").refused(429, "rate_limited");
}

/// While one request waits for the store, the next one is refused and has no effect.
#[test]
fn trace_more_requests_than_are_answered_at_once() {
    let (server, trouble) = Server::troubled(|setup| setup.config.max_requests = 1);
    let client = server.client();
    let id = server.experiment();
    trouble.hold();
    let path = format!("/v1/experiments/{id}/duels");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| client.order(&path).expect(200));
        // Wait until the first request waits for the store.
        for _ in 0..1000 {
            if server.arena.n_waiting() == 1 {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let problem = client.order(&path).refused(503, "overloaded");
        assert_eq!(problem["retry_after"], 1);
        client.get(&format!("/v1/experiments/{id}")).refused(503, "overloaded");
        for path in ["/healthz", "/readyz", "/metrics"] {
            assert_eq!(client.get(path).status, 200);
        }
        trouble.let_go();
        waiting.join().unwrap();
    });
    assert_eq!(server.totals(&id)["duels"], 1);
}

#[test]
fn trace_more_writes_than_may_wait() {
    let (server, trouble) = Server::troubled(|setup| setup.most_waiting = 2);
    let client = server.client();
    let (id, other) = (server.experiment(), server.experiment());
    trouble.hold();
    let path = format!("/v1/experiments/{id}/duels");
    std::thread::scope(|scope| {
        let waiting: Vec<_> = (0..2).map(|_| scope.spawn(|| client.order(&path).expect(200))).collect();
        for _ in 0..1000 {
            if server.arena.n_waiting() == 2 {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        client.order(&path).refused(503, "overloaded");
        client.get("/readyz").refused(503, "overloaded");
        // Reading still works where nothing waits.
        client.get(&format!("/v1/experiments/{other}")).expect(200);
        trouble.let_go();
        for waiting in waiting {
            waiting.join().unwrap();
        }
    });
    client.get("/readyz").expect(200);
    assert_eq!(server.totals(&id)["duels"], 2);
}

/// A log is folded anew because an answer was voided, and the store does not return. Everything
/// else is answered as before.
#[test]
fn trace_a_log_that_is_folded_anew_holds_up_nobody() {
    let (server, trouble) = Server::troubled(|_| {});
    let client = server.client();
    let (id, other) = (server.experiment_with("btm", &json!({ "horizon": 1000 })), server.experiment());
    let duels = server.duels(&id, 20);
    for duel in &duels {
        client.post(&format!("/v1/duels/{duel}/outcome"), &json!({ "outcome": "left" })).expect(200);
    }
    trouble.reads.hold();
    client.delete(&format!("/v1/duels/{}", duels[3])).expect(200);
    while trouble.reads.n_waiting() == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    // More often than the server has threads.
    for _ in 0..4 {
        client.get("/healthz").expect(200);
        for id in [&id, &other] {
            let path = format!("/v1/experiments/{id}");
            let duel = server.duel(id);
            client.post(&format!("/v1/duels/{duel}/outcome"), &json!({ "outcome": "tie" })).expect(200);
            client.get(&format!("{path}/standing")).expect(200);
            client.order(&format!("{path}/pause")).expect(200);
            client.order(&format!("{path}/resume")).expect(200);
            assert_eq!(client.get(&format!("/experiments/{id}")).status, 200);
        }
        client.get("/v1/experiments").expect(200);
        for page in ["/", "/keys"] {
            assert_eq!(client.get(page).status, 200);
        }
    }
    assert_eq!(server.totals(&id)["votes"], 20 - 1 + 4);
    trouble.reads.let_go();
    let digest = client.get(&format!("/v1/experiments/{id}/digest")).expect(200);
    let directory = server.stop();
    let server = Server::with(Setup { directory: Some(directory), ..Setup::default() });
    assert_eq!(server.client().get(&format!("/v1/experiments/{id}/digest")).expect(200), digest);
}

/// A request that timed out may have taken effect. Repeating it with the same client id is safe.
#[test]
fn trace_a_request_that_takes_too_long() {
    let (server, trouble) =
        Server::troubled(|setup| setup.config.request_timeout = Duration::from_millis(100));
    let client = server.client();
    let id = server.experiment();
    let path = format!("/v1/experiments/{id}/duels");
    let body = json!({ "client_id": "once" });
    trouble.hold();
    client.post(&path, &body).refused(503, "timed_out");
    client.post(&path, &body).refused(503, "timed_out");
    trouble.let_go();
    let mut found = None;
    for _ in 0..100 {
        let reply = client.post(&path, &body);
        if reply.status == 200 {
            found = Some(reply.json());
            break;
        }
        reply.refused(503, "timed_out");
    }
    assert!(found.is_some());
    assert_eq!(server.totals(&id)["duels"], 1);
}

/// Connections beyond the limit wait until others end. Silent connections are closed.
#[test]
fn trace_more_connections_than_are_held() {
    let server = Server::configured(|config| {
        config.max_connections = 3;
        config.read_timeout = Duration::from_millis(300);
    });
    let silent: Vec<_> = (0..3).map(|_| connect(server.address).unwrap()).collect();
    // The request is answered, although silent connections take all places.
    assert_eq!(text(&server.client().get("/healthz").expect(200)["status"]), "ok");
    for mut stream in silent {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        assert!(
            bytes.is_empty() || bytes.starts_with(b"HTTP/1.1 408"),
            "{}",
            String::from_utf8_lossy(&bytes)
        );
    }
}

#[test]
fn trace_a_panic_is_an_error_and_the_server_lives_on() {
    let (server, trouble) = Server::troubled(|_| {});
    let client = server.client();
    let id = server.experiment();
    let duel = server.duel(&id);
    trouble.panics.store(true, Ordering::SeqCst);
    for _ in 0..3 {
        // The handler panics while it holds the experiment's lock.
        let problem = client
            .post(&format!("/v1/experiments/{id}/duels"), &json!({ "client_id": "x" }))
            .refused(500, "internal");
        assert!(!problem.to_string().contains("the test says so"), "{problem}");
    }
    client.get("/healthz").expect(200);
    trouble.panics.store(false, Ordering::SeqCst);
    client.post(&format!("/v1/duels/{duel}/outcome"), &json!({ "outcome": "left" })).expect(200);
    trouble.panics.store(true, Ordering::SeqCst);
    client.get(&format!("/v1/experiments/{id}/history")).refused(500, "internal");
    trouble.panics.store(false, Ordering::SeqCst);
    client.post(&format!("/v1/experiments/{id}/duels"), &json!({ "client_id": "x" })).expect(200);
    let totals = server.totals(&id);
    assert_eq!((&totals["votes"], &totals["duels"]), (&json!(1), &json!(2)));
}
