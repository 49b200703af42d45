//! Opens a disk image as the next server would, and compares it with the ledgers.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use tiltyard::arena::Arena;
use tiltyard::arena::arena::Options;
use tiltyard::arena::domain::{Answer, Event, Record};
use tiltyard::arena::id::{DuelId, ExperimentId};
use tiltyard::arena::store::{SqliteStore, Store as _};
use tiltyard::arena::upkeep;

use crate::ledger::{DuelState, Ledger, Shown};

/// Something is wrong with an image.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) what: String,
    /// The duel whose story explains it.
    pub(crate) duel: Option<String>,
}

impl From<String> for Wrong {
    fn from(what: String) -> Self {
        Self { what, duel: None }
    }
}

/// All errors that led to an error.
fn chain(error: &dyn core::error::Error) -> String {
    let causes = core::iter::successors(error.source(), |error| error.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// The logs of a data directory.
#[derive(Default)]
struct Found {
    duels: BTreeMap<String, (DuelState, Option<f64>)>,
    history: BTreeMap<(String, u64), Shown>,
    n_keys: usize,
}

/// Opens the image and checks that it has everything that was answered before the cut. If `verify`,
/// also checks that the image is not damaged.
pub(crate) fn check(directory: &Path, cut: u64, ledgers: &[Ledger], verify: bool) -> Result<(), Wrong> {
    let is_announced = ledgers.iter().any(|ledger| ledger.key.is_some_and(|at| at <= cut));
    if verify && is_announced {
        let verified = upkeep::verify(directory);
        verified.map_err(|error| format!("`verify` finds damage before the start: {}", chain(&error)))?;
    }
    let store = SqliteStore::open(directory)
        .map_err(|error| format!("the data directory does not open: {}", chain(&error)))?;
    let store = Arc::new(store);
    let opened = Arena::open(Arc::<SqliteStore>::clone(&store), Options::new([7; 32]));
    opened.map_err(|error| format!("the experiments do not load: {}", chain(&error)))?;
    let found = Found::read(&store)?;
    drop(store);
    if verify {
        let verified = upkeep::verify(directory);
        verified.map_err(|error| format!("`verify` finds damage after the start: {}", chain(&error)))?;
    }
    ledgers.iter().try_for_each(|ledger| found.compare(cut, ledger))
}

impl Found {
    fn read(store: &SqliteStore) -> Result<Self, Wrong> {
        let mut found = Self::default();
        let mut twice = None;
        for experiment in store.experiments().map_err(|error| chain(&error))? {
            let mut ids: BTreeMap<u64, String> = BTreeMap::new();
            let visit = &mut |record: Record| {
                let kind = record.event.kind().word().to_owned();
                // The API names the duel of an issuing record by the record itself.
                let is_issued = matches!(record.event, Event::Issued(_));
                let duel = if is_issued { Some(record.seq) } else { record.event.duel() };
                let shown = Shown { kind, at: record.at.to_string(), duel };
                found.history.insert((experiment.to_string(), record.seq), shown);
                let about = record.event.duel().and_then(|seq| ids.get(&seq));
                let state = about.and_then(|id| found.duels.get_mut(id)).map(|(state, _)| state);
                match (record.event, state) {
                    (Event::Issued(issued), _) => {
                        let id =
                            DuelId { experiment, seq: record.seq, token: issued.drawn.token }.to_string();
                        ids.insert(record.seq, id.clone());
                        found.duels.insert(id, (DuelState::OPEN, issued.drawn.ticket.propensity()));
                    }
                    (Event::Answered(event), Some(state)) => {
                        if state.answer.is_some() {
                            twice = about.cloned();
                        }
                        state.answer = Some(word(event.answer));
                    }
                    (Event::Voided(_), Some(state)) => {
                        if state.is_voided {
                            twice = about.cloned();
                        }
                        state.is_voided = true;
                    }
                    _ => {}
                }
                true
            };
            store.read(experiment, 0, visit).map_err(|error| chain(&error))?;
        }
        let count = &mut |_| {
            found.n_keys += 1;
            true
        };
        store.read(ExperimentId::ARENA, 0, count).map_err(|error| chain(&error))?;
        match twice {
            Some(id) => {
                Err(Wrong { what: format!("the log has an event of duel {id} twice"), duel: Some(id) })
            }
            None => Ok(found),
        }
    }

    fn compare(&self, cut: u64, ledger: &Ledger) -> Result<(), Wrong> {
        if ledger.key.is_some_and(|at| at <= cut) && self.n_keys == 0 {
            return Err("the key of the first start is lost".to_owned().into());
        }
        for (id, _) in ledger.experiments.iter().filter(|(_, at)| **at <= cut) {
            if !self.history.contains_key(&(id.clone(), 1)) {
                return Err(format!("experiment {id} was created and is lost").into());
            }
        }
        for (id, issued) in ledger.duels.iter().filter(|(_, issued)| issued.at <= cut) {
            let wrong = |what: String| Err(Wrong { what, duel: Some(id.clone()) });
            let possible = issued.possible(cut);
            if possible.is_empty() {
                return wrong(format!("the running server contradicted itself about duel {id}"));
            }
            let Some((state, propensity)) = self.duels.get(id) else {
                return wrong(format!("duel {id} was issued and is lost"));
            };
            if *propensity != issued.propensity {
                return wrong(format!("duel {id} has another propensity than the server said"));
            }
            if !possible.contains(state) {
                let expected: Vec<String> = possible.iter().map(ToString::to_string).collect();
                return wrong(format!("duel {id} must be {}, but is {state}", expected.join(" or ")));
            }
        }
        for ((experiment, seq), (_, shown)) in ledger.history.iter().filter(|(_, (at, _))| *at <= cut) {
            let record = self.history.get(&(experiment.clone(), *seq));
            if record != Some(shown) {
                let what = format!(
                    "record {seq} of experiment {experiment} was shown as {shown:?}, but the log has {record:?}"
                );
                return Err(what.into());
            }
        }
        Ok(())
    }
}

fn word(answer: Answer) -> &'static str {
    match answer {
        Answer::Left => "left",
        Answer::Right => "right",
        Answer::Tie => "tie",
        Answer::BothBad => "both_bad",
        _ => "another answer",
    }
}
