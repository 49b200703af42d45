//! C23: especially the anytime version.

use super::decide::{HOLM, WORTH, decide, less};
use super::role::Role;
use super::{ALL_MATRICES, Claim, Evidence, Judgement, Part};

pub(super) const CLAIM: Claim = Claim {
    id: "C23",
    title: "The anytime version is the best of REX3",
    statement: "REX3, and especially its anytime version with adaptive gamma, is competitive: of the two, \
                the anytime version has less regret than the one tuned beforehand for Gmax = T/2.",
    source: "section 6, last sentence",
    test: "Anytime REX3 (dual averaging) against REX3 with the gamma of Gmax = T/2, at the end of every \
           world's runs, paired by run.",
    rule: "Holds if the anytime version has significantly less regret in every world; fails if in one its \
           advantage is surely below 5 %, unless neither has anything to show: worlds where the tuned \
           version loses 90 % or more of what random play loses are not judged.",
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
                "neither has found the best arm at {horizon}: the tuned version loses what random play \
                 loses"
            );
            others.push(Part { numbers: trial.numbers, ..Part::unjudged(world.name, why) });
        } else {
            trials.push(trial);
        }
    }
    decide(trials, others, "Policies `rex3` and `rex3:gmax=T/2`.", "")
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
