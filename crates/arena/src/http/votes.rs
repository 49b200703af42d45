//! Votes in and out: those that were given elsewhere, and all of them as a file.

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

/// Bring votes in that were given elsewhere. They count like others, and are counted apart; they
/// have no duel.
#[utoipa::path(
    post, operation_id = "import_votes", path = "/v1/experiments/{experiment}/votes", tag = "votes", request_body = wire::VotesBody,
    params(wire::ExperimentId),
    responses(
        (status = 200, description = "They are in, now or before", body = wire::ImportView),
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

/// Take votes out again that came in together. The log keeps both.
#[utoipa::path(
    delete, operation_id = "void_import", path = "/v1/experiments/{experiment}/votes/{place}", tag = "votes",
    params(
        wire::ExperimentId,
        ("place" = String, Path, description = "The place of the import in the log", pattern = "^[1-9][0-9]{0,18}$"),
    ),
    responses(
        (status = 200, description = "They are out, now or before", body = wire::ImportView),
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

/// Read all votes that count, in the order of the log up to where it is now. The body is chunked;
/// one that ends without its last chunk is not whole.
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
        // After the reader, so that no vote is on an arm that is not among them.
        let names =
            |experiment: &Experiment| experiment.arms().iter().map(|entry| Arc::clone(&entry.arm)).collect();
        Ok((reader, arena.view(id, names)?))
    })
    .await?;
    let votes = VoteText { format, arms, after };
    let stopping = app.stopping.clone();
    let first = votes.header().to_owned();
    let mut export = Export { app, caller, stopping, at: Some((reader, votes)), _permit: permit };
    // The first page is read before the head of the answer is sent, so that a store that fails is a
    // problem like others.
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

/// Votes on their way out. Between two pages it holds nothing of the store and no thread, so that a
/// slow reader costs memory alone.
struct Export {
    app: Shared,
    /// Whoever reads: a key may be revoked meanwhile.
    caller: Caller,
    stopping: watch::Receiver<bool>,
    /// Where it is; nothing once it has failed.
    at: Option<(BallotPages, VoteText)>,
    _permit: OwnedSemaphorePermit,
}

impl Export {
    /// More of the body; nothing at its end. An error breaks the body off, so that nobody takes it
    /// for whole.
    async fn next(&mut self) -> Result<Option<Bytes>, io::Error> {
        if *self.stopping.borrow() {
            self.at = None;
            return Err(io::Error::other("the server is about to stop"));
        }
        if !self.caller.still_may(&self.app) {
            self.at = None;
            return Err(io::Error::other("the key is no longer good"));
        }
        self.page(String::new()).await.map_err(|problem| io::Error::other(problem.detail))
    }

    /// The next page that has votes, behind some text.
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
