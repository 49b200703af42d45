//! R2: near what no policy can beat.

use tiltyard_bandit::theory::rmed_lower;

use super::decide::{HOLM, below, decide};
use super::role::Role;
use super::{Claim, Evidence, FIGURES, Judgement, Number, Part};
use crate::statistics::TTest;

pub(super) const CLAIM: Claim = Claim {
    id: "R2",
    title: "RMED2FH grows like the lower bound",
    statement: "The regret of RMED2FH grows like the least that any policy can have in the long run, C ln T, where C depends on the \
                matrix.",
    source: "abstract and the theorem on RMED2FH: an upper bound that matches the lower one",
    test: "What RMED2FH loses more at the longest horizon than at a tenth of it, divided by C ln 10; separate runs for both \
           horizons (Welch). Judged where nine of ten runs of the shorter horizon end with (best, best).",
    rule: "Holds if the ratio is significantly below 2 in every such world; fails if it is significantly above 2 in one. A world in \
           which the best arm was not found by then is shown but not judged. A policy that is as good as the bound has a ratio of \
           1 in the end; RMED1, RMED2 and RUCB are shown beside it.",
    correction: HOLM,
    figure: Some("small"),
    reads: FIGURES,
    check,
};

/// The ratio that is still called near the bound.
const NEAR: f64 = 2.0;

fn check(evidence: &Evidence) -> Judgement {
    let (mut trials, mut others) = (Vec::new(), Vec::new());
    for world in evidence.worlds(FIGURES) {
        let constant = evidence.matrix(world.name).and_then(|(matrix, _)| rmed_lower(matrix));
        let Some(constant) = constant.filter(|constant| *constant > 0.0) else { continue };
        let ratio = |role: Role| {
            let series = world.find(role)?;
            let horizon = series.horizon();
            let scaled = |round: u64| {
                let regret = series.regret_at(round)?;
                Some(regret.iter().map(|regret| regret / (constant * 10f64.ln())).collect::<Vec<f64>>())
            };
            let (late, early) = (scaled(horizon)?, scaled(horizon / 10)?);
            // One run of a policy that is told no horizon has both.
            let told = role == Role::Rmed2fh;
            Some((horizon, if told { TTest::welch(&late, &early) } else { TTest::paired(&late, &early) }))
        };
        let Some((horizon, test)) = ratio(Role::Rmed2fh) else { continue };
        let name = format!("{}, from {} to {horizon}", world.name, horizon / 10);
        let mut trial = below(name, "growth / C ln 10", test, NEAR, 1.0);
        trial.numbers.push(Number::exact("C", constant, "the lower bound is C ln T"));
        for role in [Role::Rmed1, Role::Rmed2, Role::Rucb] {
            if let Some((_, test)) = ratio(role) {
                trial.numbers.push(Number::exact(
                    role.name(),
                    test.estimate,
                    "times C ln 10 in the last decade",
                ));
            }
        }
        if world.find(Role::Rmed2fh).is_some_and(|series| series.has_identified(horizon / 10)) {
            trials.push(trial);
        } else {
            let why = format!("too early: it does not know the best arm at {}", horizon / 10);
            others.push(Part { numbers: trial.numbers, ..Part::unjudged(trial.name, why) });
        }
    }
    let missing = "Policy `rmed2fh` at two horizons, at the shorter of which it has found the best arm, and the matrix of \
                       the world.";
    decide(
        trials,
        others,
        missing,
        "The bound is one on growth in the limit. What is lost before it sets in, by comparing every pair, does not count here, and is \
         the larger part of the regret at these horizons.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::synthetic::{SyntheticSeries, expect};
    use crate::claim::{Verdict, check as check_claim};
    use crate::engine::plan::Source;
    use tiltyard_bandit::matrix::builtin;

    fn evidence(factor: f64, noise: f64, found: u64) -> Evidence {
        let mut evidence = Evidence::new();
        let matrix = builtin::arxiv6();
        let constant = rmed_lower(&matrix).unwrap();
        let rmed = SyntheticSeries { policy: "rmed2fh", noise, found, ..SyntheticSeries::default() };
        evidence.add_figure("small", [rmed.series(|t| 50.0 + factor * constant * t.ln())]);
        evidence.add_matrix("arxiv6", matrix, Source::Named);
        evidence
    }

    #[test]
    fn trace_three_verdicts() {
        let finding = check_claim(&CLAIM, &evidence(1.1, 0.03, 1000));
        expect(&finding, Verdict::Holds);
        let ratio = finding.judgement.parts[0].numbers[0].value.unwrap();
        assert!((ratio - 1.1).abs() < 1e-9, "{ratio}");
        expect(&check_claim(&CLAIM, &evidence(3.0, 0.03, 1000)), Verdict::Fails);
        expect(&check_claim(&CLAIM, &evidence(2.0, 0.2, 1000)), Verdict::Inconclusive);
        expect(&check_claim(&CLAIM, &evidence(3.0, 0.03, 50_000)), Verdict::NotRun);
        let mut without = Evidence::new();
        without.add_figure("small", evidence(1.0, 0.1, 1000).figure("small").to_vec());
        expect(&check_claim(&CLAIM, &without), Verdict::NotRun);
    }
}
