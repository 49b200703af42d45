//! C20: gamma can be too small or too large.

use super::c03_gamma_star::Grid;
use super::decide::{HOLM, WORTH, decide, less};
use super::{Claim, Evidence, Judgement};

pub(super) const CLAIM: Claim = Claim {
    id: "C20",
    title: "gamma can be too small or too large",
    statement: "With a low gamma the policy explores and reacts too little; with a high gamma it explores \
                too much. Between the two, regret has a minimum.",
    source: "section 5.1, 'This experiment illustrates the dual impact ...'",
    test: "The regret at the best gamma of the grid is compared with the regret at the smallest and at the \
           largest gamma of the grid (paired by run).",
    rule: "Holds if both ends are significantly worse than the best in every world; fails if at one end the \
           difference is significantly below 5 %.",
    correction: HOLM,
    figure: Some("gamma"),
    reads: &["gamma"],
    check,
};

fn check(evidence: &Evidence) -> Judgement {
    let mut trials = Vec::new();
    for world in evidence.worlds(&["gamma"]) {
        let Some(grid) = Grid::of(&world) else { continue };
        let best = &grid.points[grid.best()];
        for (end, word) in [(&grid.points[0], "smallest"), (&grid.points[grid.points.len() - 1], "largest")] {
            trials.push(less(
                format!("{}, {word} gamma = {}", grid.world, end.0),
                ("REX3 at the best gamma", &best.1),
                ("REX3 at that gamma", &end.1),
                WORTH,
            ));
        }
    }
    decide(trials, Vec::new(), "Missing: runs of `rex3:gamma=...` over a grid of gammas.", "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    fn grid(regrets: [f64; 3], noise: f64) -> Vec<Series> {
        let policies = ["rex3:gamma=0.001", "rex3:gamma=0.1", "rex3:gamma=0.5"];
        let made = |i: usize| {
            SyntheticSeries { policy: policies[i], noise, ..SyntheticSeries::default() }
                .series(|_| regrets[i])
        };
        (0..3).map(made).collect()
    }

    #[test]
    fn trace_three_verdicts() {
        expect(&judge(&CLAIM, "gamma", grid([9000.0, 2500.0, 5000.0], 0.05)), Verdict::Holds);
        // Regret that falls with gamma throughout.
        expect(&judge(&CLAIM, "gamma", grid([9000.0, 4000.0, 3000.0], 0.02)), Verdict::Fails);
        expect(&judge(&CLAIM, "gamma", grid([9000.0, 2500.0, 2650.0], 0.3)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "gamma", Vec::new()), Verdict::NotRun);
    }
}
