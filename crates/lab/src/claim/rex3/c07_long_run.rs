//! C7: in the long run stochastic policies win.

use tiltyard_bandit::Stream;

use super::decide::{HOLM, decide, less};
use super::evidence::{WorldResults, mean};
use super::role::Role;
use super::{Claim, Evidence, Judgement, MATRICES, Number, Part};
use crate::results::Series;
use crate::statistics::crossover;

pub(super) const CLAIM: Claim = Claim {
    id: "C7",
    title: "In the long run stochastic policies win",
    statement: "In the long run, adversarial-setting policies keep exploring and cannot compete in regret \
                with stochastic-setting policies if preferences do not change.",
    source: "section 5.2, 'In the long run, ...' (C21 checks its other half, on small horizons and many \
             rankers)",
    test: "Anytime REX3 is compared with RUCB, which is anytime too (paired by run). If RUCB has less regret \
           at the end, the regret at the end is tested. If it has more, but plays (best, best) in nine of \
           ten runs when the last decade begins, the regret gained in that decade is tested. The round at \
           which RUCB overtakes for good is shown with a bootstrap interval over runs.",
    rule: "Holds if RUCB has or gains significantly less regret in every judged world; fails if it gains \
           significantly more in one. A world in which RUCB is behind and had not found the best arm in time \
           is shown but not judged.",
    correction: HOLM,
    figure: Some("arxiv"),
    reads: MATRICES,
    check,
};

fn check(evidence: &Evidence) -> Judgement {
    let (mut trials, mut others) = (Vec::new(), Vec::new());
    for world in evidence.worlds(MATRICES) {
        let (Some(rex3), Some(rucb)) = (world.find(Role::Anytime), world.find(Role::Rucb)) else { continue };
        let horizon = rex3.horizon().min(rucb.horizon());
        let start = horizon / 10;
        let (Some(ours), Some(theirs)) = (rex3.regret_at(horizon), rucb.regret_at(horizon)) else { continue };
        let numbers = overtaking(&world, rex3, rucb);
        let rucb_first = |name, better: &[f64], worse: &[f64]| {
            less(name, (Role::Rucb.name(), better), (Role::Anytime.name(), worse), 0.0)
        };
        let trial = if mean(&theirs) < mean(&ours) {
            rucb_first(format!("{}, regret at {horizon}", world.name), &theirs, &ours)
        } else if rucb.has_identified(start) {
            let gain = |last: &[f64], series: &Series| {
                let first = series.regret_at(start).unwrap_or_default();
                last.iter().zip(first).map(|(last, first)| last - first).collect::<Vec<_>>()
            };
            let (rucb, rex3) = (gain(&theirs, rucb), gain(&ours, rex3));
            if rucb.is_empty() || rex3.is_empty() {
                continue;
            }
            rucb_first(format!("{}, regret gained from {start} to {horizon}", world.name), &rucb, &rex3)
        } else {
            let why = format!("too early: RUCB is behind and had not found the best arm in round {start}");
            others.push(Part { numbers, ..Part::unjudged(world.name, why) });
            continue;
        };
        let mut trial = trial;
        trial.numbers.extend(numbers);
        trials.push(trial);
    }
    let missing =
        "Missing: runs of `rex3` and `rucb:alpha=0.51` that are long enough for RUCB to find the best arm.";
    decide(trials, others, missing, "")
}

/// The first checkpoint from which RUCB's mean regret stays below REX3's, with a bootstrap
/// interval.
fn overtaking(world: &WorldResults<'_>, rex3: &Series, rucb: &Series) -> Vec<Number> {
    let (rounds, ours, theirs) = rex3.beside(rucb);
    let stream = Stream::new(1).label("claim").label("C7").label(world.name);
    let Some(crossing) = crossover(stream, &rounds, &theirs, &ours) else { return Vec::new() };
    vec![Number::between(
        "RUCB overtakes at",
        crossing.at,
        (crossing.interval.low, crossing.interval.high),
        "rounds, up to the next checkpoint (95 % bootstrap interval; empty if it has not by the end)",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};

    fn two(noise: f64, found: u64, rucb: impl Fn(f64) -> f64) -> Vec<Series> {
        let made = |policy| SyntheticSeries { policy, noise, found, ..SyntheticSeries::default() };
        vec![made("rex3").series(f64::sqrt), made("rucb:alpha=0.51").series(rucb)]
    }

    #[test]
    fn trace_three_verdicts() {
        // 8 ln t is above sqrt(t) at 3162 (64.5 and 56.2) and below it at 1e4 (73.7 and 100).
        let finding = judge(&CLAIM, "arxiv", two(0.01, 1000, |t| 8.0 * t.ln()));
        expect(&finding, Verdict::Holds);
        let crossing = finding.judgement.parts[0].numbers.last().unwrap();
        assert_eq!(
            (crossing.value, crossing.low, crossing.high),
            (Some(10_000.0), Some(10_000.0), Some(10_000.0))
        );
        // Behind, but gaining less.
        let behind = judge(&CLAIM, "arxiv", two(0.01, 1000, |t| 300.0 + 8.0 * t.ln()));
        expect(&behind, Verdict::Holds);
        assert_eq!(behind.judgement.parts[0].numbers.last().unwrap().value, None);
        // RUCB knows the best arm and still gains more.
        expect(&judge(&CLAIM, "arxiv", two(0.01, 1000, |t| 2.0 * t.sqrt())), Verdict::Fails);
        expect(&judge(&CLAIM, "arxiv", two(0.5, 1000, |t| 1.1 * t.sqrt())), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "arxiv", two(0.01, 50_000, |t| 2.0 * t.sqrt())), Verdict::NotRun);
    }
}
