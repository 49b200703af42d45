//! The data of a dashboard, copied out of the experiment.

use std::collections::BTreeMap;

use tiltyard_bandit::Arm;
use tiltyard_wire::Standing;

use super::traffic::Traffic;
use super::{Sort, View};
use crate::app::summary;
use crate::domain::{
    ArmCounts, AuditEntry, Estimate, Experiment, MeanRates, PairCounts, Settings, Status, Verdict,
};
use crate::id::ExperimentId;
use crate::time::Time;

/// The number of arms on a page of the table.
pub(super) const ARMS_A_PAGE: usize = 50;

/// The largest number of arms in the heat map.
pub(super) const MOST_MAPPED: usize = 40;

/// The data of a dashboard.
pub(super) struct Report {
    pub(super) id: ExperimentId,
    pub(super) now: Time,
    pub(super) name: String,
    pub(super) created: Time,
    pub(super) status: Status,
    pub(super) policy: String,
    pub(super) is_elastic: bool,
    pub(super) has_rankers: bool,
    pub(super) settings: Settings,
    /// The same standing that the API and the command line show.
    pub(super) standing: Standing,
    /// The number of arms, including retired ones.
    pub(super) n_arms: usize,
    /// The number of arms that are not retired.
    pub(super) n_active: usize,
    /// The number of arms that match the search.
    pub(super) n_found: usize,
    /// The page of the table, counted from 1.
    pub(super) page: usize,
    pub(super) rows: Vec<Row>,
    /// Arms of the heat map, best first, with their names.
    pub(super) mapped: Vec<(Arm, String)>,
    /// The votes on pairs of these arms.
    pub(super) pairs: BTreeMap<(Arm, Arm), PairCounts>,
    pub(super) traffic: Traffic,
    pub(super) notes: Vec<(AuditEntry, String)>,
}

/// An arm in the table.
pub(super) struct Row {
    pub(super) arm: Arm,
    pub(super) name: String,
    pub(super) label: Option<String>,
    pub(super) retired: bool,
    pub(super) probability: Option<f64>,
    pub(super) counts: ArmCounts,
    pub(super) borda: Estimate,
}

/// A report whose intervals have not been computed yet.
pub(super) struct Copied {
    report: Report,
    picture: Verdict,
}

impl Report {
    pub(super) fn copy(experiment: &Experiment, view: &View, now: Time) -> Copied {
        let arms = experiment.arms();
        let name = |arm: Arm| arms[arm.index()].arm.name.clone();
        let probabilities = experiment.policy().probabilities();
        let probability = |arm: Arm| probabilities.as_ref().map(|all| all[arm.index()]);
        let ranked = rank(experiment.evidence().means());
        let active = ranked.iter().copied().filter(|arm| !arms[arm.index()].retired);
        let mapped: Vec<_> = active.take(MOST_MAPPED).map(|arm| (arm, name(arm))).collect();
        let all = order(ranked, experiment, view, probability);
        let n_found = all.len();
        let page = view.page.unwrap_or(1).clamp(1, n_found.div_ceil(ARMS_A_PAGE).max(1));
        let found: Vec<Arm> = all.into_iter().skip((page - 1) * ARMS_A_PAGE).take(ARMS_A_PAGE).collect();
        // Intervals are computed only for the arms on this page.
        let picture = Verdict::of(experiment.evidence(), found.iter().copied());
        let rows = found.into_iter().map(|arm| {
            let entry = &arms[arm.index()];
            Row {
                arm,
                name: entry.arm.name.clone(),
                label: entry.arm.label.clone(),
                retired: entry.retired,
                probability: probability(arm).filter(|_| !entry.retired),
                counts: entry.counts,
                borda: Estimate { estimate: None, low: 0.0, high: 1.0 },
            }
        });
        let notes = experiment.audit_log().iter().rev().cloned();
        let report = Self {
            id: experiment.id(),
            now,
            name: experiment.name().to_owned(),
            created: experiment.created(),
            status: experiment.status(),
            policy: experiment.policy().spec().to_string(),
            is_elastic: experiment.policy().capabilities().elastic,
            has_rankers: experiment.has_rankers(),
            settings: experiment.settings().clone(),
            standing: summary(experiment, &picture),
            n_arms: arms.len(),
            n_active: experiment.active().len(),
            n_found,
            page,
            rows: rows.collect(),
            pairs: pairs_of(experiment, &mapped),
            mapped,
            traffic: Traffic::copy(experiment.timeline(), arms.len(), name),
            notes: notes.map(|note| (note.clone(), note.words(name))).collect(),
        };
        Copied { report, picture }
    }
}

impl Copied {
    /// Computes the intervals, which takes the longest.
    pub(super) fn finish(self) -> Report {
        let Self { mut report, picture } = self;
        for row in &mut report.rows {
            row.borda = picture.borda(row.arm);
        }
        report
    }
}

/// All arms, best first according to the votes so far.
fn rank(means: &MeanRates) -> Vec<Arm> {
    let mut ranked: Vec<(f64, Arm)> =
        Arm::all(means.n_arms()).map(|arm| (means.rate(arm).unwrap_or(-1.0), arm)).collect();
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    ranked.into_iter().map(|(_, arm)| arm).collect()
}

/// The arms that match the search, in the order of the view.
fn order(
    mut ranked: Vec<Arm>,
    experiment: &Experiment,
    view: &View,
    probability: impl Fn(Arm) -> Option<f64>,
) -> Vec<Arm> {
    let arms = experiment.arms();
    let sought = view.find.trim().to_lowercase();
    if !sought.is_empty() {
        ranked.retain(|arm| {
            let entry = &arms[arm.index()].arm;
            let holds = |text: &str| text.to_lowercase().contains(&sought);
            holds(&entry.name) || entry.label.as_deref().is_some_and(holds)
        });
    }
    let key = |arm: Arm| -> f64 {
        let counts = &arms[arm.index()].counts;
        match view.sort {
            Sort::Best | Sort::Entered => 0.0,
            Sort::Chance => probability(arm).unwrap_or(0.0),
            Sort::Votes => {
                (counts.wins + counts.losses + counts.ties + counts.both_bad + counts.graded) as f64
            }
        }
    };
    match view.sort {
        Sort::Best => {}
        Sort::Entered => ranked.sort_unstable(),
        Sort::Chance | Sort::Votes => ranked.sort_by(|one, other| key(*other).total_cmp(&key(*one))),
    }
    // Retired arms come last.
    ranked.sort_by_key(|arm| arms[arm.index()].retired && view.sort != Sort::Entered);
    ranked
}

/// The votes on all pairs of these arms.
fn pairs_of(experiment: &Experiment, mapped: &[(Arm, String)]) -> BTreeMap<(Arm, Arm), PairCounts> {
    let mut pairs = BTreeMap::new();
    for (place, &(one, _)) in mapped.iter().enumerate() {
        for &(other, _) in &mapped[place + 1..] {
            let key = (one.min(other), one.max(other));
            if let Some(counts) = experiment.pairs().get(&key) {
                pairs.insert(key, *counts);
            }
        }
    }
    pairs
}
