//! Experiments as they travel.

use serde::{Deserialize, Serialize};
use tiltyard_bandit::Arm;
use utoipa::{IntoParams, ToSchema};

use super::{AaView, ArmInput, NeededView};
use crate::domain::{
    AaCounts, Activation, Create, Evidence, Experiment, Late, NewArm, Settings, Status, Stop, Totals, Verdict,
};
use crate::id::ExperimentId;

/// An experiment to be made.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct CreateBody {
    /// What people call it.
    #[schema(min_length = 1, max_length = 200, example = "headline")]
    name: String,
    /// What is compared: two arms or more.
    #[schema(min_items = 2)]
    arms: Vec<ArmInput>,
    /// The policy, as `name:key=value,...`; `tiltyard policy list` shows all.
    #[serde(default = "default_policy")]
    #[schema(default = "rex3", example = "rex3")]
    policy: String,
    /// What differs from the defaults.
    #[serde(default)]
    settings: SettingsBody,
}

fn default_policy() -> String {
    "rex3".to_owned()
}

/// Settings; what is left out has its default.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct SettingsBody {
    /// Whether both arms of a duel must be different; true if the policy can do that.
    distinct: Option<bool>,
    /// The share of duels that are drawn uniformly and never learned from; 0.
    #[schema(minimum = 0, maximum = 1)]
    holdout: Option<f64>,
    /// The share of interleavings that are of a ranker with itself, to check that nothing favours a side; 0.
    #[schema(minimum = 0, maximum = 1)]
    aa: Option<f64>,
    /// After how many seconds a duel is given up; 86400, a day.
    #[schema(minimum = 1, maximum = 31_622_400)]
    expires_after: Option<u64>,
    /// What becomes of outcomes that come later; `accept`.
    late: Option<LateWord>,
    /// From when on a duel is waited for; `issue`.
    activation: Option<ActivationWord>,
    /// How many votes are expected in all, for policies that must know.
    #[schema(minimum = 1, maximum = 1_000_000_000_000_u64)]
    horizon: Option<u64>,
    /// The most votes of one voter; no limit.
    #[schema(minimum = 1)]
    voter_votes: Option<u64>,
    /// The most votes of one voter within a minute; no limit.
    #[schema(minimum = 1)]
    voter_votes_per_minute: Option<u64>,
    /// The most duels in flight; 100000.
    #[schema(minimum = 1, maximum = 10_000_000)]
    max_in_flight: Option<u64>,
    /// How sure a verdict must be; 0.95.
    #[schema(minimum = 0.5, maximum = 0.999_999)]
    confidence: Option<f64>,
    /// Differences up to this do not matter, in the probability of winning a duel; none.
    #[schema(exclusive_minimum = 0, exclusive_maximum = 0.5)]
    margin: Option<f64>,
    /// What to do once there is a verdict; `never`.
    stop: Option<StopWord>,
}

/// What to do once there is a verdict.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Stop)]
pub(in crate::http) enum StopWord {
    /// Go on.
    Never,
    /// Pause the experiment, once.
    Pause,
}

/// What becomes of an outcome that comes after the duel has expired.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Late)]
pub(in crate::http) enum LateWord {
    /// It counts, and is counted as late.
    Accept,
    /// It is refused with 409.
    Refuse,
}

/// From when on a duel is waited for.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Activation)]
pub(in crate::http) enum ActivationWord {
    /// From its issue.
    Issue,
    /// From when it is reported as shown; a duel that expires before is not counted as unanswered.
    Shown,
}

impl From<CreateBody> for Create {
    fn from(body: CreateBody) -> Self {
        let given = body.settings;
        let default = Settings::default_for(true);
        let settings = Settings {
            distinct: given.distinct.unwrap_or(default.distinct),
            holdout: given.holdout.unwrap_or(default.holdout),
            aa: given.aa.unwrap_or(default.aa),
            expires_after: given.expires_after.unwrap_or(default.expires_after),
            late: given.late.map_or(default.late, |late| match late {
                LateWord::Accept => Late::Accept,
                LateWord::Refuse => Late::Refuse,
            }),
            activation: given.activation.map_or(default.activation, |activation| match activation {
                ActivationWord::Issue => Activation::Issue,
                ActivationWord::Shown => Activation::Shown,
            }),
            horizon: given.horizon,
            voter_votes: given.voter_votes,
            voter_votes_per_minute: given.voter_votes_per_minute,
            max_in_flight: given.max_in_flight.unwrap_or(default.max_in_flight),
            confidence: given.confidence.unwrap_or(default.confidence),
            margin: given.margin,
            stop: given.stop.map_or(default.stop, |stop| match stop {
                StopWord::Never => Stop::Never,
                StopWord::Pause => Stop::Pause,
            }),
        };
        Self {
            name: body.name,
            arms: body.arms.into_iter().map(NewArm::from).collect(),
            policy: body.policy,
            settings,
            distinct_by_policy: given.distinct.is_none(),
        }
    }
}

/// The settings in force.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(in crate::http) struct SettingsView {
    /// Whether both arms of a duel must be different.
    distinct: bool,
    /// The share of duels that are drawn uniformly and never learned from.
    holdout: f64,
    /// The share of interleavings that are of a ranker with itself.
    aa: f64,
    /// After how many seconds a duel is given up.
    expires_after: u64,
    /// What becomes of outcomes that come later.
    late: LateWord,
    /// From when on a duel is waited for.
    activation: ActivationWord,
    /// How many votes are expected in all.
    #[schema(required = true)]
    horizon: Option<u64>,
    /// The most votes of one voter.
    #[schema(required = true)]
    voter_votes: Option<u64>,
    /// The most votes of one voter within a minute.
    #[schema(required = true)]
    voter_votes_per_minute: Option<u64>,
    /// The most duels in flight.
    max_in_flight: u64,
    /// How sure a verdict must be.
    confidence: f64,
    /// Differences up to this do not matter.
    #[schema(required = true)]
    margin: Option<f64>,
    /// What to do once there is a verdict.
    stop: StopWord,
}

impl From<&Settings> for SettingsView {
    fn from(settings: &Settings) -> Self {
        Self {
            distinct: settings.distinct,
            holdout: settings.holdout,
            aa: settings.aa,
            expires_after: settings.expires_after,
            late: match settings.late {
                Late::Accept => LateWord::Accept,
                Late::Refuse => LateWord::Refuse,
            },
            activation: match settings.activation {
                Activation::Issue => ActivationWord::Issue,
                Activation::Shown => ActivationWord::Shown,
            },
            horizon: settings.horizon,
            voter_votes: settings.voter_votes,
            voter_votes_per_minute: settings.voter_votes_per_minute,
            max_in_flight: settings.max_in_flight,
            confidence: settings.confidence,
            margin: settings.margin,
            stop: match settings.stop {
                Stop::Never => StopWord::Never,
                Stop::Pause => StopWord::Pause,
            },
        }
    }
}

/// Whether an experiment issues duels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Status)]
pub(in crate::http) enum StatusWord {
    /// It issues duels and takes outcomes.
    Running,
    /// It issues no duels and takes outcomes.
    Paused,
    /// It does neither, for good.
    Closed,
}

impl From<Status> for StatusWord {
    fn from(status: Status) -> Self {
        match status {
            Status::Running => Self::Running,
            Status::Paused => Self::Paused,
            Status::Closed => Self::Closed,
        }
    }
}

/// An experiment.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(in crate::http) struct ExperimentView {
    /// Its id.
    #[schema(value_type = ExperimentId)]
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Whether it issues duels.
    pub status: StatusWord,
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

impl From<&Experiment> for ExperimentView {
    fn from(experiment: &Experiment) -> Self {
        Self {
            id: experiment.id().to_string(),
            name: experiment.name().to_owned(),
            status: experiment.status().into(),
            created_at: experiment.created().to_string(),
            policy: experiment.policy().spec().to_string(),
            policy_version: experiment.policy_version(),
            settings: experiment.settings().into(),
            n_arms: experiment.arms().len(),
            seq: experiment.seq(),
            totals: TotalsView::new(experiment.totals(), experiment.n_in_flight(), experiment.aa()),
        }
    }
}

/// What was counted of an experiment.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(in crate::http) struct TotalsView {
    /// Duels issued.
    duels: u64,
    /// Duels that wait for an outcome.
    in_flight: usize,
    /// Outcomes that count: all but skipped and voided ones.
    votes: u64,
    /// Votes for what was shown on the left.
    left: u64,
    /// Votes for what was shown on the right.
    right: u64,
    /// Equally good.
    ties: u64,
    /// Equally bad.
    both_bad: u64,
    /// Scores that are neither win, loss nor tie.
    graded: u64,
    /// Votes on duels that were held out.
    holdout: u64,
    /// Votes that came after expiry.
    late: u64,
    /// Duels that were skipped.
    skipped: u64,
    /// Duels that were voided.
    voided: u64,
    /// Duels that expired without an outcome.
    unanswered: u64,
    /// Duels that expired without being shown, where that is minded.
    never_shown: u64,
    /// How rankers fared against themselves. These are no votes, and nothing is learned from them.
    aa: AaView,
    /// Votes that were given elsewhere and brought in.
    imported: u64,
    /// Slates that were ranked. Each pair that a ranking decides is one of `votes`, graded by its weight.
    rankings: u64,
}

impl TotalsView {
    fn new(totals: &Totals, in_flight: usize, aa: AaCounts) -> Self {
        let Totals {
            duels,
            votes,
            left,
            right,
            ties,
            both_bad,
            graded,
            holdout,
            late,
            skipped,
            voided,
            unanswered,
            never_shown,
            imported,
            imported_left: _,
            imported_right: _,
            rankings,
        } = *totals;
        Self {
            duels,
            in_flight,
            votes,
            left,
            right,
            ties,
            both_bad,
            graded,
            holdout,
            late,
            skipped,
            voided,
            unanswered,
            never_shown,
            aa: aa.into(),
            imported,
            rankings,
        }
    }
}

/// Some experiments.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::http) struct ExperimentList {
    /// The experiments, by id.
    pub experiments: Vec<ExperimentView>,
    /// What to pass as `after` for more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ExperimentId>, nullable = false)]
    pub next: Option<String>,
}

/// Which part of a list.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(in crate::http) struct ListQuery {
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
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct VoidBody {
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
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::http) struct VoidView {
    /// How many votes the voter has that are not voided.
    pub found: usize,
    /// How many were voided now.
    pub voided: usize,
    /// The verdict with these votes.
    pub before: EffectView,
    /// The verdict without them.
    pub after: EffectView,
}

/// What the verdict is with or without some votes.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Effect)]
pub(in crate::http) struct EffectView {
    /// The arm that is better than every other; null until the votes show it.
    #[schema(required = true)]
    pub leader: Option<String>,
    /// The arm that is ahead for now, however little that means.
    #[schema(required = true)]
    pub front_runner: Option<String>,
    /// How many more votes would likely make the front runner the leader.
    #[schema(required = true)]
    pub votes_needed: Option<NeededView>,
}

impl EffectView {
    pub(in crate::http) fn new(experiment: &Experiment, evidence: &Evidence) -> Self {
        let name = |arm: Arm| experiment.arms()[arm.index()].arm.name.clone();
        let picture = Verdict::of(evidence, []);
        Self {
            leader: picture.leader().map(name),
            front_runner: picture.front_runner().map(name),
            votes_needed: picture.needed().map(NeededView::from),
        }
    }
}
