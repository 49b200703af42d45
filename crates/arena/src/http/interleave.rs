//! Interleaving: draws two rankers, merges their lists and credits clicks.

use axum::Json;
use axum::extract::State;
use tiltyard_wire as wire;

use super::auth::Caller;
use super::convert;
use super::experiments::done;
use super::extract::{Body, OptionalBody, Path};
use super::problems::problems;
use crate::Arena;
use crate::app::{Problem, Shared, commit, commit_and_show};
use crate::arena::Done;
use crate::domain::{InterleaveRequest, Lists, ListsRequest};
use crate::id::{DuelId, ExperimentId};
use crate::key::Action;

/// Merging lists with up to this many documents is fast enough for an async thread.
const QUICK_DOCUMENTS: usize = 500;

fn is_quick(lists: &Lists) -> bool {
    lists.0.values().map(Vec::len).sum::<usize>() <= QUICK_DOCUMENTS
}

problems!(InterleaveProblems = NoExperiment NoDuel ExperimentPaused ExperimentClosed ClientIdReused ListsContradict OutcomeContradicts DuelVoided DuelExpired BadPolicy TooManyInFlight StoreUnavailable + ALWAYS + BODY);

/// Draw two rankers, and merge their lists.
///
/// If you send the lists of all rankers, the response has the merged list. Otherwise it names the
/// rankers to run.
#[utoipa::path(
    post, operation_id = "interleave", path = "/v1/experiments/{experiment}/interleave", tag = "interleaving",
    request_body = Option<wire::InterleaveBody>,
    params(wire::ExperimentId),
    responses(
        (status = 200, description = "The duel, and the merged list if the request had the lists", body = wire::InterleaveView),
        InterleaveProblems,
    )
)]
pub(super) async fn interleave(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    OptionalBody(body): OptionalBody<wire::InterleaveBody>,
) -> Result<Json<wire::InterleaveView>, Problem> {
    caller.may(Action::Vote, Some(id))?;
    let request = InterleaveRequest::from(body);
    let quick = request.lists.as_ref().is_none_or(is_quick);
    let interleave = move |arena: &Arena| arena.interleave(id, &request);
    let (found, view) = commit_and_show(&app, id, quick, interleave, convert::interleaved).await?;
    if found.drawn {
        app.metrics.duels.inc();
    }
    Ok(Json(view))
}

problems!(ListsProblems = NoDuel IsSlate ExperimentClosed ListsContradict OutcomeContradicts DuelVoided DuelExpired TooManyInFlight StoreUnavailable + ALWAYS + BODY);

/// Merge the lists of a duel's rankers.
///
/// Repeating the request with the same lists returns the same merged list.
#[utoipa::path(
    post, operation_id = "merge_lists", path = "/v1/duels/{duel}/lists", tag = "interleaving", request_body = wire::ListsBody,
    params(wire::DuelId),
    responses(
        (status = 200, description = "The merged list", body = wire::InterleaveView),
        ListsProblems,
    )
)]
pub(super) async fn lists(
    State(app): State<Shared>,
    caller: Caller,
    Path(duel): Path<DuelId>,
    Body(body): Body<wire::ListsBody>,
) -> Result<Json<wire::InterleaveView>, Problem> {
    let id = duel.experiment;
    caller.may(Action::Vote, Some(id))?;
    let request = ListsRequest::from(body);
    let quick = is_quick(&request.lists);
    let merge = move |arena: &Arena| arena.merge(duel, &request);
    let (_, view) = commit_and_show(&app, id, quick, merge, convert::interleaved).await?;
    Ok(Json(view))
}

problems!(ClicksProblems = NoDuel NotInterleaved ExperimentClosed OutcomeContradicts DuelVoided DuelExpired VoterLimit StoreUnavailable + ALWAYS + BODY);

/// Report the clicks on a merged list.
///
/// The clicks are the outcome of the duel. You can safely repeat the same clicks. Different clicks
/// are refused. If nothing was clicked, send an empty list; otherwise only users who click count.
#[utoipa::path(
    post, operation_id = "click", path = "/v1/duels/{duel}/clicks", tag = "interleaving", request_body = wire::ClicksBody,
    params(wire::DuelId),
    responses(
        (status = 200, description = "The clicks are credited, by this request or an earlier one", body = wire::DoneView),
        ClicksProblems,
    )
)]
pub(super) async fn clicks(
    State(app): State<Shared>,
    caller: Caller,
    Path(duel): Path<DuelId>,
    Body(body): Body<wire::ClicksBody>,
) -> Result<Json<wire::DoneView>, Problem> {
    caller.may(Action::Vote, Some(duel.experiment))?;
    let request = convert::clicks(body)?;
    let said = commit(&app, duel.experiment, true, move |arena| arena.click(duel, &request)).await?;
    if said == Done::Recorded {
        app.metrics.outcomes.inc();
    }
    Ok(done(said))
}
