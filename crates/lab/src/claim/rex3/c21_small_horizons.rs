//! C21: small horizons and many rankers.

use super::decide::{HOLM, WORTH, decide, less};
use super::evidence::mean;
use super::role::Role;
use super::{ALL_MATRICES, Claim, Evidence, Judgement, Verdict};

pub(super) const CLAIM: Claim = Claim {
    id: "C21",
    title: "REX3 is competitive on small horizons and with many rankers",
    statement: "For small horizons or many rankers, REX3 is extremely competitive with the other policies.",
    source: "section 5.2, 'Moreover, for small horizons ...' (the other half of C7)",
    test: "Anytime REX3 is compared with the best of RUCB, SAVAGE and Beat the Mean in the same world \
           (paired by run): at 1e4 rounds in every world, and at the end in worlds with 64 arms or more. The \
           best rival is chosen by its mean on the same runs, which works against the claim.",
    rule: "Holds if the regret of REX3 is significantly below 1.05 times the regret of the best rival \
           everywhere; fails if it is significantly above in one world.",
    correction: HOLM,
    figure: Some("arxiv"),
    reads: ALL_MATRICES,
    check,
};

const SMALL_HORIZON: u64 = 10_000;
const MANY: usize = 64;

fn check(evidence: &Evidence) -> Judgement {
    let mut trials = Vec::new();
    for world in evidence.worlds(ALL_MATRICES) {
        let Some(rex3) = world.find(Role::Anytime) else { continue };
        let mut rounds = vec![SMALL_HORIZON];
        if world.n_arms() >= MANY && rex3.horizon() > SMALL_HORIZON {
            rounds.push(rex3.horizon());
        }
        for round in rounds {
            let Some(ours) = rex3.regret_at(round) else { continue };
            let rivals =
                Role::STOCHASTIC.iter().filter_map(|&role| Some((role, world.find(role)?.regret_at(round)?)));
            let Some((role, theirs)) = rivals.min_by(|a, b| mean(&a.1).total_cmp(&mean(&b.1))) else {
                continue;
            };
            trials.push(less(
                format!("{}, {round} rounds: {}", world.name, role.name()),
                (Role::Anytime.name(), &ours),
                ("1.05 times the best rival", &theirs.iter().map(|x| (1.0 + WORTH) * x).collect::<Vec<_>>()),
                0.0,
            ));
        }
    }
    decide(
        trials,
        Vec::new(),
        "Missing: runs of `rex3` and one of RUCB, SAVAGE, BTM with a checkpoint at 10000 rounds.",
        "",
    )
    .because(
        Verdict::Fails,
        "The result depends on the data set: with few arms and wide gaps (SAVAGE-6), or where averages over \
         opponents mislead (Bvs-20), RUCB is ahead early.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    fn two(n_arms: usize, rucb: f64, noise: f64) -> Vec<Series> {
        let made = |policy| SyntheticSeries { n_arms, policy, noise, ..SyntheticSeries::default() };
        vec![
            made("rex3").series(f64::sqrt),
            made("rucb:alpha=0.51").series(|t| rucb * t.sqrt()),
            made("savage:delta=1/T").series(|t| 5.0 * t.sqrt()),
        ]
    }

    #[test]
    fn trace_three_verdicts() {
        let finding = judge(&CLAIM, "arxiv", two(6, 2.0, 0.05));
        expect(&finding, Verdict::Holds);
        assert_eq!(finding.judgement.parts[0].name, "arxiv6, 10000 rounds: RUCB");
        assert_eq!(judge(&CLAIM, "arxiv", two(64, 2.0, 0.05)).judgement.parts.len(), 2);
        // SAVAGE-6 at 1e4: 178 against 93.
        expect(&judge(&CLAIM, "arxiv", two(6, 93.0 / 178.0, 0.05)), Verdict::Fails);
        expect(&judge(&CLAIM, "arxiv", two(6, 0.96, 0.1)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "gamma", two(6, 2.0, 0.05)), Verdict::NotRun);
    }
}
