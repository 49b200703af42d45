//! Slates and rankings in requests and responses.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{ArmView, DuelId};

/// A request for a slate.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SlateBody {
    /// The number of arms, at most the number of arms that are not retired.
    #[schema(minimum = 3, maximum = 20)]
    pub size: u32,
    /// Your id for this request. A repeated request with the same id returns the same slate.
    #[schema(min_length = 1, max_length = 200)]
    pub client_id: Option<String>,
    /// Any data to store with the slate, at most 16 KiB.
    pub context: Option<Value>,
}

/// Arms to show together.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SlateView {
    /// The id of the slate, which is the id of a duel. Anyone who has this id and a key can rank
    /// the slate.
    #[schema(value_type = DuelId)]
    pub id: String,
    /// The arms, in the order in which to show them.
    pub arms: Vec<String>,
    /// The arms with their labels and payloads, in the same order. Absent if the arms have only
    /// names.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub details: Option<Vec<ArmView>>,
    /// Whether the slate was drawn uniformly and the policy will not learn from it.
    pub holdout: bool,
    /// When the slate expires.
    #[schema(format = DateTime)]
    pub expires_at: String,
}

/// One arm of a ranking, or several that are equally good.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Rank {
    /// One arm.
    One(String),
    /// Several arms that are equally good.
    Tied(Vec<String>),
}

/// The answer to a slate: either a ranking or the best arm.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RankingBody {
    /// Every arm of the slate, best first. An inner list holds arms that are equally good.
    #[schema(min_items = 1, max_items = 20, example = json!(["a", ["b", "c"], "d"]))]
    pub ranking: Option<Vec<Rank>>,
    /// The best arm of the slate.
    pub best: Option<String>,
    /// Your id for the voter.
    #[schema(min_length = 1, max_length = 200)]
    pub voter: Option<String>,
    /// When the vote was given, by your clock.
    #[schema(format = DateTime)]
    pub time: Option<String>,
}

/// The answer to a slate.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RankingView {
    /// All arms, best first. Arms that are equally good share an inner list.
    Ranking(Vec<Vec<String>>),
    /// The best arm.
    Best(String),
}
