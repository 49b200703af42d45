//! Data about people is not in the log: voters have numbers, contexts have salted hashes. Both can
//! be erased, and the log stays whole.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;
use tiltyard_arena::ArenaError;
use tiltyard_arena::arena::{Done, Duel};
use tiltyard_arena::domain::{
    Agreement, Answer, AnswerRequest, BallotEvent, Event, ImportRequest, IssueRequest, Kind, NewVote,
    Refusal, VoidReason, Voter,
};
use tiltyard_arena::id::ExperimentId;
use tiltyard_arena::store::{Append, SqliteStore, Store, StoreError};
use tiltyard_arena::upkeep::{UpkeepError, back_up, repair, verify};

use crate::sim_store::{Faults, SimStore};
use crate::support::{Desk, plain};

fn by(voter: &str, answer: Answer) -> AnswerRequest {
    AnswerRequest { voter: Some(voter.to_owned()), ..plain(answer) }
}

fn issue(desk: &Desk, trial: ExperimentId, count: u32, context: Option<Value>) -> Vec<Duel> {
    let request = IssueRequest { count, context, ..IssueRequest::default() };
    desk.done(desk.arena.issue(trial, &request)).expect("it runs")
}

fn imported(client: &str, names: &[&str]) -> ImportRequest {
    let vote = |name: &&str| NewVote {
        left: "a".to_owned(),
        right: "b".to_owned(),
        answer: Answer::Left,
        weight: None,
        voter: Some((*name).to_owned()),
        said: None,
        propensity: None,
    };
    let votes = names.iter().map(vote).collect();
    ImportRequest { client: client.to_owned(), source: "a test".to_owned(), votes }
}

/// The numbers in a log, with the names that the store has for them.
fn numbers(desk: &Desk, trial: ExperimentId) -> Vec<(u64, Option<String>)> {
    let records = desk.arena.history(trial, 0, usize::MAX).expect("it can be read");
    let numbers = records.iter().flat_map(|record| record.event.numbers());
    numbers.map(|(number, name)| (number, name.map(str::to_owned))).collect()
}

/// The voter and the context of each vote.
fn votes(desk: &Desk, trial: ExperimentId) -> Vec<(String, Option<Value>)> {
    let mut votes = Vec::new();
    let visit = &mut |step| {
        match step {
            BallotEvent::Voted(ballot) => votes.push((ballot.voter.expect("it has one"), ballot.context)),
            BallotEvent::Imported(batch) => {
                let imported = batch.votes.into_iter().filter_map(|vote| vote.voter);
                votes.extend(imported.map(|voter| (voter.to_string(), None)));
            }
            _ => {}
        }
        true
    };
    desk.arena.ballots(trial, visit).expect("it can be read");
    votes
}

fn sqlite(directory: &Path) -> Arc<dyn Store> {
    Arc::new(SqliteStore::open(directory).expect("nobody else has it open"))
}

fn sql(directory: &Path, text: &str) {
    let connection = Connection::open(SqliteStore::file(directory)).expect("the file can be opened");
    connection.execute_batch(text).expect("it is plain SQL");
}

/// An experiment with two voters, contexts, a late answer and an import.
fn filled(directory: &Path) -> (Desk, ExperimentId) {
    let desk = Desk::new(sqlite(directory), 5);
    let trial = desk.create("rex3", 3, |settings| {
        settings.voter_votes = Some(100);
        settings.expires_after = 60;
    });
    let duels = issue(&desk, trial, 3, Some(json!({ "secret": "Zürich" })));
    desk.done(desk.arena.answer(duels[0].id, &by("Anna", Answer::Left))).expect("it is in flight");
    desk.done(desk.arena.answer(duels[1].id, &by("Bert", Answer::Left))).expect("it is in flight");
    desk.clock.seconds(100);
    desk.arena.sweep().expect("it can be written");
    desk.done(desk.arena.answer(duels[2].id, &by("Anna", Answer::Right))).expect("late answers count");
    desk.done(desk.arena.import(trial, imported("i", &["Carl", "Anna", "Carl"]))).expect("it is sound");
    desk.arena.snapshot_all();
    desk.settle();
    (desk, trial)
}

#[test]
fn trace_a_log_has_numbers_and_hashes_instead_of_names_and_contexts() {
    let directory = TempDir::new().expect("a directory for a test");
    let (desk, trial) = filled(directory.path());
    let mut stored = String::new();
    let visit = &mut |record: &tiltyard_arena::store::StoredRecord<'_>| {
        stored += record.body;
        true
    };
    desk.store.read_stored(trial, 0, visit).expect("it can be read");
    for state in desk.store.snapshots(trial).expect("there is one") {
        let (_, state) = desk.store.snapshot(trial, state).expect("it is sound");
        stored += &String::from_utf8(state).expect("it is JSON");
    }
    for personal in ["Anna", "Bert", "Carl", "Zürich", "secret"] {
        assert!(!stored.contains(personal), "{personal} is in {stored}");
    }
    let check = |desk: &Desk| {
        let context = Some(json!({ "secret": "Zürich" }));
        let one = |voter: &str, context: &Option<Value>| (voter.to_owned(), context.clone());
        let expected = [
            one("Anna", &context),
            one("Bert", &context),
            one("Anna", &context),
            one("Carl", &None),
            one("Anna", &None),
            one("Carl", &None),
        ];
        assert_eq!(votes(desk, trial), expected);
        let numbers: BTreeSet<_> = numbers(desk, trial).into_iter().collect();
        assert_eq!(numbers.len(), 3, "each voter has one number: {numbers:?}");
        let history = desk.arena.history(trial, 1, 1).expect("it can be read");
        assert!(matches!(&history[0].event, Event::Issued(issued) if issued.context() == context));
        // The same votes, by the same voters, were imported before.
        let again = desk.done(desk.arena.import(trial, imported("i", &["Carl", "Anna", "Carl"])));
        assert_eq!(again.map(|import| import.done), Ok(Done::Already));
        let other = desk.done(desk.arena.import(trial, imported("i", &["Carl", "Anna", "Bert"])));
        assert_eq!(other, Err(Refusal::ClientTaken { client: "i".to_owned() }.into()));
    };
    check(&desk);
    let before = desk.digest(trial).expect("it is there");
    let desk = desk.restarted(6);
    assert_eq!(desk.digest(trial), Ok(before));
    check(&desk);
}

/// The number of a new voter is known before it is durable, and forgotten if it never becomes so.
#[test]
fn trace_votes_of_a_new_voter_at_once() {
    let store = Arc::new(SimStore::new());
    let desk = Desk::new(Arc::<SimStore>::clone(&store), 1);
    let trial = desk.create("rex3", 3, |settings| settings.voter_votes = Some(3));
    let duels = issue(&desk, trial, 5, None);
    let vote = |at: usize| desk.arena.answer(duels[at].id, &by("v", Answer::Left));
    store.set_faults(Faults { before: 1.0, ..Faults::default() });
    let pending = [vote(0), vote(1)].map(|pending| pending.expect("it is in flight"));
    desk.settle();
    for pending in pending {
        assert!(matches!(pending.poll(), Err(ArenaError::Store(StoreError::Unavailable { .. }))));
    }
    store.set_faults(Faults::default());
    assert_eq!(store.numbers(trial, &["v"].into()), Ok([].into()));
    let pending = [vote(0), vote(1)].map(|pending| pending.expect("it is in flight"));
    let import = desk.arena.import(trial, imported("i", &["w", "v", "w"])).expect("it is sound");
    let third = desk.arena.answer(duels[2].id, &by("w", Answer::Left)).expect("it is in flight");
    desk.settle();
    for pending in pending.into_iter().chain([third]) {
        assert_eq!(pending.poll().expect("it was written").ok(), Some(Done::Recorded));
    }
    assert_eq!(import.poll().expect("it was written").ok().map(|import| import.votes), Some(3));
    let found = numbers(&desk, trial);
    let names: Vec<_> = found.iter().map(|(_, name)| name.as_deref()).collect();
    assert_eq!(names, ["v", "v", "w", "v", "w", "w"].map(Some));
    assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), 2);
    // Imported votes have no limit.
    desk.done(vote(3)).expect("it is the third vote");
    assert_eq!(desk.done(vote(4)), Err(Refusal::VoterLimit { limit: 3, wait: None }.into()));
}

/// Voters who have voted before there were numbers are the same people.
#[test]
fn trace_voters_of_earlier_versions() {
    let store: Arc<dyn Store> = Arc::new(SimStore::new());
    let desk = Desk::new(Arc::clone(&store), 1);
    let trial = desk.create("rex3", 3, |settings| settings.voter_votes = Some(3));
    let duels = issue(&desk, trial, 6, None);
    let mut head = store.head_at(trial, 7).expect("it can be read").expect("it was written");
    for (duel, name) in [(2, "v"), (3, "v"), (4, "123")] {
        let body = format!(r#"{{"duel":{duel},"answer":"left","learned":1.0,"voter":"{name}"}}"#);
        let event = Event::read(Kind::Answered, &body).expect("it is a body of an earlier version");
        assert_eq!(event.body(), body);
        let record = desk.state(trial).next(desk.arena.now(), event);
        let record = tiltyard_arena::domain::Record { seq: head.seq + 1, ..record };
        let log = Append { experiment: trial, after: head, records: vec![record] };
        head = store.append(&[log]).remove(0).expect("the place is free");
    }
    let desk = desk.restarted(2);
    let vote = |at: usize, voter: &str| desk.done(desk.arena.answer(duels[at].id, &by(voter, Answer::Left)));
    assert_eq!(vote(0, "v"), Ok(Done::Already));
    assert_eq!(vote(0, "w"), Err(Refusal::Contradiction.into()));
    assert_eq!(vote(3, "v"), Ok(Done::Recorded), "two votes by name");
    assert_eq!(vote(3, "v"), Ok(Done::Already));
    assert_eq!(vote(3, "123"), Err(Refusal::Contradiction.into()));
    let limit = || Err(Refusal::VoterLimit { limit: 3, wait: None }.into());
    assert_eq!(vote(4, "v"), limit(), "two votes by name and one by number");
    assert_eq!(vote(4, "123"), Ok(Done::Recorded));
    let digest = desk.digest(trial);
    let desk = desk.restarted(3);
    assert_eq!(desk.digest(trial), digest);
    let person = desk.arena.person(trial, "v").expect("it can be read");
    assert_eq!(desk.state(trial).votes_of(&person), Some(3));
    // A name is not a number.
    let number = person.number.expect("it has voted");
    assert_eq!(desk.arena.person(trial, &number.to_string()).map(|person| person.number), Ok(None));
    let mut agreement = Agreement::default();
    let visit = &mut |step: BallotEvent| {
        agreement.push(&step);
        true
    };
    desk.arena.ballots(trial, visit).expect("it can be read");
    let counts: Vec<_> = agreement.voters().into_iter().map(|voter| (voter.voter, voter.votes)).collect();
    assert_eq!(counts, [("123".to_owned(), 2), ("v".to_owned(), 3)]);
    let found = desk.arena.votes_of(trial, "v", None).expect("it can be read");
    assert_eq!(found, [0, 1, 3].map(|at| duels[at].id));
    assert_eq!(desk.done(desk.arena.void_all(trial, &found, VoidReason::Voter)), Ok(3));
}

#[test]
fn trace_erased_people_leave_the_log_whole() {
    let directory = TempDir::new().expect("a directory for a test");
    let (desk, trial) = filled(directory.path());
    let anna = desk.arena.person(trial, "Anna").expect("it can be read").number.expect("she has voted");
    let before = desk.digest(trial).expect("it is there");
    let backup = directory.path().join("backup.db");
    back_up(directory.path(), &backup).expect("it is sound");
    drop(desk);
    let erase = format!(
        "UPDATE voter SET name = NULL, mark = x'' WHERE number = {anna};
         UPDATE apart SET salt = NULL, content = NULL WHERE seq = 2"
    );
    sql(directory.path(), &erase);
    let check = |desk: &Desk| {
        assert_eq!(desk.digest(trial), Ok(before.clone()));
        desk.store.check(trial).expect("the log is whole");
        let erased = format!("erased-{anna}");
        let context = Some(json!({ "secret": "Zürich" }));
        let voters = votes(desk, trial);
        assert_eq!(voters[0], (erased.clone(), None));
        assert_eq!(voters[1], ("Bert".to_owned(), context.clone()));
        assert_eq!(voters[2], (erased.clone(), context));
        assert_eq!(voters[4], (erased.clone(), None));
        // Somebody else may take the name.
        assert_eq!(desk.arena.person(trial, "Anna").map(|person| person.number), Ok(None));
        assert_eq!(desk.arena.votes_of(trial, &erased, None).map(|duels| duels.len()), Ok(2));
        let answered = desk.arena.history(trial, 4, 1).expect("it can be read").remove(0);
        assert!(matches!(answered.event, Event::Answered(answered)
            if answered.voter == Some(Voter::Number(anna, None))));
    };
    let open = || Desk::new(sqlite(directory.path()), 7);
    check(&open());
    assert!(verify(directory.path()).expect("it can be read").is_sound());
    // A backup from before does not bring the name back.
    sql(directory.path(), "DROP TRIGGER log_is_never_shortened; DELETE FROM log WHERE seq = 3");
    let repaired = repair(directory.path(), Some(&backup), &BTreeSet::new()).expect("the backup has all");
    assert!(repaired.found.is_sound() && repaired.logs[0].erased == 0, "{repaired:?}");
    check(&open());
}

#[test]
fn trace_damaged_names_and_contexts_are_noticed_and_repaired() {
    let damages = [
        ("UPDATE voter SET name = 'Dora' WHERE name = 'Anna'", true),
        ("UPDATE voter SET mark = x'0102030405060708' WHERE name = 'Anna'", true),
        ("UPDATE voter SET name = NULL WHERE name = 'Anna'", true),
        ("DELETE FROM voter WHERE name = 'Anna'", true),
        ("DELETE FROM apart WHERE seq = 2", true),
        ("UPDATE apart SET salt = NULL WHERE seq = 2", true),
        ("UPDATE apart SET content = replace(content, 'Z', 'z') WHERE seq = 2", true),
        ("UPDATE apart SET salt = x'00' WHERE seq = 2", true),
        // The index no longer has the names.
        (
            "PRAGMA writable_schema = ON; \
             UPDATE sqlite_schema SET sql = replace(sql, 'IS NOT NULL', 'IS NULL') WHERE name = 'voter_name'; \
             PRAGMA writable_schema = RESET; REINDEX voter_name; PRAGMA writable_schema = ON; \
             UPDATE sqlite_schema SET sql = replace(sql, 'IS NULL', 'IS NOT NULL') WHERE name = 'voter_name'; \
             PRAGMA writable_schema = RESET",
            false,
        ),
    ];
    for (damage, is_lost) in damages {
        let directory = TempDir::new().expect("a directory for a test");
        let (desk, trial) = filled(directory.path());
        let (_, before) = desk.digest(trial).expect("it is there");
        let backup = directory.path().join("backup.db");
        back_up(directory.path(), &backup).expect("it is sound");
        drop(desk);
        sql(directory.path(), damage);
        let found = verify(directory.path()).expect("it can be read");
        assert_eq!(found.damaged.len(), 1, "{damage}");
        let desk = Desk::new(sqlite(directory.path()), 7);
        assert!(matches!(desk.digest(trial), Err(ArenaError::Damaged { .. })), "{damage}");
        drop(desk);
        if is_lost {
            let error = repair(directory.path(), None, &BTreeSet::new()).expect_err("nobody has it");
            assert!(matches!(error, UpkeepError::Lost { .. }), "{damage}: {error}");
            let copy = TempDir::new().expect("a directory for a test");
            for file in ["tiltyard.db", "tiltyard.heads"] {
                std::fs::copy(directory.path().join(file), copy.path().join(file)).expect("there is room");
            }
            let repaired = repair(copy.path(), None, &[trial].into()).expect("that is allowed");
            assert!(repaired.found.is_sound(), "{damage}: {repaired:?}");
            assert_eq!((repaired.logs[0].lost, repaired.logs[0].erased), (0, 1), "{damage}");
            assert_eq!(repaired.found.experiments[0].digest, before, "{damage}");
        }
        let repaired = repair(directory.path(), Some(&backup), &BTreeSet::new()).expect("the backup has it");
        assert!(repaired.found.is_sound(), "{damage}: {repaired:?}");
        let desk = Desk::new(sqlite(directory.path()), 8);
        let votes = votes(&desk, trial);
        assert_eq!(votes[0], ("Anna".to_owned(), Some(json!({ "secret": "Zürich" }))), "{damage}");
    }
}
