//! A live experiment: its state, and how far its log is durable.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use tokio::sync::watch;

use super::recent::Recent;
use crate::domain::{Experiment, Record};

/// How far a log is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The last log position that would survive a loss of power.
    pub durable: u64,
    /// Raised when a write fails: what was decided before is void.
    pub(super) epoch: u64,
}

/// A live experiment.
#[derive(Debug)]
pub(super) struct LiveExperiment {
    /// Held while a request is decided: microseconds, and as long as folding a log takes after a
    /// failure.
    pub(super) state: Mutex<LiveState>,
    /// True while the state is held for longer: its log is being folded anew.
    pub(super) busy: AtomicBool,
    /// Written by the writer, awaited by those who watch.
    pub(super) progress: watch::Sender<Progress>,
}

/// What is known of an experiment in this process.
#[derive(Debug)]
pub(super) struct LiveState {
    pub(super) folded: Experiment,
    /// The epoch in which it was folded.
    pub(super) epoch: u64,
    /// Records that are folded in and not yet known to be durable.
    pub(super) tail: VecDeque<Record>,
    /// What happened of late, so that a request that is made again rarely has to ask the store.
    pub(super) recent: Recent,
    /// Records since the last snapshot.
    pub(super) since_snapshot: u64,
}

impl LiveExperiment {
    /// An experiment whose log is durable.
    pub(super) fn new(experiment: Experiment) -> Self {
        let progress = Progress { durable: experiment.seq(), epoch: 0 };
        Self {
            state: Mutex::new(LiveState::new(experiment)),
            busy: AtomicBool::new(false),
            progress: watch::Sender::new(progress),
        }
    }

    /// What was decided so far is void.
    pub(super) fn fail(&self) {
        self.progress.send_modify(|progress| progress.epoch += 1);
    }

    pub(super) fn is_stale(&self, state: &LiveState) -> bool {
        self.progress.borrow().epoch != state.epoch
    }
}

impl LiveState {
    pub(super) fn new(folded: Experiment) -> Self {
        Self { folded, epoch: 0, tail: VecDeque::new(), recent: Recent::default(), since_snapshot: 0 }
    }

    /// Lets go of records that are durable.
    pub(super) fn forget_durable(&mut self, durable: u64) {
        while self.tail.front().is_some_and(|record| record.seq <= durable) {
            self.tail.pop_front();
        }
        self.recent.forget(durable);
    }
}
