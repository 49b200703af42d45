//! How the server is.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use tiltyard_wire::{Health, ProblemCode};

use super::problems::{errors_page, problems};
use crate::app::{Problem, Shared};

fn ok() -> Json<Health> {
    Json(Health { status: "ok".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() })
}

/// See that the process lives, and which version it is.
#[utoipa::path(
    get, path = "/healthz", tag = "server", security(()),
    responses((status = 200, description = "It lives", body = Health))
)]
pub(super) async fn healthz() -> Json<Health> {
    ok()
}

problems!(ReadyProblems = Overloaded Stopping);

/// See that requests are welcome.
#[utoipa::path(
    get, path = "/readyz", tag = "server", security(()),
    responses(
        (status = 200, description = "Requests are welcome", body = Health),
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
    Ok(ok())
}

/// Numbers for Prometheus.
#[utoipa::path(
    get, path = "/metrics", tag = "server", security(()),
    responses((status = 200, description = "The numbers", body = String, content_type = "application/openmetrics-text"))
)]
pub(super) async fn metrics(State(app): State<Shared>) -> Response {
    let text = app.metrics.render(&app.arena);
    ([(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], text)
        .into_response()
}

/// This document. A server without keys leaves them out.
#[utoipa::path(
    get, path = "/openapi.json", tag = "server", security(()),
    responses((status = 200, description = "The document", body = Object))
)]
pub(super) async fn openapi(State(app): State<Shared>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], app.document.clone()).into_response()
}

/// The codes of errors, explained. `type` of a problem points here.
#[utoipa::path(
    get, path = "/docs/errors", tag = "server", security(()),
    responses((status = 200, description = "The page", body = String, content_type = "text/markdown"))
)]
pub(super) async fn errors() -> Response {
    ([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], errors_page()).into_response()
}
