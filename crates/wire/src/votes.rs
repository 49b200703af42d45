//! Imported and exported votes.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::{AnswerView, DoneWord, Outcome, Rank};

/// A request to import votes.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VotesBody {
    /// Your id for this request. A repeated request with the same id imports nothing twice.
    #[schema(min_length = 1, max_length = 200)]
    pub client_id: String,
    /// Where the votes come from, such as the name of a file.
    #[schema(min_length = 1, max_length = 200)]
    pub source: String,
    /// From 1 to 1000 votes. Either all of them are imported or none.
    #[schema(min_items = 1, max_items = 1000)]
    pub votes: Vec<VoteInput>,
}

/// A vote to import. A vote on two arms has an outcome or a score. A vote on several arms has a
/// ranking or the best arm.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VoteInput {
    /// The arm that was shown on the left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,
    /// The arm that was shown on the right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<String>,
    /// The outcome as a word, but not `skip`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The outcome as a score from -1 (right is better) to 1 (left is better).
    #[schema(minimum = -1, maximum = 1)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Your id for the voter.
    #[schema(min_length = 1, max_length = 200)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voter: Option<String>,
    /// When the vote was given.
    #[schema(format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The weight of the vote, above 0 and at most 1. Default: 1. A smaller weight moves the vote
    /// towards a tie: a win of weight 0.5 counts as a score of 0.5.
    #[schema(exclusive_minimum = 0, maximum = 1)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// The probability with which the pair was drawn, above 0 and at most 1.
    #[schema(exclusive_minimum = 0, maximum = 1)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub propensity: Option<f64>,
    /// From 2 to 20 arms that were shown together, best first. An inner list holds arms that are
    /// equally good. Each of the n (n - 1) / 2 pairs counts as one of the 1000 votes and has weight
    /// 1 / (n - 1).
    #[schema(min_items = 1, max_items = 20, example = json!(["a", ["b", "c"], "d"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Vec<Rank>>,
    /// The best of the n arms in `of`. This is a vote against each of the others, with weight
    /// 1 / (n - 1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
    /// From 2 to 20 arms that were shown together, including the best one.
    #[schema(min_items = 2, max_items = 20)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<Vec<String>>,
}

/// An import of votes, done or voided.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ImportView {
    /// Whether this request or an earlier one had the effect.
    pub status: DoneWord,
    /// The log position of the import. Use it to void the import.
    pub place: u64,
    /// The number of votes.
    pub votes: usize,
}

/// The format of exported votes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VotesFormat {
    /// A header and one line per vote.
    Csv,
    /// One JSON object per line and vote.
    Jsonl,
}

/// Which votes to export, and in which format.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct VotesQuery {
    /// The format. Default: `csv`.
    #[param(nullable = false, inline)]
    pub format: Option<VotesFormat>,
    /// Only votes recorded after this log position. Default: 0.
    #[param(nullable = false, minimum = 0, maximum = 4_611_686_018_427_387_903_u64)]
    pub after: Option<u64>,
}

/// An exported vote: an object of JSON Lines, or a CSV row with these columns in this order.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct VoteRow<'a> {
    /// The log position at which the vote was recorded, or at which its import was.
    pub seq: u64,
    /// The log position at which the duel was issued; none for imported votes.
    pub duel: Option<u64>,
    /// When the vote was recorded.
    pub recorded_at: String,
    /// When the vote was given by the caller's clock, or when it was recorded if the caller gave no
    /// time. For imported votes, the time from their source, if any.
    pub time: Option<String>,
    /// The arm that was shown on the left.
    pub left: Cow<'a, str>,
    /// The arm that was shown on the right.
    pub right: Cow<'a, str>,
    /// The outcome as a word, or as a score if no word fits.
    pub outcome: Option<AnswerView>,
    /// The outcome as a score from -1 (right is better) to 1 (left is better).
    pub score: f64,
    /// The weight of the vote.
    pub weight: f64,
    /// The voter.
    pub voter: Option<Cow<'a, str>>,
    /// The probability with which the pair was drawn.
    pub pscore: Option<f64>,
    /// The probability of the left arm in its slot.
    pub pscore_left: Option<f64>,
    /// The probability of the right arm in its slot.
    pub pscore_right: Option<f64>,
    /// Whether the arm that was drawn first was shown on the right; none if unknown, as for
    /// imported votes.
    pub swapped: Option<bool>,
    /// Whether the duel was held out.
    pub holdout: bool,
    /// Whether the vote arrived after the duel had expired.
    pub late: bool,
    /// The data stored with the duel.
    pub context: Option<Cow<'a, Value>>,
    /// The source of an imported vote.
    pub source: Option<Cow<'a, str>>,
}
