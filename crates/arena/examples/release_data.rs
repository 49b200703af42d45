//! Makes the data directory that a release leaves behind, with events of every kind in it:
//! `cargo run -p tiltyard-arena --example release_data -- DIR`. It is run once for each release,
//! and the directory is kept in `tests/release/`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use tiltyard_arena::arena::{Options, Pending, Writer};
use tiltyard_arena::domain::{
    Activation, Answer, AnswerRequest, ClickRequest, Clicked, Create, ImportRequest, InterleaveRequest,
    IssueRequest, Late, Lists, ListsRequest, MergeOptions, NewArm, NewVote, RankRequest, Ranking, Settings,
    SlateRequest, Status, Stop, VoidReason,
};
use tiltyard_arena::id::{DuelId, ExperimentId};
use tiltyard_arena::key::Scope;
use tiltyard_arena::store::SqliteStore;
use tiltyard_arena::time::{Clock, Time};
use tiltyard_arena::{Arena, ArenaError};

/// How many requests each experiment gets.
const REQUESTS: u32 = 400;

/// A clock that goes by requests.
#[derive(Default)]
struct Ticks {
    passed: AtomicI64,
    /// By how much the wall clock was set forward.
    jumped: AtomicI64,
}

impl Clock for Ticks {
    fn now(&self) -> Time {
        let passed = self.passed.fetch_add(1_000, Ordering::Relaxed);
        Time(1_800_000_000_000_000 + self.jumped.load(Ordering::Relaxed) + passed)
    }

    fn elapsed(&self) -> Duration {
        Duration::from_micros(self.passed.load(Ordering::Relaxed).unsigned_abs())
    }
}

fn main() {
    let directory = std::env::args().nth(1).expect("a directory");
    let store = Arc::new(SqliteStore::open(directory.as_ref()).expect("a new directory"));
    let clock = Arc::new(Ticks::default());
    let options =
        Options { clock: Arc::clone(&clock) as Arc<dyn Clock>, snapshot_every: 150, ..Options::new([1; 32]) };
    let (arena, writer) = Arena::open(store, options).expect("an arena");
    let mut driver = Driver { arena, writer, clock, rng: ChaCha8Rng::seed_from_u64(1) };
    for (policy, apprentices, rankers) in [
        ("rex3", ["vdb", "rex3"], false),
        ("rex3:gamma=0.3", ["rucb", "dexp3"], true),
        ("rucb", ["dts", "rmed1"], false),
        ("dts", ["rucb", "rex3"], true),
        ("btm:delta=1/T", ["rucb", "dts"], false),
        ("sparring:player=thompson", ["random", "rucb"], true),
    ] {
        let id = driver.create(policy, rankers);
        driver.play(id, apprentices, rankers);
    }
    driver.decide();
    let Driver { arena, mut writer, .. } = driver;
    let first = arena.experiments()[0];
    arena.make_key(Scope::Admin, None, Some("admin".to_owned()), None).expect("a key");
    let expires = Some(Time(1_900_000_000_000_000));
    let (key, _) = arena.make_key(Scope::Voter, Some(first), None, expires).expect("a key");
    arena.revoke_key(key).expect("a key to revoke");
    let (over, _) = arena.make_key(Scope::Reader, None, None, Some(arena.now())).expect("a key");
    arena.expire_keys().expect("a key that has expired");
    assert!(arena.keys().iter().any(|key| key.made.key == over && key.expired), "it has expired");
    while writer.step() {}
}

/// Asks an arena for one thing after the other. A request that is refused is let go: not every
/// policy and status allows everything.
struct Driver {
    arena: Arc<Arena>,
    writer: Writer,
    clock: Arc<Ticks>,
    rng: ChaCha8Rng,
}

/// The duels of an experiment that may still be the subject of a request.
#[derive(Default)]
struct Duels {
    pairs: Vec<DuelId>,
    slates: Vec<(DuelId, Vec<String>)>,
    lists: Vec<DuelId>,
    answered: Vec<DuelId>,
    imports: Vec<u64>,
}

impl Duels {
    /// A duel of one kind that was not answered yet.
    fn unanswered(&mut self, request: u32) -> Option<DuelId> {
        match request % 3 {
            0 => self.pairs.pop(),
            1 => self.slates.pop().map(|(duel, _)| duel),
            _ => self.lists.pop(),
        }
    }
}

impl Driver {
    fn create(&mut self, policy: &str, rankers: bool) -> ExperimentId {
        let payload = Some(serde_json::json!({ "text": "a payload" }));
        let last = NewArm { name: "é".to_owned(), label: Some("a label".to_owned()), payload };
        let is_rex3 = policy.starts_with("rex3");
        let create = Create {
            name: format!("Release: {policy}"),
            arms: ["a", "b", "c", "d"].map(NewArm::named).into_iter().chain([last]).collect(),
            policy: policy.to_owned(),
            settings: Settings {
                holdout: 0.1,
                aa: if rankers { 0.2 } else { 0.0 },
                expires_after: 3,
                late: if policy == "rucb" { Late::Refuse } else { Late::Accept },
                activation: if is_rex3 { Activation::Shown } else { Activation::Issue },
                horizon: Some(1000),
                voter_votes: Some(500),
                confidence: if is_rex3 { 0.95 } else { 0.6 },
                margin: (policy == "dts").then_some(0.2),
                stop: if policy == "rucb" { Stop::Pause } else { Stop::Never },
                ..Settings::default_for(true)
            },
            distinct_by_policy: true,
        };
        let made = self.arena.create(create);
        self.done(made).expect("an experiment")
    }

    /// An experiment that its verdict pauses.
    fn decide(&mut self) {
        let settings = Settings { stop: Stop::Pause, confidence: 0.6, ..Settings::default_for(true) };
        let create = Create {
            name: "Release: a verdict".to_owned(),
            arms: ["a", "b"].map(NewArm::named).to_vec(),
            policy: "rex3".to_owned(),
            settings,
            distinct_by_policy: true,
        };
        let made = self.arena.create(create);
        let id = self.done(made).expect("an experiment");
        for _ in 0..20 {
            let issued = self.arena.issue(id, &IssueRequest::default());
            for duel in self.done(issued).into_iter().flatten() {
                let is_first = duel.drawn.sides().0.index() == 0;
                let answer = if is_first { Answer::Left } else { Answer::Right };
                let answered = self.arena.answer(duel.id, &AnswerRequest { answer, voter: None, said: None });
                self.done(answered);
            }
        }
    }

    fn play(&mut self, id: ExperimentId, apprentices: [&str; 2], rankers: bool) {
        let mut duels = Duels::default();
        for request in 0..REQUESTS {
            match request {
                80 => self.let_go(|arena| arena.begin_apprentice(id, apprentices[0])),
                120 => self.let_go(|arena| arena.add_arms(id, vec![NewArm::named("late comer")])),
                130 => self.let_go(|arena| arena.retire_arm(id, "b")),
                140 => self.let_go(|arena| arena.retire_arm(id, "c")),
                160 => self.let_go(|arena| arena.restore_arm(id, "b")),
                180 => self.let_go(|arena| arena.promote_apprentice(id)),
                240 => self.let_go(|arena| arena.begin_apprentice(id, apprentices[1])),
                300 => self.let_go(|arena| arena.dismiss_apprentice(id)),
                310 => self.let_go(|arena| arena.begin_apprentice(id, apprentices[1])),
                320 => self.let_go(|arena| arena.change(id, Status::Paused)),
                330 => self.let_go(|arena| arena.change(id, Status::Running)),
                // The clock jumps: everything in flight gets more time.
                200 => {
                    self.clock.jumped.fetch_add(100_000_000, Ordering::Relaxed);
                    self.arena.sweep().expect("a sweep");
                    while self.writer.step() {}
                }
                // Everything in flight expires; some of it is answered, ranked, clicked or voided
                // all the same.
                110 | 230 | 350 => {
                    self.clock.passed.fetch_add(10_000_000, Ordering::Relaxed);
                    self.arena.sweep().expect("a sweep");
                    while self.writer.step() {}
                }
                _ => self.request(id, &mut duels, rankers, request),
            }
        }
        let status = if rankers { Status::Closed } else { Status::Paused };
        self.let_go(|arena| arena.change(id, status));
    }

    fn request(&mut self, id: ExperimentId, duels: &mut Duels, rankers: bool, request: u32) {
        let client = request.is_multiple_of(5).then(|| format!("client {request}"));
        let context = request
            .is_multiple_of(3)
            .then(|| serde_json::json!({ "language": if request.is_multiple_of(2) { "fr" } else { "de" } }));
        let voter = Some(format!("voter {}", request % 6));
        let said = request.is_multiple_of(4).then_some(Time(1_700_000_000_000_000 + i64::from(request)));
        match self.rng.random_range(0..100) {
            0..20 => {
                let count = 1 + request % 2;
                let issue = IssueRequest { count, client, context, ..IssueRequest::default() };
                let issued = self.arena.issue(id, &issue);
                duels.pairs.extend(self.done(issued).into_iter().flatten().map(|duel| duel.id));
            }
            20..32 => {
                let issued =
                    self.arena.issue_slate(id, &SlateRequest { size: 3 + request % 2, client, context });
                if let Some(found) = self.done(issued) {
                    let names = self.names(id);
                    let shown = found.slate.arms.iter().map(|&arm| names[arm as usize].clone()).collect();
                    duels.slates.push((found.duel.id, shown));
                }
            }
            32..42 if rankers => {
                let lists = (!request.is_multiple_of(3)).then(|| self.lists(id));
                let drawn = self.arena.interleave(
                    id,
                    &InterleaveRequest { client, context, options: merge_options(request), lists },
                );
                duels.lists.extend(self.done(drawn).map(|found| found.duel.id));
            }
            42..47 if !duels.lists.is_empty() => {
                let at = self.rng.random_range(0..duels.lists.len());
                let lists = ListsRequest { lists: self.lists(id), options: MergeOptions::default() };
                let merged = self.arena.merge(duels.lists[at], &lists);
                self.done(merged);
            }
            47..58 if !duels.lists.is_empty() => {
                let at = self.rng.random_range(0..duels.lists.len());
                let positions = (1..4).filter(|_| self.rng.random_bool(0.4)).collect();
                let click = ClickRequest { clicked: Clicked::Positions(positions), voter, said };
                let clicked = self.arena.click(duels.lists[at], &click);
                if self.done(clicked).is_some() {
                    duels.answered.push(duels.lists.swap_remove(at));
                }
            }
            58..62 if !duels.pairs.is_empty() => {
                let at = self.rng.random_range(0..duels.pairs.len());
                let shown = self.arena.shown(duels.pairs[at]);
                self.done(shown);
            }
            62..74 if !duels.slates.is_empty() => {
                let at = self.rng.random_range(0..duels.slates.len());
                let (duel, names) = duels.slates[at].clone();
                let answered = if self.rng.random_bool(0.1) {
                    self.arena.answer(duel, &AnswerRequest { answer: Answer::Skip, voter, said })
                } else {
                    let ranking = self.ranking(names);
                    self.arena.rank(duel, &RankRequest { ranking, voter, said })
                };
                if self.done(answered).is_some() {
                    duels.answered.push(duels.slates.swap_remove(at).0);
                }
            }
            74..79 => {
                let batch = (0..3).map(|_| self.imported_vote(id)).collect();
                let import = ImportRequest {
                    client: format!("import {request}"),
                    source: "a file".to_owned(),
                    votes: batch,
                };
                let imported = self.arena.import(id, import);
                duels.imports.extend(self.done(imported).map(|import| import.seq));
            }
            79..81 if !duels.imports.is_empty() => {
                let at = self.rng.random_range(0..duels.imports.len());
                let voided = self.arena.void_import(id, duels.imports.swap_remove(at));
                self.done(voided);
            }
            81..89 if !duels.answered.is_empty() => {
                let at = self.rng.random_range(0..duels.answered.len());
                let duel = duels.answered.swap_remove(at);
                let reason = if request.is_multiple_of(2) { VoidReason::Asked } else { VoidReason::Voter };
                self.let_go(|arena| arena.void(duel, reason));
            }
            89..92 => {
                // In flight, or expired by now.
                if let Some(duel) = duels.unanswered(request) {
                    self.let_go(|arena| arena.void(duel, VoidReason::Asked));
                }
            }
            _ if !duels.pairs.is_empty() => {
                let at = self.rng.random_range(0..duels.pairs.len());
                let answer = self.answer();
                let answered = self.arena.answer(duels.pairs[at], &AnswerRequest { answer, voter, said });
                if self.done(answered).is_some() {
                    duels.answered.push(duels.pairs.swap_remove(at));
                }
            }
            _ => {}
        }
    }

    fn answer(&mut self) -> Answer {
        match self.rng.random_range(0..10) {
            0..4 => Answer::Left,
            4..6 => Answer::Right,
            6 => Answer::Tie,
            7 => Answer::BothBad,
            8 => Answer::Skip,
            _ => Answer::score(self.rng.random_range(-0.9..0.9)).expect("a score"),
        }
    }

    fn ranking(&mut self, mut names: Vec<String>) -> Ranking<String> {
        names.shuffle(&mut self.rng);
        if self.rng.random_bool(0.3) {
            return Ranking::Best(names.remove(0));
        }
        let mut tiers: Vec<Vec<String>> = Vec::new();
        for name in names {
            match tiers.last_mut() {
                Some(tier) if self.rng.random_bool(0.2) => tier.push(name),
                _ => tiers.push(vec![name]),
            }
        }
        Ranking::Order(tiers)
    }

    fn imported_vote(&mut self, id: ExperimentId) -> NewVote {
        let names = self.names(id);
        let [left, right] = [(); 2].map(|()| names[self.rng.random_range(0..names.len())].clone());
        let answer = match self.answer() {
            Answer::Skip => Answer::Left,
            answer => answer,
        };
        let weight = self.rng.random_bool(0.5).then(|| self.rng.random_range(0.1..1.0));
        let propensity = self.rng.random_bool(0.7).then_some(0.04);
        let voter = self.rng.random_bool(0.5).then(|| "voter 1".to_owned());
        NewVote { left, right, answer, weight, voter, said: Some(Time(7)), propensity }
    }

    /// Lists that share some of their documents.
    fn lists(&mut self, id: ExperimentId) -> Lists {
        let lists = self.names(id).into_iter().map(|name| {
            let mut documents: Vec<String> = (0..5).map(|n| format!("document {n}")).collect();
            documents.shuffle(&mut self.rng);
            (name, documents)
        });
        Lists(lists.collect::<BTreeMap<_, _>>())
    }

    fn names(&self, id: ExperimentId) -> Vec<String> {
        let names = |arms: &[tiltyard_arena::domain::ArmEntry]| {
            arms.iter().map(|entry| entry.arm.name.clone()).collect()
        };
        self.arena.peek(id, |experiment| names(experiment.arms())).expect("an experiment")
    }

    fn let_go<T>(&mut self, ask: impl FnOnce(&Arena) -> Result<Pending<T>, ArenaError>) {
        let pending = ask(&self.arena);
        self.done(pending);
    }

    /// The answer, once it is written; nothing if the request is refused.
    fn done<T>(&mut self, pending: Result<Pending<T>, ArenaError>) -> Option<T> {
        let pending = match pending {
            Ok(pending) => pending,
            Err(ArenaError::Refused(_)) => return None,
            Err(error) => panic!("{error}"),
        };
        while self.writer.step() {}
        match pending.poll() {
            Ok(Ok(value)) => Some(value),
            _ => panic!("it was written"),
        }
    }
}

fn merge_options(request: u32) -> MergeOptions {
    let methods = ["team-draft", "balanced", "probabilistic", "optimized"];
    let method = methods.get(request as usize % 5).map(|&method| method.to_owned());
    MergeOptions { method, length: request.is_multiple_of(2).then_some(4) }
}
