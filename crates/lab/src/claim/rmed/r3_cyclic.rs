//! R3: the winner is not always the best opponent.

use super::comparison::against;
use super::decide::{HOLM, WORTH, decide};
use super::role::Role;
use super::{Claim, Evidence, Judgement};

pub(super) const CLAIM: Claim = Claim {
    id: "R3",
    title: "RMED2 has less regret than RMED1 where the winner is a poor opponent",
    statement: "If duels with other arms rule an arm out at less cost than duels with the winner, RMED2 and \
                RMED2FH, which look for the best opponent, have less regret than RMED1, which does not.",
    source: "the lower bound and the discussion of RMED1 and RMED2; section on experiments, cyclic matrix",
    test: "RMED2 and RMED2FH are compared with RMED1 in the cyclic matrix at the end of the runs (paired by \
           run). There each other arm loses to the winner with probability 0.6 and to one further arm with \
           probability 0.9.",
    rule: "Holds if both have significantly less regret than RMED1; fails if the advantage of one of them is \
           significantly below 5 % of the regret of RMED1.",
    correction: HOLM,
    figure: Some("small"),
    reads: &["small"],
    check,
};

fn check(evidence: &Evidence) -> Judgement {
    let worlds = evidence.worlds(CLAIM.reads);
    let trials: Vec<_> = worlds
        .iter()
        .filter(|world| world.name == "cyclic4")
        .flat_map(|world| {
            [Role::Rmed2, Role::Rmed2fh].map(|role| against(world, role, &[Role::Rmed1], WORTH))
        })
        .flatten()
        .collect();
    decide(trials, Vec::new(), "Missing: runs of `rmed1`, `rmed2` and `rmed2fh` in `cyclic4`.", "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    fn two(world: &str, rmed2: f64, noise: f64) -> Vec<Series> {
        let made = |policy| SyntheticSeries { world, policy, noise, ..SyntheticSeries::default() };
        vec![made("rmed2").series(|t| rmed2 * t.ln()), made("rmed1").series(|t| 10.0 * t.ln())]
    }

    #[test]
    fn trace_three_verdicts() {
        expect(&judge(&CLAIM, "small", two("cyclic4", 3.0, 0.05)), Verdict::Holds);
        expect(&judge(&CLAIM, "small", two("cyclic4", 10.0, 0.02)), Verdict::Fails);
        expect(&judge(&CLAIM, "small", two("cyclic4", 9.8, 0.2)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "small", two("arxiv6", 3.0, 0.05)), Verdict::NotRun);
    }
}
