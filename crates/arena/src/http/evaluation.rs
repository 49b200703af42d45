//! What another policy or one arm would have scored.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::Shared;
use super::auth::Caller;
use super::experiments::blocking;
use super::extract::{Path, Query};
use super::problem::{Code, Problem, problems};
use super::segments::report;
use super::wire::{EvaluationQuery, EvaluationView};
use crate::domain::{Against, Target};
use crate::id::ExperimentId;
use crate::key::Action;

problems!(EvaluationProblems = Invalid NoExperiment NoArm BadPolicy NothingToEvaluate StoreUnavailable + ALWAYS);

/// See what another policy, or one arm, would have scored on the experiment's traffic. It reads the whole log.
#[utoipa::path(
    get, operation_id = "read_evaluation", path = "/v1/experiments/{experiment}/evaluation", tag = "standing",
    params(ExperimentId, EvaluationQuery),
    responses(
        (status = 200, description = "The estimates", body = EvaluationView),
        EvaluationProblems,
    )
)]
pub(super) async fn evaluation(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    Query(query): Query<EvaluationQuery>,
) -> Result<Json<EvaluationView>, Problem> {
    caller.may(Action::Read, Some(id))?;
    let target = match (query.policy, query.arm) {
        (Some(policy), None) => Target::Policy(policy),
        (None, Some(arm)) => Target::Arm(arm),
        _ => return Err(Problem::new(Code::Invalid, "give either `policy` or `arm`")),
    };
    let against = match query.against.as_deref() {
        None | Some("policy") => Against::Policy,
        Some("uniform") => Against::Uniform,
        Some(other) => {
            let arm = other.strip_prefix("arm:").ok_or_else(|| {
                Problem::new(
                    Code::Invalid,
                    "`against` must be `policy`, `uniform`, or `arm:` with an arm's name",
                )
            })?;
            Against::Arm(arm.to_owned())
        }
    };
    let permit = report(&app).await?;
    let arena = Arc::clone(&app.arena);
    let evaluate = move || {
        let _permit = permit;
        let evaluated = arena.evaluate(id, &target, &against)?;
        let confidence = arena.view(id, |experiment| experiment.settings().confidence)?;
        Ok(EvaluationView::new(&target, &against, &evaluated, confidence))
    };
    Ok(Json(blocking(evaluate).await?))
}
