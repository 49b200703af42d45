//! A live experiment: its state, and how far its log is durable.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;

use super::load::Loaded;
use super::recent::Recent;
use super::steady::Reading;
use crate::domain::{DuelHistory, Experiment, Head, Record, RecordHash};
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
    /// Locked while a request is decided. That takes microseconds, or after a failure as long as
    /// folding the log.
    pub(super) state: Mutex<LiveState>,
    /// True while the state is locked for longer, because its log is being folded again.
    pub(super) busy: AtomicBool,
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
    /// The epoch in which the state was folded.
    pub(super) epoch: u64,
    /// Records that are folded in but not yet known to be durable.
    pub(super) tail: VecDeque<Record>,
    /// Recent duels and requests, so that a repeated request rarely has to read the store.
    pub(super) recent: Recent,
    /// The number of records since the last snapshot.
    pub(super) since_snapshot: u64,
}

impl LiveExperiment {
    /// An experiment that was loaded from the store.
    pub(super) fn new(loaded: Loaded, is_checked: bool, reading: Reading) -> Self {
        let Loaded { experiment, head, snapshot } = loaded;
        let progress = Progress { durable: head.seq, hash: head.hash, epoch: 0 };
        Self {
            state: Mutex::new(LiveState::new(experiment, snapshot, reading)),
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

    pub(super) fn set_checked(&self) {
        self.is_checked.store(true, Ordering::Release);
    }

    /// Makes everything decided so far void.
    pub(super) fn fail(&self) {
        self.progress.send_modify(|progress| progress.epoch += 1);
    }

    pub(super) fn is_stale(&self, state: &LiveState) -> bool {
        self.progress.borrow().epoch != state.epoch
    }
}

impl LiveState {
    /// A state that was loaded from the snapshot at this position; 0 if there was none.
    pub(super) fn new(folded: Experiment, snapshot: u64, Reading { now, skipped }: Reading) -> Self {
        Self {
            now,
            skipped,
            epoch: 0,
            tail: VecDeque::new(),
            recent: Recent::default(),
            since_snapshot: folded.seq() - snapshot,
            folded,
        }
    }

    /// The history of a duel in flight. If its time is over, it has expired.
    pub(super) fn in_flight(&self, seq: u64) -> Option<DuelHistory> {
        let past = self.folded.at(seq)?;
        Some(DuelHistory { expired: self.now > past.drawn.expires, ..past })
    }

    /// Drops records that are durable.
    pub(super) fn forget_durable(&mut self, durable: u64) {
        while self.tail.front().is_some_and(|record| record.seq <= durable) {
            self.tail.pop_front();
        }
        self.recent.forget(durable);
    }
}
