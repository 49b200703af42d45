//! Creating, reading and changing experiments.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use tiltyard_wire as wire;

use super::auth::Caller;
use super::convert;
use super::extract::{ArmPath, Body, Path, Query, field};
use super::problems::problems;
use crate::app::{Problem, Shared, blocking, commit, commit_and_show, durable, effect};
use crate::arena::{Done, Pending};
use crate::domain::{Evidence, Experiment, NewArm, Refusal, Status, VoidReason};
use crate::id::ExperimentId;
use crate::key::Action;
use crate::time::Time;
use crate::{Arena, ArenaError};

/// The size of a page: 100 by default, at most 1000.
pub(super) fn page(limit: Option<u64>) -> Result<usize, Problem> {
    match limit.unwrap_or(100) {
        limit @ 1..=1000 => Ok(usize::try_from(limit).unwrap_or(1000)),
        limit => Err(Problem::invalid(format!("`limit` must be from 1 to 1000, not {limit}"))),
    }
}

/// The index of the first arm of a page.
pub(super) fn first(name: &str, from: Option<u64>) -> Result<usize, Problem> {
    let from = from.unwrap_or(0);
    let index = u32::try_from(from).ok().and_then(|from| usize::try_from(from).ok());
    index.ok_or_else(|| Problem::invalid(format!("`{name}` must be from 0 to 4294967295, not {from}")))
}

problems!(CreateProblems = BadPolicy StoreUnavailable + ALWAYS + BODY);

/// Create an experiment.
#[utoipa::path(
    post, operation_id = "create_experiment", path = "/v1/experiments", tag = "experiments", request_body = wire::CreateBody,
    responses(
        (status = 201, description = "The new experiment, which is running", body = wire::ExperimentView),
        CreateProblems,
    )
)]
pub(super) async fn create(
    State(app): State<Shared>,
    caller: Caller,
    Body(body): Body<wire::CreateBody>,
) -> Result<(StatusCode, Json<wire::ExperimentView>), Problem> {
    caller.may(Action::Create, None)?;
    // Building a policy with many arms takes too long for an async thread.
    let id = durable(blocking(&app, move |arena| arena.create(body.into())).await?).await?;
    Ok((StatusCode::CREATED, view(&app, id).await?))
}

problems!(ListProblems = Invalid StoreUnavailable + ALWAYS);

/// List experiments.
#[utoipa::path(
    get, operation_id = "list_experiments", path = "/v1/experiments", tag = "experiments", params(wire::ListQuery),
    responses(
        (status = 200, description = "A page of experiments, ordered by id", body = wire::ExperimentList),
        ListProblems,
    )
)]
pub(super) async fn list(
    State(app): State<Shared>,
    caller: Caller,
    Query(query): Query<wire::ListQuery>,
) -> Result<Json<wire::ExperimentList>, Problem> {
    // A key for one experiment lists only that experiment.
    caller.may(Action::Read, caller.experiment())?;
    let limit = page(query.limit)?;
    let after: Option<ExperimentId> = field("after", query.after.as_deref())?;
    // Gather the whole page before waiting for the first experiment to be durable.
    let gather = move |arena: &Arena| -> Result<_, ArenaError> {
        let mut found = Vec::new();
        for id in arena.experiments() {
            if after.is_some_and(|after| id <= after) || caller.experiment().is_some_and(|only| id != only) {
                continue;
            }
            let view = arena.view(id, |experiment| {
                let wanted = query.name.as_ref().is_none_or(|name| experiment.name() == name);
                wanted.then(|| wire::ExperimentView::from(experiment))
            })?;
            let (Some(view), durable) = view.split() else { continue };
            if found.len() == limit {
                return Ok((found, true));
            }
            found.push(durable.map(|()| view));
        }
        Ok((found, false))
    };
    let (found, more) = blocking(&app, gather).await?;
    let mut experiments = Vec::with_capacity(found.len());
    for pending in found {
        experiments.push(durable(pending).await?);
    }
    let next = experiments.last().filter(|_| more).map(|last: &wire::ExperimentView| last.id.clone());
    let damaged = app.arena.set_apart().into_iter();
    let damaged = damaged.filter(|apart| caller.experiment().is_none_or(|only| apart.id == only));
    Ok(Json(wire::ExperimentList { experiments, next, damaged: damaged.map(convert::damaged).collect() }))
}

problems!(ReadProblems = NoExperiment StoreUnavailable + ALWAYS);

/// Read an experiment.
#[utoipa::path(
    get, operation_id = "read_experiment", path = "/v1/experiments/{experiment}", tag = "experiments",
    params(wire::ExperimentId),
    responses(
        (status = 200, description = "The experiment", body = wire::ExperimentView),
        ReadProblems,
    )
)]
pub(super) async fn read(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
) -> Result<Json<wire::ExperimentView>, Problem> {
    caller.may(Action::Read, Some(id))?;
    view(&app, id).await
}

async fn view(app: &Shared, id: ExperimentId) -> Result<Json<wire::ExperimentView>, Problem> {
    let view = move |arena: &Arena| arena.view(id, |experiment| experiment.into());
    Ok(Json(commit(app, id, true, view).await?))
}

problems!(PauseProblems = NoExperiment ExperimentClosed StoreUnavailable + ALWAYS);

/// Pause an experiment.
///
/// It issues no duels until it is resumed, but it accepts outcomes of duels in flight.
#[utoipa::path(
    post, operation_id = "pause_experiment", path = "/v1/experiments/{experiment}/pause", tag = "experiments",
    params(wire::ExperimentId),
    responses(
        (status = 200, description = "The paused experiment", body = wire::ExperimentView),
        PauseProblems,
    )
)]
pub(super) async fn pause(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
) -> Result<Json<wire::ExperimentView>, Problem> {
    change(&app, caller, id, Status::Paused).await
}

problems!(ResumeProblems = NoExperiment ExperimentClosed StoreUnavailable + ALWAYS);

/// Resume a paused experiment.
#[utoipa::path(
    post, operation_id = "resume_experiment", path = "/v1/experiments/{experiment}/resume", tag = "experiments",
    params(wire::ExperimentId),
    responses(
        (status = 200, description = "The running experiment", body = wire::ExperimentView),
        ResumeProblems,
    )
)]
pub(super) async fn resume(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
) -> Result<Json<wire::ExperimentView>, Problem> {
    change(&app, caller, id, Status::Running).await
}

problems!(CloseProblems = NoExperiment StoreUnavailable + ALWAYS);

/// Close an experiment for good.
///
/// It issues no duels and accepts no outcomes any more. To wait for the outcomes of duels in
/// flight, pause it first.
#[utoipa::path(
    post, operation_id = "close_experiment", path = "/v1/experiments/{experiment}/close", tag = "experiments",
    params(wire::ExperimentId),
    responses(
        (status = 200, description = "The closed experiment", body = wire::ExperimentView),
        CloseProblems,
    )
)]
pub(super) async fn close(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
) -> Result<Json<wire::ExperimentView>, Problem> {
    change(&app, caller, id, Status::Closed).await
}

async fn change(
    app: &Shared,
    caller: Caller,
    id: ExperimentId,
    status: Status,
) -> Result<Json<wire::ExperimentView>, Problem> {
    caller.may(Action::Change, Some(id))?;
    let change = move |arena: &Arena| arena.change(id, status);
    let (_, view) = commit_and_show(app, id, true, change, |experiment, _| experiment.into()).await?;
    Ok(Json(view))
}

problems!(ArmsProblems = Invalid NoExperiment StoreUnavailable + ALWAYS);

/// List arms.
#[utoipa::path(
    get, operation_id = "list_arms", path = "/v1/experiments/{experiment}/arms", tag = "experiments",
    params(wire::ExperimentId, wire::ArmsQuery),
    responses(
        (status = 200, description = "A page of arms, in the order in which they were added", body = wire::ArmList),
        ArmsProblems,
    )
)]
pub(super) async fn arms(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    Query(query): Query<wire::ArmsQuery>,
) -> Result<Json<wire::ArmList>, Problem> {
    caller.may(Action::Read, Some(id))?;
    let from = first("from", query.from)?;
    let limit = page(query.limit)?;
    let list = move |arena: &Arena| arena.view(id, |experiment| list_arms(experiment, from, limit));
    Ok(Json(commit(&app, id, true, list).await?))
}

fn list_arms(experiment: &Experiment, from: usize, limit: usize) -> wire::ArmList {
    let arms: Vec<wire::ArmView> = experiment
        .arms()
        .iter()
        .enumerate()
        .skip(from)
        .take(limit)
        .map(|(index, entry)| convert::arm(index, entry))
        .collect();
    let end = from.saturating_add(arms.len());
    let next = (!arms.is_empty() && end < experiment.arms().len()).then_some(end as u64);
    wire::ArmList { arms, next }
}

problems!(AddArmsProblems = NoExperiment NotElastic ExperimentClosed StoreUnavailable + ALWAYS + BODY);

/// Add arms.
///
/// The policy must be elastic. A new arm starts with the log-mean of the present weights.
#[utoipa::path(
    post, operation_id = "add_arms", path = "/v1/experiments/{experiment}/arms", tag = "experiments", request_body = wire::ArmsBody,
    params(wire::ExperimentId),
    responses(
        (status = 201, description = "The new arms", body = wire::ArmList),
        AddArmsProblems,
    )
)]
pub(super) async fn add_arms(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    Body(body): Body<wire::ArmsBody>,
) -> Result<(StatusCode, Json<wire::ArmList>), Problem> {
    caller.may(Action::Change, Some(id))?;
    let arms: Vec<NewArm> = body.arms.into_iter().map(NewArm::from).collect();
    let names: Vec<String> = arms.iter().map(|arm| arm.name.clone()).collect();
    let add = move |arena: &Arena| arena.add_arms(id, arms);
    let added = move |experiment: &Experiment, (): &()| {
        names.iter().filter_map(|name| one_arm(experiment, name).ok()).collect()
    };
    let ((), arms) = commit_and_show(&app, id, false, add, added).await?;
    Ok((StatusCode::CREATED, Json(wire::ArmList { arms, next: None })))
}

problems!(RetireArmProblems = NoExperiment NoArm ArmState NotElastic ExperimentClosed StoreUnavailable + ALWAYS);

/// Retire an arm.
///
/// The experiment no longer proposes it, but it accepts outcomes of the arm's duels in flight.
#[utoipa::path(
    post, operation_id = "retire_arm", path = "/v1/experiments/{experiment}/arms/{arm}/retire", tag = "experiments",
    params(wire::ExperimentId, ("arm" = String, Path, description = "The arm's name", min_length = 1)),
    responses(
        (status = 200, description = "The retired arm", body = wire::ArmView),
        RetireArmProblems,
    )
)]
pub(super) async fn retire_arm(
    State(app): State<Shared>,
    caller: Caller,
    ArmPath(id, arm): ArmPath,
) -> Result<Json<wire::ArmView>, Problem> {
    caller.may(Action::Change, Some(id))?;
    change_arm(&app, id, arm, Arena::retire_arm).await
}

problems!(RestoreArmProblems = NoExperiment NoArm ArmState NotElastic ExperimentClosed StoreUnavailable + ALWAYS);

/// Restore a retired arm.
///
/// The policy keeps what it has learned about the arm.
#[utoipa::path(
    post, operation_id = "restore_arm", path = "/v1/experiments/{experiment}/arms/{arm}/restore", tag = "experiments",
    params(wire::ExperimentId, ("arm" = String, Path, description = "The arm's name", min_length = 1)),
    responses(
        (status = 200, description = "The restored arm", body = wire::ArmView),
        RestoreArmProblems,
    )
)]
pub(super) async fn restore_arm(
    State(app): State<Shared>,
    caller: Caller,
    ArmPath(id, arm): ArmPath,
) -> Result<Json<wire::ArmView>, Problem> {
    caller.may(Action::Change, Some(id))?;
    change_arm(&app, id, arm, Arena::restore_arm).await
}

async fn change_arm(
    app: &Shared,
    id: ExperimentId,
    name: String,
    change: fn(&Arena, ExperimentId, &str) -> Result<Pending<()>, ArenaError>,
) -> Result<Json<wire::ArmView>, Problem> {
    let change = move |arena: &Arena| Ok(change(arena, id, &name)?.map(|()| name));
    let show = |experiment: &Experiment, name: &String| one_arm(experiment, name);
    let (_, view) = commit_and_show(app, id, true, change, show).await?;
    Ok(Json(view?))
}

fn one_arm(experiment: &Experiment, name: &str) -> Result<wire::ArmView, Refusal> {
    let arm = experiment.arm(name)?;
    Ok(convert::arm(arm.index(), &experiment.arms()[arm.index()]))
}

problems!(VoidProblems = NoExperiment StoreUnavailable + ALWAYS + BODY);

/// Void all votes of a voter.
///
/// With `dry_run`, only report the number of votes and the effect on the verdict.
#[utoipa::path(
    post, operation_id = "void_votes", path = "/v1/experiments/{experiment}/void", tag = "experiments", request_body = wire::VoidBody,
    params(wire::ExperimentId),
    responses(
        (status = 200, description = "The number of votes, and the effect on the verdict", body = wire::VoidView),
        VoidProblems,
    )
)]
pub(super) async fn void(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    Body(body): Body<wire::VoidBody>,
) -> Result<Json<wire::VoidView>, Problem> {
    caller.may(Action::Change, Some(id))?;
    let since: Option<Time> = field("since", body.since.as_deref())?;
    if body.voter.is_empty() || body.voter.chars().count() > 200 {
        return Err(Problem::invalid("`voter` must have 1 to 200 characters"));
    }
    let voter = body.voter;
    let find = move |arena: &Arena| {
        let duels = arena.votes_of(id, &voter, since)?;
        Ok(arena.evidence_without(id, &duels)?.map(|without| (duels, without)))
    };
    let effects = |experiment: &Experiment, (_, without): &(_, Evidence)| {
        (effect(experiment, experiment.evidence()), effect(experiment, without))
    };
    let ((duels, _), (before, after)) = commit_and_show(&app, id, false, find, effects).await?;
    let found = duels.len();
    let voided = if body.dry_run {
        0
    } else {
        commit(&app, id, false, move |arena| arena.void_all(id, &duels, VoidReason::Voter)).await?
    };
    Ok(Json(wire::VoidView { found, voided, before, after }))
}

pub(super) fn done(done: Done) -> Json<wire::DoneView> {
    Json(wire::DoneView { status: done.into() })
}
