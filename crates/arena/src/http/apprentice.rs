//! An apprentice: a policy that learns before it takes traffic.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::Shared;
use super::auth::Caller;
use super::experiments::blocking;
use super::extract::{Body, Path};
use super::guard::durable;
use super::problem::{Code, Problem, problems};
use super::wire::{ApprenticeBody, ApprenticeView, DoneView, ExperimentView};
use crate::arena::Done;
use crate::id::ExperimentId;
use crate::key::Action;

problems!(BeginProblems = NoExperiment ExperimentClosed HasApprentice NotElastic BadPolicy StoreUnavailable + ALWAYS + BODY);

/// Let another policy learn from every outcome, without drawing a duel.
#[utoipa::path(
    post, operation_id = "begin_apprentice", path = "/v1/experiments/{experiment}/apprentice", tag = "experiments",
    request_body = ApprenticeBody,
    params(ExperimentId),
    responses(
        (status = 201, description = "It learns", body = ApprenticeView),
        BeginProblems,
    )
)]
pub(super) async fn begin(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    Body(body): Body<ApprenticeBody>,
) -> Result<(StatusCode, Json<ApprenticeView>), Problem> {
    caller.may(Action::Change, Some(id))?;
    let arena = Arc::clone(&app.arena);
    durable(blocking(move || arena.begin_apprentice(id, &body.policy)).await?).await?;
    Ok((StatusCode::CREATED, view(&app, id)?))
}

problems!(ReadProblems = NoExperiment NoApprentice StoreUnavailable + ALWAYS);

/// See how the apprentice does.
#[utoipa::path(
    get, operation_id = "read_apprentice", path = "/v1/experiments/{experiment}/apprentice", tag = "experiments",
    params(ExperimentId),
    responses(
        (status = 200, description = "The apprentice", body = ApprenticeView),
        ReadProblems,
    )
)]
pub(super) async fn read(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
) -> Result<Json<ApprenticeView>, Problem> {
    caller.may(Action::Read, Some(id))?;
    view(&app, id)
}

fn view(app: &Shared, id: ExperimentId) -> Result<Json<ApprenticeView>, Problem> {
    let view = app.arena.view(id, ApprenticeView::new)?;
    view.map(Json).ok_or_else(|| Code::NoApprentice.into())
}

problems!(DismissProblems = NoExperiment NoApprentice StoreUnavailable + ALWAYS);

/// Send the apprentice away.
#[utoipa::path(
    delete, operation_id = "dismiss_apprentice", path = "/v1/experiments/{experiment}/apprentice", tag = "experiments",
    params(ExperimentId),
    responses(
        (status = 200, description = "It is gone", body = DoneView),
        DismissProblems,
    )
)]
pub(super) async fn dismiss(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
) -> Result<Json<DoneView>, Problem> {
    caller.may(Action::Change, Some(id))?;
    durable(app.arena.dismiss_apprentice(id)?).await?;
    Ok(super::experiments::done(Done::Recorded))
}

problems!(TakeOverProblems = NoExperiment NoApprentice ExperimentClosed StoreUnavailable + ALWAYS);

/// Let the apprentice draw the duels from now on, with what it has learned.
#[utoipa::path(
    post, operation_id = "promote_apprentice", path = "/v1/experiments/{experiment}/apprentice/take-over", tag = "experiments",
    params(ExperimentId),
    responses(
        (status = 200, description = "It is the policy", body = ExperimentView),
        TakeOverProblems,
    )
)]
pub(super) async fn take_over(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
) -> Result<Json<ExperimentView>, Problem> {
    caller.may(Action::Change, Some(id))?;
    durable(app.arena.promote_apprentice(id)?).await?;
    Ok(Json(app.arena.view(id, |experiment| experiment.into())?))
}
