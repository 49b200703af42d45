//! Getting duels.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use tiltyard_arena::key::Scope;
use tiltyard_arena::time::Clock as _;

use crate::server::{HandClock, Server, Setup, text};

#[test]
fn trace_a_duel_says_all_that_is_needed_to_show_it() {
    let server = Server::start();
    let client = server.client();
    let body = json!({ "name": "n", "arms": [{ "name": "a", "label": "Ay" }, "b"] });
    let id = text(&client.post("/v1/experiments", &body).expect(201)["id"]);
    let path = format!("/v1/experiments/{id}/duels");
    let mut first_on_the_left = 0;
    for duel in client.post(&path, &json!({ "count": 100 })).expect(200)["duels"].as_array().unwrap() {
        let (left, right) = (text(&duel["left"]), text(&duel["right"]));
        assert_ne!(left, right, "the policy can propose two different arms, so it must");
        first_on_the_left += u32::from(left == "a");
        assert_eq!(duel["arms"]["left"]["name"], left);
        let pair = duel["propensity"]["pair"].as_f64().unwrap();
        // With two arms and no votes, both orders of the only pair have the same probability.
        assert!((pair - 0.5).abs() < 1e-12, "{duel}");
        assert_eq!(duel["holdout"], false);
        assert!(text(&duel["id"]).starts_with(&id));
        assert_eq!(client.get(&format!("/v1/duels/{}", text(&duel["id"]))).expect(200)["status"], "open");
    }
    // For 100 tosses of a fair coin, the probability of a count outside this range is 1e-15.
    assert!((11..=89).contains(&first_on_the_left), "{first_on_the_left}");
}

#[test]
fn trace_the_body_may_be_left_out() {
    let server = Server::start();
    let id = server.experiment();
    let path = format!("/v1/experiments/{id}/duels");
    let client = server.client();
    for reply in [
        client.order(&path),
        client.post(&path, &json!({})),
        client.post(&path, &Value::Null),
        client.send("POST", &path, Some(b"")),
    ] {
        assert_eq!(reply.expect(200)["duels"].as_array().unwrap().len(), 1);
    }
    let form = client.clone().with_header("Content-Type", "text/plain");
    form.send("POST", &path, Some(b"{}")).refused(415, "unsupported_media_type");
    for body in
        [json!({ "count": 0 }), json!({ "count": 1001 }), json!({ "count": -1 }), json!({ "count": 1.5 })]
    {
        client.post(&path, &body).refused(422, "invalid");
    }
    client.post(&path, &json!({ "client_id": "" })).refused(422, "invalid");
    client.post(&path, &json!({ "context": "x".repeat(20_000) })).refused(422, "invalid");
    assert_eq!(server.totals(&id)["duels"], 4);
}

#[test]
fn trace_the_same_client_id_gets_the_same_duels() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment();
    let path = format!("/v1/experiments/{id}/duels");
    let body = json!({ "client_id": "page 7", "count": 3, "context": { "user": 1 } });
    let first = client.post(&path, &body).expect(200);
    assert_eq!(client.post(&path, &body).expect(200), first);
    client.post(&path, &json!({ "client_id": "page 7" })).refused(409, "client_id_reused");
    let duel = text(&first["duels"][1]["id"]);
    client.post(&format!("/v1/duels/{duel}/outcome"), &json!({ "outcome": "tie" })).expect(200);
    client.order(&format!("/v1/experiments/{id}/close")).expect(200);
    assert_eq!(client.post(&path, &body).expect(200), first);
    assert_eq!(server.totals(&id)["duels"], 3);
    // The same after a restart, from the log alone.
    let directory = server.stop();
    let server = Server::with(Setup { directory: Some(directory), ..Setup::default() });
    assert_eq!(server.client().post(&path, &body).expect(200), first);
}

/// Concurrent requests with the same client id all get the same duels.
#[test]
fn trace_one_client_id_many_times_at_once() {
    let server = Server::start();
    let id = server.experiment();
    let path = format!("/v1/experiments/{id}/duels");
    let client = server.client();
    let duels: Vec<Value> = std::thread::scope(|scope| {
        let ask = || client.post(&path, &json!({ "client_id": "x", "count": 2 })).expect(200);
        let asked: Vec<_> = (0..16).map(|_| scope.spawn(ask)).collect();
        asked.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    assert!(duels.iter().all(|duel| *duel == duels[0]));
    assert_eq!(server.totals(&id)["duels"], 2);
}

#[test]
fn trace_equal_arms_where_the_policy_cannot_do_otherwise() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment_with("rucb", &json!({}));
    let settings = &client.get(&format!("/v1/experiments/{id}")).expect(200)["settings"];
    let can = settings["distinct"].as_bool().unwrap();
    let reply = client.post(&format!("/v1/experiments/{id}/duels"), &json!({ "distinct": true }));
    if can {
        reply.expect(200);
    } else {
        reply.refused(422, "bad_policy");
        let body =
            json!({ "name": "n", "arms": ["a", "b"], "policy": "rucb", "settings": { "distinct": true } });
        client.post("/v1/experiments", &body).refused(422, "bad_policy");
    }
    // Without `distinct`, rex3 sometimes draws equal arms: with three arms and no votes, every
    // third time.
    let id = server.experiment();
    let body = json!({ "distinct": false, "count": 200 });
    let duels = client.post(&format!("/v1/experiments/{id}/duels"), &body).expect(200);
    assert!(duels["duels"].as_array().unwrap().iter().any(|duel| duel["left"] == duel["right"]));
}

#[test]
fn trace_held_out_duels_are_uniform_and_say_so() {
    let server = Server::start();
    let id = server.experiment_with("rex3", &json!({ "holdout": 1.0 }));
    let duels =
        server.client().post(&format!("/v1/experiments/{id}/duels"), &json!({ "count": 20 })).expect(200);
    for duel in duels["duels"].as_array().unwrap() {
        assert_eq!(duel["holdout"], true);
        // Three arms have six ordered pairs.
        assert!((duel["propensity"]["pair"].as_f64().unwrap() - 1.0 / 6.0).abs() < 1e-12, "{duel}");
    }
}

#[test]
fn trace_no_more_duels_in_flight_than_allowed() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment_with("rex3", &json!({ "max_in_flight": 3 }));
    let path = format!("/v1/experiments/{id}/duels");
    client.post(&path, &json!({ "count": 4 })).refused(429, "too_many_in_flight");
    let duels = server.duels(&id, 3);
    client.order(&path).refused(429, "too_many_in_flight");
    client.post(&format!("/v1/duels/{}/outcome", duels[0]), &json!({ "outcome": "skip" })).expect(200);
    client.order(&path).expect(200);
}

#[test]
fn trace_what_is_no_duel() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment();
    let duel = server.duel(&id);
    // Another secret, another log position, another experiment, and texts that are not ids.
    let (rest, token) = duel.rsplit_once('-').unwrap();
    let other = if token.starts_with('0') { "1" } else { "0" };
    let wrong = [
        format!("{rest}-{other}{}", &token[1..]),
        format!("{id}-1-{token}"),
        format!("{id}-zzz-{token}"),
        format!("0000000000001-2-{token}"),
        rest.to_owned(),
        "x".to_owned(),
        "%00".to_owned(),
    ];
    for wrong in wrong {
        client.get(&format!("/v1/duels/{wrong}")).refused(404, "no_duel");
        client.delete(&format!("/v1/duels/{wrong}")).refused(404, "no_duel");
        client.order(&format!("/v1/duels/{wrong}/shown")).refused(404, "no_duel");
        client
            .post(&format!("/v1/duels/{wrong}/outcome"), &json!({ "outcome": "left" }))
            .refused(404, "no_duel");
    }
    for wrong in ["x", "0000000000001", "zzzzzzzzzzzzz"] {
        client.order(&format!("/v1/experiments/{wrong}/duels")).refused(404, "no_experiment");
    }
    assert_eq!(server.totals(&id)["votes"], 0);
}

/// With `activation` set to `shown`, the time for answering starts when the duel is shown.
#[test]
fn trace_shown_duels_are_waited_for_from_then_on() {
    let clock = HandClock::new();
    let server = Server::with(Setup { clock: clock.clone(), ..Setup::default() });
    let client = server.client();
    let id = server.experiment_with("rex3", &json!({ "activation": "shown", "expires_after": 100 }));
    let duels = server.duels(&id, 2);
    clock.forward(60);
    let shown = format!("/v1/duels/{}/shown", duels[0]);
    assert_eq!(client.order(&shown).expect(200), json!({ "status": "recorded" }));
    assert_eq!(client.order(&shown).expect(200), json!({ "status": "already" }));
    let state = |duel: &str| text(&client.get(&format!("/v1/duels/{duel}")).expect(200)["status"]);
    clock.forward(60);
    // The shown duel expires at second 160, the other one at second 100.
    assert_eq!([state(&duels[0]), state(&duels[1])], ["open", "expired"]);
    server.arena.sweep().unwrap();
    assert_eq!([state(&duels[0]), state(&duels[1])], ["open", "expired"]);
    clock.forward(60);
    server.arena.sweep().unwrap();
    assert_eq!([state(&duels[0]), state(&duels[1])], ["expired", "expired"]);
    let totals = server.totals(&id);
    assert_eq!((&totals["unanswered"], &totals["never_shown"]), (&json!(1), &json!(1)), "{totals}");
    assert_eq!(client.order(&shown).expect(200), json!({ "status": "already" }));
}

/// Time that was skipped does not count as time to answer.
#[test]
fn trace_a_jump_of_the_clock_expires_no_duel() {
    let clock = HandClock::new();
    let server = Server::with(Setup { clock: clock.clone(), ..Setup::default() });
    let client = server.client();
    let id = server.experiment_with("rex3", &json!({ "late": "refuse", "expires_after": 100 }));
    let duels = server.duels(&id, 2);
    let read = |duel: &str| client.get(&format!("/v1/duels/{duel}")).expect(200);
    let times = |duel: &str| [text(&read(duel)["status"]), text(&read(duel)["expires_at"])];
    assert_eq!(times(&duels[0]), ["open", "2026-01-01T00:01:40Z"]);
    clock.jump(7200);
    assert_eq!(times(&duels[0]), ["open", "2026-01-01T02:01:40Z"]);
    let outcome =
        |duel: &str| client.post(&format!("/v1/duels/{duel}/outcome"), &json!({ "outcome": "left" }));
    outcome(&duels[0]).expect(200);
    let history = client.get(&format!("/v1/experiments/{id}/history")).expect(200);
    let extended =
        json!({ "seq": 4, "at": "2026-01-01T02:00:00Z", "type": "extended", "extended_by": 7200.0 });
    assert_eq!(history["events"][3], extended, "{history}");
    let page = client.get(&format!("/experiments/{id}")).text();
    let note = "Open duels got 2 hours more, because the server was down or its clock jumped forward.";
    assert!(page.contains(note), "{page}");
    clock.forward(101);
    assert_eq!(times(&duels[1])[0], "expired");
    outcome(&duels[1]).refused(409, "duel_expired");
}

/// The server stores the time while it runs and when it stops, and records which keys have expired.
#[test]
fn trace_the_server_keeps_track_of_the_time() {
    let clock = HandClock::new();
    let (server, trouble) = Server::troubled(|setup| setup.clock = clock.clone());
    let marked = || trouble.marked.load(Ordering::SeqCst);
    let wait = |is_done: &dyn Fn() -> bool| {
        for _ in 0..600 {
            if is_done() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the sweeper does nothing");
    };
    wait(&|| marked() == clock.now().0);
    let expires = Some(clock.now().plus_seconds(5));
    server.arena.make_key(Scope::Reader, None, None, expires).unwrap();
    clock.forward(5);
    wait(&|| server.arena.keys().iter().any(|key| key.expired));
    server.stop();
    assert_eq!(marked(), clock.now().0);
}
