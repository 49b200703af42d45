//! Arms as they travel.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

/// An arm: a name, or a name with more.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum ArmInput {
    /// How the API calls it.
    Name(ArmName),
    /// With a label and a payload.
    Full(FullArm),
}

/// How the API calls an arm.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(min_length = 1, max_length = 200, example = "a")]
pub struct ArmName(pub String);

/// An arm with a label and a payload.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FullArm {
    /// How the API calls it; no two arms of an experiment share a name.
    #[schema(min_length = 1, max_length = 200)]
    pub name: String,
    /// What people are shown instead.
    #[schema(min_length = 1, max_length = 1000)]
    pub label: Option<String>,
    /// Whatever is needed to show it; handed out with each duel, at most 64 KiB.
    pub payload: Option<Value>,
}

/// Arms to come in.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ArmsBody {
    /// The arms.
    #[schema(min_items = 1)]
    pub arms: Vec<ArmInput>,
}

/// An arm.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ArmView {
    /// Its place in the order of coming in, from 0.
    pub index: usize,
    /// How the API calls it.
    pub name: String,
    /// What people are shown instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub label: Option<String>,
    /// Whatever is needed to show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub payload: Option<Value>,
    /// Whether it is no longer proposed.
    pub retired: bool,
}

/// Some arms.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ArmList {
    /// The arms, in the order of coming in.
    pub arms: Vec<ArmView>,
    /// What to pass as `from` for more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next: Option<u64>,
}

/// Which arms.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ArmsQuery {
    /// The first arm, by index; 0.
    #[param(nullable = false, minimum = 0, maximum = 4_294_967_295_u64)]
    pub from: Option<u64>,
    /// How many at most; 100.
    #[param(nullable = false, minimum = 1, maximum = 1000)]
    pub limit: Option<u64>,
}
