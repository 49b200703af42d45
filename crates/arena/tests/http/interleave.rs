//! Interleaving: drawing two rankers, merging their lists, crediting clicks.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use crate::client::Reply;
use crate::server::{Server, Setup, text};

/// The lists of all three rankers, without common documents.
fn lists() -> Value {
    json!({ "a": ["a1", "a2"], "b": ["b1", "b2"], "c": ["c1", "c2"] })
}

fn interleave(server: &Server, id: &str, body: &Value) -> Reply {
    server.client().post(&format!("/v1/experiments/{id}/interleave"), body)
}

fn click(server: &Server, duel: &str, body: &Value) -> Reply {
    server.client().post(&format!("/v1/duels/{duel}/clicks"), body)
}

fn documents(view: &Value) -> Vec<String> {
    view["list"].as_array().unwrap().iter().map(|listed| text(&listed["document"])).collect()
}

fn seq(server: &Server, id: &str) -> u64 {
    server.client().get(&format!("/v1/experiments/{id}")).expect(200)["seq"].as_u64().unwrap()
}

fn last_event(server: &Server, id: &str) -> Value {
    let after = seq(server, id) - 1;
    let history = server.client().get(&format!("/v1/experiments/{id}/history?after={after}")).expect(200);
    history["events"][0].clone()
}

#[test]
fn trace_which_rankers_to_run_their_lists_and_clicks() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment();
    let mut kinds = BTreeSet::new();
    let mut votes = 0;
    for _ in 0..60 {
        let drawn = client.order(&format!("/v1/experiments/{id}/interleave")).expect(200);
        let duel = text(&drawn["duel"]["id"]);
        assert_eq!((drawn.get("list"), drawn.get("method")), (None, None));
        let (left, right) = (text(&drawn["duel"]["left"]), text(&drawn["duel"]["right"]));
        let alone = left == right;
        let run = if alone { json!([left]) } else { json!([left, right]) };
        assert_eq!((&drawn["run"], &drawn["alone"]), (&run, &json!(alone)));
        kinds.insert(alone);
        // With three arms and no votes, all nine ordered pairs have the same probability.
        if votes == 0 {
            let pair = drawn["duel"]["propensity"]["pair"].as_f64().unwrap();
            assert!((pair - 1.0 / 9.0).abs() < 1e-12, "{drawn}");
        }
        click(&server, &duel, &json!({ "clicks": [1] })).refused(409, "not_interleaved");
        let mut brought = json!({ "lists": {}, "length": 4 });
        for name in [&left, &right] {
            brought["lists"][name] = lists()[name].clone();
        }
        let path = format!("/v1/duels/{duel}/lists");
        let merged = client.post(&path, &brought).expect(200);
        assert_eq!(client.post(&path, &brought).expect(200), merged);
        assert_eq!((&merged["duel"], &merged["method"]), (&drawn["duel"], &json!("team-draft")));
        // The list does not reveal the rankers: an entry has only a position and a document.
        for (place, listed) in merged["list"].as_array().unwrap().iter().enumerate() {
            assert_eq!(listed.as_object().unwrap().len(), 2);
            assert_eq!(listed["position"], place + 1);
        }
        let expected = |name: &str| [format!("{name}1"), format!("{name}2")];
        let expected: BTreeSet<_> = expected(&left).into_iter().chain(expected(&right)).collect();
        assert_eq!(documents(&merged).into_iter().collect::<BTreeSet<_>>(), expected);
        let said = json!({ "documents": [format!("{left}1")], "voter": "v", "time": "2026-01-31T12:00:00Z" });
        assert_eq!(click(&server, &duel, &said).expect(200), json!({ "status": "recorded" }));
        assert_eq!(click(&server, &duel, &said).expect(200), json!({ "status": "already" }));
        votes += 1;
        let state = client.get(&format!("/v1/duels/{duel}")).expect(200);
        assert_eq!(state["outcome"], if alone { "tie" } else { "left" });
        let event = last_event(&server, &id);
        assert_eq!((&event["type"], &event["outcome"]), (&json!("answered"), &state["outcome"]));
        assert_eq!(event["clicks"].as_array().unwrap().len(), 1);
        assert_eq!(event["voter"], "v");
    }
    assert_eq!(kinds.len(), 2, "60 draws of 9 pairs have equal arms and different arms");
    assert_eq!(server.totals(&id)["votes"], votes);
}

#[test]
fn trace_the_lists_of_all_at_once() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment();
    let context = json!({ "query": "q" });
    let body = json!({ "client_id": "page 1", "context": context, "lists": lists(), "method": "probabilistic", "length": 3 });
    let merged = interleave(&server, &id, &body).expect(200);
    assert_eq!(interleave(&server, &id, &body).expect(200), merged);
    assert_eq!(interleave(&server, &id, &json!({ "client_id": "page 1" })).expect(200), merged);
    let other = json!({ "client_id": "page 1", "lists": { "a": [], "b": [], "c": [] } });
    interleave(&server, &id, &other).refused(409, "lists_contradict");
    assert_eq!(merged["method"], "probabilistic:tau=3,credit=marginal");
    let event = last_event(&server, &id);
    assert_eq!((&event["type"], &event["method"]), (&json!("interleaved"), &merged["method"]));
    assert_eq!((&event["documents"], &event["alone"]), (&json!(documents(&merged)), &merged["alone"]));
    // Created, drawn, merged.
    assert_eq!(seq(&server, &id), 3);
    // After a restart, the list is still there and clicks on it still count.
    let duel = text(&merged["duel"]["id"]);
    let directory = server.stop();
    let server = Server::with(Setup { directory: Some(directory), ..Setup::default() });
    assert_eq!(interleave(&server, &id, &body).expect(200), merged);
    click(&server, &duel, &json!({ "clicks": [1] })).expect(200);
    click(&server, &duel, &json!({ "clicks": [2] })).refused(409, "outcome_contradicts");
    assert_eq!(interleave(&server, &id, &body).expect(200), merged);
    drop(client);
}

/// An invalid request is refused before anything is drawn.
#[test]
fn trace_what_is_refused_leaves_nothing_behind() {
    let server = Server::start();
    let id = server.experiment();
    let with = |name: &str, list: Value| {
        let mut lists = lists();
        lists[name] = list;
        json!({ "lists": lists })
    };
    let many: serde_json::Map<_, _> = (0..101).map(|i| (i.to_string(), json!([]))).collect();
    let long: Vec<String> = (0..1001).map(|i| i.to_string()).collect();
    for (body, word) in [
        (json!({ "lists": { "a": ["1"], "c": ["2"] } }), "`b`"),
        (with("x", json!([])), "`x`"),
        (with("a", json!([""])), "blank"),
        (with("a", json!(["\u{7}"])), "control"),
        (with("a", json!(["x".repeat(201)])), "201"),
        (with("a", json!(long)), "1001"),
        (with("a", json!([1])), "string"),
        (with("a", json!("a1")), "sequence"),
        (json!({ "lists": many }), "101"),
        (json!({ "lists": {} }), "number of lists"),
        (json!({ "method": "alphabetical" }), "alphabetical"),
        (json!({ "method": "probabilistic:tau=11" }), "tau"),
        (json!({ "length": 0 }), "length"),
        (json!({ "length": 101 }), "length"),
        (json!({ "size": 3 }), "size"),
    ] {
        let problem = interleave(&server, &id, &body).refused(422, "invalid");
        assert!(text(&problem["detail"]).contains(word), "{problem}");
    }
    assert_eq!(seq(&server, &id), 1);
    let merged = interleave(&server, &id, &json!({ "lists": lists() })).expect(200);
    let duel = text(&merged["duel"]["id"]);
    let length = merged["list"].as_array().unwrap().len();
    for (body, word) in [
        (json!({ "clicks": [0] }), "position 0".to_owned()),
        (json!({ "clicks": [length + 1] }), format!("the list has {length} documents")),
        (json!({ "clicks": [1, 1_000_000_000_000_u64] }), "position 1000000000000".to_owned()),
        (json!({ "clicks": [-1] }), "-1".to_owned()),
        (json!({ "documents": ["nowhere"] }), "`nowhere`".to_owned()),
        (json!({ "clicks": [1], "documents": [] }), "not both".to_owned()),
        (json!({ "clicks": [1], "voter": "" }), "voter".to_owned()),
        (json!({ "clicks": [1], "time": "noon" }), "noon".to_owned()),
        (json!({}), "not both".to_owned()),
    ] {
        let problem = click(&server, &duel, &body).refused(422, "invalid");
        assert!(text(&problem["detail"]).contains(&word), "{problem}");
    }
    assert_eq!(seq(&server, &id), 3);
    click(&server, "x", &json!({ "clicks": [] })).refused(404, "no_duel");
    server.client().post("/v1/duels/x/lists", &json!({ "lists": lists() })).refused(404, "no_duel");
    server.client().order("/v1/experiments/x/interleave").refused(404, "no_experiment");
}

#[test]
fn trace_rankers_against_themselves() {
    let server = Server::start();
    let id = server.experiment_with("rex3", &json!({ "aa": 1.0 }));
    let mut ties = 0;
    for i in 0..30 {
        let merged = interleave(&server, &id, &json!({ "lists": lists() })).expect(200);
        let duel = &merged["duel"];
        assert_eq!((&duel["left"], &duel["aa"]), (&duel["right"], &json!(true)));
        assert_eq!((&merged["alone"], merged["run"].as_array().unwrap().len()), (&json!(false), 1));
        let pair = duel["propensity"]["pair"].as_f64().unwrap();
        assert!((pair - 1.0 / 3.0).abs() < 1e-12, "{duel}");
        let nothing = i % 2 == 0;
        ties += u64::from(nothing);
        let clicks = if nothing { json!({ "clicks": [] }) } else { json!({ "clicks": [1] }) };
        click(&server, &text(&duel["id"]), &clicks).expect(200);
    }
    let standing = server.client().get(&format!("/v1/experiments/{id}/standing")).expect(200);
    let aa = &standing["totals"]["aa"];
    assert_eq!(aa["ties"], ties);
    assert_eq!(aa["left"].as_u64().unwrap() + aa["right"].as_u64().unwrap(), 30 - ties);
    assert_eq!((&standing["votes"], &standing["pairs"]), (&json!(0), &json!([])));
    let event = server.client().get(&format!("/v1/experiments/{id}/history?after=1&limit=1")).expect(200);
    assert_eq!((&event["events"][0]["type"], &event["events"][0]["aa"]), (&json!("duel"), &json!(true)));
}

/// A key that may vote may interleave and click in its experiment. A reader's key may not.
#[test]
fn trace_who_may() {
    let server = Server::with_keys();
    let (id, other) = (server.experiment(), server.experiment());
    let key = |body: Value| {
        let made = server.client().post("/v1/keys", &body).expect(201);
        server.client().with_key(&text(&made["key"]))
    };
    let voter = key(json!({ "scope": "voter", "experiment": id }));
    let reader = key(json!({ "scope": "reader" }));
    let path = |id: &str| format!("/v1/experiments/{id}/interleave");
    let drawn = voter.order(&path(&id)).expect(200);
    voter.order(&path(&other)).refused(403, "forbidden");
    reader.order(&path(&id)).refused(403, "forbidden");
    let duel = text(&drawn["duel"]["id"]);
    let (merge, click) = (format!("/v1/duels/{duel}/lists"), format!("/v1/duels/{duel}/clicks"));
    let lists = json!({ "lists": lists() });
    reader.post(&merge, &lists).refused(403, "forbidden");
    voter.post(&merge, &lists).expect(200);
    reader.post(&click, &json!({ "clicks": [1] })).refused(403, "forbidden");
    voter.post(&click, &json!({ "clicks": [1] })).expect(200);
}

/// If the store fails, nothing is returned that was not stored, and repeating the request with the
/// same client id returns one duel.
#[test]
fn trace_a_store_that_fails() {
    let (server, trouble) = Server::troubled(|_| {});
    let id = server.experiment();
    let body = json!({ "client_id": "page", "lists": lists() });
    trouble.fails.store(true, Ordering::SeqCst);
    interleave(&server, &id, &body).refused(503, "store_unavailable");
    trouble.fails.store(false, Ordering::SeqCst);
    let merged = interleave(&server, &id, &body).expect(200);
    assert_eq!(seq(&server, &id), 3);
    let duel = text(&merged["duel"]["id"]);
    trouble.fails.store(true, Ordering::SeqCst);
    click(&server, &duel, &json!({ "clicks": [1] })).refused(503, "store_unavailable");
    trouble.fails.store(false, Ordering::SeqCst);
    assert_eq!(click(&server, &duel, &json!({ "clicks": [1] })).expect(200)["status"], "recorded");
    assert_eq!(server.totals(&id)["votes"], 1);
}
