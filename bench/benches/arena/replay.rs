//! Opens a long log.

use std::sync::Arc;
use std::time::Instant;

use rand::RngExt as _;
use tiltyard_arena::arena::{Arena, Options, load, load_from_start};
use tiltyard_arena::domain::{
    Answer, AnswerRequest, Create, Event, Experiment, IssueRequest, NewArm, Record, Settings,
};
use tiltyard_arena::id::{DuelId, ExperimentId};
use tiltyard_arena::store::{Snapshot, SqliteStore, Store};
use tiltyard_arena::time::Time;
use tiltyard_bandit::Stream;

/// The measurements.
pub(crate) struct Replayed {
    pub(crate) records: u64,
    pub(crate) megabytes: f64,
    /// Seconds to open it without a snapshot.
    pub(crate) without: f64,
    /// Seconds to open it with a snapshot that lacks the last twentieth.
    pub(crate) with: f64,
}

pub(crate) fn run(votes: usize) -> Replayed {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let store = SqliteStore::open(directory.path()).expect("a store");
    let (id, records, snapshot) = write(&store, votes);
    drop(store);
    let file = SqliteStore::file(directory.path());
    let megabytes = file.metadata().expect("the file").len() as f64 / 1e6;
    let without = open(directory.path(), records);
    let store = SqliteStore::open(directory.path()).expect("a store");
    store.keep_snapshot(&snapshot).expect("a snapshot");
    let same = load(&store, id).expect("a log").map(|state| tiltyard_arena::arena::digest(&state))
        == load_from_start(&store, id).expect("a log").map(|state| tiltyard_arena::arena::digest(&state));
    assert!(same, "the snapshot leads to the same state");
    drop(store);
    let with = open(directory.path(), records);
    Replayed { records, megabytes, without, with }
}

/// Seconds from nothing to an arena that is ready to serve.
fn open(directory: &std::path::Path, records: u64) -> f64 {
    let start = Instant::now();
    let store = Arc::new(SqliteStore::open(directory).expect("a store"));
    let (arena, _writer) = Arena::open(store, Options::new([7; 32])).expect("an arena");
    let seconds = start.elapsed().as_secs_f64();
    let seq = arena.peek(arena.experiments()[0], Experiment::seq).expect("an experiment");
    assert_eq!(seq, records, "all of the log is folded in");
    seconds
}

/// Writes a log of this many votes, and returns a snapshot that lacks the last twentieth of it.
fn write(store: &SqliteStore, votes: usize) -> (ExperimentId, u64, Snapshot) {
    let mut rng = Stream::new(1).label("replay").rng();
    let create = Create {
        name: "replay".to_owned(),
        arms: (0..50).map(|arm| NewArm::named(format!("arm-{arm}"))).collect(),
        policy: "rex3".to_owned(),
        settings: Settings::default_for(true),
        distinct_by_policy: true,
    };
    let id = ExperimentId::from_random(rng.random());
    let event = Experiment::create(create, &mut rng).expect("an experiment");
    let first = Record { experiment: id, seq: 1, at: Time(0), event };
    let mut experiment = Experiment::begin(&first).expect("an experiment");
    let mut batch = vec![first];
    let mut snapshot = None;
    for i in 0..votes {
        let now = Time(i64::try_from(i).expect("a small number") * 1000);
        let issued = experiment.issue(&IssueRequest::default(), now, &mut rng).expect("a duel");
        let record = &issued[0];
        let Event::Issued(issue) = &record.event else { unreachable!("a duel was issued") };
        let duel = DuelId { experiment: id, seq: record.seq, token: issue.drawn.token };
        let (left, right) = issue.drawn.sides();
        let answer = if rng.random::<f64>() < 0.5 + (right.index() as f64 - left.index() as f64) / 150.0 {
            Answer::Left
        } else {
            Answer::Right
        };
        let who = Some(format!("voter-{}", i % 1000));
        let request = AnswerRequest { answer, voter: who, said: None };
        let answered =
            experiment.answer(duel, None, &request, now, &mut rng).expect("an answer").expect("a new one");
        let answered = experiment.next(now, answered);
        experiment.fold(&answered).expect("the next record");
        batch.extend(issued);
        batch.push(answered);
        if batch.len() > 8000 {
            store.append(&batch).expect("a log");
            batch.clear();
        }
        if i == votes - votes / 20 {
            let state = serde_json::to_string(&experiment.save()).expect("JSON");
            snapshot = Some(Snapshot { experiment: id, seq: experiment.seq(), at: now, state });
        }
    }
    store.append(&batch).expect("a log");
    (id, experiment.seq(), snapshot.expect("there are votes"))
}
