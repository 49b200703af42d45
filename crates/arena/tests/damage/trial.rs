//! One trial: damage, service, verification, repair.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rand::{Rng, RngExt as _};
use tiltyard_arena::domain::Event;
use tiltyard_arena::id::ExperimentId;
use tiltyard_arena::store::{OpenError, StoreError};
use tiltyard_arena::upkeep::{self, Repaired, RepairedLog, UpkeepError};
use tiltyard_bandit::Stream;

use crate::damage::{self, Damage, Kind};
use crate::fixture::{DATABASE, Fixture, HEADS, WAL};
use crate::truth::{Mode, Served};

/// The result of a trial.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) seed: u64,
    pub(crate) kind: Kind,
    pub(crate) story: String,
    /// Whether a single bit of the database was flipped.
    pub(crate) is_one_bit: bool,
    pub(crate) served: Served,
    pub(crate) repair: Option<Repair>,
    /// Everything that is not as it should be, apart from what `served` says.
    pub(crate) failures: Vec<String>,
}

/// A repair that was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repair {
    /// Everything was restored from a backup.
    Whole,
    /// Logs were cut.
    Cut,
}

impl Report {
    /// Everything that is not as it should be.
    pub(crate) fn wrong(&self) -> impl Iterator<Item = &String> {
        self.served.wrong.iter().chain(&self.failures)
    }
}

/// The copy of a damaged write-ahead log, which a start would destroy otherwise.
const KEPT_WAL: &str = "tiltyard.db-wal.damaged";

/// The message of the last panic.
pub(crate) static PANIC: Mutex<String> = Mutex::new(String::new());

/// Runs a trial. Without checks, only the answers are compared.
pub(crate) fn run(fixture: &Fixture, seed: u64, checks: bool) -> Report {
    let mut rng = Stream::new(seed).label("damage").rng();
    let kind = damage::choose(&mut rng);
    let directory = fixture.directory("trial");
    // The write-ahead log of a killed server covers most pages in which a key would be changed.
    let is_killed = kind != Kind::Key && rng.random_bool(0.5);
    let files = if is_killed { &fixture.killed } else { &fixture.stopped }.clone();
    let when = if is_killed { "after a kill" } else { "after a clean stop" };
    let mut report = Report {
        seed,
        kind,
        story: String::new(),
        is_one_bit: false,
        served: Served::default(),
        repair: None,
        failures: Vec::new(),
    };
    let damage = match damage::damage(kind, fixture, files, &directory, &mut rng) {
        Ok(damage) => damage,
        Err(error) => {
            report.failures.push(format!("the damage could not be done: {error}"));
            return report;
        }
    };
    report.story = format!("{when}, {}", damage.story);
    report.is_one_bit = kind == Kind::Bit && damage.file == DATABASE;
    let tried = catch_unwind(AssertUnwindSafe(|| {
        if checks {
            follow(fixture, &directory, &damage, &mut report, &mut rng);
        } else {
            report.served = fixture.truth.serve(&directory, Mode { checks: false, ..Mode::USUAL });
        }
    }));
    if tried.is_err() {
        let message = PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone();
        report.failures.push(format!("a panic: {message}"));
    }
    report
}

/// Verifies and serves the damaged data, and sometimes repairs it.
fn follow(fixture: &Fixture, directory: &Path, damage: &Damage, report: &mut Report, rng: &mut impl Rng) {
    let before = rng.random_bool(0.2).then(|| upkeep::verify(directory));
    // Damage to trees may concern only few look-ups.
    let all = matches!(damage.kind, Kind::Key | Kind::Misplaced | Kind::Exchanged) || rng.random_bool(0.1);
    let mode = Mode { checks: true, early: rng.random_bool(0.3), all };
    let served = fixture.truth.serve(directory, mode);
    let is_sound =
        |found: &Result<upkeep::Found, UpkeepError>| found.as_ref().is_ok_and(upkeep::Found::is_sound);
    if before.as_ref().is_some_and(is_sound) && (served.is_damaged() || !served.notes.is_empty()) {
        report.failures.push("`verify` found nothing, and the server did".to_owned());
    }
    if damage.kind == Kind::Header && served.refused.is_none() {
        report.failures.push("the server started".to_owned());
    }
    if damage.kind == Kind::Deleted && damage.file == HEADS && served.notes.is_empty() {
        report.failures.push(format!("nobody misses {HEADS}"));
    }
    let is_torn = matches!(damage.kind, Kind::Bit | Kind::Bits | Kind::Zeroed | Kind::Garbage);
    if is_torn && damage.file == WAL && !served.apart.is_empty() && !directory.join(KEPT_WAL).exists() {
        report.failures.push("the damaged write-ahead log is gone".to_owned());
    }
    expect_places(fixture, damage, &served, &mut report.failures);
    let is_damaged = served.is_damaged();
    report.served = served;
    if !is_damaged {
        return;
    }
    if is_sound(&upkeep::verify(directory)) {
        report.failures.push("`verify` finds nothing after the server found damage".to_owned());
    }
    if rng.random_bool(0.2) {
        // A second start finds the damage that the first one found.
        let again = fixture.truth.serve(directory, mode);
        report.failures.extend(again.wrong.iter().map(|wrong| format!("at the second start: {wrong}")));
        if !again.is_damaged() {
            report.failures.push("the second start found no damage".to_owned());
        }
    }
    if rng.random_bool(0.25) {
        match repair(fixture, directory, rng) {
            Ok(repair) => report.repair = repair,
            Err(wrong) => report.failures.push(format!("repair: {wrong}")),
        }
    }
}

/// Damage to records whose log is known is found there, and nowhere else.
fn expect_places(fixture: &Fixture, damage: &Damage, served: &Served, failures: &mut Vec<String>) {
    let Some(places) = &damage.logs else { return };
    if places.iter().any(|place| place.log == ExperimentId::ARENA) {
        let refused = served.refused.as_deref();
        if !refused.is_some_and(|error| error.contains("log of keys")) {
            failures.push(format!("the log of keys is damaged, but the start gave {refused:?}"));
        }
        return;
    }
    if let Some(error) = &served.refused {
        failures.push(format!("the server did not start: {error}"));
        return;
    }
    for (id, _) in fixture.truth.experiments() {
        let place = places.iter().find(|place| place.log == id);
        let apart = served.apart.iter().find(|apart| apart.id == id);
        let fits = match (place, apart) {
            (None, None) => served.true_logs.contains(&id),
            (Some(place), Some(apart)) => place.record.map_or_else(
                || apart.damage.contains("index"),
                |record| apart.sound == record - 1 && apart.damage.contains(&format!("record {record} ")),
            ),
            _ => false,
        };
        if !fits {
            failures.push(format!("experiment {id}: damaged at {place:?}, but set apart as {apart:?}"));
        }
    }
    if served.apart.len() > places.len() {
        failures.push(format!("set apart without a reason: {:?}", served.apart));
    }
}

/// Repairs a directory, and checks what is served then.
fn repair(fixture: &Fixture, directory: &Path, rng: &mut impl Rng) -> Result<Option<Repair>, String> {
    let backup = match rng.random_range(0..3) {
        0 => Some(fixture.backup.as_path()),
        1 => Some(fixture.old_backup.as_path()),
        _ => None,
    };
    let mut cut = BTreeSet::new();
    let repaired = match upkeep::repair(directory, backup, &cut) {
        Err(UpkeepError::Lost { logs }) => {
            // A row after the true end of a log counts as lost, even if it never was a record.
            let is_short = |log: &&RepairedLog| {
                let truth = fixture.truth.logs.get(&log.experiment);
                truth.is_some_and(|truth| (truth.records.len() as u64) > log.sound)
            };
            if backup == Some(&fixture.backup)
                && let Some(log) = logs.iter().find(is_short)
            {
                return Err(format!("the backup has everything, but it says {log:?}"));
            }
            cut.extend(logs.iter().map(|log| log.experiment));
            upkeep::repair(directory, backup, &cut)
        }
        other => other,
    };
    let Repaired { logs, found } = match repaired {
        Ok(repaired) => repaired,
        // A database of a newer version must not be replaced by one of this version.
        Err(UpkeepError::Open(OpenError::Store(StoreError::Newer { .. }))) => return Ok(None),
        Err(error) => return Err(format!("{error}: {error:?}")),
    };
    if !found.is_sound() {
        return Err(format!("it left damage: {:?} {:?}", found.damaged, found.damage));
    }
    if logs.iter().any(|log| log.erased > 0) {
        // Names or contexts that no source has are erased, so that answers with them differ.
        return Ok(Some(Repair::Cut));
    }
    let lost: Vec<&RepairedLog> = logs.iter().filter(|log| log.lost > 0).collect();
    let is_real = |log: &&&RepairedLog| fixture.truth.logs.contains_key(&log.experiment);
    if lost.iter().find(is_real).is_none() {
        let served = fixture.truth.serve(directory, Mode::USUAL);
        return if served.is_truth() {
            Ok(Some(Repair::Whole))
        } else {
            Err(format!("it is not the truth afterwards: {served:?}"))
        };
    }
    check_cut(fixture, directory, &lost)?;
    Ok(Some(Repair::Cut))
}

/// What is served after a cut is the truth up to the cut, and the whole truth about other logs.
fn check_cut(fixture: &Fixture, directory: &Path, lost: &[&RepairedLog]) -> Result<(), String> {
    let (arena, writer, notes) = fixture.truth.start(directory, Mode::USUAL)?;
    if !notes.is_empty() || !arena.set_apart().is_empty() {
        return Err(format!("damage after the repair: {notes:?} {:?}", arena.set_apart()));
    }
    for (&id, log) in &fixture.truth.logs {
        let truth = &log.records;
        let cut = lost.iter().find(|cut| cut.experiment == id);
        let sound = cut.map_or(truth.len(), |cut| usize::try_from(cut.sound).unwrap_or(usize::MAX));
        let n_records = truth.len() as u64;
        if let Some(cut) = cut
            && n_records != cut.sound + cut.lost
            && n_records != cut.sound
        {
            return Err(format!("{cut:?}, but there were {n_records} records"));
        }
        let is_gone = id != ExperimentId::ARENA && sound == 0;
        let records = match arena.history(id, 0, usize::MAX) {
            Ok(records) => records,
            Err(_) if is_gone => continue,
            Err(error) => return Err(format!("{id}: {error}")),
        };
        let (same, more) = records.split_at_checked(sound).ok_or("records are missing")?;
        let fits = match (cut, more) {
            (None, []) => true,
            (Some(_), []) => id == ExperimentId::ARENA,
            (Some(cut), [added]) => matches!(&added.event, Event::Repaired(event) if event.lost == cut.lost),
            _ => false,
        };
        if same != &truth[..sound] || !fits {
            return Err(format!("{id}: {cut:?} left {sound} records and {more:?}"));
        }
    }
    let untouched: Vec<_> = fixture
        .truth
        .experiments()
        .filter(|(id, _)| lost.iter().all(|cut| cut.experiment != *id))
        .map(|(id, _)| id)
        .collect();
    drop((arena, writer));
    let served = fixture.truth.serve(directory, Mode::USUAL);
    match untouched.iter().find(|id| !served.true_logs.contains(id)) {
        Some(id) => Err(format!("experiment {id} was not damaged, but is not the same afterwards")),
        None => Ok(()),
    }
}
