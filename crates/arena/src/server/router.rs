//! The routes of the API and the pages, at one address.

use std::sync::Arc;

use axum::Router;
use axum::http::{HeaderMap, HeaderName, Method, Uri, header};
use axum::response::{IntoResponse, Response};
use tiltyard_wire::ProblemCode;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::guard::guard;
use crate::app::{Problem, Shared};
use crate::{http, pages};

/// All routes of the server.
pub(super) fn router(app: &Shared) -> Router {
    let cors = (!app.config.cors_origins.is_empty()).then(|| {
        let origins = app.config.cors_origins.iter().filter_map(|origin| origin.parse().ok());
        CorsLayer::new()
            .allow_origin(AllowOrigin::list(origins))
            .allow_methods([Method::GET, Method::POST, Method::DELETE])
            .allow_headers([
                header::AUTHORIZATION,
                header::CONTENT_TYPE,
                HeaderName::from_static("last-event-id"),
            ])
            .expose_headers([header::RETRY_AFTER])
    });
    let routes = http::routes()
        .merge(pages::routes(app))
        .fallback(nothing)
        .method_not_allowed_fallback(async || Problem::from(ProblemCode::MethodNotAllowed))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(axum::middleware::from_fn_with_state(Arc::clone(app), guard));
    let routes = match cors {
        Some(cors) => routes.layer(cors),
        None => routes,
    };
    routes.with_state(Arc::clone(app))
}

/// The response for an unknown address: a page for browsers, a problem in JSON for others.
async fn nothing(uri: Uri, headers: HeaderMap) -> Response {
    let wants_page = headers.get(header::ACCEPT).is_some_and(|accept| {
        accept.to_str().is_ok_and(|accept| accept.contains("text/html")) && !uri.path().starts_with("/v1/")
    });
    if wants_page { pages::nothing_here() } else { Problem::from(ProblemCode::NotFound).into_response() }
}

/// The response after a handler panicked. It does not contain the message of the panic.
#[expect(clippy::needless_pass_by_value, reason = "the layer passes it by value")]
fn panicked(panic: Box<dyn std::any::Any + Send>) -> Response {
    let text =
        panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    tracing::error!(panic = text.unwrap_or("no text"), "a handler panicked");
    Problem::from(ProblemCode::Internal).into_response()
}
