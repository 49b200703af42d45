//! Answering duels.

use serde_json::{Value, json};

use crate::server::{HandClock, Server, Setup, text};

fn path(duel: &str) -> String {
    format!("/v1/duels/{duel}/outcome")
}

#[test]
fn trace_an_outcome_counts_once() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment();
    let duel = server.duel(&id);
    let vote = json!({ "outcome": "left", "voter": "v" });
    assert_eq!(client.post(&path(&duel), &vote).expect(200), json!({ "status": "recorded" }));
    assert_eq!(client.post(&path(&duel), &vote).expect(200), json!({ "status": "already" }));
    for other in [
        json!({ "outcome": "right", "voter": "v" }),
        json!({ "outcome": "left", "voter": "w" }),
        json!({ "outcome": "left" }),
        json!({ "score": 1, "voter": "v" }),
        json!({ "outcome": "skip", "voter": "v" }),
    ] {
        client.post(&path(&duel), &other).refused(409, "outcome_contradicts");
    }
    let totals = server.totals(&id);
    assert_eq!((&totals["votes"], &totals["left"], &totals["in_flight"]), (&json!(1), &json!(1), &json!(0)));
    let state = client.get(&format!("/v1/duels/{duel}")).expect(200);
    assert_eq!((&state["status"], &state["outcome"]), (&json!("answered"), &json!("left")));
}

#[test]
fn trace_every_kind_of_outcome() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment();
    let kinds = [
        (json!({ "outcome": "left" }), json!("left"), "left"),
        (json!({ "outcome": "right" }), json!("right"), "right"),
        (json!({ "outcome": "tie" }), json!("tie"), "ties"),
        (json!({ "outcome": "both_bad" }), json!("both_bad"), "both_bad"),
        (json!({ "score": 0.25, "time": "2026-01-31T12:00:00Z" }), json!(0.25), "graded"),
        (json!({ "outcome": "skip" }), json!("skip"), "skipped"),
    ];
    for (body, outcome, count) in kinds {
        let duel = server.duel(&id);
        let before = server.totals(&id)[count].as_u64().unwrap();
        client.post(&path(&duel), &body).expect(200);
        assert_eq!(client.get(&format!("/v1/duels/{duel}")).expect(200)["outcome"], outcome);
        assert_eq!(server.totals(&id)[count].as_u64().unwrap(), before + 1, "{count}");
    }
    assert_eq!(server.totals(&id)["votes"], 5);
}

#[test]
fn trace_what_is_no_outcome() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment();
    let duel = server.duel(&id);
    for body in [
        json!({}),
        json!({ "outcome": "left", "score": 1 }),
        json!({ "outcome": "Left" }),
        json!({ "outcome": 1 }),
        json!({ "score": 1.01 }),
        json!({ "score": "1" }),
        json!({ "score": 1e300 }),
        json!({ "outcome": "left", "voter": "" }),
        json!({ "outcome": "left", "voter": "a\u{1}b" }),
        json!({ "outcome": "left", "voter": "x".repeat(201) }),
        json!({ "outcome": "left", "time": "yesterday" }),
        json!({ "outcome": "left", "extra": 1 }),
        json!("left"),
        json!(["left"]),
        Value::Null,
    ] {
        client.post(&path(&duel), &body).refused(422, "invalid");
    }
    for body in ["", "{", "{\"outcome\":\"left\"", "{\"score\":NaN}", "\u{feff}{}"] {
        client.send("POST", &path(&duel), Some(body.as_bytes())).refused(400, "bad_request");
    }
    client.send("POST", &path(&duel), Some(b"{\"score\":1e999}")).refused(422, "invalid");
    client.send("POST", &path(&duel), Some(b"{\"outcome\":\"\\ud800\"}")).refused(422, "invalid");
    client.send("POST", &path(&duel), Some(b"{\"outcome\":\"\xff\"}")).refused(400, "bad_request");
    client
        .send("POST", &path(&duel), Some(b"{\"outcome\":\"left\",\"outcome\":\"left\"}"))
        .refused(422, "invalid");
    client.order(&path(&duel)).refused(415, "unsupported_media_type");
    assert_eq!(server.totals(&id)["votes"], 0);
}

#[test]
fn trace_several_at_once_each_on_its_own() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment();
    let duels = server.duels(&id, 4);
    client.post(&path(&duels[3]), &json!({ "outcome": "left" })).expect(200);
    let outcomes = json!({ "outcomes": [
        { "duel": duels[0], "outcome": "left", "voter": "v" },
        { "duel": duels[0], "outcome": "left", "voter": "v" },
        { "duel": duels[0], "outcome": "right" },
        { "duel": duels[1], "score": 2 },
        { "duel": "nonsense", "outcome": "left" },
        { "duel": duels[2], "outcome": "left", "time": "soon" },
        { "duel": duels[3], "outcome": "right" },
    ] });
    let results = client.post("/v1/outcomes", &outcomes).expect(200);
    let results: Vec<_> = results["results"].as_array().unwrap().clone();
    let words: Vec<_> = results.iter().map(|result| text(&result["status"])).collect();
    assert_eq!(words, ["recorded", "already", "refused", "refused", "refused", "refused", "refused"]);
    let codes: Vec<_> = results.iter().filter_map(|result| result["problem"]["code"].as_str()).collect();
    assert_eq!(codes, ["outcome_contradicts", "invalid", "no_duel", "invalid", "outcome_contradicts"]);
    assert_eq!(server.totals(&id)["votes"], 2);
    client.post("/v1/outcomes", &json!({ "outcomes": [] })).refused(422, "invalid");
    let many: Vec<_> = (0..1001).map(|_| json!({ "duel": duels[1], "outcome": "left" })).collect();
    client.post("/v1/outcomes", &json!({ "outcomes": many })).refused(422, "invalid");
    client
        .post("/v1/outcomes", &json!({ "outcomes": [{ "duel": duels[1], "outcome": 1 }] }))
        .refused(422, "invalid");
    assert_eq!(server.totals(&id)["votes"], 2);
}

#[test]
fn trace_late_outcomes_are_taken_or_refused_as_set() {
    let clock = HandClock::new();
    let server = Server::with(Setup { clock: clock.clone(), ..Setup::default() });
    let client = server.client();
    let accepts = server.experiment_with("rex3", &json!({ "expires_after": 10 }));
    let refuses = server.experiment_with("rex3", &json!({ "expires_after": 10, "late": "refuse" }));
    let vote = json!({ "outcome": "left" });
    let [(late, unswept), (too_late, too_late_unswept)] =
        [&accepts, &refuses].map(|id| (server.duel(id), server.duel(id)));
    clock.forward(11);
    // Before a sweep has recorded that they expired.
    client.post(&path(&unswept), &vote).expect(200);
    client.post(&path(&too_late_unswept), &vote).refused(409, "duel_expired");
    server.arena.sweep().unwrap();
    assert_eq!(server.totals(&accepts)["unanswered"], 1);
    assert_eq!(client.post(&path(&late), &vote).expect(200)["status"], "recorded");
    assert_eq!(client.post(&path(&late), &vote).expect(200)["status"], "already");
    client.post(&path(&too_late), &vote).refused(409, "duel_expired");
    let totals = server.totals(&accepts);
    assert_eq!((&totals["votes"], &totals["unanswered"]), (&json!(2), &json!(0)), "{totals}");
    let totals = server.totals(&refuses);
    assert_eq!((&totals["votes"], &totals["unanswered"]), (&json!(0), &json!(2)), "{totals}");
    assert_eq!(client.get(&format!("/v1/duels/{too_late}")).expect(200)["status"], "expired");
}

#[test]
fn trace_a_voided_duel_is_as_if_it_had_not_been() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment();
    let [answered, open] = <[String; 2]>::try_from(server.duels(&id, 2)).unwrap();
    client.post(&path(&answered), &json!({ "outcome": "left" })).expect(200);
    assert_eq!(client.delete(&path(&answered)).expect(200), json!({ "status": "recorded" }));
    assert_eq!(client.delete(&path(&answered)).expect(200), json!({ "status": "already" }));
    assert_eq!(client.delete(&format!("/v1/duels/{open}")).expect(200), json!({ "status": "recorded" }));
    for duel in [&answered, &open] {
        client.post(&path(duel), &json!({ "outcome": "left" })).refused(409, "duel_voided");
        assert_eq!(client.get(&format!("/v1/duels/{duel}")).expect(200)["status"], "voided");
    }
    let totals = server.totals(&id);
    assert_eq!((&totals["votes"], &totals["voided"], &totals["left"]), (&json!(0), &json!(2), &json!(0)));
    // The log keeps everything.
    let history = client.get(&format!("/v1/experiments/{id}/history")).expect(200);
    let kinds: Vec<_> =
        history["events"].as_array().unwrap().iter().map(|event| text(&event["type"])).collect();
    assert_eq!(kinds, ["created", "duel", "duel", "answered", "voided", "voided"]);
}

#[test]
fn trace_all_votes_of_a_voter_are_voided() {
    let clock = HandClock::new();
    // So few writes may wait that voiding the votes one by one would be refused halfway.
    let server = Server::with(Setup { clock: clock.clone(), most_waiting: 4, ..Setup::default() });
    let client = server.client();
    for policy in ["rex3", "rucb"] {
        let id = server.experiment_with(policy, &json!({}));
        let duels = server.duels(&id, 30);
        let vote = |duel: &str, voter: &str| {
            client.post(&path(duel), &json!({ "outcome": "left", "voter": voter })).expect(200)
        };
        for duel in &duels[..10] {
            vote(duel, "bot");
        }
        vote(&duels[10], "person");
        clock.forward(100);
        let since = server.arena.now().to_string();
        for duel in &duels[11..] {
            vote(duel, "bot");
        }
        let void = |body: Value| client.post(&format!("/v1/experiments/{id}/void"), &body).expect(200);
        let counts = |answer: &Value| (answer["found"].clone(), answer["voided"].clone());
        let tried = void(json!({ "voter": "bot", "since": since, "dry_run": true }));
        assert_eq!(counts(&tried), (json!(19), json!(0)));
        assert_eq!(server.totals(&id)["votes"], 30);
        let done = void(json!({ "voter": "bot", "since": since }));
        assert_eq!(counts(&done), (json!(19), json!(19)));
        assert_eq!(done["after"], tried["after"]);
        let rest = void(json!({ "voter": "bot" }));
        assert_eq!(counts(&rest), (json!(10), json!(10)));
        assert_eq!(rest["before"], tried["after"], "the dry run predicted the effect");
        for voter in ["bot", "nobody"] {
            let none = void(json!({ "voter": voter }));
            assert_eq!(counts(&none), (json!(0), json!(0)));
            assert_eq!(none["before"], none["after"]);
        }
        let totals = server.totals(&id);
        assert_eq!((&totals["votes"], &totals["voided"]), (&json!(1), &json!(29)), "{policy}: {totals}");
        client
            .post(&format!("/v1/experiments/{id}/void"), &json!({ "voter": "bot", "since": "x" }))
            .refused(422, "invalid");
    }
}

#[test]
fn trace_voters_have_limits() {
    let clock = HandClock::new();
    let server = Server::with(Setup { clock: clock.clone(), ..Setup::default() });
    let client = server.client();
    let id = server.experiment_with("rex3", &json!({ "voter_votes": 3, "voter_votes_per_minute": 2 }));
    let duels = server.duels(&id, 6);
    let vote =
        |i: usize, voter: &str| client.post(&path(&duels[i]), &json!({ "outcome": "tie", "voter": voter }));
    vote(0, "v").expect(200);
    vote(1, "v").expect(200);
    let problem = vote(2, "v").refused(429, "voter_limit");
    // The clock of this test is at the beginning of a minute.
    assert_eq!(problem["retry_after"], 60);
    vote(3, "w").expect(200);
    clock.forward(60);
    vote(2, "v").expect(200);
    let problem = vote(4, "v").refused(429, "voter_limit");
    assert_eq!(problem.get("retry_after"), None);
    // Votes without a voter have no limit, and an earlier vote can be repeated.
    client.post(&path(&duels[4]), &json!({ "outcome": "tie" })).expect(200);
    assert_eq!(vote(0, "v").expect(200)["status"], "already");
}

/// A write that failed although it was stored is found when repeated, and nothing counts twice.
#[test]
fn trace_not_known_is_said_and_asking_again_helps() {
    use std::sync::atomic::Ordering;
    let (server, trouble) = Server::troubled(|_| {});
    let client = server.client();
    let id = server.experiment();
    let duels = server.duels(&id, 3);
    let vote = json!({ "outcome": "left" });
    trouble.lies.store(true, Ordering::SeqCst);
    client.post(&path(&duels[0]), &vote).refused(503, "store_unavailable");
    let bulk = json!({ "outcomes": [{ "duel": duels[1], "outcome": "left" }] });
    let results = client.post("/v1/outcomes", &bulk).expect(200);
    assert_eq!(results["results"][0]["status"], "unknown");
    assert_eq!(results["results"][0]["problem"]["code"], "store_unavailable");
    trouble.lies.store(false, Ordering::SeqCst);
    trouble.fails.store(true, Ordering::SeqCst);
    client.post(&path(&duels[2]), &vote).refused(503, "store_unavailable");
    trouble.fails.store(false, Ordering::SeqCst);
    let said: Vec<_> =
        duels.iter().map(|duel| text(&client.post(&path(duel), &vote).expect(200)["status"])).collect();
    assert_eq!(said, ["already", "already", "recorded"]);
    assert_eq!(server.totals(&id)["votes"], 3);
}
