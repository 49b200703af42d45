//! V1: Versatile-DB overtakes policies for the adversarial setting.

use tiltyard_bandit::Stream;

use super::decide::{HOLM, decide, less};
use super::evidence::{WorldResults, mean};
use super::role::Role;
use super::{Claim, Evidence, Judgement, Number, Part};
use crate::results::Series;
use crate::statistics::crossover;

pub(super) const CLAIM: Claim = Claim {
    id: "V1",
    title: "Versatile-DB overtakes REX3 and Sparring",
    statement: "In a world that does not change, Versatile-DB has less regret in the long run than policies \
                built only for the adversarial setting.",
    source: "abstract and introduction: a logarithm instead of a square root",
    test: "Versatile-DB is compared with anytime REX3 and with Sparring with EXP3, which knows the horizon \
           (paired by run). If Versatile-DB has less regret at the end, the regret at the end is tested. If \
           it has more after 1e6 rounds or more, the regret gained in the last decade is tested. For every \
           world, the round at which Versatile-DB overtakes REX3 for good is shown with a bootstrap interval \
           over runs.",
    rule: "Holds if Versatile-DB has or gains significantly less regret than both rivals in every judged \
           world; fails if it gains significantly more in one. A world in which it is behind after fewer \
           than 1e6 rounds is shown but not judged.",
    correction: HOLM,
    figure: Some("stochastic"),
    reads: &["stochastic"],
    check,
};

/// Runs of at least this length count as long.
const LONG: u64 = 1_000_000;

fn check(evidence: &Evidence) -> Judgement {
    let (mut trials, mut others, mut crossings) = (Vec::new(), Vec::new(), Vec::new());
    for world in evidence.worlds(CLAIM.reads) {
        let Some(vdb) = world.find(Role::Vdb) else { continue };
        for rival in [Role::Anytime, Role::Sparring] {
            let Some(series) = world.find(rival) else { continue };
            let horizon = vdb.horizon().min(series.horizon());
            let (Some(ours), Some(theirs)) = (vdb.regret_at(horizon), series.regret_at(horizon)) else {
                continue;
            };
            let name = |what: &str| format!("{}: {what} against {}", world.name, rival.name());
            let vdb_first = |name, better: &[f64], worse: &[f64]| {
                less(name, (Role::Vdb.name(), better), (rival.name(), worse), 0.0)
            };
            if mean(&ours) < mean(&theirs) {
                trials.push(vdb_first(name(&format!("regret at {horizon}")), &ours, &theirs));
                continue;
            }
            let start = horizon / 10;
            match (gained(vdb, start, &ours), gained(series, start, &theirs)) {
                (Some(ours), Some(theirs)) if horizon >= LONG => {
                    let what = format!("regret gained from {start} to {horizon}");
                    trials.push(vdb_first(name(&what), &ours, &theirs));
                }
                _ => {
                    let why = format!("too early: behind after {horizon} rounds");
                    let ratio = Number::exact("ratio of regrets", mean(&ours) / mean(&theirs), "");
                    let part = Part::unjudged(name(&format!("regret at {horizon}")), why);
                    others.push(Part { numbers: vec![ratio], ..part });
                }
            }
        }
        crossings.extend(world.find(Role::Anytime).and_then(|rex3| overtaking(&world, vdb, rex3)));
    }
    let missing = "Missing: runs of `vdb` with `rex3` or `sparring:player=exp3` in which `vdb` is ahead at \
                   the end, or runs of 1e6 rounds.";
    Judgement { numbers: crossings, ..decide(trials, others, missing, "") }
}

/// The regret that each run gains after a round.
fn gained(series: &Series, start: u64, last: &[f64]) -> Option<Vec<f64>> {
    Some(last.iter().zip(series.regret_at(start)?).map(|(last, first)| last - first).collect())
}

/// The round at which Versatile-DB overtakes REX3 for good.
fn overtaking(world: &WorldResults<'_>, vdb: &Series, rex3: &Series) -> Option<Number> {
    let (rounds, ours, theirs) = vdb.beside(rex3);
    let stream = Stream::new(1).label("claim").label("V1").label(world.name);
    let crossing = crossover(stream, &rounds, &ours, &theirs)?;
    let unit = match rounds.last() {
        Some(last) if crossing.at.is_infinite() => {
            format!("not by round {last}, the end of the runs (95 % bootstrap interval)")
        }
        _ => "rounds, up to the next checkpoint (95 % bootstrap interval)".to_owned(),
    };
    let name = format!("Versatile-DB overtakes REX3 in {} at", world.name);
    Some(Number::between(name, crossing.at, (crossing.interval.low, crossing.interval.high), &unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};

    const LONG_RUN: &[u64] = &[1000, 10_000, 100_000, 1_000_000];

    fn three(checkpoints: &[u64], noise: f64, vdb: impl Fn(f64) -> f64) -> Vec<Series> {
        let made = |policy| SyntheticSeries { policy, checkpoints, noise, ..SyntheticSeries::default() };
        vec![
            made("vdb").series(vdb),
            made("rex3").series(f64::sqrt),
            made("sparring:player=exp3").series(|t| 2.0 * t.sqrt()),
        ]
    }

    #[test]
    fn trace_three_verdicts() {
        // 8 ln t is above sqrt(t) at 1e3 (55.3 and 31.6) and below it at 1e4 (73.7 and 100).
        let finding = judge(&CLAIM, "stochastic", three(LONG_RUN, 0.01, |t| 8.0 * t.ln()));
        expect(&finding, Verdict::Holds);
        let crossing = &finding.judgement.numbers[0];
        assert_eq!(crossing.name, "Versatile-DB overtakes REX3 in arxiv6 at");
        assert_eq!((crossing.value, crossing.low, crossing.high), (Some(1e4), Some(1e4), Some(1e4)));
        // Behind after 1e6, but gaining less; and gaining more.
        let behind = judge(&CLAIM, "stochastic", three(LONG_RUN, 0.01, |t| 3000.0 + 8.0 * t.ln()));
        expect(&behind, Verdict::Holds);
        assert_eq!(behind.judgement.numbers[0].value, None);
        assert!(behind.judgement.numbers[0].unit.starts_with("not by round 1000000"));
        expect(&judge(&CLAIM, "stochastic", three(LONG_RUN, 0.01, |t| 3.0 * t.sqrt())), Verdict::Fails);
        expect(&judge(&CLAIM, "stochastic", three(LONG_RUN, 0.5, |t| 1.1 * t.sqrt())), Verdict::Inconclusive);
    }

    /// A policy that is behind after 1e5 rounds is not judged, because this says nothing about the
    /// long run. A policy that is ahead is judged.
    #[test]
    fn trace_too_early() {
        let quick = crate::claim::synthetic::QUICK;
        let finding = judge(&CLAIM, "stochastic", three(quick, 0.01, |t| 3.0 * t.sqrt()));
        expect(&finding, Verdict::NotRun);
        assert_eq!((finding.judgement.parts.len(), finding.judgement.numbers.len()), (2, 1));
        let half = judge(&CLAIM, "stochastic", three(quick, 0.01, |t| 1.5 * t.sqrt()));
        expect(&half, Verdict::Holds);
        assert_eq!(half.judgement.parts.iter().filter(|part| part.verdict.is_some()).count(), 1);
    }
}
