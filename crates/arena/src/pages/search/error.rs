//! The error pages of the search page.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};

use crate::id::ExperimentId;
use crate::pages::failure::Failure;
use crate::pages::layout::bare;

/// Why a page of a search is not shown.
#[derive(Debug)]
pub(super) enum SearchError {
    /// A failure that can happen on any page.
    Failure(Failure),
    /// The server has no search engine.
    NoEngine,
    /// An arm of the experiment is not a ranker of the search engine.
    NoRankers { experiment: ExperimentId, known: Vec<String> },
    /// There is no such search.
    NoSearch { experiment: ExperimentId },
    /// The search has expired, and the experiment refuses late outcomes.
    Expired { experiment: ExperimentId },
    /// The search was voided.
    Voided { experiment: ExperimentId },
    /// This browser does not know which results were opened.
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
                    None => p { a href="/" { "Go to the experiments" } },
                }
            };
            (status, bare(title, &body)).into_response()
        };
        match self {
            Self::Failure(failure) => failure.into_response(),
            Self::NoEngine => {
                let words = html! { "Start the server with " code { "tiltyard serve --demo" } " to try the search page." };
                page(StatusCode::NOT_FOUND, "This server has nothing to search", &words, None)
            }
            Self::NoRankers { experiment, known } => {
                let words = html! {
                    "All arms of a search experiment must be rankers that this server knows: " (known.join(", ")) ". "
                    a href={ "/experiments/" (experiment) } { "Go to the experiment" }
                };
                page(StatusCode::CONFLICT, "This experiment cannot be searched", &words, None)
            }
            Self::NoSearch { experiment } => {
                let words = html! { "The address may be incomplete." };
                page(StatusCode::NOT_FOUND, "There is no such search", &words, Some(experiment))
            }
            Self::Expired { experiment } => {
                let words = html! { "It is too late to count clicks on its results." };
                page(StatusCode::GONE, "This search has expired", &words, Some(experiment))
            }
            Self::Voided { experiment } => {
                let words = html! { "Clicks on its results do not count." };
                page(StatusCode::GONE, "This search was voided", &words, Some(experiment))
            }
            Self::Elsewhere { experiment } => {
                let words = html! {
                    "The search was started in another browser, or you have started another search since. So the server does not know which results you opened. Nothing was counted."
                };
                page(StatusCode::CONFLICT, "This search cannot be finished here", &words, Some(experiment))
            }
        }
    }
}
