//! The log as it travels.

use serde::Serialize;
use serde_json::Value;
use tiltyard_bandit::Arm;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::wire::{AnswerView, Propensity, RankingView, StatusWord, shown};
use crate::domain::{ApprenticeChanged, ClosedDuel, DrawnDuel, Event, Experiment, Kind, Record};

/// Part of an experiment's log.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct History {
    /// What happened, in order.
    pub(super) events: Vec<EventView>,
    /// What to pass as `after` for more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) next: Option<u64>,
}

/// What happened. What does not belong to its type is left out.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(super) struct EventView {
    /// Its place in the log.
    pub(super) seq: u64,
    /// When.
    #[schema(format = DateTime)]
    at: String,
    /// What kind of thing.
    #[serde(rename = "type")]
    #[schema(value_type = EventType)]
    kind: &'static str,
    /// The duel, by the place at which it was issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    duel: Option<u64>,
    /// The arm that was shown on the left.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    left: Option<String>,
    /// The arm that was shown on the right.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    right: Option<String>,
    /// How likely the duel was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    propensity: Option<Propensity>,
    /// Whether it was drawn uniformly and is not learned from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    holdout: Option<bool>,
    /// Whether it is of a ranker with itself, to check that nothing favours a side.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    aa: Option<bool>,
    /// When it is given up.
    #[schema(nullable = false, format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    /// What the caller wanted kept with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    context: Option<Value>,
    /// The client's name for the request, on the first of its duels or on its votes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    client_id: Option<String>,
    /// The outcome, from the viewpoint of what was shown on the left. Of a voided duel: the one that no longer counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    outcome: Option<AnswerView>,
    /// What was clicked in the merged list, positions counted from 1, if the outcome is made of clicks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    clicks: Option<Vec<u32>>,
    /// All arms of a slate, in the order in which they are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    slate: Option<Vec<String>>,
    /// What was said of a slate; for a voided one, what no longer counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    ranked: Option<RankingView>,
    /// Who said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    voter: Option<String>,
    /// When that was, by the caller's clock.
    #[schema(nullable = false, format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    /// Whether the outcome came after the duel had expired.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    late: Option<bool>,
    /// Whether the experiment issues duels from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    status: Option<StatusWord>,
    /// What happened to the apprentice.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    apprentice: Option<ApprenticeWord>,
    /// True if the status changed because there is a verdict, as the settings want it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    by_verdict: Option<bool>,
    /// The arms that came in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    arms: Option<Vec<String>>,
    /// The arm that was retired or restored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    arm: Option<String>,
    /// Where votes that came in are from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    source: Option<String>,
    /// How many votes came in, or went out again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    votes: Option<usize>,
    /// The import that was voided, by the place at which its votes had come in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    import: Option<u64>,
    /// What the experiment was called when it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    name: Option<String>,
    /// The policy that the experiment was made with.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    policy: Option<String>,
    /// How lists were merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    method: Option<String>,
    /// The merged list, best first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    documents: Option<Vec<String>>,
    /// Whether that is one ranker's own list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    alone: Option<bool>,
}

/// What can happen to an experiment, for the document.
struct EventType;

impl PartialSchema for EventType {
    fn schema() -> RefOr<Schema> {
        let keys = [Kind::KeyMade, Kind::KeyRevoked];
        let words = Kind::ALL.iter().filter(|kind| !keys.contains(kind)).map(|kind| kind.word());
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).into()
    }
}

impl ToSchema for EventType {}

/// What happened to an apprentice.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ApprenticeEvent)]
pub(in crate::http) enum ApprenticeWord {
    /// It began to learn.
    Began,
    /// It was sent away.
    Dismissed,
    /// It is the policy from then on.
    TookOver,
}

impl EventView {
    /// A record in the words of the API. It does not tell what one must know to answer a duel.
    pub(super) fn new(record: &Record, experiment: &Experiment) -> Self {
        let name = |arm: Arm| experiment.arms().get(arm.index()).map(|entry| entry.arm.name.clone());
        let view = Self {
            seq: record.seq,
            at: record.at.to_string(),
            kind: record.event.kind().word(),
            duel: record.event.duel(),
            ..Self::default()
        };
        let sides = |open: &DrawnDuel, view: Self| {
            let (left, right) = open.sides();
            Self { left: name(left), right: name(right), ..view }
        };
        match &record.event {
            Event::Created(created) => Self {
                arms: Some(created.arms.iter().map(|arm| arm.name.clone()).collect()),
                name: Some(created.name.clone()),
                policy: Some(created.policy.clone()),
                ..view
            },
            Event::Changed(changed) => Self {
                status: Some(changed.status.into()),
                by_verdict: changed.by_verdict.then_some(true),
                ..view
            },
            Event::ArmsAdded(added) => {
                Self { arms: Some(added.arms.iter().map(|arm| arm.name.clone()).collect()), ..view }
            }
            Event::ArmRetired(changed) | Event::ArmRestored(changed) => {
                Self { arm: name(Arm::new(changed.arm as usize)), ..view }
            }
            Event::Issued(issued) => sides(
                &issued.drawn,
                Self {
                    duel: Some(record.seq),
                    propensity: Some(Propensity::of(&issued.drawn)),
                    holdout: Some(issued.drawn.holdout),
                    aa: issued.drawn.aa.then_some(true),
                    expires_at: Some(issued.drawn.expires.to_string()),
                    context: issued.context.clone(),
                    client_id: issued.client.clone(),
                    slate: issued.slate.as_ref().map(|slate| shown(experiment, slate)),
                    ..view
                },
            ),
            Event::Answered(answered) => Self {
                outcome: AnswerView::of(answered.answer),
                ranked: answered.ranked.as_ref().map(|ranked| RankingView::new(experiment, &ranked.ranking)),
                clicks: answered.clicks.clone(),
                voter: answered.voter.clone(),
                time: answered.said.map(|time| time.to_string()),
                late: answered.late.map(|_| true),
                ..view
            },
            Event::Voided(voided) => match &voided.past {
                Some(ClosedDuel { drawn, answer, slate, ranked, .. }) => sides(
                    drawn,
                    Self {
                        outcome: answer.and_then(AnswerView::of),
                        slate: slate.as_ref().map(|slate| shown(experiment, slate)),
                        ranked: ranked.as_ref().map(|ranked| RankingView::new(experiment, &ranked.ranking)),
                        ..view
                    },
                ),
                None => view,
            },
            Event::Interleaved(event) => Self {
                method: Some(event.method.clone()),
                documents: Some(event.list.documents().to_vec()),
                alone: Some(event.alone),
                ..view
            },
            Event::Apprentice(changed) => {
                let (word, policy) = match changed {
                    ApprenticeChanged::Began { policy, .. } => (ApprenticeWord::Began, Some(policy.clone())),
                    ApprenticeChanged::Dismissed => (ApprenticeWord::Dismissed, None),
                    ApprenticeChanged::TookOver => (ApprenticeWord::TookOver, None),
                };
                Self { apprentice: Some(word), policy, ..view }
            }
            Event::Imported(imported) => Self {
                client_id: Some(imported.client.clone()),
                source: Some(imported.source.clone()),
                votes: Some(imported.votes.len()),
                ..view
            },
            Event::ImportVoided(voided) => {
                Self { duel: None, import: Some(voided.import), votes: Some(voided.votes.len()), ..view }
            }
            Event::Shown(_) | Event::Expired(_) | Event::KeyMade(_) | Event::KeyRevoked(_) => view,
        }
    }
}
