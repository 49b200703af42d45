//! The voting page.
//!
//! In `/vote/{ticket}`, the ticket is either the id of an experiment, for visitors who have signed
//! in, or the secret of a key, for everyone who has the link. Revoking the key closes the link. The
//! server keeps nothing but the log. `voter.rs` decides what happens, `content.rs` what is shown,
//! and `view.rs` renders it.

use std::sync::Arc;

use axum::Router;
use axum::extract::{FromRequestParts, Path, RawPathParams, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use tiltyard_wire::ProblemCode;

use self::content::Content;
use self::memory::{Memory, Note};
use self::voter::{Voter, Writes};
use super::failure::{Failure, nothing_here};
use super::form::{Form, Nothing};
use super::headers::POLICY;
use super::visitor::Visitor;
use crate::app::{Problem, Shared, blocking, durable, is_origin};
use crate::domain::Answer;
use crate::id::{DuelId, ExperimentId};
use crate::key::{Action, Secret};
use crate::{Arena, ArenaError};

mod content;
mod markdown;
mod media;
mod memory;
mod view;
mod voter;

pub(super) use media::media;

/// The content security policy of a candidate that is shown alone. Candidates are not trusted: they
/// may have styles and embedded pictures, and nothing else.
const ALONE: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; \
                     base-uri 'none'; frame-ancestors 'self'";

pub(super) fn routes() -> Router<Shared> {
    Router::new()
        .route("/vote/{ticket}", get(page))
        .route("/vote/{ticket}/start", post(start).get(back))
        .route("/vote/{ticket}/answer", post(answer).get(back))
        .route("/vote/{ticket}/undo", post(undo).get(back))
        .route("/vote/{ticket}/candidate/{duel}/{side}", get(candidate))
}

/// A request for a voting page that the visitor may open.
#[derive(Debug)]
struct VotingPage {
    visitor: Visitor,
    voter: Voter,
    ticket: String,
    /// Whether the page goes without the script.
    plain: bool,
    /// The content of the browser's cookie.
    memory: Option<Memory>,
}

/// Why a voting page is not shown.
#[derive(Debug)]
enum VotingError {
    /// The link is not valid.
    Link,
    Failure(Failure),
}

impl<F: Into<Failure>> From<F> for VotingError {
    fn from(failure: F) -> Self {
        Self::Failure(failure.into())
    }
}

impl IntoResponse for VotingError {
    fn into_response(self) -> Response {
        match self {
            Self::Link => (StatusCode::NOT_FOUND, view::no_such_link()).into_response(),
            Self::Failure(failure) => failure.into_response(),
        }
    }
}

impl FromRequestParts<Shared> for VotingPage {
    type Rejection = VotingError;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, VotingError> {
        let visitor = Visitor::from_request_parts(parts, app).await?;
        let ways = RawPathParams::from_request_parts(parts, app).await.map_err(|_| VotingError::Link)?;
        let ticket = ways.iter().find(|(name, _)| *name == "ticket").ok_or(VotingError::Link)?.1.to_owned();
        let experiment = if let Ok(experiment) = ticket.parse::<ExperimentId>() {
            visitor.may(Action::Vote, Some(experiment))?;
            experiment
        } else {
            let grant = app.arena.check_key(&Secret::brought(&ticket));
            let grant = grant.filter(|grant| grant.allows(Action::Vote, grant.experiment));
            grant.and_then(|grant| grant.experiment).ok_or(VotingError::Link)?
        };
        let query = parts.uri.query().unwrap_or_default();
        let plain = query.split('&').any(|part| part == "plain" || part == "plain=");
        let memory = Memory::brought(&parts.headers, experiment);
        let voter = Voter { experiment, name: visitor.voter(), chain: visitor.chain() };
        Ok(Self { visitor, voter, ticket, plain, memory })
    }
}

impl VotingPage {
    /// The address of the page, or of something below it.
    fn address(&self, below: &str) -> String {
        let plain = if self.plain { "?plain" } else { "" };
        format!("/vote/{}{below}{plain}", self.ticket)
    }

    /// Runs `work` with the arena and the browser's memory, and waits until all writes are durable.
    async fn ask<T: Send + 'static>(
        &self,
        app: &Shared,
        work: impl FnOnce(&Voter, &Arena, Option<Memory>, &mut Writes) -> Result<T, ArenaError> + Send + 'static,
    ) -> Result<T, Problem> {
        let (voter, memory) = (self.voter.clone(), self.memory.clone());
        let (done, writes) = blocking(app, move |arena| {
            let mut writes = Writes::default();
            work(&voter, arena, memory, &mut writes).map(|done| (done, writes))
        })
        .await?;
        for pending in writes.pending {
            durable(pending).await?;
        }
        app.metrics.duels.inc_by(writes.duels);
        app.metrics.outcomes.inc_by(writes.outcomes);
        Ok(done)
    }

    /// Redirects to the page and stores the new memory in the browser. If the server is
    /// unavailable, the memory stays as it was before, and the page says so.
    fn back(&self, before: Option<Memory>, after: Result<Memory, Problem>) -> Result<Response, VotingError> {
        let memory = match after {
            Ok(memory) => memory,
            Err(problem) if problem.status() == StatusCode::SERVICE_UNAVAILABLE => {
                let Some(before) = before else { return Err(problem.into()) };
                Memory { note: Some(Note::Busy), ..before }
            }
            Err(problem) => return Err(problem.into()),
        };
        let cookie = memory.cookie(self.voter.experiment);
        Ok(([(header::SET_COOKIE, cookie)], Redirect::to(&self.address(""))).into_response())
    }
}

async fn page(State(app): State<Shared>, voting: VotingPage) -> Result<Response, VotingError> {
    let seen = voting.ask(&app, Voter::see).await;
    let (seen, memory) = match seen {
        Ok(seen) => seen,
        Err(problem) if problem.status() == StatusCode::SERVICE_UNAVAILABLE => {
            return Ok((problem.status(), view::busy(&voting)).into_response());
        }
        Err(problem) => return Err(problem.into()),
    };
    let note = memory.as_ref().and_then(|memory| memory.note);
    let body = view::page(&voting, &seen, note, &app.config.content_origins);
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, policy(&app.config.content_origins));
    if let Some(memory) = memory {
        // A note is shown only once.
        let memory = Memory { note: None, ..memory };
        headers.append(header::SET_COOKIE, memory.cookie(voting.voter.experiment));
    }
    Ok(response)
}

/// The response to GET for an address that only accepts forms.
async fn back(voting: VotingPage) -> Redirect {
    Redirect::to(&voting.address(""))
}

async fn start(
    State(app): State<Shared>,
    voting: VotingPage,
    Form(Nothing {}): Form<Nothing>,
) -> Result<Response, VotingError> {
    let after = voting.ask(&app, Voter::start).await;
    voting.back(Some(voting.memory.clone().unwrap_or_default()), after)
}

/// The form of a vote.
#[derive(Debug, Deserialize)]
struct Ballot {
    duel: String,
    answer: Word,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Left,
    Right,
    Tie,
    BothBad,
    Skip,
}

impl From<Word> for Answer {
    fn from(word: Word) -> Self {
        match word {
            Word::Left => Self::Left,
            Word::Right => Self::Right,
            Word::Tie => Self::Tie,
            Word::BothBad => Self::BothBad,
            Word::Skip => Self::Skip,
        }
    }
}

async fn answer(
    State(app): State<Shared>,
    voting: VotingPage,
    Form(Ballot { duel, answer }): Form<Ballot>,
) -> Result<Response, VotingError> {
    let duel = duel_of(&duel, voting.voter.experiment)?;
    let said = (duel, Answer::from(answer));
    let answered =
        voting.ask(&app, move |voter, arena, memory, writes| voter.answer(arena, memory, said, writes)).await;
    let before = voting.memory.clone().unwrap_or_else(|| Memory { current: Some(duel), ..Memory::default() });
    voting.back(Some(before), answered)
}

/// The form that takes a vote back.
#[derive(Debug, Deserialize)]
struct Undo {
    duel: String,
}

async fn undo(
    State(app): State<Shared>,
    voting: VotingPage,
    Form(Undo { duel }): Form<Undo>,
) -> Result<Response, VotingError> {
    let duel = duel_of(&duel, voting.voter.experiment)?;
    let undone =
        voting.ask(&app, move |voter, arena, memory, writes| voter.undo(arena, memory, duel, writes)).await;
    voting.back(voting.memory.clone(), undone)
}

/// Reads the id of a duel, which must belong to the experiment.
fn duel_of(text: &str, experiment: ExperimentId) -> Result<DuelId, Problem> {
    let duel = text.parse().ok().filter(|duel: &DuelId| duel.experiment == experiment);
    duel.ok_or_else(|| ProblemCode::NoDuel.into())
}

/// One candidate of a duel on its own, for frames and pictures.
async fn candidate(
    State(app): State<Shared>,
    voting: VotingPage,
    Path((_, duel, side)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> Result<Response, VotingError> {
    let duel = duel_of(&duel, voting.voter.experiment)?;
    let is_left = match side.as_str() {
        "left" => true,
        "right" => false,
        _ => return Ok(nothing_here()),
    };
    let arm = voting.ask(&app, move |_, arena, _, writes| {
        let (left, right) = writes.wait_for(arena.duel(duel)?).drawn.sides();
        let shown = if is_left { left } else { right };
        arena.peek(duel.experiment, |experiment| {
            experiment.arms().get(shown.index()).map(|entry| Arc::clone(&entry.arm))
        })
    });
    let Some(arm) = arm.await? else { return Ok(nothing_here()) };
    let content = Content::of(&arm);
    if let Some(path) = content.media() {
        let known = headers.get(header::IF_NONE_MATCH).cloned();
        return Ok(media::send(&app, path.to_owned(), known).await);
    }
    let Content::Html(html) = content else { return Ok(nothing_here()) };
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, ALONE),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    Ok((headers, html.to_owned()).into_response())
}

/// The content security policy of a voting page: that of all pages, and also frames and the origins
/// in the configuration of the server.
fn policy(origins: &[String]) -> HeaderValue {
    let origins: String =
        origins.iter().filter(|origin| is_origin(origin)).flat_map(|origin| [" ", origin]).collect();
    let images = "img-src 'self' data:";
    let policy = POLICY.replace(images, &format!("{images}{origins}"));
    let policy = format!("{policy}; frame-src 'self'{origins}");
    HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static(POLICY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_policy() {
        let text = |origins: &[&str]| {
            let origins: Vec<String> = origins.iter().map(|&origin| origin.to_owned()).collect();
            policy(&origins).to_str().expect("plain text").to_owned()
        };
        assert_eq!(text(&[]), format!("{POLICY}; frame-src 'self'"));
        let with = text(&["https://a.example", "https://b.example:8443"]);
        assert!(with.contains("; img-src 'self' data: https://a.example https://b.example:8443; "), "{with}");
        assert!(with.ends_with("; frame-src 'self' https://a.example https://b.example:8443"), "{with}");
        assert_eq!(text(&["https://a.example; script-src *", "*", "data:"]), text(&[]));
    }
}
