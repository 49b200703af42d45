//! C11: a shrinking gap deceives stochastic policies.

use super::decide::{HOLM, decide, less};
use super::role::Role;
use super::{Claim, Evidence, Judgement};

pub(super) const CLAIM: Claim = Claim {
    id: "C11",
    title: "A shrinking gap deceives stochastic policies",
    statement: "If the best arm's advantage shrinks like sqrt(K log(t) / t), stochastic-setting policies are \
                deceived and REX3 is not.",
    source: "appendix C, last paragraph, and the caption of the last figure",
    test: "The bandit regret of RUCB, SAVAGE and Beat the Mean at the end is compared with half the regret \
           of random play and with the regret of anytime REX3 (paired by run).",
    rule: "Holds if each of them loses significantly more than half the regret of random play and \
           significantly more than REX3; fails if one loses significantly less.",
    correction: HOLM,
    figure: Some("deceptive"),
    reads: &["deceptive"],
    check,
};

fn check(evidence: &Evidence) -> Judgement {
    let mut trials = Vec::new();
    for world in evidence.worlds(&["deceptive"]) {
        for role in Role::STOCHASTIC {
            let regrets = world.at_end([Role::Random, Role::Anytime, role]);
            let Some((_, [random, rex3, policy])) = regrets else { continue };
            let half = random.iter().map(|x| x / 2.0).collect();
            for (name, better) in [("half of Random", half), (Role::Anytime.name(), rex3)] {
                trials.push(less(
                    format!("{} loses more than {name}", role.name()),
                    (name, &better),
                    (role.name(), &policy),
                    0.0,
                ));
            }
        }
    }
    decide(
        trials,
        Vec::new(),
        "Missing: runs of `rex3`, `random` and one of RUCB, SAVAGE, BTM in `deceptive10`.",
        "The mean stated in the paper exceeds 1 until round 214. Here it is capped at 1, and the logarithm \
         is the natural one.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    fn world(rucb: f64, noise: f64) -> Vec<Series> {
        let made = |policy| SyntheticSeries {
            world: "deceptive10",
            n_arms: 10,
            policy,
            noise,
            ..SyntheticSeries::default()
        };
        vec![
            made("rex3").series(|t| 2.0 * t.sqrt()),
            made("rucb:alpha=0.51").series(|t| rucb * t.sqrt()),
            made("random").series(|t| 17.0 * t.sqrt()),
        ]
    }

    #[test]
    fn trace_three_verdicts() {
        expect(&judge(&CLAIM, "deceptive", world(14.0, 0.02)), Verdict::Holds);
        expect(&judge(&CLAIM, "deceptive", world(5.0, 0.02)), Verdict::Fails);
        expect(&judge(&CLAIM, "deceptive", world(8.6, 0.1)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "arxiv", world(14.0, 0.02)), Verdict::NotRun);
    }
}
