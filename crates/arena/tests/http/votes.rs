//! Importing and exporting votes.

use std::io::{Read as _, Write as _};
use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use crate::client::{Client, connect};
use crate::server::{Server, text};

fn votes(client: &str, votes: &Value) -> Value {
    json!({ "client_id": client, "source": "old.csv", "votes": votes })
}

fn vote(left: &str, right: &str, outcome: &str) -> Value {
    json!({ "left": left, "right": right, "outcome": outcome })
}

/// Imports `n` votes in batches. Each vote is a long text, because the buffers of a socket hold
/// some megabytes.
fn import_many(client: &Client, path: &str, n: usize) {
    for batch in 0..n / 1000 {
        let many: Vec<_> = (0..1000)
            .map(|i| {
                let right = if i % 3 == 0 { "b" } else { "c" };
                let outcome = if i % 2 == 0 { "left" } else { "tie" };
                json!({ "left": "a", "right": right, "outcome": outcome, "voter": "v".repeat(200) })
            })
            .collect();
        client.post(path, &votes(&format!("batch {batch}"), &json!(many))).expect(200);
    }
}

#[test]
fn trace_votes_come_in_once_and_go_out_again() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment();
    let path = format!("/v1/experiments/{id}/votes");
    let body = votes(
        "1",
        &json!([
            vote("a", "b", "left"),
            vote("b", "a", "left"),
            vote("c", "a", "both_bad"),
            vote("b", "b", "tie"),
            { "left": "a", "right": "c", "score": -0.5, "voter": "u", "time": "2026-01-31T12:00:00Z", "propensity": 0.25 },
            { "left": "a", "right": "c", "outcome": "left", "weight": 0.25 },
        ]),
    );
    let empty = client.get(&format!("/v1/experiments/{id}/digest")).expect(200);
    let first = client.post(&path, &body).expect(200);
    assert_eq!(first, json!({ "status": "recorded", "place": 2, "votes": 6 }));
    let again = client.post(&path, &body).expect(200);
    assert_eq!(again, json!({ "status": "already", "place": 2, "votes": 6 }));
    client.post(&path, &votes("1", &json!([vote("a", "b", "left")]))).refused(409, "client_id_reused");
    let duels = format!("/v1/experiments/{id}/duels");
    client.post(&duels, &json!({ "client_id": "1" })).refused(409, "client_id_reused");
    client.post(&duels, &json!({ "client_id": "2" })).expect(200);
    client.post(&path, &votes("2", &json!([vote("a", "b", "left")]))).refused(409, "client_id_reused");

    let totals = server.totals(&id);
    let counts = ["votes", "imported", "left", "right", "ties", "both_bad", "graded", "duels"];
    assert_eq!(counts.map(|name| totals[name].as_u64()), [6, 6, 2, 0, 1, 1, 2, 1].map(Some));
    let standing = client.get(&format!("/v1/experiments/{id}/standing")).expect(200);
    let arm = |index: usize| {
        let names = ["wins", "losses", "ties", "both_bad", "graded", "self_duels", "duels"];
        names.map(|name| standing["arms"][index][name].as_u64().unwrap())
    };
    assert_eq!(arm(0)[..6], [1, 1, 0, 1, 2, 0]);
    assert_eq!(arm(1)[..6], [1, 1, 0, 0, 0, 1]);
    // a against c: -0.5, and a win with weight 0.25.
    assert_eq!(standing["pairs"][1]["graded_sum"], -0.25);
    assert_eq!(standing["pairs"][1]["votes"], 3);

    let history = client.get(&format!("/v1/experiments/{id}/history")).expect(200);
    let event = &history["events"][1];
    assert_eq!(
        ["type", "client_id", "source", "votes"].map(|name| event[name].clone()),
        [json!("imported"), json!("1"), json!("old.csv"), json!(6)]
    );

    let gone = client.delete(&format!("{path}/2")).expect(200);
    assert_eq!(gone, json!({ "status": "recorded", "place": 2, "votes": 6 }));
    assert_eq!(client.delete(&format!("{path}/2")).expect(200)["status"], "already");
    client.post(&path, &body).refused(409, "import_voided");
    let totals = server.totals(&id);
    assert_eq!([totals["votes"].clone(), totals["imported"].clone()], [json!(0), json!(0)]);
    let standing = client.get(&format!("/v1/experiments/{id}/standing")).expect(200);
    assert_eq!(standing["pairs"], json!([]));
    let history = client.get(&format!("/v1/experiments/{id}/history?after=3")).expect(200);
    assert_eq!(history["events"][0]["import"], 2);
    assert!(history["events"][0].get("duel").is_none());
    assert_ne!(client.get(&format!("/v1/experiments/{id}/digest")).expect(200), empty, "the log is longer");

    for place in ["1", "3", "9", "0", "x", "-1", "99999999999999999999"] {
        client.delete(&format!("{path}/{place}")).refused(404, "no_import");
    }
    // The same holds after a restart.
    let totals = server.totals(&id);
    let directory = server.stop();
    let server = Server::with(crate::server::Setup { directory: Some(directory), ..Default::default() });
    assert_eq!(server.totals(&id), totals);
    server.client().post(&path, &body).refused(409, "import_voided");
}

#[test]
fn trace_votes_that_are_refused() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment();
    let path = format!("/v1/experiments/{id}/votes");
    let good = vote("a", "b", "left");
    let with = |name: &str, value: Value| {
        let mut vote = good.clone();
        vote[name] = value;
        votes("x", &json!([good, vote]))
    };
    for (body, said) in [
        (with("outcome", json!("skip")), "votes[1]: a skipped duel is not a vote: leave it out"),
        (with("score", json!(0.5)), "votes[1]: give `outcome` or `score`, but not both"),
        (with("weight", json!(0)), "votes[1]: a weight must be above 0 and at most 1, not 0"),
        (with("weight", json!(2)), "votes[1]: a weight must be above 0 and at most 1, not 2"),
        (with("propensity", json!(-0.5)), "votes[1]: a propensity must be above 0 and at most 1, not -0.5"),
        (with("voter", json!(" ")), "votes[1]: a voter's name must not be blank"),
        (with("time", json!("soon")), "votes[1]: `soon` is not a time such as 2026-01-31T12:00:00Z"),
        (votes("x", &json!([])), "the number of votes must be from 1 to 1000, not 0"),
        (
            votes("x", &json!(vec![good.clone(); 1001])),
            "the number of votes must be from 1 to 1000, not 1001",
        ),
        (votes("", &json!([good])), "a client id must not be blank"),
    ] {
        assert_eq!(client.post(&path, &body).refused(422, "invalid")["detail"], said);
    }
    client.post(&path, &json!({ "votes": [good] })).refused(422, "invalid");
    let many: Vec<_> = (0..12).map(|i| vote("a", &format!("no{i:02}"), "left")).collect();
    let problem = client.post(&path, &votes("x", &json!(many))).refused(422, "unknown_arms");
    let names: Vec<_> = (0..10).map(|i| format!("`no{i:02}`")).collect();
    assert_eq!(problem["detail"], format!("the experiment has no arm {} and 2 more", names.join(", ")));
    assert_eq!(server.totals(&id)["votes"], 0);
    client.order(&format!("/v1/experiments/{id}/pause")).expect(200);
    client.post(&path, &votes("p", &json!([good]))).expect(200);
    client.order(&format!("/v1/experiments/{id}/close")).expect(200);
    client.post(&path, &votes("y", &json!([good]))).refused(409, "experiment_closed");
    assert_eq!(client.post(&path, &votes("p", &json!([good]))).expect(200)["status"], "already");
}

/// One row per vote that counts, with everything known about it except secrets.
#[test]
fn trace_votes_leave_in_two_forms() {
    let server = Server::start();
    let client = server.client();
    let body = json!({ "name": "n", "arms": ["a, \"b\"", "c"] });
    let id = text(&client.post("/v1/experiments", &body).expect(201)["id"]);
    let context = json!({ "page": "x,y" });
    let duels = format!("/v1/experiments/{id}/duels");
    let issued = client.post(&duels, &json!({ "count": 4, "context": context })).expect(200);
    let ids: Vec<_> = issued["duels"].as_array().unwrap().iter().map(|duel| text(&duel["id"])).collect();
    let answer =
        |i: usize, body: &Value| client.post(&format!("/v1/duels/{}/outcome", ids[i]), body).expect(200);
    answer(0, &json!({ "outcome": "left", "voter": "u,1", "time": "2026-01-31T12:00:00Z" }));
    answer(1, &json!({ "score": 0.25 }));
    answer(2, &json!({ "outcome": "skip" }));
    answer(3, &json!({ "outcome": "right" }));
    client.delete(&format!("/v1/duels/{}", ids[3])).expect(200);
    let path = format!("/v1/experiments/{id}/votes");
    let old = json!([{ "left": "c", "right": "a, \"b\"", "outcome": "both_bad", "weight": 0.5 }]);
    let place = client.post(&path, &votes("1", &old)).expect(200)["place"].clone();
    let undone = client.post(&path, &votes("2", &old)).expect(200)["place"].clone();
    client.delete(&format!("{path}/{undone}")).expect(200);

    let reply = client.get(&format!("{path}?format=jsonl"));
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/jsonl")));
    let rows: Vec<Value> = reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 3, "{rows:?}");
    let duel = &issued["duels"][0];
    for name in ["left", "right"] {
        assert_eq!(rows[0][name], duel[name]);
    }
    assert_eq!(rows[0]["pscore"], duel["propensity"]["pair"]);
    assert_eq!(rows[0]["pscore_left"], duel["propensity"]["left"]);
    assert_eq!(
        (&rows[0]["outcome"], &rows[0]["score"], &rows[0]["duel"]),
        (&json!("left"), &json!(1.0), &json!(2))
    );
    assert_eq!((&rows[0]["voter"], &rows[0]["time"]), (&json!("u,1"), &json!("2026-01-31T12:00:00Z")));
    assert_eq!((&rows[0]["context"], &rows[0]["source"]), (&context, &Value::Null));
    assert_eq!((&rows[1]["outcome"], &rows[1]["time"]), (&json!(0.25), &rows[1]["recorded_at"]));
    assert_eq!(
        (&rows[2]["seq"], &rows[2]["source"], &rows[2]["duel"]),
        (&place, &json!("old.csv"), &Value::Null)
    );
    assert_eq!(
        (&rows[2]["weight"], &rows[2]["time"], &rows[2]["swapped"]),
        (&json!(0.5), &Value::Null, &Value::Null)
    );

    let reply = client.get(&path);
    assert_eq!(reply.header("content-type"), Some("text/csv; charset=utf-8; header=present"));
    let csv = reply.text();
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!(lines.len(), 4, "{csv}");
    assert!(lines[0].starts_with("seq,duel,recorded_at,time,left,right,outcome,score,weight,voter,pscore,"));
    assert!(lines[1].contains("\"u,1\"") && lines[1].contains("\"a, \"\"b\"\"\""), "{}", lines[1]);
    assert!(lines[1].ends_with("\"{\"\"page\"\":\"\"x,y\"\"}\","), "{}", lines[1]);
    assert!(lines[3].ends_with("both_bad,0,0.5,,,,,,false,false,,old.csv"), "{}", lines[3]);
    for id in ids {
        assert!(!csv.contains(id.rsplit('-').next().unwrap()));
    }
    let seq = rows[0]["seq"].clone();
    let later = client.get(&format!("{path}?format=jsonl&after={seq}")).text();
    assert_eq!(later.lines().count(), 2);
    assert_eq!(client.get(&format!("{path}?format=jsonl&after=1000")).text(), "");
    assert_eq!(client.get(&format!("{path}?after=1000")).text().lines().count(), 1);
    for query in ["format=parquet", "after=-1", "after=18446744073709551615", "x=1"] {
        client.get(&format!("{path}?{query}")).refused(422, "invalid");
    }
}

/// An export of many pages, from a log with duels and imports.
#[test]
fn trace_a_long_log_leaves_whole() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment();
    let path = format!("/v1/experiments/{id}/votes");
    let mut own = 0;
    for _ in 0..3 {
        for duel in server.duels(&id, 300) {
            client.post(&format!("/v1/duels/{duel}/outcome"), &json!({ "outcome": "left" })).expect(200);
            own += 1;
        }
    }
    import_many(&client, &path, 12_000);
    let csv = client.get(&path).text();
    assert_eq!(csv.lines().count(), 1 + own + 12_000);
    let seqs: Vec<u64> =
        csv.lines().skip(1).map(|line| line.split(',').next().unwrap().parse().unwrap()).collect();
    assert!(seqs.is_sorted());
    assert_eq!(server.totals(&id)["votes"], own + 12_000);
}

/// If the store fails midway, the body ends without its last chunk.
#[test]
fn trace_a_body_that_is_not_whole_does_not_look_whole() {
    let (server, trouble) = Server::troubled(|_| {});
    let client = server.client();
    let id = server.experiment();
    let path = format!("/v1/experiments/{id}/votes");
    import_many(&client, &path, 20_000);
    trouble.reads_left.store(1, Ordering::SeqCst);
    client.get(&path).refused(503, "store_unavailable");
    // Two pages succeed, then reads fail.
    trouble.reads_left.store(3, Ordering::SeqCst);
    let mut stream = connect(server.address).unwrap();
    stream.write_all(&client.request("GET", &path, None)).unwrap();
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let answer = String::from_utf8_lossy(&bytes);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.matches("old.csv").count() > 1000);
    assert!(!answer.ends_with("0\r\n\r\n"), "the body looks complete");
    // The server still works.
    trouble.reads_left.store(0, Ordering::SeqCst);
    assert_eq!(client.get(&path).text().lines().count(), 20_001);
}

/// Readers that read nothing or disconnect do not block others for long.
#[test]
fn trace_slow_and_aborted_readers_do_not_stop_others() {
    let server = Server::start();
    let client = server.client();
    let id = server.experiment();
    let path = format!("/v1/experiments/{id}/votes");
    import_many(&client, &path, 80_000);
    let open = || {
        let mut stream = connect(server.address).unwrap();
        stream.write_all(&client.request("GET", &path, None)).unwrap();
        // The head has arrived, so the export is in progress.
        stream.read_exact(&mut [0; 100]).unwrap();
        stream
    };
    let slow: Vec<_> = (0..8).map(|_| open()).collect();
    client.get(&path).refused(503, "overloaded");
    // Meanwhile others can vote and read.
    let duel = server.duel(&id);
    client.post(&format!("/v1/duels/{duel}/outcome"), &json!({ "outcome": "left" })).expect(200);
    assert_eq!(client.get(&format!("/v1/experiments/{id}/history?limit=1")).status, 200);
    drop(slow);
    let mut status = 0;
    for _ in 0..1000 {
        status = client.get(&format!("{path}?after=1000000")).status;
        if status == 200 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(status, 200, "the server still waits for readers that are gone");
}

/// A reader's key may export votes but not import them. Revoking it aborts the export.
#[test]
fn trace_a_key_that_is_revoked_ends_the_body() {
    let server = Server::with_keys();
    let admin = server.client();
    let id = server.experiment();
    let path = format!("/v1/experiments/{id}/votes");
    import_many(&admin, &path, 80_000);
    let made = admin.post("/v1/keys", &json!({ "scope": "reader" })).expect(201);
    let reader = Client::new(server.address).with_key(&text(&made["key"]));
    reader.post(&path, &votes("r", &json!([vote("a", "b", "left")]))).refused(403, "forbidden");
    assert_eq!(reader.get(&path).status, 200);
    let mut stream = connect(server.address).unwrap();
    stream.write_all(&reader.request("GET", &path, None)).unwrap();
    stream.read_exact(&mut [0; 100]).unwrap();
    admin.delete(&format!("/v1/keys/{}", text(&made["id"]))).expect(200);
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    assert!(!bytes.ends_with(b"0\r\n\r\n"), "the body looks complete");
}
