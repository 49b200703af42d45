//! Checks what must be true of the log.

use std::collections::BTreeMap;
use std::path::Path;

use tiltyard::arena::arena::{digest, load_from_start};
use tiltyard::arena::domain::{Answer, DrawnDuel, Event, Record};
use tiltyard::arena::id::{DuelId, ExperimentId};
use tiltyard::arena::store::{SqliteStore, Store as _};

use crate::client::Ledger;
use crate::http::request;
use crate::server::{Access, Server};

fn open(directory: &Path) -> Result<SqliteStore, String> {
    SqliteStore::open_read_only(directory).map_err(|error| error.to_string())
}

/// The state of a server that was just started is equal to its folded log, bit for bit.
pub(crate) fn live_state_is_the_log(server: &Server, directory: &Path) -> Result<(), String> {
    let store = open(directory)?;
    let Access { address, key } = server.access();
    for id in store.experiments().map_err(|error| error.to_string())? {
        let path = format!("/v1/experiments/{id}/digest");
        let (_, live) = request(&address, &key, "GET", &path, None).ok_or("the server does not answer")?;
        let folded =
            load_from_start(&store, id).map_err(|error| error.to_string())?.ok_or("an empty log")?.experiment;
        let (seq, fingerprint) = (folded.seq(), digest(&folded));
        // The server itself would record expired duels, but none expires within this test.
        if live["seq"] != seq || live["digest"] != fingerprint.as_str() {
            return Err(format!(
                "{id}: the server continues from {live}, but its log gives {seq} {fingerprint}"
            ));
        }
    }
    Ok(())
}

pub(crate) fn n_records(directory: &Path) -> Result<u64, String> {
    let store = open(directory)?;
    let mut n_records = 0;
    for id in store.experiments().map_err(|error| error.to_string())? {
        let count = &mut |_| {
            n_records += 1;
            true
        };
        store.read(id, 0, count).map_err(|error| error.to_string())?;
    }
    Ok(n_records)
}

/// The records of a duel in the log.
struct Found {
    drawn: DrawnDuel,
    answers: Vec<Answer>,
    n_voided: usize,
}

/// Checks that the log has everything that was acknowledged, unchanged and only once. Returns the
/// number of votes that count.
pub(crate) fn log_has_all(directory: &Path, ledger: &Ledger) -> Result<u64, String> {
    let store = open(directory)?;
    let mut duels: BTreeMap<String, Found> = BTreeMap::new();
    let mut counted = 0;
    for id in store.experiments().map_err(|error| error.to_string())? {
        let found = read(&store, id)?;
        let state =
            load_from_start(&store, id).map_err(|error| error.to_string())?.ok_or("an empty log")?.experiment;
        let votes = found
            .values()
            .filter(|duel| duel.n_voided == 0 && duel.answers.iter().any(|answer| *answer != Answer::Skip));
        let votes = votes.count() as u64;
        if state.totals().votes != votes {
            return Err(format!("{id} counts {} votes, but the log has {votes}", state.totals().votes));
        }
        counted += votes;
        duels.extend(found);
    }
    for (id, duel) in &duels {
        if duel.answers.len() > 1 || duel.n_voided > 1 {
            return Err(format!(
                "duel {id} was answered {} times and voided {}",
                duel.answers.len(),
                duel.n_voided
            ));
        }
    }
    for (id, handed_out) in &ledger.duels {
        let found = duels.get(id).ok_or_else(|| format!("duel {id} was issued but is not in the log"))?;
        let pair = handed_out["propensity"]["pair"].as_f64();
        if pair != found.drawn.ticket.propensity() {
            return Err(format!(
                "duel {id} was issued with {pair:?}, but the log has {:?}",
                found.drawn.ticket
            ));
        }
    }
    for (id, word) in &ledger.outcomes {
        let found = duels.get(id).ok_or_else(|| format!("duel {id} was answered but is not in the log"))?;
        if found.answers != [answer(word)?] {
            return Err(format!(
                "duel {id} was acknowledged as `{word}`, but the log has {:?}",
                found.answers
            ));
        }
    }
    for id in &ledger.voided {
        if duels.get(id).is_none_or(|found| found.n_voided != 1) {
            return Err(format!("duel {id} was voided, but not once in the log"));
        }
    }
    let said = |id: &String| ledger.outcomes.contains_key(id) || ledger.unknown.contains_key(id);
    match duels.iter().find(|(id, found)| !found.answers.is_empty() && !said(id)) {
        Some((id, _)) => Err(format!("duel {id} has an answer that no client gave")),
        None => Ok(counted),
    }
}

fn answer(word: &str) -> Result<Answer, String> {
    Ok(match word {
        "left" => Answer::Left,
        "right" => Answer::Right,
        "tie" => Answer::Tie,
        "both_bad" => Answer::BothBad,
        "skip" => Answer::Skip,
        other => return Err(format!("no answer is called {other}")),
    })
}

fn read(store: &SqliteStore, id: ExperimentId) -> Result<BTreeMap<String, Found>, String> {
    let mut duels: BTreeMap<u64, Found> = BTreeMap::new();
    let fold = &mut |record: Record| {
        match record.event {
            Event::Issued(issued) => {
                duels.insert(record.seq, Found { drawn: issued.drawn, answers: Vec::new(), n_voided: 0 });
            }
            Event::Answered(event) => {
                duels.entry(event.duel).and_modify(|found| found.answers.push(event.answer));
            }
            Event::Voided(event) => {
                duels.entry(event.duel).and_modify(|found| found.n_voided += 1);
            }
            _ => {}
        }
        true
    };
    store.read(id, 0, fold).map_err(|error| error.to_string())?;
    let named = |(seq, found): (u64, Found)| {
        (DuelId { experiment: id, seq, token: found.drawn.token }.to_string(), found)
    };
    Ok(duels.into_iter().map(named).collect())
}
