//! Verdicts, segments, voters, ratings and evaluations.

use serde_json::{Value, json};

use crate::server::{Server, text};

/// An experiment; a rule answers its duels.
struct Trial<'a> {
    server: &'a Server,
    path: String,
}

impl<'a> Trial<'a> {
    fn new(server: &'a Server, arms: &[&str], settings: &Value) -> Self {
        let body = json!({ "name": "n", "arms": arms, "policy": "random", "settings": settings });
        let id = text(&server.client().post("/v1/experiments", &body).expect(201)["id"]);
        Self { server, path: format!("/v1/experiments/{id}") }
    }

    /// Issues duels, and answers each with the outcome that the rule returns for its arms and its
    /// index. The rule may return none to leave a duel unanswered.
    fn vote(&self, count: usize, more: &Value, rule: impl Fn(&str, &str, usize) -> Option<Value>) {
        let client = self.server.client();
        let mut body = json!({ "count": count });
        if let (Some(body), Some(more)) = (body.as_object_mut(), more.as_object()) {
            body.extend(more.clone());
        }
        let duels = client.post(&format!("{}/duels", self.path), &body).expect(200);
        let outcomes: Vec<Value> = duels["duels"]
            .as_array()
            .expect("a list")
            .iter()
            .enumerate()
            .filter_map(|(i, duel)| {
                let mut outcome = rule(duel["left"].as_str()?, duel["right"].as_str()?, i)?;
                outcome["duel"] = duel["id"].clone();
                Some(outcome)
            })
            .collect();
        if !outcomes.is_empty() {
            let results = client.post("/v1/outcomes", &json!({ "outcomes": outcomes })).expect(200);
            let all = results["results"].as_array().expect("a list");
            assert!(all.iter().all(|result| result["status"] == "recorded"), "{results}");
        }
    }

    fn get(&self, what: &str) -> Value {
        self.server.client().get(&format!("{}{what}", self.path)).expect(200)
    }
}

/// The arm that comes first in the alphabet wins.
#[expect(clippy::unnecessary_wraps, reason = "a rule may leave a duel unanswered")]
fn alphabetical(left: &str, right: &str, _: usize) -> Option<Value> {
    Some(json!({ "outcome": if left < right { "left" } else { "right" } }))
}

/// The verdict names what the front runner lacks: a duel with a rival, a lead over a rival, or
/// votes.
#[test]
fn trace_what_keeps_the_front_runner() {
    let server = Server::start();
    let trial = Trial::new(&server, &["a", "b", "c"], &json!({}));
    let say = |client: &str, votes: &[(&str, &str)]| {
        let vote =
            |&(winner, loser): &(&str, &str)| json!({ "left": winner, "right": loser, "outcome": "left" });
        let votes: Vec<Value> = votes.iter().map(vote).collect();
        let body = json!({ "client_id": client, "source": "a test", "votes": votes });
        server.client().post(&format!("{}/votes", trial.path), &body).expect(200);
        let verdict = trial.get("/standing")["verdict"].clone();
        assert_eq!(verdict["votes_needed"].is_null(), !text(&verdict["words"]).contains("more votes"));
        text(&verdict["words"])
    };
    assert_eq!(
        say("1", &[("a", "b")]),
        "No winner yet. \"a\" is ahead, but has not been compared with every other arm."
    );
    assert_eq!(
        say("2", &[("a", "c"), ("c", "a"), ("b", "a"), ("b", "c")]),
        "No winner yet. \"b\" is ahead overall, but not in its direct duels with \"a\"."
    );
    let words = say("3", &[("b", "a")]);
    assert!(words.starts_with("No winner yet. \"b\" is ahead, and about "), "{words}");
    assert_eq!(
        say("4", &[("a", "b"); 100]),
        "No winner yet. \"a\" is ahead overall, but not in its direct duels with \"c\"."
    );
    say("5", &[("a", "c"); 100]);
    assert_eq!(
        say("6", &[("b", "a"); 300]),
        "No winner yet. \"b\" is ahead now, but earlier votes showed that \"a\" is better."
    );
}

#[test]
fn trace_leader_comes_with_the_evidence_and_not_before() {
    let server = Server::start();
    let trial = Trial::new(&server, &["a", "b", "c"], &json!({}));
    let standing = trial.get("/standing");
    assert_eq!(standing["leader"], Value::Null);
    assert_eq!(standing["verdict"]["words"], "There are no votes yet.");
    assert_eq!(standing["arms"][0]["borda"], json!({ "estimate": null, "low": 0.0, "high": 1.0 }));
    trial.vote(20, &json!({}), alphabetical);
    let standing = trial.get("/standing");
    assert_eq!(standing["leader"], Value::Null, "about six votes per pair are not enough");
    assert_eq!(standing["verdict"]["status"], "undecided");
    assert_eq!(standing["verdict"]["front_runner"], "a");
    assert!(standing["verdict"]["votes_needed"]["as_so_far"].as_u64() > Some(0), "{standing}");
    trial.vote(200, &json!({}), alphabetical);
    let standing = trial.get("/standing");
    assert_eq!(standing["leader"], "a");
    assert_eq!(standing["verdict"]["status"], "leader");
    assert_eq!(standing["verdict"]["votes_needed"], Value::Null);
    assert_eq!(standing["verdict"]["words"], "\"a\" is preferred to every other arm, with 95 % confidence.");
    let copeland: Vec<_> = (0..3).map(|arm| standing["arms"][arm]["copeland"].clone()).collect();
    for (beaten, copeland) in [2.0, 1.0, 0.0].into_iter().zip(copeland) {
        assert_eq!(copeland, json!({ "estimate": beaten, "low": beaten, "high": beaten }));
    }
    for (place, rate) in [(0, 1.0), (1, 0.5), (2, 0.0)] {
        let borda = &standing["arms"][place]["borda"];
        assert_eq!(borda["estimate"], rate);
        assert!(borda["low"].as_f64() <= Some(rate) && borda["high"].as_f64() >= Some(rate), "{borda}");
        assert!(
            borda["high"].as_f64().unwrap_or(1.0) - borda["low"].as_f64().unwrap_or(0.0) < 0.2,
            "{borda}"
        );
    }
    assert_eq!(standing["pairs"][0]["better"], "a");
    assert_eq!(standing["alarms"]["side"]["alarm"], false);
    assert_eq!(standing["alarms"]["drift"], json!([]));
}

#[test]
fn trace_no_winner_among_equals() {
    let server = Server::start();
    // All ties.
    let ties = Trial::new(&server, &["a", "b", "c"], &json!({}));
    ties.vote(600, &json!({}), |_, _, _| Some(json!({ "outcome": "tie" })));
    // All votes for the left side.
    let sided = Trial::new(&server, &["a", "b"], &json!({}));
    sided.vote(600, &json!({}), |_, _, _| Some(json!({ "outcome": "left" })));
    // No votes.
    let silent = Trial::new(&server, &["a", "b"], &json!({}));
    silent.vote(600, &json!({}), |_, _, _| None);
    for trial in [&ties, &sided, &silent] {
        let standing = trial.get("/standing");
        assert_eq!(standing["leader"], Value::Null);
        assert_eq!(standing["verdict"]["status"], "undecided");
    }
    assert_eq!(sided.get("/standing")["alarms"]["side"]["alarm"], true);
    assert_eq!(ties.get("/standing")["alarms"]["side"]["alarm"], false);
}

#[test]
fn trace_verdict_pauses_once() {
    let server = Server::start();
    let trial = Trial::new(&server, &["a", "b"], &json!({ "stop": "pause" }));
    trial.vote(100, &json!({}), alphabetical);
    assert_eq!(trial.get("")["status"], "paused");
    let history = trial.get("/history?limit=1000");
    let paused: Vec<_> = history["events"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|event| event["status"] == "paused")
        .collect();
    assert_eq!(paused.len(), 1);
    assert_eq!(paused[0]["by_verdict"], true);
    server.client().post(&format!("{}/resume", trial.path), &json!({})).expect(200);
    trial.vote(20, &json!({}), alphabetical);
    assert_eq!(trial.get("")["status"], "running", "after a person has resumed it, it is not paused again");
    // With a margin, equal arms are good enough.
    let trial = Trial::new(&server, &["a", "b"], &json!({ "stop": "pause", "margin": 0.2 }));
    trial.vote(300, &json!({}), |left, _, i| {
        Some(json!({ "outcome": if (left == "a") == (i % 2 == 0) { "left" } else { "right" } }))
    });
    assert_eq!(trial.get("")["status"], "paused");
    let standing = trial.get("/standing");
    assert_eq!(standing["verdict"]["status"], "good_enough");
    assert_eq!(standing["leader"], Value::Null);
    assert!(!standing["verdict"]["good_enough"].as_array().expect("a list").is_empty());
}

#[test]
fn trace_segments_have_their_own_leaders() {
    let server = Server::start();
    let trial = Trial::new(&server, &["a", "b"], &json!({}));
    let reversed = |left: &str, right: &str, i: usize| alphabetical(right, left, i);
    trial.vote(80, &json!({ "context": { "user": { "language": "de" } } }), alphabetical);
    trial.vote(60, &json!({ "context": { "user": { "language": "fr" } } }), reversed);
    trial.vote(5, &json!({ "context": { "user": { "language": ["x"] } } }), reversed);
    trial.vote(5, &json!({}), alphabetical);
    let segments = trial.get("/segments?key=user.language");
    assert_eq!(segments["n_segments"], 3);
    let brief: Vec<_> = segments["segments"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|segment| {
            json!([segment["value"], segment["votes"], segment["leader"], segment["leader_together"]])
        })
        .collect();
    assert_eq!(
        brief,
        [json!(["de", 80, "a", "a"]), json!(["fr", 60, "b", "b"]), json!([null, 10, null, null])]
    );
    assert_eq!(segments["segments"][1]["arms"][1]["wins"], 60.0);
    let one = trial.get("/segments?key=user.language&value=fr");
    assert_eq!(one["segments"], json!([segments["segments"][1]]));
    // Without a key, a period of time is one segment.
    let all = trial.get("/segments");
    assert_eq!(all["segments"][0]["votes"], 150);
    let later = trial.get("/segments?since=2999-01-01T00:00:00Z");
    assert_eq!(later["segments"], json!([]));
    assert_eq!(trial.get("/segments?until=2999-01-01T00:00:00Z")["segments"], all["segments"]);
    for query in ["since=x", "value=y", "limit=0", "x=1", "key="] {
        let path = format!("{}/segments?{query}", trial.path);
        server.client().get(&path).refused(422, "invalid");
    }
}

#[test]
fn trace_voters_who_stand_out_are_found() {
    let server = Server::start();
    let trial = Trial::new(&server, &["a", "b", "c"], &json!({}));
    let named = |outcome: &str, voter: String| Some(json!({ "outcome": outcome, "voter": voter }));
    let better = |left: &str, right: &str| if left < right { "left" } else { "right" };
    // Ten voters who mostly agree, one who votes against them, one who agrees half of the time, and
    // one who always prefers the left.
    trial.vote(600, &json!({}), |left, right, i| {
        let agrees = i % 10 != 0;
        let outcome = if agrees { better(left, right) } else { better(right, left) };
        named(outcome, format!("good {}", i / 60))
    });
    trial.vote(60, &json!({}), |left, right, _| named(better(right, left), "hostile".to_owned()));
    trial.vote(250, &json!({}), |left, right, i| {
        named(if i % 2 == 0 { better(left, right) } else { better(right, left) }, "careless".to_owned())
    });
    trial.vote(60, &json!({}), |_, _, _| named("left", "lefty".to_owned()));
    trial.vote(3, &json!({}), |_, _, _| Some(json!({ "outcome": "tie" })));
    let voters = trial.get("/voters");
    assert_eq!((&voters["n_voters"], &voters["nameless"]), (&json!(13), &json!(3)));
    let found: Vec<_> = voters["voters"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|voter| voter["stands_out"] != Value::Null)
        .map(|voter| (text(&voter["voter"]), text(&voter["stands_out"])))
        .collect();
    let found: Vec<_> = found.iter().map(|(voter, what)| (voter.as_str(), what.as_str())).collect();
    assert_eq!(found, [("hostile", "against"), ("careless", "careless"), ("lefty", "one_sided")]);
    let hostile = trial.get("/voters?voter=hostile");
    assert_eq!(hostile["voters"][0]["agreement"], 0.0);
    assert_eq!(hostile["voters"][0]["compared"], 60.0);
    assert!(hostile["voters"][0]["expected"].as_f64() > Some(0.7), "{hostile}");
    // A dry run reports the effect of voiding before it is done.
    let body = json!({ "voter": "hostile", "dry_run": true });
    let effect = server.client().post(&format!("{}/void", trial.path), &body).expect(200);
    assert_eq!(effect["found"], 60);
    assert_eq!(effect["before"]["leader"], "a");
}

/// A voter with many votes does not turn those who disagree into outliers: each voter counts once,
/// regardless of the number of votes.
#[test]
fn trace_crowd_of_one_is_no_majority() {
    let server = Server::start();
    let trial = Trial::new(&server, &["a", "b"], &json!({}));
    let prefers = |arm: &'static str, voter: &'static str| {
        move |left: &str, _: &str, _: usize| {
            Some(json!({ "outcome": if left == arm { "left" } else { "right" }, "voter": voter }))
        }
    };
    for (count, arm, voter) in [(10, "a", "ann"), (25, "b", "troll"), (10, "a", "bob"), (10, "a", "cat")] {
        trial.vote(count, &json!({}), prefers(arm, voter));
    }
    let ann = trial.get("/voters?voter=ann");
    assert_eq!(ann["voters"][0]["agreement"], 1.0, "{ann}");
    assert_eq!(ann["voters"][0]["stands_out"], Value::Null);
    assert_eq!(trial.get("/voters")["voters"][0]["voter"], "troll");
}

#[test]
fn trace_ratings_or_why_not() {
    let server = Server::start();
    let trial = Trial::new(&server, &["a", "b", "c"], &json!({}));
    assert_eq!(trial.get("/ratings")["status"], "apart");
    trial.vote(30, &json!({}), alphabetical);
    let ratings = trial.get("/ratings");
    assert_eq!(ratings["status"], "unbeaten");
    assert_eq!(
        ratings["words"],
        "\"a\" never lost a vote to the other arms, so no finite rating is high enough."
    );
    trial.vote(90, &json!({}), |left, right, i| {
        if i % 4 == 0 { alphabetical(right, left, i) } else { alphabetical(left, right, i) }
    });
    let ratings = trial.get("/ratings");
    assert_eq!(ratings["status"], "rated", "{ratings}");
    let names: Vec<_> =
        ratings["arms"].as_array().expect("a list").iter().map(|arm| text(&arm["name"])).collect();
    assert_eq!(names, ["a", "b", "c"]);
    for arm in ratings["arms"].as_array().expect("a list") {
        assert!(
            arm["low"].as_f64() < arm["rating"].as_f64() && arm["rating"].as_f64() < arm["high"].as_f64()
        );
    }
    // Rock, paper, scissors.
    let circle = Trial::new(&server, &["a", "b", "c"], &json!({}));
    circle.vote(300, &json!({}), |left, right, i| {
        let wins = matches!((left, right), ("a", "b") | ("b", "c") | ("c", "a")) != (i % 7 == 0);
        Some(json!({ "outcome": if wins { "left" } else { "right" } }))
    });
    let ratings = circle.get("/ratings");
    assert_eq!(ratings["status"], "contradicted", "{ratings}");
    assert_eq!(ratings["arms"][0]["low"], Value::Null);
    assert_eq!(circle.get("/standing")["leader"], Value::Null);
}

#[test]
fn trace_others_are_evaluated_on_the_log() {
    let server = Server::start();
    let client = server.client();
    let body = json!({ "name": "n", "arms": ["a", "b", "c"], "policy": "rex3:gamma=0.5" });
    let id = text(&client.post("/v1/experiments", &body).expect(201)["id"]);
    let trial = Trial { server: &server, path: format!("/v1/experiments/{id}") };
    for _ in 0..40 {
        trial.vote(50, &json!({}), alphabetical);
    }
    let exact = |query: &str| {
        let evaluation = trial.get(&format!("/evaluation?{query}"));
        let estimate = evaluation["estimates"][0].clone();
        assert_eq!((&estimate["method"], &estimate["exact"]), (&json!("ips"), &json!(true)), "{evaluation}");
        assert_eq!((&evaluation["duels"], &evaluation["unusable"]), (&json!(2000), &json!(0)));
        assert!(evaluation["effective_sample_size"].as_f64() > Some(50.0), "{evaluation}");
        (estimate["low"].as_f64().expect("a number"), estimate["high"].as_f64().expect("a number"))
    };
    // Arm a always wins, b beats c but not a, and a uniform opponent is the arm itself in a third
    // of the duels. The mean scores are therefore 2/3, 0 and -2/3.
    for (arm, truth) in [("a", 2.0 / 3.0), ("b", 0.0), ("c", -2.0 / 3.0)] {
        let (low, high) = exact(&format!("arm={arm}&against=uniform"));
        assert!(low <= truth && truth <= high && high - low < 0.5, "{arm}: {low} to {high}");
    }
    let (low, high) = exact("arm=a&against=arm:b");
    assert!(low > 0.5 && high >= 1.0 - 1e-9, "{low} to {high}");
    // The best arm alone is better than a policy that also shows the others, which is better than
    // the worst arm alone.
    assert!(exact("arm=a").0 > 0.0);
    assert!(exact("arm=c&against=policy").1 < 0.0);
    assert_eq!(
        trial.get("/evaluation?arm=a")["words"],
        "a would have won more than it lost against the experiment's policy."
    );
    let (low, _) = exact("policy=rex3:gamma=0.1&against=uniform");
    assert!(low > 0.0, "it learns which arm is better: {low}");
    for query in ["", "?arm=a&policy=rex3", "?arm=a&against=nobody"] {
        client.get(&format!("{}/evaluation{query}", trial.path)).refused(422, "invalid");
    }
    client.get(&format!("{}/evaluation?arm=z", trial.path)).refused(404, "no_arm");
    client.get(&format!("{}/evaluation?policy=dts", trial.path)).refused(422, "bad_policy");
    // The duels of a deterministic policy say nothing about other policies, except the held-out
    // ones.
    let body =
        json!({ "name": "n", "arms": ["a", "b", "c"], "policy": "rucb", "settings": { "holdout": 0.5 } });
    let id = text(&client.post("/v1/experiments", &body).expect(201)["id"]);
    let trial = Trial { server: &server, path: format!("/v1/experiments/{id}") };
    trial.vote(400, &json!({}), alphabetical);
    let evaluation = trial.get("/evaluation?arm=a&against=uniform");
    let (used, unusable) =
        (evaluation["duels"].as_u64().unwrap_or(0), evaluation["unusable"].as_u64().unwrap_or(0));
    assert_eq!(used + unusable, 400);
    assert!(used > 140 && unusable > 140, "{evaluation}");
    assert!(evaluation["estimates"][0]["low"].as_f64() > Some(0.2), "{evaluation}");
}
