//! How policies stand at the end of their runs, in numbers.

use maud::{Markup, html};

use super::words;
use crate::results::Results;
use crate::summary::half_width;

/// The policies in one world at the end.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::reproduce) struct Standing {
    pub(super) world: String,
    pub(super) label: String,
    /// What regret is measured.
    pub(super) regret: String,
    pub(super) round: u64,
    /// By regret, least first.
    pub(super) places: Vec<Placed>,
}

/// One policy at the end.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Placed {
    pub(super) policy: String,
    pub(super) label: String,
    pub(super) mean: f64,
    /// Half the 95 % interval of the mean.
    pub(super) half_width: f64,
    pub(super) worst: f64,
    pub(super) accuracy: f64,
}

impl Standing {
    pub(super) fn mean_of(&self, policy: &str) -> Option<f64> {
        self.places.iter().find(|placed| placed.policy == policy).map(|placed| placed.mean)
    }
}

/// The standings in every world of some results.
pub(in crate::reproduce) fn standings(results: &Results) -> Vec<Standing> {
    let worlds = results.manifest.plan.worlds.iter();
    worlds
        .filter_map(|world| {
            let series: Vec<_> = results.series.iter().filter(|series| series.world == world.name).collect();
            let round = series.iter().filter_map(|series| series.checkpoints.last().copied()).max()?;
            let mut places: Vec<Placed> = series
                .into_iter()
                .filter(|series| series.checkpoints.last() == Some(&round))
                .filter_map(|series| {
                    let (summary, accuracy) = (series.regret(), series.accuracy());
                    Some(Placed {
                        policy: series.policy.clone(),
                        label: series.label.clone(),
                        mean: *summary.mean.last()?,
                        half_width: half_width(*summary.sem.last()?, series.runs.len()),
                        worst: *summary.max.last()?,
                        accuracy: accuracy.last()?.share(),
                    })
                })
                .collect();
            places.sort_by(|a, b| a.mean.total_cmp(&b.mean));
            let (world, label, regret) = (world.name.clone(), world.label.clone(), world.regret.clone());
            Some(Standing { world, label, regret, round, places })
        })
        .collect()
}

/// More rows than this are for a program: they are in `summary.csv`.
const MOST_WORLDS: usize = 3;

pub(super) fn table(standings: &[Standing]) -> Markup {
    if standings.is_empty()
        || standings.len() > MOST_WORLDS
        || standings.iter().any(|one| one.places.len() > 14)
    {
        return html! {};
    }
    html! {
        details {
            summary { "The numbers at the end" }
            @for standing in standings {
                div.scroll {
                    table {
                        caption { (standing.label) ", round " (words::count(standing.round)) ", " (standing.regret) " regret" }
                        thead { tr {
                            th { "policy" } th.number { "mean" } th.number { "95 % interval" } th.number { "worst run" }
                            th.number { "accuracy" }
                        } }
                        tbody {
                            @for placed in &standing.places {
                                tr {
                                    td { (placed.label) }
                                    td.number { (words::number(placed.mean)) }
                                    td.number {
                                        @if placed.half_width.is_finite() { "± " (words::number(placed.half_width)) } @else { "\u{2013}" }
                                    }
                                    td.number { (words::number(placed.worst)) }
                                    td.number { (words::percent(placed.accuracy)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
