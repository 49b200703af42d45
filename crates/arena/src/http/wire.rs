//! Requests and responses as they travel. Domain types do not: what is promised to clients changes on its own terms.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tiltyard_bandit::Draw;
use utoipa::{IntoParams, ToSchema};

use crate::arena::{Done, Duel};
use crate::domain::{
    Activation, Answer, AnswerRequest, ArmCounts, ArmEntry, Create, Experiment, IssueRequest, Late, NewArm,
    Open, Refusal, Settings, Status, Totals,
};
use crate::id::{DuelId, ExperimentId, KeyId};
use crate::key::{Key, Scope};
use crate::time::Time;

/// An arm: a name, or a name with more.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(untagged)]
pub(super) enum ArmInput {
    /// How the API calls it.
    Name(ArmName),
    /// With a label and a payload.
    Full(FullArm),
}

/// How the API calls an arm.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(min_length = 1, max_length = 200, example = "a")]
pub(super) struct ArmName(String);

/// An arm with a label and a payload.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FullArm {
    /// How the API calls it; no two arms of an experiment share a name.
    #[schema(min_length = 1, max_length = 200)]
    name: String,
    /// What people are shown instead.
    #[schema(min_length = 1, max_length = 1000)]
    label: Option<String>,
    /// Whatever is needed to show it; handed out with each duel, at most 64 KiB.
    payload: Option<Value>,
}

impl From<ArmInput> for NewArm {
    fn from(arm: ArmInput) -> Self {
        match arm {
            ArmInput::Name(ArmName(name)) => Self::named(name),
            ArmInput::Full(FullArm { name, label, payload }) => Self { name, label, payload },
        }
    }
}

/// An experiment to be made.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateBody {
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
pub(super) struct SettingsBody {
    /// Whether both arms of a duel must be different; true if the policy can do that.
    distinct: Option<bool>,
    /// The share of duels that are drawn uniformly and never learned from; 0.
    #[schema(minimum = 0, maximum = 1)]
    holdout: Option<f64>,
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
}

/// What becomes of an outcome that comes after the duel has expired.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Late)]
pub(super) enum LateWord {
    /// It counts, and is counted as late.
    Accept,
    /// It is refused with 409.
    Refuse,
}

/// From when on a duel is waited for.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Activation)]
pub(super) enum ActivationWord {
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
pub(super) struct SettingsView {
    /// Whether both arms of a duel must be different.
    distinct: bool,
    /// The share of duels that are drawn uniformly and never learned from.
    holdout: f64,
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
}

impl From<&Settings> for SettingsView {
    fn from(settings: &Settings) -> Self {
        Self {
            distinct: settings.distinct,
            holdout: settings.holdout,
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
        }
    }
}

/// Whether an experiment issues duels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Status)]
pub(super) enum StatusWord {
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
pub(super) struct ExperimentView {
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
            totals: TotalsView::new(experiment.totals(), experiment.n_in_flight()),
        }
    }
}

/// What was counted of an experiment.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct TotalsView {
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
}

impl TotalsView {
    fn new(totals: &Totals, in_flight: usize) -> Self {
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
        }
    }
}

/// Some experiments.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ExperimentList {
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
pub(super) struct ListQuery {
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

/// Arms to come in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ArmsBody {
    /// The arms.
    #[schema(min_items = 1)]
    pub arms: Vec<ArmInput>,
}

/// An arm.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct ArmView {
    /// Its place in the order of coming in, from 0.
    pub index: usize,
    /// How the API calls it.
    pub name: String,
    /// What people are shown instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub label: Option<String>,
    /// Whatever is needed to show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub payload: Option<Value>,
    /// Whether it is no longer proposed.
    pub retired: bool,
}

impl ArmView {
    pub(super) fn new(index: usize, entry: &ArmEntry) -> Self {
        let NewArm { name, label, payload } = (*entry.arm).clone();
        Self { index, name, label, payload, retired: entry.retired }
    }
}

/// Some arms.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ArmList {
    /// The arms, in the order of coming in.
    pub arms: Vec<ArmView>,
    /// What to pass as `from` for more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next: Option<u64>,
}

/// Which arms.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ArmsQuery {
    /// The first arm, by index; 0.
    #[param(nullable = false, minimum = 0, maximum = 4_294_967_295_u64)]
    pub from: Option<u64>,
    /// How many at most; 100.
    #[param(nullable = false, minimum = 1, maximum = 1000)]
    pub limit: Option<u64>,
}

/// Duels to be issued.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DuelsBody {
    /// Your name for this request: asked again, it gets the same duels.
    #[schema(min_length = 1, max_length = 200)]
    client_id: Option<String>,
    /// How many; 1.
    #[schema(minimum = 1, maximum = 1000)]
    count: Option<u32>,
    /// Whether the arms must differ; what the settings say.
    distinct: Option<bool>,
    /// Whatever is to be kept with the duels; at most 16 KiB.
    context: Option<Value>,
}

impl From<DuelsBody> for IssueRequest {
    fn from(body: DuelsBody) -> Self {
        let DuelsBody { client_id, count, distinct, context } = body;
        Self { count: count.unwrap_or(1), distinct, client: client_id, context }
    }
}

/// A duel to be shown.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct DuelView {
    /// Its id. Whoever has it, and a key, can answer the duel.
    #[schema(value_type = DuelId)]
    pub id: String,
    /// The arm to be shown on the left.
    pub left: String,
    /// The arm to be shown on the right.
    pub right: String,
    /// What is needed to show the arms, if more than their names was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub arms: Option<Sides<ArmView>>,
    /// How likely it was.
    pub propensity: Propensity,
    /// Whether it was drawn uniformly and will not be learned from.
    pub holdout: bool,
    /// When it is given up.
    #[schema(format = DateTime)]
    pub expires_at: String,
}

/// Something for either side.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct Sides<T> {
    /// Left.
    pub left: T,
    /// Right.
    pub right: T,
}

/// How likely a duel was. Which arm is shown on which side is a fair coin on top of it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct Propensity {
    /// The probability of the arm on the left in the slot that it was drawn for; null where it is not known.
    #[schema(required = true)]
    pub left: Option<f64>,
    /// The probability of the arm on the right in the slot that it was drawn for; null where it is not known.
    #[schema(required = true)]
    pub right: Option<f64>,
    /// The probability of this pair, in the order in which it was drawn; null where it is not known.
    #[schema(required = true)]
    pub pair: Option<f64>,
}

impl Propensity {
    pub(super) fn of(open: &Open) -> Self {
        let (left, right) = match open.ticket.draw {
            Draw::Slots { left, right, .. } if open.swapped => (Some(right), Some(left)),
            Draw::Slots { left, right, .. } => (Some(left), Some(right)),
            Draw::Pair(_) | Draw::Unknown => (None, None),
        };
        Self { left, right, pair: open.ticket.propensity() }
    }
}

impl DuelView {
    pub(super) fn new(experiment: &Experiment, duel: &Duel) -> Self {
        let (left, right) = duel.open.sides();
        let arms = experiment.arms();
        let entry = |arm: tiltyard_bandit::Arm| &arms[arm.index()];
        let bare = |arm| entry(arm).arm.label.is_none() && entry(arm).arm.payload.is_none();
        let view = |arm: tiltyard_bandit::Arm| ArmView::new(arm.index(), entry(arm));
        Self {
            id: duel.id.to_string(),
            left: entry(left).arm.name.clone(),
            right: entry(right).arm.name.clone(),
            arms: (!bare(left) || !bare(right)).then(|| Sides { left: view(left), right: view(right) }),
            propensity: Propensity::of(&duel.open),
            holdout: duel.open.holdout,
            expires_at: duel.open.expires.to_string(),
        }
    }
}

/// Duels.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DuelList {
    /// The duels.
    pub duels: Vec<DuelView>,
}

/// The outcome of a duel: a word or a score, not both.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OutcomeBody {
    /// The outcome in a word.
    outcome: Option<OutcomeWord>,
    /// How much better the left one is, from -1 to 1.
    #[schema(minimum = -1, maximum = 1)]
    score: Option<f64>,
    /// Who says so.
    #[schema(min_length = 1, max_length = 200)]
    voter: Option<String>,
    /// When that was, by your clock.
    #[schema(format = DateTime)]
    time: Option<String>,
}

/// The outcome of a duel in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Outcome)]
pub(super) enum OutcomeWord {
    /// The left one is better.
    Left,
    /// The right one is better.
    Right,
    /// They are equally good.
    Tie,
    /// They are equally bad: learned as a tie, counted apart.
    BothBad,
    /// No outcome will come: the duel is voided.
    Skip,
}

/// Why a body that can be read is not an outcome.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(super) enum OutcomeBodyError {
    #[error("give `outcome` or `score`, and not both")]
    OneOf,
    #[error(transparent)]
    Time(#[from] crate::time::TimeError),
    #[error(transparent)]
    Refused(#[from] Refusal),
}

impl OutcomeBody {
    pub(super) fn request(self) -> Result<AnswerRequest, OutcomeBodyError> {
        let answer = match (self.outcome, self.score) {
            (Some(word), None) => match word {
                OutcomeWord::Left => Answer::Left,
                OutcomeWord::Right => Answer::Right,
                OutcomeWord::Tie => Answer::Tie,
                OutcomeWord::BothBad => Answer::BothBad,
                OutcomeWord::Skip => Answer::Skip,
            },
            (None, Some(score)) => Answer::score(score).map_err(|_| Refusal::Score { score })?,
            _ => return Err(OutcomeBodyError::OneOf),
        };
        let said = self.time.map(|time| time.parse::<Time>()).transpose()?;
        Ok(AnswerRequest { answer, voter: self.voter, said })
    }
}

/// Whether it was done now or before.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum DoneWord {
    /// Now.
    Recorded,
    /// Before: the same was said already.
    Already,
}

impl From<Done> for DoneWord {
    fn from(done: Done) -> Self {
        match done {
            Done::Recorded => Self::Recorded,
            Done::Already => Self::Already,
        }
    }
}

/// It is durable.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DoneView {
    /// Whether it was done now or before.
    pub status: DoneWord,
}

/// Outcomes of several duels.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OutcomesBody {
    /// At most 1000.
    #[schema(min_items = 1, max_items = 1000)]
    pub outcomes: Vec<DuelOutcome>,
}

/// The outcome of one of several duels: a word or a score, not both. One that breaks the rules is refused on its own.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DuelOutcome {
    /// The duel.
    pub duel: String,
    /// The outcome in a word.
    outcome: Option<OutcomeWord>,
    /// How much better the left one is, from -1 to 1.
    score: Option<f64>,
    /// Who says so: 1 to 200 characters.
    voter: Option<String>,
    /// When that was, by your clock, as RFC 3339 has it.
    time: Option<String>,
}

impl DuelOutcome {
    pub(super) fn split(self) -> (String, OutcomeBody) {
        let Self { duel, outcome, score, voter, time } = self;
        (duel, OutcomeBody { outcome, score, voter, time })
    }
}

/// What became of several outcomes, in their order.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct OutcomeResults {
    /// One for each.
    pub results: Vec<OutcomeResult>,
}

/// What became of one of several outcomes.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct OutcomeResult {
    /// The duel.
    pub duel: String,
    /// What became of it.
    pub status: ResultWord,
    /// Why it was refused, or is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub problem: Option<super::problem::Problem>,
}

/// What became of one of several outcomes.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ResultWord {
    /// It is durable.
    Recorded,
    /// The same was said already.
    Already,
    /// It was not taken.
    Refused,
    /// The store failed, and it is not known whether it was taken: say it again.
    Unknown,
}

/// Where a duel stands.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct DuelState {
    /// The duel.
    #[serde(flatten)]
    pub duel: DuelView,
    /// Where it stands.
    pub status: DuelStatus,
    /// Its outcome, from the viewpoint of what was shown on the left.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub outcome: Option<AnswerView>,
}

/// Where a duel stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum DuelStatus {
    /// It waits for an outcome.
    Open,
    /// It has one.
    Answered,
    /// It was given up.
    Expired,
    /// It was voided or skipped.
    Voided,
}

/// An outcome: a word or a score.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(untagged)]
pub(super) enum AnswerView {
    /// A word.
    Word(OutcomeWord),
    /// A score.
    Score(f64),
}

impl From<Answer> for AnswerView {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Left => Self::Word(OutcomeWord::Left),
            Answer::Right => Self::Word(OutcomeWord::Right),
            Answer::Tie => Self::Word(OutcomeWord::Tie),
            Answer::BothBad => Self::Word(OutcomeWord::BothBad),
            Answer::Skip => Self::Word(OutcomeWord::Skip),
            Answer::Score(outcome) => Self::Score(outcome.score()),
        }
    }
}

/// Votes to be voided.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct VoidBody {
    /// Whose.
    #[schema(min_length = 1, max_length = 200)]
    pub voter: String,
    /// Only those recorded from this moment on.
    #[schema(format = DateTime)]
    pub since: Option<String>,
    /// Only tell how many there are.
    #[serde(default)]
    pub dry_run: bool,
}

/// Votes that were voided, or would be.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct VoidView {
    /// How many votes the voter has that are not voided.
    pub found: usize,
    /// How many were voided now.
    pub voided: usize,
}

/// Where an experiment stands.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Standing {
    /// The experiment.
    #[schema(value_type = ExperimentId)]
    pub experiment: String,
    /// The last place of its log that is in this.
    pub seq: u64,
    /// Outcomes that count.
    pub votes: u64,
    /// What was counted in all.
    pub totals: TotalsView,
    /// The arm that the policy would bet on now. That is no verdict: it is there from the first vote on.
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
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ArmStanding {
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
    /// The probability that a slot of the next duel holds it; null where the policy cannot tell.
    #[schema(required = true)]
    pub probability: Option<f64>,
    /// Duels issued.
    duels: u64,
    /// Duels that wait for an outcome.
    in_flight: u64,
    /// Votes for it.
    wins: u64,
    /// Votes for the other.
    losses: u64,
    /// Equally good.
    ties: u64,
    /// Equally bad.
    both_bad: u64,
    /// Scores that are neither win, loss nor tie.
    graded: u64,
    /// Outcomes of duels with itself.
    self_duels: u64,
    /// Duels that were skipped.
    skipped: u64,
    /// Duels that were voided.
    voided: u64,
    /// Duels that expired without an outcome.
    unanswered: u64,
    /// Duels that expired without being shown, where that is minded.
    never_shown: u64,
}

impl ArmStanding {
    pub(super) fn new(index: usize, entry: &ArmEntry, probability: Option<f64>) -> Self {
        let ArmCounts {
            duels,
            in_flight,
            wins,
            losses,
            ties,
            both_bad,
            graded,
            self_duels,
            skipped,
            voided,
            unanswered,
            never_shown,
        } = entry.counts;
        Self {
            index,
            name: entry.arm.name.clone(),
            label: entry.arm.label.clone(),
            retired: entry.retired,
            probability,
            duels,
            in_flight,
            wins,
            losses,
            ties,
            both_bad,
            graded,
            self_duels,
            skipped,
            voided,
            unanswered,
            never_shown,
        }
    }
}

/// The votes of a pair of arms.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct PairStanding {
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
}

/// Which part of a standing.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct StandingQuery {
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
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct HistoryQuery {
    /// Go on behind this place; 0.
    #[param(nullable = false, minimum = 0, maximum = 4_611_686_018_427_387_903_u64)]
    pub after: Option<u64>,
    /// How many events at most; 100.
    #[param(nullable = false, minimum = 1, maximum = 1000)]
    pub limit: Option<u64>,
}

/// From where on a stream.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct StreamQuery {
    /// Begin behind this place; now. The header `Last-Event-ID` does the same.
    #[param(nullable = false, minimum = 0, maximum = 4_611_686_018_427_387_903_u64)]
    pub after: Option<u64>,
}

/// A fingerprint of an experiment's state.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DigestView {
    /// The last place of the log that is in it.
    pub seq: u64,
    /// SHA-256 of the state. Whoever folds the same log has the same.
    pub digest: String,
}

/// What a key is good for.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Scope)]
pub(super) enum ScopeWord {
    /// Everything, keys included.
    Admin,
    /// Experiments: making and changing them, duels, outcomes, reading.
    Writer,
    /// Duels and outcomes of one experiment.
    Voter,
    /// Reading.
    Reader,
}

impl From<ScopeWord> for Scope {
    fn from(word: ScopeWord) -> Self {
        match word {
            ScopeWord::Admin => Self::Admin,
            ScopeWord::Writer => Self::Writer,
            ScopeWord::Voter => Self::Voter,
            ScopeWord::Reader => Self::Reader,
        }
    }
}

impl From<Scope> for ScopeWord {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Admin => Self::Admin,
            Scope::Writer => Self::Writer,
            Scope::Voter => Self::Voter,
            Scope::Reader => Self::Reader,
        }
    }
}

/// A key to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyBody {
    /// What it is good for.
    pub scope: ScopeWord,
    /// The one experiment that it is good for; needed for `voter`.
    #[schema(value_type = Option<ExperimentId>)]
    pub experiment: Option<String>,
    /// Whose it is.
    #[schema(min_length = 1, max_length = 200)]
    pub label: Option<String>,
    /// From when on it is good for nothing.
    #[schema(format = DateTime)]
    pub expires_at: Option<String>,
}

/// A key, without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct KeyView {
    /// Its id.
    #[schema(value_type = KeyId)]
    pub id: String,
    /// What it is good for.
    pub scope: ScopeWord,
    /// The one experiment that it is good for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ExperimentId>, nullable = false)]
    pub experiment: Option<String>,
    /// Whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub label: Option<String>,
    /// When it was made.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// From when on it is good for nothing.
    #[schema(nullable = false, format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// When it was revoked.
    #[schema(nullable = false, format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<String>,
}

impl From<&Key> for KeyView {
    fn from(key: &Key) -> Self {
        Self {
            id: key.made.key.to_string(),
            scope: key.made.scope.into(),
            experiment: key.made.experiment.map(|id| id.to_string()),
            label: key.made.label.clone(),
            created_at: key.at.to_string(),
            expires_at: key.made.expires.map(|time| time.to_string()),
            revoked_at: key.revoked.map(|time| time.to_string()),
        }
    }
}

/// A key that was just made.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct NewKeyView {
    /// Its id.
    #[schema(value_type = KeyId)]
    pub id: String,
    /// The key itself. It is shown this once.
    pub key: String,
    /// What it is good for.
    pub scope: ScopeWord,
}

/// All keys.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct KeyList {
    /// The keys.
    pub keys: Vec<KeyView>,
}

/// The server lives.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Health {
    /// `ok`.
    pub status: &'static str,
    /// The server's version.
    pub version: &'static str,
}
