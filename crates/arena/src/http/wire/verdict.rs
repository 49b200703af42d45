//! What the votes say, as it travels.

use serde::Serialize;
use utoipa::ToSchema;

use tiltyard_bandit::Arm;
use tiltyard_bandit::verdict::{Bounds, ELO, RatingsError, side};

use crate::domain::{Estimate, Evidence, Experiment, Obstacle, Verdict, VotesNeeded};

/// The most names in a list that is there to be looked at.
const SOME: usize = 100;

/// How sure an alarm is.
const ALARM: f64 = 0.01;

/// A number, and the range in which it lies with the confidence of the experiment.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[schema(as = Estimate)]
pub(crate) struct EstimateView {
    /// The best guess; null without votes.
    #[schema(required = true)]
    pub estimate: Option<f64>,
    /// The least it can be.
    pub low: f64,
    /// The most it can be.
    pub high: f64,
}

impl From<Estimate> for EstimateView {
    fn from(Estimate { estimate, low, high }: Estimate) -> Self {
        Self { estimate, low, high }
    }
}

/// What the votes say so far. It holds however often one looks, and whatever the policy does.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Verdict)]
pub(crate) struct VerdictView {
    /// Whether there is one.
    pub status: VerdictWord,
    /// In a sentence.
    pub words: String,
    /// How sure a verdict is.
    pub confidence: f64,
    /// Differences up to this do not matter.
    #[schema(required = true)]
    pub margin: Option<f64>,
    /// The arm that is ahead for now, however little that means.
    #[schema(required = true)]
    pub front_runner: Option<String>,
    /// Arms that are worse than none of the others by more than the margin: some of them, if many.
    pub good_enough: Vec<String>,
    /// How many more votes would likely make the front runner the leader; null where that cannot be told.
    #[schema(required = true)]
    pub votes_needed: Option<NeededView>,
}

impl VerdictView {
    pub(crate) fn new(experiment: &Experiment, picture: &Verdict) -> Self {
        let name = |arm: Arm| experiment.arms()[arm.index()].arm.name.clone();
        let settings = experiment.settings();
        let status = match picture.leader() {
            Some(_) => VerdictWord::Leader,
            None if settings.margin.is_some() && !picture.good_enough().is_empty() => VerdictWord::GoodEnough,
            None => VerdictWord::Undecided,
        };
        Self {
            status,
            words: words(experiment, picture, status),
            confidence: settings.confidence,
            margin: settings.margin,
            front_runner: picture.front_runner().map(name),
            good_enough: picture.good_enough().iter().take(SOME).copied().map(name).collect(),
            votes_needed: picture.needed().map(NeededView::from),
        }
    }
}

/// The verdict in a sentence.
fn words(experiment: &Experiment, picture: &Verdict, status: VerdictWord) -> String {
    let name = |arm: Arm| &experiment.arms()[arm.index()].arm.name;
    let settings = experiment.settings();
    // 0.95 is 95 %, and 0.999 is 99.9 %: as many digits as were said.
    let percent = format!("{} %", (settings.confidence * 1e6).round() / 1e4);
    match (status, picture.leader(), picture.front_runner()) {
        (VerdictWord::Leader, Some(leader), _) => {
            format!("{} is preferred to every other arm, with {percent} confidence.", name(leader))
        }
        (VerdictWord::GoodEnough, ..) => {
            let margin = settings.margin.unwrap_or(0.0);
            let good = picture.good_enough();
            let front = picture.front_runner().filter(|front| good.contains(front)).unwrap_or(good[0]);
            let name = name(front);
            format!("{name} is worse than no other arm by more than {margin}, with {percent} confidence.")
        }
        (.., None) if experiment.totals().votes == 0 => "There are no votes yet.".to_owned(),
        (.., None) => "Undecided: no arm is ahead.".to_owned(),
        (.., Some(front)) => {
            let front = name(front);
            match picture.obstacle() {
                Some(Obstacle::Votes(needed)) => {
                    let NeededView { as_so_far, .. } = needed.into();
                    format!(
                        "Undecided: {front} is ahead, and some {as_so_far} more votes would likely settle it."
                    )
                }
                Some(Obstacle::Rival(rival)) => {
                    format!("Undecided: {front} is ahead, but not of {}.", name(rival))
                }
                Some(Obstacle::Changed(rival)) => {
                    format!("Undecided: {front} is ahead, but {} was preferred to it before.", name(rival))
                }
                Some(Obstacle::Unmet) | None => {
                    format!("Undecided: {front} is ahead, and was not yet compared with every other arm.")
                }
            }
        }
    }
}

/// Whether there is a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = VerdictStatus)]
pub(crate) enum VerdictWord {
    /// Not yet.
    Undecided,
    /// One arm is better than every other.
    Leader,
    /// At least one arm is worse than no other by more than the margin.
    GoodEnough,
}

/// How many more votes would likely decide.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[schema(as = VotesNeeded)]
pub(crate) struct NeededView {
    /// If all of them are of pairs of the front runner that are not decided yet.
    pub at_best: u64,
    /// If votes go to pairs as they have so far.
    pub as_so_far: u64,
}

impl From<VotesNeeded> for NeededView {
    fn from(VotesNeeded { at_best, as_so_far }: VotesNeeded) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of votes is not negative, and an enormous one is cut"
        )]
        let whole = |votes: f64| votes.ceil() as u64;
        Self { at_best: whole(at_best), as_so_far: whole(as_so_far) }
    }
}

/// Signs that the votes cannot be taken at their word.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Alarms)]
pub(crate) struct AlarmsView {
    /// Whether people favour a side. Sides are tossed, so that without a favourite either gets half of the votes.
    pub side: SideView,
    /// Pairs whose preference seems to have changed: verdicts are for preferences that stay. Some of them, if many.
    pub drift: Vec<DriftView>,
}

impl AlarmsView {
    pub(crate) fn new(experiment: &Experiment) -> Self {
        let name = |arm: Arm| experiment.arms()[arm.index()].arm.name.clone();
        let totals = experiment.totals();
        // Nobody knows whether the sides of imported votes were tossed.
        let left = totals.left - totals.imported_left;
        let right = totals.right - totals.imported_right;
        let side = side(left as f64, right as f64, ALARM);
        let estimate = (left + right > 0).then_some(side.share);
        let drift = experiment.evidence().changed().take(SOME);
        Self {
            side: SideView {
                alarm: side.alarm,
                left: EstimateView { estimate, low: side.interval.low, high: side.interval.high },
            },
            drift: drift
                .map(|(first, second)| DriftView { first: name(first), second: name(second) })
                .collect(),
        }
    }
}

/// Whether people favour a side.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SideBias)]
pub(crate) struct SideView {
    /// Whether they do, with 99 % confidence at all times.
    pub alarm: bool,
    /// The share of votes for what is shown on the left, among votes for a side.
    pub left: EstimateView,
}

/// A pair whose preference seems to have changed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Drift)]
pub(crate) struct DriftView {
    /// The one that came in first.
    pub first: String,
    /// The other.
    pub second: String,
}

/// Arms on one scale.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Ratings)]
pub(crate) struct RatingsView {
    /// Whether there is such a scale.
    pub status: RatingsWord,
    /// The same in a sentence.
    pub words: String,
    /// How sure the limits are, all of them together and at all times, if the model holds.
    pub confidence: f64,
    /// Arms that are not retired, best first; none if there is no scale.
    pub arms: Vec<RatingView>,
}

/// Whether arms can be put on one scale.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RatingsStatus)]
pub(crate) enum RatingsWord {
    /// They are.
    Rated,
    /// They are, and the votes contradict it: no such scale can be true.
    Contradicted,
    /// They are, and are too many for limits.
    WithoutLimits,
    /// Not all arms are connected by votes.
    Apart,
    /// Some arms never lost a vote to the others.
    Unbeaten,
}

/// An arm on the scale.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Rating)]
pub(crate) struct RatingView {
    /// How the API calls it.
    pub name: String,
    /// The natural logarithm of its strength; all of them have mean 0.
    pub rating: f64,
    /// The same on the scale of Elo, on which 400 points are odds of 10 to 1; the mean is 1500.
    pub elo: f64,
    /// The least that the rating can be; null where limits mean nothing.
    #[schema(required = true)]
    pub low: Option<f64>,
    /// The most that it can be.
    #[schema(required = true)]
    pub high: Option<f64>,
}

impl RatingsView {
    pub(crate) fn new(evidence: &Evidence, active: &[Arm], names: &[String], confidence: f64) -> Self {
        let list = |arms: &[Arm]| {
            let names: Vec<_> = arms.iter().take(5).map(|arm| names[arm.index()].as_str()).collect();
            let more = if arms.len() > 5 { ", ..." } else { "" };
            format!("{}{more}", names.join(", "))
        };
        let nothing = |status, words| Self { status, words, confidence, arms: Vec::new() };
        let rated = match evidence.ratings(active) {
            Ok(rated) => rated,
            Err(RatingsError::Apart { apart }) => {
                let words = format!(
                    "No votes connect {} with the other arms: there is no common scale yet.",
                    list(&apart)
                );
                return nothing(RatingsWord::Apart, words);
            }
            Err(RatingsError::Unbeaten { unbeaten }) => {
                let words = format!(
                    "{} never lost a vote to the other arms: no finite rating is high enough.",
                    list(&unbeaten)
                );
                return nothing(RatingsWord::Unbeaten, words);
            }
        };
        let (status, words, limits) = match rated.bounds {
            Bounds::Intervals(limits) => {
                let words = "Limits hold at all times if one scale explains the votes; the votes do not contradict that.";
                (RatingsWord::Rated, words, Some(limits))
            }
            Bounds::Contradicted => {
                let words = "The votes contradict every such scale, for example by going in circles: ratings are a summary and no more.";
                (RatingsWord::Contradicted, words, None)
            }
            Bounds::TooManyArms { .. } => {
                (RatingsWord::WithoutLimits, "There are too many arms to find limits for.", None)
            }
        };
        let mut arms: Vec<_> = active
            .iter()
            .zip(&rated.ratings)
            .enumerate()
            .map(|(place, (arm, &rating))| RatingView {
                name: names[arm.index()].clone(),
                rating,
                elo: 1500.0 + ELO * rating,
                low: limits.as_ref().map(|limits| limits[place].low),
                high: limits.as_ref().map(|limits| limits[place].high),
            })
            .collect();
        arms.sort_by(|one, other| other.rating.total_cmp(&one.rating));
        Self { status, words: words.to_owned(), confidence, arms }
    }
}
