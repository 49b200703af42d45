//! D4: the regret of D-TS is logarithmic.

use super::comparison::{LOGARITHM_RULE, LOGARITHM_TEST, logarithms};
use super::decide::HOLM;
use super::role::Role;
use super::{Claim, Evidence, FIGURES, Judgement};

pub(super) const CLAIM: Claim = Claim {
    id: "D4",
    title: "Regret grows like the logarithm of time",
    statement: "The regret of D-TS and D-TS+ grows like the logarithm of time, with or without a Condorcet \
                winner.",
    source: "abstract: K^2 ln T, and K ln T + K^2 ln ln T with a Condorcet winner",
    test: LOGARITHM_TEST,
    rule: LOGARITHM_RULE,
    correction: HOLM,
    figure: Some("mslr5"),
    reads: FIGURES,
    check,
};

fn check(evidence: &Evidence) -> Judgement {
    let missing = "Missing: runs of `dts` or `dts+` with checkpoints at T/100, T/10 and T that have found \
                   the best arm by T/10.";
    logarithms(evidence, FIGURES, &[Role::Dts, Role::DtsPlus], 0.9, missing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    fn dts(found: u64, noise: f64, regret: impl Fn(f64) -> f64) -> Vec<Series> {
        vec![SyntheticSeries { policy: "dts", found, noise, ..SyntheticSeries::default() }.series(regret)]
    }

    #[test]
    fn trace_three_verdicts() {
        let logarithm = |t: f64| 10.0 * t.ln();
        expect(&judge(&CLAIM, "mslr5", dts(1000, 0.01, logarithm)), Verdict::Holds);
        expect(&judge(&CLAIM, "mslr5", dts(1000, 0.01, |t| t.powf(0.7))), Verdict::Fails);
        expect(&judge(&CLAIM, "mslr5", dts(1000, 0.3, logarithm)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "mslr5", dts(50_000, 0.01, logarithm)), Verdict::NotRun);
    }
}
