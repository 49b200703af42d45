//! Off-policy evaluation in requests and responses.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// The target to evaluate, and its opponent.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EvaluationQuery {
    /// The policy to evaluate, as `name` or `name:key=value,...`. It learns while it reads the log.
    /// Give either `policy` or `arm`.
    #[param(nullable = false)]
    pub policy: Option<String>,
    /// The name of the arm to evaluate. Give either `policy` or `arm`.
    #[param(nullable = false)]
    pub arm: Option<String>,
    /// The opponent: `policy` (arms as the experiment's policy drew them), `uniform` (every arm
    /// with the same probability) or `arm:NAME` (one arm). Default: `policy`.
    #[param(nullable = false)]
    pub against: Option<String>,
}

/// An estimate of what a target would have scored.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Evaluation {
    /// The evaluated policy or arm.
    pub target: String,
    /// The opponent.
    pub against: String,
    /// The result as a sentence.
    pub words: String,
    /// The confidence of the intervals.
    pub confidence: f64,
    /// The number of votes that were used.
    pub duels: u64,
    /// The number of votes that could not be used, because the probability of their pair is unknown
    /// or because not every pair could be drawn.
    pub unusable: u64,
    /// How many votes on duels drawn by the target itself would carry the same information.
    pub effective_sample_size: f64,
    /// The largest weight of a vote.
    pub largest_weight: f64,
    /// How much of the target's possible pairs the log covers: about 1 if it covers all of them,
    /// less otherwise.
    pub support: f64,
    /// Estimates of the mean score against the opponent, from -1 (always loses) to 1 (always wins).
    pub estimates: Vec<OffPolicyEstimate>,
}

/// An estimate of a mean score.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct OffPolicyEstimate {
    /// `ips` (inverse propensity scores), `snips` (self-normalised) or `dr` (doubly robust).
    pub method: String,
    /// Whether the interval holds for every number of votes. Otherwise it holds only in the limit
    /// of many votes.
    pub exact: bool,
    /// The estimate.
    pub value: f64,
    /// The lower limit of the interval.
    pub low: f64,
    /// The upper limit of the interval.
    pub high: f64,
}
