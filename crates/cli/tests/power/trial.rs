//! One trial: servers that live one after the other on the same faulty disk, and the disk images
//! that a loss of power could have left at any moment.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use core::fmt::Write as _;

use rand::{Rng, RngExt as _};
use tiltyard::Stream;

use crate::audit::{self, Wrong};
use crate::client::{self, Shared};
use crate::disk::{Disk, Image, Style};
use crate::journal::{self, Operation, Record, Synced};
use crate::ledger::Ledger;
use crate::server::{Faults, Place, Server};

/// The numbers of clients that vote at the same time. A single client leaves the disk as it is
/// while it reads what became of a failed request.
const CLIENTS: [usize; 4] = [1, 1, 3, 6];

/// One policy that can take voided answers back, and one that must learn again from the beginning.
const POLICIES: [&str; 2] = ["rex3", "mergerucb"];

/// How many times a server may fail to start on a faulty disk before it gets a disk without faults.
const MOST_STARTS: u64 = 3;

/// A kill during a write leaves whole pages.
const PAGE: usize = 4096;

/// The number of lines of a story.
const MOST_LINES: usize = 24;

/// The faults of a trial. The seed selects one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// None: only the power fails.
    Honest,
    Syncs,
    /// Short writes and writes that fail.
    Writes,
    Full,
    Everything,
    /// Everything, also while the server starts.
    Start,
    /// Every sync lies, so the server must lose data. Only for the self-check.
    Liar,
}

impl Kind {
    pub(crate) const ALL: [Self; 6] =
        [Self::Honest, Self::Syncs, Self::Writes, Self::Full, Self::Everything, Self::Start];

    pub(crate) fn of(seed: u64) -> Self {
        let n = Self::ALL.len() as u64;
        Self::ALL[usize::try_from(seed % n).expect("a small number")]
    }

    fn faults(self, rng: &mut impl Rng, delay: u32) -> Faults {
        let mut pick = |some: [u32; 3]| some[rng.random_range(0..3)];
        let none = Faults { delay, ..Faults::default() };
        match self {
            Self::Honest => none,
            Self::Liar => Faults { lie: 1000, ..none },
            Self::Syncs => Faults { sync: pick([30, 200, 1000]), ..none },
            Self::Writes => Faults { input: pick([0, 10, 100]), partly: pick([30, 100, 400]), ..none },
            Self::Full => Faults { full: pick([200, 1000, 1000]), ..none },
            Self::Everything | Self::Start => Faults {
                sync: pick([0, 50, 200]),
                input: pick([0, 10, 50]),
                partly: pick([0, 50, 200]),
                full: pick([0, 100, 500]),
                ..none
            },
        }
    }
}

/// What a trial did.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) n_servers: usize,
    pub(crate) n_images: usize,
    pub(crate) n_faults: usize,
    /// Duels, answers, voids and reads that the server acknowledged.
    pub(crate) counts: [usize; 4],
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Self) {
        self.n_servers += other.n_servers;
        self.n_images += other.n_images;
        self.n_faults += other.n_faults;
        for (sum, count) in self.counts.iter_mut().zip(other.counts) {
            *sum += count;
        }
    }
}

/// A failure, with a story that explains it.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) what: String,
    pub(crate) story: String,
    /// The files of the trial, if they were kept.
    pub(crate) kept: Option<PathBuf>,
}

struct Trial {
    place: Place,
    seed: u64,
    kind: Kind,
    disk: Disk,
    block: usize,
    ledgers: Vec<Ledger>,
    /// Ends of all records so far, to translate times to record numbers.
    ends: Vec<u64>,
    /// Faults so far, with their times.
    faults: Vec<(u64, String)>,
    tally: Tally,
}

/// Runs a trial in a new directory. After a failure, its files are copied to the target directory
/// if `keep`.
pub(crate) fn run(shim: &Path, seed: u64, kind: Kind, keep: bool) -> Result<Tally, Failure> {
    let plain = |what: String| Failure { what, story: String::new(), kept: None };
    // In memory if possible: the real disk has nothing to do with the result.
    let memory = Path::new("/dev/shm");
    let root = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    let root = root.map_err(|error| plain(error.to_string()))?;
    let path = fs::canonicalize(root.path()).map_err(|error| plain(error.to_string()))?;
    let mut rng = Stream::new(seed).label("power").rng();
    let block = if rng.random_bool(0.5) { 512 } else { 4096 };
    let mut trial = Trial {
        place: Place::new(&path, shim),
        seed,
        kind,
        disk: Disk::new(block),
        block,
        ledgers: (0..CLIENTS[rng.random_range(0..CLIENTS.len())]).map(|_| Ledger::default()).collect(),
        ends: Vec::new(),
        faults: Vec::new(),
        tally: Tally::default(),
    };
    let result = trial.run(&mut rng);
    result.map(|()| trial.tally).map_err(|mut failure| {
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("power-{seed}"));
        if keep && Image::read(&path).and_then(|files| files.write(&kept)).is_ok() {
            failure.kept = Some(kept);
        }
        failure
    })
}

impl Trial {
    fn run(&mut self, rng: &mut impl Rng) -> Result<(), Failure> {
        let io = |error: std::io::Error| self::plain(error.to_string());
        fs::create_dir_all(&self.place.data).map_err(io)?;
        let delay = [0, 400, 2000][rng.random_range(0..3)];
        let n_lives = rng.random_range(2..4);
        let mut key = None;
        let mut experiments = Vec::new();
        for life in 0..n_lives {
            let start = self.place.now();
            let server = self.start(life, key.as_deref(), delay, rng).map_err(plain)?;
            let mut shared = Shared {
                access: server.access.clone(),
                experiments: Vec::new(),
                journal: self.place.journal.clone(),
                stop: AtomicBool::new(false),
            };
            if key.is_none() {
                self.ledgers[0].key = Some(self.place.now());
                key = Some(server.access.key.clone());
                for policy in POLICIES {
                    let made = client::create(&shared, policy, &mut self.ledgers[0]).map_err(plain)?;
                    experiments.push(made);
                }
            }
            shared.experiments.clone_from(&experiments);
            self.live(server, &shared, life, delay, rng).map_err(|what| self.tell(what, u64::MAX, None))?;
            let records = self.read(start).map_err(plain)?;
            self.cut(&records, life, rng)?;
            self.disk.process_died();
            if life + 1 < n_lives && rng.random_bool(0.5) {
                // The next server starts after a loss of power instead of a kill.
                let style = Style::ALL[rng.random_range(0..Style::ALL.len())];
                self.disk.after_power_cut(style, rng).write(&self.place.data).map_err(io)?;
                self.disk = Disk::of(&self.place.data, self.block).map_err(io)?;
                self.faults.push((self.place.now(), format!("the power fails (on the disk: {style:?})")));
            } else {
                self.faults.push((self.place.now(), "the server is killed".to_owned()));
            }
        }
        for ledger in &self.ledgers {
            for (sum, count) in self.tally.counts.iter_mut().zip(ledger.counts()) {
                *sum += count;
            }
        }
        Ok(())
    }

    /// Starts a server. It may fail on a faulty disk, but not when the disk works again.
    fn start(
        &mut self,
        life: u64,
        key: Option<&str>,
        delay: u32,
        rng: &mut impl Rng,
    ) -> Result<Server, String> {
        let seed = self.seed.wrapping_mul(1000) + life * 10;
        let has_faults = self.kind == Kind::Liar || self.kind == Kind::Start && life > 0;
        if has_faults {
            self.place.set(self.kind.faults(rng, delay))?;
            for i in 0..MOST_STARTS {
                if let Ok(server) = Server::start(&self.place, key, seed + i) {
                    self.tally.n_servers += 1;
                    return Ok(server);
                }
            }
        }
        self.place.set(Faults { delay, ..Faults::default() })?;
        let server = Server::start(&self.place, key, seed + MOST_STARTS)
            .map_err(|error| format!("on a disk without new faults, {error}"))?;
        self.tally.n_servers += 1;
        Ok(server)
    }

    /// Lets clients vote for a while, with a disk that fails now and then, and kills the server.
    fn live(
        &mut self,
        server: Server,
        shared: &Shared,
        life: u64,
        delay: u32,
        rng: &mut impl Rng,
    ) -> Result<(), String> {
        let seed = self.seed;
        thread::scope(|scope| {
            let clients: Vec<_> = (0..)
                .zip(&mut self.ledgers)
                .map(|(number, ledger)| {
                    let mut rng = Stream::new(seed).label("client").index(life).index(number).rng();
                    let name = format!("life {life}, client {number}");
                    scope.spawn(move || client::run(shared, ledger, &mut rng, &name))
                })
                .collect();
            let mut changed = Ok(());
            for _ in 0..rng.random_range(1..4) {
                let quiet = Faults { delay, ..Faults::default() };
                for faults in [quiet, self.kind.faults(rng, delay)] {
                    let faults = if self.kind == Kind::Liar { self.kind.faults(rng, delay) } else { faults };
                    changed = changed.and_then(|()| self.place.set(faults));
                    thread::sleep(Duration::from_millis(rng.random_range(5..100)));
                }
            }
            shared.stop.store(true, Ordering::Relaxed);
            server.kill();
            for client in clients {
                client.join().map_err(|_| "a client panicked".to_owned())??;
            }
            changed
        })
    }

    /// Reads the journal after a time, and checks that it explains what is in the data directory.
    fn read(&mut self, after: u64) -> Result<Vec<Record>, String> {
        let text = |error: std::io::Error| error.to_string();
        let Place { journal, data, .. } = &self.place;
        let (mut records, _) = journal::read(journal, after, data).map_err(text)?;
        if records.is_empty() {
            return Err("the journal is empty: the shim was not loaded".to_owned());
        }
        // Killed while it created a file: as if it had been killed just before.
        if let Some(Operation::Creating { path }) = records.last().map(|record| &record.operation) {
            let _ = fs::remove_file(data.join(path));
        }
        let real = Image::read(data).map_err(text)?;
        self.settle_last(&mut records, &real)?;
        self.ends.extend(records.iter().map(|record| record.end));
        let faults = records.iter().filter_map(|record| Some((record.end, record.fault()?)));
        let n_before = self.faults.len();
        self.faults.extend(faults);
        self.tally.n_faults += self.faults.len() - n_before;
        Ok(records)
    }

    /// Compares the journal with the data directory. A kill between journal and operation leaves
    /// the last operation out, and a kill during a write leaves its first pages.
    fn settle_last(&self, records: &mut Vec<Record>, real: &Image) -> Result<(), String> {
        // Replay on a copy, because the cuts need the disk as it was.
        let mut rng = Stream::new(0).rng();
        let mut before = self.disk.copy_of_cache();
        let Some(last) = records.pop() else { return Ok(()) };
        for record in records.iter() {
            before.apply(record, &mut rng)?;
        }
        let mut whole = before.copy_of_cache();
        whole.apply(&last, &mut rng)?;
        let Some(difference) = whole.cached().difference(real) else {
            records.push(last);
            return Ok(());
        };
        if before.cached().difference(real).is_none() {
            return Ok(());
        }
        if let Operation::Write { path, inode, offset, data, missing } = last.operation {
            for end in (offset + 1..offset + data.len()).filter(|end| end.is_multiple_of(PAGE)) {
                let (path, data) = (path.clone(), data[..end - offset].to_vec());
                let part = Operation::Write { path, inode, offset, data, missing };
                let part = Record { end: last.end, operation: part };
                let mut partly = before.copy_of_cache();
                partly.apply(&part, &mut rng)?;
                if partly.cached().difference(real).is_none() {
                    records.push(part);
                    return Ok(());
                }
            }
        }
        Err(format!("the shim missed something: the journal and the disk differ: {difference}"))
    }

    /// Replays the journal, and checks images at some of its records.
    fn cut(&mut self, records: &[Record], life: u64, rng: &mut impl Rng) -> Result<(), Failure> {
        let mut cuts = self.choose_cuts(records, rng);
        for (i, record) in records.iter().enumerate() {
            self.disk.apply(record, rng).map_err(plain)?;
            while cuts.last() == Some(&i) {
                cuts.pop();
                self.check(&self.disk.cached(), record.end, life, "the server is killed")?;
                let first = rng.random_range(0..Style::ALL.len());
                for style in [Style::ALL[first], Style::ALL[(first + 1 + i % 4) % Style::ALL.len()]] {
                    let image = self.disk.after_power_cut(style, rng);
                    let how = format!("the power fails (on the disk: {style:?})");
                    self.check(&image, record.end, life, &how)?;
                }
            }
        }
        Ok(())
    }

    /// Places in the journal, the first one last.
    fn choose_cuts(&self, records: &[Record], rng: &mut impl Rng) -> Vec<usize> {
        let n = records.len();
        let mut cuts = vec![n - 1];
        cuts.extend((0..2).map(|_| rng.random_range(0..n)));
        // While the server starts, it settles what the server before it left behind.
        cuts.extend((0..2).map(|_| rng.random_range(0..n.min(60))));
        // Just after an answer: everything before it must be durable.
        let start = records[0].end;
        let answers: Vec<u64> = self.ledgers.iter().flat_map(|ledger| ledger.answers_after(start)).collect();
        let reads: Vec<u64> = self.ledgers.iter().flat_map(|ledger| ledger.surprises_after(start)).collect();
        for (times, n_cuts) in [(answers, 3), (reads, 5)] {
            for _ in 0..if times.is_empty() { 0 } else { n_cuts } {
                let at = times[rng.random_range(0..times.len())];
                let place = records.partition_point(|record| record.end < at);
                cuts.push(place.min(n - 1));
            }
        }
        // A little after a fault, when the process has done something about it.
        let is_fault = |record: &Record| record.fault().is_some();
        let is_failed_sync =
            |record: &Record| matches!(record.operation, Operation::SyncEnd { synced: Synced::Failed, .. });
        for is in [is_fault as fn(&Record) -> bool, is_failed_sync] {
            let places: Vec<usize> = (0..n).filter(|&i| is(&records[i])).collect();
            if !places.is_empty() {
                cuts.extend((0..2).map(|_| {
                    let place = places[rng.random_range(0..places.len())];
                    (place + rng.random_range(0..40)).min(n - 1)
                }));
            }
        }
        cuts.sort_unstable_by(|left, right| right.cmp(left));
        cuts.dedup();
        cuts
    }

    fn check(&mut self, image: &Image, at: u64, life: u64, how: &str) -> Result<(), Failure> {
        image.write(&self.place.image).map_err(|error| plain(error.to_string()))?;
        self.tally.n_images += 1;
        // The self-check tests the ledgers, so `verify` must not be the first to complain.
        let verify = self.kind != Kind::Liar;
        audit::check(&self.place.image, at, &self.ledgers, verify).map_err(|Wrong { what, duel }| {
            // The audit changed the image; keep it as it was.
            let _ = image.write(&self.place.image);
            let record = self.number(at);
            let what = format!("server {}, after record {record}, when {how}: {what}", life + 1);
            self.tell(what, at, duel.as_deref())
        })
    }

    /// The number of the record that ends at or before this time.
    fn number(&self, at: u64) -> usize {
        self.ends.partition_point(|end| *end <= at)
    }

    /// Tells the story of a duel up to a cut, with the faults of the disk in between.
    fn tell(&self, what: String, cut: u64, duel: Option<&str>) -> Failure {
        let issued = duel.and_then(|id| self.ledgers.iter().find_map(|ledger| ledger.duels.get(id)));
        let since = issued.map_or(0, |issued| issued.at);
        // Faults first: of two lines with the same time, the fault was the reason.
        let mut lines: Vec<_> = self.faults.iter().filter(|(at, _)| *at > since).cloned().collect();
        if let Some(issued) = issued {
            lines.push((issued.at, "the server issues the duel".to_owned()));
            lines.extend(issued.lines.iter().map(|(at, line)| (*at, line.to_string())));
        }
        lines.retain(|(at, _)| *at <= cut);
        lines.sort_by_key(|(at, _)| *at);
        let mut story = String::new();
        let n_left_out = lines.len().saturating_sub(MOST_LINES);
        let (first, rest) = lines.split_at(lines.len().min(MOST_LINES / 2));
        for (at, line) in first {
            let _ = writeln!(story, "    record {:>5}: {line}", self.number(*at));
        }
        if n_left_out > 0 {
            let _ = writeln!(story, "    ... {n_left_out} more ...");
        }
        for (at, line) in &rest[n_left_out.min(rest.len())..] {
            let _ = writeln!(story, "    record {:>5}: {line}", self.number(*at));
        }
        // A panic explains an answer with the status 500.
        let errors = fs::read_to_string(&self.place.errors).unwrap_or_default();
        let panics = errors.lines().skip_while(|line| !line.contains("panicked at")).take(3);
        for line in panics {
            let _ = writeln!(story, "    the server wrote: {line}");
        }
        Failure { what, story, kept: None }
    }
}

fn plain(what: String) -> Failure {
    Failure { what, story: String::new(), kept: None }
}
