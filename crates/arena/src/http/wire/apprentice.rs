//! An apprentice, as it travels.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::Experiment;

/// The most arms that are listed.
const SOME: usize = 100;

/// A policy that is to learn.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct ApprenticeBody {
    /// The policy, as `name` or `name:key=value,...`.
    pub policy: String,
}

/// A policy that learns in the shadow of the present one.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Apprentice)]
pub(in crate::http) struct ApprenticeView {
    /// The policy.
    policy: String,
    /// The place of the log from behind which on it learns.
    began: u64,
    /// How many outcomes it has learned from.
    lessons: u64,
    /// The arm that it would bet on now.
    recommended: String,
    /// The arm that the present policy would bet on now.
    recommended_by_policy: String,
    /// The arms that it would show most, at most 100; empty where the policy cannot tell.
    arms: Vec<ApprenticeArm>,
}

/// How often an apprentice would show an arm.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::http) struct ApprenticeArm {
    /// How the API calls it.
    name: String,
    /// The probability that it would put it into a slot of the next duel.
    probability: f64,
}

impl ApprenticeView {
    pub(in crate::http) fn new(experiment: &Experiment) -> Option<Self> {
        let apprentice = experiment.apprentice()?;
        let policy = apprentice.policy();
        let name = |index: usize| experiment.arms()[index].arm.name.clone();
        let mut order: Vec<(usize, f64)> =
            policy.probabilities().unwrap_or_default().into_iter().enumerate().collect();
        order.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        let arms = order
            .into_iter()
            .take(SOME)
            .map(|(index, probability)| ApprenticeArm { name: name(index), probability });
        Some(Self {
            policy: policy.spec().to_string(),
            began: apprentice.began(),
            lessons: apprentice.lessons(),
            recommended: name(policy.recommend().index()),
            recommended_by_policy: name(experiment.policy().recommend().index()),
            arms: arms.collect(),
        })
    }
}
