//! C22: whom the protocol favours.

use super::decide::{HOLM, WORTH, decide, less};
use super::role::Role;
use super::{Claim, Evidence, Judgement, Part, Verdict};

pub(super) const CLAIM: Claim = Claim {
    id: "C22",
    title: "The protocol favours a known horizon",
    statement: "Running policies with a known horizon anew for each horizon is slightly favourable to \
                them, because they know more.",
    source: "section 5.2, 'This protocol is slightly favorable ...'",
    test: "The same algorithm with and without the horizon, at the end, paired by run: REX3 with Gmax = \
           T/2 against anytime REX3 (dual averaging), SAVAGE and Beat the Mean with delta = 1/T against \
           delta = 1e-8, wherever both were run.",
    rule: "Holds if knowing the horizon significantly lowers regret in every comparison; fails if one \
           advantage is surely below 5 %. Worlds where the policy with the horizon loses 90 % or more of \
           what random play loses are not judged.",
    correction: HOLM,
    figure: Some("arxiv"),
    reads: &["arxiv", "np2004-64", "mslr-nav", "np2004-16", "np2004-32", "artificial", "claim-14"],
    check,
};

fn check(evidence: &Evidence) -> Judgement {
    let pairs = [
        (Role::Half, Role::Anytime),
        (Role::Savage, Role::SavageAnytime),
        (Role::Btm, Role::BtmAnytime),
        (Role::Sparring, Role::SparringAnytime),
    ];
    let (mut trials, mut others) = (Vec::new(), Vec::new());
    for world in evidence.worlds(CLAIM.reads) {
        for (fixed, anytime) in pairs {
            let Some((horizon, [better, worse])) = world.at_end([fixed, anytime]) else { continue };
            let trial = less(
                format!("{}: {}", world.name, fixed.name()),
                (fixed.name(), &better),
                (anytime.name(), &worse),
                WORTH,
            );
            if world.is_lost(fixed, horizon) {
                let why =
                    format!("neither has found the best arm at {horizon}: both lose what random play loses");
                others.push(Part { numbers: trial.numbers, ..Part::unjudged(trial.name, why) });
            } else {
                trials.push(trial);
            }
        }
    }
    let missing =
        "A policy with and without a known horizon in the same world, run until it has found something.";
    decide(trials, others, missing, "").because(
        Verdict::Fails,
        "For REX3 the reverse is true: the gamma of a \
                                                          known horizon is tuned for the worst case and \
                                                          small from the start, while the anytime form \
                                                          begins with a large gamma and learns faster. \
                                                          Elimination gains from a known horizon once it \
                                                          eliminates.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    fn two(anytime: f64, noise: f64) -> Vec<Series> {
        let made = |policy| SyntheticSeries { policy, noise, ..SyntheticSeries::default() };
        vec![made("rex3:gmax=T/2").series(|t| 2.0 * t.sqrt()), made("rex3").series(|t| anytime * t.sqrt())]
    }

    #[test]
    fn trace_three_verdicts() {
        expect(&judge(&CLAIM, "arxiv", two(2.4, 0.02)), Verdict::Holds);
        expect(&judge(&CLAIM, "arxiv", two(0.8, 0.02)), Verdict::Fails);
        expect(&judge(&CLAIM, "arxiv", two(2.08, 0.1)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "gamma", two(2.4, 0.02)), Verdict::NotRun);
    }
}
