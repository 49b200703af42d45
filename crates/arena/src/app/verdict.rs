//! What the votes say, in words: the one place that decides what is said.

use tiltyard_bandit::Arm;
use tiltyard_bandit::verdict::side;
use tiltyard_wire::{self as wire, VerdictStatus};

use crate::domain::{Estimate, Evidence, Experiment, Obstacle, Verdict, VotesNeeded};

/// The most names in a list that is there to be looked at.
const SOME: usize = 100;

/// How sure an alarm is.
const ALARM: f64 = 0.01;

impl From<Estimate> for wire::Estimate {
    fn from(Estimate { estimate, low, high }: Estimate) -> Self {
        Self { estimate, low, high }
    }
}

impl From<VotesNeeded> for wire::VotesNeeded {
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

pub(super) fn verdict(experiment: &Experiment, picture: &Verdict) -> wire::Verdict {
    let name = |arm: Arm| experiment.arms()[arm.index()].arm.name.clone();
    let settings = experiment.settings();
    let status = match picture.leader() {
        Some(_) => VerdictStatus::Leader,
        None if settings.margin.is_some() && !picture.good_enough().is_empty() => VerdictStatus::GoodEnough,
        None => VerdictStatus::Undecided,
    };
    wire::Verdict {
        status,
        words: words(experiment, picture, status),
        confidence: settings.confidence,
        margin: settings.margin,
        front_runner: picture.front_runner().map(name),
        good_enough: picture.good_enough().iter().take(SOME).copied().map(name).collect(),
        votes_needed: picture.needed().map(Into::into),
    }
}

/// The verdict in a sentence.
fn words(experiment: &Experiment, picture: &Verdict, status: VerdictStatus) -> String {
    let name = |arm: Arm| &experiment.arms()[arm.index()].arm.name;
    let settings = experiment.settings();
    // 0.95 is 95 %, and 0.999 is 99.9 %: as many digits as were said.
    let percent = format!("{} %", (settings.confidence * 1e6).round() / 1e4);
    match (status, picture.leader(), picture.front_runner()) {
        (VerdictStatus::Leader, Some(leader), _) => {
            format!("{} is preferred to every other arm, with {percent} confidence.", name(leader))
        }
        (VerdictStatus::GoodEnough, ..) => {
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
                    let wire::VotesNeeded { as_so_far, .. } = needed.into();
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

/// The verdict with other evidence than the experiment has.
pub(crate) fn effect(experiment: &Experiment, evidence: &Evidence) -> wire::Effect {
    let name = |arm: Arm| experiment.arms()[arm.index()].arm.name.clone();
    let picture = Verdict::of(evidence, []);
    wire::Effect {
        leader: picture.leader().map(name),
        front_runner: picture.front_runner().map(name),
        votes_needed: picture.needed().map(Into::into),
    }
}

pub(super) fn alarms(experiment: &Experiment) -> wire::Alarms {
    let name = |arm: Arm| experiment.arms()[arm.index()].arm.name.clone();
    let totals = experiment.totals();
    // Nobody knows whether the sides of imported votes were tossed.
    let left = totals.left - totals.imported_left;
    let right = totals.right - totals.imported_right;
    let side = side(left as f64, right as f64, ALARM);
    let estimate = (left + right > 0).then_some(side.share);
    let drift = experiment.evidence().changed().take(SOME);
    wire::Alarms {
        side: wire::SideBias {
            alarm: side.alarm,
            left: wire::Estimate { estimate, low: side.interval.low, high: side.interval.high },
        },
        drift: drift
            .map(|(first, second)| wire::Drift { first: name(first), second: name(second) })
            .collect(),
    }
}
