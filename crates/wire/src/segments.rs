//! Segments of an experiment and its voters in responses.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Estimate, ExperimentId};

/// Which segments of an experiment to read.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SegmentsQuery {
    /// A key of the duels' contexts, such as `language` or `user.country`. Without a key, all duels
    /// form one segment.
    #[param(nullable = false, min_length = 1, max_length = 200)]
    pub key: Option<String>,
    /// Only the segment with this value of the key.
    #[param(nullable = false)]
    pub value: Option<String>,
    /// Only duels issued at or after this time.
    #[param(nullable = false, format = DateTime)]
    pub since: Option<String>,
    /// Only duels issued before this time.
    #[param(nullable = false, format = DateTime)]
    pub until: Option<String>,
    /// The maximum number of segments, and of arms per segment. Default: 100.
    #[param(nullable = false, minimum = 1, maximum = 1000)]
    pub limit: Option<u64>,
}

/// The segments of an experiment.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SegmentList {
    /// The id of the experiment.
    #[schema(value_type = ExperimentId)]
    pub experiment: String,
    /// The confidence with which a leader is named.
    pub confidence: f64,
    /// The number of segments.
    pub n_segments: usize,
    /// Whether the key has too many values. If so, the values that appeared last are counted
    /// together with the duels that have no value.
    pub lumped: bool,
    /// The segments. Those with the most votes come first.
    pub segments: Vec<Segment>,
}

/// A segment of an experiment.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Segment {
    /// The value of the key; null for duels whose context has no such value.
    #[schema(required = true)]
    pub value: Option<String>,
    /// The number of votes that count as evidence.
    pub votes: u64,
    /// The arm shown to beat every other arm in this segment. The experiment's confidence holds for
    /// this segment alone.
    #[schema(required = true)]
    pub leader: Option<String>,
    /// The leader if the experiment's confidence must hold for all segments together. Use this one
    /// to search for a segment that has a leader.
    #[schema(required = true)]
    pub leader_together: Option<String>,
    /// The arm that is ahead for now, which may be by chance.
    #[schema(required = true)]
    pub front_runner: Option<String>,
    /// The arms in the order in which they were added, at most `limit` of them.
    pub arms: Vec<SegmentArm>,
}

/// An arm in a segment.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SegmentArm {
    /// The arm's name in the API.
    pub name: String,
    /// Votes on this arm and another one.
    pub votes: f64,
    /// Votes for this arm.
    pub wins: f64,
    /// Votes for the other arm.
    pub losses: f64,
    /// The mean probability of winning against another arm.
    pub borda: Estimate,
}

/// Which voters to read.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct VotersQuery {
    /// Only this voter.
    #[param(nullable = false)]
    pub voter: Option<String>,
    /// The maximum number of voters. Default: 100.
    #[param(nullable = false, minimum = 1, maximum = 1000)]
    pub limit: Option<u64>,
}

/// The voters of an experiment.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct VoterList {
    /// The id of the experiment.
    #[schema(value_type = ExperimentId)]
    pub experiment: String,
    /// The number of voters.
    pub n_voters: usize,
    /// The number of votes without a voter.
    pub nameless: u64,
    /// The voters. Those who stand out most come first.
    pub voters: Vec<Voter>,
}

/// How a voter votes compared with the others.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Voter {
    /// The voter's id.
    pub voter: String,
    /// The number of votes that count.
    pub votes: u64,
    /// Votes for the arm on the left.
    pub left: u64,
    /// Votes for the arm on the right.
    pub right: u64,
    /// Votes that can be compared: votes other than ties, on pairs for which enough other voters
    /// preferred an arm.
    pub compared: f64,
    /// The share of the compared votes that agree with the majority of the others; null if no vote
    /// can be compared.
    #[schema(required = true)]
    pub agreement: Option<f64>,
    /// The agreement expected of someone who votes like the others; null if no vote can be
    /// compared.
    #[schema(required = true)]
    pub expected: Option<f64>,
    /// `agreement` minus `expected`, in standard deviations; null if no vote can be compared.
    #[schema(required = true)]
    pub deviation: Option<f64>,
    /// How the voter stands out; null if nothing stands out. With 99 % confidence, no voter at all
    /// is flagged wrongly.
    #[schema(required = true)]
    pub stands_out: Option<Character>,
}

/// How a voter stands out.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Character {
    /// Agrees with the others less often than by chance.
    Against,
    /// Agrees with the others no more often than by chance, where other voters agree more often.
    Careless,
    /// Prefers one side.
    OneSided,
}
