//! The figures: share of traffic over time, pairwise results, and votes over time.

use maud::{Markup, html};
use tiltyard_bandit::Arm;

use super::report::{MOST_MAPPED, Report};
use super::traffic::Traffic;
use crate::domain::PairCounts;
use crate::pages::chart::{Canvas, Cell, HeatMap, Interval, Intervals, Shares, Votes};
use crate::pages::home::grouped;
use crate::time::duration_text;

/// The largest number of pairs in the table below the heat map.
const MOST_LISTED: usize = 100;

pub(super) fn section(report: &Report) -> Markup {
    let is_empty = report.standing.totals.duels == 0 && report.standing.totals.votes == 0;
    html! {
        @if is_empty {
            section.card { h2 { "Figures" } p { "Figures appear after the first duel." } }
        } @else {
            section.card aria-labelledby="shares-title" {
                @if report.traffic.most_shown.is_empty() {
                    h2 #shares-title { "Share of traffic over time" }
                    p { "This experiment has not drawn a duel yet: all its votes were imported." }
                } @else {
                    div.row { h2 #shares-title { "Share of traffic over time" } (download(report, "shares.svg")) }
                    div.figure tabindex="0" role="group" aria-labelledby="shares-title" { (shares(report).inline(&about_shares(report))) }
                }
            }
            section.card aria-labelledby="pairs-title" {
                div.row { h2 #pairs-title { "Pairwise results" } (download(report, "pairs.svg")) }
                (pairs(report))
            }
            section.card aria-labelledby="votes-title" {
                div.row { h2 #votes-title { "Votes over time" } (download(report, "votes.svg")) }
                div.figure tabindex="0" role="group" aria-labelledby="votes-title" {
                    (votes(report).inline(&format!("{} votes in {} periods of {}.", report.standing.totals.votes, report.traffic.axis.buckets, duration_text(report.traffic.axis.width))))
                }
            }
        }
    }
}

fn download(report: &Report, name: &str) -> Markup {
    html! { a.small href={ "/experiments/" (report.id) "/figures/" (name) } { "Download" span.hidden { " " (name) } } }
}

/// A figure as a file.
pub(super) fn file(report: &Report, name: &str) -> Option<String> {
    let (canvas, title) = match name {
        "arms.svg" => (intervals(report), "Average win rates with confidence intervals"),
        "shares.svg" => (shares(report), "Share of traffic over time"),
        "pairs.svg" => (map(report).draw(), "Pairwise results: share of votes for the row's arm"),
        "votes.svg" => (votes(report), "Votes over time"),
        _ => return None,
    };
    let title = format!("{}: {title}", report.name);
    let about = format!(
        "{} votes, log position {}, {}",
        report.standing.totals.votes, report.standing.seq, report.now
    );
    Some(canvas.file(&title, &about))
}

fn intervals(report: &Report) -> Canvas {
    let interval = |borda: &crate::domain::Estimate| Interval {
        estimate: borda.estimate,
        low: borda.low,
        high: borda.high,
    };
    let rows = report.rows.iter().map(|row| (row.name.as_str(), interval(&row.borda))).collect();
    Intervals { rows }.draw()
}

fn shares(report: &Report) -> Canvas {
    let Traffic { axis, shown, most_shown, .. } = &report.traffic;
    let mut layers: Vec<(&str, &[f64])> =
        most_shown.iter().map(|(name, counts)| (name.as_str(), counts.as_slice())).collect();
    let rest: Vec<f64> = shown
        .iter()
        .enumerate()
        .map(|(place, total)| total - layers.iter().map(|(_, counts)| counts[place]).sum::<f64>())
        .collect();
    if rest.iter().any(|&rest| rest > 0.5) {
        layers.push(("all others", &rest));
    }
    Shares { axis: *axis, layers, totals: shown }.draw()
}

fn about_shares(report: &Report) -> String {
    let (name, _) = &report.traffic.most_shown[0];
    let now = report
        .rows
        .iter()
        .filter_map(|row| Some((row.probability?, &row.name)))
        .max_by(|one, other| one.0.total_cmp(&other.0));
    match now {
        Some((share, most)) => {
            format!("Shown most often overall: {name}. Most traffic now: {most}, {:.0} %.", share * 100.0)
        }
        None => format!("Shown most often overall: {name}."),
    }
}

fn votes(report: &Report) -> Canvas {
    Votes { axis: report.traffic.axis, bars: &report.traffic.bars }.draw()
}

/// The share of votes for the first arm; a tie counts as half a vote.
fn rate(counts: &PairCounts) -> f64 {
    let halves =
        (counts.ties + counts.both_bad) as f64 / 2.0 + f64::midpoint(counts.graded as f64, counts.graded_sum);
    (counts.first as f64 + halves) / counts.votes() as f64
}

fn map(report: &Report) -> HeatMap<'_> {
    let mapped = &report.mapped;
    let cell = |row: Arm, column: Arm| {
        let counts = report.pairs.get(&(row.min(column), row.max(column)))?;
        let rate = rate(counts);
        Some(Cell { votes: counts.votes(), rate: if row < column { rate } else { 1.0 - rate } })
    };
    let cells = mapped.iter().flat_map(|&(row, _)| mapped.iter().map(move |&(column, _)| (row, column)));
    HeatMap {
        names: mapped.iter().map(|(_, name)| name.as_str()).collect(),
        cells: cells.map(|(row, column)| cell(row, column)).collect(),
    }
}

fn pairs(report: &Report) -> Markup {
    let map = map(report);
    let mut listed: Vec<_> = report.pairs.iter().collect();
    listed.sort_by_key(|(_, counts)| core::cmp::Reverse(counts.votes()));
    let name = |arm: Arm| {
        report.mapped.iter().find(|(known, _)| *known == arm).map_or("", |(_, name)| name.as_str())
    };
    html! {
        p.soft.small {
            "Blue: voters prefer the arm of the row. Orange: voters prefer the arm of the column. "
            @if report.n_active > MOST_MAPPED { "Only the " (MOST_MAPPED) " arms that win most often are shown, of " (grouped(report.n_active as u64)) "." }
        }
        @if report.pairs.is_empty() { p { "These arms have not been compared yet." } }
        @else {
            div.figure.map tabindex="0" role="group" aria-labelledby="pairs-title" data-map=(map.data()) data-names=(serde_json::to_string(&map.names).unwrap_or_default()) {
                (map.draw().inline("The share of votes of each pair; the table below has the numbers."))
                p.soft.small.tell aria-hidden="true" {}
            }
            details #pairs-table {
                summary { "The numbers as a table" }
                div.scroll role="region" aria-label="Pairs" tabindex="0" {
                    table {
                        thead { tr {
                            th scope="col" { "First" } th scope="col" { "Second" }
                            th.number scope="col" { "Votes" } th.number scope="col" { "For the first" } th.number scope="col" { "For the second" } th.number scope="col" { "Ties" }
                        } }
                        tbody {
                            @for ((first, second), counts) in listed.iter().take(MOST_LISTED) {
                                tr {
                                    td { (name(*first)) } td { (name(*second)) }
                                    td.number { (grouped(counts.votes())) } td.number { (grouped(counts.first)) } td.number { (grouped(counts.second)) }
                                    td.number { (grouped(counts.ties + counts.both_bad)) }
                                }
                            }
                        }
                    }
                }
                @if listed.len() > MOST_LISTED { p.soft.small { "The table shows the " (MOST_LISTED) " pairs with the most votes, of " (listed.len()) ". The API lists all of them." } }
            }
        }
    }
}
