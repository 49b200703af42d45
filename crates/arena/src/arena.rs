//! The arena: the live experiments of one process.
//!
//! A request locks its experiment, is decided from the state, and changes the state at once. The
//! records go to the writer's queue under the same lock, so that the log has them in the order in
//! which they were folded. The response is sent when the records are durable. If they cannot be
//! made durable, the arena discards the state in memory and folds the log again.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use rand::rngs::{ChaCha8Rng, ChaCha12Rng};
use rand::{RngExt, SeedableRng};
use sha2::{Digest, Sha256};

use crate::domain::{
    Create, DrawnDuel, Event, Experiment, Extended, FoldError, Head, Kind, NewArm, Record, Refusal,
    SavedExperiment, Status,
};
use crate::id::{DuelId, ExperimentId};
use crate::store::{SnapshotOf, Store, StoreError};
use crate::time::{Clock, SystemClock, Time};

mod apart;
mod ballots;
mod duels;
mod evaluate;
mod imports;
mod interleave;
mod jobs;
mod keyring;
mod keys;
mod live;
mod load;
mod log_pages;
mod pending;
mod people;
mod recent;
mod slates;
mod steady;
mod writer;

pub use apart::SetApart;
pub use ballots::BallotPages;
pub use imports::Import;
pub use interleave::{RankerDuel, RankerDuelHistory};
pub use live::Progress;
pub use load::{LoadError, Loaded, load, load_from_start, load_until};
pub use log_pages::LogPages;
pub use pending::Pending;
pub use slates::SlateDuel;
pub use writer::{Appended, StopWriter, Writer};

use apart::Opened;
use keyring::Keyring;
use live::{LiveExperiment, LiveState};
use steady::{Reading, SteadyClock};
use writer::{Batch, Item, Queue};

/// The maximum number of duels that expire at once. It limits how long a lock is held.
const SWEEP: usize = 1000;

/// A longer gap since the last record or time mark is downtime, in microseconds. Quick restarts are
/// shorter, and so are the gaps between two time marks.
const DOWN: i64 = 60_000_000;

/// The live experiments of one process.
pub struct Arena {
    store: Arc<dyn Store>,
    clock: SteadyClock,
    queue: Queue,
    /// The maximum number of writes that may wait for the store.
    most_waiting: usize,
    /// The number of records of an experiment between two snapshots.
    snapshot_every: u64,
    /// All experiments. Each request locks them for reading; creating one locks them for writing.
    experiments: RwLock<BTreeMap<ExperimentId, Arc<LiveExperiment>>>,
    /// Experiments whose logs are damaged.
    apart: RwLock<BTreeMap<ExperimentId, SetApart>>,
    /// All keys. Each request locks them for reading, only for the look-up.
    keys: RwLock<Keyring>,
    /// Locked while a key is created or revoked, until that is durable.
    keys_lock: Mutex<()>,
    /// Unpredictable randomness. Locked only to draw a seed.
    entropy: Mutex<ChaCha12Rng>,
}

impl core::fmt::Debug for Arena {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Arena({} experiments)", read(&self.experiments).len())
    }
}

/// Why a request was not carried out.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ArenaError {
    /// The request is refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The store failed. The request may or may not have been carried out: repeat it with the same
    /// ids.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Too many writes wait for the store.
    #[error("too many requests wait for the store")]
    Overloaded,
    /// A log cannot be folded.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// The experiment is set apart, because its log is damaged.
    #[error(
        "the experiment is damaged: {text}. Its first {sound} records are sound and can be read in its history. Stop the server and run `tiltyard verify`, which says how to repair it"
    )]
    Damaged {
        /// The experiment.
        experiment: ExperimentId,
        /// The number of records before the damage.
        sound: u64,
        /// What is damaged, and where.
        text: String,
    },
}

impl From<LoadError> for ArenaError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Store(error) => Self::Store(error),
            LoadError::Fold(error) => Self::Fold(error),
        }
    }
}

/// A duel as it is issued.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duel {
    /// The id of the duel.
    pub id: DuelId,
    /// The arms that were drawn, and how they are shown.
    pub drawn: DrawnDuel,
}

/// Whether this request or an earlier one had the effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// This request.
    Recorded,
    /// An earlier request.
    Already,
}

/// The parts of an arena besides its store.
pub struct Options {
    /// The source of the current time.
    pub clock: Arc<dyn Clock>,
    /// The seed of all randomness: 32 bytes that nobody can guess.
    pub entropy: [u8; 32],
    /// The maximum number of writes that may wait for the store.
    pub most_waiting: usize,
    /// The number of records of an experiment between two snapshots. A start has to fold about this
    /// many records at most.
    pub snapshot_every: u64,
    /// A log of at most this many records is checked as a whole before its experiment is served. A
    /// longer log is checked while the experiment is already served, from a snapshot and the
    /// records after it, which are always checked.
    pub checked_at_start: u64,
}

impl Options {
    /// The clock of the machine, and defaults for the rest.
    pub fn new(entropy: [u8; 32]) -> Self {
        Self {
            clock: Arc::new(SystemClock),
            entropy,
            most_waiting: 10_000,
            snapshot_every: 100_000,
            checked_at_start: 100_000,
        }
    }
}

impl Arena {
    /// Opens all experiments of a store. An experiment whose log is damaged is set apart. The
    /// caller must run the returned writer, either on its own thread ([`Writer::run`]) or step by
    /// step ([`Writer::step`]).
    ///
    /// # Errors
    ///
    /// If the store cannot be read, or its log of keys is damaged.
    pub fn open(store: Arc<dyn Store>, options: Options) -> Result<(Arc<Self>, Writer), LoadError> {
        store.check(ExperimentId::ARENA)?;
        let keys = load::keyring(&*store)?;
        let mark = store.last_time()?;
        let mut newest = mark.max(load::last_at(&*store, ExperimentId::ARENA, keys.seq())?);
        let mut opened = Vec::new();
        let mut apart = BTreeMap::new();
        for id in store.experiments()? {
            let with_time = |opened: Option<Opened>| -> Result<_, ArenaError> {
                let Some(opened) = opened else { return Ok(None) };
                let last = load::last_at(&*store, id, opened.loaded.head.seq)?;
                Ok(Some((opened, last)))
            };
            match apart::open(&*store, id, options.checked_at_start).and_then(with_time) {
                Ok(Some((experiment, last))) => {
                    newest = newest.max(last);
                    opened.push((experiment, mark.max(last)));
                }
                Ok(None) => {}
                Err(error) => {
                    apart.insert(id, SetApart::find(&*store, id, &error).logged());
                }
            }
        }
        let clock = SteadyClock::new(options.clock, newest);
        let Reading { now, skipped } = clock.read();
        let live = |(Opened { loaded, is_checked }, last): (Opened, Option<Time>)| {
            // Duels have been extended by all time skipped before the mark, and before the last
            // record of their log. The time since then is still missing.
            let down = last.map_or(0, |last| now.0.saturating_sub(last.0));
            let skipped = if down > DOWN { skipped - down } else { skipped };
            let id = loaded.experiment.id();
            (id, Arc::new(LiveExperiment::new(loaded, is_checked, Reading { now, skipped })))
        };
        let experiments = opened.into_iter().map(live).collect();
        let (queue, writer) = Writer::new(Arc::clone(&store));
        let arena = Self {
            store,
            clock,
            queue,
            most_waiting: options.most_waiting,
            snapshot_every: options.snapshot_every,
            experiments: RwLock::new(experiments),
            apart: RwLock::new(apart),
            keys: RwLock::new(keys),
            keys_lock: Mutex::default(),
            entropy: Mutex::new(ChaCha12Rng::from_seed(options.entropy)),
        };
        Ok((Arc::new(arena), writer))
    }

    /// The current time. It never goes back, not even across restarts.
    pub fn now(&self) -> Time {
        self.clock.read().now
    }

    /// A new generator for each request, so that no request waits for the draws of another.
    fn rng(&self) -> ChaCha8Rng {
        ChaCha8Rng::from_seed(lock(&self.entropy).random())
    }

    /// The number of writes that wait for the store.
    pub fn n_waiting(&self) -> usize {
        self.queue.waiting.load(Ordering::Relaxed)
    }

    /// Creates an experiment.
    ///
    /// # Errors
    ///
    /// If the request is refused, or the store fails.
    pub fn create(&self, request: Create) -> Result<Pending<ExperimentId>, ArenaError> {
        self.check_load()?;
        let mut rng = self.rng();
        let event = Experiment::create(request, &mut rng)?;
        let id = ExperimentId::from_random(rng.random());
        let reading = self.clock.read();
        let record = Record { experiment: id, seq: 1, at: reading.now, event };
        let live = Arc::new(LiveExperiment::begin(Experiment::begin(&record)?, reading));
        let done = {
            let mut state = lock(&live.state);
            self.enqueue(&live, &mut state, vec![record])
        };
        self.experiments.write().unwrap_or_else(PoisonError::into_inner).insert(id, live);
        Ok(Pending::write(id, done))
    }

    /// Pauses, resumes or closes an experiment.
    ///
    /// # Errors
    ///
    /// If the request is refused, or the store fails.
    pub fn change(&self, id: ExperimentId, status: Status) -> Result<Pending<Done>, ArenaError> {
        self.check_load()?;
        let live = self.live(id)?;
        let mut state = self.lock(&live)?;
        let Some(event) = state.folded.change(status)? else {
            let last = state.folded.seq();
            return Ok(Pending::until(Done::Already, &live, last));
        };
        let done = self.record(&live, &mut state, vec![event])?;
        Ok(Pending::write(Done::Recorded, done))
    }

    /// Adds arms.
    ///
    /// # Errors
    ///
    /// If the request is refused, or the store fails.
    pub fn add_arms(&self, id: ExperimentId, arms: Vec<NewArm>) -> Result<Pending<()>, ArenaError> {
        self.by_event(id, |experiment| experiment.add_arms(arms))
    }

    /// Retires an arm.
    ///
    /// # Errors
    ///
    /// If the request is refused, or the store fails.
    pub fn retire_arm(&self, id: ExperimentId, name: &str) -> Result<Pending<()>, ArenaError> {
        self.by_event(id, |experiment| experiment.retire_arm(name))
    }

    /// Restores a retired arm.
    ///
    /// # Errors
    ///
    /// If the request is refused, or the store fails.
    pub fn restore_arm(&self, id: ExperimentId, name: &str) -> Result<Pending<()>, ArenaError> {
        self.by_event(id, |experiment| experiment.restore_arm(name))
    }

    /// Starts an apprentice: a policy that learns from every answer.
    ///
    /// # Errors
    ///
    /// If the request is refused, or the store fails.
    pub fn begin_apprentice(&self, id: ExperimentId, policy: &str) -> Result<Pending<()>, ArenaError> {
        let mut rng = self.rng();
        self.by_event(id, |experiment| experiment.begin_apprentice(policy, &mut rng))
    }

    /// Dismisses the apprentice.
    ///
    /// # Errors
    ///
    /// If the experiment has no apprentice, or the store fails.
    pub fn dismiss_apprentice(&self, id: ExperimentId) -> Result<Pending<()>, ArenaError> {
        self.by_event(id, Experiment::dismiss_apprentice)
    }

    /// Lets the apprentice draw the duels from now on.
    ///
    /// # Errors
    ///
    /// If the experiment has no apprentice, or the store fails.
    pub fn promote_apprentice(&self, id: ExperimentId) -> Result<Pending<()>, ArenaError> {
        self.by_event(id, Experiment::promote_apprentice)
    }

    fn by_event(
        &self,
        id: ExperimentId,
        decide: impl FnOnce(&Experiment) -> Result<Event, Refusal>,
    ) -> Result<Pending<()>, ArenaError> {
        self.check_load()?;
        let live = self.live(id)?;
        let mut state = self.lock(&live)?;
        let event = decide(&state.folded)?;
        let done = self.record(&live, &mut state, vec![event])?;
        Ok(Pending::write((), done))
    }

    /// Expires duels whose time is over, a limited number per experiment. Returns how many expired.
    ///
    /// # Errors
    ///
    /// If the state of an experiment cannot be renewed. The other experiments are swept anyway.
    pub fn sweep(&self) -> Result<usize, ArenaError> {
        let experiments: Vec<_> = read(&self.experiments).values().cloned().collect();
        let mut swept = Ok(0);
        for live in experiments {
            match self.sweep_one(&live) {
                Ok(more) => swept = swept.map(|swept| swept + more),
                // The experiment is gone: not even its creation was stored.
                Err(ArenaError::Refused(Refusal::NoExperiment)) => {}
                Err(error) => swept = swept.and(Err(error)),
            }
        }
        swept
    }

    fn sweep_one(&self, live: &Arc<LiveExperiment>) -> Result<usize, ArenaError> {
        let mut state = self.lock(live)?;
        state.ask_again_to_relearn(live, &self.queue);
        let events = state.folded.expire(state.now, SWEEP);
        let n_events = events.len();
        if n_events > 0 {
            drop(self.record(live, &mut state, events)?);
        }
        Ok(n_events)
    }

    /// Stores the current time, so that the next start knows until when the server ran. Returns
    /// false and stores nothing while a log still lacks the record that extends its duels by the
    /// time skipped before. Call it again later then.
    ///
    /// # Errors
    ///
    /// If the state of an experiment cannot be renewed, or the store fails.
    pub fn mark_time(&self) -> Result<bool, ArenaError> {
        let now = self.now();
        let experiments: Vec<_> = read(&self.experiments).values().cloned().collect();
        for live in experiments {
            let state = match self.lock(&live) {
                Err(ArenaError::Refused(Refusal::NoExperiment)) => continue,
                state => state?,
            };
            if state.tail.iter().any(|record| record.event.kind() == Kind::Extended) {
                return Ok(false);
            }
        }
        self.store.mark_time(now)?;
        Ok(true)
    }

    /// Asks for a snapshot of every experiment that has changed since its last snapshot.
    pub fn snapshot_all(&self) {
        let experiments: Vec<_> = read(&self.experiments).values().cloned().collect();
        for live in experiments {
            if let Ok(mut state) = self.look(&live)
                && state.since_snapshot > 0
            {
                state.ask_again_to_relearn(&live, &self.queue);
                state.ask_for_snapshot(&live, self.now(), &self.queue);
            }
        }
    }

    /// All experiments, ordered by id.
    pub fn experiments(&self) -> Vec<ExperimentId> {
        let experiments = read(&self.experiments);
        experiments.iter().filter(|(_, live)| live.progress.borrow().durable > 0).map(|(&id, _)| id).collect()
    }

    /// Calls `look` with an experiment, whose lock is held meanwhile. The result is pending until
    /// everything that the experiment includes is durable.
    ///
    /// # Errors
    ///
    /// If the experiment does not exist, or its state cannot be renewed.
    pub fn view<T>(
        &self,
        id: ExperimentId,
        look: impl FnOnce(&Experiment) -> T,
    ) -> Result<Pending<T>, ArenaError> {
        let live = self.live(id)?;
        let state = self.lock(&live)?;
        Ok(Pending::until(look(&state.folded), &live, state.folded.seq()))
    }

    /// Like [`Self::view`], but the result is available at once, although the experiment may
    /// include records that will fail. Use it only for facts that never change, such as the name of
    /// an experiment or the arms of a durable duel.
    ///
    /// # Errors
    ///
    /// If the experiment does not exist, or its state cannot be renewed.
    pub fn peek<T>(&self, id: ExperimentId, look: impl FnOnce(&Experiment) -> T) -> Result<T, ArenaError> {
        let live = self.live(id)?;
        let state = self.look(&live)?;
        Ok(look(&state.folded))
    }

    /// A fingerprint of an experiment's whole state, and the last log position that the state
    /// includes. Two processes that folded the same log get the same fingerprint.
    ///
    /// # Errors
    ///
    /// If the experiment does not exist, or its state cannot be renewed.
    pub fn digest(&self, id: ExperimentId) -> Result<Pending<(u64, String)>, ArenaError> {
        let live = self.live(id)?;
        let _only_copy = lock(&self.queue.copies);
        let state = self.look(&live)?;
        let copy = if state.folded.must_relearn() {
            drop(state);
            self.relearned(&live, id)?
        } else {
            let copy = live.copy(&state);
            drop(state);
            copy
        };
        Ok(copy.map(|copy| (copy.seq(), fingerprint(copy.into_saved()))))
    }

    /// The state to which the durable log folds, for an experiment that must relearn.
    fn relearned(&self, live: &LiveExperiment, id: ExperimentId) -> Result<Pending<Experiment>, ArenaError> {
        let fresh = self.noticed(load_from_start(&*self.store, id))?.ok_or(Refusal::NoExperiment)?.experiment;
        if fresh.must_relearn() {
            let text = "more answers were voided while the log was folded".to_owned();
            return Err(StoreError::Unavailable { text }.into());
        }
        let seq = fresh.seq();
        Ok(Pending::until(fresh, live, seq))
    }

    /// The head that a log had after the record at this position, which is durable.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    pub fn head_at(&self, id: ExperimentId, seq: u64) -> Result<Head, ArenaError> {
        let head = self.noticed(self.store.head_at(id, seq))?;
        head.map_or_else(|| self.noticed(Err(StoreError::record(id, seq, "is missing"))), Ok)
    }

    /// Reads at most `most` records of an experiment's log, after a log position.
    ///
    /// # Errors
    ///
    /// If the experiment does not exist, or its log cannot be read.
    pub fn history(&self, id: ExperimentId, after: u64, most: usize) -> Result<Vec<Record>, ArenaError> {
        let mut end = u64::MAX;
        if id != ExperimentId::ARENA
            && let Err(error) = self.live(id)
        {
            // The sound part of a damaged log can be read.
            end = self.sound(id).ok_or(error)?;
        }
        let mut records = Vec::new();
        if most > 0 && after < end {
            self.noticed(self.store.read(id, after, &mut |record| {
                let is_last = record.seq >= end;
                records.push(record);
                records.len() < most && !is_last
            }))?;
        }
        self.noticed(self.store.reveal(&mut records))?;
        Ok(records)
    }

    /// Reports how far an experiment's log is durable, now and at every change.
    ///
    /// # Errors
    ///
    /// If the experiment does not exist.
    pub fn watch(&self, id: ExperimentId) -> Result<tokio::sync::watch::Receiver<Progress>, ArenaError> {
        Ok(self.live(id)?.progress.subscribe())
    }

    fn live(&self, id: ExperimentId) -> Result<Arc<LiveExperiment>, ArenaError> {
        read(&self.experiments).get(&id).cloned().ok_or_else(|| self.not_live(id))
    }

    /// Whether a request to this experiment will be decided at once: nobody holds its lock for
    /// long, and its log need not be folded again.
    pub fn is_ready(&self, id: ExperimentId) -> bool {
        self.live(id).map_or(true, |live| live.is_ready())
    }

    /// Whether the store can be written now, as far as is known.
    ///
    /// # Errors
    ///
    /// What failed.
    pub fn health(&self) -> Result<(), StoreError> {
        self.store.health()
    }

    /// How often a write-ahead log could not be moved into its database.
    pub fn n_checkpoint_failures(&self) -> u64 {
        self.store.n_checkpoint_failures()
    }

    /// Whether so many writes wait for the store that the arena accepts no more.
    pub fn is_overloaded(&self) -> bool {
        self.n_waiting() >= self.most_waiting
    }

    fn check_load(&self) -> Result<(), ArenaError> {
        if self.is_overloaded() { Err(ArenaError::Overloaded) } else { Ok(()) }
    }

    /// Locks an experiment to decide on a request, at the time `LiveState::now`. Extends the duels
    /// in flight first if time was skipped, so that no request sees them as expired.
    fn lock<'a>(&self, live: &'a Arc<LiveExperiment>) -> Result<MutexGuard<'a, LiveState>, ArenaError> {
        let mut state = self.look(live)?;
        let Reading { now, skipped } = self.clock.read();
        state.now = now;
        if skipped > state.skipped {
            // If a write fails, a duel that the tail closes is in flight again.
            if state.folded.n_in_flight() > 0 || !state.tail.is_empty() {
                let by = skipped.abs_diff(state.skipped);
                drop(self.record(live, &mut state, vec![Event::Extended(Extended { by })])?);
            }
            state.skipped = skipped;
        }
        Ok(state)
    }

    /// Locks an experiment, and renews its state if necessary. This records nothing.
    fn look<'a>(&self, live: &'a LiveExperiment) -> Result<MutexGuard<'a, LiveState>, ArenaError> {
        let mut state = live.state.lock().unwrap_or_else(|poisoned| {
            // A thread that panicked may have left a change half done.
            live.state.clear_poison();
            live.fail();
            poisoned.into_inner()
        });
        state.forget_durable(live.progress.borrow().durable);
        if live.is_stale() {
            let _busy = live.busy();
            self.renew(live, &mut state)?;
        }
        Ok(state)
    }

    /// Folds the log again after a failed write, because the state in memory is ahead of the log.
    fn renew(&self, live: &LiveExperiment, state: &mut LiveState) -> Result<(), ArenaError> {
        let epoch = live.progress.borrow().epoch;
        let Some(loaded) = self.noticed(load(&*self.store, state.folded.id()))? else {
            // Not even its creation was stored.
            self.experiments.write().unwrap_or_else(PoisonError::into_inner).remove(&state.folded.id());
            return Err(Refusal::NoExperiment.into());
        };
        let Loaded { experiment, head, snapshot } = loaded;
        let lost = state.tail.iter().filter(|record| record.seq > head.seq);
        let lost = lost.fold(0_i64, |sum, record| match record.event {
            Event::Extended(Extended { by }) => sum.saturating_add_unsigned(by),
            _ => sum,
        });
        let reading = Reading { now: state.now, skipped: state.skipped.saturating_sub(lost) };
        live.renew(state, LiveState::new(experiment, snapshot, reading), epoch, head);
        Ok(())
    }

    /// Folds events into the state, and queues them for the store.
    fn record(
        &self,
        live: &Arc<LiveExperiment>,
        state: &mut LiveState,
        events: Vec<Event>,
    ) -> Result<pending::Receiver, ArenaError> {
        let mut records = Vec::with_capacity(events.len());
        let mut events = events.into_iter();
        while let Some(event) = events.next().or_else(|| state.folded.stop()) {
            let record = state.folded.next(state.now, event);
            let closed = record.event.duel().and_then(|place| state.folded.at(place));
            if let Err(error) = state.folded.fold(&record) {
                // The state may include only a part of the events; renew it from the log.
                live.fail();
                return Err(error.into());
            }
            state.recent.note(&record, closed);
            records.push(record);
        }
        Ok(self.enqueue(live, state, records))
    }

    /// Queues records that the state includes already.
    fn enqueue(
        &self,
        live: &Arc<LiveExperiment>,
        state: &mut LiveState,
        records: Vec<Record>,
    ) -> pending::Receiver {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        state.since_snapshot += records.len() as u64;
        for record in &records {
            state.recent.note_request(record);
        }
        state.tail.extend(records.iter().cloned());
        let batch = Batch { live: Arc::clone(live), epoch: live.epoch(), records, done: sender };
        self.queue.send(Item::Write(batch));
        state.ask_to_relearn(live, &self.queue);
        if state.since_snapshot >= self.snapshot_every && !state.folded.must_relearn() {
            state.ask_for_snapshot(live, state.now, &self.queue);
        }
        receiver
    }
}

/// A fingerprint of an experiment's whole state.
pub fn digest(experiment: &Experiment) -> String {
    fingerprint(experiment.save())
}

fn fingerprint(saved: SavedExperiment) -> String {
    let mut hash = Hashed(Sha256::new());
    serde_json::to_writer(&mut hash, &saved.for_digest()).expect("a state is plain data");
    crate::key::hex(&hash.0.finalize())
}

/// Hashes what is written to it. The text of a large state need not fit into the memory.
struct Hashed(Sha256);

impl io::Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Stores a snapshot of an experiment, all of whose records are durable.
fn keep_snapshot(store: &dyn Store, experiment: Experiment, at: Time) -> Result<(), StoreError> {
    let (id, seq) = (experiment.id(), experiment.seq());
    let head = store.head_at(id, seq)?.ok_or_else(|| StoreError::record(id, seq, "is missing"))?;
    let saved = experiment.into_saved();
    store.keep_snapshot(SnapshotOf { experiment: id, head, at }, &mut |out| {
        Ok(serde_json::to_writer(out, &saved)?)
    })
}

/// Ignores poisoning: a thread that panicked with one of these locks left plain data behind.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// The number of queued writes, shared by both ends of the queue.
type Waiting = Arc<AtomicUsize>;
