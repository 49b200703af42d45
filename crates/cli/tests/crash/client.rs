//! Clients that vote and record what the server acknowledged.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rand::{Rng, RngExt as _};
use serde_json::{Value, json};

use crate::http::request;
use crate::server::{Access, Server};

/// The current server, if it is alive, and the experiments.
pub(crate) struct Shared {
    access: Mutex<State>,
    experiments: Vec<String>,
}

struct State {
    access: Option<Access>,
    stop: bool,
}

impl Shared {
    pub(crate) fn new(access: Access, experiments: Vec<String>) -> Self {
        Self { access: Mutex::new(State { access: Some(access), stop: false }), experiments }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.access.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn take_away(&self) {
        self.change(|state| state.access = None);
    }

    pub(crate) fn give(&self, access: Access) {
        self.change(|state| state.access = Some(access));
    }

    pub(crate) fn stop(&self) {
        self.change(|state| state.stop = true);
    }

    /// Waits for a server; `None` when it is time to stop.
    fn wait(&self) -> Option<Access> {
        loop {
            {
                let state = self.access.lock().unwrap_or_else(PoisonError::into_inner);
                if state.stop {
                    return None;
                }
                if let Some(access) = &state.access {
                    return Some(access.clone());
                }
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}

/// What the server acknowledged.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Issued duels, as the server described them.
    pub(crate) duels: BTreeMap<String, Value>,
    /// Outcomes by duel.
    pub(crate) outcomes: BTreeMap<String, String>,
    pub(crate) voided: Vec<String>,
    /// Duels with an outcome that was sent but not acknowledged. The log may have it or not.
    pub(crate) unknown: BTreeMap<String, String>,
}

impl Ledger {
    pub(crate) fn add(&mut self, other: Self) {
        self.duels.extend(other.duels);
        self.outcomes.extend(other.outcomes);
        self.voided.extend(other.voided);
        self.unknown.extend(other.unknown);
    }
}

/// Creates an experiment.
pub(crate) fn create(server: &Server, policy: &str) -> Result<String, String> {
    let Access { address, key } = server.access();
    let body = json!({ "name": policy, "arms": ["a", "b", "c", "d", "e"], "policy": policy });
    let made = request(&address, &key, "POST", "/v1/experiments", Some(&body));
    let (_, made) =
        made.filter(|(status, _)| *status == 201).ok_or_else(|| format!("{policy} was refused"))?;
    made["id"].as_str().map(str::to_owned).ok_or_else(|| "no id".to_owned())
}

/// Votes until it is time to stop.
pub(crate) fn run(shared: &Shared, mut rng: impl Rng, number: u64) -> Result<Ledger, String> {
    let mut ledger = Ledger::default();
    for turn in 0.. {
        let experiment = &shared.experiments[rng.random_range(0..shared.experiments.len())];
        // A request with a client id can be repeated until it is answered, and must give the same
        // duels.
        let named = rng.random_bool(0.5);
        let count = rng.random_range(1..4);
        let mut body = json!({ "count": count });
        if named {
            body["client_id"] = format!("client {number}, turn {turn}").into();
        }
        let path = format!("/v1/experiments/{experiment}/duels");
        let duels = match ask(shared, "POST", &path, Some(&body), named)? {
            Reply::Said(200, duels) => duels,
            Reply::Ended => break,
            Reply::Broken => continue,
            refused @ Reply::Said(..) => return Err(format!("{path} {body} gave {refused:?}")),
        };
        if named && rng.random_bool(0.2) {
            match ask(shared, "POST", &path, Some(&body), true)? {
                Reply::Said(200, again) if again == duels => {}
                Reply::Ended => break,
                again => return Err(format!("repeated, {body} gave {again:?} instead of {duels}")),
            }
        }
        for duel in duels["duels"].as_array().into_iter().flatten() {
            let id = duel["id"].as_str().ok_or("no id")?.to_owned();
            ledger.duels.insert(id.clone(), duel.clone());
            if rng.random_bool(0.1) {
                continue; // This duel stays unanswered.
            }
            if !answer(shared, &mut ledger, &id, &mut rng)? {
                return Ok(ledger);
            }
        }
    }
    Ok(ledger)
}

/// Answers one duel, repeatedly or only once. False when it is time to stop.
fn answer(shared: &Shared, ledger: &mut Ledger, id: &str, rng: &mut impl Rng) -> Result<bool, String> {
    let words = ["left", "right", "tie", "both_bad", "skip"];
    let word = words[rng.random_range(0..words.len())];
    let body = json!({ "outcome": word, "voter": "v" });
    let path = format!("/v1/duels/{id}/outcome");
    let insist = rng.random_bool(0.8);
    ledger.unknown.insert(id.to_owned(), word.to_owned());
    match ask(shared, "POST", &path, Some(&body), insist)? {
        Reply::Said(200, _) => {
            ledger.unknown.remove(id);
            ledger.outcomes.insert(id.to_owned(), word.to_owned());
        }
        Reply::Said(status, answer) => return Err(format!("{path} {body} gave {status}: {answer}")),
        Reply::Broken => return Ok(true),
        Reply::Ended => return Ok(false),
    }
    if rng.random_bool(0.2) {
        // A different answer is refused, even by a server that was started since.
        let other = words[(words.iter().position(|w| *w == word).unwrap_or(0) + 1) % words.len()];
        let body = json!({ "outcome": other, "voter": "v" });
        match ask(shared, "POST", &path, Some(&body), true)? {
            Reply::Said(409, _) => {}
            Reply::Ended => return Ok(false),
            taken => return Err(format!("{path} had `{word}` but accepted `{other}`: {taken:?}")),
        }
    }
    if rng.random_bool(0.05) {
        ledger.unknown.insert(id.to_owned(), "void".to_owned());
        match ask(shared, "DELETE", &format!("/v1/duels/{id}"), None, true)? {
            Reply::Said(200, _) => {
                ledger.unknown.remove(id);
                ledger.voided.push(id.to_owned());
            }
            Reply::Ended => return Ok(false),
            other => return Err(format!("voiding {id} gave {other:?}")),
        }
    }
    Ok(true)
}

/// The result of a request.
#[derive(Debug)]
enum Reply {
    /// Status and body.
    Said(u16, Value),
    /// The server died, or did not know whether the request was carried out.
    Broken,
    /// It is time to stop.
    Ended,
}

/// Sends a request until it is answered if `insist`, else once.
fn ask(
    shared: &Shared,
    method: &str,
    path: &str,
    body: Option<&Value>,
    insist: bool,
) -> Result<Reply, String> {
    loop {
        let Some(Access { address, key }) = shared.wait() else { return Ok(Reply::Ended) };
        match request(&address, &key, method, path, body) {
            Some((500, answer)) => return Err(format!("{method} {path} gave 500: {answer}")),
            Some((503, _)) | None if insist => {}
            Some((503, _)) | None => return Ok(Reply::Broken),
            Some((status, answer)) => return Ok(Reply::Said(status, answer)),
        }
        thread::sleep(Duration::from_millis(1));
    }
}
