//! The standing of an experiment, its ratings, its log and its digest.

use axum::Json;
use axum::extract::State;
use tiltyard_bandit::Arm;
use tiltyard_wire as wire;

use super::auth::Caller;
use super::convert;
use super::experiments::{first, page};
use super::extract::{Path, Query};
use super::problems::problems;
use crate::Arena;
use crate::app::{self, Problem, Shared, StandingPage, blocking, commit, report};
use crate::domain::Experiment;
use crate::id::ExperimentId;
use crate::key::Action;

/// The highest log position. Larger numbers do not fit the store.
pub(super) const LAST_PLACE: u64 = u64::MAX >> 2;

/// Computing the standing of up to this many pairs is fast enough for an async thread.
const QUICK_PAIRS: usize = 100;

problems!(StandingProblems = Invalid NoExperiment StoreUnavailable + ALWAYS);

/// Read the standing of an experiment.
#[utoipa::path(
    get, path = "/v1/experiments/{experiment}/standing", tag = "standing",
    params(wire::ExperimentId, wire::StandingQuery),
    responses(
        (status = 200, description = "The standing", body = wire::Standing),
        StandingProblems,
    )
)]
pub(super) async fn standing(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    Query(query): Query<wire::StandingQuery>,
) -> Result<Json<wire::Standing>, Problem> {
    caller.may(Action::Read, Some(id))?;
    let from = first("arms_from", query.arms_from)?;
    let limit = page(query.limit)?;
    let after = query.pairs_after.as_deref().map(pair).transpose()?;
    let is_small = |experiment: &Experiment| experiment.evidence().n_pairs() <= QUICK_PAIRS;
    let quick = app.arena.is_ready(id) && app.arena.peek(id, is_small)?;
    let look = move |arena: &Arena| {
        let page = arena.view(id, |experiment| StandingPage::copy(experiment, from, after, limit))?;
        Ok(page.map(StandingPage::finish))
    };
    Ok(Json(commit(&app, id, quick, look).await?))
}

/// Parses a pair in the format of `pairs_next`.
fn pair(text: &str) -> Result<(Arm, Arm), Problem> {
    let arm = |text: &str| text.parse::<u32>().ok().map(|index| Arm::new(index as usize));
    let pair = text.split_once('-').and_then(|(first, second)| Some((arm(first)?, arm(second)?)));
    pair.ok_or_else(|| Problem::invalid("`pairs_after` must be a value of `pairs_next`, such as `0-3`"))
}

/// The maximum number of arms to rate. The work grows with the square of their number.
const MOST_RATED: usize = 500;

problems!(RatingsProblems = Invalid NoExperiment StoreUnavailable + ALWAYS);

/// Rate the arms on one scale (Bradley-Terry), or read why that is not possible.
#[utoipa::path(
    get, path = "/v1/experiments/{experiment}/ratings", tag = "standing",
    params(wire::ExperimentId),
    responses(
        (status = 200, description = "The ratings", body = wire::Ratings),
        RatingsProblems,
    )
)]
pub(super) async fn ratings(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
) -> Result<Json<wire::Ratings>, Problem> {
    caller.may(Action::Read, Some(id))?;
    let permit = report(&app).await?;
    let rate = move |arena: &Arena| {
        let _permit = permit;
        let copied = arena.view(id, |experiment| {
            let active = experiment.active().to_vec();
            (active.len() <= MOST_RATED).then(|| {
                let names: Vec<String> =
                    experiment.arms().iter().map(|entry| entry.arm.name.clone()).collect();
                (experiment.evidence().clone(), active, names, experiment.settings().confidence)
            })
        })?;
        Ok(copied.map(|copied| {
            copied.map(|(evidence, active, names, confidence)| {
                app::ratings(&evidence, &active, &names, confidence)
            })
        }))
    };
    commit(&app, id, false, rate).await?.map(Json).ok_or_else(|| {
        Problem::invalid(format!("ratings are computed for at most {MOST_RATED} arms: retire some"))
    })
}

problems!(HistoryProblems = Invalid NoExperiment StoreUnavailable + ALWAYS);

/// Read the log of an experiment.
#[utoipa::path(
    get, path = "/v1/experiments/{experiment}/history", tag = "standing",
    params(wire::ExperimentId, wire::HistoryQuery),
    responses(
        (status = 200, description = "A page of events, in order", body = wire::History),
        HistoryProblems,
    )
)]
pub(super) async fn history(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    Query(query): Query<wire::HistoryQuery>,
) -> Result<Json<wire::History>, Problem> {
    caller.may(Action::Read, Some(id))?;
    let limit = page(query.limit)?;
    let after = place(query.after)?;
    let damage = app.arena.set_apart().into_iter().find(|apart| apart.id == id).map(|apart| apart.damage);
    let events = events(&app, id, after, limit).await?;
    let next = events.last().filter(|_| events.len() == limit).map(|event| event.seq);
    Ok(Json(wire::History { events, next, damage }))
}

/// Reads at most `most` records after a log position, as events of the API.
pub(super) async fn events(
    app: &Shared,
    id: ExperimentId,
    after: u64,
    most: usize,
) -> Result<Vec<wire::EventView>, Problem> {
    let read = move |arena: &Arena| {
        let records = arena.history(id, after, most)?;
        let events = |experiment: &Experiment| {
            records.iter().map(|record| convert::event(record, experiment)).collect()
        };
        match arena.sound_state(id)? {
            _ if records.is_empty() => Ok(Vec::new()),
            // Of a damaged experiment, the sound part has the names of the arms.
            Some(sound) => Ok(events(&sound)),
            None => arena.peek(id, events),
        }
    };
    blocking(app, read).await
}

/// Checks the log position after which to read.
pub(super) fn place(after: Option<u64>) -> Result<u64, Problem> {
    match after.unwrap_or(0) {
        after @ 0..=LAST_PLACE => Ok(after),
        after => Err(Problem::invalid(format!("`after` must be from 0 to {LAST_PLACE}, not {after}"))),
    }
}

problems!(DigestProblems = NoExperiment StoreUnavailable + ALWAYS);

/// Read a fingerprint of an experiment's state.
///
/// Compare it with the fingerprint that `tiltyard verify` finds in a copy of the data.
#[utoipa::path(
    get, path = "/v1/experiments/{experiment}/digest", tag = "standing",
    params(wire::ExperimentId),
    responses(
        (status = 200, description = "The fingerprint", body = wire::DigestView),
        DigestProblems,
    )
)]
pub(super) async fn digest(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
) -> Result<Json<wire::DigestView>, Problem> {
    caller.may(Action::Read, Some(id))?;
    let (seq, digest) = commit(&app, id, false, move |arena| arena.digest(id)).await?;
    let head = blocking(&app, move |arena| arena.head_at(id, seq)).await?;
    Ok(Json(wire::DigestView { seq, digest, head: head.hash.to_string() }))
}
