//! What every request passes through: who asks, how many at once, how long, and what is measured.

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

/// Answers the request, unless there are too many, or it takes too long. Also tells how long its
/// body took to come.
async fn limited(app: &Shared, request: Request, next: Next) -> (Response, Duration) {
    // Whether the server lives must be known also when it is overloaded.
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

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The API.
    Api,
    /// A page.
    Page,
    /// How the server is, and what is always the same.
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

/// What is answered at once, whoever asks and however much there is to do.
const PLAIN: [&str; 6] = ["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs/", "/assets/"];

/// Knows who asks and has the whole request. Only then is it one of those that are answered at the
/// same time: whoever is slow to send a body takes nobody's turn, and whoever has no key cannot
/// make us read one.
async fn admit(app: &Shared, request: Request) -> Result<Request, Problem> {
    let kind = Kind::of(&request);
    let (mut parts, body) = request.into_parts();
    // Pages find out by themselves who looks at them.
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

/// Methods are few; what else a client makes up is one label.
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
