//! Apprentices in requests and responses.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request to start an apprentice.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprenticeBody {
    /// The policy, as `name` or `name:key=value,...`.
    pub policy: String,
}

/// A policy that learns from the duels of the policy in charge without drawing any itself.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Apprentice {
    /// The policy.
    pub policy: String,
    /// The log position after which it starts learning.
    pub began: u64,
    /// The number of outcomes that it has learned from.
    pub lessons: u64,
    /// The arm that the apprentice recommends now.
    pub recommended: String,
    /// The arm that the policy in charge recommends now.
    pub recommended_by_policy: String,
    /// The arms that it would show most often, at most 100. Empty if the apprentice does not know
    /// its probabilities.
    pub arms: Vec<ApprenticeArm>,
}

/// How often an apprentice would show an arm.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ApprenticeArm {
    /// The arm's name in the API.
    pub name: String,
    /// The probability that the apprentice would put the arm into a slot of the next duel.
    pub probability: f64,
}
