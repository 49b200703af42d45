//! Experiments in requests and responses.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{AaView, ArmInput, ExperimentId, VotesNeeded};

/// A request to create an experiment.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateBody {
    /// The name of the experiment.
    #[schema(min_length = 1, max_length = 200, example = "headline")]
    pub name: String,
    /// The arms to compare, at least two.
    #[schema(min_items = 2)]
    pub arms: Vec<ArmInput>,
    /// The policy, as `name` or `name:key=value,...`. `tiltyard policy list` lists all policies.
    #[serde(default = "default_policy")]
    #[schema(default = default_policy, example = "rex3")]
    pub policy: String,
    /// Settings that differ from their defaults.
    #[serde(default)]
    pub settings: SettingsBody,
}

/// The policy of an experiment whose request does not name one.
pub const DEFAULT_POLICY: &str = "rex3";

fn default_policy() -> String {
    DEFAULT_POLICY.to_owned()
}

/// The settings of an experiment, by name. The arena's domain declares what each means, and its
/// descriptions in the OpenAPI document come from there.
macro_rules! settings {
    ($($(#[$attribute:meta])* $name:ident: $given:ty => $shown:ty,)*) => {
        /// Settings of a new experiment. A setting that is left out has its default.
        #[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
        #[serde(deny_unknown_fields)]
        pub struct SettingsBody {
            $(#[doc = concat!("The setting `", stringify!($name), "`.")] pub $name: Option<$given>,)*
        }

        /// The settings of an experiment.
        #[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
        pub struct SettingsView {
            $(#[doc = concat!("The setting `", stringify!($name), "`.")] $(#[$attribute])* pub $name: $shown,)*
        }
    };
}

settings! {
    distinct: bool => bool,
    holdout: f64 => f64,
    aa: f64 => f64,
    expires_after: u64 => u64,
    late: Late => Late,
    activation: Activation => Activation,
    #[schema(required = true)]
    horizon: u64 => Option<u64>,
    #[schema(required = true)]
    voter_votes: u64 => Option<u64>,
    #[schema(required = true)]
    voter_votes_per_minute: u64 => Option<u64>,
    max_in_flight: u64 => u64,
    confidence: f64 => f64,
    #[schema(required = true)]
    margin: f64 => Option<f64>,
    stop: Stop => Stop,
}

/// What to do when there is a verdict.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// Continue.
    Never,
    /// Pause the experiment, the first time only.
    Pause,
}

/// What to do with an outcome that arrives after its duel has expired.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Late {
    /// Accept it as a vote, and count it as late too.
    Accept,
    /// Refuse it with status 409.
    Refuse,
}

/// When the time for answering a duel starts.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// When the duel is issued.
    Issue,
    /// When the duel is reported as shown. A duel that expires before that does not count as
    /// unanswered.
    Shown,
}

/// Whether an experiment issues duels and accepts outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It issues duels and accepts outcomes.
    Running,
    /// It issues no duels but accepts outcomes.
    Paused,
    /// It does neither, and cannot be reopened.
    Closed,
}

/// An experiment.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ExperimentView {
    /// The id of the experiment.
    #[schema(value_type = ExperimentId)]
    pub id: String,
    /// The name of the experiment.
    pub name: String,
    /// Whether the experiment issues duels and accepts outcomes.
    pub status: Status,
    /// When the experiment was created.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// The policy in charge.
    pub policy: String,
    /// The version of the policy's updates with which the log was written.
    pub policy_version: u32,
    /// The settings of the experiment.
    pub settings: SettingsView,
    /// The number of arms, including retired ones.
    pub n_arms: usize,
    /// The last position in the experiment's log.
    pub seq: u64,
    /// The experiment's counts.
    pub totals: TotalsView,
}

/// The counts of an experiment.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TotalsView {
    /// Duels issued.
    pub duels: u64,
    /// Duels in flight: issued, and neither answered, expired nor voided.
    pub in_flight: usize,
    /// Outcomes that count: all except skipped and voided ones.
    pub votes: u64,
    /// Votes for the arm on the left.
    pub left: u64,
    /// Votes for the arm on the right.
    pub right: u64,
    /// Votes that both arms are equally good.
    pub ties: u64,
    /// Votes that both arms are equally bad.
    pub both_bad: u64,
    /// Graded votes: their score is not -1, 0 or 1.
    pub graded: u64,
    /// Votes on held-out duels.
    pub holdout: u64,
    /// Votes that arrived after their duel had expired.
    pub late: u64,
    /// Skipped duels.
    pub skipped: u64,
    /// Voided duels.
    pub voided: u64,
    /// Duels that expired without an outcome.
    pub unanswered: u64,
    /// Duels that expired without being shown, if the setting `activation` is `shown`.
    pub never_shown: u64,
    /// The results of interleaving a ranker with itself. They do not count as votes, and the policy
    /// does not learn from them.
    pub aa: AaView,
    /// Votes that were imported.
    pub imported: u64,
    /// Ranked slates. Each pair that a ranking decides counts as one of `votes`, graded by its
    /// weight.
    pub rankings: u64,
}

/// A page of experiments.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ExperimentList {
    /// The experiments, ordered by id.
    pub experiments: Vec<ExperimentView>,
    /// Pass this as `after` to get the next page. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ExperimentId>, nullable = false)]
    pub next: Option<String>,
    /// All experiments whose data is damaged. They are not in `experiments`, and answer no other
    /// requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<DamagedExperiment>,
}

/// An experiment whose data is damaged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DamagedExperiment {
    /// The id of the experiment.
    #[schema(value_type = ExperimentId)]
    pub id: String,
    /// Its name, if that can still be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub name: Option<String>,
    /// The number of records before the damage.
    pub sound: u64,
    /// What is damaged, and where.
    pub damage: String,
}

/// Which page of experiments to read.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// Start after the experiment with this id.
    #[param(nullable = false, pattern = "^[0-7][0-9a-hjkmnp-tv-z]{12}$")]
    pub after: Option<String>,
    /// Only experiments with this name.
    #[param(nullable = false)]
    pub name: Option<String>,
    /// The maximum number of experiments. Default: 100.
    #[param(nullable = false, minimum = 1, maximum = 1000)]
    pub limit: Option<u64>,
}

/// A request to void the votes of a voter.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VoidBody {
    /// The voter.
    #[schema(min_length = 1, max_length = 200)]
    pub voter: String,
    /// Only votes recorded at or after this time.
    #[schema(format = DateTime)]
    pub since: Option<String>,
    /// Void nothing; only report the number of votes and the effect on the verdict.
    #[serde(default)]
    #[schema(default = false)]
    pub dry_run: bool,
}

/// The votes that were voided or would be voided.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct VoidView {
    /// The number of matching votes that were not voided before.
    pub found: usize,
    /// The number of votes voided by this request.
    pub voided: usize,
    /// The verdict with these votes.
    pub before: Effect,
    /// The verdict without them.
    pub after: Effect,
}

/// The verdict with or without some votes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Effect {
    /// The arm shown to beat every other arm; null until the votes show one.
    #[schema(required = true)]
    pub leader: Option<String>,
    /// The arm that is ahead for now, which may be by chance.
    #[schema(required = true)]
    pub front_runner: Option<String>,
    /// How many more votes would probably make the front runner the leader.
    #[schema(required = true)]
    pub votes_needed: Option<VotesNeeded>,
}
