//! Arms in requests and responses.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

/// An arm: its name alone, or its name with a label and a payload.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum ArmInput {
    /// The name alone.
    Name(ArmName),
    /// The name with a label and a payload.
    Full(FullArm),
}

/// The name of an arm in the API.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(min_length = 1, max_length = 200, example = "a")]
pub struct ArmName(pub String);

/// An arm with a label and a payload.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FullArm {
    /// The arm's name in the API, unique within the experiment.
    #[schema(min_length = 1, max_length = 200)]
    pub name: String,
    /// The text shown to people instead of the name.
    #[schema(min_length = 1, max_length = 1000)]
    pub label: Option<String>,
    /// Anything needed to show the arm, at most 64 KiB. It is returned with each duel.
    pub payload: Option<Value>,
}

/// A request to add arms.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ArmsBody {
    /// The arms to add.
    #[schema(min_items = 1)]
    pub arms: Vec<ArmInput>,
}

/// An arm.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ArmView {
    /// The position of the arm in the order in which arms were added, counted from 0.
    pub index: usize,
    /// The arm's name in the API.
    pub name: String,
    /// The text shown to people instead of the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub label: Option<String>,
    /// Anything needed to show the arm.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub payload: Option<Value>,
    /// Whether the arm is retired: the experiment no longer proposes it.
    pub retired: bool,
}

/// A page of arms.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ArmList {
    /// The arms, in the order in which they were added.
    pub arms: Vec<ArmView>,
    /// Pass this as `from` to get the next page. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next: Option<u64>,
}

/// Which page of arms to read.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ArmsQuery {
    /// The index of the first arm. Default: 0.
    #[param(nullable = false, minimum = 0, maximum = 4_294_967_295_u64)]
    pub from: Option<u64>,
    /// The maximum number of arms. Default: 100.
    #[param(nullable = false, minimum = 1, maximum = 1000)]
    pub limit: Option<u64>,
}
