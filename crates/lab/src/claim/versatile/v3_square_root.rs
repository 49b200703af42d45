//! V3: the square root where the world changes.

use super::decide::{HOLM, INTERVAL, Trial, below, decide, estimated, power, runs};
use super::evidence::mean;
use super::role::Role;
use super::{Claim, Evidence, Judgement};
use crate::statistics::TTest;

pub(super) const CLAIM: Claim = Claim {
    id: "V3",
    title: "The square root of time whatever happens",
    statement: "In any world, also in one that changes or is hostile, the regret of Versatile-DB is of the order \
                of sqrt(KT) at most.",
    source: "abstract: O(sqrt(KT)) against adversarial preferences",
    test: "The switch trap, made anew for T = 1e4 to 1e6, and the deceptive world. Regret against the best single arm in \
           hindsight, divided by sqrt(KT): against the constant of Tsallis-INF's bound, 8 for this regret (4 for each \
           player, and twice that because a duel has two), and from one decade to the next against growth like \
           T^(2/3).",
    rule: "Holds if every regret is below the bound and none grows like T^(2/3) or faster from decade to decade; fails \
           if one test finds the contrary.",
    correction: HOLM,
    figure: Some("adversarial"),
    reads: &["adversarial", "switch"],
    check,
};

/// The factor of sqrt(KT).
const BOUND: f64 = 8.0;

/// The regret of all runs after so many rounds, divided by sqrt(KT).
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
    // Separate runs for each horizon, the shortest first; in the deceptive world one run has all of
    // them.
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
        "Policy `vdb` in the switch trap and the deceptive world.",
        "The bound leaves room for a line over these horizons; it is the growth that shows a policy without a guarantee: \
         REX3 as the pseudo-code reads loses 5 % of every round in the switch trap.",
    )
}

/// Ten times the rounds multiply the scaled regret by less than 10^(1/6), which is what growth like
/// T^(2/3) would do. Also of use where regret is negative and has no exponent.
fn growth(name: String, early: &Cell, late: &Cell, paired: bool) -> Trial {
    let limit: Vec<f64> = early.scaled.iter().map(|x| x * 10f64.powf(1.0 / 6.0)).collect();
    let test = if paired { TTest::paired(&limit, &late.scaled) } else { TTest::welch(&limit, &late.scaled) };
    let number = |cell: &Cell| {
        let name = format!("regret / sqrt(KT) at {}", cell.round);
        estimated(name, TTest::of(&cell.scaled), INTERVAL)
    };
    // What a square root leaves to spare.
    let effect = (10f64.powf(1.0 / 6.0) - 1.0) * mean(&early.scaled).max(0.0);
    Trial {
        name,
        holds: test.p_above(0.0),
        fails: test.p_below(0.0),
        numbers: vec![number(early), number(late)],
        power: power(
            "growth like a square root, told from T^(2/3)".to_owned(),
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
        // Two horizons and one decade of the trap, three and two of the other.
        assert_eq!(finding.judgement.parts.len(), 8);
        // A line far below the bound.
        expect(&check_claim(&CLAIM, &evidence(0.05, |t| 0.01 * t)), Verdict::Fails);
        // Above the bound.
        expect(&check_claim(&CLAIM, &evidence(0.05, |t| 40.0 * t.sqrt())), Verdict::Fails);
        // Better than the best single arm.
        expect(&check_claim(&CLAIM, &evidence(0.05, |t| 100.0 - 0.01 * t)), Verdict::Holds);
        expect(&check_claim(&CLAIM, &evidence(0.9, |t| t.powf(0.65))), Verdict::Inconclusive);
        expect(&check_claim(&CLAIM, &Evidence::new()), Verdict::NotRun);
    }
}
