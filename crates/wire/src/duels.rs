//! Duels as they travel.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{AnswerView, ArmView, DuelId, RankingView};

/// Duels to be issued.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DuelsBody {
    /// Your name for this request: asked again, it gets the same duels.
    #[schema(min_length = 1, max_length = 200)]
    pub client_id: Option<String>,
    /// How many; 1.
    #[schema(minimum = 1, maximum = 1000)]
    pub count: Option<u32>,
    /// Whether the arms must differ; what the settings say.
    pub distinct: Option<bool>,
    /// Whatever is to be kept with the duels; at most 16 KiB.
    pub context: Option<Value>,
}

/// A duel to be shown.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DuelView {
    /// Its id. Whoever has it, and a key, can answer the duel.
    #[schema(value_type = DuelId)]
    pub id: String,
    /// The arm to be shown on the left.
    pub left: String,
    /// The arm to be shown on the right.
    pub right: String,
    /// What is needed to show the arms, if more than their names was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub arms: Option<Sides<ArmView>>,
    /// How likely it was.
    pub propensity: Propensity,
    /// Whether it was drawn uniformly and will not be learned from.
    pub holdout: bool,
    /// True if it is of a ranker with itself, to check that nothing favours a side.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    #[schema(required = false, default = false)]
    pub aa: bool,
    /// When it is given up.
    #[schema(format = DateTime)]
    pub expires_at: String,
}

/// Something for either side.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Sides<T> {
    /// Left.
    pub left: T,
    /// Right.
    pub right: T,
}

/// How likely a duel was. Which arm is shown on which side is a fair coin on top of it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Propensity {
    /// The probability of the arm on the left in the slot that it was drawn for, before equal arms
    /// were excluded; null where it is not known.
    #[schema(required = true)]
    pub left: Option<f64>,
    /// The probability of the arm on the right in the slot that it was drawn for, before equal arms
    /// were excluded; null where it is not known.
    #[schema(required = true)]
    pub right: Option<f64>,
    /// The probability of this pair, in the order in which it was drawn, given whether it was held
    /// out; null where it is not known.
    #[schema(required = true)]
    pub pair: Option<f64>,
}

/// Duels.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DuelList {
    /// The duels.
    pub duels: Vec<DuelView>,
}

/// Where a duel stands.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DuelState {
    /// The duel.
    #[serde(flatten)]
    pub duel: DuelView,
    /// Where it stands.
    pub status: DuelStatus,
    /// Its outcome, from the viewpoint of what was shown on the left.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub outcome: Option<AnswerView>,
    /// All arms in the order in which they are shown, if it is a slate.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub slate: Option<Vec<String>>,
    /// What was said of the slate.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub ranked: Option<RankingView>,
}

/// Where a duel stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DuelStatus {
    /// It waits for an outcome.
    Open,
    /// It has one.
    Answered,
    /// It was given up.
    Expired,
    /// It was voided or skipped.
    Voided,
}
