//! Interleaving as it travels.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::DuelView;
use crate::arena::RankerDuel;
use crate::domain::{
    AaCounts, ClickRequest, Clicked, Experiment, InterleaveRequest, Interleaved, Lists, ListsRequest,
    MergeOptions,
};
use crate::time::{Time, TimeError};

/// Two rankers to be drawn, and their lists merged if all are here.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct InterleaveBody {
    /// Your name for this request: asked again, it gets the same duel and the same list.
    #[schema(min_length = 1, max_length = 200)]
    client_id: Option<String>,
    /// Whatever is to be kept with the duel, such as the query; at most 16 KiB.
    context: Option<Value>,
    /// How lists are merged: `team-draft`, `balanced`, `probabilistic`, `optimized`, with parameters as in `probabilistic:tau=1`; team draft.
    #[schema(example = "team-draft")]
    method: Option<String>,
    /// How long the merged list may be; 10.
    #[schema(minimum = 1, maximum = 100)]
    length: Option<u32>,
    /// The lists of all arms that are not retired, best first. Without them the answer says which rankers to run.
    #[schema(example = json!({ "a": ["d1", "d2"], "b": ["d2", "d3"] }))]
    lists: Option<BTreeMap<String, Vec<String>>>,
}

impl From<InterleaveBody> for InterleaveRequest {
    fn from(body: InterleaveBody) -> Self {
        let InterleaveBody { client_id, context, method, length, lists } = body;
        Self { client: client_id, context, options: MergeOptions { method, length }, lists: lists.map(Lists) }
    }
}

/// The lists of a duel's rankers.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct ListsBody {
    /// At least the lists of the duel's rankers, best first; at most 1000 documents each.
    #[schema(example = json!({ "a": ["d1", "d2"], "b": ["d2", "d3"] }))]
    lists: BTreeMap<String, Vec<String>>,
    /// How they are merged; what was said when the duel was drawn, or team draft.
    #[schema(example = "team-draft")]
    method: Option<String>,
    /// How long the merged list may be; what was said when the duel was drawn, or 10.
    #[schema(minimum = 1, maximum = 100)]
    length: Option<u32>,
}

impl From<ListsBody> for ListsRequest {
    fn from(ListsBody { lists, method, length }: ListsBody) -> Self {
        Self { lists: Lists(lists), options: MergeOptions { method, length } }
    }
}

/// What was clicked: positions or documents, not both. Nothing clicked is an empty list, and a tie.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct ClicksBody {
    /// Positions in the merged list, counted from 1.
    clicks: Option<Vec<u64>>,
    /// Documents of the merged list.
    documents: Option<Vec<String>>,
    /// Who clicked.
    #[schema(min_length = 1, max_length = 200)]
    voter: Option<String>,
    /// When that was, by your clock.
    #[schema(format = DateTime)]
    time: Option<String>,
}

/// Why a body that can be read does not tell of clicks.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(in crate::http) enum ClicksBodyError {
    #[error("give `clicks` or `documents`, and not both")]
    OneOf,
    #[error(transparent)]
    Time(#[from] TimeError),
}

impl ClicksBody {
    pub(in crate::http) fn request(self) -> Result<ClickRequest, ClicksBodyError> {
        let clicked = match (self.clicks, self.documents) {
            (Some(positions), None) => Clicked::Positions(positions),
            (None, Some(documents)) => Clicked::Documents(documents),
            _ => return Err(ClicksBodyError::OneOf),
        };
        let said = self.time.map(|time| time.parse::<Time>()).transpose()?;
        Ok(ClickRequest { clicked, voter: self.voter, said })
    }
}

/// A duel of rankers. Which of them gave which document is not told: whoever clicks must not know.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::http) struct InterleaveView {
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
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::http) struct ListedView {
    /// Its place, counted from 1.
    pub position: usize,
    /// What the rankers call it.
    pub document: String,
}

impl InterleaveView {
    pub(in crate::http) fn new(experiment: &Experiment, found: &RankerDuel) -> Self {
        let duel = DuelView::new(experiment, &found.duel);
        let mut run = vec![duel.left.clone(), duel.right.clone()];
        run.dedup();
        let alone = run.len() == 1 && !found.duel.drawn.aa;
        let method = found.merged.as_ref().map(|merged| merged.method.clone());
        let list = found.merged.as_deref().map(listed);
        Self { duel, run, alone, method, list }
    }
}

fn listed(merged: &Interleaved) -> Vec<ListedView> {
    let documents = merged.list.documents().iter().cloned().enumerate();
    documents.map(|(place, document)| ListedView { position: place + 1, document }).collect()
}

/// How rankers fared against themselves.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub(in crate::http) struct AaView {
    /// The left one earned more.
    left: u64,
    /// The right one earned more.
    right: u64,
    /// Both earned the same.
    ties: u64,
}

impl From<AaCounts> for AaView {
    fn from(AaCounts { left, right, ties }: AaCounts) -> Self {
        Self { left, right, ties }
    }
}
