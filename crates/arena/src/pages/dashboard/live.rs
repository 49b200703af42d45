//! Notifies open pages of changes.
//!
//! A page that is notified fetches itself again. It is notified at most once a second, however many
//! votes arrive, and less often if rendering the page takes long.

use core::convert::Infallible;
use core::time::Duration;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{self, Stream};
use tiltyard_wire::ProblemCode;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::Instant;

use super::experiment_id;
use crate::app::{Problem, Shared};
use crate::arena::Progress;
use crate::id::ExperimentId;
use crate::key::Action;
use crate::pages::failure::Failure;
use crate::pages::visitor::Visitor;

/// The shortest time between two notifications.
const SHORTEST: Duration = Duration::from_secs(1);

/// Rendering the page for one watcher may take at most 1 / `SHARE` of the time.
const SHARE: u32 = 20;

pub(in crate::pages) async fn live(
    State(app): State<Shared>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Failure> {
    let id = experiment_id(&id)?;
    visitor.may(Action::Read, Some(id))?;
    let progress = app.arena.watch(id)?;
    let permit = Arc::clone(&app.streams).try_acquire_owned();
    let permit = permit.map_err(|_| Problem::from(ProblemCode::Overloaded).retry_after(5))?;
    let seen = progress.borrow().durable;
    let stopping = app.stopping.clone();
    let watcher =
        Watcher { app, id, visitor, progress, stopping, seen, next: Instant::now(), _permit: permit };
    Ok(Sse::new(stream::unfold(watcher, Watcher::next))
        .keep_alive(KeepAlive::new().interval(Duration::from_secs(15))))
}

struct Watcher {
    app: Shared,
    id: ExperimentId,
    /// The session of the visitor may end meanwhile.
    visitor: Visitor,
    progress: watch::Receiver<Progress>,
    stopping: watch::Receiver<bool>,
    /// The last log position that the page was notified of.
    seen: u64,
    /// The earliest time of the next notification.
    next: Instant,
    _permit: OwnedSemaphorePermit,
}

impl Watcher {
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Self)> {
        let seen = self.seen;
        tokio::select! {
            _ = self.stopping.wait_for(|stopping| *stopping) => return None,
            progress = self.progress.wait_for(|progress| progress.durable > seen) => progress.is_ok().then_some(())?,
        }
        tokio::select! {
            _ = self.stopping.wait_for(|stopping| *stopping) => return None,
            () = tokio::time::sleep_until(self.next) => {}
        }
        let key = self.visitor.grant().and_then(|grant| grant.key);
        if !key.is_none_or(|key| self.app.arena.is_good_key(key)) {
            return None;
        }
        self.seen = self.progress.borrow().durable;
        self.next = Instant::now() + SHORTEST.max(self.app.render_times.get(self.id) * SHARE);
        Some((Ok(Event::default().event("changed").data(self.seen.to_string())), self))
    }
}
