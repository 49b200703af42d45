//! V2: the regret of Versatile-DB is logarithmic.

use super::comparison::logarithms;
use super::decide::HOLM;
use super::role::Role;
use super::{Claim, Evidence, Judgement};

pub(super) const CLAIM: Claim = Claim {
    id: "V2",
    title: "Regret grows like the logarithm of time if one arm beats all others",
    statement: "If one arm beats every other arm and nothing changes, the regret of Versatile-DB grows like \
                the logarithm of time.",
    source: "abstract: sum over arms of ln T / gap against the Condorcet winner",
    test: "Logarithmic regret gains the same amount in every decade of rounds; square-root regret gains \
           sqrt(10) times the amount of the decade before. The regret gained in the last decade is compared \
           with sqrt(10) times the regret gained in the decade before (paired by run). A world is judged if \
           half of the runs play (best, best) when the last decade begins.",
    rule: "Holds if Versatile-DB gains significantly less than a square root would in every judged world; \
           fails if it gains significantly more in one. A world in which it has not found the best arm in \
           time is shown but not judged.",
    correction: HOLM,
    figure: Some("stochastic"),
    reads: &["stochastic"],
    check,
};

/// Versatile-DB keeps exploring at a rate of about 1 / (gap^2 t). At a given round, fewer of its
/// runs play (best, best) than runs of a policy that has settled.
const FOUND: f64 = 0.5;

fn check(evidence: &Evidence) -> Judgement {
    let missing =
        "Missing: runs of `vdb` with checkpoints at T/100, T/10 and T that have found the best arm by T/10.";
    logarithms(evidence, CLAIM.reads, &[Role::Vdb], FOUND, missing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    fn vdb(found: u64, noise: f64, regret: impl Fn(f64) -> f64) -> Vec<Series> {
        vec![SyntheticSeries { policy: "vdb", found, noise, ..SyntheticSeries::default() }.series(regret)]
    }

    #[test]
    fn trace_three_verdicts() {
        let logarithm = |t: f64| 10.0 * t.ln();
        expect(&judge(&CLAIM, "stochastic", vdb(1000, 0.01, logarithm)), Verdict::Holds);
        expect(&judge(&CLAIM, "stochastic", vdb(1000, 0.01, |t| t.powf(0.7))), Verdict::Fails);
        expect(&judge(&CLAIM, "stochastic", vdb(1000, 0.3, logarithm)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "stochastic", vdb(50_000, 0.01, logarithm)), Verdict::NotRun);
    }
}
