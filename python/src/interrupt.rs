//! Long calls: the work is done elsewhere, and the caller's thread waits in short slices, in which
//! it hears of signals and tells of progress.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use tiltyard_lab::Progress;

use crate::error::Raised;

/// How long signals go unheard.
const SLICE: Duration = Duration::from_millis(25);

/// How long a stopped job is waited for. Rounds end within it; a world that is still being made
/// does not, and its thread then ends on its own some time after the caller went on.
const PATIENCE: Duration = Duration::from_millis(50);

/// More threads gain nothing, and to start them takes longer than the work.
const MOST_THREADS: usize = 256;

/// Does some work on `threads` threads (as many as there are cores if none), without the
/// interpreter's lock. `tell` is called with rounds done and rounds in all.
///
/// If a signal's handler raises (Ctrl-C does) or `tell` does, the work is stopped and the exception
/// goes on.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    tell: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Progress) -> T + Send + 'static,
) -> PyResult<T> {
    let progress = Arc::new(Progress::default());
    let (sender, receiver) = channel();
    // Only one thread ever receives; the lock is what lets it do so without the interpreter's.
    let receiver = Mutex::new(receiver);
    let shared = Arc::clone(&progress);
    thread::Builder::new()
        .name("tiltyard".to_owned())
        .spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(|| {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads.unwrap_or(0).min(MOST_THREADS))
                    .build()?;
                Ok(pool.install(|| work(&shared)))
            }));
            // Nobody listens any more if the caller went on.
            let _ = sender.send(result.unwrap_or_else(|_| Err(Failure::Panic)));
        })
        .map_err(|error| broken(&error.to_string()))?;
    let ended = wait(py, &receiver, &progress, tell).inspect_err(|_| {
        progress.stop();
        let _ = py.detach(|| next(&receiver, PATIENCE));
    })?;
    ended.map_err(|failure| match failure {
        Failure::Pool(error) => broken(&error),
        Failure::Panic => broken("a thread panicked: this is a bug, please report it"),
    })
}

enum Failure {
    Pool(String),
    Panic,
}

impl From<rayon::ThreadPoolBuildError> for Failure {
    fn from(error: rayon::ThreadPoolBuildError) -> Self {
        Self::Pool(error.to_string())
    }
}

fn wait<T: Send>(
    py: Python<'_>,
    receiver: &Mutex<Receiver<T>>,
    progress: &Progress,
    tell: Option<&Bound<'_, PyAny>>,
) -> PyResult<T> {
    let mut told = Instant::now();
    loop {
        match py.detach(|| next(receiver, SLICE)) {
            Ok(result) => {
                if let Some(tell) = tell {
                    tell.call1((progress.done(), progress.total()))?;
                }
                return Ok(result);
            }
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(broken("the working thread is gone")),
        }
        if let Some(tell) = tell.filter(|_| told.elapsed() >= 4 * SLICE) {
            told = Instant::now();
            tell.call1((progress.done(), progress.total()))?;
        }
    }
}

fn next<T>(receiver: &Mutex<Receiver<T>>, patience: Duration) -> Result<T, RecvTimeoutError> {
    receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(patience)
}

fn broken(why: &str) -> PyErr {
    Raised::new("InternalError", why).into()
}
