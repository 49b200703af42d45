//! What the dashboard costs the server, with one more vote before each look.

use std::time::Duration;

use rand::RngExt as _;
use serde_json::{Value, json};
use tiltyard_bandit::Stream;

use crate::load::{Client, Times};
use crate::server::Child;

/// How many votes are brought in at once.
const BATCH: usize = 1000;

/// What was measured.
pub(crate) struct Looked {
    /// The server's own milliseconds.
    pub(crate) own: Times,
    /// The size of the page.
    pub(crate) kilobytes: f64,
    /// The same for the standing of the API.
    pub(crate) standing: Times,
}

/// Votes on so many arms, each better than those behind it, and then looks.
pub(crate) fn run(arms: usize, votes: usize, looks: usize) -> Looked {
    let server = Child::start(Duration::ZERO);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut client = Client::connect(&server.address).await;
        let names: Vec<String> = (0..arms).map(|arm| format!("arm-{arm}")).collect();
        let body = json!({ "name": "looked at", "arms": names, "policy": "rex3" }).to_string();
        let (made, _) = client.post("/v1/experiments", &body).await.expect("an experiment");
        let made: Value = serde_json::from_slice(&made).expect("JSON");
        let id = made["id"].as_str().expect("an id").to_owned();
        let mut rng = Stream::new(1).label("pages").rng();
        let path = format!("/v1/experiments/{id}/votes");
        for batch in 0..votes.div_ceil(BATCH) {
            let votes: Vec<Value> = (0..BATCH)
                .map(|_| {
                    let left = rng.random_range(0..arms);
                    let right = (left + rng.random_range(1..arms)) % arms;
                    let edge = 0.4 * (right as f64 - left as f64) / arms as f64;
                    let outcome = if rng.random::<f64>() < 0.5 + edge { "left" } else { "right" };
                    json!({ "left": names[left], "right": names[right], "outcome": outcome })
                })
                .collect();
            let body =
                json!({ "client_id": batch.to_string(), "source": "bench", "votes": votes }).to_string();
            client.post(&path, &body).await.expect("votes");
        }
        let (mut own, mut standing, mut bytes) = (Vec::new(), Vec::new(), 0);
        for _ in 0..looks {
            let (duels, _) = client.post(&format!("/v1/experiments/{id}/duels"), "{}").await.expect("a duel");
            let duels: Value = serde_json::from_slice(&duels).expect("JSON");
            let duel = duels["duels"][0]["id"].as_str().expect("an id");
            client.post(&format!("/v1/duels/{duel}/outcome"), r#"{"outcome":"left"}"#).await.expect("a vote");
            let (page, millis) = client.get(&format!("/experiments/{id}")).await.expect("a page");
            bytes = page.len();
            own.push(millis);
            let (_, millis) =
                client.get(&format!("/v1/experiments/{id}/standing")).await.expect("a standing");
            standing.push(millis);
        }
        Looked { own: Times::of(own), kilobytes: bytes as f64 / 1e3, standing: Times::of(standing) }
    })
}
