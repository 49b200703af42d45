//! Jobs: work on one experiment that takes long. They are done one after the other on a thread of
//! their own, so that neither requests nor writes wait for them, and so that only one of them needs
//! memory for another state.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;

use super::live::{LiveExperiment, Relearning};
use super::load::{LoadError, extend, voided};
use super::writer::{Item, Queue};
use super::{keep_snapshot, lock};
use crate::domain::{Experiment, Fold};
use crate::store::{Store, StoreError};
use crate::time::Time;

/// A relearning catches up with the log until at most this many records are missing. It folds the
/// rest while the experiment is locked.
const SHORT: u64 = 1000;

/// A job. It begins when all records queued before it are written.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) live: Arc<LiveExperiment>,
    pub(super) task: Task,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Task {
    /// Fold the log anew, without voided answers that the policy learned and cannot take back.
    Relearn,
    /// Store a snapshot, which was due at this time.
    Snapshot { at: Time },
}

/// The jobs of a writer.
pub(super) struct Jobs {
    worker: Worker,
    waiting: VecDeque<Job>,
    /// The thread that does a job.
    running: Option<JoinHandle<()>>,
}

impl Jobs {
    pub(super) fn new(store: Arc<dyn Store>, queue: Queue) -> Self {
        Self { worker: Worker { store, queue }, waiting: VecDeque::new(), running: None }
    }

    pub(super) fn add(&mut self, job: Job) {
        self.waiting.push_back(job);
    }

    /// The thread is about to end.
    pub(super) fn ended(&mut self) {
        // Once it has ended, it no longer holds the store.
        if self.running.take().is_some_and(|running| running.join().is_err()) {
            tracing::error!("a job panicked");
        }
    }

    /// Starts the next job on a thread, unless one is running. Returns whether one is running.
    pub(super) fn start(&mut self) -> bool {
        if self.running.is_none()
            && let Some(job) = self.waiting.pop_front()
        {
            let (worker, copy) = (self.worker.clone(), job.clone());
            let work = move || {
                let _ended = Ended(worker.queue.clone());
                worker.run(&copy, true);
            };
            match std::thread::Builder::new().name("job".to_owned()).spawn(work) {
                Ok(running) => self.running = Some(running),
                Err(error) => {
                    tracing::warn!(%error, "could not start a thread");
                    self.waiting.push_front(job);
                }
            }
        }
        self.running.is_some()
    }

    /// Does the next job on this thread. Returns whether there was one.
    pub(super) fn step(&mut self) -> bool {
        let job = self.waiting.pop_front();
        if let Some(job) = &job {
            self.worker.run(job, false);
        }
        job.is_some()
    }
}

/// Tells the writer that the thread is about to end, even by a panic.
struct Ended(Queue);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.send(Item::JobEnded);
    }
}

/// What a thread needs to do a job.
#[derive(Clone)]
struct Worker {
    store: Arc<dyn Store>,
    queue: Queue,
}

impl Worker {
    /// Does a job. On its own thread, it may wait for the writer.
    fn run(&self, job: &Job, on_own_thread: bool) {
        let mut outcome = Outcome { job, queue: &self.queue, failed: true };
        let Job { live, task } = job;
        let result = match *task {
            Task::Relearn => self.relearn(live),
            Task::Snapshot { at } => self.snapshot(live, at, on_own_thread),
        };
        match result {
            Ok(()) => outcome.failed = false,
            Err(error) => tracing::warn!(?task, %error, "a job failed"),
        }
    }

    /// Copies the state, waits until everything in the copy is durable, and stores it.
    fn snapshot(&self, live: &LiveExperiment, at: Time, on_own_thread: bool) -> Result<(), LoadError> {
        let _only_copy = lock(&self.queue.copies);
        let Ok(mut state) = live.state.lock() else { return Ok(()) };
        if live.is_stale() || state.folded.must_relearn() || state.since_snapshot == 0 {
            // If it is still due, the next write asks again.
            return Ok(());
        }
        state.since_snapshot = 0;
        let copy = live.copy(&state);
        drop(state);
        if on_own_thread {
            let (written, wait) = channel();
            self.queue.send(Item::Flush(written));
            // An error means that the writer is gone.
            let _ = wait.recv();
        }
        // If a write failed, some of the copy is not in the log.
        if let Ok(Ok(copy)) = copy.poll() {
            keep_snapshot(&*self.store, copy, at)?;
        }
        Ok(())
    }

    /// Folds the log without the answers that are voided by now. Meanwhile the experiment goes on
    /// with the state that it has, in which only the policy still knows them.
    fn relearn(&self, live: &LiveExperiment) -> Result<(), LoadError> {
        // A poisoned state will be renewed, and then no answer has to be forgotten.
        let Ok(state) = live.state.lock() else { return Ok(()) };
        if live.is_stale() || !state.folded.must_relearn() {
            return Ok(());
        }
        let (id, epoch) = (state.folded.id(), live.epoch());
        drop(state);
        if !live.is_checked() {
            // The index of voided duels cannot be trusted yet. The next sweep asks again.
            let text = "the log is still being checked".to_owned();
            return Err(StoreError::Unavailable { text }.into());
        }
        let mut fold = Fold::forgetting(voided(&*self.store, id)?);
        loop {
            let before = fold.state().map_or(0, Experiment::seq);
            let head = extend(&*self.store, id, &mut fold, u64::MAX)?;
            if head.is_none_or(|head| head.seq - before <= SHORT) {
                break;
            }
        }
        let Ok(mut state) = live.state.lock() else { return Ok(()) };
        if live.is_stale() || live.epoch() != epoch {
            return Ok(());
        }
        let busy = live.busy();
        extend(&*self.store, id, &mut fold, u64::MAX)?;
        let mut fresh = fold.finish().ok_or(StoreError::Conflict)?;
        for record in &state.tail {
            if record.seq > fresh.seq() {
                fresh.fold(record)?;
            }
        }
        if fresh.seq() != state.folded.seq() {
            return Err(StoreError::Conflict.into());
        }
        let old = core::mem::replace(&mut state.folded, fresh);
        drop((busy, state));
        // A large state takes long to drop.
        drop(old);
        Ok(())
    }
}

/// Notes how a job ended, even by a panic.
struct Outcome<'a> {
    job: &'a Job,
    queue: &'a Queue,
    failed: bool,
}

impl Drop for Outcome<'_> {
    fn drop(&mut self) {
        let Job { live, task } = self.job;
        let Ok(mut state) = live.state.lock() else { return };
        match task {
            Task::Relearn => {
                state.relearning = if self.failed { Relearning::Failed } else { Relearning::Idle };
                // More answers may have been voided meanwhile. A stale state will be renewed.
                if !live.is_stale() {
                    state.ask_to_relearn(live, self.queue);
                }
            }
            Task::Snapshot { .. } => state.snapshot_asked = false,
        }
    }
}
