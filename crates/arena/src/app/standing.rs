//! The standing of an experiment. It is assembled here; the API, the pages and the command line
//! show it.

use std::ops::Bound;

use tiltyard_bandit::Arm;
use tiltyard_wire::{self as wire, Standing};

use super::verdict::{alarms, verdict};
use crate::domain::{ArmCounts, ArmEntry, Experiment, PairEvidence, Totals, Verdict};

/// The standing without the lists of arms and pairs.
pub(crate) fn summary(experiment: &Experiment, picture: &Verdict) -> Standing {
    let name = |arm: Arm| experiment.arms()[arm.index()].arm.name.clone();
    Standing {
        experiment: experiment.id().to_string(),
        seq: experiment.seq(),
        votes: experiment.totals().votes,
        totals: totals(experiment),
        leader: picture.leader().map(name),
        verdict: verdict(experiment, picture),
        alarms: alarms(experiment),
        recommended: name(experiment.policy().recommend()),
        arms: Vec::new(),
        arms_next: None,
        pairs: Vec::new(),
        pairs_next: None,
    }
}

/// The counts of an experiment.
pub(crate) fn totals(experiment: &Experiment) -> wire::TotalsView {
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
    } = *experiment.totals();
    let aa = experiment.aa();
    wire::TotalsView {
        duels,
        in_flight: experiment.n_in_flight(),
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
        aa: wire::AaView { left: aa.left, right: aa.right, ties: aa.ties },
        imported,
        rankings,
    }
}

/// A page of a standing, copied while the experiment is locked.
pub(crate) struct StandingPage {
    picture: Verdict,
    arms: Vec<(Arm, ArmEntry, Option<f64>)>,
    standing: Standing,
}

impl StandingPage {
    /// Copies the arms from index `from` on and the pairs after `after`, at most `limit` of each.
    pub(crate) fn copy(
        experiment: &Experiment,
        from: usize,
        after: Option<(Arm, Arm)>,
        limit: usize,
    ) -> Self {
        let probabilities = experiment.policy().probabilities();
        let probability = |arm: Arm| probabilities.as_ref().map(|probabilities| probabilities[arm.index()]);
        let entries = experiment.arms();
        let end = entries.len().min(from.saturating_add(limit));
        let arms: Vec<_> = Arm::all(end)
            .skip(from)
            .map(|arm| (arm, entries[arm.index()].clone(), probability(arm)))
            .collect();
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut rest = experiment.pairs().range((start, Bound::Unbounded)).map(|(&pair, _)| pair);
        let pairs: Vec<_> = rest.by_ref().take(limit).collect();
        let more = rest.next().is_some();
        let picture = Verdict::in_detail(experiment.evidence(), arms.iter().map(|(arm, ..)| *arm));
        let standing = Standing {
            arms_next: (!arms.is_empty() && end < entries.len()).then_some(end as u64),
            pairs_next: pairs.last().filter(|_| more).map(|(first, second)| format!("{first}-{second}")),
            pairs: pairs.into_iter().map(|(first, second)| pair(experiment, first, second)).collect(),
            ..summary(experiment, &picture)
        };
        Self { picture, arms, standing }
    }

    /// Computes the intervals of the arms, which takes the longest.
    pub(crate) fn finish(self) -> Standing {
        let Self { picture, arms, standing } = self;
        let arms = arms.iter().map(|(arm, entry, probability)| line(*arm, entry, *probability, &picture));
        Standing { arms: arms.collect(), ..standing }
    }
}

fn line(arm: Arm, entry: &ArmEntry, probability: Option<f64>, picture: &Verdict) -> wire::ArmStanding {
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
    wire::ArmStanding {
        index: arm.index(),
        name: entry.arm.name.clone(),
        label: entry.arm.label.clone(),
        retired: entry.retired,
        probability,
        borda: picture.borda(arm).into(),
        copeland: picture.copeland(arm).into(),
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

fn pair(experiment: &Experiment, first: Arm, second: Arm) -> wire::PairStanding {
    let name = |arm: Arm| experiment.arms()[arm.index()].arm.name.clone();
    let (evidence, counts) = (experiment.evidence(), experiment.pairs()[&(first, second)]);
    wire::PairStanding {
        first: name(first),
        second: name(second),
        votes: counts.votes(),
        first_wins: counts.first,
        second_wins: counts.second,
        ties: counts.ties,
        both_bad: counts.both_bad,
        graded: counts.graded,
        graded_sum: counts.graded_sum,
        in_flight: evidence.pair(first, second).map_or(0, PairEvidence::waiting),
        rate: evidence.rate(first, second).into(),
        better: [(first, second), (second, first)]
            .into_iter()
            .find(|&(one, other)| evidence.is_ahead(one, other))
            .map(|(one, _)| name(one)),
    }
}
