//! What was done and what came out, for someone who reads nothing else.

use maud::{Markup, html};

use super::standings::Standing;
use super::{Report, words};
use crate::claim::{Finding, Verdict};
use crate::plan::Source;

pub(super) fn summary(report: &Report<'_>) -> Markup {
    html! {
        section #summary {
            h2 { "Summary" }
            (verdict_counts(report))
            (question())
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
                a.tile.(words::class(verdict)) href="#claims" {
                    span.big { (count) }
                    " " (if count == 1 { "claim" } else { "claims" }) br; (words::verb(verdict, count))
                }
            }
        }
    }
}

fn question() -> Markup {
    html! {
        h3 { "The question" }
        p {
            "Show people two things, ask which is better, and repeat. A " em { "dueling bandit" }
            " chooses which two, so as to find the best of K things, called arms, while showing bad ones as seldom as can be. What it loses on "
            "the way is its " em { "regret" } ": for each round, how much more often the best arm would have won against the two that were shown. "
            "Uniform choice has a regret that grows with every round; a good policy has one that grows ever more slowly."
        }
        p {
            strong { "REX3" } " is the paper's policy. It keeps a weight for each arm, draws both arms of a duel by these weights, and after the duel "
            "raises the winner's and lowers the loser's, by more the less likely the arm was to be drawn. A share gamma of all draws is uniform, so "
            "that no arm is ever forgotten. It assumes nothing about where answers come from: the world may change or be hostile, and its regret "
            "still grows only as the square root of the number of rounds. Its rivals " strong { "RUCB" } ", " strong { "SAVAGE" } " and "
            strong { "Beat the Mean" } " assume that answers follow fixed chances, and compare pairs until they are sure. " strong { "Sparring" }
            " lets two ordinary bandits choose one arm each."
        }
    }
}

fn what_came_out(report: &Report<'_>) -> Markup {
    let of = |verdict| -> Vec<&Finding> {
        report.findings.iter().filter(|finding| finding.judgement.verdict == verdict).collect()
    };
    let (fails, open, not_run) = (of(Verdict::Fails), of(Verdict::Inconclusive), of(Verdict::NotRun));
    html! {
        h3 { "What came out" }
        (losses(report))
        @if !fails.is_empty() {
            p { "Not every sentence of the paper stands as written:" }
            ul { @for finding in &fails { li { (link(finding)) ". " (finding.statement) " " span.soft { (words::text(&finding.judgement.note)) } } } }
        }
        @if !open.is_empty() {
            p { "Open after these runs, with the power of each test beside it:" }
            ul { @for finding in &open { li { (link(finding)) } } }
        }
        @if !not_run.is_empty() {
            p {
                "Without evidence here, because a figure was not asked for or its data are not there: "
                @for (i, finding) in not_run.iter().enumerate() {
                    @if i > 0 { ", " } a href={ "#" (finding.id) } { (finding.id) }
                }
                "."
            }
        }
    }
}

fn link(finding: &Finding) -> Markup {
    html! { a href={ "#" (finding.id) } { (finding.id) ", " (finding.title) } }
}

/// The policies whose losses are compared, by what results call them.
const COMPARED: [(&str, &str); 5] = [
    ("rex3", "REX3, anytime"),
    ("sparring:player=exp3", "Sparring"),
    ("rucb:alpha=0.51", "RUCB"),
    ("savage:rule=condorcet,delta=1/T", "SAVAGE"),
    ("btm:gamma=1.1,delta=1/T", "Beat the Mean"),
];

/// What each policy lost, as a share of what random play lost.
fn losses(report: &Report<'_>) -> Markup {
    let mut standings: Vec<&Standing> = Vec::new();
    for standing in report.drawn().flat_map(|section| &section.standings) {
        let known = standings.iter().any(|other| other.world == standing.world);
        let rivals = COMPARED.iter().filter(|(policy, _)| standing.mean_of(policy).is_some()).count();
        if !known
            && standing.mean_of("random").is_some()
            && rivals == COMPARED.len()
            && !standing.world.contains(" [")
        {
            standings.push(standing);
        }
    }
    if standings.is_empty() {
        return html! {};
    }
    let share = |standing: &Standing, policy: &str| {
        Some(standing.mean_of(policy)? / standing.mean_of("random").filter(|random| *random > 0.0)?)
    };
    let first = standings.iter().filter(|standing| {
        let ours = standing.mean_of("rex3").unwrap_or(f64::INFINITY);
        COMPARED.iter().all(|(policy, _)| standing.mean_of(policy).is_none_or(|mean| ours <= mean))
    });
    let (first, all) = (first.count(), standings.len());
    let overtaken = report
        .findings
        .iter()
        .find(|finding| finding.id == "C7" && finding.judgement.verdict == Verdict::Holds);
    html! {
        p {
            "Of the policies below, REX3 in its anytime form has the least regret at the end of the runs in " (first) " of " (all) " worlds. Its advantage is "
            "largest with many arms and few rounds. "
            @if overtaken.is_some() {
                "Given enough rounds in a world that does not change, policies that assume as much overtake it (" a href="#C7" { "C7" } "); in one that does, they "
                "can be led astray (" a href="#C11" { "C11" } ")."
            }
        }
        p { "Regret at the end, as a share of what random play loses there. The least in each row is marked." }
        div.scroll {
            table {
                thead { tr {
                    th { "world" } th.number { "rounds" }
                    @for (_, name) in COMPARED { th.number { (name) } }
                } }
                tbody {
                    @for standing in standings {
                        @let shares: Vec<Option<f64>> = COMPARED.iter().map(|(policy, _)| share(standing, policy)).collect();
                        @let least = shares.iter().flatten().copied().fold(f64::INFINITY, f64::min);
                        tr {
                            td { (standing.label) }
                            td.number { (words::count(standing.round)) }
                            @for share in shares {
                                td.number.least[share.is_some_and(|share| share <= least)] {
                                    (share.map_or_else(|| "\u{2013}".to_owned(), words::percent))
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
    let count = |source| report.matrices.iter().filter(|row| row.source == source).count();
    let (real, stand_ins) = (count(Source::Data), count(Source::StandIn));
    html! {
        h3 { "What was run" }
        p {
            (words::count(runs)) " runs of " (words::number(rounds as f64)) " rounds in all, in " (outcome.experiments.len())
            " experiments, at the " strong { (report.manifest.scale) } " scale: "
            @if report.manifest.scale == "paper" {
                "the numbers of runs and rounds of the paper."
            } @else {
                "fewer runs and shorter ones than the paper's, enough to decide most claims. "
                code { "tiltyard reproduce --scale paper" } " runs all of it."
            }
        }
        @if stand_ins > 0 {
            p.note {
                strong { "Synthetic data. " }
                "The paper's matrices of NP2004 and MSLR may not be passed on. Where they were not at hand, matrices of the same shape stand in, made "
                "by simulated users who click on interleaved lists of a made-up collection; every figure on them says so. "
                code { "--data DIR" } " takes the real ones."
            }
        }
        @if real > 0 {
            p.note {
                strong { "Real data. " }
                "Figures on MSLR use the published matrices. The matrix of 64 rankers is presumed to be NP2004; nobody has confirmed it, and numbers on "
                "it need not be the paper's."
            }
        }
    }
}
