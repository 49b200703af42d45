//! Why there is no search to show.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};

use crate::id::ExperimentId;
use crate::pages::failure::Failure;
use crate::pages::layout::bare;

/// Why a page of a search is not shown.
#[derive(Debug)]
pub(super) enum SearchError {
    /// What can go wrong with every page.
    Failure(Failure),
    /// The server was not given anything to search with.
    NoEngine,
    /// The experiment is about something else.
    NoRankers { experiment: ExperimentId, known: Vec<String> },
    /// Nobody began such a search.
    NoSearch { experiment: ExperimentId },
    /// Its time is over, and the experiment takes no late outcomes.
    Expired { experiment: ExperimentId },
    /// Someone took it out of the count.
    Voided { experiment: ExperimentId },
    /// What was opened is not known to this browser.
    Elsewhere { experiment: ExperimentId },
}

impl<T: Into<Failure>> From<T> for SearchError {
    fn from(failure: T) -> Self {
        Self::Failure(failure.into())
    }
}

impl IntoResponse for SearchError {
    fn into_response(self) -> Response {
        let page = |status: StatusCode, title: &str, words: &Markup, back: Option<ExperimentId>| {
            let body = html! {
                h1 { (title) }
                p { (words) }
                @match back {
                    Some(id) => p { a.button href={ "/search/" (id) } { "Search again" } },
                    None => p { a href="/" { "To the experiments" } },
                }
            };
            (status, bare(title, &body)).into_response()
        };
        match self {
            Self::Failure(failure) => failure.into_response(),
            Self::NoEngine => {
                let words =
                    html! { "Start the server with " code { "tiltyard serve --demo" } " to try one." };
                page(StatusCode::NOT_FOUND, "This server has nothing to search", &words, None)
            }
            Self::NoRankers { experiment, known } => {
                let words = html! {
                    "Its arms are not ways to rank that this server knows: those are " (known.join(", ")) ". "
                    a href={ "/experiments/" (experiment) } { "The experiment" }
                };
                page(StatusCode::CONFLICT, "This experiment cannot be searched", &words, None)
            }
            Self::NoSearch { experiment } => {
                let words = html! { "Its address may be incomplete." };
                page(StatusCode::NOT_FOUND, "There is no such search", &words, Some(experiment))
            }
            Self::Expired { experiment } => {
                let words = html! { "Clicks on it came too late to be counted." };
                page(StatusCode::GONE, "This search has expired", &words, Some(experiment))
            }
            Self::Voided { experiment } => {
                let words = html! { "It was taken out of the count." };
                page(StatusCode::GONE, "This search was voided", &words, Some(experiment))
            }
            Self::Elsewhere { experiment } => {
                let words = html! {
                    "It was begun in another browser, or another search was begun since, so that nobody knows what you opened. Nothing was counted."
                };
                page(StatusCode::CONFLICT, "This search cannot be finished here", &words, Some(experiment))
            }
        }
    }
}
