//! Slates: several arms shown together, and their rankings.

use axum::Json;
use axum::extract::State;
use tiltyard_wire as wire;

use super::auth::Caller;
use super::convert;
use super::experiments::done;
use super::extract::{Body, Path};
use super::problems::problems;
use crate::Arena;
use crate::app::{Problem, Shared, commit, commit_and_show};
use crate::arena::Done;
use crate::domain::SlateRequest;
use crate::id::{DuelId, ExperimentId};
use crate::key::Action;

problems!(IssueProblems = NoExperiment ExperimentPaused ExperimentClosed ClientIdReused BadPolicy TooManyInFlight StoreUnavailable + ALWAYS + BODY);

/// Get a slate of 3 to 20 arms to show together.
#[utoipa::path(
    post, operation_id = "issue_slate", path = "/v1/experiments/{experiment}/slates", tag = "slates", request_body = wire::SlateBody,
    params(wire::ExperimentId),
    responses(
        (status = 200, description = "The slate", body = wire::SlateView),
        IssueProblems,
    )
)]
pub(super) async fn issue(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    Body(body): Body<wire::SlateBody>,
) -> Result<Json<wire::SlateView>, Problem> {
    caller.may(Action::Vote, Some(id))?;
    let request = SlateRequest::from(body);
    let issue = move |arena: &Arena| arena.issue_slate(id, &request);
    let (found, view) = commit_and_show(&app, id, true, issue, convert::slate).await?;
    if found.drawn {
        app.metrics.duels.inc();
    }
    Ok(Json(view))
}

problems!(RankProblems = NoDuel NotASlate ExperimentClosed OutcomeContradicts DuelVoided DuelExpired VoterLimit StoreUnavailable + ALWAYS + BODY);

/// Rank the arms of a slate, or name the best one.
///
/// You can safely repeat the same answer. A different answer is refused.
#[utoipa::path(
    post, operation_id = "rank_slate", path = "/v1/duels/{duel}/ranking", tag = "slates", request_body = wire::RankingBody,
    params(wire::DuelId),
    responses(
        (status = 200, description = "The answer is recorded, by this request or an earlier one", body = wire::DoneView),
        RankProblems,
    )
)]
pub(super) async fn rank(
    State(app): State<Shared>,
    caller: Caller,
    Path(duel): Path<DuelId>,
    Body(body): Body<wire::RankingBody>,
) -> Result<Json<wire::DoneView>, Problem> {
    caller.may(Action::Vote, Some(duel.experiment))?;
    let request = convert::rank(body)?;
    // The policy learns up to 190 pairs, which takes too long for an async thread.
    let said = commit(&app, duel.experiment, false, move |arena| arena.rank(duel, &request)).await?;
    if said == Done::Recorded {
        app.metrics.outcomes.inc();
    }
    Ok(done(said))
}
