//! Every error code can occur, with the status and title of the table.

use std::io::{Read, Write};
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use tiltyard_arena::server::Auth;
use tiltyard_arena::store::SqliteStore;
use tiltyard_wire::ProblemCode;

use crate::client::{Client, Reply, connect};
use crate::document::DOCUMENT;
use crate::server::{HandClock, Server, Setup};

fn raw(server: &Server, request: &str) -> Reply {
    let mut stream = connect(server.address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    Reply::parse(&bytes).unwrap()
}

fn outcome(server: &Server, duel: &str, word: &str) -> Reply {
    let body = json!({ "outcome": word, "voter": "v" });
    server.client().post(&format!("/v1/duels/{duel}/outcome"), &body)
}

/// Provokes each code. A new code does not compile without a way to provoke it.
#[expect(clippy::too_many_lines, reason = "a table with a few lines per code")]
fn way_to(code: ProblemCode) -> Reply {
    match code {
        ProblemCode::BadRequest => Server::start().client().send("POST", "/v1/experiments", Some(b"{")),
        ProblemCode::Unauthorized => Client::new(Server::with_keys().address).get("/v1/experiments"),
        ProblemCode::Forbidden => {
            Server::start().client().with_header("Host", "example.org").get("/v1/experiments")
        }
        ProblemCode::NotFound => Server::start().client().get("/v1/nothing"),
        ProblemCode::NoExperiment => Server::start().client().get("/v1/experiments/x"),
        ProblemCode::NoDuel => Server::start().client().get("/v1/duels/x"),
        ProblemCode::NoKey => Server::start().client().delete("/v1/keys/x"),
        ProblemCode::MethodNotAllowed => Server::start().client().send("PUT", "/v1/experiments", None),
        ProblemCode::UnsupportedMediaType => Server::start().client().order("/v1/experiments"),
        ProblemCode::Invalid => Server::start().client().post("/v1/experiments", &json!({})),
        ProblemCode::BadPolicy => {
            let body = json!({ "name": "n", "arms": ["a", "b"], "policy": "none such" });
            Server::start().client().post("/v1/experiments", &body)
        }
        ProblemCode::NoArm | ProblemCode::ArmState | ProblemCode::NotElastic => {
            let server = Server::start();
            let policy = if code == ProblemCode::NotElastic { "rucb" } else { "rex3" };
            let id = server.experiment_with(policy, &json!({}));
            let arm = if code == ProblemCode::NoArm { "x" } else { "a" };
            server.client().order(&format!("/v1/experiments/{id}/arms/{arm}/restore"))
        }
        ProblemCode::ExperimentPaused | ProblemCode::ExperimentClosed => {
            let server = Server::start();
            let id = server.experiment();
            let deed = if code == ProblemCode::ExperimentPaused { "pause" } else { "close" };
            server.client().order(&format!("/v1/experiments/{id}/{deed}")).expect(200);
            server.client().order(&format!("/v1/experiments/{id}/duels"))
        }
        ProblemCode::ClientIdReused => {
            let server = Server::start();
            let path = format!("/v1/experiments/{}/duels", server.experiment());
            server.client().post(&path, &json!({ "client_id": "x" })).expect(200);
            server.client().post(&path, &json!({ "client_id": "x", "count": 2 }))
        }
        ProblemCode::NoApprentice => {
            let server = Server::start();
            let id = server.experiment();
            server.client().get(&format!("/v1/experiments/{id}/apprentice"))
        }
        ProblemCode::NothingToEvaluate => {
            let server = Server::start();
            let id = server.experiment();
            server.client().get(&format!("/v1/experiments/{id}/evaluation?arm=a&against=uniform"))
        }
        ProblemCode::HasApprentice => {
            let server = Server::start();
            let path = format!("/v1/experiments/{}/apprentice", server.experiment());
            server.client().post(&path, &json!({ "policy": "vdb" })).expect(201);
            server.client().post(&path, &json!({ "policy": "vdb" }))
        }
        ProblemCode::NoImport => {
            let server = Server::start();
            let id = server.experiment();
            server.client().delete(&format!("/v1/experiments/{id}/votes/1"))
        }
        ProblemCode::ImportVoided | ProblemCode::UnknownArms => {
            let server = Server::start();
            let path = format!("/v1/experiments/{}/votes", server.experiment());
            let right = if code == ProblemCode::UnknownArms { "nobody" } else { "b" };
            let vote = json!({ "left": "a", "right": right, "outcome": "left" });
            let body = json!({ "client_id": "x", "source": "s", "votes": [vote] });
            if code == ProblemCode::UnknownArms {
                return server.client().post(&path, &body);
            }
            let place = server.client().post(&path, &body).expect(200)["place"].clone();
            server.client().delete(&format!("{path}/{place}")).expect(200);
            server.client().post(&path, &body)
        }
        ProblemCode::ExperimentDamaged => {
            let server = Server::start();
            let id = server.experiment();
            let directory = server.stop();
            let connection = rusqlite::Connection::open(SqliteStore::file(directory.path())).unwrap();
            let damage = "DROP TRIGGER log_is_never_changed; UPDATE log SET at = 1 WHERE experiment > 0";
            connection.execute_batch(damage).unwrap();
            drop(connection);
            let setup = Setup { directory: Some(directory), ..Setup::default() };
            Server::with(setup).client().get(&format!("/v1/experiments/{id}/standing"))
        }
        ProblemCode::TooManyInFlight => {
            let server = Server::start();
            let id = server.experiment_with("rex3", &json!({ "max_in_flight": 1 }));
            server.client().post(&format!("/v1/experiments/{id}/duels"), &json!({ "count": 2 }))
        }
        ProblemCode::OutcomeContradicts | ProblemCode::DuelVoided | ProblemCode::VoterLimit => {
            let server = Server::start();
            let id = server.experiment_with("rex3", &json!({ "voter_votes": 1 }));
            let duel = server.duel(&id);
            outcome(&server, &duel, "left").expect(200);
            match code {
                ProblemCode::VoterLimit => return outcome(&server, &server.duel(&id), "left"),
                ProblemCode::DuelVoided => drop(server.client().delete(&format!("/v1/duels/{duel}"))),
                _ => {}
            }
            outcome(&server, &duel, "right")
        }
        ProblemCode::DuelExpired => {
            let clock = HandClock::new();
            let server = Server::with(Setup { clock: clock.clone(), ..Setup::default() });
            let id = server.experiment_with("rex3", &json!({ "late": "refuse", "expires_after": 1 }));
            let duel = server.duel(&id);
            clock.forward(2);
            outcome(&server, &duel, "left")
        }
        ProblemCode::ListsContradict | ProblemCode::NotInterleaved => {
            let server = Server::start();
            let duel = server.duel(&server.experiment());
            if code == ProblemCode::NotInterleaved {
                return server.client().post(&format!("/v1/duels/{duel}/clicks"), &json!({ "clicks": [] }));
            }
            let lists = |first: &str| {
                let lists = json!({ "lists": { "a": [first, "2"], "b": [first, "3"], "c": [first, "4"] } });
                server.client().post(&format!("/v1/duels/{duel}/lists"), &lists)
            };
            lists("1").expect(200);
            lists("0")
        }
        ProblemCode::IsSlate | ProblemCode::NotASlate => {
            let server = Server::start();
            let id = server.experiment();
            if code == ProblemCode::NotASlate {
                let duel = server.duel(&id);
                return server.client().post(&format!("/v1/duels/{duel}/ranking"), &json!({ "best": "a" }));
            }
            let slate = server.client().post(&format!("/v1/experiments/{id}/slates"), &json!({ "size": 3 }));
            outcome(&server, slate.expect(200)["id"].as_str().unwrap(), "left")
        }
        ProblemCode::BodyTooLarge => {
            let server = Server::configured(|config| config.max_body_bytes = 10);
            server.client().post("/v1/experiments", &json!({ "name": "longer than ten" }))
        }
        ProblemCode::BodyTooSlow => {
            let server = Server::configured(|config| config.read_timeout = Duration::from_millis(50));
            raw(&server, "POST /v1/experiments HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n")
        }
        ProblemCode::RateLimited => {
            let mut setup = Setup { clock: HandClock::new(), ..Setup::default() };
            (setup.config.auth, setup.config.rate_limit) = (Auth::Keys, 1);
            let server = Server::with(setup);
            let ask = || server.client().get("/v1/experiments");
            [ask(), ask(), ask()][2].clone()
        }
        ProblemCode::Internal | ProblemCode::StoreUnavailable => {
            let (server, trouble) = Server::troubled(|_| {});
            let id = server.experiment();
            let cause = if code == ProblemCode::Internal { &trouble.panics } else { &trouble.fails };
            cause.store(true, Ordering::SeqCst);
            server.client().post(&format!("/v1/experiments/{id}/duels"), &json!({ "client_id": "x" }))
        }
        ProblemCode::Overloaded => {
            let server = Server::configured(|config| config.max_streams = 0);
            let id = server.experiment();
            server.client().get(&format!("/v1/experiments/{id}/events"))
        }
        ProblemCode::TimedOut => {
            let (server, trouble) =
                Server::troubled(|setup| setup.config.request_timeout = Duration::from_millis(50));
            let id = server.experiment();
            trouble.hold();
            let reply = server.client().order(&format!("/v1/experiments/{id}/duels"));
            trouble.let_go();
            reply
        }
        ProblemCode::Stopping => stopping(),
    }
}

/// Asks whether the server is ready, on a connection that it accepted before it had to stop.
fn stopping() -> Reply {
    let mut server = Server::start();
    let mut stream = connect(server.address).unwrap();
    stream.write_all(b"GET /readyz HTTP/1.1\r\n").unwrap();
    // Connections are accepted in order: once this one is answered, the other one is accepted.
    server.client().get("/healthz").expect(200);
    server.ask_to_stop();
    for _ in 0..1000 {
        // Once the server no longer listens, it is stopping.
        if std::net::TcpStream::connect(server.address).is_err() {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    stream.write_all(b"Host: localhost\r\n\r\n").unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    Reply::parse(&bytes).unwrap()
}

#[test]
fn law_every_code_can_happen() {
    for &code in ProblemCode::ALL {
        let problem = way_to(code).refused(code.status(), code.word());
        assert_eq!(problem["title"], code.title());
    }
}

/// The document lists every code, and every code that belongs to a route is listed with a route.
#[test]
fn law_the_document_lists_every_code() {
    let words = DOCUMENT["components"]["schemas"]["ProblemCode"]["enum"].as_array().unwrap();
    let paths = DOCUMENT["paths"].to_string();
    assert_eq!(words.len(), ProblemCode::ALL.len());
    for &code in ProblemCode::ALL {
        assert!(words.contains(&json!(code.word())));
        let of_no_route = matches!(code, ProblemCode::NotFound | ProblemCode::MethodNotAllowed);
        assert_eq!(paths.contains(&format!("`{}`", code.word())), !of_no_route, "{}", code.word());
    }
}

/// `type` points to a section of the page that the server itself serves.
#[test]
fn trace_every_code_is_explained() {
    let server = Server::start();
    let reply = Client::new(server.address).get("/docs/errors");
    assert_eq!(reply.status, 200);
    let page = reply.text();
    for &code in ProblemCode::ALL {
        assert!(page.contains(&format!("\n## {}\n", code.word())));
        assert!(!code.advice().is_empty() && code.advice().ends_with('.'));
    }
    let problem: Value = server.client().get("/v1/duels/x").json();
    assert_eq!(problem["type"], "/docs/errors#no_duel");
}

#[test]
fn trace_other_methods_are_named() {
    let server = Server::start();
    for (path, allowed) in
        [("/v1/experiments", "GET,HEAD,POST"), ("/v1/outcomes", "POST"), ("/healthz", "GET,HEAD")]
    {
        for method in ["PUT", "PATCH", "OPTIONS", "TRACE", "BREW"] {
            let reply = server.client().send(method, path, None);
            reply.refused(405, "method_not_allowed");
            let mut named: Vec<_> = reply.header("allow").unwrap().split(',').collect();
            named.sort_unstable();
            assert_eq!(named.join(","), allowed, "{path}");
        }
    }
    let head = server.client().send("HEAD", "/v1/experiments", None);
    assert_eq!((head.status, head.body.len()), (200, 0));
}
