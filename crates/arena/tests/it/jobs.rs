//! Work that takes long is done on a thread of its own, while requests are answered.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use tiltyard_arena::arena::{Duel, Pending, StopWriter, digest, load_from_start};
use tiltyard_arena::domain::{Answer, Contents, Experiment, Head, IssueRequest, Kind, Record, VoidReason};
use tiltyard_arena::id::ExperimentId;
use tiltyard_arena::store::{Append, SnapshotOf, Store, StoreError, StoredRecord, WriteState};
use tiltyard_arena::time::Time;
use tiltyard_arena::{Arena, ArenaError};

use crate::sim_store::{Faults, SimStore};
use crate::support::{Desk, HandClock, open, plain, request};

/// A gate that stops threads while it is closed.
#[derive(Debug, Default)]
struct Gate {
    /// Whether it is closed, and how many threads wait.
    state: Mutex<(bool, usize)>,
    opened: Condvar,
}

impl Gate {
    fn close(&self) {
        self.state.lock().expect("no panic").0 = true;
    }

    fn open(&self) {
        self.state.lock().expect("no panic").0 = false;
        self.opened.notify_all();
    }

    fn pass(&self) {
        let mut state = self.state.lock().expect("no panic");
        state.1 += 1;
        let mut state = self.opened.wait_while(state, |(closed, _)| *closed).expect("no panic");
        state.1 -= 1;
    }

    fn n_waiting(&self) -> usize {
        self.state.lock().expect("no panic").1
    }
}

/// A store whose reads and snapshots can be stopped.
#[derive(Debug)]
struct Gated {
    store: SimStore,
    reads: Gate,
    snapshots: Gate,
}

impl Store for Gated {
    fn append(&self, logs: &[Append]) -> Vec<Result<Head, StoreError>> {
        self.store.append(logs)
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
        self.reads.pass();
        self.store.read_stored(experiment, after, visit)
    }

    fn head_at(&self, experiment: ExperimentId, seq: u64) -> Result<Option<Head>, StoreError> {
        self.store.head_at(experiment, seq)
    }

    fn check(&self, experiment: ExperimentId) -> Result<Head, StoreError> {
        self.store.check(experiment)
    }

    fn duel(&self, experiment: ExperimentId, seq: u64) -> Result<Vec<Record>, StoreError> {
        self.store.duel(experiment, seq)
    }

    fn duels_with(&self, experiment: ExperimentId, kind: Kind) -> Result<Vec<u64>, StoreError> {
        self.store.duels_with(experiment, kind)
    }

    fn client(&self, experiment: ExperimentId, client: &str) -> Result<Option<u64>, StoreError> {
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
        self.snapshots.pass();
        self.store.keep_snapshot(of, write)
    }

    fn snapshots(&self, experiment: ExperimentId) -> Result<Vec<u64>, StoreError> {
        self.store.snapshots(experiment)
    }

    fn snapshot(&self, experiment: ExperimentId, seq: u64) -> Result<(SnapshotOf, Vec<u8>), StoreError> {
        self.store.snapshot(experiment, seq)
    }

    fn mark_time(&self, now: Time) -> Result<(), StoreError> {
        self.store.mark_time(now)
    }

    fn last_time(&self) -> Result<Option<Time>, StoreError> {
        self.store.last_time()
    }
}

/// An arena with a writer that runs on its own thread.
struct Running {
    arena: Arc<Arena>,
    store: Arc<Gated>,
    stop: StopWriter,
    writing: JoinHandle<()>,
}

impl Running {
    fn start() -> Self {
        let store =
            Arc::new(Gated { store: SimStore::new(), reads: Gate::default(), snapshots: Gate::default() });
        let (arena, writer) = open(Arc::<Gated>::clone(&store), &HandClock::new(), 1).expect("it is empty");
        let stop = writer.stopper();
        Self { arena, store, stop, writing: std::thread::spawn(|| writer.run()) }
    }

    fn create(&self, policy: &str) -> ExperimentId {
        done(self.arena.create(request(policy, 4, |settings| settings.horizon = Some(500))))
    }

    /// Issues duels and answers them.
    fn play(&self, trial: ExperimentId, count: u32) -> Vec<Duel> {
        let duels = done(self.arena.issue(trial, &IssueRequest { count, ..IssueRequest::default() }));
        for duel in &duels {
            done(self.arena.answer(duel.id, &plain(Answer::Left)));
        }
        duels
    }

    fn view<T>(&self, trial: ExperimentId, look: impl FnOnce(&Experiment) -> T) -> T {
        done(self.arena.view(trial, look))
    }

    fn void(&self, duel: &Duel) {
        done(self.arena.void(duel.id, VoidReason::Asked));
    }

    fn stop(self) -> Arc<Gated> {
        self.stop.stop();
        self.writing.join().expect("it writes to the end");
        self.store
    }
}

/// Waits until the result is durable.
fn done<T>(pending: Result<Pending<T>, ArenaError>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime in this thread");
    runtime.block_on(pending.expect("it is a sound request").wait()).expect("nothing fails")
}

/// Waits until this holds. It is not a test of speed: the patience only ends tests that hang.
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..60_000 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("{what}: it takes too long");
}

#[test]
fn trace_a_log_is_folded_anew_while_requests_are_answered() {
    let running = Running::start();
    let (trial, other) = (running.create("btm"), running.create("rex3"));
    let duels = running.play(trial, 40);
    assert_eq!(running.view(trial, |experiment| experiment.totals().votes), 40);
    let reads = &running.store.reads;
    reads.close();
    running.void(&duels[3]);
    wait_until("the fold begins", || reads.n_waiting() == 1);
    // The policy still knows the answer. The counts do not, and everything goes on.
    let seen = |experiment: &Experiment| (experiment.totals().votes, experiment.must_relearn());
    assert_eq!(running.view(trial, seen), (39, true));
    running.play(trial, 5);
    running.void(&duels[7]);
    running.play(other, 5);
    assert_eq!(running.view(trial, seen), (43, true));
    assert!(running.arena.is_ready(trial) && running.arena.is_ready(other));
    // The digest is of the log alone, so it has to wait.
    let asked = std::thread::spawn({
        let arena = Arc::clone(&running.arena);
        move || done(arena.digest(trial))
    });
    wait_until("the digest folds the log as well", || reads.n_waiting() == 2);
    reads.open();
    let told = asked.join().expect("it gets a digest");
    wait_until("the answers are forgotten", || !running.view(trial, Experiment::must_relearn));
    assert_eq!(running.view(trial, seen), (43, false));
    assert_eq!(done(running.arena.digest(trial)), told);
    let store = running.stop();
    let whole = load_from_start(&*store, trial).expect("it folds").expect("it is there");
    assert_eq!((whole.head.seq, digest(&whole.experiment)), told);
}

#[test]
fn trace_a_log_that_cannot_be_folded_anew_is_folded_after_the_next_sweep() {
    let store = Arc::new(SimStore::new());
    let desk = Desk::new(Arc::<SimStore>::clone(&store), 1);
    let trial = desk.create("btm", 4, |settings| settings.horizon = Some(500));
    let duels = desk.done(desk.arena.issue(trial, &IssueRequest { count: 9, ..IssueRequest::default() }));
    let duels = duels.expect("it runs");
    for duel in &duels[..8] {
        desk.done(desk.arena.answer(duel.id, &plain(Answer::Left))).expect("it is in flight");
    }
    let void = |duel: &Duel| desk.done(desk.arena.void(duel.id, VoidReason::Asked));
    let seen = || desk.arena.peek(trial, |state| (state.totals().votes, state.must_relearn()));
    store.set_faults(Faults { read: 1.0, ..Faults::default() });
    void(&duels[3]).expect("it can be written");
    assert_eq!(seen(), Ok((7, true)));
    assert!(matches!(desk.digest(trial), Err(ArenaError::Store(_))), "it depends on the log alone");
    store.set_faults(Faults::default());
    // Another write does not ask again, so that a store that fails is not asked without end.
    desk.done(desk.arena.answer(duels[8].id, &plain(Answer::Left))).expect("it is in flight");
    assert_eq!(seen(), Ok((8, true)));
    let told = desk.digest(trial).expect("the log can be read");
    assert_eq!(desk.arena.sweep(), Ok(0));
    desk.settle();
    assert_eq!(seen(), Ok((8, false)));
    assert_eq!(desk.digest(trial), Ok(told));
    // A void that failed changes nothing.
    store.set_faults(Faults { before: 1.0, ..Faults::default() });
    assert!(matches!(void(&duels[5]), Err(ArenaError::Store(_))));
    store.set_faults(Faults::default());
    assert_eq!(seen(), Ok((8, false)));
}

/// The log positions of the snapshots of an experiment, newest first.
fn snapshots(store: &dyn Store, trial: ExperimentId) -> Vec<u64> {
    store.snapshots(trial).expect("they can be read")
}

#[test]
fn trace_one_copy_of_a_state_at_a_time() {
    let running = Running::start();
    let (one, other) = (running.create("rex3"), running.create("rex3"));
    let kept = &running.store.snapshots;
    kept.close();
    // A snapshot is due after 200 records: 100 duels with their answers.
    running.play(one, 100);
    wait_until("a snapshot is made", || kept.n_waiting() == 1);
    running.play(other, 100);
    let digest = std::thread::spawn({
        let arena = Arc::clone(&running.arena);
        move || done(arena.digest(other))
    });
    // Requests are answered, but there is no other copy.
    running.play(one, 150);
    assert_eq!(kept.n_waiting(), 1);
    assert!(!digest.is_finished());
    assert!(snapshots(&*running.store, one).is_empty() && snapshots(&*running.store, other).is_empty());
    kept.open();
    assert_eq!(digest.join().expect("it gets a digest").0, 201);
    wait_until("the snapshot that was due as well", || !snapshots(&*running.store, other).is_empty());
    // The records since the copy were counted: another one is due.
    running.play(one, 1);
    wait_until("the next snapshot", || snapshots(&*running.store, one).len() == 2);
    running.stop();
}

#[test]
fn trace_a_writer_that_is_stopped_finishes_its_jobs() {
    let running = Running::start();
    let trials = [running.create("rex3"), running.create("btm")];
    let duels = trials.map(|trial| running.play(trial, 10));
    let store = Arc::clone(&running.store);
    store.reads.close();
    store.snapshots.close();
    running.void(&duels[1][3]);
    running.arena.snapshot_all();
    wait_until("the log is folded anew", || store.reads.n_waiting() == 1);
    let stopped = std::thread::spawn(move || running.stop());
    store.reads.open();
    store.snapshots.open();
    stopped.join().expect("it stops");
    assert_eq!(trials.map(|trial| snapshots(&*store, trial)), [[21], [22]]);
}

#[test]
fn trace_records_since_the_last_snapshot_are_counted_across_restarts() {
    let desk = Desk::new(Arc::new(SimStore::new()), 1);
    let trial = desk.create("rex3", 3, |_| {});
    // A snapshot is due after 200 records. The log has 1 record already.
    let write = |desk: &Desk, count| {
        drop(desk.done(desk.arena.issue(trial, &IssueRequest { count, ..IssueRequest::default() })));
    };
    write(&desk, 120);
    let desk = desk.restarted(2);
    write(&desk, 78);
    assert!(snapshots(&*desk.store, trial).is_empty());
    write(&desk, 1);
    assert_eq!(snapshots(&*desk.store, trial), [200]);
    write(&desk, 150);
    let desk = desk.restarted(3);
    write(&desk, 49);
    assert_eq!(snapshots(&*desk.store, trial), [200]);
    write(&desk, 1);
    assert_eq!(snapshots(&*desk.store, trial), [400, 200]);
}
