//! Tables: matrices, numbers known from elsewhere, and what was run.

use maud::{Markup, html};

use super::{Report, Section, text};
use crate::engine::plan::Source;
use crate::reproduce::matrices::Row;
use crate::reproduce::reference::Comparison;

/// The paper's table of matrices.
pub(super) fn matrices(rows: &[Row]) -> Markup {
    html! {
        section #matrices {
            h2 { "Matrices" }
            p {
                "The " em { "Condorcet winner" } " beats every other arm more often than not; the " em { "Borda winner" }
                " wins most often against an opponent drawn at random. Where the two differ, a policy that averages over opponents goes astray. Arms are "
                "counted from 0. Random play costs so much Condorcet regret in each round."
            }
            div.scroll {
                table {
                    thead { tr {
                        th { "matrix" } th.number { "K" } th.number { "Condorcet winner" } th.number { "Borda winner" } th { "the same" }
                        th.number { "random play" } th { "data" }
                    } }
                    tbody { @for row in rows { (matrix(row)) } }
                }
            }
            p { "What the paper says about them is claim " a href="#C16" { "C16" } "; stand-ins are not judged by it." }
        }
    }
}

fn matrix(row: &Row) -> Markup {
    let condorcet = row.matrix.condorcet_winner();
    let borda = row.matrix.borda_winners();
    let list: Vec<String> = borda.iter().map(|arm| arm.index().to_string()).collect();
    html! {
        tr {
            td { (row.label) }
            td.number { (row.matrix.n_arms()) }
            td.number { @if let Some(arm) = condorcet { (arm.index()) } @else { "none" } }
            td.number { (list.join(", ")) }
            td { @match condorcet { Some(arm) => { (if borda == [arm] { "yes" } else { "no" }) } None => { "\u{2013}" } } }
            td.number { (format!("{:.4}", row.matrix.gaps().random_play)) }
            td { (source(row)) }
        }
    }
}

fn source(row: &Row) -> &'static str {
    match row.source {
        Source::Named => "built in",
        Source::Data if row.name.starts_with("np2004") => "real, identity unconfirmed",
        Source::Data => "real",
        Source::StandIn => "synthetic stand-in",
    }
}

/// What can be compared, each once: several figures may play the same policy in the same world.
pub(super) fn comparisons(sections: &[Section]) -> Vec<&Comparison> {
    let mut kept: Vec<&Comparison> = Vec::new();
    let drawn = sections.iter().filter(|section| !section.figures.is_empty());
    for comparison in drawn.flat_map(|section| &section.references) {
        let same =
            |other: &&Comparison| (&other.world, &other.policy) == (&comparison.world, &comparison.policy);
        if !kept.iter().any(same) {
            kept.push(comparison);
        }
    }
    kept
}

/// Our numbers beside those of programs written apart from this one.
pub(super) fn references(sections: &[Section]) -> Markup {
    let all = comparisons(sections);
    if all.is_empty() {
        return html! {};
    }
    let far = all.iter().filter(|comparison| comparison.distance().abs() > 3.0).count();
    html! {
        section #reference {
            h2 { "Reference numbers" }
            p {
                "Condorcet regret at 100,000 rounds beside what two small programs found that were written apart from this one, before it (mean and standard "
                "error; theirs of 4 to 40 runs). Of " (all.len()) " numbers " (far) " differ by more than three standard errors."
            }
            details {
                summary { "All " (all.len()) " numbers" }
                div.scroll {
                    table {
                        thead { tr {
                            th { "world" } th { "policy" } th.number { "here" } th.number { "there" } th.number { "difference, in standard errors" }
                        } }
                        tbody {
                            @for comparison in all {
                                tr {
                                    td { (comparison.world) }
                                    td { (comparison.policy) }
                                    td.number { (text::number(comparison.ours.0)) " ± " (text::error(comparison.ours.1)) }
                                    td.number { (text::number(comparison.theirs.0)) " ± " (text::error(comparison.theirs.1)) }
                                    td.number { (format!("{:+.1}", comparison.distance()).replace('-', "\u{2212}")) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What was run, and on what.
pub(super) fn run(report: &Report<'_>) -> Markup {
    let outcome = report.outcome();
    let machine = &outcome.machine;
    html! {
        section #run {
            h2 { "What was run, and on what" }
            dl {
                dt { "Program" }
                dd { "tiltyard " (report.manifest.version)
                    @if let Some(revision) = &report.manifest.revision { ", revision " code { (revision) } } }
                dt { "Seed" } dd { (report.manifest.seed) }
                dt { "Scale" } dd { (report.manifest.scale) }
                dt { "Machine" }
                dd {
                    @if let Some(processor) = &machine.processor { (processor) ", " }
                    (machine.os) " on " (machine.architecture) ", " (machine.threads) (if machine.threads == 1 { " thread" } else { " threads" })
                }
                dt { "Time" }
                dd {
                    (text::seconds(outcome.experiments.iter().map(|facts| facts.seconds).sum())) " in runs, over all threads and sessions; the last session took "
                    (text::seconds(outcome.elapsed_seconds)) ", with making the worlds"
                }
            }
            p {
                "The same specification, data, seed and version give the same numbers, on any number of threads and however often the job was killed. "
                code { (report.paper.command()) " --print NAME" } " prints a specification; the results of each are in " code { "results/NAME" } " beside this file, for any "
                "reader of Parquet or CSV, and " code { "claims.json" } " has the claims for programs."
            }
            div.scroll {
                table {
                    thead { tr {
                        th { "experiment" } th.number { "runs" } th.number { "rounds" } th.number { "seconds" } th { "data" } th { "specification" }
                    } }
                    tbody {
                        @for facts in &outcome.experiments {
                            tr {
                                td { code { (facts.id) } }
                                td.number { (text::count(facts.runs)) }
                                td.number { (text::number(facts.rounds as f64)) }
                                td.number { (format!("{:.1}", facts.seconds)) }
                                td { (facts.data.strip_prefix("Data: ").unwrap_or(&facts.data)) }
                                td { code { (text::short_hash(&facts.hash)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
