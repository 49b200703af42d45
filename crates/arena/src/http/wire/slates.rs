//! Slates and rankings as they travel.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tiltyard_bandit::Arm;
use utoipa::ToSchema;

use super::ArmView;
use super::outcomes::OutcomeBodyError;
use crate::arena::SlateDuel;
use crate::domain::{Experiment, RankRequest, Ranking, Slate, SlateRequest};
use crate::id::DuelId;
use crate::time::Time;

/// A slate to be issued.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct SlateBody {
    /// How many arms; no more than the experiment has that are not retired.
    #[schema(minimum = 3, maximum = 20)]
    size: u32,
    /// Your name for this request: asked again, it gets the same slate.
    #[schema(min_length = 1, max_length = 200)]
    client_id: Option<String>,
    /// Whatever is to be kept with the slate; at most 16 KiB.
    context: Option<Value>,
}

impl From<SlateBody> for SlateRequest {
    fn from(SlateBody { size, client_id, context }: SlateBody) -> Self {
        Self { size, client: client_id, context }
    }
}

/// Arms to be shown together.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(in crate::http) struct SlateView {
    /// The id of the duel that it is. Whoever has it, and a key, can rank the slate.
    #[schema(value_type = DuelId)]
    id: String,
    /// The arms, in the order in which they are to be shown.
    arms: Vec<String>,
    /// What is needed to show the arms, in the same order, if more than their names was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    details: Option<Vec<ArmView>>,
    /// Whether it was drawn uniformly and will not be learned from.
    holdout: bool,
    /// When it is given up.
    #[schema(format = DateTime)]
    expires_at: String,
}

impl SlateView {
    pub(in crate::http) fn new(experiment: &Experiment, found: &SlateDuel) -> Self {
        let entry = |&arm: &u32| &experiment.arms()[arm as usize];
        let shown = &found.slate.arms;
        let bare = |arm| entry(arm).arm.label.is_none() && entry(arm).arm.payload.is_none();
        let view = |arm: &u32| ArmView::new(*arm as usize, entry(arm));
        Self {
            id: found.duel.id.to_string(),
            arms: shown.iter().map(|arm| entry(arm).arm.name.clone()).collect(),
            details: (!shown.iter().all(bare)).then(|| shown.iter().map(view).collect()),
            holdout: found.duel.drawn.holdout,
            expires_at: found.duel.drawn.expires.to_string(),
        }
    }
}

/// One arm of a ranking, or several that are equally good.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(untagged)]
pub(in crate::http) enum Rank {
    /// An arm.
    One(String),
    /// Arms that are equally good.
    Tied(Vec<String>),
}

impl Rank {
    fn tier(self) -> Vec<String> {
        match self {
            Self::One(name) => vec![name],
            Self::Tied(names) => names,
        }
    }
}

/// The tiers of a ranking.
pub(super) fn tiers(ranking: Vec<Rank>) -> Vec<Vec<String>> {
    ranking.into_iter().map(Rank::tier).collect()
}

/// What is said of a slate: a ranking or the best, not both.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct RankingBody {
    /// Every arm of the slate, best first; a list within it holds arms that are equally good.
    #[schema(min_items = 1, max_items = 20, example = json!(["a", ["b", "c"], "d"]))]
    ranking: Option<Vec<Rank>>,
    /// The best arm of the slate.
    best: Option<String>,
    /// Who says so.
    #[schema(min_length = 1, max_length = 200)]
    voter: Option<String>,
    /// When that was, by your clock.
    #[schema(format = DateTime)]
    time: Option<String>,
}

impl RankingBody {
    pub(in crate::http) fn request(self) -> Result<RankRequest, OutcomeBodyError> {
        let ranking = match (self.ranking, self.best) {
            (Some(ranking), None) => Ranking::Order(tiers(ranking)),
            (None, Some(best)) => Ranking::Best(best),
            _ => return Err(OutcomeBodyError::RankingOrBest),
        };
        let said = self.time.map(|time| time.parse::<Time>()).transpose()?;
        Ok(RankRequest { ranking, voter: self.voter, said })
    }
}

/// What was said of a slate.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::http) enum RankingView {
    /// All arms, best first; those that are equally good stand together.
    Ranking(Vec<Vec<String>>),
    /// The best one.
    Best(String),
}

impl RankingView {
    pub(in crate::http) fn new(experiment: &Experiment, ranking: &Ranking<u32>) -> Self {
        match ranking {
            Ranking::Order(tiers) => {
                Self::Ranking(tiers.iter().map(|tier| names(experiment, tier)).collect())
            }
            Ranking::Best(best) => Self::Best(name(experiment, *best)),
        }
    }
}

/// The arms of a slate by name.
pub(in crate::http) fn shown(experiment: &Experiment, slate: &Slate) -> Vec<String> {
    names(experiment, &slate.arms)
}

fn names(experiment: &Experiment, arms: &[u32]) -> Vec<String> {
    arms.iter().map(|&arm| name(experiment, arm)).collect()
}

fn name(experiment: &Experiment, arm: u32) -> String {
    let arm = Arm::new(arm as usize);
    experiment.arms().get(arm.index()).map(|entry| entry.arm.name.clone()).unwrap_or_default()
}
