//! The voting page, as browsers without scripts use it.

mod ballots;
mod candidates;
mod limits;
mod links;
mod visitor;

use serde_json::{Value, json};

use crate::server::{Server, text};

fn between(text: &str, start: &str, end: &str) -> Option<String> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(inside, _)| inside.to_owned())
}

/// An experiment whose arms do not show their names.
fn hidden(server: &Server, settings: &Value) -> String {
    let arm =
        |name: &str, shows: &str| json!({ "name": format!("secret-{name}"), "payload": { "text": shows } });
    let body = json!({
        "name": "Which one", "arms": [arm("a", "First"), arm("b", "Second"), arm("c", "Third")], "settings": settings,
    });
    text(&server.client().post("/v1/experiments", &body).expect(201)["id"])
}

/// The names of the left and the right arm of a duel.
fn arms(server: &Server, duel: &str) -> (String, String) {
    let duel = server.client().get(&format!("/v1/duels/{duel}")).expect(200);
    (text(&duel["left"]), text(&duel["right"]))
}

fn votes(server: &Server, experiment: &str) -> Value {
    server.totals(experiment)["votes"].clone()
}

/// The name of the only voter of an experiment.
fn voter(server: &Server, experiment: &str) -> String {
    let history = server.client().get(&format!("/v1/experiments/{experiment}/history")).expect(200);
    let history = history.to_string();
    format!("web-{}", between(&history, "\"voter\":\"web-", "\"").unwrap())
}

fn wait(pending: tiltyard_arena::arena::Pending<()>) {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(pending.wait()).unwrap();
}
