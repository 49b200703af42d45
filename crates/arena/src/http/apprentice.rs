//! An apprentice: a policy that learns before it draws any duels.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use tiltyard_wire::{self as wire, ProblemCode};

use super::auth::Caller;
use super::extract::{Body, Path};
use super::problems::problems;
use crate::Arena;
use crate::app::{Problem, Shared, commit, commit_and_show};
use crate::arena::Done;
use crate::domain::Experiment;
use crate::id::ExperimentId;
use crate::key::Action;

/// The maximum number of arms in a response.
const MOST_LISTED: usize = 100;

problems!(BeginProblems = NoExperiment ExperimentClosed HasApprentice NotElastic BadPolicy StoreUnavailable + ALWAYS + BODY);

/// Start an apprentice: a policy that learns from every outcome without drawing duels.
#[utoipa::path(
    post, operation_id = "begin_apprentice", path = "/v1/experiments/{experiment}/apprentice", tag = "experiments",
    request_body = wire::ApprenticeBody,
    params(wire::ExperimentId),
    responses(
        (status = 201, description = "The new apprentice", body = wire::Apprentice),
        BeginProblems,
    )
)]
pub(super) async fn begin(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    Body(body): Body<wire::ApprenticeBody>,
) -> Result<(StatusCode, Json<wire::Apprentice>), Problem> {
    caller.may(Action::Change, Some(id))?;
    let begin = move |arena: &Arena| arena.begin_apprentice(id, &body.policy);
    let ((), view) = commit_and_show(&app, id, false, begin, |experiment, ()| apprentice(experiment)).await?;
    Ok((StatusCode::CREATED, found(view)?))
}

problems!(ReadProblems = NoExperiment NoApprentice StoreUnavailable + ALWAYS);

/// Read the apprentice.
#[utoipa::path(
    get, operation_id = "read_apprentice", path = "/v1/experiments/{experiment}/apprentice", tag = "experiments",
    params(wire::ExperimentId),
    responses(
        (status = 200, description = "The apprentice", body = wire::Apprentice),
        ReadProblems,
    )
)]
pub(super) async fn read(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
) -> Result<Json<wire::Apprentice>, Problem> {
    caller.may(Action::Read, Some(id))?;
    found(commit(&app, id, true, move |arena| arena.view(id, apprentice)).await?)
}

fn found(view: Option<wire::Apprentice>) -> Result<Json<wire::Apprentice>, Problem> {
    view.map(Json).ok_or_else(|| ProblemCode::NoApprentice.into())
}

fn apprentice(experiment: &Experiment) -> Option<wire::Apprentice> {
    let apprentice = experiment.apprentice()?;
    let policy = apprentice.policy();
    let name = |index: usize| experiment.arms()[index].arm.name.clone();
    let mut order: Vec<(usize, f64)> =
        policy.probabilities().unwrap_or_default().into_iter().enumerate().collect();
    order.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    let arms = order
        .into_iter()
        .take(MOST_LISTED)
        .map(|(index, probability)| wire::ApprenticeArm { name: name(index), probability });
    Some(wire::Apprentice {
        policy: policy.spec().to_string(),
        began: apprentice.began(),
        lessons: apprentice.lessons(),
        recommended: name(policy.recommend().index()),
        recommended_by_policy: name(experiment.policy().recommend().index()),
        arms: arms.collect(),
    })
}

problems!(DismissProblems = NoExperiment NoApprentice StoreUnavailable + ALWAYS);

/// Dismiss the apprentice.
#[utoipa::path(
    delete, operation_id = "dismiss_apprentice", path = "/v1/experiments/{experiment}/apprentice", tag = "experiments",
    params(wire::ExperimentId),
    responses(
        (status = 200, description = "The apprentice is dismissed", body = wire::DoneView),
        DismissProblems,
    )
)]
pub(super) async fn dismiss(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
) -> Result<Json<wire::DoneView>, Problem> {
    caller.may(Action::Change, Some(id))?;
    commit(&app, id, true, move |arena| arena.dismiss_apprentice(id)).await?;
    Ok(super::experiments::done(Done::Recorded))
}

problems!(TakeOverProblems = NoExperiment NoApprentice ExperimentClosed StoreUnavailable + ALWAYS);

/// Let the apprentice take over.
///
/// From now on it draws the duels, with what it has learned.
#[utoipa::path(
    post, operation_id = "promote_apprentice", path = "/v1/experiments/{experiment}/apprentice/take-over", tag = "experiments",
    params(wire::ExperimentId),
    responses(
        (status = 200, description = "The experiment with its new policy", body = wire::ExperimentView),
        TakeOverProblems,
    )
)]
pub(super) async fn take_over(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
) -> Result<Json<wire::ExperimentView>, Problem> {
    caller.may(Action::Change, Some(id))?;
    let promote = move |arena: &Arena| arena.promote_apprentice(id);
    let ((), view) = commit_and_show(&app, id, true, promote, |experiment, ()| experiment.into()).await?;
    Ok(Json(view))
}
