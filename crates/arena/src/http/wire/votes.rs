//! Votes from elsewhere as they travel.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::outcomes::{DoneWord, OutcomeBody, OutcomeBodyError, OutcomeWord};
use super::slates::{Rank, tiers};
use crate::arena::Import;
use crate::domain::{ImportRequest, NewVote, RankedVote, Refusal};
use crate::time::Time;

/// Votes that were given elsewhere.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct VotesBody {
    /// Your name for this request: said again, it is done once.
    #[schema(min_length = 1, max_length = 200)]
    client_id: String,
    /// Where they are from, such as the name of a file.
    #[schema(min_length = 1, max_length = 200)]
    source: String,
    /// From 1 to 1000 votes; all of them are taken or none.
    #[schema(min_items = 1, max_items = 1000)]
    votes: Vec<VoteInput>,
}

/// A vote that was given elsewhere: of two arms a word or a score, not both; of several a ranking, or the best of them.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct VoteInput {
    /// The arm that was shown on the left.
    left: Option<String>,
    /// The arm that was shown on the right.
    right: Option<String>,
    /// The outcome in a word; not `skip`.
    outcome: Option<OutcomeWord>,
    /// How much better the left one is, from -1 to 1.
    #[schema(minimum = -1, maximum = 1)]
    score: Option<f64>,
    /// Who said so.
    #[schema(min_length = 1, max_length = 200)]
    voter: Option<String>,
    /// When that was.
    #[schema(format = DateTime)]
    time: Option<String>,
    /// How much it counts, above 0 and at most 1; 1. Less moves the vote towards a tie: a win of weight 0.5 counts as a score of 0.5.
    #[schema(exclusive_minimum = 0, maximum = 1)]
    weight: Option<f64>,
    /// How likely the pair was where it was drawn, above 0 and at most 1.
    #[schema(exclusive_minimum = 0, maximum = 1)]
    propensity: Option<f64>,
    /// From 2 to 20 arms that were shown together, best first; a list within it holds arms that are equally good. Each of the n (n - 1) / 2 pairs
    /// is one of the 1000 votes, of weight 1 / (n - 1).
    #[schema(min_items = 1, max_items = 20, example = json!(["a", ["b", "c"], "d"]))]
    ranking: Option<Vec<Rank>>,
    /// The best of the arms in `of`: a vote against each of the others, of weight 1 / (n - 1).
    best: Option<String>,
    /// From 2 to 20 arms that were shown together, the best one among them.
    #[schema(min_items = 2, max_items = 20)]
    of: Option<Vec<String>>,
}

impl VotesBody {
    pub(in crate::http) fn request(self) -> Result<ImportRequest, OutcomeBodyError> {
        let Self { client_id, source, votes } = self;
        let votes: Result<_, _> = votes
            .into_iter()
            .enumerate()
            .map(|(at, vote)| vote.votes().map_err(|error| error.within(at)))
            .collect();
        let votes: Vec<Vec<NewVote>> = votes?;
        Ok(ImportRequest { client: client_id, source, votes: votes.into_iter().flatten().collect() })
    }
}

impl VoteInput {
    /// The votes of two arms that it is.
    fn votes(self) -> Result<Vec<NewVote>, OutcomeBodyError> {
        let Self { left, right, outcome, score, voter, time, weight, propensity, ranking, best, of } = self;
        let is_pair = left.is_some() || right.is_some() || outcome.is_some() || score.is_some();
        let ranked = match (ranking, best, of) {
            (None, None, None) => {
                let said = OutcomeBody::new(outcome, score, voter, time).request()?;
                let (left, right) = left.zip(right).ok_or(OutcomeBodyError::PairOrRanking)?;
                let (answer, voter, said) = (said.answer, said.voter, said.said);
                return Ok(vec![NewVote { left, right, answer, weight, voter, said, propensity }]);
            }
            (Some(ranking), None, None) => RankedVote::order(tiers(ranking)),
            (None, Some(best), Some(of)) => RankedVote::best(best, of),
            _ => return Err(OutcomeBodyError::PairOrRanking),
        };
        if is_pair || propensity.is_some() {
            return Err(OutcomeBodyError::PairOrRanking);
        }
        let said = time.map(|time| time.parse::<Time>()).transpose()?;
        Ok(RankedVote { weight, voter, said, ..ranked }.votes()?)
    }
}

impl OutcomeBodyError {
    /// The same, of one of several votes.
    fn within(self, at: usize) -> Self {
        match self {
            Self::Refused(wrong) => Self::Refused(Refusal::InVote { at, wrong: Box::new(wrong) }),
            error => Self::Within { at, error: Box::new(error) },
        }
    }
}

/// Votes that came in, or went out again.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::http) struct ImportView {
    /// Whether that was done now or before.
    status: DoneWord,
    /// The place of the import in the log; it can be voided by that.
    place: u64,
    /// How many votes they are.
    votes: usize,
}

impl From<Import> for ImportView {
    fn from(import: Import) -> Self {
        Self { status: import.done.into(), place: import.seq, votes: import.votes }
    }
}

/// How votes are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = VotesFormat)]
pub(in crate::http) enum VotesFormat {
    /// A header and a line for each vote.
    Csv,
    /// An object for each vote, one a line.
    Jsonl,
}

/// Which votes, and how.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(in crate::http) struct VotesQuery {
    /// How they are written down; `csv`.
    #[param(nullable = false, inline)]
    pub format: Option<VotesFormat>,
    /// Only those recorded behind this place of the log; 0.
    #[param(nullable = false, minimum = 0, maximum = 4_611_686_018_427_387_903_u64)]
    pub after: Option<u64>,
}
