//! V4: Versatile-DB is robust to corruption.

use super::decide::{HOLM, INTERVAL, below, decide, estimated};
use super::evidence::WorldResults;
use super::role::Role;
use super::{Claim, Evidence, Judgement, Part};
use crate::statistics::TTest;

pub(super) const CLAIM: Claim = Claim {
    id: "V4",
    title: "C falsified outcomes cost Versatile-DB at most C",
    statement: "If an adversary falsifies C outcomes in a world with a Condorcet winner, the regret of \
                Versatile-DB rises by at most the order of C. The policy need not know C.",
    source: "abstract: optimal regret under adversarially corrupted preferences",
    test: "The outcomes of 10,000 rounds drawn in advance are inverted. The regret in the same world without \
           corruption is subtracted, at the last round that both have (paired by run). The difference is \
           expressed as a share of C.",
    rule: "Holds if the difference is significantly less than C in every such world; fails if it is \
           significantly more in one. An adversary who watches the duels and falsifies those that the best \
           arm wins is shown but not judged, because the bound assumes an adversary who does not see the \
           choices. RUCB, which has no such guarantee, is shown for comparison.",
    correction: HOLM,
    figure: Some("corrupted"),
    reads: &["stochastic", "corrupted"],
    check,
};

fn check(evidence: &Evidence) -> Judgement {
    let clean = evidence.worlds(&["stochastic"]);
    let (mut trials, mut others) = (Vec::new(), Vec::new());
    for world in evidence.worlds(&["corrupted"]) {
        let Some((name, flips, watches)) = disturbance(world.name) else { continue };
        let Some(undisturbed) = clean.iter().find(|clean| clean.name == name) else { continue };
        let Some((round, rise)) = rise(Role::Vdb, &world, undisturbed, flips) else { continue };
        let mut trial = below(format!("{}, T = {round}", world.name), "rise / C", rise, 1.0, 0.5);
        if let Some((_, rucb)) = self::rise(Role::Rucb, &world, undisturbed, flips) {
            trial.numbers.push(estimated("RUCB: rise / C", rucb, INTERVAL));
        }
        if watches {
            let why =
                "an adversary who watches can do as much harm with C outcomes as another with many times C";
            others.push(Part { numbers: trial.numbers, ..Part::unjudged(trial.name, why) });
        } else {
            trials.push(trial);
        }
    }
    let missing = "Missing: runs of `vdb` in the same world with and without corruption.";
    decide(trials, others, missing, "")
}

/// The name of the world without corruption, the number of falsified outcomes, and whether the
/// adversary watches the duels.
fn disturbance(world: &str) -> Option<(&str, f64, bool)> {
    let (name, how) = world.split_once(", ")?;
    let (flips, kind) = how.split_once(" flips ")?;
    Some((name, flips.parse().ok()?, kind == "of wins"))
}

/// The regret that corruption adds at the last round that both worlds have, as a share of the
/// number of falsified outcomes.
fn rise(
    role: Role,
    world: &WorldResults<'_>,
    undisturbed: &WorldResults<'_>,
    flips: f64,
) -> Option<(u64, TTest)> {
    let (with, without) = (world.find(role)?, undisturbed.find(role)?);
    let round = with.horizon().min(without.horizon());
    let pairs = with.regret_at(round)?.into_iter().zip(without.regret_at(round)?);
    let shares: Vec<f64> = pairs.map(|(with, without)| (with - without) / flips).collect();
    (!shares.is_empty()).then(|| (round, TTest::of(&shares)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::synthetic::{SyntheticSeries, expect};
    use crate::claim::{Verdict, check as check_claim};

    fn evidence(world: &str, rise: f64, noise: f64) -> Evidence {
        let mut evidence = Evidence::new();
        let made = |world| SyntheticSeries { world, policy: "vdb", noise, ..SyntheticSeries::default() };
        evidence.add_figure("stochastic", [made("savage30").series(|t| 100.0 * t.ln())]);
        evidence.add_figure("corrupted", [made(world).series(|t| 100.0 * t.ln() + rise)]);
        evidence
    }

    #[test]
    fn trace_three_verdicts() {
        let random = "savage30, 1000 flips at random";
        let finding = check_claim(&CLAIM, &evidence(random, 500.0, 0.05));
        expect(&finding, Verdict::Holds);
        assert_eq!(finding.judgement.parts[0].name, "savage30, 1000 flips at random, T = 100000");
        expect(&check_claim(&CLAIM, &evidence(random, 2000.0, 0.05)), Verdict::Fails);
        expect(&check_claim(&CLAIM, &evidence(random, 1000.0, 0.5)), Verdict::Inconclusive);
        // An adversary who watches is not judged. A corrupted world is no evidence without the same
        // world undisturbed.
        let watched = check_claim(&CLAIM, &evidence("savage30, 1000 flips of wins", 2000.0, 0.05));
        expect(&watched, Verdict::NotRun);
        assert_eq!(watched.judgement.parts.len(), 1);
        expect(&check_claim(&CLAIM, &evidence("arxiv6, 1000 flips at random", 500.0, 0.05)), Verdict::NotRun);
    }
}
