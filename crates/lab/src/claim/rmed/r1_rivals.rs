//! R1: RMED1 against earlier policies.

use super::comparison::against;
use super::decide::{HOLM, WORTH, decide};
use super::role::Role;
use super::{Claim, Evidence, FIGURES, Judgement};

pub(super) const CLAIM: Claim = Claim {
    id: "R1",
    title: "RMED has less regret than earlier policies",
    statement: "RMED has significantly less regret than the policies known before it.",
    source: "abstract; section on experiments, the figure on six matrices",
    test: "RMED1 is compared with RUCB, Beat the Mean, SAVAGE, Interleaved Filter, Sparring with UCB and \
           MultiSBM at the end of the runs in every world (paired by run).",
    rule: "Holds if RMED1 has significantly less regret than each rival in every world; fails if its \
           advantage over one rival is significantly below 5 % of that rival's regret.",
    correction: HOLM,
    figure: Some("small"),
    reads: FIGURES,
    check,
};

const RIVALS: [Role; 6] =
    [Role::Rucb, Role::Btm, Role::Savage, Role::If2, Role::SparringUcbWide, Role::MultiSbm];

fn check(evidence: &Evidence) -> Judgement {
    let worlds = evidence.worlds(FIGURES);
    let trials: Vec<_> =
        worlds.iter().flat_map(|world| against(world, Role::Rmed1, &RIVALS, WORTH)).collect();
    decide(trials, Vec::new(), "Missing: runs of `rmed1` and of earlier policies.", "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    fn two(rmed: f64, noise: f64) -> Vec<Series> {
        let made = |policy| SyntheticSeries { policy, noise, ..SyntheticSeries::default() };
        vec![made("rmed1").series(|t| rmed * t.ln()), made("if2").series(|t| 10.0 * t.ln())]
    }

    #[test]
    fn trace_three_verdicts() {
        let finding = judge(&CLAIM, "small", two(3.0, 0.05));
        expect(&finding, Verdict::Holds);
        assert_eq!(finding.judgement.parts[0].name, "arxiv6, T = 100000: RMED1 against IF2");
        expect(&judge(&CLAIM, "large", two(10.0, 0.02)), Verdict::Fails);
        expect(&judge(&CLAIM, "small", two(9.8, 0.2)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "gamma", two(3.0, 0.05)), Verdict::NotRun);
    }
}
