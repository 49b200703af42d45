//! Error pages.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use maud::html;
use tiltyard_wire::ProblemCode;

use super::layout::bare;
use crate::ArenaError;
use crate::app::Problem;

/// Why a page is not shown.
#[derive(Debug)]
pub(super) enum Failure {
    /// The visitor has not signed in. After signing in, they return to the address `back`.
    SignIn { back: String },
    /// This server did not make the form for this visitor.
    NotOurForm,
    /// A problem that the API would report too.
    Problem(Problem),
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<ArenaError> for Failure {
    fn from(error: ArenaError) -> Self {
        Self::Problem(error.into())
    }
}

impl From<ProblemCode> for Failure {
    fn from(code: ProblemCode) -> Self {
        Self::Problem(code.into())
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        match self {
            Self::SignIn { back } => {
                let query = serde_urlencoded::to_string([("back", back)]).unwrap_or_default();
                Redirect::to(&format!("/login?{query}")).into_response()
            }
            Self::NotOurForm => {
                let body = html! {
                    h1 { "The form was not accepted" }
                    p { "The form did not come from a page of this server, or you opened the page before you signed in or out. Nothing was changed." }
                    p { "Go back, reload the page, and send the form again." }
                };
                (StatusCode::FORBIDDEN, bare("The form was not accepted", &body)).into_response()
            }
            Self::Problem(problem) => page(&problem),
        }
    }
}

fn page(problem: &Problem) -> Response {
    let Problem { code, detail, retry_after } = problem;
    let title = code.title();
    let body = html! {
        h1 { (title) }
        @if detail != title { p { (capital(detail)) "." } }
        p { (code.advice()) }
        p { a href="/" { "Go to the experiments" } }
    };
    let mut response = (problem.status(), bare(title, &body)).into_response();
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(*seconds));
    }
    response.extensions_mut().insert(*code);
    response
}

/// The text with a capital first letter.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The response for an address without a page.
pub(crate) fn nothing_here() -> Response {
    let body = html! {
        h1 { "Page not found" }
        p { "There is no page at this address. The address may be incomplete." }
        p { a href="/" { "Go to the experiments" } }
    };
    super::headers::guarded((StatusCode::NOT_FOUND, bare("Page not found", &body)).into_response())
}
