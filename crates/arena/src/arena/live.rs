//! A live experiment: its state, and how far its log is durable.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use tokio::sync::watch;

use super::recent::Recent;
use super::steady::Reading;
use crate::domain::{DuelHistory, Experiment, Record};
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
    /// Locked while a request is decided. That takes microseconds, or after a failure as long as
    /// folding the log.
    pub(super) state: Mutex<LiveState>,
    /// True while the state is locked for longer, because its log is being folded again.
    pub(super) busy: AtomicBool,
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
    /// An experiment whose log is durable.
    pub(super) fn new(experiment: Experiment, reading: Reading) -> Self {
        let progress = Progress { durable: experiment.seq(), epoch: 0 };
        Self {
            state: Mutex::new(LiveState::new(experiment, reading)),
            busy: AtomicBool::new(false),
            progress: watch::Sender::new(progress),
        }
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
    pub(super) fn new(folded: Experiment, Reading { now, skipped }: Reading) -> Self {
        Self {
            folded,
            now,
            skipped,
            epoch: 0,
            tail: VecDeque::new(),
            recent: Recent::default(),
            since_snapshot: 0,
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
