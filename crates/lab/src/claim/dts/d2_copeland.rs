//! D2: D-TS without a Condorcet winner.

use super::comparison::against;
use super::decide::{HOLM, WORTH, decide};
use super::role::Role;
use super::{COPELAND, Claim, Evidence, FIGURES, Judgement, Verdict};

pub(super) const CLAIM: Claim = Claim {
    id: "D2",
    title: "D-TS has less regret than its rivals if there is no Condorcet winner",
    statement: "If there is no Condorcet winner, D-TS has less regret than other policies that look for a \
                Copeland winner and than policies that assume a Condorcet winner.",
    source: "section on experiments, the figure on five rankers of MSLR without a Condorcet winner",
    test: "D-TS is compared with CCB, SCB and SAVAGE for Copeland winners, and with RUCB and RMED1, at the \
           end of the runs in the world without a Condorcet winner (paired by run). Regret is measured in \
           Copeland scores.",
    rule: "Holds if D-TS has significantly less regret than each rival; fails if its advantage over one \
           rival is significantly below 5 % of that rival's regret.",
    correction: HOLM,
    figure: Some("mslr5"),
    reads: FIGURES,
    check,
};

const RIVALS: [Role; 5] = [Role::Ccb, Role::Scb, Role::SavageCopeland, Role::Rucb, Role::Rmed1];

fn check(evidence: &Evidence) -> Judgement {
    let worlds = evidence.worlds(FIGURES);
    let copeland = worlds.iter().filter(|world| world.name == COPELAND);
    let trials: Vec<_> = copeland.flat_map(|world| against(world, Role::Dts, &RIVALS, WORTH)).collect();
    decide(
        trials,
        Vec::new(),
        "Missing: runs of `dts` and its rivals in a world without a Condorcet winner.",
        "",
    )
    .because(
        Verdict::Inconclusive,
        "Preferences within 0.01 or 0.02 of 1/2 take more rounds than these to distinguish from 1/2.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    fn two(world: &str, dts: f64, noise: f64) -> Vec<Series> {
        let made = |policy| SyntheticSeries { world, policy, noise, ..SyntheticSeries::default() };
        vec![made("dts").series(|t| dts * t.ln()), made("ccb").series(|t| 10.0 * t.ln())]
    }

    #[test]
    fn trace_three_verdicts() {
        expect(&judge(&CLAIM, "mslr5", two(COPELAND, 3.0, 0.05)), Verdict::Holds);
        expect(&judge(&CLAIM, "mslr5", two(COPELAND, 11.0, 0.02)), Verdict::Fails);
        expect(&judge(&CLAIM, "mslr5", two(COPELAND, 9.8, 0.2)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "mslr5", two("arxiv6", 3.0, 0.05)), Verdict::NotRun);
    }
}
