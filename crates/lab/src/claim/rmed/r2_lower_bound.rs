//! R2: RMED2FH against the lower bound.

use tiltyard_bandit::theory::rmed_lower;

use super::decide::{HOLM, below, decide};
use super::role::Role;
use super::{Claim, Evidence, FIGURES, Judgement, Number, Part};
use crate::statistics::TTest;

pub(super) const CLAIM: Claim = Claim {
    id: "R2",
    title: "The regret of RMED2FH grows like the lower bound",
    statement: "The regret of RMED2FH grows like C ln T, the least regret that any policy can have in the \
                long run. C depends on the matrix.",
    source: "abstract and the theorem on RMED2FH: an upper bound that matches the lower bound",
    test: "The regret of RMED2FH at the longest horizon minus its regret at a tenth of that horizon, divided \
           by C ln 10. The two horizons have separate runs (Welch's test). A world is judged if nine of ten \
           runs at the shorter horizon end with (best, best).",
    rule: "Holds if the ratio is significantly below 2 in every judged world; fails if it is significantly \
           above 2 in one. A world in which the best arm was not found in time is shown but not judged. A \
           policy that attains the bound has a ratio of 1 in the limit. RMED1, RMED2 and RUCB are shown for \
           comparison.",
    correction: HOLM,
    figure: Some("small"),
    reads: FIGURES,
    check,
};

/// The largest ratio that still counts as near the bound.
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
            // A policy without a known horizon has both regrets in the same run.
            let told = role == Role::Rmed2fh;
            Some((horizon, if told { TTest::welch(&late, &early) } else { TTest::paired(&late, &early) }))
        };
        let Some((horizon, test)) = ratio(Role::Rmed2fh) else { continue };
        let name = format!("{}, from {} to {horizon}", world.name, horizon / 10);
        let mut trial = below(name, "growth / C ln 10", test, NEAR, 1.0);
        trial.numbers.push(Number::exact("C", constant, "(the lower bound is C ln T)"));
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
            let why = format!("too early: RMED2FH has not found the best arm at horizon {}", horizon / 10);
            others.push(Part { numbers: trial.numbers, ..Part::unjudged(trial.name, why) });
        }
    }
    let missing = "Missing: runs of `rmed2fh` at two horizons that have found the best arm at the shorter \
                   one, and the matrix of the world.";
    decide(
        trials,
        others,
        missing,
        "The bound concerns growth in the limit. The regret of the initial phase, in which every pair is \
         compared, does not count here, although it is the larger part of the regret at these horizons.",
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
