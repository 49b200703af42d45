//! Where an experiment stands, as it travels.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Alarms, Estimate, ExperimentId, TotalsView, Verdict};

/// Where an experiment stands.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Standing {
    /// The experiment.
    #[schema(value_type = ExperimentId)]
    pub experiment: String,
    /// The last place of its log that is in this.
    pub seq: u64,
    /// Outcomes that count.
    pub votes: u64,
    /// What was counted in all.
    pub totals: TotalsView,
    /// The arm that is better than every other, with the confidence of the experiment; null until
    /// the votes show it.
    #[schema(required = true)]
    pub leader: Option<String>,
    /// What the votes say.
    pub verdict: Verdict,
    /// Signs that the votes cannot be taken at their word.
    pub alarms: Alarms,
    /// The arm that the policy would bet on now. That is no verdict: it is there from the first
    /// vote on.
    pub recommended: String,
    /// Some arms, in the order of coming in.
    pub arms: Vec<ArmStanding>,
    /// What to pass as `arms_from` for more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub arms_next: Option<u64>,
    /// Some of the pairs that were compared.
    pub pairs: Vec<PairStanding>,
    /// What to pass as `pairs_after` for more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub pairs_next: Option<String>,
}

/// Where an arm stands.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ArmStanding {
    /// Its place in the order of coming in, from 0.
    pub index: usize,
    /// How the API calls it.
    pub name: String,
    /// What people are shown instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub label: Option<String>,
    /// Whether it is no longer proposed.
    pub retired: bool,
    /// The probability that the policy puts it into a slot of the next duel, before equal arms are
    /// excluded and without duels that are held out; null where the policy cannot tell.
    #[schema(required = true)]
    pub probability: Option<f64>,
    /// The mean probability of winning against another arm that is not retired.
    pub borda: Estimate,
    /// How many arms that are not retired it beats.
    pub copeland: Estimate,
    /// Duels issued.
    pub duels: u64,
    /// Duels that wait for an outcome.
    pub in_flight: u64,
    /// Votes for it.
    pub wins: u64,
    /// Votes for the other.
    pub losses: u64,
    /// Equally good.
    pub ties: u64,
    /// Equally bad.
    pub both_bad: u64,
    /// Scores that are neither win, loss nor tie.
    pub graded: u64,
    /// Outcomes of duels with itself.
    pub self_duels: u64,
    /// Duels that were skipped.
    pub skipped: u64,
    /// Duels that were voided.
    pub voided: u64,
    /// Duels that expired without an outcome.
    pub unanswered: u64,
    /// Duels that expired without being shown, where that is minded.
    pub never_shown: u64,
}

/// The votes of a pair of arms.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PairStanding {
    /// The one that came in first.
    pub first: String,
    /// The other.
    pub second: String,
    /// All votes of the pair.
    pub votes: u64,
    /// Votes for the first.
    pub first_wins: u64,
    /// Votes for the second.
    pub second_wins: u64,
    /// Equally good.
    pub ties: u64,
    /// Equally bad.
    pub both_bad: u64,
    /// Scores that are neither win, loss nor tie.
    pub graded: u64,
    /// The sum of those scores, from the first one's viewpoint.
    pub graded_sum: f64,
    /// Duels of the pair that wait for an outcome.
    pub in_flight: usize,
    /// The probability that the first is preferred; a tie is half of each.
    pub rate: Estimate,
    /// The one that is better, with the confidence of the experiment; null until the votes show it.
    #[schema(required = true)]
    pub better: Option<String>,
}

/// Which part of a standing.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct StandingQuery {
    /// The first arm, by index; 0.
    #[param(nullable = false, minimum = 0, maximum = 4_294_967_295_u64)]
    pub arms_from: Option<u64>,
    /// Go on behind this pair, as `pairs_next` said.
    #[param(nullable = false, pattern = "^[0-9]{1,9}-[0-9]{1,9}$")]
    pub pairs_after: Option<String>,
    /// How many arms and how many pairs at most; 100.
    #[param(nullable = false, minimum = 1, maximum = 1000)]
    pub limit: Option<u64>,
}

/// Which part of a log.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct HistoryQuery {
    /// Go on behind this place; 0.
    #[param(nullable = false, minimum = 0, maximum = 4_611_686_018_427_387_903_u64)]
    pub after: Option<u64>,
    /// How many events at most; 100.
    #[param(nullable = false, minimum = 1, maximum = 1000)]
    pub limit: Option<u64>,
}

/// From where on a stream.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct StreamQuery {
    /// Begin behind this place; now. The header `Last-Event-ID` does the same.
    #[param(nullable = false, minimum = 0, maximum = 4_611_686_018_427_387_903_u64)]
    pub after: Option<u64>,
}

/// A fingerprint of an experiment's state.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DigestView {
    /// The last place of the log that is in it.
    pub seq: u64,
    /// SHA-256 of the state. Whoever folds the same log has the same.
    pub digest: String,
}
