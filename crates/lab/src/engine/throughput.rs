//! How fast rounds are played.

use std::time::Duration;

/// Rounds played, and the time they took.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Throughput {
    pub(crate) rounds: u64,
    pub(crate) time: Duration,
}

/// A guess for one thread, until something is known.
const NANOSECONDS_PER_ROUND: f64 = 100.0;

impl Throughput {
    pub(crate) fn add(&mut self, rounds: u64, time: Duration) {
        self.rounds += rounds;
        self.time += time;
    }

    /// The time of one round. If nothing is known yet, it is a guess for `threads` threads.
    pub(crate) fn nanoseconds_per_round(&self, threads: usize) -> f64 {
        if self.rounds == 0 {
            NANOSECONDS_PER_ROUND / threads as f64
        } else {
            self.time.as_secs_f64() * 1e9 / self.rounds as f64
        }
    }
}
