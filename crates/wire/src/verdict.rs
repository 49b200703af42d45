//! What the votes say, as it travels.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A number, and the range in which it lies with the confidence of the experiment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Estimate {
    /// The best guess; null without votes.
    #[schema(required = true)]
    pub estimate: Option<f64>,
    /// The least it can be.
    pub low: f64,
    /// The most it can be.
    pub high: f64,
}

/// What the votes say so far. It holds however often one looks, and whatever the policy does.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Verdict {
    /// Whether there is one.
    pub status: VerdictStatus,
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
    /// How many more votes would likely make the front runner the leader; null where that cannot be
    /// told.
    #[schema(required = true)]
    pub votes_needed: Option<VotesNeeded>,
}

/// Whether there is a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictStatus {
    /// Not yet.
    Undecided,
    /// One arm is better than every other.
    Leader,
    /// At least one arm is worse than no other by more than the margin.
    GoodEnough,
}

/// How many more votes would likely decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VotesNeeded {
    /// If all of them are of pairs of the front runner that are not decided yet.
    pub at_best: u64,
    /// If votes go to pairs as they have so far.
    pub as_so_far: u64,
}

/// Signs that the votes cannot be taken at their word.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Alarms {
    /// Whether people favour a side. Sides are tossed, so that without a favourite either gets half
    /// of the votes.
    pub side: SideBias,
    /// Pairs whose preference seems to have changed: verdicts are for preferences that stay. Some
    /// of them, if many.
    pub drift: Vec<Drift>,
}

/// Whether people favour a side.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SideBias {
    /// Whether they do, with 99 % confidence at all times.
    pub alarm: bool,
    /// The share of votes for what is shown on the left, among votes for a side.
    pub left: Estimate,
}

/// A pair whose preference seems to have changed.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Drift {
    /// The one that came in first.
    pub first: String,
    /// The other.
    pub second: String,
}

/// Arms on one scale.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Ratings {
    /// Whether there is such a scale.
    pub status: RatingsStatus,
    /// The same in a sentence.
    pub words: String,
    /// How sure the limits are, all of them together and at all times, if the model holds.
    pub confidence: f64,
    /// Arms that are not retired, best first; none if there is no scale.
    pub arms: Vec<Rating>,
}

/// Whether arms can be put on one scale.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RatingsStatus {
    /// They are.
    Rated,
    /// They are, and the votes contradict it: no such scale can be true.
    Contradicted,
    /// They are, and are too many for limits.
    WithoutLimits,
    /// Not all arms are connected by votes.
    Apart,
    /// Some arms never lost a vote to the others.
    Unbeaten,
}

/// An arm on the scale.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Rating {
    /// How the API calls it.
    pub name: String,
    /// The natural logarithm of its strength; all of them have mean 0.
    pub rating: f64,
    /// The same on the scale of Elo, on which 400 points are odds of 10 to 1; the mean is 1500.
    pub elo: f64,
    /// The least that the rating can be; null where limits mean nothing.
    #[schema(required = true)]
    pub low: Option<f64>,
    /// The most that it can be.
    #[schema(required = true)]
    pub high: Option<f64>,
}
