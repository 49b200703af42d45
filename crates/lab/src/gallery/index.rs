//! The list of runs and reports.

use maud::{Markup, html};

use super::find::{Broken, Found, Report, Run};
use super::{ROOT, Response, address, assets};
use crate::format::{count, date};

/// If there are more names than this, the rest is counted, not listed.
const MOST_NAMED: usize = 3;

pub(super) fn page(found: &Found) -> Response {
    let body = html! {
        h1 { "Lab" }
        @if found.runs.is_empty() && found.reports.is_empty() {
            p {
                "There are no results here yet. " code { "tiltyard run" } " and " code { "tiltyard reproduce" }
                " write results. Reload the page to see them."
            }
        }
        @if !found.reports.is_empty() { (reports(&found.reports)) }
        @if !found.runs.is_empty() { (runs(&found.runs)) }
        @if !found.broken.is_empty() { (broken(&found.broken)) }
        @if found.more { p.lab-note role="status" { "There are too many directories; some are not shown." } }
    };
    Response::Page { title: "Lab".to_owned(), body: body.into_string(), assets: assets(&[]) }
}

fn runs(runs: &[Run]) -> Markup {
    html! {
        h2 { "Runs" }
        form method="get" action={ (ROOT) "compare" } {
            div.lab-scroll tabindex="0" role="region" aria-label="Runs" {
                table {
                    thead { tr {
                        th scope="col" { "Compare" }
                        th scope="col" { "Name" }
                        th scope="col" { "Worlds" }
                        th scope="col" { "Policies" }
                        th.lab-number scope="col" { "Runs" }
                        th.lab-number scope="col" { "Rounds" }
                        th scope="col" { "Date" }
                        th.lab-number scope="col" { "Seed" }
                        th scope="col" { "Version" }
                    } }
                    tbody { @for run in runs { (run_line(run)) } }
                }
            }
            @if runs.len() > 1 { p.lab-files { button.primary type="submit" { "Compare selected runs" } } }
        }
    }
}

fn run_line(Run { name, facts, .. }: &Run) -> Markup {
    html! {
        tr {
            td { label.lab-box { input type="checkbox" name="run" value=(name) aria-label={ "Compare " (name) }; } }
            th scope="row" {
                a href={ (ROOT) "runs/" (address::of(name)) } { (name) }
                br; span.lab-soft { (facts.title) }
            }
            td { (named(&facts.worlds)) }
            td { (named(&facts.policies)) }
            td.lab-number { (count(facts.runs)) }
            td.lab-number { (count(facts.rounds)) }
            td.lab-date { (date(facts.finished)) }
            td.lab-number { (facts.seed) }
            td { (facts.version) }
        }
    }
}

/// A few names, and the number of the others.
fn named(names: &[String]) -> String {
    if names.len() <= MOST_NAMED {
        return names.join(", ");
    }
    format!("{} and {} more", names[..MOST_NAMED - 1].join(", "), names.len() - (MOST_NAMED - 1))
}

fn reports(reports: &[Report]) -> Markup {
    html! {
        h2 { "Reports" }
        div.lab-scroll tabindex="0" role="region" aria-label="Reports" {
            table {
                thead { tr {
                    th scope="col" { "Name" }
                    th scope="col" { "About" }
                    th scope="col" { "Claims" }
                    th scope="col" { "Scale" }
                    th scope="col" { "Date" }
                    th.lab-number scope="col" { "Seed" }
                    th scope="col" { "Version" }
                } }
                tbody {
                    @for Report { name, facts, .. } in reports {
                        tr {
                            th scope="row" { a href={ (ROOT) "reports/" (address::of(name)) } { (name) } }
                            td { (facts.title) }
                            td {
                                (facts.verdicts.holds) " hold, " (facts.verdicts.fails) " fail, " (facts.verdicts.inconclusive) " open"
                                @if facts.verdicts.not_run > 0 { ", " (facts.verdicts.not_run) " not run" }
                            }
                            td { (facts.scale) }
                            td.lab-date { (date(facts.finished)) }
                            td.lab-number { (facts.seed) }
                            td { (facts.version) }
                        }
                    }
                }
            }
        }
    }
}

fn broken(broken: &[Broken]) -> Markup {
    html! {
        h2 { "Runs and reports that cannot be opened" }
        ul { @for Broken { name, reason } in broken { li { strong { (name) } ": " (reason) } } }
    }
}
