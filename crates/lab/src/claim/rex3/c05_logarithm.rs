//! C5: the regret of stochastic policies is logarithmic.

use super::decide::{HOLM, decades, decide};
use super::evidence::mean;
use super::role::Role;
use super::{Claim, Evidence, Judgement, MATRICES, Number, Part};

pub(super) const CLAIM: Claim = Claim {
    id: "C5",
    title: "Regret of stochastic policies grows like the logarithm of time",
    statement: "Once RUCB, SAVAGE and Beat the Mean know the best arm, their regret grows like the logarithm \
                of time.",
    source: "section 5.2, 'As expected, ...'",
    test: "Logarithmic regret gains the same amount in every decade of rounds; square-root regret gains \
           sqrt(10) times the amount of the decade before. The regret gained in the last decade is compared \
           with sqrt(10) times the regret gained in the decade before (paired by run). A policy is judged if \
           nine of ten runs play (best, best) when the last decade begins.",
    rule: "Holds if every judged policy gains significantly less than a square root would; fails if one \
           gains significantly more. A policy that has not found the best arm in time is shown but not \
           judged.",
    correction: HOLM,
    figure: Some("arxiv"),
    reads: MATRICES,
    check,
};

fn check(evidence: &Evidence) -> Judgement {
    let (mut trials, mut others) = (Vec::new(), Vec::new());
    for world in evidence.worlds(MATRICES) {
        for role in Role::STOCHASTIC {
            let Some(series) = world.find(role) else { continue };
            let name = format!("{}: {}", world.name, role.name());
            let horizon = series.horizon();
            let [first, start] = [horizon / 100, horizon / 10];
            let regrets = [first, start, horizon].map(|round| series.regret_at(round));
            let [Some(first), Some(middle), Some(last)] = regrets else { continue };
            if series.has_identified(start) {
                trials.push(decades(name, &first, &middle, &last));
            } else {
                let (hits, n) = series.hits(start).unwrap_or((0, 0));
                let why = format!("too early: {hits} of {n} runs play (best, best) in round {start}");
                let growth =
                    Number::exact("regret at the end", mean(&last), &format!("after {horizon} rounds"));
                others.push(Part { numbers: vec![growth], ..Part::unjudged(name, why) });
            }
        }
    }
    let missing = "Missing: runs of RUCB, SAVAGE or BTM with checkpoints at T/100, T/10 and T that have \
                   found the best arm by T/10.";
    decide(
        trials,
        others,
        missing,
        "With the paper's radius, Beat the Mean eliminates nothing for a long time (about (6 gamma^2 / \
         gap)^2 ln T rounds per arm). Until then it loses as much as random play, and its regret is linear.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    fn policy(found: u64, noise: f64, regret: impl Fn(f64) -> f64) -> Vec<Series> {
        vec![
            SyntheticSeries {
                world: "savage6",
                policy: "rucb:alpha=0.51",
                found,
                noise,
                ..SyntheticSeries::default()
            }
            .series(regret),
        ]
    }

    #[test]
    fn trace_three_verdicts() {
        let logarithm = |t: f64| 10.0 * t.ln();
        let finding = judge(&CLAIM, "claim-06", policy(1000, 0.01, logarithm));
        expect(&finding, Verdict::Holds);
        let ratio = finding.judgement.parts[0].numbers[2].value.unwrap();
        assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
        expect(&judge(&CLAIM, "claim-06", policy(1000, 0.01, |t| t.powf(0.7))), Verdict::Fails);
        expect(&judge(&CLAIM, "claim-06", policy(1000, 0.3, logarithm)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "claim-06", policy(50_000, 0.01, logarithm)), Verdict::NotRun);
    }
}
