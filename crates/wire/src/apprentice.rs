//! An apprentice, as it travels.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A policy that is to learn.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprenticeBody {
    /// The policy, as `name` or `name:key=value,...`.
    pub policy: String,
}

/// A policy that learns in the shadow of the present one.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Apprentice {
    /// The policy.
    pub policy: String,
    /// The place of the log from behind which on it learns.
    pub began: u64,
    /// How many outcomes it has learned from.
    pub lessons: u64,
    /// The arm that it would bet on now.
    pub recommended: String,
    /// The arm that the present policy would bet on now.
    pub recommended_by_policy: String,
    /// The arms that it would show most, at most 100; empty where the policy cannot tell.
    pub arms: Vec<ApprenticeArm>,
}

/// How often an apprentice would show an arm.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ApprenticeArm {
    /// How the API calls it.
    pub name: String,
    /// The probability that it would put it into a slot of the next duel.
    pub probability: f64,
}
