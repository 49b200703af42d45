//! The search page: it merges the lists of two rankers into one, and the clicks are the outcome.
//!
//! A cookie remembers which results a visitor opened. The clicks are sent when the visitor says
//! that they are done; until then, opening a result changes nothing on the server, and no page
//! reveals which ranker a result is from. Another part of the program provides the search engine,
//! because the arena does not know what is searched.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use serde::Deserialize;
use serde_json::json;
use tiltyard_wire::ProblemCode;

use super::dashboard::experiment_id;
use super::failure::nothing_here;
use super::form::{Form, Nothing};
use super::visitor::Visitor;
use crate::app::{Document, Problem, SearchEngine, Shared, ask, commit, durable, off_thread};
use crate::arena::{Done, RankerDuelHistory};
use crate::domain::{
    ClickRequest, Clicked, DuelHistory, Experiment, InterleaveRequest, Interleaved, Late, Lists, MergeOptions,
};
use crate::id::{DuelId, ExperimentId};
use crate::key::Action;

mod credit;
mod error;
mod opened;
mod snippet;
mod view;

use error::SearchError;
use opened::Opened;

/// The number of results on a page.
const LENGTH: u32 = 10;

/// The length of the longest query, in characters.
const LONGEST_QUERY: usize = 200;

pub(super) fn routes() -> Router<Shared> {
    Router::new()
        .route("/search/{experiment}", get(form).post(search))
        .route("/search/{experiment}/{duel}", get(results).post(done))
        .route("/search/{experiment}/{duel}/{position}", get(document))
}

/// Whether the visitor can search in an experiment.
pub(super) async fn can_search(app: &Shared, visitor: &Visitor, id: ExperimentId) -> bool {
    app.engine.is_some() && open(app, visitor, &id.to_string()).await.is_ok()
}

/// An experiment whose arms are rankers of the engine.
struct SearchPage {
    id: ExperimentId,
    name: String,
    engine: Arc<dyn SearchEngine>,
    /// The rankers that may be drawn.
    rankers: Vec<String>,
    late: Late,
}

/// One search: a duel with its merged list.
struct Search {
    duel: DuelId,
    past: DuelHistory,
    merged: Arc<Interleaved>,
    query: String,
}

async fn open(app: &Shared, visitor: &Visitor, id: &str) -> Result<SearchPage, SearchError> {
    let id = experiment_id(id)?;
    visitor.may(Action::Vote, Some(id))?;
    let engine = app.engine.clone().ok_or(SearchError::NoEngine)?;
    let copy = |experiment: &Experiment| {
        let name = |index: usize| experiment.arms()[index].arm.name.clone();
        let rankers: Vec<String> = experiment.active().iter().map(|arm| name(arm.index())).collect();
        (experiment.name().to_owned(), rankers, experiment.settings().late)
    };
    let (name, rankers, late) = commit(app, id, true, move |arena| arena.view(id, copy)).await?;
    let known = engine.rankers();
    if rankers.iter().any(|ranker| !known.contains(ranker)) {
        return Err(SearchError::NoRankers { experiment: id, known });
    }
    Ok(SearchPage { id, name, engine, rankers, late })
}

impl SearchPage {
    /// Finds a search of this experiment.
    async fn search(&self, app: &Shared, duel: &str) -> Result<Search, SearchError> {
        let no_search = || SearchError::NoSearch { experiment: self.id };
        let duel: DuelId = duel.parse().map_err(|_| no_search())?;
        if duel.experiment != self.id {
            return Err(no_search());
        }
        // This may read the store.
        let found = match ask(app, self.id, false, move |arena| arena.ranker_duel(duel)).await {
            Ok(pending) => durable(pending).await?,
            Err(problem) if problem.code == ProblemCode::NoDuel => return Err(no_search()),
            Err(problem) => return Err(problem.into()),
        };
        let RankerDuelHistory { past, merged, context } = found;
        let merged = merged.ok_or_else(no_search)?;
        if past.voided {
            return Err(SearchError::Voided { experiment: self.id });
        }
        if past.answer.is_none() && past.expired && self.late == Late::Refuse {
            return Err(SearchError::Expired { experiment: self.id });
        }
        let query = context.as_ref().and_then(|context| context["query"].as_str()).unwrap_or_default();
        Ok(Search { duel, past, merged, query: query.to_owned() })
    }

    /// Documents by their ids. A document that no longer exists has its id as title and no text.
    async fn documents(&self, ids: &[String]) -> Result<Vec<Document>, Problem> {
        let (engine, ids) = (Arc::clone(&self.engine), ids.to_vec());
        let read = move || {
            let gone = |id: String| Document { title: id, text: String::new() };
            ids.into_iter().map(|id| engine.document(&id).unwrap_or_else(|| gone(id))).collect()
        };
        off_thread(read).await
    }

    /// What each ranker finds.
    async fn lists(&self, query: &str) -> Result<Lists, Problem> {
        let (engine, rankers, query) = (Arc::clone(&self.engine), self.rankers.clone(), query.to_owned());
        let find = move || {
            let list = |ranker: String| {
                let found = engine.search(&ranker, &query, LENGTH as usize);
                (ranker, found)
            };
            Lists(rankers.into_iter().map(list).collect::<BTreeMap<_, _>>())
        };
        off_thread(find).await
    }
}

/// The page with the search box.
async fn form(
    State(app): State<Shared>,
    visitor: Visitor,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, SearchError> {
    let page = open(&app, &visitor, &id).await?;
    let unfinished = Opened::of(&headers).map(|opened| opened.duel).filter(|duel| duel.experiment == page.id);
    Ok(view::start(&visitor, &page, "", None, unfinished).into_response())
}

#[derive(Debug, Deserialize)]
struct Asked {
    query: String,
}

/// Searches: draws two rankers and merges their lists.
async fn search(
    State(app): State<Shared>,
    visitor: Visitor,
    headers: HeaderMap,
    Path(id): Path<String>,
    Form(Asked { query }): Form<Asked>,
) -> Result<Response, SearchError> {
    let page = open(&app, &visitor, &id).await?;
    let query = query.trim();
    let again = |status: StatusCode, words: &str| {
        (status, view::start(&visitor, &page, query, Some(words), None)).into_response()
    };
    if query.is_empty() {
        return Ok(again(StatusCode::UNPROCESSABLE_ENTITY, "Enter one or more words to search for."));
    }
    if query.chars().count() > LONGEST_QUERY {
        let words = format!("The query is too long. Use at most {LONGEST_QUERY} characters.");
        return Ok(again(StatusCode::UNPROCESSABLE_ENTITY, &words));
    }
    if let Some(last) = Opened::of(&headers) {
        finish_last(&app, &visitor, &last).await?;
    }
    let lists = page.lists(query).await?;
    if lists.0.values().all(Vec::is_empty) {
        // No duel is issued: an empty list says nothing about the rankers.
        let words = format!("Nothing was found for “{query}”. Try other words.");
        let answer = again(StatusCode::OK, &words);
        return Ok(([(header::SET_COOKIE, Opened::no_cookie())], answer).into_response());
    }
    let request = InterleaveRequest {
        client: None,
        context: Some(json!({ "query": query })),
        options: MergeOptions { method: Some("team-draft".to_owned()), length: Some(LENGTH) },
        lists: Some(lists),
    };
    let id = page.id;
    let found = commit(&app, id, true, move |arena| arena.interleave(id, &request)).await?;
    app.metrics.duels.inc();
    let duel = found.duel.id;
    let cookie = Opened::new(duel).cookie();
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to(&format!("/search/{id}/{duel}"))).into_response())
}

/// Counts the clicks of the previous search, which the visitor did not finish. If the arena refuses
/// them (they may be too late), the new search goes on. Only errors of the server and rate limits
/// stop it.
async fn finish_last(app: &Shared, visitor: &Visitor, last: &Opened) -> Result<(), SearchError> {
    if !visitor.can(Action::Vote, Some(last.duel.experiment)) {
        return Ok(());
    }
    match count(app, visitor, last).await {
        Err(problem) if problem.code.status() >= 500 || problem.code.status() == 429 => Err(problem.into()),
        _ => Ok(()),
    }
}

/// Records the opened results as the clicks of the duel.
async fn count(app: &Shared, visitor: &Visitor, opened: &Opened) -> Result<(), Problem> {
    let duel = opened.duel;
    let clicked = Clicked::Positions(opened.positions.iter().copied().collect());
    let request = ClickRequest { clicked, voter: Some(visitor.voter()), said: None };
    let said = commit(app, duel.experiment, true, move |arena| arena.click(duel, &request)).await?;
    if said == Done::Recorded {
        app.metrics.outcomes.inc();
    }
    Ok(())
}

/// The merged list, or the credit once the clicks have been counted.
async fn results(
    State(app): State<Shared>,
    visitor: Visitor,
    headers: HeaderMap,
    Path((id, duel)): Path<(String, String)>,
) -> Result<Response, SearchError> {
    let page = open(&app, &visitor, &id).await?;
    let search = page.search(&app, &duel).await?;
    let documents = page.documents(search.merged.list.documents()).await?;
    if search.past.answer.is_none() {
        let opened = Opened::of(&headers).filter(|opened| opened.duel == search.duel);
        return Ok(view::results(&visitor, &page, &search, &documents, opened.as_ref()).into_response());
    }
    let (left, right) = search.past.drawn.sides();
    let id = page.id;
    let names = move |experiment: &Experiment| {
        [left, right].map(|arm| experiment.arms()[arm.index()].arm.name.clone())
    };
    let rankers = ask(&app, id, true, move |arena| arena.peek(id, names)).await?;
    Ok(credit::page(&visitor, &page, &search, &documents, &rankers).into_response())
}

/// The visitor is done: counts the results that they opened.
async fn done(
    State(app): State<Shared>,
    visitor: Visitor,
    headers: HeaderMap,
    Path((id, duel)): Path<(String, String)>,
    Form(Nothing {}): Form<Nothing>,
) -> Result<Response, SearchError> {
    let page = open(&app, &visitor, &id).await?;
    let search = page.search(&app, &duel).await?;
    let credit = Redirect::to(&format!("/search/{}/{}", page.id, search.duel));
    if search.past.answer.is_some() {
        return Ok(credit.into_response());
    }
    let Some(opened) = Opened::of(&headers).filter(|opened| opened.duel == search.duel) else {
        return Err(SearchError::Elsewhere { experiment: page.id });
    };
    count(&app, &visitor, &opened).await?;
    Ok(([(header::SET_COOKIE, Opened::no_cookie())], credit).into_response())
}

/// One result. The cookie records that it was opened, as long as the click can count.
async fn document(
    State(app): State<Shared>,
    visitor: Visitor,
    headers: HeaderMap,
    Path((id, duel, position)): Path<(String, String, String)>,
) -> Result<Response, SearchError> {
    let page = open(&app, &visitor, &id).await?;
    let search = page.search(&app, &duel).await?;
    let ids = search.merged.list.documents();
    let position = position.parse::<usize>().ok().filter(|position| (1..=ids.len()).contains(position));
    let Some(position) = position else { return Ok(nothing_here()) };
    let Some(found) = page.documents(&ids[position - 1..position]).await?.pop() else {
        return Ok(nothing_here());
    };
    let mut response = view::document(&visitor, &search, &found).into_response();
    // The cookie belongs to the visitor's current search. A result of another search must not
    // replace it.
    let own = Opened::of(&headers).filter(|opened| opened.duel == search.duel);
    if let Some(mut opened) = own.filter(|_| search.past.answer.is_none()) {
        opened.positions.insert(position as u64);
        response.headers_mut().append(header::SET_COOKIE, opened.cookie());
    }
    Ok(response)
}
