//! The policies at the end of their runs, in numbers.

use maud::{Markup, html};

use super::text;
use crate::results::Results;
use crate::statistics::half_width;

/// The policies in one world at the end of the runs.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::reproduce) struct Ranking {
    pub(super) world: String,
    pub(super) label: String,
    /// The kind of regret.
    pub(super) regret: String,
    pub(super) round: u64,
    /// In ascending order of regret.
    pub(super) policies: Vec<RankedPolicy>,
}

/// One policy at the end of its runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RankedPolicy {
    pub(super) policy: String,
    pub(super) label: String,
    pub(super) mean: f64,
    /// Half the width of the 95 % interval of the mean.
    pub(super) half_width: f64,
    pub(super) worst: f64,
    pub(super) accuracy: f64,
}

impl Ranking {
    pub(super) fn mean_of(&self, policy: &str) -> Option<f64> {
        self.policies.iter().find(|placed| placed.policy == policy).map(|placed| placed.mean)
    }
}

/// The rankings of some results, one per world.
pub(in crate::reproduce) fn rankings(results: &Results) -> Vec<Ranking> {
    let worlds = results.manifest.plan.worlds.iter();
    worlds
        .filter_map(|world| {
            let series: Vec<_> = results.series.iter().filter(|series| series.world == world.name).collect();
            let round = series.iter().filter_map(|series| series.checkpoints.last().copied()).max()?;
            let mut policies: Vec<RankedPolicy> = series
                .into_iter()
                .filter(|series| series.checkpoints.last() == Some(&round))
                .filter_map(|series| {
                    let (summary, accuracy) = (series.regret(), series.accuracy());
                    Some(RankedPolicy {
                        policy: series.policy.clone(),
                        label: series.label.clone(),
                        mean: *summary.mean.last()?,
                        half_width: half_width(*summary.sem.last()?, series.runs.len()),
                        worst: *summary.max.last()?,
                        accuracy: accuracy.last()?.share(),
                    })
                })
                .collect();
            policies.sort_by(|a, b| a.mean.total_cmp(&b.mean));
            let (world, label, regret) = (world.name.clone(), world.label.clone(), world.regret.clone());
            Some(Ranking { world, label, regret, round, policies })
        })
        .collect()
}

/// With more worlds than this the table is left out; `summary.csv` has the numbers.
const MOST_WORLDS: usize = 3;

pub(super) fn table(rankings: &[Ranking]) -> Markup {
    if rankings.is_empty()
        || rankings.len() > MOST_WORLDS
        || rankings.iter().any(|one| one.policies.len() > 14)
    {
        return html! {};
    }
    html! {
        details {
            summary { "Numbers at the end of the runs" }
            @for ranking in rankings {
                div.scroll {
                    table {
                        caption { (ranking.label) ", round " (text::count(ranking.round)) ", " (ranking.regret) " regret" }
                        thead { tr {
                            th { "policy" } th.number { "mean" } th.number { "95 % interval" } th.number { "worst run" }
                            th.number { "accuracy" }
                        } }
                        tbody {
                            @for placed in &ranking.policies {
                                tr {
                                    td { (placed.label) }
                                    td.number { (text::number(placed.mean)) }
                                    td.number {
                                        @if placed.half_width.is_finite() { "± " (text::number(placed.half_width)) } @else { "\u{2013}" }
                                    }
                                    td.number { (text::number(placed.worst)) }
                                    td.number { (text::percent(placed.accuracy)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
