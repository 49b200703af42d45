//! Duels in requests and responses.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{AnswerView, ArmView, DuelId, RankingView};

/// A request for duels.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DuelsBody {
    /// Your id for this request. A repeated request with the same id returns the same duels.
    #[schema(min_length = 1, max_length = 200)]
    pub client_id: Option<String>,
    /// The number of duels. Default: 1.
    #[schema(minimum = 1, maximum = 1000)]
    pub count: Option<u32>,
    /// Whether the two arms of a duel must be different. Default: the experiment's setting
    /// `distinct`.
    pub distinct: Option<bool>,
    /// Any data to store with the duels, at most 16 KiB.
    pub context: Option<Value>,
}

/// A duel to show.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DuelView {
    /// The id of the duel. Anyone who has this id and a key can answer the duel.
    #[schema(value_type = DuelId)]
    pub id: String,
    /// The arm to show on the left.
    pub left: String,
    /// The arm to show on the right.
    pub right: String,
    /// The two arms with their labels and payloads. Absent if the arms have only names.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub arms: Option<Sides<ArmView>>,
    /// The probability with which the duel was drawn.
    pub propensity: Propensity,
    /// Whether the duel was drawn uniformly and the policy will not learn from it.
    pub holdout: bool,
    /// Whether the duel is of a ranker with itself, to check that nothing favours a side.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    #[schema(required = false, default = false)]
    pub aa: bool,
    /// When the duel expires.
    #[schema(format = DateTime)]
    pub expires_at: String,
}

/// A value for each side.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Sides<T> {
    /// The value for the left side.
    pub left: T,
    /// The value for the right side.
    pub right: T,
}

/// The probability with which a duel was drawn. In addition, a fair coin decides which arm is shown
/// on which side.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Propensity {
    /// The probability of the left arm in the slot for which it was drawn, before equal arms were
    /// excluded; null if unknown.
    #[schema(required = true)]
    pub left: Option<f64>,
    /// The probability of the right arm in the slot for which it was drawn, before equal arms were
    /// excluded; null if unknown.
    #[schema(required = true)]
    pub right: Option<f64>,
    /// The probability of this pair in the order in which it was drawn, given whether it was held
    /// out; null if unknown.
    #[schema(required = true)]
    pub pair: Option<f64>,
}

/// A list of duels.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DuelList {
    /// The duels.
    pub duels: Vec<DuelView>,
}

/// A duel with its status and its answer.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DuelState {
    /// The duel.
    #[serde(flatten)]
    pub duel: DuelView,
    /// The status of the duel.
    pub status: DuelStatus,
    /// The outcome, from the viewpoint of the left arm.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub outcome: Option<AnswerView>,
    /// If the duel is a slate: all its arms, in the order in which they are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub slate: Option<Vec<String>>,
    /// The answer to the slate.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub ranked: Option<RankingView>,
}

/// The status of a duel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DuelStatus {
    /// In flight.
    Open,
    /// It has an outcome.
    Answered,
    /// It expired without an outcome.
    Expired,
    /// It was voided or skipped.
    Voided,
}
