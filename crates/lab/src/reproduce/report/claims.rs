//! Every claim with its verdict, its numbers and its test.

use maud::{Markup, html};

use super::text;
use crate::claim::{Finding, Number, Part, Power};
use crate::reproduce::paper::Paper;

/// All findings, with links to the figures in the report.
pub(super) fn claims(paper: &Paper, findings: &[Finding], figures: &[&str]) -> Markup {
    html! {
        section #claims {
            h2 { "Claims" }
            p {
                (paper.words.claims) " Tests are paired by run unless stated otherwise, and corrected for multiple testing. "
                "Each interval states its level. A claim about several worlds fails if it fails in one of them. " em { "Inconclusive" } " means that the runs are compatible with both verdicts. "
                "The power of the test is then shown."
            }
            p.note {
                "The decision rules were set while this program was built, with runs at the quick scale in view. They are documented in "
                "full, but they were not fixed before the first look at results. Another seed or the paper's scale is the fairer test."
            }
            div.scroll {
                table {
                    thead { tr { th { "claim" } th { "verdict" } th { "place in the paper" } } }
                    tbody {
                        @for finding in findings {
                            tr {
                                td { a href={ "#" (finding.claim.id) } { (finding.claim.id) } " " (finding.claim.title) }
                                td { (badge(finding.judgement.verdict)) }
                                td { (finding.claim.source) }
                            }
                        }
                    }
                }
            }
            @for finding in findings { (claim(finding, figures)) }
        }
    }
}

fn badge(verdict: crate::claim::Verdict) -> Markup {
    html! { span.badge.(text::class(verdict)) { (text::verdict(verdict)) } }
}

fn claim(finding: &Finding, figures: &[&str]) -> Markup {
    let Finding { claim, judgement } = finding;
    html! {
        article.claim id=(claim.id) {
            h3 { span.id { (claim.id) } " " (claim.title) " " (badge(judgement.verdict)) }
            p.statement { (claim.statement) }
            p { (text::with_code(&judgement.note)) }
            (numbers(&judgement.numbers))
            @if let Some(power) = &judgement.power { p { (power_in_words(power)) } }
            @if !judgement.parts.is_empty() { (parts(&judgement.parts)) }
            details {
                summary { "Test and rule" }
                dl {
                    dt { "Source" } dd { (text::with_code(claim.source)) }
                    dt { "Test" } dd { (text::with_code(claim.test)) }
                    dt { "Rule" } dd { (text::with_code(claim.rule)) }
                    dt { "Correction for multiple tests" } dd { (text::with_code(claim.correction)) }
                    @if let Some(figure) = claim.figure {
                        dt { "Shown in" }
                        dd {
                            @if figure == super::super::MATRICES {
                                a href="#matrices" { "the table of matrices" }
                            } @else if !figures.contains(&figure) {
                                "figure " (figure) ", which was not run"
                            } @else {
                                a href={ "#figure-" (figure) } { "figure " (figure) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn numbers(numbers: &[Number]) -> Markup {
    html! {
        @if !numbers.is_empty() {
            ul.numbers {
                @for number in numbers {
                    li {
                        (number.name) ": " strong { (text::measured(number)) }
                        @if !number.unit.is_empty() { " " span.soft { (number.unit) } }
                    }
                }
            }
        }
    }
}

fn parts(parts: &[Part]) -> Markup {
    html! {
        details {
            summary { "Parts (" (parts.len()) ")" }
            div.scroll {
                table.parts {
                    thead { tr { th { "part" } th { "verdict" } th { "numbers" } th.number { "p, corrected" } } }
                    tbody {
                        @for part in parts {
                            tr {
                                td { (part.name) }
                                td { @if let Some(verdict) = part.verdict { (badge(verdict)) } @else { span.soft { "not judged" } } }
                                td {
                                    (numbers(&part.numbers))
                                    @if let Some(power) = &part.power { p.soft { (power_in_words(power)) } }
                                    @if !part.note.is_empty() { p.soft { (text::with_code(&part.note)) } }
                                }
                                td.number { (part.adjusted.or(part.p_value).map_or_else(|| "exact".to_owned(), text::p_value)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn power_in_words(power: &Power) -> Markup {
    html! {
        "Power: with " (power.runs) " runs, the test finds " (power.effect) " with probability " (text::percent(power.value))
        ". The smallest effect that it finds with probability 90 % is " (text::number(power.detectable)) ", in the same unit."
    }
}
