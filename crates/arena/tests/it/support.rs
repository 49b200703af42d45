//! Shared by several test modules: a clock that is set by hand, and an arena that is driven step by
//! step.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rand::rngs::ChaCha12Rng;
use rand::{RngExt, SeedableRng};
use tiltyard_arena::arena::{Options, Pending, Writer};
use tiltyard_arena::domain::{AnswerRequest, Create, Experiment, NewArm, Settings};
use tiltyard_arena::id::ExperimentId;
use tiltyard_arena::store::Store;
use tiltyard_arena::time::{Clock, Time};
use tiltyard_arena::{Arena, ArenaError, domain::Answer};

/// A second in microseconds, the unit of the clock.
pub(crate) const SECOND: i64 = 1_000_000;

/// A clock that moves only when a test moves it.
#[derive(Debug)]
pub(crate) struct HandClock {
    wall: AtomicI64,
    elapsed: AtomicI64,
}

impl HandClock {
    pub(crate) fn new() -> Arc<Self> {
        // A whole number of minutes, so that limits per minute are easy to check by hand.
        Arc::new(Self { wall: AtomicI64::new(1_800_000_000 * SECOND), elapsed: AtomicI64::new(0) })
    }

    /// Lets time pass.
    pub(crate) fn pass(&self, micros: i64) {
        assert!(micros >= 0, "time passes in one direction");
        self.elapsed.fetch_add(micros, Ordering::Relaxed);
        self.jump(micros);
    }

    /// Lets seconds pass.
    pub(crate) fn seconds(&self, seconds: i64) {
        self.pass(seconds * SECOND);
    }

    /// Sets the wall clock forward or back. No time passes.
    pub(crate) fn jump(&self, micros: i64) {
        self.wall.fetch_add(micros, Ordering::Relaxed);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Time {
        Time(self.wall.load(Ordering::Relaxed))
    }

    fn elapsed(&self) -> Duration {
        Duration::from_micros(self.elapsed.load(Ordering::Relaxed).unsigned_abs())
    }
}

/// Opens the experiments of a store. All draws depend on the seed alone.
pub(crate) fn open(
    store: Arc<dyn Store>,
    clock: &Arc<HandClock>,
    seed: u64,
) -> Result<(Arc<Arena>, Writer), tiltyard_arena::arena::LoadError> {
    let entropy = ChaCha12Rng::seed_from_u64(seed).random();
    let clock: Arc<dyn Clock> = Arc::<HandClock>::clone(clock);
    Arena::open(store, Options { clock, snapshot_every: 200, ..Options::new(entropy) })
}

/// A request to create an experiment with arms `a`, `b`, ...
pub(crate) fn request(policy: &str, n_arms: usize, change: impl FnOnce(&mut Settings)) -> Create {
    let mut settings = Settings::default_for(false);
    change(&mut settings);
    let arms = ('a'..='z').take(n_arms).map(|name| NewArm::named(name.to_string())).collect();
    Create { name: "trial".to_owned(), arms, policy: policy.to_owned(), settings, distinct_by_policy: true }
}

/// An answer without a voter.
pub(crate) fn plain(answer: Answer) -> AnswerRequest {
    AnswerRequest { answer, voter: None, said: None }
}

/// An arena that writes whenever a request waits for a write.
pub(crate) struct Desk {
    pub(crate) arena: Arc<Arena>,
    pub(crate) clock: Arc<HandClock>,
    pub(crate) store: Arc<dyn Store>,
    writer: Mutex<Writer>,
}

impl Desk {
    pub(crate) fn new(store: Arc<dyn Store>, seed: u64) -> Self {
        let clock = HandClock::new();
        let (arena, writer) = open(Arc::clone(&store), &clock, seed).expect("an empty store opens");
        Self { arena, clock, store, writer: Mutex::new(writer) }
    }

    /// Writes everything that is queued.
    pub(crate) fn settle(&self) {
        while self.writer.lock().expect("no test panics while it writes").step() {}
    }

    /// Writes, and returns the result of the request.
    pub(crate) fn done<T: core::fmt::Debug>(
        &self,
        pending: Result<Pending<T>, ArenaError>,
    ) -> Result<T, ArenaError> {
        let pending = pending?;
        self.settle();
        Ok(pending.poll()?.expect("everything in the queue was written"))
    }

    pub(crate) fn create(
        &self,
        policy: &str,
        n_arms: usize,
        change: impl FnOnce(&mut Settings),
    ) -> ExperimentId {
        self.done(self.arena.create(request(policy, n_arms, change))).expect("it is a sound request")
    }

    /// A copy of the experiment's state.
    pub(crate) fn state(&self, id: ExperimentId) -> Experiment {
        self.arena.peek(id, Experiment::clone).expect("the experiment is there")
    }

    /// The last log position and the fingerprint of the experiment's state.
    pub(crate) fn digest(&self, id: ExperimentId) -> Result<(u64, String), ArenaError> {
        self.done(self.arena.digest(id))
    }

    /// The same store, opened again after a clean stop.
    pub(crate) fn restarted(self, seed: u64) -> Self {
        self.arena.mark_time().expect("the states are sound");
        self.reopened(seed, |_| {})
    }

    /// The same store, opened again after the clock has moved meanwhile. The arena that was there
    /// before does nothing at its end, as in a crash.
    pub(crate) fn reopened(self, seed: u64, meanwhile: impl FnOnce(&HandClock)) -> Self {
        let Self { arena, clock, store, writer } = self;
        drop((arena, writer));
        meanwhile(&clock);
        let (arena, writer) = open(Arc::clone(&store), &clock, seed).expect("the log is whole");
        Self { arena, clock, store, writer: Mutex::new(writer) }
    }
}
