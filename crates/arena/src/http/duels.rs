//! Duels and their outcomes.

use axum::Json;
use axum::extract::State;
use tiltyard_wire::{self as wire, ProblemCode};

use super::auth::Caller;
use super::convert;
use super::experiments::done;
use super::extract::{Body, OptionalBody, Path};
use super::problems::problems;
use crate::app::{Problem, Shared, blocking, commit, commit_and_show, durable};
use crate::arena::{Done, Duel, Pending};
use crate::domain::{Answer, DuelHistory, Experiment, IssueRequest, VoidReason};
use crate::id::{DuelId, ExperimentId};
use crate::key::Action;
use crate::{Arena, ArenaError};

/// Drawing up to this many duels is fast enough for an async thread, even with many arms.
const QUICK_DUELS: u32 = 20;

/// The maximum number of outcomes in one request.
const MOST_OUTCOMES: usize = 1000;

problems!(IssueProblems = NoExperiment ExperimentPaused ExperimentClosed ClientIdReused BadPolicy TooManyInFlight StoreUnavailable + ALWAYS + BODY);

/// Get duels to show.
#[utoipa::path(
    post, operation_id = "issue_duels", path = "/v1/experiments/{experiment}/duels", tag = "duels", request_body = Option<wire::DuelsBody>,
    params(wire::ExperimentId),
    responses(
        (status = 200, description = "The duels, with the exact propensities that the log stores", body = wire::DuelList),
        IssueProblems,
    )
)]
pub(super) async fn issue(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    OptionalBody(body): OptionalBody<wire::DuelsBody>,
) -> Result<Json<wire::DuelList>, Problem> {
    caller.may(Action::Vote, Some(id))?;
    let request = IssueRequest::from(body);
    let quick = request.count <= QUICK_DUELS;
    let issue = move |arena: &Arena| arena.issue(id, &request);
    let views = |experiment: &Experiment, duels: &Vec<Duel>| -> Vec<wire::DuelView> {
        duels.iter().map(|duel| convert::duel(experiment, duel)).collect()
    };
    let (_, duels) = commit_and_show(&app, id, quick, issue, views).await?;
    app.metrics.duels.inc_by(duels.len() as u64);
    Ok(Json(wire::DuelList { duels }))
}

problems!(ReadProblems = NoDuel StoreUnavailable + ALWAYS);

/// Read a duel with its status and its answer.
#[utoipa::path(
    get, operation_id = "read_duel", path = "/v1/duels/{duel}", tag = "duels",
    params(wire::DuelId),
    responses(
        (status = 200, description = "The duel", body = wire::DuelState),
        ReadProblems,
    )
)]
pub(super) async fn read(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<DuelId>,
) -> Result<Json<wire::DuelState>, Problem> {
    // A key that may answer the duel may also read it.
    caller
        .may(Action::Vote, Some(id.experiment))
        .or_else(|_| caller.may(Action::Read, Some(id.experiment)))?;
    let view = move |experiment: &Experiment, past: &DuelHistory| state(experiment, id, past);
    let read = move |arena: &Arena| arena.duel(id);
    let (_, state) = commit_and_show(&app, id.experiment, true, read, view).await?;
    Ok(Json(state))
}

fn state(experiment: &Experiment, id: DuelId, past: &DuelHistory) -> wire::DuelState {
    let status = match (&past.answer, past.voided, past.expired) {
        (_, true, _) | (Some((Answer::Skip, _)), ..) => wire::DuelStatus::Voided,
        (Some(_), ..) => wire::DuelStatus::Answered,
        (None, _, true) => wire::DuelStatus::Expired,
        (None, _, false) => wire::DuelStatus::Open,
    };
    wire::DuelState {
        duel: convert::duel(experiment, &Duel { id, drawn: past.drawn }),
        status,
        outcome: past.answer.as_ref().and_then(|(answer, _)| convert::outcome(*answer)),
        slate: past.slate.as_ref().map(|slate| convert::shown(experiment, slate)),
        ranked: past.ranked.as_ref().map(|ranked| convert::ranking(experiment, &ranked.ranking)),
    }
}

problems!(AnswerProblems = NoDuel IsSlate ExperimentClosed OutcomeContradicts DuelVoided DuelExpired VoterLimit StoreUnavailable + ALWAYS + BODY);

/// Answer a duel.
///
/// You can safely repeat the same outcome. A different outcome is refused.
#[utoipa::path(
    post, operation_id = "answer_duel", path = "/v1/duels/{duel}/outcome", tag = "duels", request_body = wire::OutcomeBody,
    params(wire::DuelId),
    responses(
        (status = 200, description = "The outcome is recorded, by this request or an earlier one", body = wire::DoneView),
        AnswerProblems,
    )
)]
pub(super) async fn answer(
    State(app): State<Shared>,
    caller: Caller,
    Path(duel): Path<DuelId>,
    Body(body): Body<wire::OutcomeBody>,
) -> Result<Json<wire::DoneView>, Problem> {
    caller.may(Action::Vote, Some(duel.experiment))?;
    let request = convert::answer(body)?;
    let said = commit(&app, duel.experiment, true, move |arena| arena.answer(duel, &request)).await?;
    if said == Done::Recorded {
        app.metrics.outcomes.inc();
    }
    Ok(done(said))
}

problems!(AnswerManyProblems = + ALWAYS + BODY);

/// Answer several duels.
///
/// Each outcome is accepted or refused independently of the others.
#[utoipa::path(
    post, operation_id = "answer_duels", path = "/v1/outcomes", tag = "duels", request_body = wire::OutcomesBody,
    responses(
        (status = 200, description = "One result per outcome, in the same order", body = wire::OutcomeResults),
        AnswerManyProblems,
    )
)]
pub(super) async fn answer_many(
    State(app): State<Shared>,
    caller: Caller,
    Body(body): Body<wire::OutcomesBody>,
) -> Result<Json<wire::OutcomeResults>, Problem> {
    let length = body.outcomes.len();
    if !(1..=MOST_OUTCOMES).contains(&length) {
        let detail = format!("`outcomes` must hold from 1 to {MOST_OUTCOMES} outcomes, not {length}");
        return Err(Problem::invalid(detail));
    }
    // A key that allows no votes at all is refused once, not for each outcome.
    caller.may(Action::Vote, caller.experiment())?;
    let take = move |arena: &Arena, outcome: wire::DuelOutcome| -> Result<Pending<Done>, Problem> {
        let wire::DuelOutcome { duel, outcome, score, voter, time } = outcome;
        let duel: DuelId = duel.parse().map_err(|_| Problem::from(ProblemCode::NoDuel))?;
        caller.may(Action::Vote, Some(duel.experiment))?;
        let request = convert::answer(wire::OutcomeBody { outcome, score, voter, time })?;
        Ok(arena.answer(duel, &request)?)
    };
    // Queue all outcomes before waiting for the first one, so that they share a sync.
    let take_all = move |arena: &Arena| -> Result<Vec<_>, ArenaError> {
        let take = |outcome: wire::DuelOutcome| (outcome.duel.clone(), take(arena, outcome));
        Ok(body.outcomes.into_iter().map(take).collect())
    };
    let taken = blocking(&app, take_all).await?;
    let mut results = Vec::with_capacity(length);
    for (duel, pending) in taken {
        let said = match pending {
            Ok(pending) => durable(pending).await,
            Err(problem) => Err(problem),
        };
        let (status, problem) = match said {
            Ok(Done::Recorded) => (wire::ResultWord::Recorded, None),
            Ok(Done::Already) => (wire::ResultWord::Already, None),
            Err(problem) if problem.code == ProblemCode::StoreUnavailable => {
                (wire::ResultWord::Unknown, Some(problem))
            }
            Err(problem) => (wire::ResultWord::Refused, Some(problem)),
        };
        if let wire::ResultWord::Recorded = status {
            app.metrics.outcomes.inc();
        }
        results.push(wire::OutcomeResult { duel, status, problem: problem.map(Into::into) });
    }
    Ok(Json(wire::OutcomeResults { results }))
}

problems!(ShownProblems = NoDuel StoreUnavailable + ALWAYS);

/// Report that a duel was shown.
#[utoipa::path(
    post, operation_id = "report_shown", path = "/v1/duels/{duel}/shown", tag = "duels",
    params(wire::DuelId),
    responses(
        (status = 200, description = "The report is recorded, by this request or an earlier one", body = wire::DoneView),
        ShownProblems,
    )
)]
pub(super) async fn shown(
    State(app): State<Shared>,
    caller: Caller,
    Path(duel): Path<DuelId>,
) -> Result<Json<wire::DoneView>, Problem> {
    caller.may(Action::Vote, Some(duel.experiment))?;
    Ok(done(commit(&app, duel.experiment, true, move |arena| arena.shown(duel)).await?))
}

problems!(VoidProblems = NoDuel StoreUnavailable + ALWAYS);

/// Void a duel and its outcome, if it has one.
///
/// The log keeps both.
#[utoipa::path(
    delete, operation_id = "void_duel", path = "/v1/duels/{duel}", tag = "duels",
    params(wire::DuelId),
    responses(
        (status = 200, description = "The duel is voided, by this request or an earlier one", body = wire::DoneView),
        VoidProblems,
    )
)]
pub(super) async fn void(
    State(app): State<Shared>,
    caller: Caller,
    Path(duel): Path<DuelId>,
) -> Result<Json<wire::DoneView>, Problem> {
    void_one(&app, caller, duel).await
}

problems!(VoidOutcomeProblems = NoDuel StoreUnavailable + ALWAYS);

/// Void a duel and its outcome.
///
/// Deleting the duel itself does the same.
#[utoipa::path(
    delete, operation_id = "void_outcome", path = "/v1/duels/{duel}/outcome", tag = "duels",
    params(wire::DuelId),
    responses(
        (status = 200, description = "The duel is voided, by this request or an earlier one", body = wire::DoneView),
        VoidOutcomeProblems,
    )
)]
pub(super) async fn void_outcome(
    State(app): State<Shared>,
    caller: Caller,
    Path(duel): Path<DuelId>,
) -> Result<Json<wire::DoneView>, Problem> {
    void_one(&app, caller, duel).await
}

async fn void_one(app: &Shared, caller: Caller, duel: DuelId) -> Result<Json<wire::DoneView>, Problem> {
    caller.may(Action::Change, Some(duel.experiment))?;
    let void = move |arena: &Arena| arena.void(duel, VoidReason::Asked);
    Ok(done(commit(app, duel.experiment, true, void).await?))
}
