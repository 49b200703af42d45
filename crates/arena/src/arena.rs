//! The arena: experiments that are live, in one process.
//!
//! A request locks its experiment, is decided from the state, and changes the state at once; the
//! records go to the writer's queue under the same lock, so that the log has them in the order in
//! which they were folded. Whoever asked is answered when the records are durable. If they cannot
//! be made durable, the state in memory is thrown away and the log is folded anew.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use rand::rngs::{ChaCha8Rng, ChaCha12Rng};
use rand::{RngExt, SeedableRng};
use sha2::{Digest, Sha256};

use crate::domain::{Create, DrawnDuel, Event, Experiment, FoldError, Kind, NewArm, Record, Refusal, Status};
use crate::id::{DuelId, ExperimentId};
use crate::store::{Snapshot, Store, StoreError};
use crate::time::{Clock, SystemClock, Time};

mod ballots;
mod duels;
mod evaluate;
mod imports;
mod interleave;
mod keyring;
mod keys;
mod live;
mod load;
mod pending;
mod recent;
mod slates;
mod writer;

pub use ballots::BallotPages;
pub use imports::Import;
pub use interleave::{RankerDuel, RankerDuelHistory};
pub use live::Progress;
pub use load::{LoadError, load, load_from_start};
pub use pending::Pending;
pub use slates::SlateDuel;
pub use writer::{Appended, StopWriter, Writer};

use keyring::Keyring;
use live::{LiveExperiment, LiveState};
use writer::{Batch, Item, Queue};

/// The most duels that expire at once: a lock is not held for longer than that takes.
const SWEEP: usize = 1000;

/// Experiments that are live.
pub struct Arena {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    queue: Queue,
    /// The most writes that may wait for the store.
    most_waiting: usize,
    /// After so many records of an experiment its state is kept.
    snapshot_every: u64,
    /// All experiments. Read for each request; written when one is made.
    experiments: RwLock<BTreeMap<ExperimentId, Arc<LiveExperiment>>>,
    /// Keys. Read for each request, for as long as a look-up takes.
    keys: RwLock<Keyring>,
    /// The log of keys; locked while a key is made or revoked, until that is durable.
    keys_lock: Mutex<()>,
    /// Unpredictable randomness; locked for some words.
    entropy: Mutex<ChaCha12Rng>,
}

impl core::fmt::Debug for Arena {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Arena({} experiments)", read(&self.experiments).len())
    }
}

/// Why something was not done.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ArenaError {
    /// It is refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The store failed. What was asked for may or may not have been done: ask again.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Too much waits for the store.
    #[error("too many requests wait for the store")]
    Overloaded,
    /// A log cannot be folded.
    #[error(transparent)]
    Fold(#[from] FoldError),
}

impl From<LoadError> for ArenaError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Store(error) => Self::Store(error),
            LoadError::Fold(error) => Self::Fold(error),
        }
    }
}

/// A duel as it is handed out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duel {
    /// Its id.
    pub id: DuelId,
    /// What was drawn, and how it is shown.
    pub drawn: DrawnDuel,
}

/// Whether something was done now or before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// Now.
    Recorded,
    /// Before.
    Already,
}

/// What the arena needs besides a store.
pub struct Options {
    /// What tells the time.
    pub clock: Arc<dyn Clock>,
    /// What randomness is made from: 32 bytes that nobody can guess.
    pub entropy: [u8; 32],
    /// The most writes that may wait for the store.
    pub most_waiting: usize,
    /// After so many records of an experiment its state is kept, so that a start need not fold more
    /// than these.
    pub snapshot_every: u64,
}

impl Options {
    /// The machine's clock, and what is usual.
    pub fn new(entropy: [u8; 32]) -> Self {
        Self { clock: Arc::new(SystemClock), entropy, most_waiting: 10_000, snapshot_every: 100_000 }
    }
}

impl Arena {
    /// Opens all experiments of a store. The writer that comes with it has to be run: on a thread
    /// of its own ([`Writer::run`]), or step by step.
    ///
    /// # Errors
    ///
    /// If a log cannot be read or folded.
    pub fn open(store: Arc<dyn Store>, options: Options) -> Result<(Arc<Self>, Writer), LoadError> {
        let keys = load::keyring(&*store)?;
        let mut experiments = BTreeMap::new();
        for id in store.experiments()? {
            if let Some(experiment) = load(&*store, id)? {
                experiments.insert(id, Arc::new(LiveExperiment::new(experiment)));
            }
        }
        let (queue, writer) = Writer::new(Arc::clone(&store));
        let arena = Self {
            store,
            clock: options.clock,
            queue,
            most_waiting: options.most_waiting,
            snapshot_every: options.snapshot_every,
            experiments: RwLock::new(experiments),
            keys: RwLock::new(keys),
            keys_lock: Mutex::default(),
            entropy: Mutex::new(ChaCha12Rng::from_seed(options.entropy)),
        };
        Ok((Arc::new(arena), writer))
    }

    /// Now.
    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// A generator of its own for each request, so that nobody waits for another's draws.
    fn rng(&self) -> ChaCha8Rng {
        ChaCha8Rng::from_seed(lock(&self.entropy).random())
    }

    /// How many writes wait for the store.
    pub fn n_waiting(&self) -> usize {
        self.queue.waiting.load(Ordering::Relaxed)
    }

    /// Makes an experiment.
    ///
    /// # Errors
    ///
    /// If it is refused or cannot be kept.
    pub fn create(&self, request: Create) -> Result<Pending<ExperimentId>, ArenaError> {
        self.check_load()?;
        let mut rng = self.rng();
        let event = Experiment::create(request, &mut rng)?;
        let id = ExperimentId::from_random(rng.random());
        let record = Record { experiment: id, seq: 1, at: self.now(), event };
        let live = Arc::new(LiveExperiment::new(Experiment::begin(&record)?));
        // Not durable yet, whatever a live made from a log would say.
        live.progress.send_modify(|progress| progress.durable = 0);
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
    /// If that is refused or cannot be kept.
    pub fn change(&self, id: ExperimentId, status: Status) -> Result<Pending<Done>, ArenaError> {
        self.check_load()?;
        let live = self.live(id)?;
        let mut state = self.lock(&live)?;
        let Some(event) = state.folded.change(status)? else {
            let last = state.folded.seq();
            return Ok(Pending::until(Done::Already, &live, last, state.epoch));
        };
        let done = self.record(&live, &mut state, vec![event], self.now())?;
        Ok(Pending::write(Done::Recorded, done))
    }

    /// Brings arms in.
    ///
    /// # Errors
    ///
    /// If they are refused or cannot be kept.
    pub fn add_arms(&self, id: ExperimentId, arms: Vec<NewArm>) -> Result<Pending<()>, ArenaError> {
        self.by_event(id, |experiment| experiment.add_arms(arms))
    }

    /// Retires an arm.
    ///
    /// # Errors
    ///
    /// If that is refused or cannot be kept.
    pub fn retire_arm(&self, id: ExperimentId, name: &str) -> Result<Pending<()>, ArenaError> {
        self.by_event(id, |experiment| experiment.retire_arm(name))
    }

    /// Brings a retired arm back.
    ///
    /// # Errors
    ///
    /// If that is refused or cannot be kept.
    pub fn restore_arm(&self, id: ExperimentId, name: &str) -> Result<Pending<()>, ArenaError> {
        self.by_event(id, |experiment| experiment.restore_arm(name))
    }

    /// Lets another policy learn from every answer.
    ///
    /// # Errors
    ///
    /// If that is refused or cannot be kept.
    pub fn begin_apprentice(&self, id: ExperimentId, policy: &str) -> Result<Pending<()>, ArenaError> {
        let mut rng = self.rng();
        self.by_event(id, |experiment| experiment.begin_apprentice(policy, &mut rng))
    }

    /// Sends the apprentice away.
    ///
    /// # Errors
    ///
    /// If there is none, or that cannot be kept.
    pub fn dismiss_apprentice(&self, id: ExperimentId) -> Result<Pending<()>, ArenaError> {
        self.by_event(id, Experiment::dismiss_apprentice)
    }

    /// Lets the apprentice draw the duels from now on.
    ///
    /// # Errors
    ///
    /// If there is none, or that cannot be kept.
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
        let done = self.record(&live, &mut state, vec![event], self.now())?;
        Ok(Pending::write((), done))
    }

    /// Expires duels whose time is over, some of each experiment. How many they were.
    ///
    /// # Errors
    ///
    /// If a state cannot be renewed. The other experiments were swept all the same.
    pub fn sweep(&self) -> Result<usize, ArenaError> {
        let experiments: Vec<_> = read(&self.experiments).values().cloned().collect();
        let mut swept = Ok(0);
        for live in experiments {
            match self.sweep_one(&live) {
                Ok(more) => swept = swept.map(|swept| swept + more),
                // It is gone: not even its making was kept.
                Err(ArenaError::Refused(Refusal::NoExperiment)) => {}
                Err(error) => swept = swept.and(Err(error)),
            }
        }
        swept
    }

    fn sweep_one(&self, live: &Arc<LiveExperiment>) -> Result<usize, ArenaError> {
        let mut state = self.lock(live)?;
        let now = self.now();
        let events = state.folded.expire(now, SWEEP);
        let n_events = events.len();
        if n_events > 0 {
            drop(self.record(live, &mut state, events, now)?);
        }
        Ok(n_events)
    }

    /// Keeps the state of every experiment that has changed since its last snapshot. Those that
    /// wait for the store are kept after it.
    pub fn snapshot_all(&self) {
        let experiments: Vec<_> = read(&self.experiments).values().cloned().collect();
        for live in experiments {
            if let Ok(mut state) = self.lock(&live)
                && state.since_snapshot > 0
            {
                self.snapshot(&live, &mut state);
            }
        }
    }

    /// All experiments, oldest first by id.
    pub fn experiments(&self) -> Vec<ExperimentId> {
        let experiments = read(&self.experiments);
        experiments.iter().filter(|(_, live)| live.progress.borrow().durable > 0).map(|(&id, _)| id).collect()
    }

    /// Looks at an experiment. Its lock is held meanwhile.
    ///
    /// # Errors
    ///
    /// If there is no such experiment or its state cannot be renewed.
    pub fn view<T>(&self, id: ExperimentId, look: impl FnOnce(&Experiment) -> T) -> Result<T, ArenaError> {
        let live = self.live(id)?;
        let state = self.lock(&live)?;
        Ok(look(&state.folded))
    }

    /// A fingerprint of an experiment's whole state, and the last log position that is in it. Two
    /// processes that folded the same log have the same.
    ///
    /// # Errors
    ///
    /// If there is no such experiment or its state cannot be renewed.
    pub fn digest(&self, id: ExperimentId) -> Result<(u64, String), ArenaError> {
        let copy = self.view(id, Experiment::clone)?;
        Ok((copy.seq(), digest(&copy)))
    }

    /// Reads some records of an experiment's log, after a log position.
    ///
    /// # Errors
    ///
    /// If there is no such experiment, or its log cannot be read.
    pub fn history(&self, id: ExperimentId, after: u64, most: usize) -> Result<Vec<Record>, ArenaError> {
        if id != ExperimentId::ARENA {
            self.live(id)?;
        }
        let mut records = Vec::new();
        if most > 0 {
            self.store.read(id, after, &mut |record| {
                records.push(record);
                records.len() < most
            })?;
        }
        Ok(records)
    }

    /// Tells how far an experiment's log is durable, now and whenever that changes.
    ///
    /// # Errors
    ///
    /// If there is no such experiment.
    pub fn watch(&self, id: ExperimentId) -> Result<tokio::sync::watch::Receiver<Progress>, ArenaError> {
        Ok(self.live(id)?.progress.subscribe())
    }

    fn live(&self, id: ExperimentId) -> Result<Arc<LiveExperiment>, ArenaError> {
        Ok(read(&self.experiments).get(&id).cloned().ok_or(Refusal::NoExperiment)?)
    }

    /// Whether a request to that experiment will be decided at once: nobody holds it for long, and
    /// its log need not be folded anew.
    pub fn is_ready(&self, id: ExperimentId) -> bool {
        let Ok(live) = self.live(id) else { return true };
        match live.state.try_lock() {
            Ok(state) => !live.is_stale(&state) && !state.folded.must_relearn(),
            // Whoever has it gives it back in microseconds, unless it is said to take longer.
            Err(_) => !live.busy.load(Ordering::Relaxed),
        }
    }

    /// Whether so much waits for the store that nothing more is taken.
    pub fn is_overloaded(&self) -> bool {
        self.n_waiting() >= self.most_waiting
    }

    fn check_load(&self) -> Result<(), ArenaError> {
        if self.is_overloaded() { Err(ArenaError::Overloaded) } else { Ok(()) }
    }

    /// Locks an experiment, and renews its state if that is needed.
    fn lock<'a>(&self, live: &'a LiveExperiment) -> Result<MutexGuard<'a, LiveState>, ArenaError> {
        let mut state = live.state.lock().unwrap_or_else(|poisoned| {
            // Whoever panicked may have left half a change behind.
            live.state.clear_poison();
            live.fail();
            poisoned.into_inner()
        });
        state.forget_durable(live.progress.borrow().durable);
        if live.is_stale(&state) || state.folded.must_relearn() {
            live.busy.store(true, Ordering::Relaxed);
            let renewed = if live.is_stale(&state) {
                self.renew(live, &mut state)
            } else {
                self.relearn(live, &mut state)
            };
            live.busy.store(false, Ordering::Relaxed);
            renewed?;
        }
        Ok(state)
    }

    /// A write failed: what is in memory goes further than the log. The log is folded anew.
    fn renew(&self, live: &LiveExperiment, state: &mut LiveState) -> Result<(), ArenaError> {
        let epoch = live.progress.borrow().epoch;
        let Some(experiment) = load(&*self.store, state.folded.id())? else {
            // Not even its making was kept.
            self.experiments.write().unwrap_or_else(PoisonError::into_inner).remove(&state.folded.id());
            return Err(Refusal::NoExperiment.into());
        };
        let seq = experiment.seq();
        *state = LiveState::new(experiment);
        state.epoch = epoch;
        live.progress.send_modify(|progress| progress.durable = seq);
        Ok(())
    }

    /// An answer was voided that the policy cannot take back: the log is folded anew without it,
    /// and what is not durable yet on top.
    fn relearn(&self, live: &LiveExperiment, state: &mut LiveState) -> Result<(), ArenaError> {
        let voided_in_tail =
            state.tail.iter().any(|record| matches!(record.event.kind(), Kind::Voided | Kind::ImportVoided));
        if voided_in_tail {
            // Only what is durable can be folded anew; the policy is as it was until then.
            return Ok(());
        }
        let Some(mut experiment) = load(&*self.store, state.folded.id())? else {
            return Err(Refusal::NoExperiment.into());
        };
        for record in &state.tail {
            if record.seq > experiment.seq() {
                experiment.fold(record)?;
            }
        }
        debug_assert_eq!(experiment.seq(), state.folded.seq(), "store and tail hold it all");
        state.folded = experiment;
        debug_assert!(!live.is_stale(state), "only the writer makes a state stale");
        Ok(())
    }

    /// Folds events in and sends them to the store.
    fn record(
        &self,
        live: &Arc<LiveExperiment>,
        state: &mut LiveState,
        events: Vec<Event>,
        now: Time,
    ) -> Result<pending::Receiver, ArenaError> {
        let mut records = Vec::with_capacity(events.len());
        let mut events = events.into_iter();
        while let Some(event) = events.next().or_else(|| state.folded.stop()) {
            let record = state.folded.next(now, event);
            let closed = record.event.duel().and_then(|place| state.folded.at(place));
            if let Err(error) = state.folded.fold(&record) {
                // Half of it may be folded in: the log is the truth.
                live.fail();
                return Err(error.into());
            }
            state.recent.note(&record, closed);
            records.push(record);
        }
        Ok(self.enqueue(live, state, records))
    }

    /// Sends records that are folded in to the store.
    fn enqueue(
        &self,
        live: &Arc<LiveExperiment>,
        state: &mut LiveState,
        records: Vec<Record>,
    ) -> pending::Receiver {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        state.since_snapshot += records.len() as u64;
        for record in &records {
            state.recent.note_client(record);
        }
        state.tail.extend(records.iter().cloned());
        let last = state.folded.seq();
        self.queue.send(Item::Write(Batch {
            live: Arc::clone(live),
            epoch: state.epoch,
            records,
            last,
            done: sender,
        }));
        if state.since_snapshot >= self.snapshot_every {
            self.snapshot(live, state);
        }
        receiver
    }

    fn snapshot(&self, live: &Arc<LiveExperiment>, state: &mut LiveState) {
        if state.folded.must_relearn() {
            return;
        }
        state.since_snapshot = 0;
        let copy = Box::new(state.folded.clone());
        self.queue.send(Item::Snapshot { live: Arc::clone(live), epoch: state.epoch, copy, at: self.now() });
    }
}

/// A fingerprint of an experiment's whole state.
pub fn digest(experiment: &Experiment) -> String {
    let state = serde_json::to_vec(&experiment.save().for_digest()).expect("a state is plain data");
    crate::key::hex(&Sha256::digest(state))
}

/// The snapshot of an experiment.
fn snapshot_of(experiment: &Experiment, at: Time) -> Snapshot {
    let state = serde_json::to_string(&experiment.save()).expect("a state is plain data");
    Snapshot { experiment: experiment.id(), seq: experiment.seq(), at, state }
}

/// A thread that panicked while it held a lock of ours has left plain data behind.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// How many items a queue holds, shared by both ends.
type Waiting = Arc<AtomicUsize>;
