//! Makes the data directory that a release leaves behind, with something of everything in it:
//! `cargo run -p tiltyard-arena --example release_data -- DIR`. It is done once for each release, and what it made is kept in `tests/release/`.

#![expect(clippy::print_stdout, reason = "it tells what it made, for the test to compare with")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use rand::RngExt as _;
use tiltyard_arena::Arena;
use tiltyard_arena::arena::{Done, Duel, Options, Pending, Writer};
use tiltyard_arena::domain::{
    Activation, Answer, AnswerRequest, Create, IssueRequest, Late, NewArm, Settings, Status, VoidReason,
};
use tiltyard_arena::id::ExperimentId;
use tiltyard_arena::key::Scope;
use tiltyard_arena::store::SqliteStore;
use tiltyard_arena::time::{Clock, Time};
use tiltyard_bandit::Stream;

/// A clock that goes by requests.
struct Ticks(AtomicI64);

impl Clock for Ticks {
    fn now(&self) -> Time {
        Time(1_800_000_000_000_000 + self.0.fetch_add(1_000, Ordering::Relaxed))
    }
}

fn main() {
    let directory = std::env::args().nth(1).expect("a directory");
    let store = Arc::new(SqliteStore::open(directory.as_ref()).expect("a new directory"));
    let clock = Arc::new(Ticks(AtomicI64::new(0)));
    let options =
        Options { clock: Arc::clone(&clock) as Arc<dyn Clock>, snapshot_every: 150, ..Options::new([1; 32]) };
    let (arena, mut writer) = Arena::open(store, options).expect("an arena");
    let mut rng = Stream::new(1).label("release").rng();
    for policy in ["rex3", "rucb", "btm:delta=1/T", "sparring:player=thompson"] {
        let id = experiment(&arena, &mut writer, policy);
        play(&arena, &mut writer, id, &mut rng, &clock);
    }
    let first = arena.experiments()[0];
    arena.make_key(Scope::Admin, None, Some("admin".to_owned()), None).expect("a key");
    let expires = Some(Time(1_900_000_000_000_000));
    let (key, _) = arena.make_key(Scope::Voter, Some(first), None, expires).expect("a key");
    arena.revoke_key(key).expect("a key to revoke");
    while writer.step() {}
    for id in arena.experiments() {
        let (seq, digest) = arena.digest(id).expect("a state");
        println!("{id} {seq} {digest}");
    }
}

fn experiment(arena: &Arena, writer: &mut Writer, policy: &str) -> ExperimentId {
    let payload = Some(serde_json::json!({ "text": "a payload" }));
    let last = NewArm { name: "é".to_owned(), label: Some("a label".to_owned()), payload };
    let is_rex3 = policy == "rex3";
    let create = Create {
        name: format!("Release: {policy}"),
        arms: ["a", "b", "c", "d"].map(NewArm::named).into_iter().chain([last]).collect(),
        policy: policy.to_owned(),
        settings: Settings {
            holdout: 0.1,
            expires_after: 3,
            late: if is_rex3 { Late::Accept } else { Late::Refuse },
            activation: if is_rex3 { Activation::Shown } else { Activation::Issue },
            horizon: Some(1000),
            voter_votes: Some(500),
            ..Settings::default_for(true)
        },
        distinct_by_policy: true,
    };
    done(arena.create(create).expect("an experiment"), writer)
}

fn play(arena: &Arena, writer: &mut Writer, id: ExperimentId, rng: &mut impl rand::Rng, clock: &Ticks) {
    const ANSWERS: [Answer; 6] =
        [Answer::Left, Answer::Right, Answer::Left, Answer::Tie, Answer::BothBad, Answer::Skip];
    let mut open = Vec::new();
    for i in 0..100 {
        let request = IssueRequest {
            count: 1 + i % 3,
            client: (i % 5 == 0).then(|| format!("client {i}")),
            context: (i % 7 == 0).then(|| serde_json::json!({ "language": "fr", "n": i })),
            ..IssueRequest::default()
        };
        for duel in done(arena.issue(id, &request).expect("duels"), writer) {
            match rng.random_range(0..10) {
                0 => open.push(duel),
                1 => {
                    done(arena.shown(duel.id).expect("a duel"), writer);
                    open.push(duel);
                }
                2 => {
                    done(arena.void(duel.id, VoidReason::Asked).expect("a duel"), writer);
                }
                3 => {
                    let score = Answer::score(rng.random_range(-0.9..0.9)).expect("a score");
                    answer(arena, writer, duel, score);
                }
                n => {
                    answer(arena, writer, duel, ANSWERS[n - 4]);
                    if rng.random_bool(0.1) {
                        done(arena.void(duel.id, VoidReason::Voter).expect("a duel"), writer);
                    }
                }
            }
        }
        if i == 50 {
            clock.0.fetch_add(10_000_000, Ordering::Relaxed);
            arena.sweep().expect("a sweep");
            while writer.step() {}
            for duel in open.drain(..).take(3) {
                let voter = Some("late".to_owned());
                let late = AnswerRequest { answer: Answer::Right, voter, said: Some(Time(5)) };
                if let Ok(pending) = arena.answer(duel.id, &late) {
                    done(pending, writer);
                }
            }
        }
        if i == 60 {
            change_arms(arena, writer, id);
        }
    }
    done(arena.change(id, Status::Paused).expect("a status"), writer);
}

/// Refused by policies that cannot; the log of those that can has it.
fn change_arms(arena: &Arena, writer: &mut Writer, id: ExperimentId) {
    let changes: [&dyn Fn() -> Result<Pending<()>, tiltyard_arena::ArenaError>; 4] = [
        &|| arena.add_arms(id, vec![NewArm::named("late comer")]),
        &|| arena.retire_arm(id, "b"),
        &|| arena.retire_arm(id, "c"),
        &|| arena.restore_arm(id, "b"),
    ];
    for change in changes {
        if let Ok(pending) = change() {
            done(pending, writer);
        }
    }
}

fn answer(arena: &Arena, writer: &mut Writer, duel: Duel, answer: Answer) {
    let request = AnswerRequest { answer, voter: Some("a voter".to_owned()), said: None };
    let said = done(arena.answer(duel.id, &request).expect("an answer"), writer);
    assert_eq!(said, Done::Recorded, "nobody answered it before");
}

fn done<T>(pending: Pending<T>, writer: &mut Writer) -> T {
    while writer.step() {}
    match pending.poll() {
        Ok(Ok(value)) => value,
        _ => panic!("it was written"),
    }
}
