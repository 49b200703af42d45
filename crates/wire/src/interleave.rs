//! Interleaving as it travels.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::DuelView;

/// Two rankers to be drawn, and their lists merged if all are here.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InterleaveBody {
    /// Your name for this request: asked again, it gets the same duel and the same list.
    #[schema(min_length = 1, max_length = 200)]
    pub client_id: Option<String>,
    /// Whatever is to be kept with the duel, such as the query; at most 16 KiB.
    pub context: Option<Value>,
    /// How lists are merged: `team-draft`, `balanced`, `probabilistic`, `optimized`, with
    /// parameters as in `probabilistic:tau=1`; team draft.
    #[schema(example = "team-draft")]
    pub method: Option<String>,
    /// How long the merged list may be; 10.
    #[schema(minimum = 1, maximum = 100)]
    pub length: Option<u32>,
    /// The lists of all arms that are not retired, best first. Without them the answer says which
    /// rankers to run.
    #[schema(example = json!({ "a": ["d1", "d2"], "b": ["d2", "d3"] }))]
    pub lists: Option<BTreeMap<String, Vec<String>>>,
}

/// The lists of a duel's rankers.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ListsBody {
    /// At least the lists of the duel's rankers, best first; at most 1000 documents each.
    #[schema(example = json!({ "a": ["d1", "d2"], "b": ["d2", "d3"] }))]
    pub lists: BTreeMap<String, Vec<String>>,
    /// How they are merged; what was said when the duel was drawn, or team draft.
    #[schema(example = "team-draft")]
    pub method: Option<String>,
    /// How long the merged list may be; what was said when the duel was drawn, or 10.
    #[schema(minimum = 1, maximum = 100)]
    pub length: Option<u32>,
}

/// What was clicked: positions or documents, not both. Nothing clicked is an empty list, and a tie.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClicksBody {
    /// Positions in the merged list, counted from 1.
    pub clicks: Option<Vec<u64>>,
    /// Documents of the merged list.
    pub documents: Option<Vec<String>>,
    /// Who clicked.
    #[schema(min_length = 1, max_length = 200)]
    pub voter: Option<String>,
    /// When that was, by your clock.
    #[schema(format = DateTime)]
    pub time: Option<String>,
}

/// A duel of rankers. Which of them gave which document is not told: whoever clicks must not know.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct InterleaveView {
    /// The duel.
    pub duel: DuelView,
    /// The rankers to run; one if both sides are the same.
    pub run: Vec<String>,
    /// Whether one ranker serves alone: clicks are taken, and say nothing about anybody.
    pub alone: bool,
    /// How the lists were merged; not there yet if they were not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub method: Option<String>,
    /// What to show, best first; not there yet if the lists were not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub list: Option<Vec<ListedView>>,
}

/// A document of a merged list.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ListedView {
    /// Its place, counted from 1.
    pub position: usize,
    /// What the rankers call it.
    pub document: String,
}

/// How rankers fared against themselves.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
pub struct AaView {
    /// The left one earned more.
    pub left: u64,
    /// The right one earned more.
    pub right: u64,
    /// Both earned the same.
    pub ties: u64,
}
