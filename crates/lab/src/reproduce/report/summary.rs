//! The summary, for people who read nothing else.

use maud::{Markup, html};

use super::ranking::Ranking;
use super::{Report, Sources, text};
use crate::claim::{Finding, Verdict};
use crate::reproduce::paper::Paper;

pub(super) fn summary(report: &Report<'_>) -> Markup {
    html! {
        section #summary {
            h2 { "Summary" }
            (verdict_counts(report))
            (question(report.paper))
            (what_came_out(report))
            (what_was_run(report))
        }
    }
}

fn verdict_counts(report: &Report<'_>) -> Markup {
    let verdicts = report.outcome().verdicts;
    let tiles = [
        (Verdict::Holds, verdicts.holds),
        (Verdict::Fails, verdicts.fails),
        (Verdict::Inconclusive, verdicts.inconclusive),
        (Verdict::NotRun, verdicts.not_run),
    ];
    html! {
        div.tiles {
            @for (verdict, count) in tiles.into_iter().filter(|(verdict, count)| *verdict != Verdict::NotRun || *count > 0) {
                a.tile.(text::class(verdict)) href="#claims" {
                    span.big { (count) }
                    " " (if count == 1 { "claim" } else { "claims" }) br; (text::verb(verdict, count))
                }
            }
        }
    }
}

fn question(paper: &Paper) -> Markup {
    html! {
        h3 { "The problem" }
        p {
            "Show people two things, ask which is better, and repeat. A " em { "dueling bandit" }
            " chooses which two. It tries to find the best of K things, called arms, while showing bad ones as rarely as possible. Its loss on "
            "the way is called " em { "regret" } ": for each round, how much more often than not the best arm would have won against the two arms shown. "
            "With uniform choice, regret grows at a constant rate; with a good policy, it grows more and more slowly."
        }
        p { (text::rich(paper.words.policies)) }
    }
}

fn what_came_out(report: &Report<'_>) -> Markup {
    let of = |verdict| -> Vec<&Finding> {
        report.findings.iter().filter(|finding| finding.judgement.verdict == verdict).collect()
    };
    let (fails, open, not_run) = (of(Verdict::Fails), of(Verdict::Inconclusive), of(Verdict::NotRun));
    html! {
        h3 { "Results" }
        (losses(report))
        @if !fails.is_empty() {
            p { "These statements of the paper do not hold as written:" }
            ul { @for finding in &fails { li { (link(finding)) ". " (finding.claim.statement) " " span.soft { (text::with_code(&finding.judgement.note)) } } } }
        }
        @if !open.is_empty() {
            p { "Inconclusive after these runs (each claim shows the power of its test):" }
            ul { @for finding in &open { li { (link(finding)) } } }
        }
        @if !not_run.is_empty() {
            p {
                "Not run, because a figure was not selected, its data are missing or the runs were too short: "
                @for (i, finding) in not_run.iter().enumerate() {
                    @if i > 0 { ", " } a href={ "#" (finding.claim.id) } { (finding.claim.id) }
                }
                "."
            }
        }
    }
}

fn link(finding: &Finding) -> Markup {
    html! { a href={ "#" (finding.claim.id) } { (finding.claim.id) ", " (finding.claim.title) } }
}

/// Each policy's regret as a share of the regret of random play.
fn losses(report: &Report<'_>) -> Markup {
    let leader = &report.paper.leader;
    let compared = leader.compared;
    let mut rankings: Vec<&Ranking> = Vec::new();
    for ranking in report.drawn().flat_map(|section| &section.rankings) {
        let known = rankings.iter().any(|other| other.world == ranking.world);
        let rivals = compared.iter().filter(|(policy, _)| ranking.mean_of(policy).is_some()).count();
        if !known
            && ranking.mean_of("random").is_some()
            && rivals == compared.len()
            && !ranking.world.contains(" [")
        {
            rankings.push(ranking);
        }
    }
    if rankings.is_empty() {
        return html! {};
    }
    let share = |ranking: &Ranking, policy: &str| {
        Some(ranking.mean_of(policy)? / ranking.mean_of("random").filter(|random| *random > 0.0)?)
    };
    let first = rankings.iter().filter(|ranking| {
        let ours = ranking.mean_of(leader.policy).unwrap_or(f64::INFINITY);
        compared.iter().all(|(policy, _)| ranking.mean_of(policy).is_none_or(|mean| ours <= mean))
    });
    let (first, all) = (first.count(), rankings.len());
    let holds = |id: &str| {
        let finding = report.findings.iter().find(|finding| finding.claim.id == id);
        finding.is_some_and(|finding| finding.judgement.verdict == Verdict::Holds)
    };
    let more = leader.if_holds.filter(|(id, _)| holds(id)).map_or("", |(_, text)| text);
    html! {
        p {
            "Of the policies below, " (leader.name) " has the least regret at the end of the runs in " (first) " of " (all) " worlds. "
            (leader.about) " " (text::rich(more))
        }
        p { "Regret at the end of the runs, as a share of the regret of random play. The lowest value in each row is bold." }
        div.scroll {
            table {
                thead { tr {
                    th { "world" } th.number { "rounds" }
                    @for (_, name) in compared { th.number { (name) } }
                } }
                tbody {
                    @for ranking in rankings {
                        @let shares: Vec<Option<f64>> = compared.iter().map(|(policy, _)| share(ranking, policy)).collect();
                        @let least = shares.iter().flatten().copied().fold(f64::INFINITY, f64::min);
                        tr {
                            td { (ranking.label) }
                            td.number { (text::count(ranking.round)) }
                            @for share in shares {
                                td.number.least[share.is_some_and(|share| share <= least)] {
                                    (share.map_or_else(|| "\u{2013}".to_owned(), text::percent))
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn what_was_run(report: &Report<'_>) -> Markup {
    let outcome = report.outcome();
    let rounds: u64 = outcome.experiments.iter().map(|facts| facts.rounds).sum();
    let runs: u64 = outcome.experiments.iter().map(|facts| facts.runs).sum();
    let Sources { real, stand_ins } = report.sources;
    html! {
        h3 { "Runs and data" }
        p {
            (text::count(runs)) " runs with " (text::number(rounds as f64)) " rounds in total, in " (outcome.experiments.len())
            " experiments, at the " strong { (report.manifest.scale) } " scale: "
            @if report.manifest.scale == "paper" {
                (report.paper.words.full_scale)
            } @else {
                (report.paper.words.smaller_scale) " "
                code { (report.paper.command()) " --scale paper" } " runs everything."
            }
        }
        @if stand_ins > 0 {
            p.note {
                strong { "Synthetic data. " }
                (report.paper.data.stand_ins) " "
                code { "--data DIR" } " reads the real matrices."
            }
        }
        @if real > 0 {
            p.note {
                strong { "Real data. " }
                (report.paper.data.real)
            }
        }
    }
}
