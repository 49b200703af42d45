//! C13: the initial phases.

use super::decide::{HOLM, WORTH, less, settle};
use super::evidence::{WorldResults, mean};
use super::role::Role;
use super::{Claim, Evidence, Judgement, RETRIEVAL};

pub(super) const CLAIM: Claim = Claim {
    id: "C13",
    title: "Anytime REX3 is ahead in the initial phases",
    statement: "On information-retrieval data, the anytime form of REX3 clearly outperforms the state of the \
                art in the initial phases of a run.",
    source: "section 1, 'Our experiments ...'; section 6",
    test: "The measure is the area under the regret curve over logarithmic time from 1e3 to 1e4 rounds, at \
           half-decades. Anytime REX3 (dual averaging) is compared with RUCB, SAVAGE, Beat the Mean and \
           Sparring (paired by run). Rivals that know the horizon have separate runs for each half-decade.",
    rule: "Holds if the area of REX3 is significantly smaller than the area of each rival in every world; \
           fails if one advantage is significantly below 5 %.",
    correction: HOLM,
    figure: Some("np2004-64"),
    reads: RETRIEVAL,
    check,
};

const ROUNDS: [u64; 3] = [1000, 3162, 10_000];

/// Each run's mean regret over the half-decades.
fn area(world: &WorldResults<'_>, role: Role) -> Option<Vec<f64>> {
    let series = world.find(role)?;
    let curves = ROUNDS.map(|round| series.regret_at(round));
    let [Some(a), Some(b), Some(c)] = curves else { return None };
    // The trapezoidal rule: the middle value counts twice.
    Some(a.iter().zip(&b).zip(&c).map(|((a, b), c)| (a + 2.0 * b + c) / 4.0).collect())
}

fn check(evidence: &Evidence) -> Judgement {
    let mut trials = Vec::new();
    let mut literal = Vec::new();
    for world in evidence.worlds(RETRIEVAL) {
        let Some(ours) = area(&world, Role::Anytime) else { continue };
        if let Some(other) = area(&world, Role::Literal) {
            literal.push(mean(&other) / mean(&ours));
        }
        for role in Role::STOCHASTIC.into_iter().chain([Role::Sparring]) {
            let Some(theirs) = area(&world, role) else { continue };
            trials.push(less(
                format!("{}: {}", world.name, role.name()),
                (Role::Anytime.name(), &ours),
                (role.name(), &theirs),
                WORTH,
            ));
        }
    }
    if trials.is_empty() {
        return Judgement::not_run(
            "Missing: runs of `rex3` and its rivals with checkpoints at 1000, 3162 and 10000 rounds.",
        );
    }
    let judgement = Judgement::of_all(settle(trials), "");
    if literal.is_empty() {
        return judgement;
    }
    judgement.with(super::Number::exact(
        "area of literal REX3 relative to dual averaging",
        mean(&literal),
        "mean over worlds",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    fn two(rucb: f64, noise: f64) -> Vec<Series> {
        let made = |policy| SyntheticSeries { policy, noise, ..SyntheticSeries::default() };
        vec![made("rex3").series(f64::sqrt), made("rucb:alpha=0.51").series(|t| rucb * t.sqrt())]
    }

    #[test]
    fn trace_three_verdicts() {
        expect(&judge(&CLAIM, "arxiv", two(2.0, 0.05)), Verdict::Holds);
        expect(&judge(&CLAIM, "arxiv", two(1.0, 0.02)), Verdict::Fails);
        expect(&judge(&CLAIM, "arxiv", two(1.04, 0.1)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "artificial", two(2.0, 0.05)), Verdict::NotRun);
    }

    /// Of sqrt(t): (31.62 + 2 * 56.23 + 100) / 4 = 61.02.
    #[test]
    fn trace_area() {
        let mut evidence = Evidence::new();
        evidence.add_figure("arxiv", two(2.0, 0.0));
        let world = &evidence.worlds(&["arxiv"])[0];
        assert!((area(world, Role::Anytime).unwrap()[0] - 61.02).abs() < 0.01);
    }
}
