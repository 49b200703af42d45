//! The page of one experiment: which arm leads, how sure that is, and the evidence.

use core::fmt;
use std::time::Instant;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use serde::Deserialize;
use tiltyard_wire::ProblemCode;

use super::failure::Failure;
use super::layout::Page;
use super::search::can_search;
use super::visitor::Visitor;
use crate::app::{Problem, Shared, commit};
use crate::id::ExperimentId;
use crate::key::Action;

mod arms;
mod controls;
mod figures;
mod live;
mod manage;
mod notes;
mod report;
mod traffic;
mod verdict;

pub(super) use live::live;
pub(super) use manage::{add_arms, change_status, link, restore, retire};

use report::{Copied, Report};

/// The part of the table of arms to show: search, order and page.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct View {
    sort: Sort,
    /// Only arms with this text in their name or label.
    find: String,
    /// Counted from 1.
    page: Option<usize>,
}

/// The order of the table of arms.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Sort {
    /// By the mean share of wins.
    #[default]
    Best,
    /// In the order in which they were added.
    Entered,
    /// By the probability of being drawn for the next duel.
    Chance,
    /// By their number of votes.
    Votes,
}

impl Sort {
    const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Best, "best", "Best first"),
        (Self::Entered, "entered", "Oldest first"),
        (Self::Chance, "chance", "Most traffic first"),
        (Self::Votes, "votes", "Most votes first"),
    ];
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = Self::ALL.iter().find(|(sort, ..)| sort == self).map_or("best", |(_, word, _)| word);
        f.write_str(word)
    }
}

/// Reads the id of an experiment from the address of a page.
pub(super) fn experiment_id(text: &str) -> Result<ExperimentId, Failure> {
    text.parse().map_err(|_| ProblemCode::NoExperiment.into())
}

pub(super) async fn dashboard(
    State(app): State<Shared>,
    visitor: Visitor,
    Path(id): Path<String>,
    view: Result<Query<View>, QueryRejection>,
) -> Result<Markup, Failure> {
    let id = experiment_id(&id)?;
    visitor.may(Action::Read, Some(id))?;
    // An unknown order or page falls back to the default.
    let view = view.map_or_else(|_| View::default(), |Query(view)| view);
    let start = Instant::now();
    let report = report(&app, id, &view).await?;
    let can_change = visitor.can(Action::Change, Some(id));
    let can_search = can_search(&app, &visitor, id).await;
    let body = html! {
        div data-live={ "/experiments/" (id) "/live" } {
            (controls::head(&report, &visitor))
            @if can_search { p { a.button href={ "/search/" (id) } { "Search page" } } }
            div data-part="verdict" { (verdict::section(&report)) }
            div data-part="arms" { (arms::section(&report, &view, can_change.then_some(&visitor))) }
            div data-part="figures" { (figures::section(&report)) }
            div data-part="notes" { (notes::section(&report)) }
            (controls::section(&report, &visitor))
        }
    };
    let assets = &["chart.css", "dashboard.css", "live.js", "dashboard.js"];
    let page = Page { title: &report.name, assets, body }.render(&visitor);
    app.render_times.set(id, start.elapsed());
    Ok(page)
}

/// Copies what the page needs out of an experiment. The slow part runs after the lock is
/// released.
async fn report(app: &Shared, id: ExperimentId, view: &View) -> Result<Report, Problem> {
    let view = view.clone();
    commit(app, id, false, move |arena| {
        let copied = arena.view(id, |experiment| Report::copy(experiment, &view, arena.now()))?;
        Ok(copied.map(Copied::finish))
    })
    .await
}

/// A figure as a file to download.
pub(super) async fn figure(
    State(app): State<Shared>,
    visitor: Visitor,
    Path((id, name)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let id = experiment_id(&id)?;
    visitor.may(Action::Read, Some(id))?;
    let report = report(&app, id, &View::default()).await?;
    let Some(svg) = figures::file(&report, &name) else { return Err(ProblemCode::NotFound.into()) };
    let headers = [
        (header::CONTENT_TYPE, "image/svg+xml".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{id}-{name}\"")),
    ];
    Ok((headers, svg).into_response())
}
