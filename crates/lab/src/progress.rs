//! How far a job is, and whether it should stop.

use core::ops::ControlFlow;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// How far a job is, readable from other threads while it runs; and the way to stop it.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
    /// Nanoseconds; 0 while nothing is known.
    left: AtomicU64,
    stop: AtomicBool,
}

impl Progress {
    /// Rounds played so far.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Rounds to play in all; 0 until that is known.
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// The time that the rest will take, judged by what a round of each policy in each world has taken so far.
    pub fn left(&self) -> Option<Duration> {
        match self.left.load(Ordering::Relaxed) {
            0 => None,
            nanoseconds => Some(Duration::from_nanos(nanoseconds)),
        }
    }

    /// Asks the job to stop. It does within some 65,000 rounds on each thread; runs under way are lost, finished ones are kept.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(crate) fn begin(&self, done: u64, total: u64) {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    pub(crate) fn add(&self, rounds: u64) -> ControlFlow<()> {
        self.done.fetch_add(rounds, Ordering::Relaxed);
        if self.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    pub(crate) fn expect(&self, left: Duration) {
        self.left.store(u64::try_from(left.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}
