//! The cost of the dashboard for the server, with one more vote before each look.

use std::time::Duration;

use rand::RngExt as _;
use serde_json::{Value, json};
use tiltyard_bandit::Stream;

use crate::load::{Client, Times};
use crate::server::Child;

/// Duels per request.
const BATCH: usize = 100;

/// The measurements.
pub(crate) struct Looked {
    /// The server's own milliseconds.
    pub(crate) own: Times,
    /// The size of the page.
    pub(crate) kilobytes: f64,
    /// The same for the standing from the API.
    pub(crate) standing: Times,
}

/// Votes on `arms` arms, each better than those after it, and then looks.
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
        let path = format!("/v1/experiments/{id}/duels");
        let body = json!({ "count": BATCH }).to_string();
        let place = |arm: &Value| -> f64 {
            let name = arm.as_str().expect("a name");
            name.trim_start_matches("arm-").parse().expect("a number")
        };
        for _ in 0..votes.div_ceil(BATCH) {
            let (duels, _) = client.post(&path, &body).await.expect("duels");
            let duels: Value = serde_json::from_slice(&duels).expect("JSON");
            let outcomes = duels["duels"].as_array().expect("a list").iter().map(|duel| {
                let edge = 0.4 * (place(&duel["right"]) - place(&duel["left"])) / arms as f64;
                let outcome = if rng.random::<f64>() < 0.5 + edge { "left" } else { "right" };
                json!({ "duel": duel["id"], "outcome": outcome, "voter": "v" })
            });
            let body = json!({ "outcomes": outcomes.collect::<Vec<_>>() }).to_string();
            client.post("/v1/outcomes", &body).await.expect("votes");
        }
        let (mut own, mut standing, mut bytes) = (Vec::new(), Vec::new(), 0);
        for _ in 0..looks {
            let (duels, _) = client.post(&path, "{}").await.expect("a duel");
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
