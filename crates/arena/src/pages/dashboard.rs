//! One experiment: who leads, how sure we are, and what it rests on.

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
use crate::app::{Problem, Shared, blocking};
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

use report::Report;

/// Which arms are looked at, and in what order.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct View {
    sort: Sort,
    /// Only arms whose name or label holds this.
    find: String,
    /// From 1.
    page: Option<usize>,
}

/// In what order arms stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Sort {
    /// By the mean share of wins.
    #[default]
    Best,
    /// As they came in.
    Entered,
    /// By their chance to be in the next duel.
    Chance,
    /// By votes on them.
    Votes,
}

impl Sort {
    const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Best, "best", "Best first"),
        (Self::Entered, "entered", "As they came in"),
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

/// An experiment's id in an address of a page.
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
    // An order or a page that there is not: the usual one.
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

/// Looks at an experiment; what takes long is done after its lock was given back.
async fn report(app: &Shared, id: ExperimentId, view: &View) -> Result<Report, Problem> {
    let view = view.clone();
    blocking(app, move |arena| {
        let copied = arena.view(id, |experiment| Report::copy(experiment, &view, arena.now()))?;
        Ok(copied.finish())
    })
    .await
}

/// A figure to keep.
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
