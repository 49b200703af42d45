//! The middleware of all requests: identifies the caller, limits the number and the duration of
//! requests, and measures them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tiltyard_wire::ProblemCode;

use crate::app::{Problem, Shared, read_body, timed};
use crate::http::Caller;

pub(super) async fn guard(State(app): State<Shared>, request: Request, next: Next) -> Response {
    let start = Instant::now();
    let method = method(request.method());
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let ((mut response, read), waited) = timed(limited(&app, request, next)).await;
    let seconds = start.elapsed();
    let own = seconds.saturating_sub(waited).saturating_sub(read);
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    let timing = format!("store;dur={:.3}, own;dur={:.3}", millis(waited), millis(own));
    if let Ok(timing) = HeaderValue::from_str(&timing) {
        response.headers_mut().insert(HeaderName::from_static("server-timing"), timing);
    }
    let status = response.status().as_u16();
    app.metrics.answered(method, &route, status, seconds.as_secs_f64(), own.as_secs_f64());
    if let Some(code) = response.extensions().get::<ProblemCode>() {
        app.metrics.refused(code.word());
    }
    tracing::debug!(
        method,
        route,
        status,
        seconds = seconds.as_secs_f64(),
        own = own.as_secs_f64(),
        "request"
    );
    response
}

/// Answers the request, unless there are too many requests or it takes too long. Also returns how
/// long its body took to arrive.
async fn limited(app: &Shared, request: Request, next: Next) -> (Response, Duration) {
    // Health checks must be answered even if the server is overloaded.
    if !Kind::of(&request).is_limited() {
        return (next.run(request).await, Duration::ZERO);
    }
    let start = Instant::now();
    let admitted = admit(app, request).await;
    let read = start.elapsed();
    let response = match admitted {
        Ok(request) => answer(app, request, next).await,
        Err(problem) => problem.into_response(),
    };
    (response, read)
}

/// The kind of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Api,
    Page,
    /// Health checks, metrics and static content.
    Plain,
}

impl Kind {
    fn of(request: &Request) -> Self {
        let path = request.uri().path();
        if path.starts_with("/v1/") {
            Self::Api
        } else if PLAIN.iter().any(|plain| path.starts_with(plain)) {
            Self::Plain
        } else {
            Self::Page
        }
    }

    fn is_limited(self) -> bool {
        self != Self::Plain
    }
}

/// Addresses that are answered at once, to everyone and under any load.
const PLAIN: [&str; 6] = ["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs/", "/assets/"];

/// Identifies the caller and reads the whole request. Only then does the request count towards the
/// limit of concurrent requests. So a client that sends a body slowly does not delay others, and
/// the API reads no body from a client without a key.
async fn admit(app: &Shared, request: Request) -> Result<Request, Problem> {
    let kind = Kind::of(&request);
    let (mut parts, body) = request.into_parts();
    // Pages identify their visitors themselves.
    if kind == Kind::Api {
        parts.extensions.insert(Caller::find(&parts.method, &parts.headers, app)?);
    }
    let body = read_body(body, app).await?;
    Ok(Request::from_parts(parts, body.into()))
}

async fn answer(app: &Shared, request: Request, next: Next) -> Response {
    let Ok(_permit) = Arc::clone(&app.requests).try_acquire_owned() else {
        return Problem::from(ProblemCode::Overloaded).retry_after(1).into_response();
    };
    match tokio::time::timeout(app.config.request_timeout, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Problem::from(ProblemCode::TimedOut).retry_after(1).into_response(),
    }
}

/// The method as a label. Methods that a client makes up share one label.
fn method(method: &axum::http::Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "POST" => "POST",
        "DELETE" => "DELETE",
        "HEAD" => "HEAD",
        "OPTIONS" => "OPTIONS",
        _ => "other",
    }
}
