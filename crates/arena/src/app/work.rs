//! Calls to the arena that do not block the threads that answer requests.

use std::any::Any;
use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tiltyard_wire::ProblemCode;
use tokio::sync::OwnedSemaphorePermit;

use super::{Problem, Shared};
use crate::arena::Pending;
use crate::domain::Experiment;
use crate::id::ExperimentId;
use crate::{Arena, ArenaError};

tokio::task_local! {
    /// How long the request of this task has waited for the store.
    static STORE: Cell<Duration>;
}

/// Answers a request, and measures how long it waited for the store.
pub(crate) async fn timed<T>(answer: impl Future<Output = T>) -> (T, Duration) {
    STORE.scope(Cell::new(Duration::ZERO), async { (answer.await, STORE.with(Cell::get)) }).await
}

/// Waits until a result is durable.
pub(crate) async fn durable<T>(pending: Pending<T>) -> Result<T, Problem> {
    let start = Instant::now();
    let result = pending.wait_timed().await;
    // After the store was done, the task waited for a processor. That is the server's own time.
    let end = result.as_ref().map_or_else(|_| Instant::now(), |(_, since)| *since);
    let _ = STORE.try_with(|store| store.set(store.get() + end.saturating_duration_since(start)));
    Ok(result?.0)
}

/// Calls the arena: at once if that is quick, otherwise as [`blocking`] does.
pub(crate) async fn ask<T: Send + 'static>(
    app: &Shared,
    id: ExperimentId,
    quick: bool,
    work: impl FnOnce(&Arena) -> Result<T, ArenaError> + Send + 'static,
) -> Result<T, Problem> {
    if quick && app.arena.is_ready(id) {
        return Ok(work(&app.arena)?);
    }
    blocking(app, work).await
}

/// Calls the arena, and waits until the result is durable.
pub(crate) async fn commit<T: Send + 'static>(
    app: &Shared,
    id: ExperimentId,
    quick: bool,
    work: impl FnOnce(&Arena) -> Result<Pending<T>, ArenaError> + Send + 'static,
) -> Result<T, Problem> {
    durable(ask(app, id, quick, work).await?).await
}

/// Calls the arena, shows the result together with the experiment right after it, and waits until
/// everything in both is durable.
pub(crate) async fn commit_and_show<T: Send + 'static, U: Send + 'static>(
    app: &Shared,
    id: ExperimentId,
    quick: bool,
    work: impl FnOnce(&Arena) -> Result<Pending<T>, ArenaError> + Send + 'static,
    show: impl FnOnce(&Experiment, &T) -> U + Send + 'static,
) -> Result<(T, U), Problem> {
    let both = move |arena: &Arena| {
        let (done, written) = work(arena)?.split();
        let shown = arena.view(id, |experiment| show(experiment, &done))?;
        Ok((written.map(|()| done), shown))
    };
    let (done, shown) = ask(app, id, quick, both).await?;
    Ok((durable(done).await?, durable(shown).await?))
}

/// Calls the arena for work that reads the store or takes long, on a thread that does not answer
/// requests.
pub(crate) async fn blocking<T: Send + 'static>(
    app: &Shared,
    work: impl FnOnce(&Arena) -> Result<T, ArenaError> + Send + 'static,
) -> Result<T, Problem> {
    let arena = Arc::clone(&app.arena);
    Ok(off_thread(move || work(&arena)).await??)
}

/// Does work that takes long, on a thread that does not answer requests. A panic becomes an
/// internal error.
///
/// All work goes through one type. Otherwise tokio's machinery would be compiled once per caller,
/// which is a twentieth of this crate.
pub(crate) async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    type Work = Box<dyn FnOnce() -> Box<dyn Any + Send> + Send>;
    let work: Work = Box::new(move || Box::new(work()));
    let done = tokio::task::spawn_blocking(work).await.map_err(|_| ProblemCode::Internal)?;
    Ok(*done.downcast().expect("the type that the work returns"))
}

/// A permit to read a whole log. There are few, so that reading does not delay votes.
pub(crate) async fn report(app: &Shared) -> Result<OwnedSemaphorePermit, Problem> {
    Arc::clone(&app.reports).acquire_owned().await.map_err(|_| ProblemCode::Stopping.into())
}
