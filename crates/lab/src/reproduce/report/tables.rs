//! Tables: matrices, reference numbers, and details of the run.

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
                " wins most often against an opponent drawn at random. If the two differ, averaging over opponents misleads a policy. Arms are "
                "counted from 0. The column for random play shows its Condorcet regret per round."
            }
            div.scroll {
                table {
                    thead { tr {
                        th { "matrix" } th.number { "K" } th.number { "Condorcet winner" } th.number { "Borda winner" } th { "same arm" }
                        th.number { "random play" } th { "data" }
                    } }
                    tbody { @for row in rows { (matrix(row)) } }
                }
            }
            p { "Claim " a href="#C16" { "C16" } " checks the paper's statements about these matrices. It does not judge stand-ins." }
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

/// The comparisons without duplicates: several figures may play the same policy in the same world.
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

/// Our numbers next to those of independently written programs.
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
                "Condorcet regret at 100,000 rounds, compared with two small programs that were written before this one and independently of it (mean and standard "
                "error; theirs over 4 to 40 runs). Of " (all.len()) " numbers, " (far) " differ by more than three standard errors."
            }
            details {
                summary { "All " (all.len()) " numbers" }
                div.scroll {
                    table {
                        thead { tr {
                            th { "world" } th { "policy" } th.number { "this program" } th.number { "reference" } th.number { "difference, in standard errors" }
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

/// What was run, and on which machine.
pub(super) fn run(report: &Report<'_>) -> Markup {
    let outcome = report.outcome();
    let machine = &outcome.machine;
    html! {
        section #run {
            h2 { "Run details" }
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
                    (text::seconds(outcome.experiments.iter().map(|facts| facts.seconds).sum())) " in runs, summed over all threads and sessions; the last session took "
                    (text::seconds(outcome.elapsed_seconds)) ", including the time to build the worlds"
                }
            }
            p {
                "The same specification, data, seed and version give the same numbers, on any number of threads and even if the job was killed and continued. "
                code { (report.paper.command()) " --print NAME" } " prints a specification. Its results are in " code { "results/NAME" } " next to this file, for any "
                "reader of Parquet or CSV. For programs, " code { "claims.json" } " contains the claims."
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
