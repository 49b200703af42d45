//! Votes from elsewhere as they travel.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::{AnswerView, DoneWord, Outcome, Rank};

/// Votes that were given elsewhere.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VotesBody {
    /// Your name for this request: said again, it is done once.
    #[schema(min_length = 1, max_length = 200)]
    pub client_id: String,
    /// Where they are from, such as the name of a file.
    #[schema(min_length = 1, max_length = 200)]
    pub source: String,
    /// From 1 to 1000 votes; all of them are taken or none.
    #[schema(min_items = 1, max_items = 1000)]
    pub votes: Vec<VoteInput>,
}

/// A vote that was given elsewhere: of two arms a word or a score, not both; of several a ranking,
/// or the best of them.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VoteInput {
    /// The arm that was shown on the left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,
    /// The arm that was shown on the right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<String>,
    /// The outcome in a word; not `skip`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// How much better the left one is, from -1 to 1.
    #[schema(minimum = -1, maximum = 1)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Who said so.
    #[schema(min_length = 1, max_length = 200)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voter: Option<String>,
    /// When that was.
    #[schema(format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// How much it counts, above 0 and at most 1; 1. Less moves the vote towards a tie: a win of
    /// weight 0.5 counts as a score of 0.5.
    #[schema(exclusive_minimum = 0, maximum = 1)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// How likely the pair was where it was drawn, above 0 and at most 1.
    #[schema(exclusive_minimum = 0, maximum = 1)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub propensity: Option<f64>,
    /// From 2 to 20 arms that were shown together, best first; a list within it holds arms that are
    /// equally good. Each of the n (n - 1) / 2 pairs is one of the 1000 votes, of weight 1 /
    /// (n - 1).
    #[schema(min_items = 1, max_items = 20, example = json!(["a", ["b", "c"], "d"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Vec<Rank>>,
    /// The best of the arms in `of`: a vote against each of the others, of weight 1 / (n - 1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
    /// From 2 to 20 arms that were shown together, the best one among them.
    #[schema(min_items = 2, max_items = 20)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<Vec<String>>,
}

/// Votes that came in, or went out again.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ImportView {
    /// Whether that was done now or before.
    pub status: DoneWord,
    /// The place of the import in the log; it can be voided by that.
    pub place: u64,
    /// How many votes they are.
    pub votes: usize,
}

/// How votes are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VotesFormat {
    /// A header and a line for each vote.
    Csv,
    /// An object for each vote, one a line.
    Jsonl,
}

/// Which votes, and how.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct VotesQuery {
    /// How they are written down; `csv`.
    #[param(nullable = false, inline)]
    pub format: Option<VotesFormat>,
    /// Only those recorded behind this place of the log; 0.
    #[param(nullable = false, minimum = 0, maximum = 4_611_686_018_427_387_903_u64)]
    pub after: Option<u64>,
}

/// A vote of an export: an object of JSON lines, or the columns of CSV in this order.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct VoteRow<'a> {
    /// The place of the log at which it was recorded, or at which it came in with others.
    pub seq: u64,
    /// The place at which its duel was issued; none for votes from elsewhere.
    pub duel: Option<u64>,
    /// When it was recorded.
    pub recorded_at: String,
    /// When it was given: by the caller's clock, else when it was recorded. Of votes from
    /// elsewhere, what their source said.
    pub time: Option<String>,
    /// The arm that was shown on the left.
    pub left: Cow<'a, str>,
    /// The arm that was shown on the right.
    pub right: Cow<'a, str>,
    /// A word, or a score that has none.
    pub outcome: Option<AnswerView>,
    /// How much better the left one is, from -1 to 1.
    pub score: f64,
    /// How much it counts.
    pub weight: f64,
    /// Who said so.
    pub voter: Option<Cow<'a, str>>,
    /// How likely the pair was.
    pub pscore: Option<f64>,
    /// How likely the left arm was in its slot.
    pub pscore_left: Option<f64>,
    /// How likely the right arm was in its slot.
    pub pscore_right: Option<f64>,
    /// Whether the arm that was drawn first was shown on the right. Unknown for votes from
    /// elsewhere.
    pub swapped: Option<bool>,
    /// Whether the duel was held out.
    pub holdout: bool,
    /// Whether it came after the duel had expired.
    pub late: bool,
    /// What was kept with the duel.
    pub context: Option<Cow<'a, Value>>,
    /// Where votes from elsewhere are from.
    pub source: Option<Cow<'a, str>>,
}
