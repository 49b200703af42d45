//! What the votes say, as it travels.

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::{Estimate, Needed};

/// A number, and the range in which it lies with the confidence of the experiment.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[schema(as = Estimate)]
pub(in crate::http) struct EstimateView {
    /// The best guess; null without votes.
    #[schema(required = true)]
    pub estimate: Option<f64>,
    /// The least it can be.
    pub low: f64,
    /// The most it can be.
    pub high: f64,
}

impl From<Estimate> for EstimateView {
    fn from(Estimate { estimate, low, high }: Estimate) -> Self {
        Self { estimate, low, high }
    }
}

/// What the votes say so far. It holds however often one looks, and whatever the policy does.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Verdict)]
pub(in crate::http) struct VerdictView {
    /// Whether there is one.
    pub status: VerdictWord,
    /// In a sentence.
    pub words: String,
    /// How sure a verdict is.
    pub confidence: f64,
    /// Differences up to this do not matter.
    #[schema(required = true)]
    pub margin: Option<f64>,
    /// The arm that is ahead for now, however little that means.
    #[schema(required = true)]
    pub front_runner: Option<String>,
    /// Arms that are worse than none of the others by more than the margin: some of them, if many.
    pub good_enough: Vec<String>,
    /// How many more votes would likely make the front runner the leader; null where that cannot be told.
    #[schema(required = true)]
    pub votes_needed: Option<NeededView>,
}

/// Whether there is a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = VerdictStatus)]
pub(in crate::http) enum VerdictWord {
    /// Not yet.
    Undecided,
    /// One arm is better than every other.
    Leader,
    /// At least one arm is worse than no other by more than the margin.
    GoodEnough,
}

/// How many more votes would likely decide.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[schema(as = VotesNeeded)]
pub(in crate::http) struct NeededView {
    /// If all of them are of pairs of the front runner that are not decided yet.
    pub at_best: u64,
    /// If votes go to pairs as they have so far.
    pub as_so_far: u64,
}

impl From<Needed> for NeededView {
    fn from(Needed { at_best, as_so_far }: Needed) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of votes is not negative, and an enormous one is cut"
        )]
        let whole = |votes: f64| votes.ceil() as u64;
        Self { at_best: whole(at_best), as_so_far: whole(as_so_far) }
    }
}

/// Signs that the votes cannot be taken at their word.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Alarms)]
pub(in crate::http) struct AlarmsView {
    /// Whether people favour a side. Sides are tossed, so that without a favourite either gets half of the votes.
    pub side: SideView,
    /// Pairs whose preference seems to have changed: verdicts are for preferences that stay. Some of them, if many.
    pub drift: Vec<DriftView>,
}

/// Whether people favour a side.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SideBias)]
pub(in crate::http) struct SideView {
    /// Whether they do, with 99 % confidence at all times.
    pub alarm: bool,
    /// The share of votes for what is shown on the left, among votes for a side.
    pub left: EstimateView,
}

/// A pair whose preference seems to have changed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Drift)]
pub(in crate::http) struct DriftView {
    /// The one that came in first.
    pub first: String,
    /// The other.
    pub second: String,
}
