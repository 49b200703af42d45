//! Keys and what they allow.

use serde_json::{Value, json};
use tiltyard_arena::server::Auth;

use crate::client::Client;
use crate::document::{Route, routes};
use crate::server::{HandClock, Server, Setup, text};

/// What a route does, as far as keys are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Open,
    Keys,
    Create,
    Change,
    Vote,
    Read,
    /// Reading a duel, which is also allowed to voters.
    Look,
}

/// The action of every route. A new route must be added here.
fn action(route: &Route) -> Action {
    match (route.method.as_str(), route.path.as_str()) {
        ("GET", "/healthz" | "/readyz" | "/metrics" | "/openapi.json" | "/docs/errors") => Action::Open,
        (_, "/v1/keys" | "/v1/keys/{key_id}") => Action::Keys,
        ("POST", "/v1/experiments") => Action::Create,
        (
            "POST",
            "/v1/experiments/{experiment}/pause"
            | "/v1/experiments/{experiment}/resume"
            | "/v1/experiments/{experiment}/close"
            | "/v1/experiments/{experiment}/arms"
            | "/v1/experiments/{experiment}/arms/{arm}/retire"
            | "/v1/experiments/{experiment}/arms/{arm}/restore"
            | "/v1/experiments/{experiment}/void"
            | "/v1/experiments/{experiment}/apprentice"
            | "/v1/experiments/{experiment}/apprentice/take-over"
            | "/v1/experiments/{experiment}/votes",
        )
        | (
            "DELETE",
            "/v1/experiments/{experiment}/apprentice"
            | "/v1/duels/{duel}"
            | "/v1/duels/{duel}/outcome"
            | "/v1/experiments/{experiment}/votes/{place}",
        )
        | ("GET", "/v1/experiments/{experiment}/log") => Action::Change,
        (
            "POST",
            "/v1/experiments/{experiment}/duels"
            | "/v1/duels/{duel}/outcome"
            | "/v1/duels/{duel}/shown"
            | "/v1/experiments/{experiment}/interleave"
            | "/v1/duels/{duel}/lists"
            | "/v1/duels/{duel}/clicks"
            | "/v1/experiments/{experiment}/slates"
            | "/v1/duels/{duel}/ranking"
            | "/v1/outcomes",
        ) => Action::Vote,
        ("GET", "/v1/duels/{duel}") => Action::Look,
        (
            "GET",
            "/v1/experiments"
            | "/v1/experiments/{experiment}"
            | "/v1/experiments/{experiment}/arms"
            | "/v1/experiments/{experiment}/standing"
            | "/v1/experiments/{experiment}/segments"
            | "/v1/experiments/{experiment}/voters"
            | "/v1/experiments/{experiment}/ratings"
            | "/v1/experiments/{experiment}/evaluation"
            | "/v1/experiments/{experiment}/apprentice"
            | "/v1/experiments/{experiment}/history"
            | "/v1/experiments/{experiment}/digest"
            | "/v1/experiments/{experiment}/votes"
            | "/v1/experiments/{experiment}/events",
        ) => Action::Read,
        other => panic!("add the action of {other:?}"),
    }
}

fn is_allowed(scope: &str, action: Action) -> bool {
    match scope {
        "admin" => true,
        "writer" => action != Action::Keys,
        "voter" => matches!(action, Action::Open | Action::Vote | Action::Look),
        "reader" => matches!(action, Action::Open | Action::Read | Action::Look),
        other => panic!("{other}"),
    }
}

/// Sends a request that would have an effect if it were allowed. Streams end at once if the server
/// allows no streams.
fn ask(client: &Client, route: &Route, path: &str, duel: &str) -> crate::client::Reply {
    let body = match route.path.as_str() {
        "/v1/outcomes" => json!({ "outcomes": [{ "duel": duel, "outcome": "left" }] }),
        "/v1/duels/{duel}/outcome" => json!({ "outcome": "left" }),
        "/v1/duels/{duel}/lists" => json!({ "lists": { "a": ["1"], "b": ["2"], "c": ["3"] } }),
        "/v1/duels/{duel}/clicks" => json!({ "clicks": [] }),
        "/v1/experiments/{experiment}/slates" => json!({ "size": 3 }),
        "/v1/duels/{duel}/ranking" => json!({ "best": "a" }),
        "/v1/experiments" => json!({ "name": "n", "arms": ["a", "b"] }),
        "/v1/experiments/{experiment}/void" => json!({ "voter": "v" }),
        "/v1/experiments/{experiment}/arms" => json!({ "arms": ["d"] }),
        "/v1/experiments/{experiment}/votes" => {
            let vote = json!({ "left": "a", "right": "b", "outcome": "left" });
            json!({ "client_id": "x", "source": "s", "votes": [vote] })
        }
        "/v1/experiments/{experiment}/apprentice" => json!({ "policy": "vdb" }),
        "/v1/keys" => json!({ "scope": "reader" }),
        _ => json!({}),
    };
    if route.has_body() { client.post(path, &body) } else { client.send(&route.method, path, None) }
}

fn key(client: &Client, body: &Value) -> String {
    text(&client.post("/v1/keys", body).expect(201)["key"])
}

#[test]
fn law_every_route_asks_for_a_key() {
    let server = Server::with_keys();
    let id = server.experiment();
    let duel = server.duel(&id);
    let nobody = Client::new(server.address);
    let secret = &server.admin;
    let wrong = format!("{}x", &secret[..secret.len() - 1]);
    let clients = [
        nobody.clone(),
        nobody.clone().with_key("x"),
        nobody.clone().with_key(""),
        nobody.clone().with_key(&wrong),
        nobody.clone().with_header("Authorization", secret),
        nobody.clone().with_header("Authorization", &format!("Basic {secret}")),
    ];
    let mut n_open = 0;
    for route in routes() {
        let path = route.filled(&id, &duel, "a", "0000000000001");
        assert_eq!(route.is_open(), action(&route) == Action::Open, "{} {}", route.method, route.path);
        if route.is_open() {
            n_open += 1;
            assert_eq!(ask(&nobody, &route, &path, &duel).status, 200);
            continue;
        }
        for client in &clients {
            let reply = ask(client, &route, &path, &duel);
            reply.refused(401, "unauthorized");
            assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
        }
    }
    assert_eq!(n_open, 5);
    // None of these requests had an effect.
    assert_eq!(server.totals(&id)["votes"], 0);
    assert_eq!(server.client().get("/v1/keys").expect(200)["keys"].as_array().unwrap().len(), 1);
}

#[test]
fn law_each_scope_allows_its_routes_and_no_other() {
    for scope in ["admin", "writer", "voter", "reader"] {
        let server = Server::configured(|config| (config.auth, config.max_streams) = (Auth::Keys, 0));
        let admin = server.client();
        let id = server.experiment();
        let other = server.experiment();
        let made = match scope {
            "voter" => key(&admin, &json!({ "scope": scope, "experiment": id })),
            _ => key(&admin, &json!({ "scope": scope })),
        };
        let client = Client::new(server.address).with_key(&made);
        // A key for this experiment alone, if the scope allows that.
        let one = (scope != "admin").then(|| key(&admin, &json!({ "scope": scope, "experiment": id })));
        for route in routes() {
            let allowed = is_allowed(scope, action(&route));
            // A new experiment, because earlier routes may have changed the others.
            let fresh = server.experiment();
            let target = if scope == "voter" { &id } else { &fresh };
            if scope == "voter"
                && server.client().get(&format!("/v1/experiments/{id}")).expect(200)["status"] != "running"
            {
                panic!("a voter has changed the experiment");
            }
            let duel = server.duel(target);
            let path = route.filled(target, &duel, "a", "0000000000001");
            let reply = ask(&client, &route, &path, &duel);
            let refused = reply.status == 403;
            assert_eq!(!refused, allowed, "{scope}: {} {}: {}", route.method, route.path, reply.text());
            if refused {
                reply.refused(403, "forbidden");
            }
            // A key for one experiment allows nothing in another, whatever its scope.
            let about_one = route.path.contains("{experiment}") || route.path.contains("{duel}");
            if let Some(one) = &one
                && about_one
            {
                let client = Client::new(server.address).with_key(one);
                let duel = server.duel(&other);
                let path = route.filled(&other, &duel, "a", "0000000000001");
                ask(&client, &route, &path, &duel).refused(403, "forbidden");
            }
        }
        assert_eq!(server.totals(&other)["votes"], 0);
    }
}

#[test]
fn trace_a_voters_key_is_for_one_experiment() {
    let server = Server::with_keys();
    let admin = server.client();
    let (id, other) = (server.experiment(), server.experiment());
    let voter =
        Client::new(server.address).with_key(&key(&admin, &json!({ "scope": "voter", "experiment": id })));
    let (duel, foreign) = (server.duel(&id), server.duel(&other));
    let outcomes =
        json!({ "outcomes": [{ "duel": duel, "outcome": "left" }, { "duel": foreign, "outcome": "left" }] });
    let results = voter.post("/v1/outcomes", &outcomes).expect(200);
    assert_eq!(results["results"][0]["status"], "recorded");
    assert_eq!(results["results"][1]["problem"]["code"], "forbidden");
    assert_eq!(server.totals(&other)["votes"], 0);
    // A reader's key for one experiment lists only that experiment.
    let reader =
        Client::new(server.address).with_key(&key(&admin, &json!({ "scope": "reader", "experiment": id })));
    let list = reader.get("/v1/experiments").expect(200);
    assert_eq!(list["experiments"].as_array().unwrap().len(), 1);
    assert_eq!(list["experiments"][0]["id"], id);
    // A writer's key for one experiment cannot create others.
    let writer =
        Client::new(server.address).with_key(&key(&admin, &json!({ "scope": "writer", "experiment": id })));
    writer.post("/v1/experiments", &json!({ "name": "n", "arms": ["a", "b"] })).refused(403, "forbidden");
    writer.order(&format!("/v1/experiments/{id}/pause")).expect(200);
}

#[test]
fn trace_keys_are_made_listed_and_revoked() {
    let clock = HandClock::new();
    let mut setup = Setup { clock: clock.clone(), ..Setup::default() };
    setup.config.auth = Auth::Keys;
    let server = Server::with(setup);
    let admin = server.client();
    let id = server.experiment();
    for (body, detail) in [
        (json!({}), "scope"),
        (json!({ "scope": "king" }), "king"),
        (json!({ "scope": "voter" }), "one `experiment`"),
        (json!({ "scope": "admin", "experiment": id }), "all experiments"),
        (json!({ "scope": "reader", "experiment": "x" }), "experiment"),
        (json!({ "scope": "reader", "label": " " }), "label"),
        (json!({ "scope": "reader", "expires_at": "never" }), "expires_at"),
    ] {
        let problem = admin.post("/v1/keys", &body).refused(422, "invalid");
        assert!(text(&problem["detail"]).contains(detail), "{problem}");
    }
    admin
        .post("/v1/keys", &json!({ "scope": "voter", "experiment": "0000000000001" }))
        .refused(404, "no_experiment");
    let body = json!({ "scope": "reader", "label": "me", "expires_at": "2026-01-01T00:01:00Z" });
    let made = admin.post("/v1/keys", &body).expect(201);
    let reader = Client::new(server.address).with_key(&text(&made["key"]));
    reader.get("/v1/experiments").expect(200);
    let keys = admin.get("/v1/keys").expect(200);
    assert!(!keys.to_string().contains(&text(&made["key"])), "a key is shown once");
    let listed = keys["keys"].as_array().unwrap().iter().find(|key| key["id"] == made["id"]).unwrap();
    assert_eq!((&listed["label"], &listed["scope"]), (&json!("me"), &json!("reader")));
    clock.forward(60);
    reader.get("/v1/experiments").refused(401, "unauthorized");
    let passed = text(&made["key"]);
    server.arena.expire_keys().unwrap();
    let keys = admin.get("/v1/keys").expect(200);
    let listed = keys["keys"].as_array().unwrap().iter().find(|key| key["id"] == made["id"]).unwrap();
    assert!(listed.get("revoked_at").is_none(), "it expired: {listed}");
    let made = admin.post("/v1/keys", &json!({ "scope": "reader" })).expect(201);
    let reader = Client::new(server.address).with_key(&text(&made["key"]));
    reader.get("/v1/experiments").expect(200);
    let path = format!("/v1/keys/{}", text(&made["id"]));
    assert_eq!(admin.delete(&path).expect(200), json!({ "status": "recorded" }));
    assert_eq!(admin.delete(&path).expect(200), json!({ "status": "already" }));
    reader.get("/v1/experiments").refused(401, "unauthorized");
    admin.delete("/v1/keys/0000000000001").refused(404, "no_key");
    admin.delete("/v1/keys/x").refused(404, "no_key");
    // The same after a restart, even if the clock is behind then.
    let directory = server.stop();
    clock.jump(-3600);
    let mut setup = Setup { clock, directory: Some(directory), ..Setup::default() };
    setup.config.auth = Auth::Keys;
    let server = Server::with(setup);
    for key in [text(&made["key"]), passed] {
        reader_at(&server, &key).get("/v1/experiments").refused(401, "unauthorized");
    }
}

fn reader_at(server: &Server, key: &str) -> Client {
    Client::new(server.address).with_key(key)
}
