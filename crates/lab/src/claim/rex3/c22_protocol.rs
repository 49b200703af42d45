//! C22: the protocol favours policies that know the horizon.

use super::decide::{HOLM, WORTH, decide, less};
use super::role::Role;
use super::{Claim, Evidence, Judgement, Part, Verdict};

pub(super) const CLAIM: Claim = Claim {
    id: "C22",
    title: "The protocol favours policies that know the horizon",
    statement: "The protocol runs policies that know the horizon separately for each horizon. This slightly \
                favours them, because they know more.",
    source: "section 5.2, 'This protocol is slightly favorable ...'",
    test: "The same algorithm is compared with and without the horizon at the end, wherever both were run \
           (paired by run): REX3 with Gmax = T/2 against anytime REX3 (dual averaging), SAVAGE and Beat the \
           Mean with delta = 1/T against delta = 1e-8.",
    rule: "Holds if knowing the horizon significantly lowers regret in every comparison; fails if one \
           advantage is significantly below 5 %. Worlds in which the policy with the horizon has at least 90 \
           % of the regret of random play are not judged.",
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
                let why = format!(
                    "neither form has found the best arm at round {horizon}: both lose as much as random play"
                );
                others.push(Part { numbers: trial.numbers, ..Part::unjudged(trial.name, why) });
            } else {
                trials.push(trial);
            }
        }
    }
    let missing = "Missing: runs of a policy with and without a known horizon in the same world, long enough \
                   for it to learn something.";
    decide(trials, others, missing, "").because(
        Verdict::Fails,
        "For REX3 the opposite is true: with a known horizon, gamma is tuned for the worst case and small \
         from the start, while the anytime form begins with a large gamma and learns faster. Elimination \
         policies gain from a known horizon once they eliminate arms.",
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
