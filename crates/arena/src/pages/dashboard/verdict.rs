//! The verdict: first a sentence, then alarms and the main numbers.

use maud::{Markup, html};
use tiltyard_wire::{Standing, TotalsView, VerdictStatus};

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
                ". The chance of ever naming a wrong winner is at most " (percent(1.0 - verdict.confidence)) ", even if you check after every vote."
            }
            (alarms(report))
            (facts(report))
        }
    }
}

fn alarms(report: &Report) -> Markup {
    html! {
        @for (heading, words) in report.standing.alarms.words() {
            div.notice.warn role="note" { p { strong { (heading) } " " (words) } }
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
            (fact("Duels", &grouped(duels), &format!("{} in flight", grouped(in_flight as u64))))
            (fact("Votes", &grouped(votes), &if imported > 0 { format!("{} imported", grouped(imported)) } else { String::new() }))
            (fact("Unanswered", &part(unanswered), &grouped(unanswered)))
            (fact("Skipped", &part(skipped), &grouped(skipped)))
            (fact("Voided", &part(voided), &grouped(voided)))
            (fact("Votes for the left", &share(side.estimate), &side.estimate.map_or_else(String::new, |_| format!("{} to {}", percent(side.low), percent(side.high)))))
        }
    }
}

/// A share in percent, or a dash if there is no share.
fn share(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), percent)
}

/// A share in percent. Shares below 10 % and above 90 % have one decimal, unless they are whole
/// percents.
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
