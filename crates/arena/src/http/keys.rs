//! Creating, listing and revoking keys.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use tiltyard_wire as wire;

use super::auth::Caller;
use super::experiments::done;
use super::extract::{Body, Path, field};
use super::problems::problems;
use crate::Arena;
use crate::app::{Problem, Shared, blocking};
use crate::id::{ExperimentId, KeyId};
use crate::key::Action;
use crate::time::Time;

problems!(MakeProblems = NoExperiment StoreUnavailable + ALWAYS + BODY);

/// Create a key.
///
/// The key is shown only this once.
#[utoipa::path(
    post, operation_id = "make_key", path = "/v1/keys", tag = "keys", request_body = wire::KeyBody,
    responses(
        (status = 201, description = "The new key", body = wire::NewKeyView),
        MakeProblems,
    )
)]
pub(super) async fn make(
    State(app): State<Shared>,
    caller: Caller,
    Body(body): Body<wire::KeyBody>,
) -> Result<(StatusCode, Json<wire::NewKeyView>), Problem> {
    caller.may(Action::Keys, None)?;
    let experiment: Option<ExperimentId> = field("experiment", body.experiment.as_deref())?;
    match (body.scope, experiment) {
        (wire::Scope::Voter, None) => return Err(Problem::invalid("a `voter` key needs one `experiment`")),
        (wire::Scope::Admin, Some(_)) => {
            return Err(Problem::invalid("an `admin` key is for all experiments: leave `experiment` out"));
        }
        _ => {}
    }
    let is_bad = |label: &String| {
        label.trim().is_empty() || label.chars().any(char::is_control) || label.chars().count() > 200
    };
    if body.label.as_ref().is_some_and(is_bad) {
        return Err(Problem::invalid("`label` must have 1 to 200 characters and no control characters"));
    }
    let expires: Option<Time> = field("expires_at", body.expires_at.as_deref())?;
    let (scope, label) = (body.scope, body.label);
    let make = move |arena: &Arena| arena.make_key(scope.into(), experiment, label, expires);
    let (id, secret) = blocking(&app, make).await?;
    Ok((
        StatusCode::CREATED,
        Json(wire::NewKeyView { id: id.to_string(), key: secret.expose().to_owned(), scope }),
    ))
}

problems!(ListProblems = + ALWAYS);

/// List keys, without their secrets.
#[utoipa::path(
    get, operation_id = "list_keys", path = "/v1/keys", tag = "keys",
    responses(
        (status = 200, description = "All keys, including expired and revoked ones", body = wire::KeyList),
        ListProblems,
    )
)]
pub(super) async fn list(State(app): State<Shared>, caller: Caller) -> Result<Json<wire::KeyList>, Problem> {
    caller.may(Action::Keys, None)?;
    Ok(Json(wire::KeyList { keys: app.arena.keys().iter().map(wire::KeyView::from).collect() }))
}

problems!(RevokeProblems = NoKey StoreUnavailable + ALWAYS);

/// Revoke a key.
#[utoipa::path(
    delete, operation_id = "revoke_key", path = "/v1/keys/{key_id}", tag = "keys",
    params(wire::KeyId),
    responses(
        (status = 200, description = "The key is revoked, by this request or an earlier one", body = wire::DoneView),
        RevokeProblems,
    )
)]
pub(super) async fn revoke(
    State(app): State<Shared>,
    caller: Caller,
    Path(key): Path<KeyId>,
) -> Result<Json<wire::DoneView>, Problem> {
    caller.may(Action::Keys, None)?;
    Ok(done(blocking(&app, move |arena| arena.revoke_key(key)).await?))
}
