//! The standing of an experiment.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};

use crate::server::{Server, text};

#[test]
fn trace_votes_are_counted_for_arms_and_pairs() {
    let server = Server::start();
    let client = server.client();
    let body = json!({ "name": "n", "arms": ["a", "b"] });
    let id = text(&client.post("/v1/experiments", &body).expect(201)["id"]);
    let path = format!("/v1/experiments/{id}");
    let duels = client.post(&format!("{path}/duels"), &json!({ "count": 8 })).expect(200);
    let duels = duels["duels"].as_array().unwrap();
    // Five votes for a, a tie, a score of 0.5 for a, and one duel in flight.
    for (i, duel) in duels.iter().take(7).enumerate() {
        let left = duel["left"] == "a";
        let outcome = match i {
            5 => json!({ "outcome": "tie" }),
            6 => json!({ "score": if left { 0.5 } else { -0.5 } }),
            _ => json!({ "outcome": if left { "left" } else { "right" } }),
        };
        client.post(&format!("/v1/duels/{}/outcome", text(&duel["id"])), &outcome).expect(200);
    }
    let standing = client.get(&format!("{path}/standing")).expect(200);
    assert_eq!(standing["experiment"], id);
    assert_eq!(standing["votes"], 7);
    assert_eq!(standing["recommended"], "a");
    assert_eq!(standing["seq"], 1 + 8 + 7);
    assert_eq!(standing["totals"], server.totals(&id));
    let [a, b] = &standing["arms"].as_array().unwrap()[..] else { panic!("{standing}") };
    assert_eq!(
        (&a["wins"], &a["losses"], &a["ties"], &a["graded"]),
        (&json!(5), &json!(0), &json!(1), &json!(1))
    );
    assert_eq!(
        (&b["wins"], &b["losses"], &b["duels"], &b["in_flight"]),
        (&json!(0), &json!(5), &json!(8), &json!(1))
    );
    assert!(a["probability"].as_f64().unwrap() > b["probability"].as_f64().unwrap());
    let pair = json!({
        "first": "a", "second": "b", "votes": 7, "first_wins": 5, "second_wins": 0, "ties": 1, "both_bad": 0,
        "graded": 1, "graded_sum": 0.5,
    });
    let mut found = standing["pairs"][0].clone();
    let found = found.as_object_mut().expect("one pair was compared");
    assert_eq!(found.remove("in_flight"), Some(json!(1)));
    assert_eq!(found.remove("better"), Some(Value::Null));
    let rate = found.remove("rate").expect("it was compared");
    // Of seven votes: five wins, a tie that counts 0.5, and a score of 0.5 that counts 0.75.
    assert_eq!(rate["estimate"], 6.25 / 7.0);
    assert_eq!(json!(found), pair);
    assert_eq!(standing["pairs"].as_array().map(Vec::len), Some(1));
    assert_eq!((&standing["leader"], &standing["verdict"]["status"]), (&Value::Null, &json!("undecided")));
    let digest = client.get(&format!("{path}/digest")).expect(200);
    assert_eq!(digest["seq"], standing["seq"]);
    assert_eq!(text(&digest["digest"]).len(), 64);
}

#[test]
fn trace_arms_and_pairs_come_in_pages() {
    let server = Server::start();
    let client = server.client();
    let arms: Vec<String> = (0..7).map(|i| format!("arm {i}")).collect();
    let id = text(&client.post("/v1/experiments", &json!({ "name": "n", "arms": arms })).expect(201)["id"]);
    for duel in server.duels(&id, 60) {
        client.post(&format!("/v1/duels/{duel}/outcome"), &json!({ "outcome": "tie" })).expect(200);
    }
    let path = format!("/v1/experiments/{id}/standing");
    let whole = client.get(&path).expect(200);
    assert_eq!(whole.get("arms_next"), None);
    let (mut arms, mut pairs) = (Vec::new(), Vec::new());
    let (mut from, mut after) = (Some(0), None);
    for _ in 0..40 {
        let query = match (&from, &after) {
            (Some(from), None) => format!("?limit=2&arms_from={from}"),
            (None, Some(after)) => format!("?limit=2&pairs_after={after}"),
            (Some(from), Some(after)) => format!("?limit=2&arms_from={from}&pairs_after={after}"),
            (None, None) => break,
        };
        let page = client.get(&format!("{path}{query}")).expect(200);
        if from.is_some() {
            arms.extend(page["arms"].as_array().unwrap().clone());
        }
        pairs.extend(page["pairs"].as_array().unwrap().clone());
        from = from.and_then(|_| page.get("arms_next").and_then(Value::as_u64));
        after = page.get("pairs_next").map(text);
        if after.is_none() {
            break;
        }
    }
    assert_eq!(json!(pairs), whole["pairs"]);
    assert_eq!(json!(arms), whole["arms"]);
    for query in [
        "pairs_after=x",
        "pairs_after=0",
        "pairs_after=0-99999999999",
        "limit=0",
        "arms_from=-1",
        "arms_from=4294967296",
        "x=1",
    ] {
        client.get(&format!("{path}?{query}")).refused(422, "invalid");
    }
    assert_eq!(client.get(&format!("{path}?arms_from=4294967295")).expect(200)["arms"], json!([]));
    // The pair need not exist.
    client.get(&format!("{path}?pairs_after=6-1")).expect(200);
    client.get("/v1/experiments/0000000000001/standing").refused(404, "no_experiment");
}

/// Reads an experiment in every way while a duel waits for the store, which then writes it or
/// fails.
#[test]
fn trace_nothing_is_shown_before_it_is_durable() {
    let (server, trouble) = Server::troubled(|_| {});
    let client = server.client();
    let (id, other) = (server.experiment(), server.experiment());
    let path = format!("/v1/experiments/{id}");
    for fails in [true, false] {
        trouble.hold();
        trouble.fails.store(fails, Ordering::SeqCst);
        std::thread::scope(|scope| {
            let issued = scope.spawn(|| client.order(&format!("{path}/duels")));
            while server.arena.n_waiting() == 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
            let read = |path: String| {
                let client = &client;
                scope.spawn(move || client.get(&path))
            };
            let counts = [path.clone(), format!("{path}/standing")].map(read);
            let list = read("/v1/experiments".to_owned());
            let others = [format!("{path}/digest"), format!("/experiments/{id}"), "/".to_owned()].map(read);
            // Nothing else is held up.
            client.get("/healthz").expect(200);
            client.get(&format!("/v1/experiments/{other}")).expect(200);
            let early = |reader: &std::thread::ScopedJoinHandle<'_, _>| reader.is_finished();
            assert!(!counts.iter().chain([&list]).chain(&others).any(early), "it is not durable yet");
            trouble.let_go();
            assert_eq!(issued.join().unwrap().status, if fails { 503 } else { 200 });
            // A reader that came after the failure sees the log as it is.
            let mut seen: Vec<Value> = Vec::new();
            for reader in counts {
                let reply = reader.join().unwrap();
                if !fails || reply.status == 200 {
                    seen.push(reply.expect(200)["totals"]["duels"].clone());
                } else {
                    reply.refused(503, "store_unavailable");
                }
            }
            let list = list.join().unwrap();
            if !fails || list.status == 200 {
                let list = list.expect(200);
                let all = list["experiments"].as_array().unwrap();
                let this = all.iter().find(|one| one["id"] == *id).unwrap();
                seen.push(this["totals"]["duels"].clone());
            }
            assert!(seen.iter().all(|duels| *duels == u64::from(!fails)), "{seen:?}");
            for reader in others {
                let status = reader.join().unwrap().status;
                assert!(status == 200 || fails && status == 503, "{status}");
            }
        });
    }
}
