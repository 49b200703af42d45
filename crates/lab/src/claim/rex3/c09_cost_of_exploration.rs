//! C9: the cost of exploration in accuracy.

use core::f64::consts::E;

use tiltyard_bandit::theory::{AnytimeRate, accuracy_ceiling};

use super::decide::{ALPHA, INTERVAL, LEVEL, SMALL};
use super::evidence::REX3_BOUND;
use super::role::Role;
use super::{Claim, Evidence, Judgement, MATRICES, Number, Part};
use crate::statistics::TTest;

pub(super) const CLAIM: Claim = Claim {
    id: "C9",
    title: "Exploration costs little accuracy",
    statement: "The accuracy curves show that the lasting exploration of adversarial-setting policies \
                costs very little.",
    source: "section 5.2, 'but the accuracy curves show ...'",
    test: "A share gamma of all draws is uniform, so at most (1 - gamma (K-1)/K)^2 of the rounds can play \
           (best, best). The distance of this ceiling from 1 is the cost of exploration. The measured \
           accuracy is the share of checkpoints in the last decade at which anytime REX3 plays (best, best). \
           If it is below the ceiling, the cause is not exploration: the arm has not been found yet.",
    rule: "Holds if exploration costs at most 10 % of the rounds at the end, in every world where the run is \
           ten times longer than the onset of C4; fails if it costs more in one of them, or if a measured \
           accuracy is significantly above its ceiling, which would be a contradiction.",
    correction: "Bonferroni over worlds for the comparison with the ceiling; the cost itself is computed \
                 exactly",
    figure: Some("arxiv"),
    reads: MATRICES,
    check,
};

fn check(evidence: &Evidence) -> Judgement {
    let mut parts = Vec::new();
    let worlds = evidence.worlds(MATRICES);
    for world in &worlds {
        let (Some(series), Some(onset)) = (world.find(Role::Anytime), world.onset(REX3_BOUND)) else {
            continue;
        };
        let horizon = series.horizon();
        let rates = series.hit_rates(horizon / 10, horizon);
        if rates.is_empty() {
            continue;
        }
        let rate = AnytimeRate::new(world.n_arms(), E / 2.0);
        let ceiling = accuracy_ceiling(world.n_arms(), rate.gamma(horizon));
        let measured = TTest::of(&rates);
        let interval = measured.interval(LEVEL);
        let numbers = vec![
            Number::exact(
                "cost of exploration at the end",
                100.0 * (1.0 - ceiling),
                "% of the rounds (computed)",
            ),
            Number::between(
                "accuracy over the last decade",
                100.0 * measured.estimate,
                (100.0 * interval.low.max(0.0), 100.0 * interval.high.min(1.0)),
                &format!("%, {INTERVAL}"),
            ),
            Number::exact("ceiling at the end", 100.0 * ceiling, "%"),
        ];
        if 10.0 * onset > horizon as f64 {
            let why = format!(
                "too early: the run ends at round {horizon}, before ten times the onset of {onset:.0}"
            );
            parts.push(Part { numbers, ..Part::unjudged(world.name, why) });
            continue;
        }
        // The ceiling rises with time, so its value at the end bounds the whole decade.
        let contradiction = measured.p_above(ceiling) * (worlds.len() as f64) < ALPHA;
        parts.push(Part::exact(world.name, 1.0 - ceiling <= SMALL && !contradiction, numbers));
    }
    if parts.iter().all(|part| part.verdict.is_none()) {
        return Judgement {
            parts,
            ..Judgement::not_run("Missing: long enough runs of `rex3` and `random`.")
        };
    }
    Judgement::of_all(
        parts,
        "Where accuracy is far below the ceiling, the cause is the time it takes to find the arm, not \
         exploration.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    fn world(n_arms: usize, gap: f64, found: u64) -> Vec<Series> {
        let made =
            |policy| SyntheticSeries { n_arms, policy, found, noise: 0.0, ..SyntheticSeries::default() };
        vec![made("rex3").series(f64::sqrt), made("random").series(|t| gap * t)]
    }

    /// Six arms at 1e5: gamma = 0.0089, so the cost is 1 - (1 - 0.0089 * 5/6)^2 = 1.48 %. With 500
    /// arms gamma = 0.151 and it is 27.9 %; a gap of 0.5 puts the onset at 16,900.
    #[test]
    fn trace_verdicts() {
        let finding = judge(&CLAIM, "arxiv", world(6, 0.06, u64::MAX));
        expect(&finding, Verdict::Holds);
        let cost = finding.judgement.parts[0].numbers[0].value.unwrap();
        assert!((cost - 1.477).abs() < 0.01, "{cost}");
        let many = Series { checkpoints: vec![20_000, 200_000], ..world(500, 0.5, u64::MAX).remove(0) };
        let random = world(500, 0.5, u64::MAX).remove(1);
        expect(&judge(&CLAIM, "arxiv", vec![many, random]), Verdict::Fails);
        // Always (best, best): more than a policy that explores can do.
        expect(&judge(&CLAIM, "arxiv", world(6, 0.06, 1)), Verdict::Fails);
        expect(&judge(&CLAIM, "arxiv", world(64, 0.06, u64::MAX)), Verdict::NotRun);
    }
}
