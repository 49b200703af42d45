//! The log of an experiment in responses.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::{AnswerView, Propensity, RankingView, Status};

/// A page of an experiment's log.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct History {
    /// The events, in order.
    pub events: Vec<EventView>,
    /// Pass this as `after` to get the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next: Option<u64>,
    /// What is damaged, if the log cannot be read to its end. The events before the damage are
    /// sound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub damage: Option<String>,
}

/// An event of a log. Fields that do not belong to its type are absent.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct EventView {
    /// The position in the log.
    pub seq: u64,
    /// When the event was recorded.
    #[schema(format = DateTime)]
    pub at: String,
    /// The type of the event.
    #[serde(rename = "type")]
    #[schema(value_type = EventType)]
    pub kind: String,
    /// The duel, by the log position at which it was issued.
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
    /// The probability with which the duel was drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub propensity: Option<Propensity>,
    /// Whether the duel was drawn uniformly and the policy does not learn from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub holdout: Option<bool>,
    /// Whether the duel is of a ranker with itself, to check that nothing favours a side.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub aa: Option<bool>,
    /// When the duel expires.
    #[schema(nullable = false, format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// By how many seconds the time of all duels in flight was extended, because the server was
    /// down or its clock jumped forward.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub extended_by: Option<f64>,
    /// The data that the caller stored with the duel.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub context: Option<Value>,
    /// The client's id for the request, on the first of its duels or on its import.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub client_id: Option<String>,
    /// The outcome, from the viewpoint of the left arm. For a voided duel, the outcome that no
    /// longer counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub outcome: Option<AnswerView>,
    /// The clicked positions in the merged list, counted from 1, if the outcome comes from clicks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub clicks: Option<Vec<u32>>,
    /// All arms of a slate, in the order in which they are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub slate: Option<Vec<String>>,
    /// The answer to a slate. For a voided slate, the answer that no longer counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub ranked: Option<RankingView>,
    /// The voter.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub voter: Option<String>,
    /// When the vote was given, by the caller's clock.
    #[schema(nullable = false, format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Whether the outcome arrived after the duel had expired.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub late: Option<bool>,
    /// The number of records that followed here and were lost by damage.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub lost: Option<u64>,
    /// The new status of the experiment.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub status: Option<Status>,
    /// What happened to the apprentice.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub apprentice: Option<ApprenticeEvent>,
    /// True if the status changed because of a verdict, as the setting `stop` demands.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub by_verdict: Option<bool>,
    /// The arms of the new experiment, or the arms that were added.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub arms: Option<Vec<String>>,
    /// The arm that was retired or restored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub arm: Option<String>,
    /// The source of the imported votes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub source: Option<String>,
    /// The number of votes that were imported, or voided with their import.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub votes: Option<usize>,
    /// The import that was voided, by its log position.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub import: Option<u64>,
    /// The name of the new experiment.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub name: Option<String>,
    /// The policy of the new experiment or of the apprentice.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub policy: Option<String>,
    /// The method of merging.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub method: Option<String>,
    /// The merged list, best first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub documents: Option<Vec<String>>,
    /// Whether the list is the list of one ranker alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub alone: Option<bool>,
}

/// The types of events, for the OpenAPI document.
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
            "extended",
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
    /// It was dismissed.
    Dismissed,
    /// It took over as the policy of the experiment.
    TookOver,
}
