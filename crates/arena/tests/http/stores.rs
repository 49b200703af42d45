//! Stores that are slow, fail or panic on demand.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use tiltyard_arena::domain::{Contents, Head, Kind, Record};
use tiltyard_arena::id::ExperimentId;
use tiltyard_arena::store::{Append, SnapshotOf, SqliteStore, Store, StoreError, StoredRecord, WriteState};
use tiltyard_arena::time::Time;

/// The troubles of a store, shared by the test and the store.
#[derive(Debug, Default)]
pub(crate) struct Trouble {
    /// The extra duration of an append, in milliseconds.
    pub(crate) slow: AtomicU64,
    /// Whether appends fail and write nothing.
    pub(crate) fails: AtomicBool,
    /// Whether appends report a failure although they wrote everything.
    pub(crate) lies: AtomicBool,
    /// If this is n > 0, the n-th read of a log and all later reads fail.
    pub(crate) reads_left: AtomicU64,
    /// Whether reading a log or looking up a client id panics.
    pub(crate) panics: AtomicBool,
    /// The last time that was stored; none if it is 0.
    pub(crate) marked: AtomicI64,
    /// Makes appends wait.
    appends: Gate,
    /// Makes reads of a log wait.
    pub(crate) reads: Gate,
}

impl Trouble {
    /// Makes appends wait.
    pub(crate) fn hold(&self) {
        self.appends.hold();
    }

    /// Lets appends continue.
    pub(crate) fn let_go(&self) {
        self.appends.let_go();
    }
}

/// Makes threads wait while it is held.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    /// Whether it is held, and how many threads wait.
    state: Mutex<(bool, usize)>,
    let_go: Condvar,
}

impl Gate {
    pub(crate) fn hold(&self) {
        self.state.lock().unwrap().0 = true;
    }

    pub(crate) fn let_go(&self) {
        self.state.lock().unwrap().0 = false;
        self.let_go.notify_all();
    }

    pub(crate) fn n_waiting(&self) -> usize {
        self.state.lock().unwrap().1
    }

    fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state.1 += 1;
        // A failed test never calls `let_go`; the thread must end anyway.
        let patience = Duration::from_mins(1);
        let waited = self.let_go.wait_timeout_while(state, patience, |(held, _)| *held);
        waited.unwrap().0.1 -= 1;
    }
}

/// A store with troubles.
#[derive(Debug)]
pub(crate) struct Troubled {
    store: Arc<SqliteStore>,
    trouble: Arc<Trouble>,
}

impl Troubled {
    pub(crate) fn wrap(trouble: &Arc<Trouble>) -> Box<dyn FnOnce(Arc<SqliteStore>) -> Arc<dyn Store>> {
        let trouble = Arc::clone(trouble);
        Box::new(move |store| Arc::new(Self { store, trouble }))
    }
}

impl Store for Troubled {
    fn append(&self, logs: &[Append]) -> Vec<Result<Head, StoreError>> {
        let trouble = &self.trouble;
        std::thread::sleep(Duration::from_millis(trouble.slow.load(Ordering::SeqCst)));
        trouble.appends.pass();
        let failure = || {
            let error = StoreError::Unavailable { text: "the test says so".to_owned() };
            logs.iter().map(|_| Err(error.clone())).collect()
        };
        if trouble.fails.load(Ordering::SeqCst) {
            return failure();
        }
        let results = self.store.append(logs);
        if trouble.lies.load(Ordering::SeqCst) { failure() } else { results }
    }

    fn experiments(&self) -> Result<Vec<ExperimentId>, StoreError> {
        self.store.experiments()
    }

    fn read_stored(
        &self,
        experiment: ExperimentId,
        after: u64,
        visit: &mut dyn FnMut(&StoredRecord<'_>) -> bool,
    ) -> Result<Option<Head>, StoreError> {
        assert!(!self.trouble.panics.load(Ordering::SeqCst), "the test says so");
        let count = |left: u64| (left > 1).then(|| left - 1);
        let counted = self.trouble.reads_left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, count);
        if counted == Err(1) {
            return Err(StoreError::Unavailable { text: "the test says so".to_owned() });
        }
        self.trouble.reads.pass();
        self.store.read_stored(experiment, after, visit)
    }

    fn head_at(&self, experiment: ExperimentId, seq: u64) -> Result<Option<Head>, StoreError> {
        self.store.head_at(experiment, seq)
    }

    fn check(&self, experiment: ExperimentId) -> Result<Head, StoreError> {
        self.store.check(experiment)
    }

    fn duel(&self, experiment: ExperimentId, place: u64) -> Result<Vec<Record>, StoreError> {
        self.store.duel(experiment, place)
    }

    fn duels_with(&self, experiment: ExperimentId, kind: Kind) -> Result<Vec<u64>, StoreError> {
        self.store.duels_with(experiment, kind)
    }

    fn client(&self, experiment: ExperimentId, client: &str) -> Result<Option<u64>, StoreError> {
        assert!(!self.trouble.panics.load(Ordering::SeqCst), "the test says so");
        self.store.client(experiment, client)
    }

    fn numbers(
        &self,
        experiment: ExperimentId,
        names: &BTreeSet<&str>,
    ) -> Result<BTreeMap<String, u64>, StoreError> {
        self.store.numbers(experiment, names)
    }

    fn names(
        &self,
        experiment: ExperimentId,
        numbers: &BTreeSet<u64>,
    ) -> Result<BTreeMap<u64, Option<String>>, StoreError> {
        self.store.names(experiment, numbers)
    }

    fn contents(
        &self,
        experiment: ExperimentId,
        records: &BTreeSet<u64>,
    ) -> Result<BTreeMap<u64, Option<Contents>>, StoreError> {
        self.store.contents(experiment, records)
    }

    fn keep_snapshot(&self, of: SnapshotOf, write: &mut WriteState<'_>) -> Result<(), StoreError> {
        self.store.keep_snapshot(of, write)
    }

    fn snapshots(&self, experiment: ExperimentId) -> Result<Vec<u64>, StoreError> {
        self.store.snapshots(experiment)
    }

    fn snapshot(&self, experiment: ExperimentId, seq: u64) -> Result<(SnapshotOf, Vec<u8>), StoreError> {
        self.store.snapshot(experiment, seq)
    }

    fn mark_time(&self, now: Time) -> Result<(), StoreError> {
        self.trouble.marked.store(now.0, Ordering::SeqCst);
        self.store.mark_time(now)
    }

    fn last_time(&self) -> Result<Option<Time>, StoreError> {
        self.store.last_time()
    }
}
