//! Reading the log of an experiment.

use serde_json::{Value, json};

use crate::server::{Server, text};

#[test]
fn trace_the_log_in_pages() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment();
    for duel in server.duels(&id, 5) {
        client
            .post(&format!("/v1/duels/{duel}/outcome"), &json!({ "outcome": "left", "voter": "v" }))
            .expect(200);
    }
    client.order(&format!("/v1/experiments/{id}/pause")).expect(200);
    let path = format!("/v1/experiments/{id}/history");
    let whole = client.get(&path).expect(200);
    let events = whole["events"].as_array().unwrap().clone();
    let places: Vec<_> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(places, (1..=12).collect::<Vec<_>>());
    assert_eq!(events[0]["arms"], json!(["a", "b", "c"]));
    assert_eq!(events[6]["voter"], "v");
    assert_eq!(events[11]["status"], "paused");
    let mut paged = Vec::new();
    let mut after = 0;
    for _ in 0..10 {
        let page = client.get(&format!("{path}?limit=5&after={after}")).expect(200);
        paged.extend(page["events"].as_array().unwrap().clone());
        let Some(next) = page.get("next").and_then(Value::as_u64) else { break };
        after = next;
    }
    assert_eq!(paged, events);
    assert_eq!(client.get(&format!("{path}?after=4611686018427387903")).expect(200)["events"], json!([]));
    for query in ["after=4611686018427387904", "after=18446744073709551615", "after=-1", "limit=1001", "x=1"]
    {
        client.get(&format!("{path}?{query}")).refused(422, "invalid");
    }
}

/// A person who reads a log must not be able to answer its duels.
#[test]
fn trace_no_secret_is_in_the_log() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment_with("rex3", &json!({ "late": "accept" }));
    let duels = server.duels(&id, 3);
    client.post(&format!("/v1/duels/{}/outcome", duels[0]), &json!({ "outcome": "left" })).expect(200);
    client.delete(&format!("/v1/duels/{}", duels[0])).expect(200);
    client.delete(&format!("/v1/duels/{}", duels[1])).expect(200);
    let history = client.get(&format!("/v1/experiments/{id}/history")).expect(200).to_string();
    for duel in duels {
        let token = duel.rsplit('-').next().unwrap();
        assert!(!history.contains(token));
    }
    assert!(!history.contains("token"));
    let kept = server.arena.history(id.parse().unwrap(), 0, 100).unwrap();
    assert!(
        kept.iter().any(|record| record.event.body().contains("token")),
        "the log has the secrets, the API leaves them out"
    );
    assert_eq!(
        text(&client.get(&format!("/v1/experiments/{id}/history?limit=1")).expect(200)["events"][0]["type"]),
        "created"
    );
}
