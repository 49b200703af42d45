//! C12: the regret of REX3 is between the two bounds.

use tiltyard_bandit::Spec;
use tiltyard_bandit::theory::{Gains, corollary2, lower_bound};

use super::decide::{HOLM, below, decide, exponent, less};
use super::role::Role;
use super::{Claim, Evidence, Judgement, Number};

pub(super) const CLAIM: Claim = Claim {
    id: "C12",
    title: "The regret of REX3 is between the two bounds",
    statement: "In the worst worlds, the regret of REX3 is between the lower bound of order sqrt(KT) and the \
                upper bound of order sqrt(K ln K T).",
    source: "section 4.1, Corollary 2; section 4.2, Theorem 2",
    test: "The worlds are the family of the lower bound: Bernoulli utilities with one arm at 1/2 + sqrt(K/T) \
           and the others at 1/2, for K = 4, 16, 64 and T = 1e4, 1e5. The bandit regret of REX3 with the \
           gamma for Gmax = T/2 is compared with both bounds, including their constants. Its exponent in T \
           at equal K is compared with 2/3.",
    rule: "Holds if the regret is significantly above the lower bound and below the upper bound for every K \
           and T, and every exponent is significantly below 2/3; fails if one test finds the opposite.",
    correction: HOLM,
    figure: None,
    reads: &["claim-12"],
    check,
};

fn check(evidence: &Evidence) -> Judgement {
    let mut trials = Vec::new();
    // K, T and the regrets in the world built for them.
    let mut cells: Vec<(usize, u64, Vec<f64>)> = Vec::new();
    for world in evidence.worlds(&["claim-12"]) {
        let (Some(series), Some(horizon)) = (world.find(Role::Half), horizon_of(world.name, world.n_arms()))
        else {
            continue;
        };
        let Some(round) =
            series.checkpoints.iter().copied().find(|&at| (at as f64 / horizon - 1.0).abs() < 0.01)
        else {
            continue;
        };
        if let Some(regret) = series.regret_at(round) {
            cells.push((world.n_arms(), round, regret));
        }
    }
    for (n_arms, round, regret) in &cells {
        let name = |what: &str| format!("K = {n_arms}, T = {round}: {what}");
        let lower = vec![lower_bound(*n_arms, *round); regret.len()];
        let upper = vec![corollary2(*n_arms, Gains::at_most(*round as f64 / 2.0)); regret.len()];
        let pairs = [
            (name("above the lower bound"), ("the lower bound", &*lower), ("REX3 T/2", &**regret)),
            (name("below the upper bound"), ("REX3 T/2", &**regret), ("the upper bound", &*upper)),
        ];
        for (name, better, worse) in pairs {
            let mut trial = less(name, better, worse, 0.0);
            let scale = (*n_arms as f64 * *round as f64).sqrt();
            let ratio = super::evidence::mean(regret) / scale;
            trial.numbers.push(Number::exact("regret / sqrt(KT)", ratio, ""));
            trials.push(trial);
        }
    }
    for (n_arms, round, early) in &cells {
        let later = cells.iter().find(|cell| cell.0 == *n_arms && cell.1 == 10 * round);
        let Some(estimate) = later.and_then(|(_, _, late)| exponent(early, late, 10.0)) else { continue };
        trials.push(below(format!("K = {n_arms}: growth in T"), "exponent", estimate, 2.0 / 3.0, 1.0 / 6.0));
    }
    decide(
        trials,
        Vec::new(),
        "Missing: runs of `rex3:gmax=T/2` in Bernoulli worlds with a gap of sqrt(K/T).",
        "In this family random play loses sqrt(KT)(1 - 1/K). The family therefore cannot show the factor \
         sqrt(ln K) between the bounds; it shows that the lower bound is of the right order.",
    )
}

/// The T for which a world's gap is sqrt(K/T), if the world belongs to the family.
fn horizon_of(world: &str, n_arms: usize) -> Option<f64> {
    let spec: Spec = world.parse().ok()?;
    let mean = |key| spec.get(key)?.parse::<f64>().ok();
    let gap = mean("best")? - mean("rest")?;
    (gap > 0.0).then(|| {
        let exact = n_arms as f64 / (gap * gap);
        // The gap is written with few digits, so T is rounded to the nearest power of ten.
        10f64.powf(exact.log10().round())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::rex3::SPECIFICATIONS;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::engine::Experiment;
    use crate::results::Series;
    use crate::spec::Specification;

    fn family(factor: f64, power: f64, noise: f64) -> Vec<Series> {
        let checkpoints = &[10_000, 100_000];
        let made = |world, n_arms| SyntheticSeries {
            world,
            n_arms,
            policy: "rex3:gmax=T/2",
            checkpoints,
            noise,
            ..SyntheticSeries::default()
        };
        let regret = |k: f64| move |t: f64| factor * (k * 1e4).sqrt() * (t / 1e4).powf(power);
        vec![
            made("bernoulli10:arms=16,best=0.54,rest=0.5", 16).series(regret(16.0)),
            made("bernoulli10:arms=16,best=0.51265,rest=0.5", 16).series(regret(16.0)),
        ]
    }

    #[test]
    fn trace_three_verdicts() {
        let finding = judge(&CLAIM, "claim-12", family(0.7, 0.5, 0.05));
        expect(&finding, Verdict::Holds);
        // Two bounds at each of two horizons, and one exponent.
        assert_eq!(finding.judgement.parts.len(), 5);
        expect(&judge(&CLAIM, "claim-12", family(0.7, 0.95, 0.05)), Verdict::Fails);
        expect(&judge(&CLAIM, "claim-12", family(0.01, 0.5, 0.05)), Verdict::Fails);
        expect(&judge(&CLAIM, "claim-12", family(0.7, 0.65, 0.2)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "claim-12", Vec::new()), Verdict::NotRun);
    }

    /// The worlds of the specification belong to the family, each with its own horizon.
    #[test]
    fn trace_gaps_of_the_specification() {
        let (id, text) = SPECIFICATIONS.iter().find(|(id, _)| *id == "claim-12").unwrap();
        let specification = Specification::parse(id, text).unwrap();
        let plan = Experiment::new(&specification, None).unwrap().plan;
        for cell in &plan.cells {
            let world = &plan.worlds[cell.world];
            let spec: Spec = world.name.parse().unwrap();
            let number = |key| spec.get(key).unwrap().parse::<f64>().unwrap();
            let (k, gap) = (number("arms"), number("best") - number("rest"));
            let horizon = horizon_of(&world.name, world.n_arms).unwrap();
            assert!((gap / (k / horizon).sqrt() - 1.0).abs() < 1e-3, "{}", world.name);
            assert_eq!(
                cell.checkpoints.iter().map(|&t| t as f64).collect::<Vec<_>>(),
                [horizon],
                "{}",
                world.name
            );
        }
    }
}
