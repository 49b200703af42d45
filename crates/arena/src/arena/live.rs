//! A live experiment: its state, and how far its log is durable.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::watch;

use super::jobs::{Job, Task};
use super::load::Loaded;
use super::pending::Pending;
use super::recent::Recent;
use super::steady::Reading;
use super::writer::{Item, Queue};
use crate::domain::{DuelHistory, Experiment, Head, Record, RecordHash};
use crate::store::StoreError;
use crate::time::Time;

/// How far a log is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The last log position that would survive a loss of power.
    pub durable: u64,
    /// The hash of the record there.
    pub hash: RecordHash,
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
    /// Whether the log has been checked as a whole, so that old duels can be looked up in it.
    is_checked: AtomicBool,
    /// Updated by the writer; watched by requests and streams.
    pub(super) progress: watch::Sender<Progress>,
}

/// The state of an experiment in this process.
#[derive(Debug)]
pub(super) struct LiveState {
    pub(super) folded: Experiment,
    /// When the state was locked last to decide on a request.
    pub(super) now: Time,
    /// The part of [`Reading::skipped`] by which the duels in flight have been extended. Below 0 if
    /// the server was down before, until they have been extended by that time too.
    pub(super) skipped: i64,
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
    /// An experiment that was loaded from the store.
    pub(super) fn new(loaded: Loaded, is_checked: bool, reading: Reading) -> Self {
        let Loaded { experiment, head, snapshot } = loaded;
        let progress = Progress { durable: head.seq, hash: head.hash, epoch: 0 };
        Self {
            state: Mutex::new(LiveState::new(experiment, snapshot, reading)),
            epoch: AtomicU64::new(progress.epoch),
            busy: AtomicBool::new(false),
            is_checked: AtomicBool::new(is_checked),
            progress: watch::Sender::new(progress),
        }
    }

    /// A new experiment, which is not written yet.
    pub(super) fn begin(experiment: Experiment, reading: Reading) -> Self {
        // Its first record is counted when that is queued.
        let snapshot = experiment.seq();
        Self::new(Loaded { experiment, head: Head::EMPTY, snapshot }, true, reading)
    }

    /// The last record that is durable.
    pub(super) fn head(&self) -> Head {
        let Progress { durable: seq, hash, .. } = *self.progress.borrow();
        Head { seq, hash }
    }

    /// Whether the log has been checked as a whole.
    pub(super) fn is_checked(&self) -> bool {
        self.is_checked.load(Ordering::Acquire)
    }

    /// Refuses a look-up in a log that has not been checked as a whole.
    pub(super) fn check_looked_up(&self) -> Result<(), StoreError> {
        if self.is_checked() {
            return Ok(());
        }
        let text = "the log is still being checked after the start: try again in a few seconds".to_owned();
        Err(StoreError::Unavailable { text })
    }

    pub(super) fn set_checked(&self) {
        self.is_checked.store(true, Ordering::Release);
    }

    /// Makes everything decided so far void.
    pub(super) fn fail(&self) {
        self.progress.send_modify(|progress| progress.epoch += 1);
    }

    /// Announces that the caller will keep the state locked for longer, until the result is
    /// dropped.
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
    pub(super) fn renew(&self, state: &mut LiveState, fresh: LiveState, epoch: u64, head: Head) {
        *state = fresh;
        self.epoch.store(epoch, Ordering::Relaxed);
        self.progress.send_modify(|progress| (progress.durable, progress.hash) = (head.seq, head.hash));
    }
}

impl LiveState {
    /// A state that was loaded from the snapshot at this position; 0 if there was none.
    pub(super) fn new(folded: Experiment, snapshot: u64, Reading { now, skipped }: Reading) -> Self {
        Self {
            now,
            skipped,
            tail: VecDeque::new(),
            recent: Recent::default(),
            since_snapshot: folded.seq() - snapshot,
            snapshot_asked: false,
            relearning: Relearning::Idle,
            folded,
        }
    }

    /// The history of a duel in flight. If its time is over, it has expired.
    pub(super) fn in_flight(&self, seq: u64) -> Option<DuelHistory> {
        let past = self.folded.at(seq)?;
        Some(DuelHistory { expired: self.now > past.drawn.expires, ..past })
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
