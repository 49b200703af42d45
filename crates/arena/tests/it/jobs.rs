//! Work that takes long is done on a thread of its own, while requests are answered.

use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use tiltyard_arena::arena::{Duel, Pending, StopWriter, digest, load_from_start};
use tiltyard_arena::domain::{Answer, Experiment, IssueRequest, Kind, Record, VoidReason};
use tiltyard_arena::id::ExperimentId;
use tiltyard_arena::store::{Snapshot, Store, StoreError};
use tiltyard_arena::{Arena, ArenaError};

use crate::sim_store::SimStore;
use crate::support::{HandClock, open, plain, request};

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

/// A store whose reads can be stopped.
#[derive(Debug)]
struct Gated {
    store: SimStore,
    reads: Gate,
}

impl Store for Gated {
    fn append(&self, records: &[Record]) -> Result<(), StoreError> {
        self.store.append(records)
    }

    fn experiments(&self) -> Result<Vec<ExperimentId>, StoreError> {
        self.store.experiments()
    }

    fn read(
        &self,
        experiment: ExperimentId,
        after: u64,
        visit: &mut dyn FnMut(Record) -> bool,
    ) -> Result<(), StoreError> {
        self.reads.pass();
        self.store.read(experiment, after, visit)
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

    fn keep_snapshot(&self, snapshot: &Snapshot) -> Result<(), StoreError> {
        self.store.keep_snapshot(snapshot)
    }

    fn snapshots(&self, experiment: ExperimentId) -> Result<Vec<Snapshot>, StoreError> {
        self.store.snapshots(experiment)
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
        let store = Arc::new(Gated { store: SimStore::new(), reads: Gate::default() });
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
    let told = asked.join().expect("it is told");
    wait_until("the answers are forgotten", || !running.view(trial, Experiment::must_relearn));
    assert_eq!(running.view(trial, seen), (43, false));
    assert_eq!(done(running.arena.digest(trial)), told);
    let store = running.stop();
    let whole = load_from_start(&*store, trial).expect("it folds").expect("it is there");
    assert_eq!((whole.seq(), digest(&whole)), told);
}
