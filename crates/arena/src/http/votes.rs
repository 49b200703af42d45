//! Imports votes that were given elsewhere, and exports all votes as a file.

use std::io;
use std::sync::Arc;

use axum::Json;
use axum::body::Body as ResponseBody;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use tiltyard_wire::{self as wire, ProblemCode};
use tokio::sync::{OwnedSemaphorePermit, watch};

use super::auth::Caller;
use super::convert;
use super::extract::{Body, ImportPath, Path, Query};
use super::problems::problems;
use super::standing::place;
use super::vote_row::VoteText;
use crate::app::{Problem, Shared, blocking, commit};
use crate::arena::{BallotPages, Done, LogPages};
use crate::domain::Experiment;
use crate::id::ExperimentId;
use crate::key::Action;
use crate::{Arena, ArenaError};

problems!(ImportProblems = NoExperiment ExperimentClosed ClientIdReused ImportVoided UnknownArms StoreUnavailable + ALWAYS + BODY);

/// Import votes that were given elsewhere.
///
/// They count like other votes, and are also counted separately. They have no duel.
#[utoipa::path(
    post, operation_id = "import_votes", path = "/v1/experiments/{experiment}/votes", tag = "votes", request_body = wire::VotesBody,
    params(wire::ExperimentId),
    responses(
        (status = 200, description = "The votes are imported, by this request or an earlier one", body = wire::ImportView),
        ImportProblems,
    )
)]
pub(super) async fn import(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    Body(body): Body<wire::VotesBody>,
) -> Result<Json<wire::ImportView>, Problem> {
    caller.may(Action::Change, Some(id))?;
    let request = convert::import(body)?;
    let import = commit(&app, id, false, move |arena| arena.import(id, request)).await?;
    if import.done == Done::Recorded {
        app.metrics.imported.inc_by(import.votes as u64);
    }
    Ok(Json(import.into()))
}

problems!(VoidImportProblems = NoExperiment NoImport StoreUnavailable + ALWAYS);

/// Void an import.
///
/// Its votes no longer count. The log keeps the import and the voiding.
#[utoipa::path(
    delete, operation_id = "void_import", path = "/v1/experiments/{experiment}/votes/{place}", tag = "votes",
    params(
        wire::ExperimentId,
        ("place" = String, Path, description = "The log position of the import", pattern = "^[1-9][0-9]{0,18}$"),
    ),
    responses(
        (status = 200, description = "The import is voided, by this request or an earlier one", body = wire::ImportView),
        VoidImportProblems,
    )
)]
pub(super) async fn void_import(
    State(app): State<Shared>,
    caller: Caller,
    ImportPath(id, place): ImportPath,
) -> Result<Json<wire::ImportView>, Problem> {
    caller.may(Action::Change, Some(id))?;
    let import = commit(&app, id, false, move |arena| arena.void_import(id, place)).await?;
    Ok(Json(import.into()))
}

problems!(ExportProblems = Invalid NoExperiment StoreUnavailable + ALWAYS);

/// Export all votes that count.
///
/// The votes are in the order of the log, up to its present end. The body is chunked. A body that
/// ends without its last chunk is incomplete.
#[utoipa::path(
    get, operation_id = "export_votes", path = "/v1/experiments/{experiment}/votes", tag = "votes",
    params(wire::ExperimentId, wire::VotesQuery),
    responses(
        (status = 200, description = "The votes", content((String = "text/csv"), (String = "application/jsonl"))),
        ExportProblems,
    )
)]
pub(super) async fn export(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    Query(query): Query<wire::VotesQuery>,
) -> Result<Response, Problem> {
    caller.may(Action::Read, Some(id))?;
    let after = place(query.after)?;
    let format = query.format.unwrap_or(wire::VotesFormat::Csv);
    let permit = Arc::clone(&app.exports).try_acquire_owned();
    let permit = permit.map_err(|_| Problem::from(ProblemCode::Overloaded).retry_after(5))?;
    let (reader, arms) = blocking(&app, move |arena| {
        let reader = arena.ballot_reader(id)?;
        // Copied after the reader was made, so that the arms of all votes are among them.
        let names =
            |experiment: &Experiment| experiment.arms().iter().map(|entry| Arc::clone(&entry.arm)).collect();
        Ok((reader, arena.peek(id, names)?))
    })
    .await?;
    let votes = VoteText { format, arms, after };
    let head = reader.last();
    let first = votes.header().to_owned();
    let kind = match format {
        wire::VotesFormat::Csv => "text/csv; charset=utf-8; header=present",
        wire::VotesFormat::Jsonl => "application/jsonl",
    };
    let mut response = send(app, caller, permit, Source::Votes(reader, votes), first, kind).await?;
    let headers = response.headers_mut();
    headers.insert("tiltyard-head-seq", HeaderValue::from(head.seq));
    let hash = HeaderValue::try_from(head.hash.to_string()).expect("a hash is hexadecimal");
    headers.insert("tiltyard-head", hash);
    Ok(response)
}

problems!(LogProblems = NoExperiment StoreUnavailable + ALWAYS);

/// Export the log of an experiment with its hashes.
///
/// Each line is a record, as JSON: its `body` is the text that its hash covers. The last line has
/// the head of the log. `tiltyard verify FILE` checks the file. The log has the secrets of duels in
/// flight: close the experiment before you publish it.
#[utoipa::path(
    get, operation_id = "export_log", path = "/v1/experiments/{experiment}/log", tag = "votes",
    params(wire::ExperimentId),
    responses(
        (status = 200, description = "The log", content((String = "application/jsonl"))),
        LogProblems,
    )
)]
pub(super) async fn log(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
) -> Result<Response, Problem> {
    caller.may(Action::Change, Some(id))?;
    let permit = Arc::clone(&app.exports).try_acquire_owned();
    let permit = permit.map_err(|_| Problem::from(ProblemCode::Overloaded).retry_after(5))?;
    let pages = blocking(&app, move |arena| arena.export_log(id)).await?;
    send(app, caller, permit, Source::Log(pages), String::new(), "application/jsonl").await
}

/// Sends an export page by page.
async fn send(
    app: Shared,
    caller: Caller,
    permit: OwnedSemaphorePermit,
    source: Source,
    first: String,
    kind: &'static str,
) -> Result<Response, Problem> {
    let stopping = app.stopping.clone();
    let mut export = Export { app, caller, stopping, at: Some(source), _permit: permit };
    // Read the first page before sending the head of the response, so that a failure of the store
    // is reported like any other.
    let first = export.page(first).await?;
    let rest = stream::unfold((first, export), |(ready, mut export)| async move {
        let chunk = match ready {
            Some(chunk) => Ok(chunk),
            None => match export.next().await {
                Ok(Some(chunk)) => Ok(chunk),
                Ok(None) => return None,
                Err(error) => Err(error),
            },
        };
        Some((chunk, (None, export)))
    });
    Ok(([(header::CONTENT_TYPE, kind)], ResponseBody::from_stream(rest)).into_response())
}

/// An export in progress. Between two pages it holds neither a thread nor a part of the store, so
/// that a slow reader costs only memory.
struct Export {
    app: Shared,
    /// Checked before each page, because the caller's key may be revoked meanwhile.
    caller: Caller,
    stopping: watch::Receiver<bool>,
    /// What to send next; none at its end or after a failure.
    at: Option<Source>,
    _permit: OwnedSemaphorePermit,
}

/// What an export sends.
enum Source {
    Votes(BallotPages, VoteText),
    Log(LogPages),
}

impl Source {
    /// Appends the next page that is not empty; nothing at the end.
    fn page(&mut self, arena: &Arena, text: &mut String) -> Result<(), ArenaError> {
        match self {
            Self::Votes(reader, votes) => {
                let length = text.len();
                while text.len() == length {
                    let Some(steps) = arena.next_ballots(reader)? else { break };
                    votes.write(&steps, text);
                }
                Ok(())
            }
            Self::Log(pages) => arena.next_log_lines(pages, text),
        }
    }
}

impl Export {
    /// The next part of the body; none at its end. An error aborts the body, so that no client
    /// mistakes it for a complete one.
    async fn next(&mut self) -> Result<Option<Bytes>, io::Error> {
        if *self.stopping.borrow() {
            self.at = None;
            return Err(io::Error::other("the server is stopping"));
        }
        if !self.caller.still_may(&self.app) {
            self.at = None;
            return Err(io::Error::other("the key is no longer valid"));
        }
        self.page(String::new()).await.map_err(|problem| io::Error::other(problem.detail))
    }

    /// The given text and, after it, the next page; none if both are empty.
    async fn page(&mut self, mut text: String) -> Result<Option<Bytes>, Problem> {
        let Some(mut source) = self.at.take() else { return Ok(None) };
        let (text, source) = blocking(&self.app, move |arena| {
            source.page(arena, &mut text)?;
            Ok((text, source))
        })
        .await?;
        if text.is_empty() {
            return Ok(None);
        }
        self.at = Some(source);
        Ok(Some(Bytes::from(text)))
    }
}
