//! C14: elimination with and without a known horizon.

use super::decide::{HOLM, SMALL, alike, decide};
use super::role::Role;
use super::{Claim, Evidence, Judgement, Verdict};

pub(super) const CLAIM: Claim = Claim {
    id: "C14",
    title: "Elimination loses little without a horizon",
    statement: "For policies that eliminate arms, such as Beat the Mean and SAVAGE, the regret with a known \
                horizon differs little from the regret without one.",
    source: "section 5.2, the paragraph on the protocol; the caption of the figure on 16 and 32 rankers",
    test: "delta = 1e-8 without a horizon, as in the paper, is compared with delta = 1/T at the end, \
           wherever both were run (paired by run). Two one-sided tests check whether the difference is \
           within 10 %.",
    rule: "Holds if every difference is significantly within 10 % of the regret with a known horizon; fails \
           if one is significantly beyond.",
    correction: HOLM,
    figure: Some("np2004-16"),
    reads: &["np2004-16", "np2004-32", "claim-14"],
    check,
};

fn check(evidence: &Evidence) -> Judgement {
    let mut trials = Vec::new();
    for world in evidence.worlds(CLAIM.reads) {
        for (anytime, fixed) in [(Role::SavageAnytime, Role::Savage), (Role::BtmAnytime, Role::Btm)] {
            let Some((_, [a, b])) = world.at_end([anytime, fixed]) else { continue };
            let name = format!("{}: {}", world.name, fixed.name());
            trials.push(alike(name, (anytime.name(), &a), (fixed.name(), &b), SMALL));
        }
    }
    decide(trials, Vec::new(), "Missing: runs of BTM or SAVAGE with delta = 1e-8 and with delta = 1/T.", "")
        .because(
            Verdict::Fails,
            "The difference is small only while nothing is eliminated and both forms lose as much as random \
             play. Once arms are eliminated, delta = 1e-8 requires ln(1e8) / ln(T) times as many duels.",
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    fn two(factor: f64, noise: f64) -> Vec<Series> {
        let made = |policy| SyntheticSeries { policy, noise, ..SyntheticSeries::default() };
        vec![
            made("btm:gamma=1.1,delta=1/T").series(|t| 0.05 * t),
            made("btm:gamma=1.1,delta=1e-8").series(|t| factor * 0.05 * t),
        ]
    }

    #[test]
    fn trace_three_verdicts() {
        expect(&judge(&CLAIM, "claim-14", two(1.0, 0.02)), Verdict::Holds);
        expect(&judge(&CLAIM, "claim-14", two(1.5, 0.02)), Verdict::Fails);
        expect(&judge(&CLAIM, "claim-14", two(1.08, 0.25)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "arxiv", two(1.0, 0.02)), Verdict::NotRun);
    }
}
