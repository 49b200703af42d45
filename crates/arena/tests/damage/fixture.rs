//! The data that is damaged: an arena with four experiments and some keys, kept at several moments.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use rand::seq::IndexedRandom as _;
use rand::{Rng, RngExt as _};
use serde_json::json;
use tempfile::TempDir;
use tiltyard_arena::arena::{Options, Pending, Writer};
use tiltyard_arena::domain::{
    Answer, AnswerRequest, ClickRequest, Clicked, Create, ImportRequest, InterleaveRequest, IssueRequest,
    Lists, MergeOptions, NewArm, NewVote, RankRequest, Ranking, Settings, SlateRequest, VoidReason,
};
use tiltyard_arena::id::{DuelId, ExperimentId};
use tiltyard_arena::key::{Scope, Secret};
use tiltyard_arena::store::SqliteStore;
use tiltyard_arena::time::{Clock, Time};
use tiltyard_arena::{Arena, upkeep};
use tiltyard_bandit::Stream;

use crate::truth::{Mode, Question, Truth};

/// The database in a data directory.
pub(crate) const DATABASE: &str = "tiltyard.db";

/// The write-ahead log.
pub(crate) const WAL: &str = "tiltyard.db-wal";

/// The file of heads.
pub(crate) const HEADS: &str = "tiltyard.heads";

/// The policies of the experiments. `mergerucb` cannot take back a voided vote, so it has to learn
/// its log again.
const POLICIES: [&str; 4] = ["rex3", "dts", "mergerucb", "rex3"];

/// The index of the experiment with slates and with merged lists.
const RANKERS: usize = 3;

/// How many rounds of requests are made before each of the three stops. The requests of a round are
/// written in one transaction.
const ROUNDS: [usize; 3] = [3, 3, 4];

/// A clock that is set by hand.
#[derive(Debug)]
pub(crate) struct HandClock(AtomicI64);

impl HandClock {
    pub(crate) fn at(time: Time) -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(time.0)))
    }

    fn seconds(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1_000_000, Ordering::Relaxed);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Time {
        Time(self.0.load(Ordering::Relaxed))
    }
}

/// Options that depend on nothing but the time.
pub(crate) fn options(clock: &Arc<HandClock>) -> Options {
    let clock: Arc<dyn Clock> = Arc::<HandClock>::clone(clock);
    Options { clock, snapshot_every: 90, ..Options::new([7; 32]) }
}

/// The files of a data directory, by their paths in it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Files(pub(crate) BTreeMap<String, Vec<u8>>);

impl Files {
    /// Reads what a killed server leaves. The index of the write-ahead log, `-shm`, is not a part
    /// of it: SQLite makes it again.
    fn read(directory: &Path) -> io::Result<Self> {
        let mut files = BTreeMap::new();
        for name in [DATABASE, WAL, HEADS] {
            if directory.join(name).exists() {
                files.insert(name.to_owned(), fs::read(directory.join(name))?);
            }
        }
        for entry in fs::read_dir(directory.join("snapshots"))? {
            let entry = entry?;
            files.insert(format!("snapshots/{}", entry.file_name().display()), fs::read(entry.path())?);
        }
        Ok(Self(files))
    }

    /// Writes the files into a directory, which is emptied before.
    pub(crate) fn write(&self, directory: &Path) -> io::Result<()> {
        if directory.exists() {
            fs::remove_dir_all(directory)?;
        }
        fs::create_dir_all(directory.join("snapshots"))?;
        self.0.iter().try_for_each(|(name, bytes)| fs::write(directory.join(name), bytes))
    }

    /// The places in the database where rows and entries of indexes begin with the id of this
    /// experiment.
    pub(crate) fn keys(&self, id: ExperimentId) -> Vec<usize> {
        let needle = number(id).to_be_bytes();
        let bytes = self.0.get(DATABASE).map_or(&[][..], Vec::as_slice);
        bytes
            .windows(needle.len())
            .enumerate()
            .filter(|(_, part)| *part == needle)
            .map(|(at, _)| at)
            .collect()
    }

    /// The names of the snapshots.
    pub(crate) fn snapshots(&self) -> Vec<String> {
        self.0.keys().filter(|name| name.starts_with("snapshots/")).cloned().collect()
    }
}

/// The data at several moments, and the truth about it.
pub(crate) struct Fixture {
    /// The directory for everything that is written.
    root: TempDir,
    /// After a kill: a part of the data is in the write-ahead log only.
    pub(crate) killed: Files,
    /// After a clean stop.
    pub(crate) stopped: Files,
    /// Some time before: after a clean stop, with the write-ahead log from before the stop.
    pub(crate) earlier: Files,
    /// Still earlier.
    pub(crate) earliest: Files,
    /// A backup of everything.
    pub(crate) backup: PathBuf,
    /// A backup from before the last records.
    pub(crate) old_backup: PathBuf,
    pub(crate) truth: Truth,
}

impl Fixture {
    pub(crate) fn new() -> Result<Self, String> {
        Self::build().map_err(|error| format!("the data could not be made: {error}"))
    }

    fn build() -> Result<Self, Box<dyn std::error::Error>> {
        // Nothing here is about the durability of files, and syncs in memory take no time.
        let memory = Path::new("/dev/shm");
        let root = if memory.is_dir() { tempfile::tempdir_in(memory)? } else { tempfile::tempdir()? };
        let directory = root.path().join("made");
        let [backup, old_backup] = ["backup.db", "old-backup.db"].map(|name| root.path().join(name));
        let clock = HandClock::at(Time(1_800_000_000_000_000));
        let mut rng = Stream::new(1).label("fixture").rng();
        let mut made = Vec::new();
        let mut secrets = Vec::new();
        let mut moments = Vec::new();
        for (stop, rounds) in ROUNDS.into_iter().enumerate() {
            let mut desk = Desk::open(&directory, &clock)?;
            if stop == 0 {
                for (index, policy) in POLICIES.into_iter().enumerate() {
                    made.push(Made::new(&mut desk, index, policy)?);
                }
            }
            // The last records are about experiments only, so that a server that lost them starts.
            if stop + 1 < ROUNDS.len() {
                desk.keys(made[stop].id, &mut secrets)?;
            }
            for round in 0..rounds {
                for made in &mut made {
                    made.round(&mut desk, &mut rng)?;
                }
                if round + 2 == rounds {
                    desk.arena.snapshot_all();
                }
                desk.settle();
                clock.seconds(40);
                desk.arena.sweep()?;
                desk.settle();
            }
            if stop + 1 == ROUNDS.len() {
                desk.arena.snapshot_all();
                desk.settle();
            }
            let killed = Files::read(&directory)?;
            drop(desk);
            moments.push((killed, Files::read(&directory)?));
            if stop + 2 == ROUNDS.len() {
                upkeep::back_up(&directory, &old_backup)?;
            }
        }
        upkeep::back_up(&directory, &backup)?;
        let mut moments = moments.into_iter().map(|(killed, mut stopped)| {
            let last = (killed.clone(), stopped.clone());
            stopped.0.extend(killed.0.get_key_value(WAL).map(|(name, wal)| (name.clone(), wal.clone())));
            (stopped, last)
        });
        let mut next = || moments.next().ok_or("a moment is missing");
        let ((earliest, _), (earlier, _), (_, (killed, stopped))) = (next()?, next()?, next()?);
        let questions = made.into_iter().map(|made| (made.id, made.questions)).collect();
        let truth = Truth::find(&directory, questions, secrets, clock.now())?;
        let fixture = Self { root, killed, stopped, earlier, earliest, backup, old_backup, truth };
        fixture.check()?;
        Ok(fixture)
    }

    /// A directory for a trial.
    pub(crate) fn directory(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Undamaged data gives the truth, and the data is what the trials need.
    fn check(&self) -> Result<(), String> {
        for (name, files) in [("killed", &self.killed), ("stopped", &self.stopped)] {
            let directory = self.directory("undamaged");
            files.write(&directory).map_err(|error| error.to_string())?;
            let found = upkeep::verify(&directory).map_err(|error| error.to_string())?;
            if !found.is_sound() {
                return Err(format!("{name}: {found:?}"));
            }
            for early in [true, false] {
                let served = self.truth.serve(&directory, Mode { early, all: true, ..Mode::USUAL });
                if !served.is_truth() {
                    return Err(format!("{name}: the undamaged data is not served: {served:?}"));
                }
                files.write(&directory).map_err(|error| error.to_string())?;
            }
        }
        if self.killed.0.get(WAL).is_none_or(Vec::is_empty) || self.stopped.0.contains_key(WAL) {
            return Err("only a killed server leaves a write-ahead log".to_owned());
        }
        Ok(())
    }

    /// Describes the data.
    pub(crate) fn describe(&self) -> String {
        let size = |files: &Files, name: &str| files.0.get(name).map_or(0, Vec::len) / 1024;
        format!(
            "{} experiments with {} records; database {} kB, after a kill {} kB and a write-ahead log of {} kB; \
             {} snapshots",
            self.truth.logs.len() - 1,
            self.truth.n_records(),
            size(&self.stopped, DATABASE),
            size(&self.killed, DATABASE),
            size(&self.killed, WAL),
            self.killed.snapshots().len(),
        )
    }
}

/// An arena that is driven step by step.
struct Desk {
    arena: Arc<Arena>,
    writer: Writer,
}

impl Desk {
    fn open(directory: &Path, clock: &Arc<HandClock>) -> Result<Self, Box<dyn std::error::Error>> {
        let store = Arc::new(SqliteStore::open(directory)?);
        let (arena, writer) = Arena::open(store, options(clock))?;
        Ok(Self { arena, writer })
    }

    fn settle(&mut self) {
        while self.writer.step() {}
    }

    fn done<T>(&mut self, pending: Pending<T>) -> Result<T, Box<dyn std::error::Error>> {
        self.settle();
        Ok(pending.poll()?.map_err(|_| "everything in the queue was written")?)
    }

    /// Makes keys, and revokes one of them.
    fn keys(
        &self,
        experiment: ExperimentId,
        secrets: &mut Vec<Secret>,
    ) -> Result<(), tiltyard_arena::ArenaError> {
        let arena = &self.arena;
        let expires = Some(arena.now().plus_seconds(60));
        let (_, admin) = arena.make_key(Scope::Admin, None, Some("the owner".to_owned()), None)?;
        let (revoked, lost) = arena.make_key(Scope::Writer, None, None, None)?;
        let (_, voter) = arena.make_key(Scope::Voter, Some(experiment), None, None)?;
        let (_, brief) = arena.make_key(Scope::Reader, None, None, expires)?;
        secrets.extend(arena.begin_session(&admin, 1_000_000)?);
        secrets.extend(arena.begin_session(&lost, 1_000_000)?);
        arena.revoke_key(revoked)?;
        secrets.extend([admin, lost, voter, brief]);
        Ok(())
    }
}

/// An experiment in the making.
struct Made {
    id: ExperimentId,
    index: usize,
    /// The number of requests so far.
    n_requests: usize,
    /// Duels to answer.
    open: Vec<DuelId>,
    /// Duels that were answered.
    closed: Vec<DuelId>,
    questions: Vec<Question>,
}

const ARMS: [&str; 5] = ["a", "b", "c", "d", "e"];

impl Made {
    fn new(desk: &mut Desk, index: usize, policy: &str) -> Result<Self, Box<dyn std::error::Error>> {
        let settings = Settings { expires_after: 100, holdout: 0.1, ..Settings::DEFAULT };
        let request = Create {
            name: format!("{policy} {index}"),
            arms: ARMS.into_iter().map(NewArm::named).collect(),
            policy: policy.to_owned(),
            settings,
            distinct_by_policy: true,
        };
        let created = desk.arena.create(request)?;
        let id = desk.done(created)?;
        Ok(Self { id, index, n_requests: 0, open: Vec::new(), closed: Vec::new(), questions: Vec::new() })
    }

    /// Makes requests, which are written together.
    fn round(&mut self, desk: &mut Desk, rng: &mut impl Rng) -> Result<(), Box<dyn std::error::Error>> {
        let arena = Arc::clone(&desk.arena);
        let mut issued = Vec::new();
        for _ in 0..rng.random_range(6..12) {
            let request = IssueRequest {
                count: rng.random_range(1..4),
                client: self.client(rng),
                context: rng.random_bool(0.3).then(|| json!({ "page": rng.random_range(1..9) })),
                distinct: None,
            };
            issued.push(arena.issue(self.id, &request)?);
            if request.client.is_some() {
                self.questions.push(Question::Issue(request));
            }
        }
        let mut done = Vec::new();
        for duel in core::mem::take(&mut self.open) {
            if rng.random_bool(0.25) {
                // Some of them expire and are answered later.
                self.open.push(duel);
                continue;
            }
            let answers = [Answer::Left, Answer::Right, Answer::Tie, Answer::BothBad, Answer::Skip];
            let answer = *answers.choose(rng).unwrap_or(&Answer::Left);
            let voter = rng.random_bool(0.7).then(|| voter(rng));
            done.push(arena.answer(duel, &AnswerRequest { answer, voter, said: None })?);
            self.closed.push(duel);
            self.questions.push(Question::Duel(duel));
        }
        if self.index == RANKERS {
            self.lists(desk, rng)?;
        }
        if rng.random_bool(0.4) {
            self.import(desk, rng)?;
        }
        desk.settle();
        if let Some(&duel) = self.closed.choose(rng) {
            done.push(arena.void(duel, VoidReason::Asked)?);
        }
        desk.settle();
        for pending in issued {
            let duels = pending.poll()?.map_err(|_| "the duels were written")?;
            self.open.extend(duels.iter().map(|duel| duel.id));
        }
        for pending in done {
            pending.poll()?.map_err(|_| "the answer was written")?;
        }
        Ok(())
    }

    /// A client id for about half of the requests.
    fn client(&mut self, rng: &mut impl Rng) -> Option<String> {
        self.n_requests += 1;
        rng.random_bool(0.5).then(|| format!("request {}", self.n_requests))
    }

    fn import(&mut self, desk: &mut Desk, rng: &mut impl Rng) -> Result<(), Box<dyn std::error::Error>> {
        self.n_requests += 1;
        let mut votes = Vec::new();
        for _ in 0..rng.random_range(1..6) {
            votes.push(NewVote {
                left: ARMS[rng.random_range(0..2)].to_owned(),
                right: ARMS[rng.random_range(2..5)].to_owned(),
                answer: Answer::Left,
                weight: None,
                voter: rng.random_bool(0.5).then(|| voter(rng)),
                said: None,
                propensity: None,
            });
        }
        let client = format!("import {}", self.n_requests);
        let request = ImportRequest { client, source: "a file".to_owned(), votes };
        let pending = desk.arena.import(self.id, request.clone())?;
        let import = desk.done(pending)?;
        if rng.random_bool(0.3) {
            let pending = desk.arena.void_import(self.id, import.seq)?;
            desk.done(pending)?;
        } else {
            self.questions.push(Question::Import(request));
        }
        Ok(())
    }

    /// Issues a slate and a merged list, and answers both.
    fn lists(&mut self, desk: &mut Desk, rng: &mut impl Rng) -> Result<(), Box<dyn std::error::Error>> {
        self.n_requests += 1;
        let arena = Arc::clone(&desk.arena);
        let client = Some(format!("slate {}", self.n_requests));
        let request = SlateRequest { size: 4, client, context: Some(json!("a slate")) };
        let slate = arena.issue_slate(self.id, &request)?;
        let slate = desk.done(slate)?;
        self.questions.push(Question::Slate(request));
        let best = ARMS[slate.slate.arms[0] as usize].to_owned();
        let ranked = RankRequest { ranking: Ranking::Best(best), voter: Some(voter(rng)), said: None };
        let ranked = arena.rank(slate.duel.id, &ranked)?;
        desk.done(ranked)?;
        let list = |arm: &str| (1..7).map(|n| format!("{arm}{}", n * n % 5)).collect::<Vec<_>>();
        let unique = |arm: &str| {
            let mut list = list(arm);
            list.sort();
            list.dedup();
            list
        };
        let lists = Lists(ARMS.into_iter().map(|arm| (arm.to_owned(), unique(arm))).collect());
        let request = InterleaveRequest {
            client: Some(format!("lists {}", self.n_requests)),
            context: None,
            options: MergeOptions::default(),
            lists: Some(lists),
        };
        let merged = arena.interleave(self.id, &request)?;
        let merged = desk.done(merged)?;
        self.questions.push(Question::Interleave(request));
        let clicks = ClickRequest { clicked: Clicked::Positions(vec![1, 3]), voter: None, said: None };
        let clicked = arena.click(merged.duel.id, &clicks)?;
        desk.done(clicked)?;
        for duel in [slate.duel.id, merged.duel.id] {
            self.closed.push(duel);
            self.questions.extend([Question::Duel(duel), Question::RankerDuel(duel)]);
        }
        Ok(())
    }
}

fn voter(rng: &mut impl Rng) -> String {
    format!("voter {}", rng.random_range(1..9))
}

/// The number of an experiment, which its id shows in base 32.
fn number(id: ExperimentId) -> u64 {
    let digits = b"0123456789abcdefghjkmnpqrstvwxyz";
    let digit = |letter: u8| digits.iter().position(|digit| *digit == letter).unwrap_or(0) as u64;
    id.to_string().bytes().fold(0, |number, letter| number << 5 | digit(letter))
}
