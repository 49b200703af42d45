//! Slates: showing several arms together, ranking, counting and exporting them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::client::Reply;
use crate::server::{Server, Setup, text};

fn slate(server: &Server, id: &str, body: &Value) -> Reply {
    server.client().post(&format!("/v1/experiments/{id}/slates"), body)
}

fn rank(server: &Server, duel: &str, body: &Value) -> Reply {
    server.client().post(&format!("/v1/duels/{duel}/ranking"), body)
}

/// An experiment with four arms, one of them with a label.
fn four(server: &Server) -> String {
    let arms = json!(["a", "b", "c", { "name": "d", "label": "The last" }]);
    text(&server.client().post("/v1/experiments", &json!({ "name": "n", "arms": arms })).expect(201)["id"])
}

#[test]
fn trace_a_slate_from_its_issue_to_its_void() {
    let server = Server::start();
    let client = server.client();
    let id = four(&server);
    let body = json!({ "size": 4, "client_id": "page 1", "context": { "page": 1 } });
    let shown = slate(&server, &id, &body).expect(200);
    assert_eq!(slate(&server, &id, &body).expect(200), shown);
    slate(&server, &id, &json!({ "size": 3, "client_id": "page 1" })).refused(409, "client_id_reused");
    let duels = format!("/v1/experiments/{id}/duels");
    client.post(&duels, &json!({ "client_id": "page 1" })).refused(409, "client_id_reused");
    let arms: BTreeSet<String> = shown["arms"].as_array().unwrap().iter().map(text).collect();
    assert_eq!(arms, ["a", "b", "c", "d"].map(str::to_owned).into());
    for (arm, details) in shown["arms"].as_array().unwrap().iter().zip(shown["details"].as_array().unwrap()) {
        assert_eq!(details["name"], *arm);
    }
    assert_eq!(shown["holdout"], false);
    let duel = text(&shown["id"]);
    let state = client.get(&format!("/v1/duels/{duel}")).expect(200);
    assert_eq!((&state["status"], &state["slate"]), (&json!("open"), &shown["arms"]));
    let said = json!({ "ranking": ["d", ["b", "a"], "c"], "voter": "v", "time": "2026-01-31T12:00:00Z" });
    assert_eq!(rank(&server, &duel, &said).expect(200), json!({ "status": "recorded" }));
    assert_eq!(rank(&server, &duel, &said).expect(200), json!({ "status": "already" }));
    rank(&server, &duel, &json!({ "best": "d", "voter": "v" })).refused(409, "outcome_contradicts");
    let outcome = format!("/v1/duels/{duel}/outcome");
    client.post(&outcome, &json!({ "outcome": "skip" })).refused(409, "outcome_contradicts");
    let state = client.get(&format!("/v1/duels/{duel}")).expect(200);
    let ranked = json!({ "ranking": [["d"], ["a", "b"], ["c"]] });
    assert_eq!(
        (&state["status"], &state["ranked"], state.get("outcome")),
        (&json!("answered"), &ranked, None)
    );

    let totals = server.totals(&id);
    let counts = ["duels", "votes", "rankings", "graded", "ties", "left", "right", "imported"];
    assert_eq!(counts.map(|name| totals[name].as_u64()), [1, 6, 1, 5, 1, 0, 0, 0].map(Some));
    let history = client.get(&format!("/v1/experiments/{id}/history?after=1")).expect(200);
    let [issued, answered] = [0, 1].map(|i| history["events"][i].clone());
    assert_eq!((&issued["type"], &issued["slate"]), (&json!("duel"), &shown["arms"]));
    assert_eq!((&answered["type"], &answered["ranked"]), (&json!("answered"), &ranked));
    assert_eq!((&answered["voter"], answered.get("outcome")), (&json!("v"), None));

    let directory = server.stop();
    let server = Server::with(Setup { directory: Some(directory), ..Setup::default() });
    assert_eq!(rank(&server, &duel, &said).expect(200), json!({ "status": "already" }));
    let found =
        server.client().post(&format!("/v1/experiments/{id}/void"), &json!({ "voter": "v" })).expect(200);
    assert_eq!((&found["found"], &found["voided"]), (&json!(1), &json!(1)));
    rank(&server, &duel, &said).refused(409, "duel_voided");
    let totals = server.totals(&id);
    assert_eq!((&totals["votes"], &totals["rankings"], &totals["voided"]), (&json!(0), &json!(0), &json!(1)));
    let history = server.client().get(&format!("/v1/experiments/{id}/history?after=3")).expect(200);
    let voided = &history["events"][0];
    assert_eq!(
        (&voided["type"], &voided["ranked"], &voided["slate"]),
        (&json!("voided"), &ranked, &shown["arms"])
    );
}

#[test]
fn trace_what_is_no_answer_to_a_slate() {
    let server = Server::start();
    let client = server.client();
    let id = four(&server);
    let duel = text(&slate(&server, &id, &json!({ "size": 4 })).expect(200)["id"]);
    let outcome = format!("/v1/duels/{duel}/outcome");
    client.post(&outcome, &json!({ "outcome": "left" })).refused(409, "is_slate");
    client.post(&outcome, &json!({ "score": 0.5 })).refused(409, "is_slate");
    client.post(&format!("/v1/duels/{duel}/lists"), &json!({ "lists": {} })).refused(409, "is_slate");
    client
        .post(&format!("/v1/duels/{duel}/clicks"), &json!({ "clicks": [] }))
        .refused(409, "not_interleaved");
    for (body, word) in [
        (json!({}), "`ranking` or `best`"),
        (json!({ "best": "a", "ranking": ["a", "b", "c", "d"] }), "`ranking` or `best`"),
        (json!({ "best": "x" }), "`x`"),
        (json!({ "best": 1 }), "string"),
        (json!({ "ranking": ["a", "b", "c"] }), "`d`"),
        (json!({ "ranking": ["a", "b", "c", "d", "a"] }), "`a`"),
        (json!({ "ranking": ["a", ["b", "x"], "c", "d"] }), "`x`"),
        (json!({ "ranking": ["a", [], "b", "c", "d"] }), "tie"),
        (json!({ "ranking": [] }), "ranking"),
        (json!({ "ranking": [["a", ["b"]], "c", "d"] }), "body"),
        (json!({ "best": "a", "time": "yesterday" }), "time"),
        (json!({ "best": "a", "voter": "" }), "voter"),
        (json!({ "best": "a", "also": 1 }), "also"),
    ] {
        let problem = rank(&server, &duel, &body).refused(422, "invalid");
        assert!(text(&problem["detail"]).contains(word), "{body}: {problem}");
    }
    assert_eq!(server.totals(&id)["votes"], 0);
}

/// A ranking in exports, voters and segments.
#[test]
fn trace_a_ranking_is_exported_pair_by_pair() {
    let server = Server::start();
    let client = server.client();
    let id = four(&server);
    let shown = slate(&server, &id, &json!({ "size": 4, "context": { "page": 1 } })).expect(200);
    let said = json!({ "ranking": ["d", ["b", "a"], "c"], "voter": "v" });
    rank(&server, &text(&shown["id"]), &said).expect(200);
    // One row per pair, each with weight 1/3. The drawn pair has the propensity of a duel: one of
    // twelve ordered pairs.
    let export = client.get(&format!("/v1/experiments/{id}/votes?format=jsonl"));
    let rows: Vec<Value> = export.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 6);
    let drawn: Vec<&Value> = rows.iter().filter(|row| !row["pscore"].is_null()).collect();
    assert_eq!(drawn.len(), 1);
    assert!((drawn[0]["pscore"].as_f64().unwrap() - 1.0 / 12.0).abs() < 1e-12, "{}", drawn[0]);
    assert!((drawn[0]["pscore_left"].as_f64().unwrap() - 0.25).abs() < 1e-12, "{}", drawn[0]);
    for row in &rows {
        assert!((row["weight"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-12, "{row}");
        assert_eq!((&row["duel"], &row["seq"], &row["voter"]), (&json!(2), &json!(3), &json!("v")));
        assert_eq!((&row["context"], &row["source"]), (&json!({ "page": 1 }), &Value::Null));
        let (left, right) = (text(&row["left"]), text(&row["right"]));
        let place = |arm: &str| ["d", "ab", "c"].iter().position(|tier| tier.contains(arm)).unwrap();
        let expected = match place(&left).cmp(&place(&right)) {
            core::cmp::Ordering::Less => "left",
            core::cmp::Ordering::Equal => "tie",
            core::cmp::Ordering::Greater => "right",
        };
        assert_eq!(row["outcome"], expected, "{row}");
    }
    // The export can be imported again, and counts the same.
    let other = four(&server);
    let fields = ["left", "right", "outcome", "weight"];
    let again: Vec<Value> = rows
        .iter()
        .map(|row| fields.iter().map(|&name| (name.to_owned(), row[name].clone())).collect())
        .collect();
    let body = json!({ "client_id": "x", "source": "s", "votes": again });
    client.post(&format!("/v1/experiments/{other}/votes"), &body).expect(200);
    let pairs = |id: &str| client.get(&format!("/v1/experiments/{id}/standing")).expect(200)["pairs"].clone();
    assert_eq!(pairs(&id), pairs(&other));
    let voters = client.get(&format!("/v1/experiments/{id}/voters")).expect(200);
    assert_eq!((&voters["voters"][0]["voter"], &voters["voters"][0]["votes"]), (&json!("v"), &json!(1)));
    let segments = client.get(&format!("/v1/experiments/{id}/segments?key=page")).expect(200);
    assert_eq!(segments["segments"][0]["votes"], 6, "{segments}");
}

#[test]
fn trace_slates_that_are_refused_skipped_and_limited() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment_with("rex3", &json!({ "voter_votes": 1, "max_in_flight": 2 }));
    for (body, word) in [
        (json!({ "size": 2 }), "from 3 to 20"),
        (json!({ "size": 21 }), "from 3 to 20"),
        (json!({ "size": 4 }), "the experiment has 3"),
        (json!({ "size": -1 }), "-1"),
        (json!({}), "size"),
        (json!({ "size": 3, "client_id": "" }), "blank"),
        (json!({ "size": 3, "context": "x".repeat(17_000) }), "context"),
    ] {
        let problem = slate(&server, &id, &body).refused(422, "invalid");
        assert!(text(&problem["detail"]).contains(word), "{body}: {problem}");
    }
    let draw = || text(&slate(&server, &id, &json!({ "size": 3 })).expect(200)["id"]);
    let (first, second) = (draw(), draw());
    slate(&server, &id, &json!({ "size": 3 })).refused(429, "too_many_in_flight");
    let best = json!({ "best": "a", "voter": "v" });
    rank(&server, &first, &best).expect(200);
    rank(&server, &second, &best).refused(429, "voter_limit");
    client.post(&format!("/v1/duels/{second}/outcome"), &json!({ "outcome": "skip" })).expect(200);
    rank(&server, &second, &json!({ "best": "b" })).refused(409, "outcome_contradicts");
    let duel = server.duel(&id);
    rank(&server, &duel, &json!({ "best": "a" })).refused(409, "not_a_slate");
    let state = client.get(&format!("/v1/duels/{first}")).expect(200);
    assert_eq!(state["ranked"], json!({ "best": "a" }));
    let totals = server.totals(&id);
    assert_eq!(
        (&totals["votes"], &totals["rankings"], &totals["skipped"]),
        (&json!(2), &json!(1), &json!(1))
    );
    // This policy cannot propose two different arms.
    let other = server.experiment_with("dts", &json!({}));
    slate(&server, &other, &json!({ "size": 3 })).refused(422, "bad_policy");
}

/// An imported ranking counts like its pairs, imported with the same weights.
#[test]
fn trace_rankings_from_elsewhere() {
    let server = Server::start();
    let client = server.client();
    let [one, other] = [(); 2].map(|()| four(&server));
    let import = |id: &str, votes: &Value| {
        let body = json!({ "client_id": "1", "source": "s", "votes": votes });
        client.post(&format!("/v1/experiments/{id}/votes"), &body)
    };
    let ranked = json!([
        { "ranking": ["a", ["b", "c"]], "voter": "v" },
        { "best": "d", "of": ["a", "d", "b"], "weight": 0.5 },
        { "ranking": ["c", "d"] },
    ]);
    assert_eq!(import(&one, &ranked).expect(200)["votes"], 6);
    let pair = |left: &str, right: &str, outcome: &str, weight: f64| json!({ "left": left, "right": right, "outcome": outcome, "weight": weight });
    let pairs = json!([
        pair("a", "b", "left", 0.5),
        pair("a", "c", "left", 0.5),
        pair("b", "c", "tie", 0.5),
        pair("d", "a", "left", 0.25),
        pair("d", "b", "left", 0.25),
        pair("c", "d", "left", 1.0),
    ]);
    import(&other, &pairs).expect(200);
    let standing = |id: &str| client.get(&format!("/v1/experiments/{id}/standing")).expect(200);
    assert_eq!(standing(&one)["pairs"], standing(&other)["pairs"]);
    assert_eq!(server.totals(&one), server.totals(&other));
    let many: Vec<String> = (0..21).map(|i| i.to_string()).collect();
    for (vote, word) in [
        (json!({ "ranking": ["a"] }), "from 2 to 20"),
        (json!({ "ranking": many }), "from 2 to 20"),
        (json!({ "ranking": ["a", "b", "a"] }), "`a`"),
        (json!({ "ranking": ["a", "b"], "propensity": 0.5 }), "propensity"),
        (json!({ "ranking": ["a", "b"], "left": "a" }), "left"),
        (json!({ "ranking": ["a", "b"], "best": "a" }), "best"),
        (json!({ "best": "a" }), "of"),
        (json!({ "of": ["a", "b"] }), "best"),
        (json!({ "best": "c", "of": ["a", "b"] }), "`c`"),
        (json!({ "best": "a", "of": ["a", "b", "b"] }), "`b`"),
        (json!({ "best": "a", "of": ["a", "b"], "weight": 2 }), "weight"),
        (json!({ "left": "a", "outcome": "left" }), "right"),
    ] {
        let problem = import(&one, &json!([vote])).refused(422, "invalid");
        assert!(text(&problem["detail"]).contains(word), "{vote}: {problem}");
    }
    import(&one, &json!([{ "ranking": ["a", "x"] }])).refused(422, "unknown_arms");
}
