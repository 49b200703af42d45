//! C2: the bound holds at every gamma.

use tiltyard_bandit::theory::{Gains, condorcet, corollary1};

use super::decide::{HOLM, less, settle};
use super::evidence::fixed_gamma;
use super::{Claim, Evidence, Judgement, Number};
use crate::results::Series;

pub(super) const CLAIM: Claim = Claim {
    id: "C2",
    title: "The bound holds at every gamma",
    statement: "For every fixed gamma in (0, 1/2], the regret of REX3 stays below the bound of Corollary 1, \
                halved for Condorcet regret.",
    source: "section 4.1, Theorem 1 and Corollary 1; section 5.1 and its figure",
    test: "At every gamma of the grid, the mean regret is compared with the bound. On matrices the bound is \
           halved and uses Gmax = T/2 and Gmin = 0, as in the paper. On Bernoulli utilities, where the bound \
           is a theorem, it is not halved and uses the true gains.",
    rule: "Holds if a one-sided t test puts the mean below the bound at every gamma in every world; fails if \
           one test puts it above.",
    correction: HOLM,
    figure: Some("gamma"),
    reads: &["gamma", "claim-02"],
    check,
};

/// Means of the best arm and of the other arms in the world of `claim-02`.
const BERNOULLI: (f64, f64) = (0.6, 0.5);

fn check(evidence: &Evidence) -> Judgement {
    let mut trials = Vec::new();
    let mut ratio: f64 = 0.0;
    let mut riskier = f64::NAN;
    for (figure, utilities) in [("gamma", false), ("claim-02", true)] {
        for series in evidence.figure(figure) {
            let Some((gamma, horizon, regret)) = point(series) else { continue };
            let t = horizon as f64;
            let gains = Gains { max: BERNOULLI.0 * t, min: BERNOULLI.1 * t };
            let bound = if utilities {
                corollary1(series.n_arms, gamma, gains)
            } else {
                condorcet(corollary1(series.n_arms, gamma, Gains::at_most(t / 2.0)))
            };
            let mean = super::evidence::mean(&regret);
            ratio = ratio.max(mean / bound);
            if !utilities {
                riskier =
                    riskier.max(mean / condorcet(corollary1(series.n_arms, gamma, Gains::at_most(t / 4.0))));
            }
            let name = format!("{}, gamma = {gamma}", series.world);
            let bounds = vec![bound; regret.len()];
            trials.push(less(name, ("REX3", &regret), ("the bound", &bounds), 0.0));
        }
    }
    if trials.is_empty() {
        return Judgement::not_run("Missing: runs of `rex3:gamma=...` over a grid of gammas.");
    }
    Judgement::of_all(
        settle(trials),
        "On matrices the halved bound is a theorem only for the linear link; see `theory::any_matrices` for \
         the general case.",
    )
    .with(Number::exact("largest ratio of regret to bound", ratio, "over all gammas and worlds"))
    .with(Number::exact(
        "the same ratio for Gmax = T/4",
        riskier,
        "the riskier curve; matrices only, otherwise empty",
    ))
}

/// gamma, the horizon and the regrets there, if the series belongs to the grid.
fn point(series: &Series) -> Option<(f64, u64, Vec<f64>)> {
    let horizon = series.horizon();
    Some((fixed_gamma(series)?, horizon, series.regret_at(horizon)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};

    /// At gamma = 0.1, K = 64, T = 1e5 the halved bound is (64 ln 64 / 0.1 + 0.1 e 5e4) / 2 =
    /// (2661.7 + 13591.4) / 2 = 8126.5.
    fn at(regret: f64, noise: f64) -> Vec<Series> {
        let made = |policy| SyntheticSeries {
            world: "np2004-64",
            n_arms: 64,
            policy,
            noise,
            ..SyntheticSeries::default()
        };
        vec![
            made("rex3:gamma=0.1").series(|_| regret),
            made("rex3:gamma=0.2").series(|_| 4000.0),
            made("random").series(|t| t),
        ]
    }

    #[test]
    fn trace_three_verdicts() {
        let finding = judge(&CLAIM, "gamma", at(2578.0, 0.05));
        expect(&finding, Verdict::Holds);
        assert_eq!(finding.judgement.parts.len(), 2);
        let bound = finding.judgement.parts[0].numbers.iter().find(|n| n.name == "the bound").unwrap().value;
        assert!((bound.unwrap() - 8126.5).abs() < 0.1, "{bound:?}");
        expect(&judge(&CLAIM, "gamma", at(9000.0, 0.02)), Verdict::Fails);
        expect(&judge(&CLAIM, "gamma", at(8100.0, 0.05)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "arxiv", at(2578.0, 0.05)), Verdict::NotRun);
    }
}
