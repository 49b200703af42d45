//! Tables of the results at the end of the runs.

use maud::{Markup, html};

use super::picture::subset;
use super::run_page::RunPage;
use super::view::View;
use crate::format::{count, number, percent};
use crate::results::Series;
use crate::statistics::half_width;

/// The result of a policy in a world.
struct Row<'a> {
    run: &'a str,
    series: &'a Series,
    mean: f64,
    half: f64,
}

/// One table per world that is shown, the lowest regret first.
pub(super) fn tables(page: &RunPage, view: &View) -> Markup {
    let several = page.runs.len() > 1;
    html! {
        @for (name, label) in page.choices.worlds.iter().filter(|(name, _)| view.worlds.contains(name)) {
            h3 { (label) }
            div.lab-scroll tabindex="0" role="region" aria-label={ "Final means, " (label) } {
                table {
                    thead { tr {
                        th scope="col" { "Policy" }
                        @if several { th scope="col" { "Run" } }
                        th.lab-number scope="col" { "Rounds" }
                        th.lab-number scope="col" { "Runs" }
                        th.lab-number scope="col" { (capital(&page.regret_of(name))) }
                        th.lab-number scope="col" { "95 % interval" }
                        th.lab-number scope="col" { "Accuracy" }
                        th.lab-number scope="col" { "95 % interval" }
                    } }
                    tbody {
                        @for row in rows(page, view, name) { (line(&row, several)) }
                    }
                }
            }
        }
    }
}

fn rows<'a>(page: &'a RunPage, view: &View, world: &str) -> Vec<Row<'a>> {
    let mut rows = Vec::new();
    for (run, results) in &page.runs {
        for series in subset(results, view).series().iter().filter(|series| series.world == world) {
            let summary = series.regret();
            let (Some(&mean), Some(&sem)) = (summary.mean.last(), summary.sem.last()) else { continue };
            rows.push(Row { run, series, mean, half: half_width(sem, series.runs.len()) });
        }
    }
    rows.sort_by(|a, b| a.mean.total_cmp(&b.mean));
    rows
}

fn line(row: &Row<'_>, several: bool) -> Markup {
    let Row { run, series, mean, half } = row;
    let accuracy = series.accuracy().last().copied();
    let between = |low: f64, high: f64| format!("{} to {}", number(low), number(high));
    html! {
        tr {
            th scope="row" { (series.label) }
            @if several { td { (run) } }
            td.lab-number { (series.checkpoints.last().copied().map(count).unwrap_or_default()) }
            td.lab-number { (count(series.runs.len() as u64)) }
            td.lab-number { (number(*mean)) }
            td.lab-number { @if half.is_finite() { (between(mean - half, mean + half)) } @else { "needs two runs" } }
            @match accuracy {
                Some(share) => {
                    td.lab-number { (percent(share.share())) }
                    @let (low, high) = share.interval();
                    td.lab-number { (percent(low)) " to " (percent(high)) }
                }
                None => { td {} td {} }
            }
        }
    }
}

pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
