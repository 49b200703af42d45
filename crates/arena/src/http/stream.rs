//! The live events of an experiment, as server-sent events.
//!
//! A stream reads the log after its position and waits until the log grows. It therefore misses
//! nothing, even if its reader is slow, and a reader that reconnects continues where it stopped.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{self, Stream};
use tiltyard_wire::{self as wire, ProblemCode};
use tokio::sync::{OwnedSemaphorePermit, watch};

use super::auth::Caller;
use super::extract::{Path, Query};
use super::problems::problems;
use super::standing::{LAST_PLACE, events as events_of, place};
use crate::app::{Problem, Shared};
use crate::arena::Progress;
use crate::id::ExperimentId;
use crate::key::Action;

/// The maximum number of events read at once.
const PAGE: usize = 200;

problems!(EventsProblems = Invalid NoExperiment + ALWAYS);

/// Watch an experiment.
///
/// The response is a stream of `text/event-stream` with one event per record of the log. The id of
/// an event is its log position.
#[utoipa::path(
    get, operation_id = "stream_events", path = "/v1/experiments/{experiment}/events", tag = "standing",
    params(wire::ExperimentId, wire::StreamQuery),
    responses(
        (status = 200, description = "An endless stream of events", content_type = "text/event-stream", body = String),
        EventsProblems,
    )
)]
pub(super) async fn events(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    Query(query): Query<wire::StreamQuery>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    caller.may(Action::Read, Some(id))?;
    let progress = app.arena.watch(id)?;
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.parse().ok());
    let after = match last.or(query.after) {
        Some(after) => place(Some(after.min(LAST_PLACE)))?,
        None => progress.borrow().durable,
    };
    let permit = Arc::clone(&app.streams).try_acquire_owned();
    let permit = permit.map_err(|_| Problem::from(ProblemCode::Overloaded).retry_after(5))?;
    let watcher = Watcher {
        id,
        after,
        progress,
        stopping: app.stopping.clone(),
        app,
        caller,
        ready: Vec::new(),
        _permit: permit,
    };
    let keep_alive = KeepAlive::new().interval(Duration::from_secs(15));
    Ok(Sse::new(stream::unfold(watcher, Watcher::next)).keep_alive(keep_alive))
}

struct Watcher {
    app: Shared,
    /// Checked again and again, because the caller's key may be revoked meanwhile.
    caller: Caller,
    id: ExperimentId,
    after: u64,
    progress: watch::Receiver<Progress>,
    stopping: watch::Receiver<bool>,
    /// Events that were read but not yet sent, in reverse order.
    ready: Vec<Event>,
    _permit: OwnedSemaphorePermit,
}

impl Watcher {
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Self)> {
        loop {
            if let Some(event) = self.ready.pop() {
                return Some((Ok(event), self));
            }
            let after = self.after;
            tokio::select! {
                _ = self.stopping.wait_for(|stopping| *stopping) => return None,
                progress = self.progress.wait_for(|progress| progress.durable > after) => progress.is_ok().then_some(())?,
            }
            if !self.caller.still_may(&self.app) {
                return None;
            }
            let views = events_of(&self.app, self.id, after, PAGE).await.ok()?;
            self.after = views.last()?.seq;
            let event = |view: &wire::EventView| {
                let event = Event::default().id(view.seq.to_string()).event(&view.kind);
                event.json_data(view).unwrap_or_default()
            };
            self.ready = views.iter().rev().map(event).collect();
        }
    }
}
