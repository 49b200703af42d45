//! C3: the gamma recommended by theory is a good guess.

use tiltyard_bandit::theory::{Gains, gamma_star, tau};

use super::decide::{HOLM, less, settle};
use super::evidence::{WorldResults, fixed_gamma, mean};
use super::{Claim, Evidence, Judgement, Number};

pub(super) const CLAIM: Claim = Claim {
    id: "C3",
    title: "gamma* is a good guess",
    statement: "The gamma that minimises the bound is a good guess for the gamma that minimises regret, even \
                with the conservative Gmax = T/2.",
    source: "section 5.1, last sentence",
    test: "Each run's regret at gamma*(T/2), interpolated linearly in ln gamma between neighbours in the \
           grid, is compared with 1.5 times the regret at the best gamma of the grid (paired by run). The \
           best gamma is chosen on the same runs, which works against the claim. A parabola in ln gamma \
           through the best point and its neighbours estimates the minimum itself.",
    rule: "Holds if the regret at gamma*(T/2) is significantly below 1.5 times the best in every world; \
           fails if it is significantly above in one.",
    correction: HOLM,
    figure: Some("gamma"),
    reads: &["gamma"],
    check,
};

/// The largest factor that counts as good. The ends of the grid cost three to four times the best.
const GOOD: f64 = 1.5;

/// The regrets of a world by gamma.
pub(super) struct Grid<'a> {
    pub(super) world: &'a str,
    pub(super) n_arms: usize,
    pub(super) horizon: u64,
    /// In ascending order of gamma.
    pub(super) points: Vec<(f64, Vec<f64>)>,
}

impl<'a> Grid<'a> {
    /// The grid of a world, if it has at least three gammas.
    pub(super) fn of(world: &WorldResults<'a>) -> Option<Self> {
        let mut points: Vec<(f64, Vec<f64>)> = world
            .series
            .iter()
            .filter_map(|series| Some((fixed_gamma(series)?, series.regret_at(series.horizon())?)))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let horizon = world.series.iter().map(|series| series.horizon()).max()?;
        (points.len() >= 3).then_some(Self { world: world.name, n_arms: world.n_arms(), horizon, points })
    }

    /// The index of the point with the least mean regret.
    pub(super) fn best(&self) -> usize {
        let means: Vec<f64> = self.points.iter().map(|(_, regret)| mean(regret)).collect();
        (0..means.len()).min_by(|&i, &j| means[i].total_cmp(&means[j])).expect("at least three points")
    }

    /// Each run's regret at a gamma, interpolated between its neighbours. Beyond an end of the
    /// grid, the regret at that end.
    fn at(&self, gamma: f64) -> Vec<f64> {
        let next = self.points.partition_point(|point| point.0 < gamma).clamp(1, self.points.len() - 1);
        let (low, high) = (&self.points[next - 1], &self.points[next]);
        let weight = ((gamma / low.0).ln() / (high.0 / low.0).ln()).clamp(0.0, 1.0);
        low.1.iter().zip(&high.1).map(|(a, b)| a + weight * (b - a)).collect()
    }

    /// The minimum of the parabola in ln gamma through the best point and its neighbours.
    fn minimum(&self) -> f64 {
        let i = self.best().clamp(1, self.points.len() - 2);
        let [a, b, c] = [i - 1, i, i + 1].map(|i| (self.points[i].0.ln(), mean(&self.points[i].1)));
        let (left, right) = ((b.1 - a.1) / (b.0 - a.0), (c.1 - b.1) / (c.0 - b.0));
        let bend = (right - left) / (c.0 - a.0);
        if bend <= 0.0 {
            return self.points[self.best()].0;
        }
        let lowest = f64::midpoint(a.0, b.0) - left / (2.0 * bend);
        lowest.clamp(a.0, c.0).exp()
    }
}

fn check(evidence: &Evidence) -> Judgement {
    let worlds = evidence.worlds(&["gamma"]);
    let grids: Vec<Grid<'_>> = worlds.iter().filter_map(Grid::of).collect();
    if grids.is_empty() {
        return Judgement::not_run("Missing: runs of `rex3:gamma=...` over a grid of gammas.");
    }
    let trials = grids
        .iter()
        .map(|grid| {
            let t = grid.horizon as f64;
            let best = &grid.points[grid.best()];
            let star = |share: f64| gamma_star(grid.n_arms, tau(Gains::at_most(share * t)));
            let mut trial = less(
                grid.world.to_owned(),
                ("REX3 at gamma*(T/2)", &grid.at(star(0.5))),
                ("1.5 times the best", &best.1.iter().map(|x| GOOD * x).collect::<Vec<_>>()),
                0.0,
            );
            let excess = |gamma: f64| 100.0 * (mean(&grid.at(gamma)) / mean(&best.1) - 1.0);
            trial.numbers.extend([
                Number::exact("best gamma", grid.minimum(), "(by a parabola in ln gamma)"),
                Number::exact("gamma*(T/2)", star(0.5), ""),
                Number::exact("excess at gamma*(T/2)", excess(star(0.5)), "% of the best regret"),
                Number::exact("excess at gamma*(T/4)", excess(star(0.25)), "% of the best regret"),
                Number::exact("excess at gamma*(T/10)", excess(star(0.1)), "% of the best regret"),
            ]);
            trial
        })
        .collect();
    Judgement::of_all(
        settle(trials),
        "gamma*(T/2) errs on the small side: it is conservative, as the paper says.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    const GAMMAS: [&str; 7] = ["0.01", "0.02", "0.04", "0.08", "0.16", "0.32", "0.5"];

    /// Regret 2500 (1 + bend ln^2(gamma / 0.1)): gamma*(T/2) = 0.0443 at K = 64, and ln^2(0.443) =
    /// 0.663.
    fn grid(bend: f64, noise: f64) -> Vec<Series> {
        let policies = GAMMAS.map(|gamma| format!("rex3:gamma={gamma}"));
        let made = |i: usize| {
            let gamma: f64 = GAMMAS[i].parse().unwrap();
            SyntheticSeries {
                world: "np2004-64",
                n_arms: 64,
                policy: &policies[i],
                noise,
                ..SyntheticSeries::default()
            }
            .series(|_| 2500.0 * (1.0 + bend * (gamma / 0.1).ln().powi(2)))
        };
        (0..GAMMAS.len()).map(made).collect()
    }

    #[test]
    fn trace_three_verdicts() {
        let finding = judge(&CLAIM, "gamma", grid(0.3, 0.02));
        expect(&finding, Verdict::Holds);
        let number = |name: &str| {
            finding.judgement.parts[0].numbers.iter().find(|n| n.name == name).unwrap().value.unwrap()
        };
        assert!((number("gamma*(T/2)") - 0.0443).abs() < 1e-4);
        assert!((number("best gamma") - 0.1).abs() < 0.005, "{}", number("best gamma"));
        // Compared with the value at 0.08, which is 1 + 0.3 * 0.0498 = 1.0149 times 2500.
        assert!((number("excess at gamma*(T/2)") - 18.0).abs() < 4.0, "{}", number("excess at gamma*(T/2)"));
        expect(&judge(&CLAIM, "gamma", grid(2.0, 0.02)), Verdict::Fails);
        expect(&judge(&CLAIM, "gamma", grid(0.72, 0.1)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "gamma", Vec::new()), Verdict::NotRun);
    }
}
