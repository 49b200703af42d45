//! C19: the guard against self-duels.

use tiltyard_bandit::policy::rex3::{Options, Schedule, Transfer};
use tiltyard_bandit::policy::{Policy, Rex3};
use tiltyard_bandit::{Arm, Draw, Outcome, Ticket};

use super::decide::{HOLM, SMALL, alike, settle};
use super::role::Role;
use super::{Claim, Evidence, Judgement, Number, Part};

pub(super) const CLAIM: Claim = Claim {
    id: "C19",
    title: "The guard is a slight improvement",
    statement: "If a coin decides a duel of an arm with itself, learning only from duels of two different \
                arms is a slight improvement.",
    source: "section 3, 'At step 9, ...'",
    test: "Improvement: all pairs and outcomes are enumerated in states from flat to peaked. The mean of the \
           estimates must be the same with and without the guard, and their variance must be smaller with \
           it. Slight: the regrets of anytime REX3 with and without the guard must differ by less than 10 % \
           (two one-sided tests, paired by run).",
    rule: "Holds if the variance is smaller in every state and every difference of regret is significantly \
           within 10 %; fails if a variance is not smaller or a difference is significantly beyond 10 %.",
    correction: HOLM,
    figure: None,
    reads: &["claim-19"],
    check,
};

fn check(evidence: &Evidence) -> Judgement {
    judge(&[0.0, 1.0, 3.0].map(|peak| (peak, moments(peak, true), moments(peak, false))), evidence)
}

/// Mean and variance of the best arm's estimate.
type Estimate = (f64, f64);

/// Judges estimates with and without the guard. A state is described by how peaked its weights are.
fn judge(states: &[(f64, Estimate, Estimate)], evidence: &Evidence) -> Judgement {
    let exact = |&(peak, with, without): &(f64, Estimate, Estimate)| {
        Part::exact(
            format!("variance, weights spread by e^{peak}"),
            with.1 < without.1 && (with.0 - without.0).abs() < 1e-9,
            vec![
                Number::exact("variance with the guard", with.1, "of the best arm's estimate"),
                Number::exact("variance without", without.1, "of the best arm's estimate"),
                Number::exact("mean with the guard", with.0, ""),
                Number::exact("mean without", without.0, ""),
            ],
        )
    };
    let mut parts: Vec<Part> = states.iter().map(exact).collect();
    let mut trials = Vec::new();
    for world in evidence.worlds(&["claim-19"]) {
        if let Some((_, [with, without])) = world.at_end([Role::Anytime, Role::Unguarded]) {
            let name = format!("{}: regret", world.name);
            trials.push(alike(
                name,
                (Role::Anytime.name(), &with),
                (Role::Unguarded.name(), &without),
                SMALL,
            ));
        }
    }
    if trials.is_empty() {
        return Judgement { parts, ..Judgement::not_run("Missing: runs of `rex3` and `rex3:guard=false`.") };
    }
    parts.extend(settle(trials));
    Judgement::of_all(
        parts,
        "The difference in regret, about one per cent, is too small for its sign to matter.",
    )
}

/// Mean and variance of arm 0's estimate, over all pairs and both outcomes of every duel, in a
/// world of four arms where arm 0 wins with probability 0.6.
fn moments(peak: f64, guard: bool) -> Estimate {
    let (k, gamma) = (4, 0.2);
    let options =
        Options { schedule: Schedule::Fixed { gamma }, transfer: Transfer::Identity, guard, mixing: 1.0 };
    let mut policy = Rex3::with(k, options).expect("a legal gamma");
    let rate = gamma / k as f64;
    let sums = (0..k).map(|i| if i == 0 { peak / rate } else { 0.0 }).collect();
    policy.warm_start(0, sums).expect("finite sums, one per arm");
    let p = policy.distribution();
    let before = policy.log_weights()[0];
    let (mut mean, mut square) = (0.0, 0.0);
    for a in 0..k {
        for b in 0..k {
            let win = if a == b {
                0.5
            } else if a == 0 {
                0.6
            } else if b == 0 {
                0.4
            } else {
                0.5
            };
            for (chance, outcome) in [(win, Outcome::WIN), (1.0 - win, Outcome::LOSS)] {
                let draw = Draw::Slots { left: p[a], right: p[b], z: 1.0 };
                let ticket = Ticket { round: 1, left: Arm::new(a), right: Arm::new(b), rate, epoch: 0, draw };
                let mut after = policy.clone();
                after.update(&ticket, outcome);
                let estimate = (after.log_weights()[0] - before) / rate;
                mean += p[a] * p[b] * chance * estimate;
                square += p[a] * p[b] * chance * estimate * estimate;
            }
        }
    }
    (mean, square - mean * mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge as judge_figure};
    use crate::results::Series;

    fn two(factor: f64, noise: f64) -> Vec<Series> {
        let made = |policy| SyntheticSeries { policy, noise, ..SyntheticSeries::default() };
        vec![made("rex3").series(f64::sqrt), made("rex3:guard=false").series(|t| factor * t.sqrt())]
    }

    #[test]
    fn trace_three_verdicts() {
        expect(&judge_figure(&CLAIM, "claim-19", two(1.01, 0.02)), Verdict::Holds);
        // A large improvement is not a slight one.
        expect(&judge_figure(&CLAIM, "claim-19", two(1.5, 0.02)), Verdict::Fails);
        expect(&judge_figure(&CLAIM, "claim-19", two(1.08, 0.25)), Verdict::Inconclusive);
        expect(&judge_figure(&CLAIM, "claim-19", Vec::new()), Verdict::NotRun);
    }

    /// With flat weights p = 1/4. A self-duel of arm 0 has probability 1/16 and moves its estimate
    /// up or down by 1 / (2/4) = 2, which adds 4/16 to the variance.
    #[test]
    fn trace_variance_by_hand() {
        let (with, without) = (moments(0.0, true), moments(0.0, false));
        assert!((without.1 - with.1 - 0.25).abs() < 1e-9, "{with:?} {without:?}");
        // E c_0 = sum_j p_j (2 P_0j - 1) = 3/4 * 0.2.
        assert!((with.0 - 0.15).abs() < 1e-9);
    }

    /// A guard that does not lower the variance is no improvement.
    #[test]
    fn trace_no_improvement_fails() {
        let mut evidence = Evidence::new();
        evidence.add_figure("claim-19", two(1.01, 0.02));
        assert_eq!(judge(&[(0.0, (0.1, 2.0), (0.1, 2.0))], &evidence).verdict, Verdict::Fails);
    }
}
