//! Where an experiment stands, and what happened.

use std::ops::Bound;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use tiltyard_bandit::Arm;

use super::Shared;
use super::auth::Caller;
use super::event::{EventView, History};
use super::experiments::{ask, blocking, first, page};
use super::extract::{Path, Query};
use super::problem::{Code, Problem, problems};
use super::segments::report;
use super::wire::{
    AlarmsView, ArmStanding, DigestView, ExperimentView, HistoryQuery, PairStanding, RatingsView, Standing,
    StandingQuery, VerdictView,
};
use crate::Arena;
use crate::domain::{ArmEntry, Experiment, PairEvidence, Record, Verdict};
use crate::id::ExperimentId;
use crate::key::Action;

/// The highest place a log can have; larger numbers do not fit the store.
pub(super) const LAST_PLACE: u64 = u64::MAX >> 2;

/// The standing of so many pairs is worked out without holding up other requests.
const QUICK_PAIRS: usize = 100;

problems!(StandingProblems = Invalid NoExperiment StoreUnavailable + ALWAYS);

/// See where an experiment stands.
#[utoipa::path(
    get, path = "/v1/experiments/{experiment}/standing", tag = "standing",
    params(ExperimentId, StandingQuery),
    responses(
        (status = 200, description = "The standing", body = Standing),
        StandingProblems,
    )
)]
pub(super) async fn standing(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    Query(query): Query<StandingQuery>,
) -> Result<Json<Standing>, Problem> {
    caller.may(Action::Read, Some(id))?;
    let from = first("arms_from", query.arms_from)?;
    let limit = page(query.limit)?;
    let after = query.pairs_after.as_deref().map(pair).transpose()?;
    let n_pairs = app.arena.view(id, |experiment| experiment.evidence().n_pairs())?;
    let look = move |arena: &Arena| {
        Ok(arena.view(id, |experiment| copy(experiment, from, after, limit))?.finish(from))
    };
    Ok(Json(ask(&app, id, n_pairs <= QUICK_PAIRS, look).await?))
}

/// A pair as `pairs_next` says it.
fn pair(text: &str) -> Result<(Arm, Arm), Problem> {
    let arm = |text: &str| text.parse::<u32>().ok().map(|index| Arm::new(index as usize));
    let pair = text.split_once('-').and_then(|(first, second)| Some((arm(first)?, arm(second)?)));
    pair.ok_or_else(|| {
        Problem::new(Code::Invalid, "`pairs_after` must be what `pairs_next` said, such as `0-3`")
    })
}

/// What the standing is worked out from, copied while the experiment's lock was held.
struct Copied {
    picture: Verdict,
    arms: Vec<(ArmEntry, Option<f64>)>,
    standing: Standing,
}

fn copy(experiment: &Experiment, from: usize, after: Option<(Arm, Arm)>, limit: usize) -> Copied {
    let probabilities = experiment.policy().probabilities();
    let probability = |index: usize| probabilities.as_ref().map(|probabilities| probabilities[index]);
    let entries = experiment.arms();
    let name = |arm: Arm| entries[arm.index()].arm.name.clone();
    let arms: Vec<_> = (from..entries.len().min(from.saturating_add(limit)))
        .map(|index| (entries[index].clone(), probability(index)))
        .collect();
    let end = from.saturating_add(arms.len());
    let evidence = experiment.evidence();
    let start = after.map_or(Bound::Unbounded, Bound::Excluded);
    let mut rest = experiment.pairs().range((start, Bound::Unbounded));
    let mut last = None;
    let pairs: Vec<PairStanding> = rest
        .by_ref()
        .take(limit)
        .map(|(&(first, second), counts)| {
            last = Some((first, second));
            let found = evidence.pair(first, second);
            let better = [(first, second), (second, first)].into_iter();
            PairStanding {
                first: name(first),
                second: name(second),
                votes: counts.votes(),
                first_wins: counts.first,
                second_wins: counts.second,
                ties: counts.ties,
                both_bad: counts.both_bad,
                graded: counts.graded,
                graded_sum: counts.graded_sum,
                in_flight: found.map_or(0, PairEvidence::waiting),
                rate: evidence.rate(first, second).into(),
                better: better
                    .clone()
                    .find(|&(one, other)| evidence.is_ahead(one, other))
                    .map(|(one, _)| name(one)),
            }
        })
        .collect();
    let more = rest.next().is_some();
    let picture = Verdict::in_detail(evidence, Arm::all(end).skip(from));
    let standing = Standing {
        experiment: experiment.id().to_string(),
        seq: experiment.seq(),
        votes: experiment.totals().votes,
        totals: ExperimentView::from(experiment).totals,
        leader: picture.leader().map(name),
        verdict: VerdictView::new(experiment, &picture),
        alarms: AlarmsView::new(experiment),
        recommended: name(experiment.policy().recommend()),
        arms_next: (!arms.is_empty() && end < entries.len()).then_some(end as u64),
        arms: Vec::new(),
        pairs_next: last.filter(|_| more).map(|(first, second)| format!("{first}-{second}")),
        pairs,
    };
    Copied { picture, arms, standing }
}

impl Copied {
    /// The intervals of arms take the longest.
    fn finish(self, from: usize) -> Standing {
        let arms = self.arms.iter().enumerate().map(|(place, (entry, probability))| {
            ArmStanding::new(from + place, entry, *probability, &self.picture)
        });
        Standing { arms: arms.collect(), ..self.standing }
    }
}

/// The most arms that are rated: the work grows with the square of their number.
const MOST_RATED: usize = 500;

problems!(RatingsProblems = Invalid NoExperiment StoreUnavailable + ALWAYS);

/// Put the arms on one scale (Bradley-Terry), or say why that cannot be.
#[utoipa::path(
    get, path = "/v1/experiments/{experiment}/ratings", tag = "standing",
    params(ExperimentId),
    responses(
        (status = 200, description = "The ratings", body = RatingsView),
        RatingsProblems,
    )
)]
pub(super) async fn ratings(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
) -> Result<Json<RatingsView>, Problem> {
    caller.may(Action::Read, Some(id))?;
    let permit = report(&app).await?;
    let arena = Arc::clone(&app.arena);
    let rate = move || {
        let _permit = permit;
        let copied = arena.view(id, |experiment| {
            let active = experiment.active().to_vec();
            (active.len() <= MOST_RATED).then(|| {
                let names: Vec<String> =
                    experiment.arms().iter().map(|entry| entry.arm.name.clone()).collect();
                (experiment.evidence().clone(), active, names, experiment.settings().confidence)
            })
        })?;
        Ok(copied.map(|(evidence, active, names, confidence)| {
            RatingsView::new(&evidence, &active, &names, confidence)
        }))
    };
    blocking(rate).await?.map(Json).ok_or_else(|| {
        Problem::new(
            Code::Invalid,
            format!("ratings are worked out for at most {MOST_RATED} arms: retire some"),
        )
    })
}

problems!(HistoryProblems = Invalid NoExperiment StoreUnavailable + ALWAYS);

/// Read what happened, from the log.
#[utoipa::path(
    get, path = "/v1/experiments/{experiment}/history", tag = "standing",
    params(ExperimentId, HistoryQuery),
    responses(
        (status = 200, description = "Some events, in order", body = History),
        HistoryProblems,
    )
)]
pub(super) async fn history(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
    Query(query): Query<HistoryQuery>,
) -> Result<Json<History>, Problem> {
    caller.may(Action::Read, Some(id))?;
    let limit = page(query.limit)?;
    let after = place(query.after)?;
    let arena = Arc::clone(&app.arena);
    let records = blocking(move || arena.history(id, after, limit)).await?;
    let next = (records.len() == limit).then(|| records.last().map(|record| record.seq)).flatten();
    Ok(Json(History { events: events(&app, id, &records)?, next }))
}

/// Records in the words of the API.
pub(super) fn events(app: &Shared, id: ExperimentId, records: &[Record]) -> Result<Vec<EventView>, Problem> {
    let events =
        |experiment: &Experiment| records.iter().map(|record| EventView::new(record, experiment)).collect();
    Ok(app.arena.view(id, events)?)
}

/// A place of a log.
pub(super) fn place(after: Option<u64>) -> Result<u64, Problem> {
    match after.unwrap_or(0) {
        after @ 0..=LAST_PLACE => Ok(after),
        after => Err(Problem::new(Code::Invalid, format!("`after` is {after}, and no log is that long"))),
    }
}

problems!(DigestProblems = NoExperiment StoreUnavailable + ALWAYS);

/// A fingerprint of an experiment's state, to compare with what `tiltyard verify` finds in a copy.
#[utoipa::path(
    get, path = "/v1/experiments/{experiment}/digest", tag = "standing",
    params(ExperimentId),
    responses(
        (status = 200, description = "The fingerprint", body = DigestView),
        DigestProblems,
    )
)]
pub(super) async fn digest(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<ExperimentId>,
) -> Result<Json<DigestView>, Problem> {
    caller.may(Action::Read, Some(id))?;
    let arena = Arc::clone(&app.arena);
    let (seq, digest) = blocking(move || arena.digest(id)).await?;
    Ok(Json(DigestView { seq, digest }))
}
