//! The time that this process has spent on processors, and in the queue for one.

use std::fs;
use std::time::Duration;

/// The time of all threads that are alive now, added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessorTime {
    /// On a processor.
    pub running: Duration,
    /// Ready to run, while every processor that it could have had was taken by other programs or by
    /// the process's own threads.
    pub waiting: Duration,
}

impl ProcessorTime {
    /// The time up to now; `None` if the system does not report it (all except Linux).
    ///
    /// The kernel counts in nanoseconds, but books the running thread's time only at its ticks, so
    /// differences are right to some milliseconds. Threads that have ended are not counted, so both
    /// readings of a difference must see the same threads.
    pub fn now() -> Option<Self> {
        let (mut running, mut waiting) = (0, 0);
        for task in fs::read_dir("/proc/self/task").ok()? {
            let text = fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
            let mut numbers = text.split_whitespace().map(str::parse::<u64>);
            running += numbers.next()?.ok()?;
            waiting += numbers.next()?.ok()?;
        }
        Some(Self { running: Duration::from_nanos(running), waiting: Duration::from_nanos(waiting) })
    }

    /// The time spent since an earlier reading.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            running: self.running.saturating_sub(earlier.running),
            waiting: self.waiting.saturating_sub(earlier.waiting),
        }
    }

    /// The share of the runnable time that was spent in the queue.
    pub fn share_waiting(self) -> f64 {
        let wanted = self.running + self.waiting;
        if wanted.is_zero() { 0.0 } else { self.waiting.as_secs_f64() / wanted.as_secs_f64() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_time_does_not_run_back() {
        // The threads of other tests may end in between, and then the sum falls. `since` must cope
        // with that.
        let Some(before) = ProcessorTime::now() else { return };
        let spent = ProcessorTime::now().unwrap().since(before);
        assert!(spent.running < Duration::from_mins(1));
        assert!((0.0..=1.0).contains(&spent.share_waiting()));
    }

    #[test]
    fn trace_share_waiting() {
        let [running, waiting] = [3, 1].map(Duration::from_secs);
        assert!((ProcessorTime { running, waiting }.share_waiting() - 0.25).abs() < 1e-15);
        assert!(
            ProcessorTime { running: Duration::ZERO, waiting: Duration::ZERO }.share_waiting().abs() < 1e-15
        );
    }
}
