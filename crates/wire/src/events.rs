//! The log as it travels.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::{AnswerView, Propensity, RankingView, Status};

/// Part of an experiment's log.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct History {
    /// What happened, in order.
    pub events: Vec<EventView>,
    /// What to pass as `after` for more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next: Option<u64>,
}

/// What happened. What does not belong to its type is left out.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct EventView {
    /// Its place in the log.
    pub seq: u64,
    /// When.
    #[schema(format = DateTime)]
    pub at: String,
    /// What kind of thing.
    #[serde(rename = "type")]
    #[schema(value_type = EventType)]
    pub kind: String,
    /// The duel, by the place at which it was issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub duel: Option<u64>,
    /// The arm that was shown on the left.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub left: Option<String>,
    /// The arm that was shown on the right.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub right: Option<String>,
    /// How likely the duel was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub propensity: Option<Propensity>,
    /// Whether it was drawn uniformly and is not learned from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub holdout: Option<bool>,
    /// Whether it is of a ranker with itself, to check that nothing favours a side.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub aa: Option<bool>,
    /// When it is given up.
    #[schema(nullable = false, format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// What the caller wanted kept with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub context: Option<Value>,
    /// The client's name for the request, on the first of its duels or on its votes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub client_id: Option<String>,
    /// The outcome, from the viewpoint of what was shown on the left. Of a voided duel: the one
    /// that no longer counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub outcome: Option<AnswerView>,
    /// What was clicked in the merged list, positions counted from 1, if the outcome is made of
    /// clicks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub clicks: Option<Vec<u32>>,
    /// All arms of a slate, in the order in which they are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub slate: Option<Vec<String>>,
    /// What was said of a slate; for a voided one, what no longer counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub ranked: Option<RankingView>,
    /// Who said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub voter: Option<String>,
    /// When that was, by the caller's clock.
    #[schema(nullable = false, format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Whether the outcome came after the duel had expired.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub late: Option<bool>,
    /// Whether the experiment issues duels from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub status: Option<Status>,
    /// What happened to the apprentice.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub apprentice: Option<ApprenticeEvent>,
    /// True if the status changed because there is a verdict, as the settings want it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub by_verdict: Option<bool>,
    /// The arms that came in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub arms: Option<Vec<String>>,
    /// The arm that was retired or restored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub arm: Option<String>,
    /// Where votes that came in are from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub source: Option<String>,
    /// How many votes came in, or went out again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub votes: Option<usize>,
    /// The import that was voided, by the place at which its votes had come in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub import: Option<u64>,
    /// What the experiment was called when it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub name: Option<String>,
    /// The policy that the experiment was made with.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub policy: Option<String>,
    /// How lists were merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub method: Option<String>,
    /// The merged list, best first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub documents: Option<Vec<String>>,
    /// Whether that is one ranker's own list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub alone: Option<bool>,
}

/// What can happen to an experiment, for the document.
struct EventType;

impl PartialSchema for EventType {
    fn schema() -> RefOr<Schema> {
        let words = [
            "created",
            "status",
            "arms_added",
            "arm_retired",
            "arm_restored",
            "duel",
            "shown",
            "answered",
            "voided",
            "expired",
            "interleaved",
            "imported",
            "import_voided",
            "apprentice",
        ];
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).into()
    }
}

impl ToSchema for EventType {}

/// What happened to an apprentice.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprenticeEvent {
    /// It began to learn.
    Began,
    /// It was sent away.
    Dismissed,
    /// It is the policy from then on.
    TookOver,
}
