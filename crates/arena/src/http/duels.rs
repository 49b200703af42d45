//! Duels and their outcomes.

use axum::Json;
use axum::extract::State;

use super::Shared;
use super::auth::Caller;
use super::experiments::{ask, done};
use super::extract::{Body, OptionalBody, Path};
use super::guard::durable;
use super::problem::{Code, Problem, problems};
use super::wire::{
    AnswerView, DoneView, DuelList, DuelState, DuelStatus, DuelView, DuelsBody, OutcomeBody,
    OutcomeBodyError, OutcomeResult, OutcomeResults, OutcomesBody, RankingView, ResultWord,
    shown as shown_arms,
};
use crate::Arena;
use crate::arena::{Done, Duel, Pending};
use crate::domain::{Answer, AnswerRequest, Experiment, IssueRequest, VoidReason};
use crate::id::{DuelId, ExperimentId};
use crate::key::Action;

/// As many duels are drawn without holding up other requests, also of many arms.
const QUICK_DUELS: u32 = 20;

/// The most outcomes of one request.
const MOST_OUTCOMES: usize = 1000;

problems!(IssueProblems = NoExperiment ExperimentPaused ExperimentClosed ClientIdReused BadPolicy TooManyInFlight StoreUnavailable + ALWAYS + BODY);

/// Get duels to show.
#[utoipa::path(
    post, operation_id = "issue_duels", path = "/v1/experiments/{experiment}/duels", tag = "duels", request_body = Option<DuelsBody>,
    params(ExperimentId),
    responses(
        (status = 200, description = "The duels, with the exact propensities stored", body = DuelList),
        IssueProblems,
    )
)]
pub(super) async fn issue(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    OptionalBody(body): OptionalBody<DuelsBody>,
) -> Result<Json<DuelList>, Problem> {
    caller.may(Action::Vote, Some(id))?;
    let request = IssueRequest::from(body);
    let quick = request.count <= QUICK_DUELS;
    let duels = durable(ask(&app, id, quick, move |arena| arena.issue(id, &request)).await?).await?;
    app.metrics.duels.inc_by(duels.len() as u64);
    let views =
        move |experiment: &Experiment| duels.iter().map(|duel| DuelView::new(experiment, duel)).collect();
    Ok(Json(DuelList { duels: ask(&app, id, quick, move |arena| arena.view(id, views)).await? }))
}

problems!(ReadProblems = NoDuel StoreUnavailable + ALWAYS);

/// See where a duel stands.
#[utoipa::path(
    get, operation_id = "read_duel", path = "/v1/duels/{duel}", tag = "duels",
    params(DuelId),
    responses(
        (status = 200, description = "The duel", body = DuelState),
        ReadProblems,
    )
)]
pub(super) async fn read(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<DuelId>,
) -> Result<Json<DuelState>, Problem> {
    // Whoever was shown the duel may look at it.
    caller
        .may(Action::Vote, Some(id.experiment))
        .or_else(|_| caller.may(Action::Read, Some(id.experiment)))?;
    let past = durable(ask(&app, id.experiment, true, move |arena| arena.duel(id)).await?).await?;
    // It is given up at its time, also if nobody has come round to it yet.
    let expired = past.expired || app.arena.now() > past.drawn.expires;
    let status = match (&past.answer, past.voided, expired) {
        (_, true, _) | (Some((Answer::Skip, _)), ..) => DuelStatus::Voided,
        (Some(_), ..) => DuelStatus::Answered,
        (None, _, true) => DuelStatus::Expired,
        (None, _, false) => DuelStatus::Open,
    };
    let outcome = past.answer.as_ref().and_then(|(answer, _)| AnswerView::of(*answer));
    let duel = Duel { id, drawn: past.drawn };
    let state = app.arena.view(id.experiment, |experiment| DuelState {
        duel: DuelView::new(experiment, &duel),
        status,
        outcome,
        slate: past.slate.as_ref().map(|slate| shown_arms(experiment, slate)),
        ranked: past.ranked.as_ref().map(|ranked| RankingView::new(experiment, &ranked.ranking)),
    })?;
    Ok(Json(state))
}

problems!(AnswerProblems = NoDuel IsSlate ExperimentClosed OutcomeContradicts DuelVoided DuelExpired VoterLimit StoreUnavailable + ALWAYS + BODY);

/// Say how a duel went. Said again, the same is fine and another outcome is refused.
#[utoipa::path(
    post, operation_id = "answer_duel", path = "/v1/duels/{duel}/outcome", tag = "duels", request_body = OutcomeBody,
    params(DuelId),
    responses(
        (status = 200, description = "It is recorded, now or before", body = DoneView),
        AnswerProblems,
    )
)]
pub(super) async fn answer(
    State(app): State<Shared>,
    caller: Caller,
    Path(duel): Path<DuelId>,
    Body(body): Body<OutcomeBody>,
) -> Result<Json<DoneView>, Problem> {
    caller.may(Action::Vote, Some(duel.experiment))?;
    let request = request(body)?;
    let said =
        durable(ask(&app, duel.experiment, true, move |arena| arena.answer(duel, &request)).await?).await?;
    if said == Done::Recorded {
        app.metrics.outcomes.inc();
    }
    Ok(done(said))
}

fn request(body: OutcomeBody) -> Result<AnswerRequest, Problem> {
    body.request().map_err(unreadable)
}

/// A body that can be read and is no outcome.
pub(super) fn unreadable(error: OutcomeBodyError) -> Problem {
    match error {
        OutcomeBodyError::Refused(refusal) => refusal.into(),
        error => Problem::new(Code::Invalid, error.to_string()),
    }
}

problems!(AnswerManyProblems = + ALWAYS + BODY);

/// Say how several duels went. Each is taken or refused on its own.
#[utoipa::path(
    post, operation_id = "answer_duels", path = "/v1/outcomes", tag = "duels", request_body = OutcomesBody,
    responses(
        (status = 200, description = "What became of each", body = OutcomeResults),
        AnswerManyProblems,
    )
)]
pub(super) async fn answer_many(
    State(app): State<Shared>,
    caller: Caller,
    Body(body): Body<OutcomesBody>,
) -> Result<Json<OutcomeResults>, Problem> {
    let length = body.outcomes.len();
    if !(1..=MOST_OUTCOMES).contains(&length) {
        let detail = format!("`outcomes` must hold from 1 to {MOST_OUTCOMES} outcomes, not {length}");
        return Err(Problem::new(Code::Invalid, detail));
    }
    // A key that is good for no vote at all is refused as a whole.
    caller.may(Action::Vote, caller.experiment())?;
    let take = |duel: &str, body: OutcomeBody| -> Result<Pending<Done>, Problem> {
        let duel: DuelId = duel.parse().map_err(|_| Problem::from(Code::NoDuel))?;
        caller.may(Action::Vote, Some(duel.experiment))?;
        Ok(app.arena.answer(duel, &request(body)?)?)
    };
    // All are queued before the first is waited for, so that they share a sync.
    let taken: Vec<_> = body
        .outcomes
        .into_iter()
        .map(|outcome| {
            let (duel, body) = outcome.split();
            let pending = take(&duel, body);
            (duel, pending)
        })
        .collect();
    let mut results = Vec::with_capacity(length);
    for (duel, pending) in taken {
        let said = match pending {
            Ok(pending) => durable(pending).await,
            Err(problem) => Err(problem),
        };
        let (status, problem) = match said {
            Ok(Done::Recorded) => (ResultWord::Recorded, None),
            Ok(Done::Already) => (ResultWord::Already, None),
            Err(problem) if problem.code == Code::StoreUnavailable => (ResultWord::Unknown, Some(problem)),
            Err(problem) => (ResultWord::Refused, Some(problem)),
        };
        if let ResultWord::Recorded = status {
            app.metrics.outcomes.inc();
        }
        results.push(OutcomeResult { duel, status, problem });
    }
    Ok(Json(OutcomeResults { results }))
}

problems!(ShownProblems = NoDuel StoreUnavailable + ALWAYS);

/// Say that a duel was shown.
#[utoipa::path(
    post, operation_id = "report_shown", path = "/v1/duels/{duel}/shown", tag = "duels",
    params(DuelId),
    responses(
        (status = 200, description = "It is recorded, now or before", body = DoneView),
        ShownProblems,
    )
)]
pub(super) async fn shown(
    State(app): State<Shared>,
    caller: Caller,
    Path(duel): Path<DuelId>,
) -> Result<Json<DoneView>, Problem> {
    caller.may(Action::Vote, Some(duel.experiment))?;
    Ok(done(durable(ask(&app, duel.experiment, true, move |arena| arena.shown(duel)).await?).await?))
}

problems!(VoidProblems = NoDuel StoreUnavailable + ALWAYS);

/// Void a duel and its outcome, if it has one. The log keeps both.
#[utoipa::path(
    delete, operation_id = "void_duel", path = "/v1/duels/{duel}", tag = "duels",
    params(DuelId),
    responses(
        (status = 200, description = "It is voided, now or before", body = DoneView),
        VoidProblems,
    )
)]
pub(super) async fn void(
    State(app): State<Shared>,
    caller: Caller,
    Path(duel): Path<DuelId>,
) -> Result<Json<DoneView>, Problem> {
    void_one(&app, caller, duel).await
}

problems!(VoidOutcomeProblems = NoDuel StoreUnavailable + ALWAYS);

/// Void a duel and its outcome; the same as for the duel itself.
#[utoipa::path(
    delete, operation_id = "void_outcome", path = "/v1/duels/{duel}/outcome", tag = "duels",
    params(DuelId),
    responses(
        (status = 200, description = "It is voided, now or before", body = DoneView),
        VoidOutcomeProblems,
    )
)]
pub(super) async fn void_outcome(
    State(app): State<Shared>,
    caller: Caller,
    Path(duel): Path<DuelId>,
) -> Result<Json<DoneView>, Problem> {
    void_one(&app, caller, duel).await
}

async fn void_one(app: &Shared, caller: Caller, duel: DuelId) -> Result<Json<DoneView>, Problem> {
    caller.may(Action::Change, Some(duel.experiment))?;
    let void = move |arena: &Arena| arena.void(duel, VoidReason::Asked);
    Ok(done(durable(ask(app, duel.experiment, true, void).await?).await?))
}
