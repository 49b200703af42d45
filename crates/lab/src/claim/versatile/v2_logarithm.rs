//! V2: the logarithm of time.

use super::comparison::logarithms;
use super::decide::HOLM;
use super::role::Role;
use super::{Claim, Evidence, Judgement};

pub(super) const CLAIM: Claim = Claim {
    id: "V2",
    title: "The logarithm of time where one arm beats all others",
    statement: "Where one arm beats every other and nothing changes, the regret of Versatile-DB grows like the \
                logarithm of time.",
    source: "abstract: sum over arms of ln T / gap against the Condorcet winner",
    test: "A logarithm gains as much in every decade, a square root sqrt(10) times as much as in the decade before. The \
           regret gained in the last decade is compared with sqrt(10) times that of the decade before (paired by \
           run), where half of the runs play (best, best) when the last decade begins.",
    rule: "Holds if it gains less than a square root would in every such world; fails if it gains more in one. A world in \
           which it has not found the best arm by then is shown but not judged.",
    correction: HOLM,
    figure: Some("stochastic"),
    reads: &["stochastic"],
    check,
};

/// It goes on exploring at a rate of about 1 / (gap^2 t), so that fewer runs play (best, best) at a
/// given round than of a policy that has settled.
const FOUND: f64 = 0.5;

fn check(evidence: &Evidence) -> Judgement {
    let missing = "Three decades of `vdb`, with the best arm found when the last begins.";
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
