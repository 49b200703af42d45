//! V5: Versatile-DB where stochastic policies are deceived.

use super::comparison::against;
use super::decide::{HOLM, WORTH, decide};
use super::role::Role;
use super::{Claim, Evidence, Judgement};

pub(super) const CLAIM: Claim = Claim {
    id: "V5",
    title: "Versatile-DB is not deceived where stochastic policies are",
    statement: "In worlds that change, Versatile-DB has less regret than a policy that assumes a fixed \
                world.",
    source: "abstract and introduction: one algorithm for both kinds of world",
    test: "Versatile-DB is compared with RUCB in the switch trap and in the deceptive world at the end of \
           the runs (paired by run).",
    rule: "Holds if Versatile-DB has significantly less regret in both worlds; fails if in one of them its \
           advantage is significantly below 5 % of the regret of RUCB.",
    correction: HOLM,
    figure: Some("adversarial"),
    reads: &["adversarial"],
    check,
};

fn check(evidence: &Evidence) -> Judgement {
    let worlds = evidence.worlds(CLAIM.reads);
    let trials: Vec<_> =
        worlds.iter().flat_map(|world| against(world, Role::Vdb, &[Role::Rucb], WORTH)).collect();
    decide(trials, Vec::new(), "Missing: runs of `vdb` and `rucb:alpha=0.51` in worlds that change.", "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    fn two(vdb: f64, noise: f64) -> Vec<Series> {
        let made = |policy| SyntheticSeries {
            world: "deceptive10",
            n_arms: 10,
            policy,
            noise,
            ..SyntheticSeries::default()
        };
        vec![made("vdb").series(|t| vdb * t.sqrt()), made("rucb:alpha=0.51").series(|t| 10.0 * t.sqrt())]
    }

    #[test]
    fn trace_three_verdicts() {
        expect(&judge(&CLAIM, "adversarial", two(2.0, 0.05)), Verdict::Holds);
        expect(&judge(&CLAIM, "adversarial", two(10.0, 0.02)), Verdict::Fails);
        expect(&judge(&CLAIM, "adversarial", two(9.8, 0.2)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "stochastic", two(2.0, 0.05)), Verdict::NotRun);
    }
}
