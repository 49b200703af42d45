//! Shared by all commands that play runs: threads, a progress bar, and the handling of Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use tiltyard::lab::Progress;

use super::Failure;
use crate::printer::Printer;

/// A pool of this many threads; by default, one thread per core.
pub(super) fn pool(threads: Option<u64>) -> Result<rayon::ThreadPool, Failure> {
    let mut builder = rayon::ThreadPoolBuilder::new();
    if let Some(threads) = threads {
        builder = builder.num_threads(usize::try_from(threads).unwrap_or(usize::MAX));
    }
    builder.build().map_err(Failure::threads)
}

/// Makes Ctrl-C, and signals that ask a process to end, stop the work at the next safe moment
/// instead of killing it.
pub(super) fn stop_on_signals(progress: &Arc<Progress>) -> Result<(), Failure> {
    let progress = Arc::clone(progress);
    ctrlc::set_handler(move || progress.stop()).map_err(Failure::signals)
}

/// Does the work while a bar shows its progress.
pub(super) fn with_bar<T>(printer: &Printer, progress: &Progress, work: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let bar = printer.bar(0);
            while !done.load(Ordering::Acquire) {
                bar.set_length(progress.total());
                bar.set_position(progress.done());
                let left = progress.left().map(|left| format!("  {} left", short(left))).unwrap_or_default();
                bar.set_message(format!(
                    "{:.1e} of {:.1e} rounds{left}",
                    progress.done() as f64,
                    progress.total() as f64
                ));
                thread::park_timeout(Printer::BEAT);
            }
            bar.finish_and_clear();
        });
        let result = work();
        done.store(true, Ordering::Release);
        result
    })
}

/// A duration in short form: 40s, 3m20s, 2h05m.
pub(super) fn short(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, seconds) => format!("{minutes}m{seconds:02}s"),
        (hours, minutes, _) => format!("{hours}h{minutes:02}m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_times() {
        for (seconds, text) in [(0, "0s"), (59, "59s"), (200, "3m20s"), (7500, "2h05m")] {
            assert_eq!(short(Duration::from_secs(seconds)), text);
        }
    }
}
