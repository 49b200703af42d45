//! The middleware of all pages: identifies the visitor and sets the security headers.
//!
//! The content security policy allows only scripts, styles and requests of this server, and no
//! script or style written into a page. So text from users (names, Markdown, pictures) cannot run,
//! even if escaping it were forgotten. Forms can be sent only to this server, and no other site can
//! show a page of this server in a frame.

use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::failure::Failure;
use super::visitor::Visitor;
use crate::app::Shared;

/// The content security policy of pages.
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

/// Adds the security headers to a response. A header that is already set stays.
pub(super) fn guarded(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Addresses contain ids, which other sites must not learn. `no-referrer` would be too
        // strict: browsers would send forms without their origin.
        (header::REFERRER_POLICY, "same-origin"),
        // A page is valid only now and only for this visitor.
        (header::CACHE_CONTROL, "no-store"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}
