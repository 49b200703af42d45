//! Health, metrics and documents of the server.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use tiltyard_wire::{Health, ProblemCode};

use super::problems::{errors_page, problems};
use crate::app::{Problem, Shared, off_thread};

fn ok() -> Json<Health> {
    Json(Health { status: "ok".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() })
}

/// Check that the process is alive, and read its version.
#[utoipa::path(
    get, path = "/healthz", tag = "server", security(()),
    responses((status = 200, description = "The process is alive", body = Health))
)]
pub(super) async fn healthz() -> Json<Health> {
    ok()
}

problems!(ReadyProblems = Overloaded StoreUnavailable Stopping);

/// Check that the server accepts requests and can write what they change.
#[utoipa::path(
    get, path = "/readyz", tag = "server", security(()),
    responses(
        (status = 200, description = "The server accepts requests and can write", body = Health),
        ReadyProblems,
    )
)]
pub(super) async fn readyz(State(app): State<Shared>) -> Result<Json<Health>, Problem> {
    if *app.stopping.borrow() {
        return Err(ProblemCode::Stopping.into());
    }
    if app.arena.is_overloaded() {
        return Err(Problem::from(ProblemCode::Overloaded).retry_after(1));
    }
    let health = off_thread({
        let arena = Arc::clone(&app.arena);
        move || arena.health()
    });
    if let Err(error) = health.await? {
        return Err(Problem::new(ProblemCode::StoreUnavailable, error.to_string()).retry_after(1));
    }
    Ok(ok())
}

/// Read metrics for Prometheus.
#[utoipa::path(
    get, path = "/metrics", tag = "server", security(()),
    responses((status = 200, description = "The metrics", body = String, content_type = "application/openmetrics-text"))
)]
pub(super) async fn metrics(State(app): State<Shared>) -> Response {
    let text = app.metrics.render(&app.arena);
    ([(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], text)
        .into_response()
}

/// Read this document. A server without keys leaves out the security requirement.
#[utoipa::path(
    get, path = "/openapi.json", tag = "server", security(()),
    responses((status = 200, description = "The document", body = Object))
)]
pub(super) async fn openapi(State(app): State<Shared>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], app.document.clone()).into_response()
}

/// Read the page that explains the error codes. The field `type` of a problem points to it.
#[utoipa::path(
    get, path = "/docs/errors", tag = "server", security(()),
    responses((status = 200, description = "The page", body = String, content_type = "text/markdown"))
)]
pub(super) async fn errors() -> Response {
    ([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], errors_page()).into_response()
}
