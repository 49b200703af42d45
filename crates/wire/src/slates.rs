//! Slates and rankings as they travel.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{ArmView, DuelId};

/// A slate to be issued.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SlateBody {
    /// How many arms; no more than the experiment has that are not retired.
    #[schema(minimum = 3, maximum = 20)]
    pub size: u32,
    /// Your name for this request: asked again, it gets the same slate.
    #[schema(min_length = 1, max_length = 200)]
    pub client_id: Option<String>,
    /// Whatever is to be kept with the slate; at most 16 KiB.
    pub context: Option<Value>,
}

/// Arms to be shown together.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SlateView {
    /// The id of the duel that it is. Whoever has it, and a key, can rank the slate.
    #[schema(value_type = DuelId)]
    pub id: String,
    /// The arms, in the order in which they are to be shown.
    pub arms: Vec<String>,
    /// What is needed to show the arms, in the same order, if more than their names was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub details: Option<Vec<ArmView>>,
    /// Whether it was drawn uniformly and will not be learned from.
    pub holdout: bool,
    /// When it is given up.
    #[schema(format = DateTime)]
    pub expires_at: String,
}

/// One arm of a ranking, or several that are equally good.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Rank {
    /// An arm.
    One(String),
    /// Arms that are equally good.
    Tied(Vec<String>),
}

/// What is said of a slate: a ranking or the best, not both.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RankingBody {
    /// Every arm of the slate, best first; a list within it holds arms that are equally good.
    #[schema(min_items = 1, max_items = 20, example = json!(["a", ["b", "c"], "d"]))]
    pub ranking: Option<Vec<Rank>>,
    /// The best arm of the slate.
    pub best: Option<String>,
    /// Who says so.
    #[schema(min_length = 1, max_length = 200)]
    pub voter: Option<String>,
    /// When that was, by your clock.
    #[schema(format = DateTime)]
    pub time: Option<String>,
}

/// What was said of a slate.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RankingView {
    /// All arms, best first; those that are equally good stand together.
    Ranking(Vec<Vec<String>>),
    /// The best one.
    Best(String),
}
