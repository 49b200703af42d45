//! Creating, reading and changing experiments.

use serde_json::{Value, json};
use tiltyard_arena::store::{SqliteStore, Store as _};

use crate::server::{Server, Setup, text};

#[test]
fn trace_an_experiment_is_made_and_read() {
    let server = Server::start();
    let client = server.client();
    let body = json!({
        "name": "headline",
        "arms": ["a", { "name": "b", "label": "Bee", "payload": { "url": "https://example.org/b" } }],
        "policy": "rex3:gamma=0.5",
        "settings": { "holdout": 0.25, "expires_after": 60, "late": "refuse", "voter_votes": 3 },
    });
    let made = client.post("/v1/experiments", &body).expect(201);
    assert_eq!(made["name"], "headline");
    assert_eq!(made["status"], "running");
    assert_eq!(made["n_arms"], 2);
    assert_eq!(made["seq"], 1);
    let settings = json!({
        "distinct": true, "holdout": 0.25, "aa": 0.0, "expires_after": 60, "late": "refuse", "activation": "issue",
        "horizon": null, "voter_votes": 3, "voter_votes_per_minute": null, "max_in_flight": 100_000,
        "confidence": 0.95, "margin": null, "stop": "never",
    });
    assert_eq!(made["settings"], settings);
    let id = text(&made["id"]);
    assert_eq!(client.get(&format!("/v1/experiments/{id}")).expect(200), made);
    let arms = client.get(&format!("/v1/experiments/{id}/arms")).expect(200);
    let bee = json!({
        "index": 1, "name": "b", "label": "Bee", "payload": { "url": "https://example.org/b" }, "retired": false,
    });
    assert_eq!(arms, json!({ "arms": [{ "index": 0, "name": "a", "retired": false }, bee] }));
}

/// A code, a part of its detail, and the change of the body that leads to it.
type Change = (&'static str, &'static str, fn(&mut Value));

#[test]
fn trace_what_cannot_be_an_experiment() {
    let server = Server::start();
    let client = server.client();
    let post = |change: &dyn Fn(&mut Value)| {
        let mut body = json!({ "name": "n", "arms": ["a", "b"] });
        change(&mut body);
        client.post("/v1/experiments", &body)
    };
    let changes: &[Change] = &[
        ("invalid", "missing field `name`", |body| drop(body.as_object_mut().unwrap().remove("name"))),
        ("invalid", "must not be blank", |body| body["name"] = json!("  ")),
        ("invalid", "control characters", |body| body["name"] = json!("a\u{0}b")),
        ("invalid", "length 201", |body| body["name"] = json!("x".repeat(201))),
        ("invalid", "must be from 2", |body| body["arms"] = json!(["a"])),
        ("invalid", "two arms are called `a`", |body| body["arms"] = json!(["a", "a"])),
        ("invalid", "did not match", |body| body["arms"] = json!(["a", 7])),
        ("invalid", "did not match", |body| body["arms"] = json!(["a", { "name": "b", "lable": "x" }])),
        ("invalid", "payload", |body| {
            body["arms"][1] = json!({ "name": "b", "payload": "x".repeat(65_600) });
        }),
        ("invalid", "unknown field `polcy`", |body| body["polcy"] = json!("rex3")),
        ("invalid", "unknown field `hold_out`", |body| body["settings"] = json!({ "hold_out": 0.5 })),
        ("invalid", "holdout", |body| body["settings"] = json!({ "holdout": 1.5 })),
        ("invalid", "expires_after", |body| body["settings"] = json!({ "expires_after": 0 })),
        ("invalid", "voter_votes", |body| body["settings"] = json!({ "voter_votes": 0 })),
        ("bad_policy", "rex33", |body| body["policy"] = json!("rex33")),
        ("bad_policy", "gama", |body| body["policy"] = json!("rex3:gama=0.5")),
        ("bad_policy", "needs each answer", |body| body["policy"] = json!("wsw")),
    ];
    for (code, detail, change) in changes {
        let problem = post(change).refused(422, code);
        assert!(text(&problem["detail"]).contains(detail), "{problem}");
    }
    assert_eq!(client.get("/v1/experiments").expect(200), json!({ "experiments": [] }));
}

#[test]
fn trace_lists_come_in_pages() {
    let server = Server::start();
    let client = server.client();
    for i in 0..5 {
        let body = json!({ "name": if i % 2 == 0 { "even" } else { "odd" }, "arms": ["a", "b"] });
        client.post("/v1/experiments", &body).expect(201);
    }
    let ids = |list: &Value| -> Vec<String> {
        list["experiments"].as_array().unwrap().iter().map(|view| text(&view["id"])).collect()
    };
    let all = ids(&client.get("/v1/experiments").expect(200));
    assert_eq!(all.len(), 5);
    let mut paged = Vec::new();
    let mut path = "/v1/experiments?limit=2".to_owned();
    for _ in 0..3 {
        let page = client.get(&path).expect(200);
        paged.extend(ids(&page));
        let Some(next) = page.get("next") else { break };
        path = format!("/v1/experiments?limit=2&after={}", text(next));
    }
    assert_eq!(paged, all);
    assert_eq!(ids(&client.get("/v1/experiments?name=odd").expect(200)).len(), 2);
    assert_eq!(ids(&client.get("/v1/experiments?name=neither").expect(200)).len(), 0);
    for query in ["limit=0", "limit=1001", "limit=x", "after=x", "limmit=3", "limit=1&limit=2"] {
        client.get(&format!("/v1/experiments?{query}")).refused(422, "invalid");
    }
}

#[test]
fn trace_pause_resume_close() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment();
    let path = |action: &str| format!("/v1/experiments/{id}/{action}");
    let duel = server.duel(&id);
    assert_eq!(client.order(&path("pause")).expect(200)["status"], "paused");
    assert_eq!(client.order(&path("pause")).expect(200)["status"], "paused");
    client.order(&path("duels")).refused(409, "experiment_paused");
    client.post(&format!("/v1/duels/{duel}/outcome"), &json!({ "outcome": "left" })).expect(200);
    assert_eq!(client.order(&path("resume")).expect(200)["status"], "running");
    let duel = server.duel(&id);
    assert_eq!(client.order(&path("close")).expect(200)["status"], "closed");
    assert_eq!(client.order(&path("close")).expect(200)["status"], "closed");
    for action in ["pause", "resume", "duels"] {
        client.order(&path(action)).refused(409, "experiment_closed");
    }
    client
        .post(&format!("/v1/duels/{duel}/outcome"), &json!({ "outcome": "left" }))
        .refused(409, "experiment_closed");
    client.post(&path("arms"), &json!({ "arms": ["d"] })).refused(409, "experiment_closed");
    assert_eq!(client.get(&format!("/v1/experiments/{id}/standing")).expect(200)["votes"], 1);
}

#[test]
fn trace_arms_come_and_go() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment();
    let path = |rest: &str| format!("/v1/experiments/{id}/arms{rest}");
    let added = client.post(&path(""), &json!({ "arms": ["d/e é", { "name": "f" }] })).expect(201);
    assert_eq!(added["arms"][0], json!({ "index": 3, "name": "d/e é", "retired": false }));
    // An arm's name is percent-encoded in a path.
    assert_eq!(client.order(&path("/d%2Fe%20%C3%A9/retire")).expect(200)["retired"], true);
    client.order(&path("/d%2Fe%20%C3%A9/retire")).refused(409, "arm_state");
    assert_eq!(client.order(&path("/d%2Fe%20%C3%A9/restore")).expect(200)["retired"], false);
    client.order(&path("/a/restore")).refused(409, "arm_state");
    client.order(&path("/nobody/retire")).refused(404, "no_arm");
    client.order(&path("/%ff/retire")).refused(400, "bad_request");
    client.post(&path(""), &json!({ "arms": ["a"] })).refused(422, "invalid");
    client.post(&path(""), &json!({ "arms": [] })).refused(422, "invalid");
    for arm in ["a", "b", "c"] {
        client.order(&path(&format!("/{arm}/retire"))).expect(200);
    }
    // Two arms must stay active.
    client.order(&path("/f/retire")).refused(409, "arm_state");
    for duel in server
        .client()
        .post(&format!("/v1/experiments/{id}/duels"), &json!({ "count": 50 }))
        .expect(200)["duels"]
        .as_array()
        .unwrap()
    {
        assert!(!["a", "b", "c"].contains(&duel["left"].as_str().unwrap()));
    }
    let pages = [
        ("?limit=2", 2, Some(2)),
        ("?from=2&limit=2", 2, Some(4)),
        ("?from=4", 1, None),
        ("?from=9", 0, None),
    ];
    for (query, length, next) in pages {
        let page = client.get(&path(query)).expect(200);
        assert_eq!(page["arms"].as_array().unwrap().len(), length, "{query}");
        assert_eq!(page.get("next").and_then(Value::as_u64), next, "{query}");
    }
    client.get(&path("?from=4294967295")).expect(200);
    for from in ["4294967296", "18446744073709551615", "18446744073709551616", "-1", ""] {
        client.get(&path(&format!("?from={from}"))).refused(422, "invalid");
    }
}

#[test]
fn trace_a_policy_with_fixed_arms_says_so() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment_with("rucb", &json!({}));
    let path = format!("/v1/experiments/{id}/arms");
    let problem = client.post(&path, &json!({ "arms": ["d"] })).refused(409, "not_elastic");
    assert!(text(&problem["detail"]).contains("rucb"), "{problem}");
    client.order(&format!("{path}/a/retire")).refused(409, "not_elastic");
}

/// The deepest payload that is accepted can be returned, and survives a restart.
#[test]
fn trace_a_deep_payload_survives_a_restart() {
    let server = Server::start();
    // 100 levels in all: 97 of the payload and 3 of the body around it.
    let deep = format!("{}{}", "[".repeat(97), "]".repeat(97));
    let body = |payload: &str| {
        format!("{{\"name\":\"n\",\"arms\":[\"a\",{{\"name\":\"b\",\"payload\":{payload}}}]}}")
    };
    let reply = server.client().send("POST", "/v1/experiments", Some(body(&deep).as_bytes()));
    let id = text(&reply.expect(201)["id"]);
    let deeper = format!("[{deep}]");
    let reply = server.client().send("POST", "/v1/experiments", Some(body(&deeper).as_bytes()));
    reply.refused(400, "bad_request");
    let duels = server.duels(&id, 3);
    let directory = server.stop();
    let server = Server::with(crate::server::Setup { directory: Some(directory), ..Default::default() });
    for duel in duels {
        server.client().post(&format!("/v1/duels/{duel}/outcome"), &json!({ "outcome": "tie" })).expect(200);
    }
    let arms = server.client().get(&format!("/v1/experiments/{id}/arms")).expect(200);
    assert_eq!(arms["arms"][1]["payload"].to_string(), deep);
}

/// No request can use up the memory: a policy that stores something per pair of arms accepts fewer
/// arms.
#[test]
fn law_every_policy_takes_or_refuses_many_arms() {
    let server = Server::configured(|config| config.max_body_bytes = 1 << 21);
    let arms: Vec<String> = (0..100_000).map(|i| format!("{i:x}")).collect();
    let mut taken = 0;
    for info in tiltyard_bandit::policy::registry::all() {
        let body = json!({
            "name": info.name, "arms": arms, "policy": info.name, "settings": { "horizon": 1_000_000 },
        });
        let reply = server.client().post("/v1/experiments", &body);
        match reply.status {
            201 => taken += 1,
            _ => assert!(
                ["invalid", "bad_policy"].contains(&text(&reply.json()["code"]).as_str()),
                "{}",
                reply.text()
            ),
        }
    }
    assert!(taken > 0);
    assert_eq!(server.client().get("/healthz").status, 200);
}

/// A server that stops stores the state of every experiment, so that the next start need not fold
/// logs.
#[test]
fn trace_stopping_keeps_snapshots() {
    let server = Server::start();
    let ids: Vec<_> = (0..10).map(|_| server.experiment()).collect();
    for id in &ids {
        server.duels(id, 3);
    }
    let directory = server.stop();
    let store = SqliteStore::open_read_only(directory.path()).unwrap();
    for id in ids {
        assert_eq!(store.snapshots(id.parse().unwrap()), Ok(vec![4]));
    }
}

/// A damaged experiment is named in the list and on its page. The others serve. Its history and its
/// log can be read as far as they are sound.
#[test]
fn trace_a_damaged_experiment_is_set_apart() {
    let server = Server::start();
    let (sound, hurt) = (server.experiment(), server.experiment());
    let duels = server.duels(&hurt, 3);
    let directory = server.stop();
    let connection = rusqlite::Connection::open(SqliteStore::file(directory.path())).unwrap();
    let damage = "DROP TRIGGER log_is_never_changed; UPDATE log SET at = 1 WHERE seq = 3";
    connection.execute_batch(damage).unwrap();
    drop(connection);

    let server = Server::with(Setup { directory: Some(directory), ..Setup::default() });
    let client = server.client();
    let list = client.get("/v1/experiments").expect(200);
    assert_eq!(list["experiments"].as_array().unwrap().len(), 1);
    assert_eq!(list["damaged"][0]["id"], hurt.as_str());
    assert_eq!(list["damaged"][0]["sound"], 2);
    let place = format!("record 3 of experiment {hurt}");
    assert!(list["damaged"][0]["damage"].as_str().unwrap().contains(&place), "{list}");
    let page = client.get("/").text();
    assert!(page.contains("is damaged") && page.contains(&place), "{page}");
    let history = client.get(&format!("/v1/experiments/{hurt}/history")).expect(200);
    assert_eq!(history["events"].as_array().unwrap().len(), 2);
    assert_eq!(history["events"][1]["type"], "duel");
    assert!(history["events"][1]["left"].is_string() && history["damage"].is_string(), "{history}");
    let log = client.get(&format!("/v1/experiments/{hurt}/log")).text();
    assert_eq!(log.lines().count(), 3, "{log}");
    assert!(log.lines().last().unwrap().starts_with(r#"{"damage":"#), "{log}");
    for path in ["standing", "digest", "votes", "arms"] {
        client.get(&format!("/v1/experiments/{hurt}/{path}")).refused(500, "experiment_damaged");
    }
    client.order(&format!("/v1/experiments/{hurt}/duels")).refused(500, "experiment_damaged");
    client.get(&format!("/v1/duels/{}", duels[0])).refused(500, "experiment_damaged");
    // The other experiment is not affected.
    assert_eq!(server.duels(&sound, 2).len(), 2);
    client.get("/readyz").expect(200);
    let metrics = client.get("/metrics").text();
    assert!(metrics.contains("tiltyard_damaged_experiments 1"), "{metrics}");
}

/// The server is not ready once it cannot write any more.
#[test]
fn trace_readiness_is_about_writing() {
    let server = Server::start();
    let id = server.experiment();
    server.client().get("/readyz").expect(200);
    std::fs::remove_file(SqliteStore::file(server.data())).unwrap();
    server.client().order(&format!("/v1/experiments/{id}/duels")).refused(503, "store_unavailable");
    let ready = server.client().get("/readyz").refused(503, "store_unavailable");
    assert!(ready["detail"].as_str().unwrap().contains("tiltyard.db was deleted"), "{ready}");
    server.client().get("/healthz").expect(200);
}
