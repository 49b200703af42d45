//! The verdict in words, and the alarms. All front ends show this sentence.

use tiltyard_bandit::Arm;
use tiltyard_bandit::verdict::side;
use tiltyard_wire::{self as wire, VerdictStatus};

use crate::domain::{Estimate, Evidence, Experiment, Obstacle, Verdict, VotesNeeded};

/// The largest number of names in a list for people.
const SOME: usize = 100;

/// The largest probability of ever raising a false alarm for side bias.
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
            reason = "a number of votes is not negative, and a huge one is capped"
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
    // 0.95 is 95 %, and 0.999 is 99.9 %: no digit of the setting is lost.
    let percent = format!("{} %", (settings.confidence * 1e6).round() / 1e4);
    match (status, picture.leader(), picture.front_runner()) {
        (VerdictStatus::Leader, Some(leader), _) => {
            format!("\"{}\" is preferred to every other arm, with {percent} confidence.", name(leader))
        }
        (VerdictStatus::GoodEnough, ..) => {
            let margin = (settings.margin.unwrap_or(0.0) * 1e6).round() / 1e4;
            let good = picture.good_enough();
            let front = picture.front_runner().filter(|front| good.contains(front)).unwrap_or(good[0]);
            let name = name(front);
            format!(
                "\"{name}\" is good enough: no other arm is better by more than {margin} percentage points, with {percent} confidence."
            )
        }
        (.., None) if experiment.totals().votes == 0 => "There are no votes yet.".to_owned(),
        (.., None) => "No winner yet. No arm is ahead.".to_owned(),
        (.., Some(front)) => {
            let front = name(front);
            match picture.obstacle() {
                Some(Obstacle::Votes(needed)) => {
                    let wire::VotesNeeded { as_so_far, .. } = needed.into();
                    format!(
                        "No winner yet. \"{front}\" is ahead, and about {as_so_far} more votes would probably be enough to name a winner."
                    )
                }
                Some(Obstacle::Rival(rival)) => {
                    format!(
                        "No winner yet. \"{front}\" is ahead overall, but not in its direct duels with \"{}\".",
                        name(rival)
                    )
                }
                Some(Obstacle::Changed(rival)) => {
                    format!(
                        "No winner yet. \"{front}\" is ahead now, but earlier votes showed that \"{}\" is better.",
                        name(rival)
                    )
                }
                Some(Obstacle::Unmet) | None => {
                    format!(
                        "No winner yet. \"{front}\" is ahead, but has not been compared with every other arm."
                    )
                }
            }
        }
    }
}

/// The verdict that other evidence than the experiment's own would give.
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
    // Imported votes are left out: their sides may not have been drawn at random.
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
