//! Experiments: making, reading and changing them.

use std::any::Any;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::Shared;
use super::auth::Caller;
use super::extract::{ArmPath, Body, Path, Query};
use super::guard::durable;
use super::problem::{Code, Problem, problems};
use super::wire::{
    ArmList, ArmView, ArmsBody, ArmsQuery, CreateBody, DoneView, EffectView, ExperimentList, ExperimentView,
    ListQuery, VoidBody, VoidView,
};
use crate::arena::Done;
use crate::domain::{Experiment, NewArm, Status, VoidReason};
use crate::id::ExperimentId;
use crate::key::Action;
use crate::time::Time;
use crate::{Arena, ArenaError};

/// How many things a page holds if nothing is said, and at most.
pub(super) fn page(limit: Option<u64>) -> Result<usize, Problem> {
    match limit.unwrap_or(100) {
        limit @ 1..=1000 => Ok(usize::try_from(limit).unwrap_or(1000)),
        limit => Err(Problem::new(Code::Invalid, format!("`limit` must be from 1 to 1000, not {limit}"))),
    }
}

/// The first arm of a page, by index.
pub(super) fn first(name: &str, from: Option<u64>) -> Result<usize, Problem> {
    let from = from.unwrap_or(0);
    let index = u32::try_from(from).ok().and_then(|from| usize::try_from(from).ok());
    index.ok_or_else(|| {
        Problem::new(Code::Invalid, format!("`{name}` is {from}, and nobody has that many arms"))
    })
}

problems!(CreateProblems = BadPolicy StoreUnavailable + ALWAYS + BODY);

/// Make an experiment.
#[utoipa::path(
    post, operation_id = "create_experiment", path = "/v1/experiments", tag = "experiments", request_body = CreateBody,
    responses(
        (status = 201, description = "It runs", body = ExperimentView),
        CreateProblems,
    )
)]
pub(super) async fn create(
    State(app): State<Shared>,
    caller: Caller,
    Body(body): Body<CreateBody>,
) -> Result<(StatusCode, Json<ExperimentView>), Problem> {
    caller.may(Action::Create, None)?;
    // Making a policy of many arms takes longer than a request may hold up others.
    let arena = Arc::clone(&app.arena);
    let pending = blocking(move || arena.create(body.into())).await?;
    let id = durable(pending).await?;
    Ok((StatusCode::CREATED, Json(app.arena.view(id, |experiment| experiment.into())?)))
}

problems!(ListProblems = Invalid StoreUnavailable + ALWAYS);

/// List experiments.
#[utoipa::path(
    get, operation_id = "list_experiments", path = "/v1/experiments", tag = "experiments", params(ListQuery),
    responses(
        (status = 200, description = "Some of them, by id", body = ExperimentList),
        ListProblems,
    )
)]
pub(super) async fn list(
    State(app): State<Shared>,
    caller: Caller,
    Query(query): Query<ListQuery>,
) -> Result<Json<ExperimentList>, Problem> {
    // A key of one experiment sees that one.
    caller.may(Action::Read, caller.experiment())?;
    let limit = page(query.limit)?;
    let after = match &query.after {
        None => None,
        Some(text) => {
            let id: Result<ExperimentId, _> = text.parse();
            Some(id.map_err(|error| Problem::new(Code::Invalid, format!("`after`: {error}")))?)
        }
    };
    let mut experiments = Vec::new();
    let mut next = None;
    for id in app.arena.experiments() {
        if after.is_some_and(|after| id <= after) || caller.experiment().is_some_and(|only| id != only) {
            continue;
        }
        let view = app.arena.view(id, |experiment| {
            let wanted = query.name.as_ref().is_none_or(|name| experiment.name() == name);
            wanted.then(|| ExperimentView::from(experiment))
        });
        let Some(view) = view? else { continue };
        if experiments.len() == limit {
            next = experiments.last().map(|last: &ExperimentView| last.id.clone());
            break;
        }
        experiments.push(view);
    }
    Ok(Json(ExperimentList { experiments, next }))
}

problems!(ReadProblems = NoExperiment StoreUnavailable + ALWAYS);

/// Read an experiment.
#[utoipa::path(
    get, operation_id = "read_experiment", path = "/v1/experiments/{experiment}", tag = "experiments",
    params(ExperimentId),
    responses(
        (status = 200, description = "The experiment", body = ExperimentView),
        ReadProblems,
    )
)]
pub(super) async fn read(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
) -> Result<Json<ExperimentView>, Problem> {
    caller.may(Action::Read, Some(id))?;
    Ok(Json(app.arena.view(id, |experiment| experiment.into())?))
}

problems!(PauseProblems = NoExperiment ExperimentClosed StoreUnavailable + ALWAYS);

/// Pause an experiment: no duels, but outcomes of those in flight.
#[utoipa::path(
    post, operation_id = "pause_experiment", path = "/v1/experiments/{experiment}/pause", tag = "experiments",
    params(ExperimentId),
    responses(
        (status = 200, description = "It is paused", body = ExperimentView),
        PauseProblems,
    )
)]
pub(super) async fn pause(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
) -> Result<Json<ExperimentView>, Problem> {
    change(&app, caller, id, Status::Paused).await
}

problems!(ResumeProblems = NoExperiment ExperimentClosed StoreUnavailable + ALWAYS);

/// Let a paused experiment run again.
#[utoipa::path(
    post, operation_id = "resume_experiment", path = "/v1/experiments/{experiment}/resume", tag = "experiments",
    params(ExperimentId),
    responses(
        (status = 200, description = "It runs", body = ExperimentView),
        ResumeProblems,
    )
)]
pub(super) async fn resume(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
) -> Result<Json<ExperimentView>, Problem> {
    change(&app, caller, id, Status::Running).await
}

problems!(CloseProblems = NoExperiment StoreUnavailable + ALWAYS);

/// Close an experiment for good: neither duels nor outcomes. Pause it first to wait for outcomes of duels in flight.
#[utoipa::path(
    post, operation_id = "close_experiment", path = "/v1/experiments/{experiment}/close", tag = "experiments",
    params(ExperimentId),
    responses(
        (status = 200, description = "It is closed", body = ExperimentView),
        CloseProblems,
    )
)]
pub(super) async fn close(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
) -> Result<Json<ExperimentView>, Problem> {
    change(&app, caller, id, Status::Closed).await
}

async fn change(
    app: &Shared,
    caller: Caller,
    id: ExperimentId,
    status: Status,
) -> Result<Json<ExperimentView>, Problem> {
    caller.may(Action::Change, Some(id))?;
    durable(app.arena.change(id, status)?).await?;
    Ok(Json(app.arena.view(id, |experiment| experiment.into())?))
}

problems!(ArmsProblems = Invalid NoExperiment StoreUnavailable + ALWAYS);

/// List arms.
#[utoipa::path(
    get, operation_id = "list_arms", path = "/v1/experiments/{experiment}/arms", tag = "experiments",
    params(ExperimentId, ArmsQuery),
    responses(
        (status = 200, description = "Some of them, in the order of coming in", body = ArmList),
        ArmsProblems,
    )
)]
pub(super) async fn arms(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    Query(query): Query<ArmsQuery>,
) -> Result<Json<ArmList>, Problem> {
    caller.may(Action::Read, Some(id))?;
    let from = first("from", query.from)?;
    let limit = page(query.limit)?;
    Ok(Json(app.arena.view(id, |experiment| list_arms(experiment, from, limit))?))
}

fn list_arms(experiment: &Experiment, from: usize, limit: usize) -> ArmList {
    let arms: Vec<ArmView> = experiment
        .arms()
        .iter()
        .enumerate()
        .skip(from)
        .take(limit)
        .map(|(index, entry)| ArmView::new(index, entry))
        .collect();
    let end = from.saturating_add(arms.len());
    let next = (!arms.is_empty() && end < experiment.arms().len()).then_some(end as u64);
    ArmList { arms, next }
}

problems!(AddArmsProblems = NoExperiment NotElastic ExperimentClosed StoreUnavailable + ALWAYS + BODY);

/// Bring arms in. The policy must be elastic; a new arm starts with the log-mean of the present weights.
#[utoipa::path(
    post, operation_id = "add_arms", path = "/v1/experiments/{experiment}/arms", tag = "experiments", request_body = ArmsBody,
    params(ExperimentId),
    responses(
        (status = 201, description = "They are in", body = ArmList),
        AddArmsProblems,
    )
)]
pub(super) async fn add_arms(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    Body(body): Body<ArmsBody>,
) -> Result<(StatusCode, Json<ArmList>), Problem> {
    caller.may(Action::Change, Some(id))?;
    let arms: Vec<NewArm> = body.arms.into_iter().map(NewArm::from).collect();
    let names: Vec<String> = arms.iter().map(|arm| arm.name.clone()).collect();
    let arena = Arc::clone(&app.arena);
    let pending = blocking(move || arena.add_arms(id, arms)).await?;
    durable(pending).await?;
    let arms = app.arena.view(id, |experiment| {
        let added = names.iter().filter_map(|name| experiment.arm(name).ok());
        added.map(|arm| ArmView::new(arm.index(), &experiment.arms()[arm.index()])).collect()
    })?;
    Ok((StatusCode::CREATED, Json(ArmList { arms, next: None })))
}

problems!(RetireArmProblems = NoExperiment NoArm ArmState NotElastic ExperimentClosed StoreUnavailable + ALWAYS);

/// Retire an arm: it is no longer proposed. Outcomes of its duels in flight are still taken.
#[utoipa::path(
    post, operation_id = "retire_arm", path = "/v1/experiments/{experiment}/arms/{arm}/retire", tag = "experiments",
    params(ExperimentId, ("arm" = String, Path, description = "The arm's name", min_length = 1)),
    responses(
        (status = 200, description = "It is retired", body = ArmView),
        RetireArmProblems,
    )
)]
pub(super) async fn retire_arm(
    State(app): State<Shared>,
    caller: Caller,
    ArmPath(id, arm): ArmPath,
) -> Result<Json<ArmView>, Problem> {
    caller.may(Action::Change, Some(id))?;
    durable(app.arena.retire_arm(id, &arm)?).await?;
    one_arm(&app, id, &arm)
}

problems!(RestoreArmProblems = NoExperiment NoArm ArmState NotElastic ExperimentClosed StoreUnavailable + ALWAYS);

/// Bring a retired arm back, with what was learned of it.
#[utoipa::path(
    post, operation_id = "restore_arm", path = "/v1/experiments/{experiment}/arms/{arm}/restore", tag = "experiments",
    params(ExperimentId, ("arm" = String, Path, description = "The arm's name", min_length = 1)),
    responses(
        (status = 200, description = "It is proposed again", body = ArmView),
        RestoreArmProblems,
    )
)]
pub(super) async fn restore_arm(
    State(app): State<Shared>,
    caller: Caller,
    ArmPath(id, arm): ArmPath,
) -> Result<Json<ArmView>, Problem> {
    caller.may(Action::Change, Some(id))?;
    durable(app.arena.restore_arm(id, &arm)?).await?;
    one_arm(&app, id, &arm)
}

fn one_arm(app: &Shared, id: ExperimentId, name: &str) -> Result<Json<ArmView>, Problem> {
    let view = app.arena.view(id, |experiment| {
        let arm = experiment.arm(name)?;
        Ok::<_, crate::domain::Refusal>(ArmView::new(arm.index(), &experiment.arms()[arm.index()]))
    })?;
    Ok(Json(view?))
}

problems!(VoidProblems = NoExperiment StoreUnavailable + ALWAYS + BODY);

/// Void all votes of a voter, or with `dry_run` only count them.
#[utoipa::path(
    post, operation_id = "void_votes", path = "/v1/experiments/{experiment}/void", tag = "experiments", request_body = VoidBody,
    params(ExperimentId),
    responses(
        (status = 200, description = "How many there were", body = VoidView),
        VoidProblems,
    )
)]
pub(super) async fn void(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    Body(body): Body<VoidBody>,
) -> Result<Json<VoidView>, Problem> {
    caller.may(Action::Change, Some(id))?;
    let since: Option<Time> =
        body.since.as_deref().map(str::parse).transpose().map_err(|error: crate::time::TimeError| {
            Problem::new(Code::Invalid, format!("`since`: {error}"))
        })?;
    if body.voter.is_empty() || body.voter.chars().count() > 200 {
        return Err(Problem::new(Code::Invalid, "`voter` must be 1 to 200 characters"));
    }
    let arena = Arc::clone(&app.arena);
    let voter = body.voter;
    let (duels, before, after) = blocking(move || {
        let duels = arena.votes_of(id, &voter, since)?;
        let without = arena.evidence_without(id, &duels)?;
        let (before, after) = arena.view(id, |experiment| {
            let with = EffectView::new(experiment, experiment.evidence());
            (with, EffectView::new(experiment, &without))
        })?;
        Ok((duels, before, after))
    })
    .await?;
    let found = duels.len();
    let voided = if body.dry_run {
        0
    } else {
        let arena = Arc::clone(&app.arena);
        durable(blocking(move || arena.void_all(id, &duels, VoidReason::Voter)).await?).await?
    };
    Ok(Json(VoidView { found, voided, before, after }))
}

/// Asks the arena: at once where that is quick, else off the threads that answer requests.
pub(crate) async fn ask<T: Send + 'static>(
    app: &Shared,
    id: ExperimentId,
    quick: bool,
    work: impl FnOnce(&Arena) -> Result<T, ArenaError> + Send + 'static,
) -> Result<T, Problem> {
    if quick && app.arena.is_ready(id) {
        return Ok(work(&app.arena)?);
    }
    let arena = Arc::clone(&app.arena);
    blocking(move || work(&arena)).await
}

/// Work that reads the store or takes long, off the threads that answer requests.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ArenaError> + Send + 'static,
) -> Result<T, Problem> {
    Ok(off_thread(work).await??)
}

/// Work that takes long, off the threads that answer requests; a refusal if it panics.
///
/// All work goes through one type, because tokio's machinery would otherwise be compiled once for
/// each caller: a twentieth of this crate.
pub(crate) async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    type Work = Box<dyn FnOnce() -> Box<dyn Any + Send> + Send>;
    let work: Work = Box::new(move || Box::new(work()));
    let done = tokio::task::spawn_blocking(work).await.map_err(|_| Code::Internal)?;
    Ok(*done.downcast().expect("what the work returned"))
}

/// It is done.
pub(super) fn done(done: Done) -> Json<DoneView> {
    Json(DoneView { status: done.into() })
}
