//! Long calls. Other threads do the work. The caller's thread waits in short slices, and handles
//! signals and reports progress in between.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use tiltyard_lab::Progress;

use crate::error::Raised;

/// The longest time until a signal is handled.
const SLICE: Duration = Duration::from_millis(25);

/// How long to wait for a stopped job. Rounds end within this time. A world that is still being
/// built may not; its thread then ends some time after the call has returned.
const PATIENCE: Duration = Duration::from_millis(50);

/// More threads gain nothing, and starting them takes longer than the work.
const MOST_THREADS: usize = 256;

/// Does work on `threads` threads (by default, one per core), without the interpreter's lock. Calls
/// `tell` with the rounds done and the rounds in total.
///
/// If a signal handler raises an exception (as for Ctrl-C), or `tell` does, the work stops and the
/// exception is passed on.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    tell: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Progress) -> T + Send + 'static,
) -> PyResult<T> {
    let progress = Arc::new(Progress::default());
    let (sender, receiver) = channel();
    // Only one thread receives. The mutex makes the receiver `Sync`, so that this thread can wait
    // without the interpreter's lock.
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
            // The receiver is gone if the call has returned.
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
            Err(RecvTimeoutError::Disconnected) => return Err(broken("the working thread has ended")),
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
