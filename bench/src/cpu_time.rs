//! The time that this process has spent on processors.

use std::fs;
use std::time::Duration;

/// Processor time of all threads that live now, or nothing where the system does not tell (all but Linux).
///
/// The kernel counts in nanoseconds, but books the running thread's time only at its ticks: differences are right to some
/// milliseconds. Threads that have ended are not counted, so both readings of a difference must see the same threads.
pub fn process_cpu_time() -> Option<Duration> {
    let mut sum = 0;
    for task in fs::read_dir("/proc/self/task").ok()? {
        let text = fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        sum += text.split_whitespace().next()?.parse::<u64>().ok()?;
    }
    Some(Duration::from_nanos(sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_time_on_the_processor_never_runs_back() {
        let Some(before) = process_cpu_time() else { return };
        let mut x = 1.0;
        for _ in 0..1_000_000 {
            x = std::hint::black_box(x * 1.000_001);
        }
        assert!(process_cpu_time().unwrap() >= before);
    }
}
