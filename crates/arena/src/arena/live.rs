//! A live experiment: its state, and how far its log is durable.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::watch;

use super::jobs::{Job, Task};
use super::pending::Pending;
use super::recent::Recent;
use super::writer::{Item, Queue};
use crate::domain::{Experiment, Record};
use crate::time::Time;

/// How far a log is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The last log position that would survive a loss of power.
    pub durable: u64,
    /// Raised when a write fails. Everything decided in an earlier epoch is void.
    pub(super) epoch: u64,
}

/// A live experiment: its state, and how far its log is durable.
#[derive(Debug)]
pub(super) struct LiveExperiment {
    /// Locked while a request is decided. That takes microseconds, or after a failed write as long
    /// as folding the log.
    pub(super) state: Mutex<LiveState>,
    /// The epoch in which the state was folded. It changes only while the state is locked.
    epoch: AtomicU64,
    /// True while the state is locked for longer.
    busy: AtomicBool,
    /// Updated by the writer; watched by requests and streams.
    pub(super) progress: watch::Sender<Progress>,
}

/// The state of an experiment in this process.
#[derive(Debug)]
pub(super) struct LiveState {
    pub(super) folded: Experiment,
    /// Records that are folded in but not yet known to be durable.
    pub(super) tail: VecDeque<Record>,
    /// Recent duels and requests, so that a repeated request rarely has to read the store.
    pub(super) recent: Recent,
    /// The number of records since the last snapshot.
    pub(super) since_snapshot: u64,
    /// Whether a snapshot is queued or being made.
    pub(super) snapshot_asked: bool,
    pub(super) relearning: Relearning,
}

/// The job of folding the log anew without voided answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relearning {
    /// Nobody has asked for it.
    Idle,
    /// It is queued or running.
    Asked,
    /// It failed. The next sweep asks again.
    Failed,
}

/// A state that is locked for longer; see [`LiveExperiment::busy`].
pub(super) struct Busy<'a>(&'a AtomicBool);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl LiveExperiment {
    /// An experiment whose log is durable, and the number of records since its last snapshot.
    pub(super) fn new(experiment: Experiment, since_snapshot: u64) -> Self {
        let progress = Progress { durable: experiment.seq(), epoch: 0 };
        Self {
            state: Mutex::new(LiveState::new(experiment, since_snapshot)),
            epoch: AtomicU64::new(progress.epoch),
            busy: AtomicBool::new(false),
            progress: watch::Sender::new(progress),
        }
    }

    /// Makes everything decided so far void.
    pub(super) fn fail(&self) {
        self.progress.send_modify(|progress| progress.epoch += 1);
    }

    /// Announces that the caller will keep the state locked for longer, until the result is dropped.
    pub(super) fn busy(&self) -> Busy<'_> {
        self.busy.store(true, Ordering::Relaxed);
        Busy(&self.busy)
    }

    /// Whether a caller that locks the state gets it at once.
    pub(super) fn is_ready(&self) -> bool {
        !self.is_stale() && !self.busy.load(Ordering::Relaxed)
    }

    /// A copy of the locked state. A large state takes long to copy.
    pub(super) fn copy(&self, state: &LiveState) -> Pending<Experiment> {
        let _busy = self.busy();
        Pending::until(state.folded.clone(), self, state.folded.seq())
    }

    /// The epoch of the state. A caller that has not locked the state must expect it to change.
    pub(super) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Relaxed)
    }

    /// Whether a write failed since the state was folded.
    pub(super) fn is_stale(&self) -> bool {
        self.progress.borrow().epoch != self.epoch()
    }

    /// Replaces the state by one that was folded from the log in this epoch.
    pub(super) fn renew(&self, state: &mut LiveState, fresh: LiveState, epoch: u64) {
        let seq = fresh.folded.seq();
        *state = fresh;
        self.epoch.store(epoch, Ordering::Relaxed);
        self.progress.send_modify(|progress| progress.durable = seq);
    }
}

impl LiveState {
    pub(super) fn new(folded: Experiment, since_snapshot: u64) -> Self {
        Self {
            folded,
            tail: VecDeque::new(),
            recent: Recent::default(),
            since_snapshot,
            snapshot_asked: false,
            relearning: Relearning::Idle,
        }
    }

    /// Asks for the log to be folded anew if that is due.
    pub(super) fn ask_to_relearn(&mut self, live: &Arc<LiveExperiment>, queue: &Queue) {
        if self.folded.must_relearn() && self.relearning == Relearning::Idle {
            self.relearning = Relearning::Asked;
            queue.send(Item::Job(Job { live: Arc::clone(live), task: Task::Relearn }));
        }
    }

    /// Asks for a snapshot, unless one is being made.
    pub(super) fn ask_for_snapshot(&mut self, live: &Arc<LiveExperiment>, at: Time, queue: &Queue) {
        if !self.snapshot_asked {
            self.snapshot_asked = true;
            queue.send(Item::Job(Job { live: Arc::clone(live), task: Task::Snapshot { at } }));
        }
    }

    /// Asks again if the log could not be folded anew.
    pub(super) fn ask_again_to_relearn(&mut self, live: &Arc<LiveExperiment>, queue: &Queue) {
        if self.relearning == Relearning::Failed {
            self.relearning = Relearning::Idle;
        }
        self.ask_to_relearn(live, queue);
    }

    /// Drops records that are durable.
    pub(super) fn forget_durable(&mut self, durable: u64) {
        while self.tail.front().is_some_and(|record| record.seq <= durable) {
            self.tail.pop_front();
        }
        self.recent.forget(durable);
    }
}
