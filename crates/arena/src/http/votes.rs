//! Imports votes that were given elsewhere, and exports all votes as a file.

use std::io;
use std::sync::Arc;

use axum::Json;
use axum::body::Body as ResponseBody;
use axum::extract::State;
use axum::http::header;
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
use crate::arena::{BallotPages, Done};
use crate::domain::Experiment;
use crate::id::ExperimentId;
use crate::key::Action;

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
    let stopping = app.stopping.clone();
    let first = votes.header().to_owned();
    let mut export = Export { app, caller, stopping, at: Some((reader, votes)), _permit: permit };
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
    let kind = match format {
        wire::VotesFormat::Csv => "text/csv; charset=utf-8; header=present",
        wire::VotesFormat::Jsonl => "application/jsonl",
    };
    Ok(([(header::CONTENT_TYPE, kind)], ResponseBody::from_stream(rest)).into_response())
}

/// An export in progress. Between two pages it holds neither a thread nor a part of the store, so
/// that a slow reader costs only memory.
struct Export {
    app: Shared,
    /// Checked before each page, because the caller's key may be revoked meanwhile.
    caller: Caller,
    stopping: watch::Receiver<bool>,
    /// The position in the log; none at its end or after a failure.
    at: Option<(BallotPages, VoteText)>,
    _permit: OwnedSemaphorePermit,
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

    /// The given text and, after it, the next page that has votes; none if both are empty.
    async fn page(&mut self, mut text: String) -> Result<Option<Bytes>, Problem> {
        let Some((mut reader, votes)) = self.at.take() else { return Ok(None) };
        let (text, at) = blocking(&self.app, move |arena| {
            while let Some(steps) = arena.next_ballots(&mut reader)? {
                votes.write(&steps, &mut text);
                if !text.is_empty() {
                    return Ok((text, Some((reader, votes))));
                }
            }
            Ok((text, None))
        })
        .await?;
        self.at = at;
        Ok((!text.is_empty()).then(|| Bytes::from(text)))
    }
}
