//! Slates: several arms shown together, and what is said of them.

use axum::Json;
use axum::extract::State;

use super::Shared;
use super::auth::Caller;
use super::duels::unreadable;
use super::experiments::{ask, done};
use super::extract::{Body, Path};
use super::guard::durable;
use super::problem::{Problem, problems};
use super::wire::{DoneView, RankingBody, SlateBody, SlateView};
use crate::arena::Done;
use crate::domain::SlateRequest;
use crate::id::{DuelId, ExperimentId};
use crate::key::Action;

problems!(IssueProblems = NoExperiment ExperimentPaused ExperimentClosed ClientIdReused BadPolicy TooManyInFlight StoreUnavailable + ALWAYS + BODY);

/// Get several arms to show together, 3 to 20.
#[utoipa::path(
    post, operation_id = "issue_slate", path = "/v1/experiments/{experiment}/slates", tag = "slates", request_body = SlateBody,
    params(ExperimentId),
    responses(
        (status = 200, description = "The slate", body = SlateView),
        IssueProblems,
    )
)]
pub(super) async fn issue(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    Body(body): Body<SlateBody>,
) -> Result<Json<SlateView>, Problem> {
    caller.may(Action::Vote, Some(id))?;
    let request = SlateRequest::from(body);
    let found = durable(ask(&app, id, true, move |arena| arena.issue_slate(id, &request)).await?).await?;
    if found.drawn {
        app.metrics.duels.inc();
    }
    let view = move |arena: &crate::Arena| arena.view(id, |experiment| SlateView::new(experiment, &found));
    Ok(Json(ask(&app, id, true, view).await?))
}

problems!(RankProblems = NoDuel NotASlate ExperimentClosed OutcomeContradicts DuelVoided DuelExpired VoterLimit StoreUnavailable + ALWAYS + BODY);

/// Rank the arms of a slate, best first, or name the best. Said again, the same is fine and another is refused.
#[utoipa::path(
    post, operation_id = "rank_slate", path = "/v1/duels/{duel}/ranking", tag = "slates", request_body = RankingBody,
    params(DuelId),
    responses(
        (status = 200, description = "It is recorded, now or before", body = DoneView),
        RankProblems,
    )
)]
pub(super) async fn rank(
    State(app): State<Shared>,
    caller: Caller,
    Path(duel): Path<DuelId>,
    Body(body): Body<RankingBody>,
) -> Result<Json<DoneView>, Problem> {
    caller.may(Action::Vote, Some(duel.experiment))?;
    let request = body.request().map_err(unreadable)?;
    // Up to 190 pairs are learned.
    let said =
        durable(ask(&app, duel.experiment, false, move |arena| arena.rank(duel, &request)).await?).await?;
    if said == Done::Recorded {
        app.metrics.outcomes.inc();
    }
    Ok(done(said))
}
