//! V3: square-root regret in worlds that change.

use super::decide::{HOLM, INTERVAL, Trial, below, decide, estimated, power, runs};
use super::evidence::mean;
use super::role::Role;
use super::{Claim, Evidence, Judgement};
use crate::statistics::TTest;

pub(super) const CLAIM: Claim = Claim {
    id: "V3",
    title: "Regret grows at most like the square root of time in any world",
    statement: "In any world, even one that changes or is hostile, the regret of Versatile-DB is at most of \
                the order of sqrt(KT).",
    source: "abstract: O(sqrt(KT)) against adversarial preferences",
    test: "The worlds are the switch trap, built separately for each T from 1e4 to 1e6, and the deceptive \
           world. The regret against the best single arm in hindsight is divided by sqrt(KT). This ratio is \
           compared with the constant of the Tsallis-INF bound, which is 8 for this regret (4 for each \
           player, doubled because a duel has two). Its growth from one decade to the next is compared with \
           growth like T^(2/3).",
    rule: "Holds if every regret is significantly below the bound and grows significantly more slowly than \
           T^(2/3) in every decade; fails if one test finds the opposite.",
    correction: HOLM,
    figure: Some("adversarial"),
    reads: &["adversarial", "switch"],
    check,
};

/// The constant of the bound, as a factor of sqrt(KT).
const BOUND: f64 = 8.0;

/// The regret of all runs after `round` rounds, divided by sqrt(KT).
struct Cell {
    round: u64,
    scaled: Vec<f64>,
}

impl Cell {
    fn new(n_arms: usize, round: u64, regret: Vec<f64>) -> Self {
        let scale = (n_arms as f64 * round as f64).sqrt();
        Self { round, scaled: regret.into_iter().map(|regret| regret / scale).collect() }
    }
}

fn check(evidence: &Evidence) -> Judgement {
    // The switch trap has separate runs for each horizon, sorted here by horizon. In the deceptive
    // world one run covers all horizons.
    let mut switch = Vec::new();
    for world in evidence.worlds(&["switch"]) {
        let Some(series) = world.find(Role::Vdb) else { continue };
        let round = series.horizon();
        switch.extend(series.regret_at(round).map(|regret| Cell::new(world.n_arms(), round, regret)));
    }
    switch.sort_by_key(|cell| cell.round);
    let mut deceptive = Vec::new();
    for world in evidence.worlds(&["adversarial"]).iter().filter(|world| world.name.starts_with("deceptive"))
    {
        let Some(series) = world.find(Role::Vdb) else { continue };
        let end = series.horizon();
        let rounds = [end / 100, end / 10, end];
        deceptive.extend(
            rounds
                .iter()
                .filter_map(|&round| Some(Cell::new(world.n_arms(), round, series.regret_at(round)?))),
        );
    }
    let mut trials = Vec::new();
    for (name, cells, paired) in [("switch10", &switch, false), ("deceptive10", &deceptive, true)] {
        trials.extend(cells.iter().map(|cell| {
            let name = format!("{name}, T = {}: below the bound", cell.round);
            below(name, "regret / sqrt(KT)", TTest::of(&cell.scaled), BOUND, 1.0)
        }));
        trials.extend(cells.windows(2).map(|two| {
            let name = format!("{name}: growth from {} to {}", two[0].round, two[1].round);
            growth(name, &two[0], &two[1], paired)
        }));
    }
    decide(
        trials,
        Vec::new(),
        "Missing: runs of `vdb` in the switch trap and the deceptive world.",
        "At these horizons even linear regret can stay below the bound. Only the growth reveals a policy \
         without a guarantee: REX3 in its literal form loses 5 % of every round in the switch trap.",
    )
}

/// The claim that ten times as many rounds multiply the scaled regret by less than 10^(1/6), the
/// factor of growth like T^(2/3). This also works for negative regret, which has no exponent.
fn growth(name: String, early: &Cell, late: &Cell, paired: bool) -> Trial {
    let limit: Vec<f64> = early.scaled.iter().map(|x| x * 10f64.powf(1.0 / 6.0)).collect();
    let test = if paired { TTest::paired(&limit, &late.scaled) } else { TTest::welch(&limit, &late.scaled) };
    let number = |cell: &Cell| {
        let name = format!("regret / sqrt(KT) at {}", cell.round);
        estimated(name, TTest::of(&cell.scaled), INTERVAL)
    };
    // The difference under square-root growth.
    let effect = (10f64.powf(1.0 / 6.0) - 1.0) * mean(&early.scaled).max(0.0);
    Trial {
        name,
        holds: test.p_above(0.0),
        fails: test.p_below(0.0),
        numbers: vec![number(early), number(late)],
        power: power(
            "square-root growth to be slower than T^(2/3)".to_owned(),
            1.0,
            effect,
            test,
            runs(test),
        ),
        note: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::synthetic::{SyntheticSeries, expect};
    use crate::claim::{Verdict, check as check_claim};

    fn evidence(noise: f64, regret: impl Fn(f64) -> f64) -> Evidence {
        let mut evidence = Evidence::new();
        let made = |world, checkpoints| SyntheticSeries {
            world,
            n_arms: 10,
            policy: "vdb",
            noise,
            checkpoints,
            ..SyntheticSeries::default()
        };
        evidence.add_figure(
            "switch",
            [("switch10, T = 1e4", &[10_000][..]), ("switch10, T = 1e5", &[100_000])]
                .map(|(world, checkpoints)| made(world, checkpoints).series(&regret)),
        );
        let deceptive = made("deceptive10", &[1000, 10_000, 100_000]).series(f64::sqrt);
        evidence.add_figure("adversarial", [deceptive]);
        evidence
    }

    #[test]
    fn trace_three_verdicts() {
        let finding = check_claim(&CLAIM, &evidence(0.05, |t| 2.0 * t.sqrt()));
        expect(&finding, Verdict::Holds);
        // The trap has two horizons and one decade; the deceptive world has three and two.
        assert_eq!(finding.judgement.parts.len(), 8);
        // Linear regret far below the bound.
        expect(&check_claim(&CLAIM, &evidence(0.05, |t| 0.01 * t)), Verdict::Fails);
        // Above the bound.
        expect(&check_claim(&CLAIM, &evidence(0.05, |t| 40.0 * t.sqrt())), Verdict::Fails);
        // Better than the best single arm.
        expect(&check_claim(&CLAIM, &evidence(0.05, |t| 100.0 - 0.01 * t)), Verdict::Holds);
        expect(&check_claim(&CLAIM, &evidence(0.9, |t| t.powf(0.65))), Verdict::Inconclusive);
        expect(&check_claim(&CLAIM, &Evidence::new()), Verdict::NotRun);
    }
}
