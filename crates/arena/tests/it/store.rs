//! The contract of a store, checked on every store, and the guarantees of SQLite alone.

use std::path::Path;
use std::sync::Arc;

use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;
use rusqlite::Connection;
use tempfile::TempDir;
use tiltyard_arena::domain::{
    Answer, AnswerRequest, Event, Head, Kind, Link, Record, RecordHash, Seal, VoidReason, Voter,
};
use tiltyard_arena::id::ExperimentId;
use tiltyard_arena::key::Scope;
use tiltyard_arena::store::{Append, OpenError, SCHEMA, SnapshotOf, SqliteStore, Store, StoreError};
use tiltyard_arena::time::Time;

use crate::sim_store::SimStore;
use crate::support::{Desk, plain};

const ONE: u64 = 10;
const TWO: u64 = 20;

fn id(number: u64) -> ExperimentId {
    ExperimentId::from_random(number << 1)
}

/// Runs a check over an empty store of each kind.
fn each(check: impl Fn(&dyn Store)) {
    check(&SimStore::new());
    let directory = TempDir::new().expect("a directory for a test");
    check(&SqliteStore::open(directory.path()).expect("it is empty"));
}

fn event(kind: Kind, body: &str) -> Event {
    Event::read(kind, body).expect("a body written by hand")
}

fn record(experiment: u64, seq: u64, event: Event) -> Record {
    Record { experiment: id(experiment), seq, at: Time(seq.cast_signed() * 7), event }
}

fn issued(client: Option<&str>) -> Event {
    let client = client.map_or(String::new(), |client| format!(r#","client":"{client}","count":2"#));
    let body = format!(
        r#"{{"open":{{"ticket":[1,0,1,1.0,0,[0.5]],"swapped":false,"holdout":false,"token":7,"expires":90}}{client}}}"#
    );
    event(Kind::Issued, &body)
}

fn about(kind: Kind, duel: u64) -> Event {
    let body = match kind {
        Kind::Answered => format!(r#"{{"duel":{duel},"answer":"left"}}"#),
        Kind::Voided => format!(r#"{{"duel":{duel},"reason":"asked"}}"#),
        Kind::Interleaved => format!(
            r#"{{"duel":{duel},"method":"team-draft","length":10,"list":{{"documents":["é"],"stakes":{{"shares":[[1.0,0.0]]}}}},"of":"00"}}"#
        ),
        _ => format!(r#"{{"duel":{duel}}}"#),
    };
    event(kind, &body)
}

fn paused() -> Event {
    event(Kind::Changed, r#"{"status":"paused"}"#)
}

/// Appends records of one or more logs, each where it belongs. Returns the first error.
fn append(store: &dyn Store, records: &[Record]) -> Result<(), StoreError> {
    let mut logs: Vec<Append> = Vec::new();
    for record in records {
        let experiment = record.experiment;
        if let Some(log) = logs.iter_mut().find(|log| log.experiment == experiment) {
            log.records.push(record.clone());
            continue;
        }
        let after = store.head_at(experiment, record.seq - 1)?.expect("the record before it");
        logs.push(Append { experiment, after, records: vec![record.clone()] });
    }
    store.append(&logs).into_iter().try_for_each(|result| result.map(drop))
}

fn read_all(store: &dyn Store, experiment: u64, after: u64) -> Vec<Record> {
    let mut records = Vec::new();
    let visit = &mut |record| {
        records.push(record);
        true
    };
    store.read(id(experiment), after, visit).expect("it can be read");
    records
}

fn places(store: &dyn Store, experiment: u64) -> Vec<u64> {
    read_all(store, experiment, 0).iter().map(|record| record.seq).collect()
}

#[test]
fn trace_an_empty_store_holds_nothing() {
    each(|store| {
        assert_eq!(store.experiments(), Ok(vec![]));
        assert_eq!(read_all(store, ONE, 0), []);
        assert_eq!(store.duel(id(ONE), 1), Ok(vec![]));
        assert_eq!(store.client(id(ONE), "c"), Ok(None));
        assert_eq!(store.numbers(id(ONE), &["v"].into()), Ok([].into()));
        assert_eq!(store.names(id(ONE), &[7].into()), Ok([].into()));
        assert_eq!(store.contents(id(ONE), &[1].into()), Ok([].into()));
        assert_eq!(store.duels_with(id(ONE), Kind::Voided), Ok(vec![]));
        assert_eq!(store.snapshots(id(ONE)), Ok(vec![]));
        assert_eq!(store.append(&[]), vec![]);
        assert_eq!(store.head_at(id(ONE), 1), Ok(None));
        assert_eq!(store.check(id(ONE)), Ok(Head::EMPTY));
    });
}

#[test]
fn trace_the_last_time_mark_is_kept() {
    each(|store| {
        assert_eq!(store.last_time(), Ok(None));
        for at in [7, 9] {
            store.mark_time(Time(at)).expect("there is room");
            assert_eq!(store.last_time(), Ok(Some(Time(at))));
        }
        assert_eq!(store.experiments(), Ok(vec![]));
    });
}

#[test]
fn trace_logs_are_read_in_order_each_by_itself_and_from_behind_a_place() {
    each(|store| {
        let first = [
            record(TWO, 1, issued(None)),
            record(ONE, 1, issued(Some("c"))),
            record(TWO, 2, about(Kind::Answered, 1)),
        ];
        append(store, &first).expect("places are free");
        append(store, &[record(ONE, 2, paused()), record(ONE, 3, issued(None))]).expect("places are free");
        assert_eq!(store.experiments(), Ok(vec![id(ONE), id(TWO)]));
        let expected = [first[1].clone(), record(ONE, 2, paused()), record(ONE, 3, issued(None))];
        assert_eq!(read_all(store, ONE, 0), expected);
        assert_eq!(read_all(store, ONE, 1), expected[1..]);
        assert_eq!(read_all(store, ONE, 3), []);
        assert_eq!(read_all(store, TWO, 0), [first[0].clone(), first[2].clone()]);
        // Reading stops when the visitor asks for it.
        let mut seen = Vec::new();
        let visit = &mut |record: Record| {
            seen.push(record.seq);
            seen.len() < 2
        };
        store.read(id(ONE), 0, visit).expect("it can be read");
        assert_eq!(seen, [1, 2]);
    });
}

#[test]
fn trace_the_arena_s_own_log_is_no_experiment() {
    each(|store| {
        let key = "0000000000001";
        let made = event(Kind::KeyMade, &format!(r#"{{"key":"{key}","hash":"00","scope":"admin"}}"#));
        let own = Record { experiment: ExperimentId::ARENA, seq: 1, at: Time(0), event: made };
        append(store, core::slice::from_ref(&own)).expect("the place is free");
        assert_eq!(store.experiments(), Ok(vec![]));
        let mut records = Vec::new();
        let visit = &mut |record| {
            records.push(record);
            true
        };
        store.read(ExperimentId::ARENA, 0, visit).expect("it can be read");
        assert_eq!(records, [own]);
    });
}

#[test]
fn trace_conflicts_and_all_or_nothing() {
    each(|store| {
        let log = [
            record(ONE, 1, issued(Some("c"))),
            record(ONE, 2, issued(None)),
            record(ONE, 3, about(Kind::Answered, 1)),
        ];
        append(store, &log).expect("places are free");
        let conflict = |records: &[Record]| {
            assert_eq!(append(store, records), Err(StoreError::Conflict));
            // The record before the conflicting one is not stored either.
            assert_eq!(places(store, ONE), [1, 2, 3]);
        };
        let fourth = record(ONE, 4, paused());
        conflict(&[record(ONE, 3, paused())]);
        conflict(&[fourth.clone(), record(ONE, 5, about(Kind::Answered, 1))]);
        conflict(&[fourth.clone(), record(ONE, 5, issued(Some("c")))]);
        // Within one batch.
        conflict(&[record(ONE, 4, about(Kind::Shown, 2)), record(ONE, 5, about(Kind::Shown, 2))]);
        conflict(&[record(ONE, 4, issued(Some("d"))), record(ONE, 5, issued(Some("d")))]);
        // Another kind, another duel, another client id and another experiment do not conflict.
        let free = [
            record(ONE, 4, about(Kind::Voided, 1)),
            record(ONE, 5, about(Kind::Answered, 2)),
            record(ONE, 6, issued(Some("d"))),
            record(TWO, 1, issued(Some("c"))),
            record(TWO, 2, about(Kind::Answered, 1)),
        ];
        append(store, &free).expect("nothing is in conflict");
        assert_eq!(places(store, ONE), [1, 2, 3, 4, 5, 6]);
        assert_eq!(places(store, TWO), [1, 2]);
    });
}

#[test]
fn trace_look_up_by_duel_and_client() {
    each(|store| {
        let log = [
            record(ONE, 1, issued(None)),
            record(ONE, 2, issued(Some("c"))),
            record(ONE, 3, about(Kind::Shown, 2)),
            record(ONE, 4, about(Kind::Expired, 1)),
            record(ONE, 5, about(Kind::Expired, 2)),
            record(ONE, 6, about(Kind::Answered, 2)),
            record(ONE, 7, about(Kind::Voided, 2)),
            record(ONE, 8, about(Kind::Voided, 1)),
            record(ONE, 9, issued(None)),
            record(ONE, 10, about(Kind::Interleaved, 9)),
            record(TWO, 1, issued(Some("d"))),
        ];
        append(store, &log).expect("places are free");
        let of = |places: &[usize]| Ok(places.iter().map(|&place| log[place - 1].clone()).collect());
        assert_eq!(store.duel(id(ONE), 2), of(&[2, 3, 5, 6, 7]));
        assert_eq!(store.duel(id(ONE), 1), of(&[1, 4, 8]));
        assert_eq!(store.duel(id(ONE), 9), of(&[9, 10]));
        // A place with another record, or without one, is not a duel.
        assert_eq!(store.duel(id(ONE), 3), Ok(vec![]));
        assert_eq!(store.duel(id(ONE), 11), Ok(vec![]));
        assert_eq!(store.client(id(ONE), "c"), Ok(Some(2)));
        assert_eq!(store.client(id(ONE), "d"), Ok(None));
        assert_eq!(store.client(id(TWO), "d"), Ok(Some(1)));
        assert_eq!(store.duels_with(id(ONE), Kind::Voided), Ok(vec![1, 2]));
        assert_eq!(store.duels_with(id(ONE), Kind::Answered), Ok(vec![2]));
        assert_eq!(store.duels_with(id(ONE), Kind::Issued), Ok(vec![]));
        assert_eq!(store.duels_with(id(TWO), Kind::Voided), Ok(vec![]));
    });
}

/// A duel with a context.
fn issued_with(context: &str) -> Event {
    let mut event = issued(None);
    if let Event::Issued(issued) = &mut event {
        issued.apart = Some(Seal::context(context.into(), &mut ChaCha8Rng::seed_from_u64(1)));
    }
    event
}

/// An answer of a voter, whose name is given if it is new.
fn answered_by(duel: u64, number: u64, name: Option<&str>) -> Event {
    let mut event = about(Kind::Answered, duel);
    if let Event::Answered(answered) = &mut event {
        answered.voter = Some(Voter::Number(number, name.map(str::to_owned)));
    }
    event
}

#[test]
fn trace_names_and_contents_lie_beside_their_records() {
    each(|store| {
        let log = [
            record(ONE, 1, issued_with("it's é")),
            record(ONE, 2, answered_by(1, 7, Some("v"))),
            record(ONE, 3, issued(None)),
            record(TWO, 1, issued(None)),
            record(TWO, 2, answered_by(1, 8, Some("v"))),
        ];
        append(store, &log).expect("places are free");
        let mut found = read_all(store, ONE, 0);
        // The record has only a number and a hash.
        assert_eq!(found[1], record(ONE, 2, answered_by(1, 7, None)));
        assert!(found[0].event.seal().is_some_and(|seal| seal.contents().is_none()));
        let body = found[0].event.body();
        assert!(body.contains("\"apart\"") && !body.contains("é"), "{body}");
        store.reveal(&mut found).expect("they are sound");
        assert_eq!(found, log[..3]);
        assert!(
            matches!(&found[0].event, Event::Issued(issued) if issued.context() == Some("it's é".into()))
        );
        assert_eq!(store.numbers(id(ONE), &["v", "w"].into()), Ok([("v".to_owned(), 7)].into()));
        assert_eq!(store.numbers(id(TWO), &["v"].into()), Ok([("v".to_owned(), 8)].into()));
        assert_eq!(store.names(id(ONE), &[7, 8].into()), Ok([(7, Some("v".to_owned()))].into()));
        assert_eq!(store.contents(id(TWO), &[1].into()), Ok([].into()));
        // A number has one name and a name has one number. A batch that is refused names nobody.
        for [first, second] in [[(7, "w"), (9, "x")], [(9, "v"), (10, "x")], [(9, "x"), (9, "y")]] {
            let by = |duel, (number, name): (u64, &str)| answered_by(duel, number, Some(name));
            let batch =
                [record(ONE, 4, by(3, first)), record(ONE, 5, issued(None)), record(ONE, 6, by(5, second))];
            assert_eq!(append(store, &batch), Err(StoreError::Conflict));
        }
        assert_eq!(store.numbers(id(ONE), &["w", "x", "y"].into()), Ok([].into()));
        append(store, &[record(ONE, 4, answered_by(3, 7, None))]).expect("the voter has a name already");
        store.check(id(ONE)).expect("it is sound");
        // A number without a name is damage.
        append(store, &[record(ONE, 5, issued(None)), record(ONE, 6, answered_by(5, 9, None))])
            .expect("places are free");
        let error = store.check(id(ONE)).expect_err("nobody has the number 9");
        assert!(matches!(error, StoreError::Damaged { log: Some((_, 6)), .. }), "{error}");
    });
}

#[test]
fn trace_two_snapshots_are_kept_newest_first() {
    each(|store| {
        let of = |experiment, seq: u64| SnapshotOf {
            experiment: id(experiment),
            head: Head { seq, hash: RecordHash([7; 32]) },
            at: Time(5),
        };
        let keep = |of, state: &str| {
            store.keep_snapshot(of, &mut |out| out.write_all(state.as_bytes())).expect("it can be written");
        };
        let read = |of: SnapshotOf| {
            let (found, state) = store.snapshot(of.experiment, of.head.seq).expect("it was stored");
            assert_eq!(found, of);
            String::from_utf8(state).expect("it is text").trim_end().to_owned()
        };
        for seq in [10, 30, 20] {
            keep(of(ONE, seq), &format!("state {seq}"));
        }
        keep(of(TWO, 1), "state 1");
        assert_eq!(store.snapshots(id(ONE)), Ok(vec![30, 20]));
        assert_eq!(store.snapshots(id(TWO)), Ok(vec![1]));
        assert_eq!((read(of(ONE, 30)), read(of(TWO, 1))), ("state 30".to_owned(), "state 1".to_owned()));
        // A snapshot at the same position replaces the earlier one.
        keep(of(ONE, 30), "again");
        assert_eq!(store.snapshots(id(ONE)), Ok(vec![30, 20]));
        assert_eq!(read(of(ONE, 30)), "again");
        assert!(store.snapshot(id(ONE), 10).is_err());
    });
}

#[test]
fn trace_a_visitor_may_use_the_store() {
    each(|store| {
        append(store, &[record(ONE, 1, issued(None)), record(ONE, 2, paused())]).expect("places are free");
        let mut inner = 0;
        let visit = &mut |record: Record| {
            inner += store.duel(id(ONE), record.seq).expect("it can be read").len();
            true
        };
        store.read(id(ONE), 0, visit).expect("it can be read");
        assert_eq!(inner, 1);
    });
}

#[test]
fn trace_events_survive_being_written() {
    each(|store| {
        // Numbers that a careless reader would round, and text that a careless writer would damage.
        let ticket = "[9007199254740993,3,4294967295,0.1,4294967295,[1e-99,0.30000000000000004,1.0]]";
        let body = format!(
            r#"{{"open":{{"ticket":{ticket},"swapped":true,"holdout":true,"token":18446744073709551615,"expires":-1,"shown":true}},"context":{{"q":"'; -- \u0000 é","n":[1.5,null]}},"client":"%_'","count":1}}"#
        );
        let log = [
            record(ONE, 1, event(Kind::Issued, &body)),
            record(ONE, 2, event(Kind::Answered, r#"{"duel":1,"answer":{"score":0.1},"learned":-0.1}"#)),
        ];
        append(store, &log).expect("places are free");
        assert_eq!(read_all(store, ONE, 0), log);
        assert_eq!(store.client(id(ONE), "%_'"), Ok(Some(1)));
        assert_eq!(store.client(id(ONE), "abc"), Ok(None));
    });
}

#[test]
fn trace_sqlite_holds_what_it_was_given_when_it_is_opened_again() {
    let directory = TempDir::new().expect("a directory for a test");
    let log = [record(ONE, 1, issued(Some("c"))), record(ONE, 2, about(Kind::Answered, 1))];
    {
        let store = SqliteStore::open(directory.path()).expect("it is empty");
        append(&store, &log).expect("places are free");
    }
    let store = SqliteStore::open(directory.path()).expect("no other process has it open");
    assert_eq!(read_all(&store, ONE, 0), log);
    assert_eq!(store.integrity(), Ok(vec![]));
    assert!(SqliteStore::is_present(directory.path()));
}

#[test]
fn trace_sqlite_syncs_what_a_killed_process_left() {
    let directory = TempDir::new().expect("a directory for a test");
    let left = TempDir::new().expect("a directory for a test");
    let log = [record(ONE, 1, issued(Some("c"))), record(ONE, 2, about(Kind::Answered, 1))];
    let wal = |directory: &Path| SqliteStore::file(directory).with_extension("db-wal");
    {
        let store = SqliteStore::open(directory.path()).expect("it is empty");
        append(&store, &log).expect("places are free");
        // These are the files that a process leaves if it is killed now.
        for file in [SqliteStore::file, wal] {
            std::fs::copy(file(directory.path()), file(left.path())).expect("there is room");
        }
    }
    let length = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    assert!(length(&wal(left.path())) > 0, "the batch is only in the write-ahead log");
    let store = SqliteStore::open(left.path()).expect("no other process has it open");
    assert_eq!(read_all(&store, ONE, 0), log);
    // Everything was moved into the database, which syncs both files.
    assert_eq!(length(&wal(left.path())), 0);
}

#[test]
fn trace_sqlite_is_for_one_writer_and_many_readers() {
    let directory = TempDir::new().expect("a directory for a test");
    assert!(matches!(SqliteStore::open_read_only(directory.path()), Err(OpenError::Missing { .. })));
    let store = SqliteStore::open(directory.path()).expect("it is empty");
    assert!(matches!(SqliteStore::open(directory.path()), Err(OpenError::Busy { .. })));
    let reader = SqliteStore::open_read_only(directory.path()).expect("readers are welcome");
    append(&store, &[record(ONE, 1, issued(None))]).expect("the place is free");
    assert_eq!(places(&reader, ONE), [1]);
    assert!(matches!(append(&reader, &[record(ONE, 2, paused())]), Err(StoreError::Unavailable { .. })));
    drop(store);
    SqliteStore::open(directory.path()).expect("the lock ended with its owner");
}

#[test]
fn trace_sqlite_copies_itself() {
    let directory = TempDir::new().expect("a directory for a test");
    let store = SqliteStore::open(directory.path()).expect("it is empty");
    append(&store, &[record(ONE, 1, issued(None))]).expect("the place is free");
    let target = directory.path().join("copy.db");
    store.copy_to(&target).expect("there is room");
    append(&store, &[record(ONE, 2, paused())]).expect("the place is free");
    let copy = SqliteStore::open_read_only(&target).expect("it is whole");
    assert_eq!(places(&copy, ONE), [1]);
    assert_eq!(places(&store, ONE), [1, 2]);
}

fn raw(directory: &Path) -> Connection {
    Connection::open(SqliteStore::file(directory)).expect("the file can be opened")
}

/// The length of a page of SQLite.
const PAGE: usize = 4096;

/// The places of the pages of a tree of SQLite: inner ones, and leaves.
#[derive(Debug, Default)]
struct Tree {
    inner: Vec<usize>,
    leaves: Vec<usize>,
}

impl Tree {
    fn of(directory: &Path, bytes: &[u8], name: &str) -> Self {
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
        let root: u16 = raw(directory).query_row(sql, [name], |row| row.get(0)).expect("it exists");
        let mut tree = Self::default();
        tree.walk(bytes, (usize::from(root) - 1) * PAGE);
        tree
    }

    fn walk(&mut self, bytes: &[u8], page: usize) {
        // The type of an inner page of an index.
        if bytes[page] != 2 {
            self.leaves.push(page);
            return;
        }
        self.inner.push(page);
        let child = |at: usize| (two(bytes, at + 2) - 1) * PAGE;
        for cell in cells(bytes, page) {
            self.walk(bytes, child(cell));
        }
        self.walk(bytes, child(page + 8));
    }
}

/// A number of two bytes.
fn two(bytes: &[u8], at: usize) -> usize {
    usize::from(bytes[at]) << 8 | usize::from(bytes[at + 1])
}

/// The places of the entries of an inner page.
fn cells(bytes: &[u8], page: usize) -> Vec<usize> {
    (0..two(bytes, page + 3)).map(|index| page + two(bytes, page + 12 + 2 * index)).collect()
}

/// Copies of a database, each with one fault of a tree: an entry of an inner page that is filed
/// under another experiment, or two exchanged leaves.
fn faults(sound: &[u8], trees: &[Tree]) -> Vec<Vec<u8>> {
    let mut faults = Vec::new();
    for Tree { inner, leaves } in trees {
        let all: Vec<usize> = inner.iter().flat_map(|&page| cells(sound, page)).collect();
        for &cell in all.iter().step_by(all.len().div_ceil(20)) {
            // A page number, the length of the entry, the length of its header, the header.
            let header = cell + 4 + if sound[cell + 4] < 128 { 1 } else { 2 };
            let experiment = header + usize::from(sound[header]);
            for other in [0, 15, 127] {
                let mut bytes = sound.to_vec();
                bytes[experiment] = other;
                faults.push(bytes);
            }
        }
        for pair in leaves.windows(2).step_by(leaves.len().div_ceil(20)) {
            let mut bytes = sound.to_vec();
            for (one, other) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                bytes[one..one + PAGE].copy_from_slice(&sound[other..other + PAGE]);
            }
            faults.push(bytes);
        }
    }
    faults
}

/// If a log passes its check, every look-up finds what is there, even if a page is damaged: one of
/// this log, or one of another log that a search passes on its way.
#[test]
fn law_every_look_up_in_a_checked_log_finds_its_record() {
    const LOGS: [u64; 3] = [ONE, TWO, 30];
    const RECORDS: u64 = 500;
    // Long, so that the index has several pages per log.
    let client = |seq: u64| format!("client {seq:060}");
    let directory = TempDir::new().expect("a directory for a test");
    {
        let store = SqliteStore::open(directory.path()).expect("it is empty");
        for log in LOGS {
            let records = (1..=RECORDS).map(|seq| match seq % 2 {
                1 => record(log, seq, issued(Some(&client(seq)))),
                _ => record(log, seq, about(Kind::Answered, seq - 1)),
            });
            append(&store, &records.collect::<Vec<_>>()).expect("the places are free");
        }
    }
    let sound = std::fs::read(SqliteStore::file(directory.path())).expect("it can be read");
    let trees = ["log", "log_duel", "log_client"].map(|name| Tree::of(directory.path(), &sound, name));
    assert!(trees.iter().all(|tree| !tree.inner.is_empty()), "{trees:?}");
    let (mut n_passed, mut n_damaged) = (0, 0);
    for bytes in faults(&sound, &trees) {
        std::fs::write(SqliteStore::file(directory.path()), &bytes).expect("there is room");
        let store = SqliteStore::open_read_only(directory.path()).expect("its first page is sound");
        for log in LOGS.map(id) {
            if store.check(log).is_err() {
                n_damaged += 1;
                continue;
            }
            n_passed += 1;
            for seq in (1..=RECORDS).step_by(2) {
                let found = store.duel(log, seq).expect("the log is sound");
                assert_eq!(found.iter().map(|record| record.seq).collect::<Vec<_>>(), [seq, seq + 1]);
                assert_eq!(store.client(log, &client(seq)), Ok(Some(seq)));
            }
        }
    }
    assert!(n_passed > 50 && n_damaged > 50, "{n_passed} {n_damaged}");
}

#[test]
fn trace_sqlite_refuses_what_is_not_its_own() {
    // Tables of another program, with and without an application id.
    for sql in ["CREATE TABLE t (x)", "PRAGMA application_id = 77"] {
        let directory = TempDir::new().expect("a directory for a test");
        raw(directory.path()).execute_batch(sql).expect("it is plain SQL");
        let error = SqliteStore::open(directory.path()).expect_err("it belongs to another program");
        assert!(matches!(error, OpenError::Store(StoreError::Foreign { .. })), "{sql}: {error}");
    }
    // Not a database at all.
    let directory = TempDir::new().expect("a directory for a test");
    std::fs::write(SqliteStore::file(directory.path()), "x".repeat(4096)).expect("there is room");
    let error = SqliteStore::open(directory.path()).expect_err("it is not a database");
    assert!(matches!(error, OpenError::Store(StoreError::Damaged { .. })), "{error}");
}

#[test]
fn trace_sqlite_refuses_a_newer_schema() {
    let directory = TempDir::new().expect("a directory for a test");
    drop(SqliteStore::open(directory.path()).expect("it is empty"));
    let newer = SCHEMA + 1;
    raw(directory.path()).pragma_update(None, "user_version", newer).expect("it can be written");
    let expected = StoreError::Newer { found: newer, known: SCHEMA };
    for error in [
        SqliteStore::open(directory.path()).expect_err("it is newer"),
        SqliteStore::open_read_only(directory.path()).expect_err("it is newer"),
    ] {
        assert!(matches!(&error, OpenError::Store(found) if *found == expected), "{error}");
    }
}

/// A log that has hashes is not updated as one without.
#[test]
fn trace_sqlite_refuses_a_schema_that_does_not_fit() {
    let directory = TempDir::new().expect("a directory for a test");
    drop(SqliteStore::open(directory.path()).expect("it is empty"));
    for number in [0, 1, -1] {
        raw(directory.path()).pragma_update(None, "user_version", number).expect("it can be written");
        let error = SqliteStore::open(directory.path()).expect_err("it is damaged").to_string();
        assert!(error.contains("tiltyard.db: its schema number"), "{error}");
    }
}

#[test]
fn trace_sqlite_never_changes_the_log() {
    let directory = TempDir::new().expect("a directory for a test");
    let store = SqliteStore::open(directory.path()).expect("it is empty");
    append(&store, &[record(ONE, 1, issued(None))]).expect("the place is free");
    let connection = raw(directory.path());
    for sql in ["UPDATE log SET at = 0", "DELETE FROM log"] {
        let error = connection.execute(sql, []).expect_err("the log is append-only");
        assert!(error.to_string().contains("append-only"), "{sql}: {error}");
    }
    assert_eq!(read_all(&store, ONE, 0), [record(ONE, 1, issued(None))]);
}

#[test]
fn trace_sqlite_says_what_is_damaged() {
    let directory = TempDir::new().expect("a directory for a test");
    let store = SqliteStore::open(directory.path()).expect("it is empty");
    let mut head = Head::EMPTY;
    let mut insert = |kind: i64, body: &str| {
        head = head.after(Link { experiment: id(ONE), at: Time(0), kind, body });
        raw(directory.path())
            .execute(
                "INSERT INTO log (experiment, seq, at, kind, body, hash) VALUES (?1, ?2, 0, ?3, ?4, ?5)",
                rusqlite::params![ONE.cast_signed(), head.seq.cast_signed(), kind, body, head.hash.0],
            )
            .expect("the place is free");
    };
    insert(99, "{}");
    insert(8, "{\"duel\":");
    insert(2, r#"{"status":"paused"}"#);
    for (after, place) in [(0, 1), (1, 2)] {
        let error = store.read(id(ONE), after, &mut |_| true).expect_err("it makes no sense");
        assert!(matches!(error, StoreError::Damaged { log: Some((_, seq)), .. } if seq == place), "{error}");
    }
    // A record that was changed, and one that is gone.
    let connection = raw(directory.path());
    connection
        .execute_batch("DROP TRIGGER log_is_never_changed; UPDATE log SET at = 1 WHERE seq = 3")
        .expect("it is plain SQL");
    let error = store.read(id(ONE), 2, &mut |_| true).expect_err("it does not fit its hash");
    assert!(error.to_string().contains("record 3"), "{error}");
    connection
        .execute_batch("DROP TRIGGER log_is_never_shortened; DELETE FROM log WHERE seq = 2")
        .expect("it is plain SQL");
    let error = store.read_stored(id(ONE), 1, &mut |_| true).expect_err("a record is missing");
    assert!(error.to_string().contains("record 2"), "{error}");
}

/// The whole path once with SQLite. All other tests simulate the store.
#[test]
fn trace_an_arena_over_sqlite() {
    let directory = TempDir::new().expect("a directory for a test");
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(directory.path()).expect("it is empty"));
    let desk = Desk::new(store, 3);
    let trial = desk.create("rex3", 4, |settings| settings.holdout = 0.2);
    let mut duels = Vec::new();
    for i in 0..40 {
        let request = tiltyard_arena::domain::IssueRequest {
            count: 1 + i % 3,
            client: Some(format!("c{i}")),
            ..Default::default()
        };
        let issued = desk.done(desk.arena.issue(trial, &request)).expect("it runs");
        for duel in issued {
            let answer = if duel.id.token % 2 == 0 { Answer::Left } else { Answer::BothBad };
            desk.done(desk.arena.answer(duel.id, &plain(answer))).expect("it is in flight");
            duels.push(duel);
        }
        if i == 20 {
            desk.arena.snapshot_all();
            desk.settle();
        }
    }
    desk.done(desk.arena.void(duels[3].id, VoidReason::Asked)).expect("it can be voided");
    let (key, secret) = desk.arena.make_key(Scope::Admin, None, None, None).expect("it can be written");
    let before = desk.digest(trial).expect("it is there");
    let desk = desk.restarted(4);
    assert_eq!(desk.digest(trial), Ok(before));
    assert_eq!(desk.arena.check_key(&secret).and_then(|grant| grant.key), Some(key));
    let again = desk.done(desk.arena.issue(
        trial,
        &tiltyard_arena::domain::IssueRequest {
            count: 2,
            client: Some("c1".to_owned()),
            ..Default::default()
        },
    ));
    assert_eq!(again, Ok(duels[1..3].to_vec()));
}

/// Nothing is acknowledged once a file of the store was deleted or replaced. Its contents are
/// saved.
#[cfg(unix)]
#[test]
fn trace_sqlite_notices_that_a_file_is_gone() {
    for name in ["tiltyard.db", "tiltyard.db-wal", "tiltyard.heads"] {
        for replaced in [false, true] {
            let directory = TempDir::new().expect("a directory for a test");
            let store = SqliteStore::open(directory.path()).expect("it is empty");
            append(&store, &[record(ONE, 1, issued(None))]).expect("the place is free");
            assert_eq!(store.health(), Ok(()));
            let after = store.head_at(id(ONE), 1).expect("it can be read").expect("it was appended");
            let path = directory.path().join(name);
            if replaced {
                std::fs::copy(&path, path.with_extension("copy")).expect("there is room");
                std::fs::rename(path.with_extension("copy"), &path).expect("there is room");
            } else {
                std::fs::remove_file(&path).expect("it is there");
            }
            for _ in 0..2 {
                let next = Append { experiment: id(ONE), after, records: vec![record(ONE, 2, paused())] };
                let error = store.append(&[next]).remove(0).expect_err("nobody will find it");
                assert!(error.to_string().contains(name), "{name} {replaced}: {error}");
            }
            assert!(store.health().is_err(), "{name}");
            assert!(store.read(id(ONE), 0, &mut |_| true).is_err(), "{name}");
            let rescued = directory.path().join("tiltyard.db.rescued");
            let rescued = SqliteStore::open_read_only(&rescued).expect("the contents were saved");
            assert_eq!(places(&rescued, ONE), [1, 2]);
        }
    }
}

/// Only the logs in conflict fail.
#[test]
fn trace_an_append_answers_for_each_log() {
    each(|store| {
        let log = |experiment: u64, seq: u64, after: Head| Append {
            experiment: id(experiment),
            after,
            records: vec![record(experiment, seq, paused())],
        };
        let first = store.append(&[log(ONE, 1, Head::EMPTY), log(TWO, 1, Head::EMPTY)]);
        let heads: Vec<Head> = first.into_iter().map(|result| result.expect("they are free")).collect();
        // The right position with another hash is another log.
        let other = Head { seq: 1, hash: heads[1].hash };
        let results = store.append(&[log(ONE, 2, other), log(TWO, 2, heads[1])]);
        assert_eq!(results[0], Err(StoreError::Conflict));
        assert_eq!(results[1].as_ref().map(|head| head.seq), Ok(2));
        assert_eq!((places(store, ONE), places(store, TWO)), (vec![1], vec![1, 2]));
        assert_eq!(store.head_at(id(ONE), 1), Ok(Some(heads[0])));
    });
}

/// A check beside a server that goes on writing finds nothing wrong.
#[test]
fn trace_verify_beside_a_busy_server() {
    let directory = TempDir::new().expect("a directory for a test");
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(directory.path()).expect("it is empty"));
    let desk = Desk::new(store, 5);
    // One policy that takes votes back, and one that folds its log anew.
    let trials = ["rex3", "rucb"].map(|policy| desk.create(policy, 3, |_| {}));
    let vote = |n: usize| {
        for (i, trial) in trials.iter().cycle().take(n).enumerate() {
            let issued = desk
                .done(desk.arena.issue(*trial, &tiltyard_arena::domain::IssueRequest::default()))
                .expect("it runs");
            let answer = AnswerRequest { voter: Some(format!("v{}", i % 7)), ..plain(Answer::Left) };
            desk.done(desk.arena.answer(issued[0].id, &answer)).expect("it is in flight");
            if i % 10 == 0 {
                desk.done(desk.arena.void(issued[0].id, VoidReason::Asked)).expect("it was answered");
            }
        }
    };
    vote(100);
    desk.arena.snapshot_all();
    desk.settle();
    let path = directory.path().to_owned();
    let checks = std::thread::spawn(move || {
        (0..10).map(|_| tiltyard_arena::upkeep::verify(&path).expect("it can be read")).collect::<Vec<_>>()
    });
    while !checks.is_finished() {
        vote(10);
    }
    for found in checks.join().expect("no panic") {
        assert!(found.is_sound(), "{found:?}");
    }
}

/// A checkpoint that fails is counted, and the store is not healthy until one succeeds.
#[test]
fn trace_a_failed_checkpoint_is_noticed() {
    let directory = TempDir::new().expect("a directory for a test");
    let store = SqliteStore::open(directory.path()).expect("it is empty");
    // In the way of the file that would replace the heads.
    let obstacle = directory.path().join("tiltyard.heads.new");
    std::fs::create_dir(&obstacle).expect("there is room");
    let records: Vec<Record> = (1..=140_000).map(|seq| record(ONE, seq, issued(None))).collect();
    let mut after = Head::EMPTY;
    for records in records.chunks(20_000) {
        let log = Append { experiment: id(ONE), after, records: records.to_vec() };
        after = store.append(&[log]).remove(0).expect("the log itself can be written");
    }
    let n_failures = store.n_checkpoint_failures();
    assert!(n_failures > 0);
    // Each question tries again.
    assert!(store.health().is_err());
    assert_eq!(store.n_checkpoint_failures(), n_failures + 1);
    std::fs::remove_dir(&obstacle).expect("it is empty");
    assert_eq!(store.health(), Ok(()));
    assert_eq!(store.n_checkpoint_failures(), n_failures + 1);
    assert_eq!(store.check(id(ONE)), Ok(after));
}
