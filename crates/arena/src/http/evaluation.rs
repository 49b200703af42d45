//! Off-policy evaluation: what another policy or one arm would have scored.

use axum::Json;
use axum::extract::State;
use tiltyard_wire as wire;

use super::auth::Caller;
use super::extract::{Path, Query};
use super::problems::problems;
use crate::Arena;
use crate::app::{Problem, Shared, commit, report};
use crate::domain::{Against, Evaluated, Target};
use crate::id::ExperimentId;
use crate::key::Action;

problems!(EvaluationProblems = Invalid NoExperiment NoArm BadPolicy NothingToEvaluate StoreUnavailable + ALWAYS);

/// Estimate what another policy or one arm would have scored on the experiment's traffic.
///
/// This reads the whole log.
#[utoipa::path(
    get, operation_id = "read_evaluation", path = "/v1/experiments/{experiment}/evaluation", tag = "standing",
    params(wire::ExperimentId, wire::EvaluationQuery),
    responses(
        (status = 200, description = "The estimates", body = wire::Evaluation),
        EvaluationProblems,
    )
)]
pub(super) async fn evaluation(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    Query(query): Query<wire::EvaluationQuery>,
) -> Result<Json<wire::Evaluation>, Problem> {
    caller.may(Action::Read, Some(id))?;
    let target = match (query.policy, query.arm) {
        (Some(policy), None) => Target::Policy(policy),
        (None, Some(arm)) => Target::Arm(arm),
        _ => return Err(Problem::invalid("give either `policy` or `arm`")),
    };
    let against = match query.against.as_deref() {
        None | Some("policy") => Against::Policy,
        Some("uniform") => Against::Uniform,
        Some(other) => {
            let arm = other.strip_prefix("arm:").ok_or_else(|| {
                Problem::invalid(
                    "`against` must be `policy`, `uniform` or `arm:NAME` with the name of an arm",
                )
            })?;
            Against::Arm(arm.to_owned())
        }
    };
    let permit = report(&app).await?;
    let evaluate = move |arena: &Arena| {
        let _permit = permit;
        let evaluated = arena.evaluate(id, &target, &against)?;
        let confidence = arena.peek(id, |experiment| experiment.settings().confidence)?;
        Ok(evaluated.map(|evaluated| told(&target, &against, &evaluated, confidence)))
    };
    Ok(Json(commit(&app, id, false, evaluate).await?))
}

/// The estimates, and a sentence that sums them up.
fn told(target: &Target, against: &Against, evaluated: &Evaluated, confidence: f64) -> wire::Evaluation {
    let target = match target {
        Target::Policy(policy) => policy.clone(),
        Target::Arm(arm) => arm.clone(),
    };
    let against = match against {
        Against::Policy => "policy".to_owned(),
        Against::Uniform => "uniform".to_owned(),
        Against::Arm(arm) => format!("arm:{arm}"),
    };
    let estimates: Vec<_> = evaluated
        .estimates
        .iter()
        .map(|(method, estimate)| wire::OffPolicyEstimate {
            method: method.name().to_owned(),
            exact: method.is_exact(),
            value: estimate.value,
            low: estimate.low,
            high: estimate.high,
        })
        .collect();
    let opponent = match against.as_str() {
        "policy" => "the experiment's policy",
        "uniform" => "an arm drawn at random",
        arm => arm.trim_start_matches("arm:"),
    };
    // Only the exact interval decides the sentence: it holds for every number of votes.
    let exact = estimates.iter().find(|estimate| estimate.exact);
    let words = match exact {
        Some(exact) if exact.low > 0.0 => {
            format!("{target} would have won more than it lost against {opponent}.")
        }
        Some(exact) if exact.high < 0.0 => {
            format!("{target} would have lost more than it won against {opponent}.")
        }
        _ => format!("The log does not show whether {target} would have won or lost against {opponent}."),
    };
    wire::Evaluation {
        target,
        against,
        words,
        confidence,
        duels: evaluated.duels,
        unusable: evaluated.unusable,
        effective_sample_size: evaluated.effective_sample_size,
        largest_weight: evaluated.largest_weight,
        support: evaluated.support,
        estimates,
    }
}
