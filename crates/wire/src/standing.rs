//! The standing of an experiment in responses.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Alarms, Estimate, ExperimentId, TotalsView, Verdict};

/// The standing of an experiment: its counts, scores and verdict.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Standing {
    /// The id of the experiment.
    #[schema(value_type = ExperimentId)]
    pub experiment: String,
    /// The last log position that this standing includes.
    pub seq: u64,
    /// The number of outcomes that count.
    pub votes: u64,
    /// The experiment's counts.
    pub totals: TotalsView,
    /// The arm shown to beat every other arm, at the experiment's confidence; null until the votes
    /// show one.
    #[schema(required = true)]
    pub leader: Option<String>,
    /// The verdict so far.
    pub verdict: Verdict,
    /// Warnings that the votes may be misleading.
    pub alarms: Alarms,
    /// The arm that the policy recommends now. This is not a verdict: the policy recommends an arm
    /// from the first vote on.
    pub recommended: String,
    /// A page of arms, in the order in which they were added.
    pub arms: Vec<ArmStanding>,
    /// Pass this as `arms_from` to get the next page of arms. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub arms_next: Option<u64>,
    /// A page of the pairs that were compared.
    pub pairs: Vec<PairStanding>,
    /// Pass this as `pairs_after` to get the next page of pairs. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub pairs_next: Option<String>,
}

/// The standing of an arm.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ArmStanding {
    /// The position of the arm in the order in which arms were added, counted from 0.
    pub index: usize,
    /// The arm's name in the API.
    pub name: String,
    /// The text shown to people instead of the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub label: Option<String>,
    /// Whether the arm is retired: the experiment no longer proposes it.
    pub retired: bool,
    /// The probability that the policy puts the arm into a slot of the next duel, before equal arms
    /// are excluded and without held-out duels; null if the policy does not know it.
    #[schema(required = true)]
    pub probability: Option<f64>,
    /// The mean probability of winning against another arm, without retired arms.
    pub borda: Estimate,
    /// The number of arms that it beats, without retired arms.
    pub copeland: Estimate,
    /// Duels issued with this arm.
    pub duels: u64,
    /// Duels with this arm that are in flight.
    pub in_flight: u64,
    /// Votes for this arm.
    pub wins: u64,
    /// Votes for the other arm.
    pub losses: u64,
    /// Votes that both arms are equally good.
    pub ties: u64,
    /// Votes that both arms are equally bad.
    pub both_bad: u64,
    /// Graded votes: their score is not -1, 0 or 1.
    pub graded: u64,
    /// Outcomes of duels of this arm with itself.
    pub self_duels: u64,
    /// Skipped duels.
    pub skipped: u64,
    /// Voided duels.
    pub voided: u64,
    /// Duels that expired without an outcome.
    pub unanswered: u64,
    /// Duels that expired without being shown, if the setting `activation` is `shown`.
    pub never_shown: u64,
}

/// The standing of a pair of arms.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PairStanding {
    /// The arm that was added first.
    pub first: String,
    /// The other arm.
    pub second: String,
    /// All votes on the pair.
    pub votes: u64,
    /// Votes for the first arm.
    pub first_wins: u64,
    /// Votes for the second arm.
    pub second_wins: u64,
    /// Votes that both arms are equally good.
    pub ties: u64,
    /// Votes that both arms are equally bad.
    pub both_bad: u64,
    /// Graded votes: their score is not -1, 0 or 1.
    pub graded: u64,
    /// The sum of the scores of graded votes, from the viewpoint of the first arm.
    pub graded_sum: f64,
    /// Duels of the pair that are in flight.
    pub in_flight: usize,
    /// The probability that the first arm is preferred. A tie counts half for each arm.
    pub rate: Estimate,
    /// The arm shown to be better, at the experiment's confidence; null until the votes show one.
    #[schema(required = true)]
    pub better: Option<String>,
}

/// Which pages of a standing to read.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct StandingQuery {
    /// The index of the first arm. Default: 0.
    #[param(nullable = false, minimum = 0, maximum = 4_294_967_295_u64)]
    pub arms_from: Option<u64>,
    /// Start after this pair, as given by `pairs_next`.
    #[param(nullable = false, pattern = "^[0-9]{1,9}-[0-9]{1,9}$")]
    pub pairs_after: Option<String>,
    /// The maximum number of arms and of pairs. Default: 100.
    #[param(nullable = false, minimum = 1, maximum = 1000)]
    pub limit: Option<u64>,
}

/// Which page of a log to read.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct HistoryQuery {
    /// Start after this log position. Default: 0.
    #[param(nullable = false, minimum = 0, maximum = 4_611_686_018_427_387_903_u64)]
    pub after: Option<u64>,
    /// The maximum number of events. Default: 100.
    #[param(nullable = false, minimum = 1, maximum = 1000)]
    pub limit: Option<u64>,
}

/// Where to start a stream.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct StreamQuery {
    /// Start after this log position. Default: the end of the log. The header `Last-Event-ID` takes
    /// precedence.
    #[param(nullable = false, minimum = 0, maximum = 4_611_686_018_427_387_903_u64)]
    pub after: Option<u64>,
}

/// A fingerprint of an experiment's state.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DigestView {
    /// The last log position that the state includes.
    pub seq: u64,
    /// The SHA-256 of the state. Folding the same log always gives the same digest.
    pub digest: String,
    /// The hash of the record at `seq`. Each record's hash also covers the record before it, so
    /// that this hash stands for the whole log.
    pub head: String,
}
