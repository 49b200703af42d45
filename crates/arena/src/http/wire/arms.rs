//! Arms as they travel.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::domain::{ArmEntry, NewArm};

/// An arm: a name, or a name with more.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(untagged)]
pub(in crate::http) enum ArmInput {
    /// How the API calls it.
    Name(ArmName),
    /// With a label and a payload.
    Full(FullArm),
}

/// How the API calls an arm.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(min_length = 1, max_length = 200, example = "a")]
pub(in crate::http) struct ArmName(String);

/// An arm with a label and a payload.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct FullArm {
    /// How the API calls it; no two arms of an experiment share a name.
    #[schema(min_length = 1, max_length = 200)]
    name: String,
    /// What people are shown instead.
    #[schema(min_length = 1, max_length = 1000)]
    label: Option<String>,
    /// Whatever is needed to show it; handed out with each duel, at most 64 KiB.
    payload: Option<Value>,
}

impl From<ArmInput> for NewArm {
    fn from(arm: ArmInput) -> Self {
        match arm {
            ArmInput::Name(ArmName(name)) => Self::named(name),
            ArmInput::Full(FullArm { name, label, payload }) => Self { name, label, payload },
        }
    }
}

/// Arms to come in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct ArmsBody {
    /// The arms.
    #[schema(min_items = 1)]
    pub arms: Vec<ArmInput>,
}

/// An arm.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(in crate::http) struct ArmView {
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

impl ArmView {
    pub(in crate::http) fn new(index: usize, entry: &ArmEntry) -> Self {
        let NewArm { name, label, payload } = (*entry.arm).clone();
        Self { index, name, label, payload, retired: entry.retired }
    }
}

/// Some arms.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::http) struct ArmList {
    /// The arms, in the order of coming in.
    pub arms: Vec<ArmView>,
    /// What to pass as `from` for more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next: Option<u64>,
}

/// Which arms.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(in crate::http) struct ArmsQuery {
    /// The first arm, by index; 0.
    #[param(nullable = false, minimum = 0, maximum = 4_294_967_295_u64)]
    pub from: Option<u64>,
    /// How many at most; 100.
    #[param(nullable = false, minimum = 1, maximum = 1000)]
    pub limit: Option<u64>,
}
