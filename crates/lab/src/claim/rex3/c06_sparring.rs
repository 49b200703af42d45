//! C6: REX3 against Sparring.

use super::decide::{HOLM, WORTH, decide, less};
use super::role::Role;
use super::{ALL_MATRICES, Claim, Evidence, Judgement, Verdict};

pub(super) const CLAIM: Claim = Claim {
    id: "C6",
    title: "REX3 outperforms Sparring everywhere",
    statement: "Among the adversarial-setting policies, REX3 has less regret than Sparring with EXP3 on all \
                data sets.",
    source: "section 5.2, 'Among the adversarial-setting algorithms, ...'; the figures of the main part \
             and of the appendix",
    test: "Both policies know the horizon and use Gmax = T/2. Their regrets at T = 1e5 and at the longest \
           horizon are compared in every world of the figures and in SAVAGE-6 (one-sided t test, paired by \
           run).",
    rule: "Holds if REX3 has significantly less regret in every world at both horizons; fails if in one of \
           them its advantage is significantly below 5 % of Sparring's regret.",
    correction: HOLM,
    figure: Some("artificial"),
    reads: ALL_MATRICES,
    check,
};

fn check(evidence: &Evidence) -> Judgement {
    let mut trials = Vec::new();
    for world in evidence.worlds(ALL_MATRICES) {
        let Some((last, _)) = world.at_end([Role::Half, Role::Sparring]) else { continue };
        let mut horizons = vec![100_000, last];
        horizons.retain(|&horizon| horizon <= last);
        horizons.dedup();
        for horizon in horizons {
            let regret = |role| world.find(role)?.regret_at(horizon);
            let (Some(rex3), Some(sparring)) = (regret(Role::Half), regret(Role::Sparring)) else { continue };
            trials.push(less(
                format!("{}, T = {horizon}", world.name),
                (Role::Half.name(), &rex3),
                (Role::Sparring.name(), &sparring),
                WORTH,
            ));
        }
    }
    decide(trials, Vec::new(), "Missing: runs of `rex3:gmax=T/2` and `sparring:player=exp3`.", "").because(
        Verdict::Fails,
        "On Bvs-20 the Borda winner still misleads both policies at 1e5 rounds: they lose as much as random \
         play. After 1e7 rounds REX3 is ahead there too.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    fn two(rex3: f64, sparring: f64, noise: f64) -> Vec<Series> {
        let made = |policy| SyntheticSeries {
            world: "bvs20",
            n_arms: 20,
            policy,
            noise,
            ..SyntheticSeries::default()
        };
        vec![
            made("rex3:gmax=T/2").series(|t| rex3 * t.sqrt()),
            made("sparring:player=exp3").series(|t| sparring * t.sqrt()),
        ]
    }

    #[test]
    fn trace_three_verdicts() {
        expect(&judge(&CLAIM, "artificial", two(2.0, 3.0, 0.02)), Verdict::Holds);
        // The numbers of Bvs-20: 941 against 933.
        let finding = judge(&CLAIM, "artificial", two(2.975, 2.950, 0.02));
        expect(&finding, Verdict::Fails);
        assert_eq!(finding.judgement.parts[0].name, "bvs20, T = 100000");
        expect(&judge(&CLAIM, "artificial", two(2.92, 3.0, 0.15)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "gamma", two(2.0, 3.0, 0.02)), Verdict::NotRun);
    }

    /// One world is enough to refute a statement about all worlds.
    #[test]
    fn trace_one_world_is_enough_to_refute() {
        let mut evidence = Evidence::new();
        evidence.add_figure("artificial", two(2.975, 2.950, 0.02));
        let other =
            two(2.0, 3.0, 0.02).into_iter().map(|series| Series { world: "savage30".to_owned(), ..series });
        evidence.add_figure("artificial", other);
        let finding = crate::claim::check(&CLAIM, &evidence);
        expect(&finding, Verdict::Fails);
        assert!(finding.judgement.note.starts_with("Holds in 1 of 2 judged parts. Fails: bvs20"));
    }
}
