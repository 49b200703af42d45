//! Slates: several arms shown together, and what is said of them.

use axum::Json;
use axum::extract::State;
use tiltyard_wire as wire;

use super::auth::Caller;
use super::convert;
use super::experiments::done;
use super::extract::{Body, Path};
use super::problems::problems;
use crate::Arena;
use crate::app::{Problem, Shared, ask, commit};
use crate::arena::Done;
use crate::domain::SlateRequest;
use crate::id::{DuelId, ExperimentId};
use crate::key::Action;

problems!(IssueProblems = NoExperiment ExperimentPaused ExperimentClosed ClientIdReused BadPolicy TooManyInFlight StoreUnavailable + ALWAYS + BODY);

/// Get several arms to show together, 3 to 20.
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
    let found = commit(&app, id, true, move |arena| arena.issue_slate(id, &request)).await?;
    if found.drawn {
        app.metrics.duels.inc();
    }
    let view = move |arena: &Arena| arena.view(id, |experiment| convert::slate(experiment, &found));
    Ok(Json(ask(&app, id, true, view).await?))
}

problems!(RankProblems = NoDuel NotASlate ExperimentClosed OutcomeContradicts DuelVoided DuelExpired VoterLimit StoreUnavailable + ALWAYS + BODY);

/// Rank the arms of a slate, best first, or name the best. Said again, the same is fine and another
/// is refused.
#[utoipa::path(
    post, operation_id = "rank_slate", path = "/v1/duels/{duel}/ranking", tag = "slates", request_body = wire::RankingBody,
    params(wire::DuelId),
    responses(
        (status = 200, description = "It is recorded, now or before", body = wire::DoneView),
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
    // Up to 190 pairs are learned.
    let said = commit(&app, duel.experiment, false, move |arena| arena.rank(duel, &request)).await?;
    if said == Done::Recorded {
        app.metrics.outcomes.inc();
    }
    Ok(done(said))
}
