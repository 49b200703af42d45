//! V4: robust to corruption.

use super::decide::{HOLM, INTERVAL, LEVEL, below, settle};
use super::evidence::mean;
use super::role::Role;
use super::{Claim, Evidence, Judgement, Number};
use crate::statistics::TTest;

pub(super) const CLAIM: Claim = Claim {
    id: "V4",
    title: "An adversary who flips C outcomes costs it at most C",
    statement: "If an adversary falsifies C outcomes of a world with a Condorcet winner, the regret of Versatile-DB \
                rises by no more than the order of C, without knowing C.",
    source: "abstract: optimal regret under adversarially corrupted preferences",
    test: "The first 1000 duels that the best arm wins are turned into losses. Paired by run with the same world \
           undisturbed: the difference of regrets at the last round that both have, as a share of C.",
    rule: "Holds if the difference is significantly less than C in every world; fails if it is significantly more in one. The \
           same of RUCB, which has no such guarantee, is shown beside it.",
    correction: HOLM,
    figure: Some("corrupted"),
    reads: &["stochastic", "corrupted"],
    check,
};

/// How many outcomes are flipped.
const FLIPS: f64 = 1000.0;

fn check(evidence: &Evidence) -> Judgement {
    let clean = evidence.scenes(&["stochastic"]);
    let mut trials = Vec::new();
    for scene in evidence.scenes(&["corrupted"]) {
        let name = scene.world.split(',').next().unwrap_or(scene.world);
        let Some(undisturbed) = clean.iter().find(|clean| clean.world == name) else { continue };
        let extra = |role: Role, round: u64| {
            let (with, without) = (scene.find(role)?.regret(round)?, undisturbed.find(role)?.regret(round)?);
            Some(
                with.iter()
                    .zip(&without)
                    .map(|(with, without)| (with - without) / FLIPS)
                    .collect::<Vec<f64>>(),
            )
        };
        let horizons = [scene.horizon(&[Role::Vdb]), undisturbed.horizon(&[Role::Vdb])];
        let [Some(a), Some(b)] = horizons else { continue };
        let round = a.min(b);
        let Some(values) = extra(Role::Vdb, round) else { continue };
        let mut trial = below(format!("{name}, T = {round}"), "rise / C", TTest::of(&values), 1.0, 0.5);
        if let Some(rucb) = extra(Role::Rucb, round).filter(|values| !values.is_empty()) {
            let interval = TTest::of(&rucb).interval(LEVEL);
            trial.numbers.push(Number::between(
                "RUCB: rise / C",
                mean(&rucb),
                (interval.low, interval.high),
                INTERVAL,
            ));
        }
        trials.push(trial);
    }
    if trials.is_empty() {
        return Judgement::not_run("Policy `vdb` in the same world with and without corruption.");
    }
    Judgement::of_all(settle(trials), "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::synthetic::{Made, expect};
    use crate::claim::{Verdict, check as check_claim};

    fn evidence(rise: f64, noise: f64) -> Evidence {
        let mut evidence = Evidence::new();
        let made = |world| Made { world, policy: "vdb", noise, ..Made::default() };
        evidence.add_figure("stochastic", [made("savage30").series(|t| 100.0 * t.ln())]);
        let disturbed = made("savage30, corrupted").series(|t| 100.0 * t.ln() + rise);
        evidence.add_figure("corrupted", [disturbed]);
        evidence
    }

    #[test]
    fn trace_three_verdicts() {
        let finding = check_claim(&CLAIM, &evidence(500.0, 0.05));
        expect(&finding, Verdict::Holds);
        assert_eq!(finding.judgement.parts[0].name, "savage30, T = 100000");
        expect(&check_claim(&CLAIM, &evidence(2000.0, 0.05)), Verdict::Fails);
        expect(&check_claim(&CLAIM, &evidence(1000.0, 0.5)), Verdict::Inconclusive);
        let mut alone = Evidence::new();
        alone.add_figure("corrupted", evidence(1.0, 0.1).figure("corrupted").to_vec());
        expect(&check_claim(&CLAIM, &alone), Verdict::NotRun);
    }
}
