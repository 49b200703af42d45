//! Who leads and how sure we are, in words first.

use maud::{Markup, html};
use tiltyard_wire::{Alarms, Standing, TotalsView, VerdictStatus};

use super::report::Report;
use crate::pages::home::grouped;

pub(super) fn section(report: &Report) -> Markup {
    let Standing { verdict, totals, .. } = &report.standing;
    let class = match verdict.status {
        VerdictStatus::Leader | VerdictStatus::GoodEnough => "verdict leader",
        VerdictStatus::Undecided => "verdict",
    };
    html! {
        section.card aria-labelledby="verdict-title" {
            h2.hidden #verdict-title { "Verdict" }
            p class=(class) { (verdict.words) }
            p.soft {
                (grouped(totals.votes)) @if totals.votes == 1 { " vote" } @else { " votes" }
                ". A verdict has a confidence of " (percent(verdict.confidence)) ", however often you look."
            }
            (alarms(report))
            (facts(report))
        }
    }
}

fn alarms(report: &Report) -> Markup {
    let Alarms { side, drift } = &report.standing.alarms;
    html! {
        @if side.alarm {
            div.notice.warn role="note" {
                p { strong { "Voters favour a side. " }
                    "The left one gets " (share(side.left.estimate)) " of votes for a side, where an even toss of sides gives half. "
                    "Sides are tossed, so that no arm gains by it; but it is a sign of careless votes, or of a page that shows one side better." }
            }
        }
        @if !drift.is_empty() {
            div.notice.warn role="note" {
                p { strong { "Preferences have changed. " }
                    "Between " @for (place, pair) in drift.iter().take(3).enumerate() {
                        @if place > 0 { ", " } (pair.first) " and " (pair.second)
                    }
                    @if drift.len() > 3 { " and " (drift.len() - 3) " more pairs" }
                    ". The verdict is for preferences that stay: look at the latest votes by themselves." }
            }
        }
    }
}

fn facts(report: &Report) -> Markup {
    let Standing { totals, alarms, .. } = &report.standing;
    let &TotalsView { duels, in_flight, votes, unanswered, voided, skipped, imported, .. } = totals;
    let side = &alarms.side.left;
    let part = |count: u64| if duels == 0 { "–".to_owned() } else { percent(count as f64 / duels as f64) };
    let fact = |name: &str, value: &str, more: &str| {
        html! { div { dt { (name) } dd { strong { (value) } @if !more.is_empty() { span.soft.small { (more) } } } } }
    };
    html! {
        dl.facts {
            (fact("Duels", &grouped(duels), &format!("{} waiting", grouped(in_flight as u64))))
            (fact("Votes", &grouped(votes), &if imported > 0 { format!("{} imported", grouped(imported)) } else { String::new() }))
            (fact("Unanswered", &part(unanswered), &grouped(unanswered)))
            (fact("Skipped", &part(skipped), &grouped(skipped)))
            (fact("Voided", &part(voided), &grouped(voided)))
            (fact("Left side", &share(side.estimate), &side.estimate.map_or_else(String::new, |_| format!("{} to {}", percent(side.low), percent(side.high)))))
        }
    }
}

/// A share of something, if there is something.
fn share(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), percent)
}

/// A share in words: whole percents, and tenths where those say nothing.
pub(super) fn percent(value: f64) -> String {
    let percents = value * 100.0;
    let whole = percents.round();
    if (percents - whole).abs() < 0.005 || (10.0..=90.0).contains(&percents) {
        format!("{whole} %")
    } else {
        format!("{percents:.1} %")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_percent() {
        for (value, text) in [
            (0.95, "95 %"),
            (0.999, "99.9 %"),
            (0.0, "0 %"),
            (1.0, "100 %"),
            (0.123_4, "12 %"),
            (0.004, "0.4 %"),
        ] {
            assert_eq!(percent(value), text);
        }
    }
}
