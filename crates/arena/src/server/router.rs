//! The API and the pages behind one address.

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

/// Everything that the server answers.
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

/// There is nothing at the address: told as a page to those who look at pages.
async fn nothing(uri: Uri, headers: HeaderMap) -> Response {
    let wants_page = headers.get(header::ACCEPT).is_some_and(|accept| {
        accept.to_str().is_ok_and(|accept| accept.contains("text/html")) && !uri.path().starts_with("/v1/")
    });
    if wants_page { pages::nothing_here() } else { Problem::from(ProblemCode::NotFound).into_response() }
}

/// A handler panicked: say so without saying what was in memory.
#[expect(clippy::needless_pass_by_value, reason = "the layer hands it over")]
fn panicked(panic: Box<dyn std::any::Any + Send>) -> Response {
    let text =
        panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    tracing::error!(panic = text.unwrap_or("no text"), "a handler panicked");
    Problem::from(ProblemCode::Internal).into_response()
}
