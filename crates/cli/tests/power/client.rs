//! Clients that vote and write a ledger.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rand::{Rng, RngExt as _};
use serde_json::{Value, json};

use crate::http::request;
use crate::ledger::{Issued, Ledger, Line, Shown};
use crate::server::Access;

pub(crate) const WORDS: [&str; 4] = ["left", "right", "tie", "both_bad"];

/// What all clients of a server share.
pub(crate) struct Shared {
    pub(crate) access: Access,
    pub(crate) experiments: Vec<String>,
    pub(crate) journal: PathBuf,
    /// Set before the server is killed.
    pub(crate) stop: AtomicBool,
}

impl Shared {
    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The current time: the length of the journal.
    fn now(&self) -> u64 {
        fs::metadata(&self.journal).map_or(0, |metadata| metadata.len())
    }

    /// Sends a request once. `None` if the server failed or the connection broke; it is not known
    /// then whether the request had an effect.
    fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Option<(u16, Value)>, String> {
        let Access { address, key } = &self.access;
        match request(address, key, method, path, body) {
            Some((500, answer)) => Err(format!("{method} {path} gave 500: {answer}")),
            Some((503, _)) | None => {
                // A server without a working disk would otherwise be asked in vain all the time.
                thread::sleep(Duration::from_millis(1));
                Ok(None)
            }
            answered => Ok(answered),
        }
    }
}

/// Creates an experiment, on a disk without faults.
pub(crate) fn create(shared: &Shared, policy: &str, ledger: &mut Ledger) -> Result<String, String> {
    let body = json!({ "name": policy, "arms": ["a", "b", "c", "d", "e"], "policy": policy });
    let made = shared.ask("POST", "/v1/experiments", Some(&body))?;
    let made = made.filter(|(status, _)| *status == 201).ok_or_else(|| format!("{policy} was refused"))?.1;
    let id = made["id"].as_str().ok_or("no id")?.to_owned();
    ledger.experiments.insert(id.clone(), shared.now());
    Ok(id)
}

/// Votes until the server is killed. A client uses its ledger again with the next server.
pub(crate) fn run(
    shared: &Shared,
    ledger: &mut Ledger,
    rng: &mut impl Rng,
    name: &str,
) -> Result<(), String> {
    // A new server must not contradict the old one.
    for _ in 0..6 {
        read_any(shared, ledger, rng)?;
    }
    for turn in 0.. {
        if shared.is_over() {
            break;
        }
        let experiment = &shared.experiments[rng.random_range(0..shared.experiments.len())];
        match rng.random_range(0..20) {
            0..2 => read_history(shared, ledger, experiment)?,
            2..5 => read_any(shared, ledger, rng)?,
            _ => {
                let client_id = rng.random_bool(0.5).then(|| format!("{name}, turn {turn}"));
                for duel in issue(shared, ledger, experiment, client_id, rng.random_range(1..4))? {
                    if rng.random_bool(0.9) {
                        answer(shared, ledger, &duel, rng)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Asks for duels.
fn issue(
    shared: &Shared,
    ledger: &mut Ledger,
    experiment: &str,
    client_id: Option<String>,
    count: u64,
) -> Result<Vec<String>, String> {
    let path = format!("/v1/experiments/{experiment}/duels");
    let mut body = json!({ "count": count });
    let n_tries = if client_id.is_some() { 3 } else { 1 };
    if let Some(client_id) = client_id {
        body["client_id"] = client_id.into();
    }
    for _ in 0..n_tries {
        match shared.ask("POST", &path, Some(&body))? {
            None => {}
            Some((200, issued)) => {
                let at = shared.now();
                let mut ids = Vec::new();
                for duel in issued["duels"].as_array().into_iter().flatten() {
                    let id = duel["id"].as_str().ok_or("no id")?.to_owned();
                    let propensity = duel["propensity"]["pair"].as_f64();
                    ledger.duels.insert(id.clone(), Issued { at, propensity, lines: Vec::new() });
                    ids.push(id);
                }
                return Ok(ids);
            }
            Some((status, refused)) => return Err(format!("{path} {body} gave {status}: {refused}")),
        }
    }
    Ok(Vec::new())
}

/// Answers a duel, reads it, answers again, voids it: some of this.
fn answer(shared: &Shared, ledger: &mut Ledger, id: &str, rng: &mut impl Rng) -> Result<(), String> {
    let word = WORDS[rng.random_range(0..WORDS.len())];
    let mut is_known = send(shared, ledger, id, word)?;
    if !is_known && rng.random_bool(0.8) {
        let is_open = read(shared, ledger, id, 20)? == Some(true);
        // The rest of the open duels stays open: no later server may find an answer.
        if is_open && rng.random_bool(0.5) {
            let word = WORDS[rng.random_range(0..WORDS.len())];
            is_known = send(shared, ledger, id, word)?;
        }
    }
    if is_known && rng.random_bool(0.1) {
        read(shared, ledger, id, 1)?;
    }
    if rng.random_bool(0.08) {
        let path = format!("/v1/duels/{id}");
        tell(ledger, id, shared.now(), Line::Voids);
        match shared.ask("DELETE", &path, None)? {
            Some((200, _)) => tell(ledger, id, shared.now(), Line::Voided),
            None => {
                tell(ledger, id, shared.now(), Line::Failed);
                read(shared, ledger, id, 20)?;
            }
            Some((status, refused)) => return Err(format!("voiding {id} gave {status}: {refused}")),
        }
    }
    Ok(())
}

/// Sends an answer. Returns whether the server acknowledged or refused it.
fn send(shared: &Shared, ledger: &mut Ledger, id: &str, word: &'static str) -> Result<bool, String> {
    let path = format!("/v1/duels/{id}/outcome");
    let body = json!({ "outcome": word, "voter": "v" });
    tell(ledger, id, shared.now(), Line::Answers(word));
    let answered = shared.ask("POST", &path, Some(&body))?;
    let line = match &answered {
        Some((200, _)) => Line::Accepted(word),
        Some((409, _)) => Line::Refused(word),
        None => Line::Failed,
        Some((status, refused)) => return Err(format!("{path} {body} gave {status}: {refused}")),
    };
    tell(ledger, id, shared.now(), line);
    Ok(answered.is_some())
}

fn read_any(shared: &Shared, ledger: &mut Ledger, rng: &mut impl Rng) -> Result<(), String> {
    if !ledger.duels.is_empty() {
        // Half of the time a duel whose state is not known.
        let unknown = |(_, duel): &(&String, &Issued)| duel.possible(u64::MAX).len() > 1;
        let unknown: Vec<&String> = ledger.duels.iter().filter(unknown).map(|(id, _)| id).collect();
        let id = if !unknown.is_empty() && rng.random_bool(0.5) {
            unknown[rng.random_range(0..unknown.len())].clone()
        } else {
            let place = rng.random_range(0..ledger.duels.len());
            ledger.duels.keys().nth(place).cloned().unwrap_or_default()
        };
        read(shared, ledger, &id, 1)?;
    }
    Ok(())
}

/// Reads a duel, with a number of tries. Returns whether it is open; `None` without an answer.
fn read(shared: &Shared, ledger: &mut Ledger, id: &str, n_tries: usize) -> Result<Option<bool>, String> {
    for _ in 0..n_tries {
        if shared.is_over() {
            break;
        }
        match shared.ask("GET", &format!("/v1/duels/{id}"), None)? {
            None => {}
            Some((200, state)) => {
                let line = match (state["status"].as_str(), state["outcome"].as_str()) {
                    (Some("open"), _) => Line::ReadOpen,
                    (Some("voided"), _) => Line::ReadVoided,
                    (Some("answered"), outcome) => {
                        let word = WORDS.into_iter().find(|word| Some(*word) == outcome);
                        Line::ReadAnswered(word.ok_or_else(|| format!("{id} has the answer {outcome:?}"))?)
                    }
                    _ => return Err(format!("reading {id} gave {state}")),
                };
                tell(ledger, id, shared.now(), line);
                return Ok(Some(line == Line::ReadOpen));
            }
            Some((status, refused)) => return Err(format!("reading {id} gave {status}: {refused}")),
        }
    }
    Ok(None)
}

/// Reads the part of a log that this client does not know yet.
fn read_history(shared: &Shared, ledger: &mut Ledger, experiment: &str) -> Result<(), String> {
    let own = (experiment.to_owned(), 0)..=(experiment.to_owned(), u64::MAX);
    let after = ledger.history.range(own).next_back().map_or(0, |((_, seq), _)| *seq);
    // From a little earlier, so that records are read twice.
    let after = after.saturating_sub(3);
    let path = format!("/v1/experiments/{experiment}/history?after={after}&limit=1000");
    let page = match shared.ask("GET", &path, None)? {
        None => return Ok(()),
        Some((200, page)) => page,
        Some((status, refused)) => return Err(format!("{path} gave {status}: {refused}")),
    };
    let now = shared.now();
    for event in page["events"].as_array().into_iter().flatten() {
        let seq = event["seq"].as_u64().ok_or("no log position")?;
        let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        let shown = Shown { kind: text("type"), at: text("at"), duel: event["duel"].as_u64() };
        let (_, before) =
            ledger.history.entry((experiment.to_owned(), seq)).or_insert_with(|| (now, shown.clone()));
        if *before != shown {
            return Err(format!(
                "the server showed record {seq} of {experiment} as {before:?} and later as {shown:?}"
            ));
        }
    }
    Ok(())
}

fn tell(ledger: &mut Ledger, id: &str, at: u64, line: Line) {
    if let Some(duel) = ledger.duels.get_mut(id) {
        duel.lines.push((at, line));
    }
}
