//! Keys: who may do what.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::Shared;
use super::auth::Caller;
use super::experiments::{blocking, done};
use super::extract::{Body, Path};
use super::problem::{Code, Problem, problems};
use super::wire::{DoneView, KeyBody, KeyList, KeyView, NewKeyView, ScopeWord};
use crate::id::{ExperimentId, KeyId};
use crate::key::Action;
use crate::time::{Time, TimeError};

problems!(MakeProblems = NoExperiment StoreUnavailable + ALWAYS + BODY);

/// Make a key. It is shown this once.
#[utoipa::path(
    post, operation_id = "make_key", path = "/v1/keys", tag = "keys", request_body = KeyBody,
    responses(
        (status = 201, description = "The key", body = NewKeyView),
        MakeProblems,
    )
)]
pub(super) async fn make(
    State(app): State<Shared>,
    caller: Caller,
    Body(body): Body<KeyBody>,
) -> Result<(StatusCode, Json<NewKeyView>), Problem> {
    caller.may(Action::Keys, None)?;
    let invalid = |detail: String| Problem::new(Code::Invalid, detail);
    let experiment: Option<ExperimentId> = body
        .experiment
        .as_deref()
        .map(str::parse)
        .transpose()
        .map_err(|error: crate::id::IdError| invalid(format!("`experiment`: {error}")))?;
    match (body.scope, experiment) {
        (ScopeWord::Voter, None) => return Err(invalid("a voter's key is for one `experiment`".to_owned())),
        (ScopeWord::Admin, Some(_)) => {
            return Err(invalid("an admin's key is for all experiments".to_owned()));
        }
        _ => {}
    }
    let is_bad = |label: &String| {
        label.trim().is_empty() || label.chars().any(char::is_control) || label.chars().count() > 200
    };
    if body.label.as_ref().is_some_and(is_bad) {
        return Err(invalid(
            "`label` must be 1 to 200 characters, none of them control characters".to_owned(),
        ));
    }
    let expires: Option<Time> = body
        .expires_at
        .as_deref()
        .map(str::parse)
        .transpose()
        .map_err(|error: TimeError| invalid(format!("`expires_at`: {error}")))?;
    let (arena, scope, label) = (Arc::clone(&app.arena), body.scope, body.label);
    let (id, secret) = blocking(move || arena.make_key(scope.into(), experiment, label, expires)).await?;
    Ok((StatusCode::CREATED, Json(NewKeyView { id: id.to_string(), key: secret.expose().to_owned(), scope })))
}

problems!(ListProblems = + ALWAYS);

/// List keys, without their secrets.
#[utoipa::path(
    get, operation_id = "list_keys", path = "/v1/keys", tag = "keys",
    responses(
        (status = 200, description = "All keys, also those that are good for nothing any more", body = KeyList),
        ListProblems,
    )
)]
pub(super) async fn list(State(app): State<Shared>, caller: Caller) -> Result<Json<KeyList>, Problem> {
    caller.may(Action::Keys, None)?;
    Ok(Json(KeyList { keys: app.arena.keys().iter().map(KeyView::from).collect() }))
}

problems!(RevokeProblems = NoKey StoreUnavailable + ALWAYS);

/// Revoke a key.
#[utoipa::path(
    delete, operation_id = "revoke_key", path = "/v1/keys/{key_id}", tag = "keys",
    params(KeyId),
    responses(
        (status = 200, description = "It is revoked, now or before", body = DoneView),
        RevokeProblems,
    )
)]
pub(super) async fn revoke(
    State(app): State<Shared>,
    caller: Caller,
    Path(key): Path<KeyId>,
) -> Result<Json<DoneView>, Problem> {
    caller.may(Action::Keys, None)?;
    let arena = Arc::clone(&app.arena);
    Ok(done(blocking(move || arena.revoke_key(key)).await?))
}
