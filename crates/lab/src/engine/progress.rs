//! The progress of a job, and the request to stop it.

use core::ops::ControlFlow;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The progress of a job, readable from other threads while the job runs, and the way to stop it.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
    /// In nanoseconds; 0 while unknown.
    left: AtomicU64,
    stop: AtomicBool,
    others: OtherJobs,
}

/// The place of a job among several that run one after another: the rounds of the jobs before and
/// after it, and the nanoseconds that the later jobs will take.
#[derive(Debug, Default)]
struct OtherJobs {
    before: AtomicU64,
    after: AtomicU64,
    time_after: AtomicU64,
}

impl Progress {
    /// Rounds played so far.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// All rounds of the job, those already played included; 0 while unknown.
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// The estimated time left, judged by the time per round of each policy in each world so far.
    pub fn left(&self) -> Option<Duration> {
        match self.left.load(Ordering::Relaxed) {
            0 => None,
            nanoseconds => Some(Duration::from_nanos(nanoseconds)),
        }
    }

    /// Asks the job to stop. Every thread stops within about 40 milliseconds. Unfinished runs are
    /// lost; finished runs are kept.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether the job was asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Announces that the next job is one of several in a row. Its progress is shown as part of
    /// theirs.
    pub(crate) fn begin_one_of_several(&self, before: u64, after: u64, time_after: Duration) {
        self.others.before.store(before, Ordering::Relaxed);
        self.others.after.store(after, Ordering::Relaxed);
        self.others.time_after.store(nanoseconds(time_after), Ordering::Relaxed);
    }

    pub(crate) fn begin(&self, done: u64, total: u64) {
        let before = self.others.before.load(Ordering::Relaxed);
        let after = self.others.after.load(Ordering::Relaxed);
        self.done.store(before + done, Ordering::Relaxed);
        self.total.store(before + total + after, Ordering::Relaxed);
    }

    pub(crate) fn add(&self, rounds: u64) -> ControlFlow<()> {
        self.done.fetch_add(rounds, Ordering::Relaxed);
        if self.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    pub(crate) fn expect(&self, left: Duration) {
        let after = self.others.time_after.load(Ordering::Relaxed);
        self.left.store(nanoseconds(left).saturating_add(after), Ordering::Relaxed);
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three jobs of 100, 50 and 30 rounds. The second resumes with 10 rounds done and plays 5
    /// more.
    #[test]
    fn trace_jobs_in_a_row_are_shown_as_one() {
        let progress = Progress::default();
        progress.begin_one_of_several(100, 30, Duration::from_secs(3));
        progress.begin(10, 50);
        let _ = progress.add(5);
        progress.expect(Duration::from_secs(2));
        assert_eq!((progress.done(), progress.total()), (115, 180));
        assert_eq!(progress.left(), Some(Duration::from_secs(5)));
    }
}
