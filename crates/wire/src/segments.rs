//! Parts of an experiment and its voters, as they travel.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Estimate, ExperimentId};

/// Which parts of an experiment.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SegmentsQuery {
    /// A key of the duels' contexts, such as `language` or `user.country`. Without it, all duels
    /// are one segment.
    #[param(nullable = false, min_length = 1, max_length = 200)]
    pub key: Option<String>,
    /// Only this value of the key.
    #[param(nullable = false)]
    pub value: Option<String>,
    /// Only duels issued from this moment on.
    #[param(nullable = false, format = DateTime)]
    pub since: Option<String>,
    /// Only duels issued before this moment.
    #[param(nullable = false, format = DateTime)]
    pub until: Option<String>,
    /// How many segments, and how many arms of each, at most; 100.
    #[param(nullable = false, minimum = 1, maximum = 1000)]
    pub limit: Option<u64>,
}

/// Parts of an experiment.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SegmentList {
    /// The experiment.
    #[schema(value_type = ExperimentId)]
    pub experiment: String,
    /// How sure a leader is.
    pub confidence: f64,
    /// How many segments there are.
    pub n_segments: usize,
    /// Whether the key has too many values, so that those that came up last are counted with those
    /// that have none.
    pub lumped: bool,
    /// The segments with the most votes.
    pub segments: Vec<Segment>,
}

/// A part of an experiment.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Segment {
    /// The value of the key; null for duels whose context does not have it.
    #[schema(required = true)]
    pub value: Option<String>,
    /// Votes that are evidence.
    pub votes: u64,
    /// The arm that is better than all others here, with the confidence of the experiment for this
    /// segment alone.
    #[schema(required = true)]
    pub leader: Option<String>,
    /// The same, with that confidence for all segments together: whoever looks for a segment with a
    /// leader must look here.
    #[schema(required = true)]
    pub leader_together: Option<String>,
    /// The arm that is ahead for now, however little that means.
    #[schema(required = true)]
    pub front_runner: Option<String>,
    /// Its arms, in the order of coming in; some of them, if many.
    pub arms: Vec<SegmentArm>,
}

/// An arm in a segment.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SegmentArm {
    /// How the API calls it.
    pub name: String,
    /// Votes on it and another.
    pub votes: f64,
    /// Votes for it.
    pub wins: f64,
    /// Votes for the other.
    pub losses: f64,
    /// The mean probability of winning against another arm.
    pub borda: Estimate,
}

/// Which voters.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct VotersQuery {
    /// Only this voter.
    #[param(nullable = false)]
    pub voter: Option<String>,
    /// How many at most; 100.
    #[param(nullable = false, minimum = 1, maximum = 1000)]
    pub limit: Option<u64>,
}

/// Voters of an experiment.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct VoterList {
    /// The experiment.
    #[schema(value_type = ExperimentId)]
    pub experiment: String,
    /// How many voters there are.
    pub n_voters: usize,
    /// Votes that name no voter.
    pub nameless: u64,
    /// Those who stand out most, first.
    pub voters: Vec<Voter>,
}

/// How a voter votes beside the others.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Voter {
    /// The name.
    pub voter: String,
    /// Votes that count.
    pub votes: u64,
    /// Votes for what was shown on the left.
    pub left: u64,
    /// Votes for what was shown on the right.
    pub right: u64,
    /// Votes that can be compared: not ties, on pairs of which enough others said which is better.
    pub compared: f64,
    /// The share of those that agree with the majority of the others; null if there are none.
    #[schema(required = true)]
    pub agreement: Option<f64>,
    /// The share that someone who votes like the others would have.
    #[schema(required = true)]
    pub expected: Option<f64>,
    /// By how many standard deviations that is off.
    #[schema(required = true)]
    pub deviation: Option<f64>,
    /// What stands out; null if nothing does. With 99 % confidence, nobody is taken for what they
    /// are not.
    #[schema(required = true)]
    pub stands_out: Option<Character>,
}

/// What stands out about a voter.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Character {
    /// Agrees less often than by chance.
    Against,
    /// Agrees no more often than by chance, where others agree more.
    Careless,
    /// Takes one side.
    OneSided,
}
