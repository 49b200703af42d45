//! Opens a long log.

use std::sync::Arc;
use std::time::Instant;

use rand::RngExt as _;
use tiltyard_arena::arena::{Arena, Loaded, Options, digest, load, load_from_start};
use tiltyard_arena::domain::{
    Answer, AnswerRequest, Create, Event, Experiment, Head, IssueRequest, Known, NewArm, Record, Settings,
};
use tiltyard_arena::id::{DuelId, ExperimentId};
use tiltyard_arena::store::{Append, SnapshotOf, SqliteStore, Store};
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
    let (id, records, (at, state)) = write(&store, votes);
    drop(store);
    let file = SqliteStore::file(directory.path());
    let megabytes = file.metadata().expect("the file").len() as f64 / 1e6;
    let without = open(directory.path(), records);
    let store = SqliteStore::open(directory.path()).expect("a store");
    let head = store.head_at(id, at).expect("a log").expect("a record");
    let of = SnapshotOf { experiment: id, head, at: Time(0) };
    store.keep_snapshot(of, &mut |out| out.write_all(&state)).expect("a snapshot");
    let digest_of = |loaded: Option<Loaded>| loaded.map(|loaded| digest(&loaded.experiment));
    let same =
        digest_of(load(&store, id).expect("a log")) == digest_of(load_from_start(&store, id).expect("a log"));
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

/// Writes a log of this many votes, and returns a state that lacks the last twentieth of it.
fn write(store: &SqliteStore, votes: usize) -> (ExperimentId, u64, (u64, Vec<u8>)) {
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
    let mut numbers = Vec::new();
    let mut head = Head::EMPTY;
    let mut append = |batch: &mut Vec<Record>| {
        let log = Append { experiment: id, after: head, records: core::mem::take(batch) };
        head = store.append(&[log]).remove(0).expect("a log");
    };
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
        // The first thousand votes name the voters.
        let known = Known { number: numbers.get(i % 1000).copied(), ..Known::default() };
        let answered =
            experiment.answer(duel, known, &request, now, &mut rng).expect("an answer").expect("a new one");
        numbers.extend(answered.numbers().filter(|_| i < 1000).map(|(number, _)| number));
        let answered = experiment.next(now, answered);
        experiment.fold(&answered).expect("the next record");
        batch.extend(issued);
        batch.push(answered);
        if batch.len() > 8000 {
            append(&mut batch);
        }
        if i == votes - votes / 20 {
            let state = serde_json::to_vec(&experiment.save()).expect("JSON");
            snapshot = Some((experiment.seq(), state));
        }
    }
    append(&mut batch);
    (id, experiment.seq(), snapshot.expect("there are votes"))
}
