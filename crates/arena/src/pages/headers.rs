//! What every page passes through: who looks at it, and what a browser may do with it.
//!
//! The policy allows scripts, styles and requests of this server only, and no script or style that
//! is written into a page: what a user wrote (names, Markdown, pictures) cannot run, also where
//! escaping it were forgotten. Forms go nowhere else, and no other site may show a page of ours
//! within its own.

use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::failure::Failure;
use super::visitor::Visitor;
use crate::app::Shared;

/// What a page may load and where it may send.
pub(super) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                                 connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

pub(super) async fn secure(State(app): State<Shared>, mut request: Request, next: Next) -> Response {
    let visitor = match Visitor::find(&request, &app) {
        Ok(visitor) => visitor,
        Err(problem) => return guarded(Failure::from(problem).into_response()),
    };
    request.extensions_mut().insert(visitor.clone());
    let mut response = guarded(next.run(request).await);
    if let Some(cookie) = visitor.new_cookie() {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// The response with headers that keep a browser from doing more than is meant. What is set already
/// stays.
pub(super) fn guarded(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Addresses hold ids; other sites need not know them. Not `no-referrer`, with which forms
        // would come without their origin.
        (header::REFERRER_POLICY, "same-origin"),
        // Pages are of this moment and of this person.
        (header::CACHE_CONTROL, "no-store"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}
