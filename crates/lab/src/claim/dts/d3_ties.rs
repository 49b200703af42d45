//! D3: D-TS+ against D-TS.

use super::decide::{HOLM, WORTH, decide, no_more};
use super::role::Role;
use super::{Claim, Evidence, FIGURES, Judgement};

pub(super) const CLAIM: Claim = Claim {
    id: "D3",
    title: "D-TS+ has no more regret than D-TS",
    statement: "D-TS+, which breaks ties by the cost of the duels, has no more regret than D-TS.",
    source: "abstract and the section on D-TS+: lower regret in practice",
    test: "D-TS+ is compared with D-TS at the end of the runs in every world (paired by run).",
    rule: "Holds if the regret of D-TS+ is significantly below 105 % of the regret of D-TS in every world; \
           fails if it is significantly above 105 % in one world.",
    correction: HOLM,
    figure: Some("mslr5"),
    reads: FIGURES,
    check,
};

fn check(evidence: &Evidence) -> Judgement {
    let mut trials = Vec::new();
    for world in evidence.worlds(FIGURES) {
        let Some((round, [plus, dts])) = world.at_end([Role::DtsPlus, Role::Dts]) else { continue };
        let name = format!("{}, T = {round}", world.name);
        trials.push(no_more(name, (Role::DtsPlus.name(), &plus), (Role::Dts.name(), &dts), WORTH));
    }
    decide(trials, Vec::new(), "Missing: runs of `dts` and `dts+`.", "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    fn two(plus: f64, noise: f64) -> Vec<Series> {
        let made = |policy| SyntheticSeries { policy, noise, ..SyntheticSeries::default() };
        vec![made("dts").series(|t| 10.0 * t.ln()), made("dts+").series(|t| plus * t.ln())]
    }

    #[test]
    fn trace_three_verdicts() {
        expect(&judge(&CLAIM, "mslr5", two(9.0, 0.05)), Verdict::Holds);
        expect(&judge(&CLAIM, "mslr5", two(10.0, 0.01)), Verdict::Holds);
        expect(&judge(&CLAIM, "mslr5", two(12.0, 0.05)), Verdict::Fails);
        expect(&judge(&CLAIM, "mslr5", two(10.4, 0.2)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "gamma", two(9.0, 0.05)), Verdict::NotRun);
    }
}
