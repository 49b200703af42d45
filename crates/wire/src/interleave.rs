//! Interleaving in requests and responses.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::DuelView;

/// A request to draw two rankers and, if the lists of all rankers are given, to merge their lists.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InterleaveBody {
    /// Your id for this request. A repeated request with the same id returns the same duel and the
    /// same list.
    #[schema(min_length = 1, max_length = 200)]
    pub client_id: Option<String>,
    /// Any data to store with the duel, such as the query, at most 16 KiB.
    pub context: Option<Value>,
    /// The method of merging: `team-draft`, `balanced`, `probabilistic` or `optimized`, with
    /// parameters as in `probabilistic:tau=1`. Default: `team-draft`.
    #[schema(example = "team-draft")]
    pub method: Option<String>,
    /// The maximum length of the merged list. Default: 10.
    #[schema(minimum = 1, maximum = 100)]
    pub length: Option<u32>,
    /// The lists of all arms that are not retired, best document first. Without them, the response
    /// names the rankers to run.
    #[schema(example = json!({ "a": ["d1", "d2"], "b": ["d2", "d3"] }))]
    pub lists: Option<BTreeMap<String, Vec<String>>>,
}

/// The lists of a duel's rankers.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ListsBody {
    /// The lists of at least the duel's rankers, best document first, at most 1000 documents each.
    #[schema(example = json!({ "a": ["d1", "d2"], "b": ["d2", "d3"] }))]
    pub lists: BTreeMap<String, Vec<String>>,
    /// The method of merging. Default: the method given when the duel was drawn, or `team-draft`.
    #[schema(example = "team-draft")]
    pub method: Option<String>,
    /// The maximum length of the merged list. Default: the length given when the duel was drawn,
    /// or 10.
    #[schema(minimum = 1, maximum = 100)]
    pub length: Option<u32>,
}

/// The clicks on a merged list: either positions or documents. An empty list means that nothing was
/// clicked, which is a tie.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClicksBody {
    /// The clicked positions in the merged list, counted from 1.
    pub clicks: Option<Vec<u64>>,
    /// The clicked documents of the merged list.
    pub documents: Option<Vec<String>>,
    /// Your id for the person who clicked.
    #[schema(min_length = 1, max_length = 200)]
    pub voter: Option<String>,
    /// When that happened, by your clock.
    #[schema(format = DateTime)]
    pub time: Option<String>,
}

/// A duel of rankers. It does not say which ranker contributed which document, because the person
/// who clicks must not know.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct InterleaveView {
    /// The duel.
    pub duel: DuelView,
    /// The rankers to run: two, or one if both sides are the same ranker.
    pub run: Vec<String>,
    /// Whether one ranker serves the list alone. Clicks are accepted but compare nothing.
    pub alone: bool,
    /// The method of merging. Absent until the lists are merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub method: Option<String>,
    /// The documents to show, best first. Absent until the lists are merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub list: Option<Vec<ListedView>>,
}

/// A document of a merged list.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ListedView {
    /// The position in the list, counted from 1.
    pub position: usize,
    /// The document's id, as the rankers gave it.
    pub document: String,
}

/// The results of interleaving rankers with themselves.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
pub struct AaView {
    /// The left side earned more credit.
    pub left: u64,
    /// The right side earned more credit.
    pub right: u64,
    /// Both sides earned the same credit.
    pub ties: u64,
}
