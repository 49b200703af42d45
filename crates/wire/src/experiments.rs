//! Experiments as they travel.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{AaView, ArmInput, ExperimentId, VotesNeeded};

/// An experiment to be made.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateBody {
    /// What people call it.
    #[schema(min_length = 1, max_length = 200, example = "headline")]
    pub name: String,
    /// What is compared: two arms or more.
    #[schema(min_items = 2)]
    pub arms: Vec<ArmInput>,
    /// The policy, as `name:key=value,...`; `tiltyard policy list` shows all.
    #[serde(default = "default_policy")]
    #[schema(default = default_policy, example = "rex3")]
    pub policy: String,
    /// What differs from the defaults.
    #[serde(default)]
    pub settings: SettingsBody,
}

/// The policy of an experiment that names none.
pub const DEFAULT_POLICY: &str = "rex3";

fn default_policy() -> String {
    DEFAULT_POLICY.to_owned()
}

/// The settings of an experiment, by name. What each means is declared in the arena's domain, which
/// also describes them in the document.
macro_rules! settings {
    ($($(#[$attribute:meta])* $name:ident: $given:ty => $shown:ty,)*) => {
        /// Settings; what is left out has its default.
        #[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
        #[serde(deny_unknown_fields)]
        pub struct SettingsBody {
            $(#[doc = concat!("The setting `", stringify!($name), "`.")] pub $name: Option<$given>,)*
        }

        /// The settings in force.
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

/// What to do once there is a verdict.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// Go on.
    Never,
    /// Pause the experiment, once.
    Pause,
}

/// What becomes of an outcome that comes after the duel has expired.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Late {
    /// It counts, and is counted as late.
    Accept,
    /// It is refused with 409.
    Refuse,
}

/// From when on a duel is waited for.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// From its issue.
    Issue,
    /// From when it is reported as shown; a duel that expires before is not counted as unanswered.
    Shown,
}

/// Whether an experiment issues duels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It issues duels and takes outcomes.
    Running,
    /// It issues no duels and takes outcomes.
    Paused,
    /// It does neither, for good.
    Closed,
}

/// An experiment.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ExperimentView {
    /// Its id.
    #[schema(value_type = ExperimentId)]
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Whether it issues duels.
    pub status: Status,
    /// When it was made.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// The policy.
    pub policy: String,
    /// Which meaning of the policy's updates the log was written with.
    pub policy_version: u32,
    /// The settings in force.
    pub settings: SettingsView,
    /// How many arms there are, retired ones included.
    pub n_arms: usize,
    /// The last place of its log.
    pub seq: u64,
    /// What was counted.
    pub totals: TotalsView,
}

/// What was counted of an experiment.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TotalsView {
    /// Duels issued.
    pub duels: u64,
    /// Duels that wait for an outcome.
    pub in_flight: usize,
    /// Outcomes that count: all but skipped and voided ones.
    pub votes: u64,
    /// Votes for what was shown on the left.
    pub left: u64,
    /// Votes for what was shown on the right.
    pub right: u64,
    /// Equally good.
    pub ties: u64,
    /// Equally bad.
    pub both_bad: u64,
    /// Scores that are neither win, loss nor tie.
    pub graded: u64,
    /// Votes on duels that were held out.
    pub holdout: u64,
    /// Votes that came after expiry.
    pub late: u64,
    /// Duels that were skipped.
    pub skipped: u64,
    /// Duels that were voided.
    pub voided: u64,
    /// Duels that expired without an outcome.
    pub unanswered: u64,
    /// Duels that expired without being shown, where that is minded.
    pub never_shown: u64,
    /// How rankers fared against themselves. These are no votes, and nothing is learned from them.
    pub aa: AaView,
    /// Votes that were given elsewhere and brought in.
    pub imported: u64,
    /// Slates that were ranked. Each pair that a ranking decides is one of `votes`, graded by its
    /// weight.
    pub rankings: u64,
}

/// Some experiments.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ExperimentList {
    /// The experiments, by id.
    pub experiments: Vec<ExperimentView>,
    /// What to pass as `after` for more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ExperimentId>, nullable = false)]
    pub next: Option<String>,
}

/// Which part of a list.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// Go on behind this experiment.
    #[param(nullable = false, pattern = "^[0-7][0-9a-hjkmnp-tv-z]{12}$")]
    pub after: Option<String>,
    /// Only those of this name.
    #[param(nullable = false)]
    pub name: Option<String>,
    /// How many at most; 100.
    #[param(nullable = false, minimum = 1, maximum = 1000)]
    pub limit: Option<u64>,
}

/// Votes to be voided.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VoidBody {
    /// Whose.
    #[schema(min_length = 1, max_length = 200)]
    pub voter: String,
    /// Only those recorded from this moment on.
    #[schema(format = DateTime)]
    pub since: Option<String>,
    /// Only tell how many there are, and what would change.
    #[serde(default)]
    #[schema(default = false)]
    pub dry_run: bool,
}

/// Votes that were voided, or would be.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct VoidView {
    /// How many votes the voter has that are not voided.
    pub found: usize,
    /// How many were voided now.
    pub voided: usize,
    /// The verdict with these votes.
    pub before: Effect,
    /// The verdict without them.
    pub after: Effect,
}

/// What the verdict is with or without some votes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Effect {
    /// The arm that is better than every other; null until the votes show it.
    #[schema(required = true)]
    pub leader: Option<String>,
    /// The arm that is ahead for now, however little that means.
    #[schema(required = true)]
    pub front_runner: Option<String>,
    /// How many more votes would likely make the front runner the leader.
    #[schema(required = true)]
    pub votes_needed: Option<VotesNeeded>,
}
