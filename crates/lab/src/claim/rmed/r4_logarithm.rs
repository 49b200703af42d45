//! R4: the regret of RMED is logarithmic.

use super::comparison::{LOGARITHM_RULE, LOGARITHM_TEST, logarithms};
use super::decide::HOLM;
use super::role::Role;
use super::{Claim, Evidence, FIGURES, Judgement};

pub(super) const CLAIM: Claim = Claim {
    id: "R4",
    title: "Regret grows like the logarithm of time",
    statement: "The regret of RMED1 and RMED2 grows like the logarithm of time.",
    source: "the theorems on RMED1 and RMED2",
    test: LOGARITHM_TEST,
    rule: LOGARITHM_RULE,
    correction: HOLM,
    figure: Some("small"),
    reads: FIGURES,
    check,
};

fn check(evidence: &Evidence) -> Judgement {
    let missing = "Missing: runs of `rmed1` or `rmed2` with checkpoints at T/100, T/10 and T that have found \
                   the best arm by T/10.";
    logarithms(evidence, FIGURES, &[Role::Rmed1, Role::Rmed2], 0.9, missing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    fn rmed(found: u64, noise: f64, regret: impl Fn(f64) -> f64) -> Vec<Series> {
        vec![SyntheticSeries { policy: "rmed1", found, noise, ..SyntheticSeries::default() }.series(regret)]
    }

    #[test]
    fn trace_three_verdicts() {
        let logarithm = |t: f64| 10.0 * t.ln();
        expect(&judge(&CLAIM, "small", rmed(1000, 0.01, logarithm)), Verdict::Holds);
        expect(&judge(&CLAIM, "small", rmed(1000, 0.01, |t| t.powf(0.7))), Verdict::Fails);
        expect(&judge(&CLAIM, "small", rmed(1000, 0.3, logarithm)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "small", rmed(50_000, 0.01, logarithm)), Verdict::NotRun);
    }
}
