//! Records of a log as events of the API.

use core::time::Duration;

use tiltyard_bandit::Arm;
use tiltyard_wire::{ApprenticeEvent, EventView};

use super::{outcome, propensity, ranking, shown};
use crate::domain::{ApprenticeChanged, ClosedDuel, DrawnDuel, Event, Experiment, Record};

/// Converts a record to an event of the API, without the secret needed to answer a duel.
pub(in crate::http) fn event(record: &Record, experiment: &Experiment) -> EventView {
    let name = |arm: Arm| experiment.arms().get(arm.index()).map(|entry| entry.arm.name.clone());
    let view = EventView {
        seq: record.seq,
        at: record.at.to_string(),
        kind: record.event.kind().word().to_owned(),
        duel: record.event.duel(),
        ..EventView::default()
    };
    let sides = |open: &DrawnDuel, view: EventView| {
        let (left, right) = open.sides();
        EventView { left: name(left), right: name(right), ..view }
    };
    match &record.event {
        Event::Created(created) => EventView {
            arms: Some(created.arms.iter().map(|arm| arm.name.clone()).collect()),
            name: Some(created.name.clone()),
            policy: Some(created.policy.clone()),
            ..view
        },
        Event::Changed(changed) => EventView {
            status: Some(changed.status.into()),
            by_verdict: changed.by_verdict.then_some(true),
            ..view
        },
        Event::ArmsAdded(added) => {
            EventView { arms: Some(added.arms.iter().map(|arm| arm.name.clone()).collect()), ..view }
        }
        Event::ArmRetired(changed) | Event::ArmRestored(changed) => {
            EventView { arm: name(Arm::new(changed.arm as usize)), ..view }
        }
        Event::Issued(issued) => sides(
            &issued.drawn,
            EventView {
                duel: Some(record.seq),
                propensity: Some(propensity(&issued.drawn)),
                holdout: Some(issued.drawn.holdout),
                aa: issued.drawn.aa.then_some(true),
                expires_at: Some(issued.drawn.expires.to_string()),
                context: issued.context(),
                client_id: issued.client.clone(),
                slate: issued.slate.as_ref().map(|slate| shown(experiment, slate)),
                ..view
            },
        ),
        Event::Answered(answered) => EventView {
            outcome: outcome(answered.answer),
            ranked: answered.ranked.as_ref().map(|ranked| ranking(experiment, &ranked.ranking)),
            clicks: answered.clicks.clone(),
            voter: answered.voter.as_ref().map(ToString::to_string),
            time: answered.said.map(|time| time.to_string()),
            late: answered.late.map(|_| true),
            ..view
        },
        Event::Voided(voided) => match &voided.past {
            Some(ClosedDuel { drawn, answer, slate, ranked, .. }) => sides(
                drawn,
                EventView {
                    outcome: answer.and_then(outcome),
                    slate: slate.as_ref().map(|slate| shown(experiment, slate)),
                    ranked: ranked.as_ref().map(|ranked| ranking(experiment, &ranked.ranking)),
                    ..view
                },
            ),
            None => view,
        },
        Event::Interleaved(event) => EventView {
            method: Some(event.method.clone()),
            documents: Some(event.list.documents().to_vec()),
            alone: Some(event.alone),
            ..view
        },
        Event::Apprentice(changed) => {
            let (word, policy) = match changed {
                ApprenticeChanged::Began { policy, .. } => (ApprenticeEvent::Began, Some(policy.clone())),
                ApprenticeChanged::Dismissed => (ApprenticeEvent::Dismissed, None),
                ApprenticeChanged::TookOver => (ApprenticeEvent::TookOver, None),
            };
            EventView { apprentice: Some(word), policy, ..view }
        }
        Event::Imported(imported) => EventView {
            client_id: Some(imported.client.clone()),
            source: Some(imported.source.clone()),
            votes: Some(imported.votes.len()),
            ..view
        },
        Event::ImportVoided(voided) => {
            EventView { duel: None, import: Some(voided.import), votes: Some(voided.votes.len()), ..view }
        }
        Event::Repaired(repaired) => EventView { lost: Some(repaired.lost), ..view },
        Event::Extended(extended) => EventView { extended_by: Some(seconds(extended.by)), ..view },
        Event::Shown(_) | Event::Expired(_) | Event::KeyMade(_) | Event::KeyRevoked(_) => view,
    }
}

/// Microseconds in seconds.
fn seconds(micros: u64) -> f64 {
    Duration::from_micros(micros).as_secs_f64()
}
