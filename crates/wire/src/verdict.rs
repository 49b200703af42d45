//! Verdicts, alarms and ratings in responses.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An estimate with its confidence interval, at the experiment's confidence unless stated
/// otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Estimate {
    /// The estimate; null without votes.
    #[schema(required = true)]
    pub estimate: Option<f64>,
    /// The lower limit of the interval.
    pub low: f64,
    /// The upper limit of the interval.
    pub high: f64,
}

/// The verdict so far. Its confidence holds no matter how often you look and what the policy does.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Verdict {
    /// Whether there is a verdict.
    pub status: VerdictStatus,
    /// The verdict as a sentence.
    pub words: String,
    /// The confidence of a verdict, set for the experiment.
    pub confidence: f64,
    /// The largest difference in the probability of winning that does not matter.
    #[schema(required = true)]
    pub margin: Option<f64>,
    /// The arm that is ahead for now, which may be by chance.
    #[schema(required = true)]
    pub front_runner: Option<String>,
    /// Arms shown to be worse than no other arm by more than the margin, at most 100 of them.
    pub good_enough: Vec<String>,
    /// How many more votes would probably make the front runner the leader; null if it leads
    /// already or if that cannot be predicted.
    #[schema(required = true)]
    pub votes_needed: Option<VotesNeeded>,
}

/// The kinds of verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictStatus {
    /// There is no verdict yet.
    Undecided,
    /// One arm is better than every other arm.
    Leader,
    /// At least one arm is worse than no other arm by more than the margin.
    GoodEnough,
}

/// How many more votes would probably decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VotesNeeded {
    /// If all of them compare the front runner with the arms that it does not lead yet.
    pub at_best: u64,
    /// If votes keep being spread over the pairs as they have been so far.
    pub as_so_far: u64,
}

/// Warnings that the votes may be misleading.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Alarms {
    /// Whether voters favour a side. A fair coin decides the sides, so that without such a bias
    /// each side gets half of the votes.
    pub side: SideBias,
    /// Pairs whose preference seems to have changed, at most 100 of them. Verdicts assume that
    /// preferences do not change.
    pub drift: Vec<Drift>,
}

/// Whether voters favour a side.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SideBias {
    /// Whether voters favour a side, with 99 % confidence at all times.
    pub alarm: bool,
    /// The share of votes for the left arm among the votes for either arm, with an interval of 99 %
    /// confidence.
    pub left: Estimate,
}

impl Alarms {
    /// The alarms in words, one text per alarm: a heading, and an explanation.
    pub fn words(&self) -> impl Iterator<Item = (&'static str, String)> {
        let side = self.side.alarm.then(|| ("Voters favour one side.", self.side.words()));
        let drift =
            (!self.drift.is_empty()).then(|| ("Preferences seem to have changed.", self.words_of_drift()));
        side.into_iter().chain(drift)
    }

    fn words_of_drift(&self) -> String {
        const MOST_NAMED: usize = 8;
        let mut pairs: Vec<String> = (self.drift.iter().take(MOST_NAMED))
            .map(|Drift { first, second }| format!("\"{first}\" and \"{second}\""))
            .collect();
        if let Some(more @ 1..) = self.drift.len().checked_sub(MOST_NAMED) {
            pairs.push(format!("and {more} more"));
        }
        format!(
            "Affected pairs: {}. The verdict assumes that preferences do not change. Look at the \
             latest votes separately.",
            pairs.join("; ")
        )
    }
}

impl SideBias {
    fn words(&self) -> String {
        let Estimate { estimate, low, high } = self.left;
        let [share, low, high] = [estimate.unwrap_or(0.5), low, high].map(|share| 100.0 * share);
        format!(
            "The left side gets {share:.1} % ({low:.1} to {high:.1} %) of the votes that prefer a side, \
             instead of half. Sides are drawn at random, so no arm gains from this. But it can be a sign \
             of careless voters, or of a page that shows one side better."
        )
    }
}

/// A pair whose preference seems to have changed.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Drift {
    /// The arm that was added first.
    pub first: String,
    /// The other arm.
    pub second: String,
}

/// Arms on one scale.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Ratings {
    /// Whether the arms can be put on one scale.
    pub status: RatingsStatus,
    /// The status as a sentence.
    pub words: String,
    /// The confidence of all limits together and at all times, if the model holds.
    pub confidence: f64,
    /// The arms that are not retired, best first. Empty if the arms have no common scale.
    pub arms: Vec<Rating>,
}

/// Whether arms can be put on one scale.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RatingsStatus {
    /// The arms are rated, with limits.
    Rated,
    /// The arms are rated, but the votes contradict every such scale.
    Contradicted,
    /// The arms are rated, but they are too many to compute limits.
    WithoutLimits,
    /// Votes do not connect all arms.
    Apart,
    /// Some arms never lost a vote to the other arms.
    Unbeaten,
}

/// An arm on the scale.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Rating {
    /// The arm's name in the API.
    pub name: String,
    /// The natural logarithm of the arm's strength. The mean over all arms is 0.
    pub rating: f64,
    /// The rating on the Elo scale, where 400 points are odds of 10 to 1. The mean is 1500.
    pub elo: f64,
    /// The lower limit of the rating; null unless the status is `rated`.
    #[schema(required = true)]
    pub low: Option<f64>,
    /// The upper limit of the rating; null unless the status is `rated`.
    #[schema(required = true)]
    pub high: Option<f64>,
}
