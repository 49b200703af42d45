//! The table of arms.

use maud::{Markup, html};

use super::report::{ARMS_A_PAGE, Report, Row};
use super::verdict::percent;
use super::{Sort, View};
use crate::domain::Status;
use crate::pages::chart::{Interval, bar};
use crate::pages::home::grouped;
use crate::pages::layout::token;
use crate::pages::visitor::Visitor;

/// `manager` is the visitor, if they may change the arms.
pub(super) fn section(report: &Report, view: &View, manager: Option<&Visitor>) -> Markup {
    let manager = manager.filter(|_| report.is_elastic && report.status != Status::Closed);
    html! {
        section.card aria-labelledby="arms-title" {
            div.row {
                h2 #arms-title { "Arms" }
                @if report.n_arms > ARMS_A_PAGE || !view.find.is_empty() { (search(report, view)) }
            }
            p.soft.small {
                "How often each arm wins against the others on average, with a confidence interval. The line in the middle marks 50 %: as good as the others."
            }
            div.scroll role="group" aria-labelledby="arms-title" tabindex="0" {
                table {
                    thead { tr {
                        th scope="col" { "Arm" }
                        th scope="col" { span.hidden { "Interval as a picture" } }
                        th.number scope="col" { "Average win rate" }
                        th.number scope="col" { "Interval" }
                        th.number scope="col" { "Traffic" }
                        th.number scope="col" { "Won" }
                        th.number scope="col" { "Lost" }
                        th.number scope="col" { "Tied" }
                        @if manager.is_some() { th scope="col" { span.hidden { "Actions" } } }
                    } }
                    tbody {
                        @for row in &report.rows { (line(report, row, manager)) }
                        @if report.rows.is_empty() { tr { td colspan="9" { "No arm has this text in its name or label." } } }
                    }
                }
            }
            (pages(report, view))
        }
    }
}

fn line(report: &Report, row: &Row, manager: Option<&Visitor>) -> Markup {
    let Row { name, label, retired, probability, counts, borda, .. } = row;
    let is_leader = report.standing.leader.as_ref() == Some(name);
    let interval = Interval { estimate: borda.estimate, low: borda.low, high: borda.high };
    html! {
        tr class=[retired.then_some("retired")] {
            th scope="row" {
                (name)
                @if is_leader { " " span.pill.running { "Leader" } }
                @if *retired { " " span.pill.closed { "Retired" } }
                @if let Some(label) = label { br; span.soft.small { (super::super::chart::short(label, 60)) } }
            }
            td { (bar(&interval)) }
            td.number { (borda.estimate.map_or_else(|| "–".to_owned(), percent)) }
            td.number.soft { (percent(borda.low)) " to " (percent(borda.high)) }
            td.number { (probability.map_or_else(|| "–".to_owned(), percent)) }
            td.number { (grouped(counts.wins)) }
            td.number { (grouped(counts.losses)) }
            td.number { (grouped(counts.ties + counts.both_bad)) }
            @if let Some(visitor) = manager {
                td {
                    @let (verb, word) = if *retired { ("restore", "Restore") } else { ("retire", "Retire") };
                    form method="post" action={ "/experiments/" (report.id) "/" (verb) } {
                        (token(visitor))
                        input type="hidden" name="arm" value=(name);
                        button.quiet id={ (verb) "-" (row.arm.index()) } { (word) span.hidden { " " (name) } }
                    }
                }
            }
        }
    }
}

fn search(report: &Report, view: &View) -> Markup {
    html! {
        form.row.find method="get" action={ "/experiments/" (report.id) } {
            label.hidden for="find" { "Find arms" }
            input #find name="find" type="search" placeholder="Find arms" value=(view.find);
            label.hidden for="sort" { "Sort by" }
            select #sort name="sort" {
                @for (sort, word, text) in Sort::ALL { option value=(word) selected[sort == view.sort] { (text) } }
            }
            button { "Show" }
        }
    }
}

fn pages(report: &Report, view: &View) -> Markup {
    let last = report.n_found.div_ceil(ARMS_A_PAGE).max(1);
    let link = |page: usize| {
        let query =
            [("find", view.find.clone()), ("sort", view.sort.to_string()), ("page", page.to_string())];
        format!("?{}", serde_urlencoded::to_string(query).unwrap_or_default())
    };
    let first = (report.page - 1) * ARMS_A_PAGE + 1;
    html! {
        @if last > 1 {
            nav.row.pages aria-label="Pages of arms" {
                span.soft { "Arms " (grouped(first as u64)) " to " (grouped((first + report.rows.len() - 1) as u64)) " of " (grouped(report.n_found as u64)) }
                @if report.page > 1 { a.button href=(link(report.page - 1)) { "Previous" } }
                @if report.page < last { a.button href=(link(report.page + 1)) { "Next" } }
            }
        }
    }
}
