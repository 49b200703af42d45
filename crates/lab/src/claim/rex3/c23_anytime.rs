//! C23: anytime REX3 against REX3 tuned in advance.

use super::decide::{HOLM, WORTH, decide, less};
use super::role::Role;
use super::{ALL_MATRICES, Claim, Evidence, Judgement, Part};

pub(super) const CLAIM: Claim = Claim {
    id: "C23",
    title: "Anytime REX3 has less regret than REX3 tuned in advance",
    statement: "REX3 is competitive, especially its anytime version with adaptive gamma: the anytime version \
                has less regret than the version tuned in advance for Gmax = T/2.",
    source: "section 6, last sentence",
    test: "Anytime REX3 (dual averaging) is compared with REX3 with the gamma for Gmax = T/2 at the end of \
           the runs in every world (paired by run).",
    rule: "Holds if the anytime version has significantly less regret in every judged world; fails if in one \
           of them its advantage is significantly below 5 %. Worlds in which the tuned version has at least \
           90 % of the regret of random play are not judged, because neither version has learned anything \
           there.",
    correction: HOLM,
    figure: Some("np2004-64"),
    reads: ALL_MATRICES,
    check,
};

fn check(evidence: &Evidence) -> Judgement {
    let (mut trials, mut others) = (Vec::new(), Vec::new());
    for world in evidence.worlds(ALL_MATRICES) {
        let Some((horizon, [better, worse])) = world.at_end([Role::Anytime, Role::Half]) else { continue };
        let trial =
            less(world.name.to_owned(), (Role::Anytime.name(), &better), (Role::Half.name(), &worse), WORTH);
        if world.is_lost(Role::Half, horizon) {
            let why = format!(
                "neither version has found the best arm at round {horizon}: the tuned version loses as much \
                 as random play"
            );
            others.push(Part { numbers: trial.numbers, ..Part::unjudged(world.name, why) });
        } else {
            trials.push(trial);
        }
    }
    decide(trials, others, "Missing: runs of `rex3` and `rex3:gmax=T/2`.", "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    fn two(anytime: f64, noise: f64, random: f64) -> Vec<Series> {
        let made = |policy| SyntheticSeries { policy, noise, ..SyntheticSeries::default() };
        vec![
            made("rex3:gmax=T/2").series(|t| 2.0 * t.sqrt()),
            made("rex3").series(|t| anytime * t.sqrt()),
            made("random").series(|t| random * t.sqrt()),
        ]
    }

    #[test]
    fn trace_three_verdicts() {
        expect(&judge(&CLAIM, "arxiv", two(1.0, 0.02, 20.0)), Verdict::Holds);
        expect(&judge(&CLAIM, "arxiv", two(2.0, 0.02, 20.0)), Verdict::Fails);
        expect(&judge(&CLAIM, "arxiv", two(1.93, 0.1, 20.0)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "arxiv", two(2.0, 0.02, 2.1)), Verdict::NotRun);
    }
}
