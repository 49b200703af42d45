//! Off-policy evaluation, as it travels.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::domain::{Against, Evaluated, Target};

/// Who is evaluated, and against whom.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(in crate::http) struct EvaluationQuery {
    /// A policy that learns along the log, as `name` or `name:key=value,...`; or give `arm`.
    #[param(nullable = false)]
    pub policy: Option<String>,
    /// An arm by its name; or give `policy`.
    #[param(nullable = false)]
    pub arm: Option<String>,
    /// Whom it meets: `policy`, what the experiment's policy put into its slots (this holds if nothing is said); `uniform`, every arm alike; or `arm:NAME`.
    #[param(nullable = false)]
    pub against: Option<String>,
}

/// What a target would have scored.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Evaluation)]
pub(in crate::http) struct EvaluationView {
    /// Who: a policy, or an arm.
    target: String,
    /// Whom it meets.
    against: String,
    /// The same in a sentence.
    words: String,
    /// How sure the intervals are.
    confidence: f64,
    /// Votes that were used.
    duels: u64,
    /// Votes that say nothing about other play: the chance of their pair is not known, or not every pair had one.
    unusable: u64,
    /// How many votes on duels of the target's own would say as much.
    effective_sample_size: f64,
    /// The largest weight of a vote.
    largest_weight: f64,
    /// Which part of what the target could meet the log has shown; about 1 if all of it.
    support: f64,
    /// Estimates of the mean score against the opponent, from -1 (always loses) to 1 (always wins).
    estimates: Vec<OffPolicyEstimate>,
}

/// An estimate of a mean score.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::http) struct OffPolicyEstimate {
    /// `ips` (inverse propensity scores), `snips` (self-normalised) or `dr` (doubly robust).
    method: &'static str,
    /// Whether its interval holds for every number of votes, or in the limit only.
    exact: bool,
    /// The estimate.
    value: f64,
    /// The least it can be.
    low: f64,
    /// The most it can be.
    high: f64,
}

impl EvaluationView {
    pub(in crate::http) fn new(
        target: &Target,
        against: &Against,
        evaluated: &Evaluated,
        confidence: f64,
    ) -> Self {
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
            .map(|(method, estimate)| OffPolicyEstimate {
                method: method.name(),
                exact: method.is_exact(),
                value: estimate.value,
                low: estimate.low,
                high: estimate.high,
            })
            .collect();
        let opponent = match against.as_str() {
            "policy" => "the present policy",
            "uniform" => "an arm drawn at random",
            arm => arm.trim_start_matches("arm:"),
        };
        // The interval that holds whatever the log is like decides what may be said.
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
        Self {
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
}
