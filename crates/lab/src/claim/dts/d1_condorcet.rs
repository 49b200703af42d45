//! D1: D-TS with a Condorcet winner.

use super::comparison::against;
use super::decide::{HOLM, WORTH, decide};
use super::role::Role;
use super::{COPELAND, Claim, Evidence, FIGURES, Judgement};

pub(super) const CLAIM: Claim = Claim {
    id: "D1",
    title: "D-TS has less regret than its rivals if there is a Condorcet winner",
    statement: "If there is a Condorcet winner, D-TS has less regret than contemporary policies that use \
                confidence bounds or elimination.",
    source: "section on experiments, the figure on five rankers of MSLR with a Condorcet winner; abstract",
    test: "D-TS is compared with RUCB, RCS, CCB, SCB, SAVAGE, Beat the Mean and Sparring with UCB at the end \
           of the runs, in every world with a Condorcet winner (paired by run).",
    rule: "Holds if D-TS has significantly less regret than each rival in every world; fails if its \
           advantage over one rival is significantly below 5 % of that rival's regret.",
    correction: HOLM,
    figure: Some("mslr5"),
    reads: FIGURES,
    check,
};

const RIVALS: [Role; 7] =
    [Role::Rucb, Role::Rcs, Role::Ccb, Role::Scb, Role::SavageCopeland, Role::BtmWide, Role::SparringUcb];

fn check(evidence: &Evidence) -> Judgement {
    let worlds = evidence.worlds(FIGURES);
    let condorcet = worlds.iter().filter(|world| world.name != COPELAND);
    let trials: Vec<_> = condorcet.flat_map(|world| against(world, Role::Dts, &RIVALS, WORTH)).collect();
    decide(
        trials,
        Vec::new(),
        "Missing: runs of `dts` and its rivals in a world with a Condorcet winner.",
        "",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    fn two(world: &str, dts: f64, noise: f64) -> Vec<Series> {
        let made = |policy| SyntheticSeries { world, policy, noise, ..SyntheticSeries::default() };
        vec![made("dts").series(|t| dts * t.ln()), made("rucb:alpha=0.51").series(|t| 10.0 * t.ln())]
    }

    #[test]
    fn trace_three_verdicts() {
        let finding = judge(&CLAIM, "mslr5", two("mslr5-condorcet", 3.0, 0.05));
        expect(&finding, Verdict::Holds);
        assert_eq!(finding.judgement.parts[0].name, "mslr5-condorcet, T = 100000: D-TS against RUCB");
        expect(&judge(&CLAIM, "mslr5", two("arxiv6", 10.0, 0.02)), Verdict::Fails);
        expect(&judge(&CLAIM, "mslr5", two("arxiv6", 9.8, 0.2)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "mslr5", two(COPELAND, 3.0, 0.05)), Verdict::NotRun);
    }
}
