//! The segments of an experiment, and its voters. Both routes read the whole log.

use axum::Json;
use axum::extract::State;
use tiltyard_bandit::Arm;
use tiltyard_wire as wire;

use super::auth::Caller;
use super::experiments::page;
use super::extract::{Path, Query, field};
use super::problems::problems;
use crate::app::{Problem, Shared, blocking, commit, report};
use crate::domain::{Agreement, Experiment, Segment, Segments, Verdict};
use crate::id::ExperimentId;
use crate::key::Action;
use crate::time::Time;
use crate::{Arena, ArenaError};

problems!(SegmentsProblems = Invalid NoExperiment StoreUnavailable + ALWAYS);

/// Read the standing of segments: by a key of the duels' contexts, by time, or both.
#[utoipa::path(
    get, operation_id = "read_segments", path = "/v1/experiments/{experiment}/segments", tag = "standing",
    params(wire::ExperimentId, wire::SegmentsQuery),
    responses(
        (status = 200, description = "The segments", body = wire::SegmentList),
        SegmentsProblems,
    )
)]
pub(super) async fn segments(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    Query(query): Query<wire::SegmentsQuery>,
) -> Result<Json<wire::SegmentList>, Problem> {
    caller.may(Action::Read, Some(id))?;
    let limit = page(query.limit)?;
    let since: Option<Time> = field("since", query.since.as_deref())?;
    let until: Option<Time> = field("until", query.until.as_deref())?;
    let key = query.key;
    if key.as_ref().is_some_and(|key| !(1..=200).contains(&key.chars().count())) {
        return Err(Problem::invalid("`key` must have 1 to 200 characters"));
    }
    if key.is_none() && query.value.is_some() {
        return Err(Problem::invalid("`value` needs a `key`"));
    }
    let value = query.value;
    let permit = report(&app).await?;
    let list = move |arena: &Arena| {
        // Held until the log is read, even if nobody waits for the response any more.
        let _permit = permit;
        let view = arena.view(id, |experiment| {
            (Outline::new(experiment), Segments::new(experiment.evidence(), key.as_deref(), since, until))
        })?;
        let ((outline, mut segments), durable) = view.split();
        arena.ballots(id, &mut |step| {
            segments.push(&step);
            true
        })?;
        Ok(durable.map(|()| outline.list(&segments, value.as_deref(), limit)))
    };
    Ok(Json(commit(&app, id, false, list).await?))
}

/// The parts of an experiment that a report needs. They are copied at its start, because arms may
/// be added while the report reads the log.
struct Outline {
    id: ExperimentId,
    confidence: f64,
    active: Vec<Arm>,
    names: Vec<String>,
}

impl Outline {
    fn new(experiment: &Experiment) -> Self {
        Self {
            id: experiment.id(),
            confidence: experiment.settings().confidence,
            active: experiment.active().to_vec(),
            names: experiment.arms().iter().map(|entry| entry.arm.name.clone()).collect(),
        }
    }

    fn name(&self, arm: Arm) -> String {
        self.names[arm.index()].clone()
    }

    fn list(&self, segments: &Segments, value: Option<&str>, limit: usize) -> wire::SegmentList {
        let mut order: Vec<_> = segments.segments().iter().enumerate().collect();
        order.retain(|(_, segment)| value.is_none() || segment.value.as_deref() == value);
        order.sort_by_key(|(place, segment)| (core::cmp::Reverse(segment.votes), *place));
        let view = |(place, segment): (usize, &Segment)| {
            let evidence = segment.evidence();
            let picture = Verdict::in_detail(&evidence, self.active.iter().copied().take(limit));
            let arms = self.active.iter().take(limit).map(|&arm| {
                let tally = picture.tally(arm);
                wire::SegmentArm {
                    name: self.name(arm),
                    votes: tally.votes,
                    wins: tally.wins,
                    losses: tally.losses,
                    borda: picture.borda(arm).into(),
                }
            });
            wire::Segment {
                value: segment.value.clone(),
                votes: segment.votes,
                leader: picture.leader().map(|arm| self.name(arm)),
                leader_together: Segments::leader_together(place, &evidence).map(|arm| self.name(arm)),
                front_runner: picture.front_runner().map(|arm| self.name(arm)),
                arms: arms.collect(),
            }
        };
        wire::SegmentList {
            experiment: self.id.to_string(),
            confidence: self.confidence,
            n_segments: segments.segments().len(),
            lumped: segments.lumped(),
            segments: order.into_iter().take(limit).map(view).collect(),
        }
    }
}

problems!(VotersProblems = Invalid NoExperiment StoreUnavailable + ALWAYS);

/// Read how far each voter agrees with the others. Those who stand out come first.
#[utoipa::path(
    get, operation_id = "read_voters", path = "/v1/experiments/{experiment}/voters", tag = "standing",
    params(wire::ExperimentId, wire::VotersQuery),
    responses(
        (status = 200, description = "The voters", body = wire::VoterList),
        VotersProblems,
    )
)]
pub(super) async fn voters(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    Query(query): Query<wire::VotersQuery>,
) -> Result<Json<wire::VoterList>, Problem> {
    caller.may(Action::Read, Some(id))?;
    let limit = page(query.limit)?;
    let only = query.voter;
    let permit = report(&app).await?;
    let list = move |arena: &Arena| -> Result<wire::VoterList, ArenaError> {
        let _permit = permit;
        let mut agreement = Agreement::default();
        arena.ballots(id, &mut |step| {
            agreement.push(&step);
            true
        })?;
        let voters = agreement.voters();
        Ok(wire::VoterList {
            experiment: id.to_string(),
            n_voters: voters.len(),
            nameless: agreement.nameless(),
            voters: voters
                .into_iter()
                .filter(|standing| only.as_ref().is_none_or(|only| standing.voter == *only))
                .take(limit)
                .map(wire::Voter::from)
                .collect(),
        })
    };
    Ok(Json(blocking(&app, list).await?))
}
