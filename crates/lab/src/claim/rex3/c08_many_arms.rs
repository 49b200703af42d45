//! C8: the number of arms.

use super::decide::{HOLM, INTERVAL, Trial, WORTH, below, estimated, less, settle};
use super::evidence::Evidence;
use super::role::Role;
use super::{Claim, Judgement};
use crate::results::Series;
use crate::statistics::{Ols, TTest};

pub(super) const CLAIM: Claim = Claim {
    id: "C8",
    title: "REX3 suffers least from many arms",
    statement: "At a fixed horizon of 1e5 rounds, the regret of REX3 grows more slowly with the number of \
                arms than the regret of its rivals. With many arms it is the lowest.",
    source: "section 5.2, last paragraph; the right panel of the MSLR figure",
    test: "The worlds are random submatrices of MSLR navigational with K from 4 to 136. For each run, the \
           exponent of regret in K is fitted by least squares in logarithms, and the exponent of RUCB is \
           subtracted from that of anytime REX3. At the largest K, the regret of anytime REX3 is compared \
           with the regret of each rival (paired by run).",
    rule: "Holds if the difference of exponents is significantly below zero and REX3 has significantly less \
           regret than every rival at the largest K; fails if the difference is significantly above zero or \
           an advantage is significantly below 5 %. The exponents of SAVAGE and Beat the Mean are not \
           compared: with many arms they lose as much as random play, which does not depend on K.",
    correction: HOLM,
    figure: Some("k-sweep"),
    reads: &["k-sweep"],
    check,
};

const RIVALS: [Role; 4] = [Role::Rucb, Role::Savage, Role::Btm, Role::Sparring];

/// A policy's regret for each number of arms, in ascending order.
fn sweep(evidence: &Evidence, role: Role) -> Vec<(usize, Vec<f64>)> {
    let point = |series: &Series| Some((series.n_arms, series.regret_at(series.horizon())?));
    let figure = evidence.figure("k-sweep").iter();
    let mut points: Vec<_> = figure.filter(|series| role.plays(&series.policy)).filter_map(point).collect();
    points.sort_by_key(|point| point.0);
    points
}

/// Each run's exponent of regret in K.
fn exponents(points: &[(usize, Vec<f64>)]) -> Vec<f64> {
    let n_runs = points.iter().map(|point| point.1.len()).min().unwrap_or(0);
    let x: Vec<f64> = points.iter().map(|point| (point.0 as f64).ln()).collect();
    (0..n_runs)
        .filter_map(|r| {
            // A submatrix without a Condorcet winner can give regrets of zero or less; these are
            // replaced by 1.
            let y: Vec<f64> = points.iter().map(|point| point.1[r].max(1.0).ln()).collect();
            Some(Ols::fit(&x, &y)?.slope.estimate)
        })
        .collect()
}

fn check(evidence: &Evidence) -> Judgement {
    let rex3 = sweep(evidence, Role::Anytime);
    let rucb = sweep(evidence, Role::Rucb);
    let (ours, theirs) = (exponents(&rex3), exponents(&rucb));
    if ours.is_empty() || theirs.is_empty() {
        return Judgement::not_run(
            "Missing: runs of `rex3` and `rucb:alpha=0.51` with three or more numbers of arms.",
        );
    }
    let mut trials = vec![slopes(&ours, &theirs)];
    for role in RIVALS {
        let rival = sweep(evidence, role);
        let (Some((k, ours)), Some((rival_k, theirs))) = (rex3.last(), rival.last()) else { continue };
        if k == rival_k {
            trials.push(less(
                format!("{}, K = {k}", role.name()),
                (Role::Anytime.name(), ours),
                (role.name(), theirs),
                WORTH,
            ));
        }
    }
    Judgement::of_all(settle(trials), "")
}

fn slopes(ours: &[f64], theirs: &[f64]) -> Trial {
    let difference = TTest::paired(ours, theirs);
    let mut trial = below(
        format!("exponents: {} minus {}", Role::Anytime.name(), Role::Rucb.name()),
        "difference of exponents",
        difference,
        0.0,
        0.1,
    );
    for (role, exponents) in [(Role::Anytime, ours), (Role::Rucb, theirs)] {
        let test = TTest::of(exponents);
        trial.numbers.push(estimated(format!("exponent of {}", role.name()), test, INTERVAL));
    }
    trial
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};

    fn figure(rucb_power: f64, level: f64, noise: f64) -> Vec<Series> {
        let mut all = Vec::new();
        for n_arms in [4, 16, 64, 136] {
            let k = f64::from(u32::try_from(n_arms).unwrap());
            let made = |policy| SyntheticSeries {
                world: "mslr-nav",
                n_arms,
                policy,
                noise,
                ..SyntheticSeries::default()
            };
            all.push(made("rex3").series(|_| 300.0 * k.powf(0.5)));
            all.push(made("rucb:alpha=0.51").series(|_| level * k.powf(rucb_power)));
        }
        all
    }

    #[test]
    fn trace_three_verdicts() {
        let finding = judge(&CLAIM, "k-sweep", figure(0.9, 200.0, 0.05));
        expect(&finding, Verdict::Holds);
        let exponent = finding.judgement.parts[0].numbers[2].value.unwrap();
        assert!((exponent - 0.5).abs() < 0.02, "{exponent}");
        // Flatter than REX3 and lower.
        expect(&judge(&CLAIM, "k-sweep", figure(0.3, 200.0, 0.05)), Verdict::Fails);
        // Steeper, but lower at the largest K.
        expect(&judge(&CLAIM, "k-sweep", figure(0.9, 20.0, 0.05)), Verdict::Fails);
        expect(&judge(&CLAIM, "k-sweep", figure(0.51, 310.0, 0.2)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "k-sweep", Vec::new()), Verdict::NotRun);
    }
}
