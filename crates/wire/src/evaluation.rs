//! Off-policy evaluation, as it travels.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Who is evaluated, and against whom.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EvaluationQuery {
    /// A policy that learns along the log, as `name` or `name:key=value,...`; or give `arm`.
    #[param(nullable = false)]
    pub policy: Option<String>,
    /// An arm by its name; or give `policy`.
    #[param(nullable = false)]
    pub arm: Option<String>,
    /// Whom it meets: `policy`, what the experiment's policy put into its slots (this holds if
    /// nothing is said); `uniform`, every arm alike; or `arm:NAME`.
    #[param(nullable = false)]
    pub against: Option<String>,
}

/// What a target would have scored.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Evaluation {
    /// Who: a policy, or an arm.
    pub target: String,
    /// Whom it meets.
    pub against: String,
    /// The same in a sentence.
    pub words: String,
    /// How sure the intervals are.
    pub confidence: f64,
    /// Votes that were used.
    pub duels: u64,
    /// Votes that say nothing about other play: the chance of their pair is not known, or not every
    /// pair had one.
    pub unusable: u64,
    /// How many votes on duels of the target's own would say as much.
    pub effective_sample_size: f64,
    /// The largest weight of a vote.
    pub largest_weight: f64,
    /// Which part of what the target could meet the log has shown; about 1 if all of it.
    pub support: f64,
    /// Estimates of the mean score against the opponent, from -1 (always loses) to 1 (always wins).
    pub estimates: Vec<OffPolicyEstimate>,
}

/// An estimate of a mean score.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct OffPolicyEstimate {
    /// `ips` (inverse propensity scores), `snips` (self-normalised) or `dr` (doubly robust).
    pub method: String,
    /// Whether its interval holds for every number of votes, or in the limit only.
    pub exact: bool,
    /// The estimate.
    pub value: f64,
    /// The least it can be.
    pub low: f64,
    /// The most it can be.
    pub high: f64,
}
