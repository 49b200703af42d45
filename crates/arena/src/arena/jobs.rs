//! Jobs: work on one experiment that takes long. They are done one after the other on a thread of
//! their own, so that neither requests nor writes wait for them.

use std::collections::VecDeque;
use std::sync::Arc;

use super::live::LiveExperiment;
use super::load::{LoadError, extend, voided};
use super::writer::{Item, Queue};
use crate::domain::Fold;
use crate::store::{Store, StoreError};

/// A relearning catches up with the log until at most this many records are missing. It folds the
/// rest while the experiment is locked.
const SHORT: u64 = 1000;

/// A job: to fold the log of an experiment anew, without voided answers that its policy learned and
/// cannot take back. It begins when all records queued before it are written.
#[derive(Debug, Clone)]
pub(super) struct Job(pub(super) Arc<LiveExperiment>);

/// The jobs of a writer.
pub(super) struct Jobs {
    worker: Worker,
    waiting: VecDeque<Job>,
    /// Whether a thread does a job.
    running: bool,
}

impl Jobs {
    pub(super) fn new(store: Arc<dyn Store>, queue: Queue) -> Self {
        Self { worker: Worker { store, queue }, waiting: VecDeque::new(), running: false }
    }

    pub(super) fn add(&mut self, job: Job) {
        self.waiting.push_back(job);
    }

    /// The thread has ended.
    pub(super) fn ended(&mut self) {
        self.running = false;
    }

    /// Starts the next job on a thread, unless one is running. Returns whether one is running.
    pub(super) fn start(&mut self) -> bool {
        if !self.running
            && let Some(job) = self.waiting.pop_front()
        {
            let (worker, copy) = (self.worker.clone(), job.clone());
            let work = move || {
                let _ended = Ended(worker.queue.clone());
                worker.run(&copy);
            };
            match std::thread::Builder::new().name("job".to_owned()).spawn(work) {
                Ok(_) => self.running = true,
                Err(error) => {
                    tracing::warn!(%error, "could not start a thread");
                    self.waiting.push_front(job);
                }
            }
        }
        self.running
    }

    /// Does the next job on this thread. Returns whether there was one.
    pub(super) fn step(&mut self) -> bool {
        let job = self.waiting.pop_front();
        if let Some(job) = &job {
            self.worker.run(job);
        }
        job.is_some()
    }
}

/// Tells the writer that the thread has ended, even by a panic.
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
    fn run(&self, job: &Job) {
        let mut outcome = Outcome { job, queue: &self.queue, failed: true };
        match self.relearn(&job.0) {
            Ok(()) => outcome.failed = false,
            Err(error) => tracing::warn!(%error, "could not fold a log anew"),
        }
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
        let mut fold = Fold::forgetting(voided(&*self.store, id)?);
        while extend(&*self.store, id, &mut fold)? > SHORT {}
        let Ok(mut state) = live.state.lock() else { return Ok(()) };
        if live.is_stale() || live.epoch() != epoch {
            return Ok(());
        }
        let busy = live.busy();
        extend(&*self.store, id, &mut fold)?;
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
        let Job(live) = self.job;
        if let Ok(mut state) = live.state.lock() {
            state.relearning.ended(self.failed);
            // More answers may have been voided meanwhile.
            state.ask_to_relearn(live, self.queue);
        }
    }
}
