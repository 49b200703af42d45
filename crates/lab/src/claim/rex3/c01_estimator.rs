//! C1: the proof's identities for the estimates, by exact enumeration.

use rand::RngExt;
use tiltyard_bandit::policy::rex3::{Options, Schedule, Transfer};
use tiltyard_bandit::policy::{Policy, Rex3};
use tiltyard_bandit::{Arm, Draw, Outcome, Stream, Ticket};

use super::decide::EXACT;
use super::{Claim, Evidence, Judgement, Number, Part};

pub(super) const CLAIM: Claim = Claim {
    id: "C1",
    title: "The estimates satisfy the identities of the proof",
    statement: "The mean of an arm's estimate is the arm's advantage over the policy's own play (Lemma 1). \
                The estimates of one duel, weighted by the arms' probabilities, sum to zero. The averages M1 \
                and M2 of the proof have the stated means.",
    source: "section 4.1, Lemma 1; appendix A, the equations for M1 and M2",
    test: "In 200 random states (2 to 9 arms; random weights, utilities and gamma), all ordered pairs are \
           enumerated with their probabilities. Each duel goes through the real update, and both sides of \
           the four identities are compared.",
    rule: "Holds if no identity is off by more than 1e-9; fails otherwise.",
    correction: EXACT,
    figure: None,
    reads: &[],
    check,
};

/// Room for rounding: estimates reach K / (2 gamma) < 1000 and are computed from log-weights of
/// about 10 with 16 digits.
const TOLERANCE: f64 = 1e-9;

fn check(_: &Evidence) -> Judgement {
    judge(&largest_errors(1.0))
}

/// The largest error of each identity.
fn largest_errors(factor: f64) -> [(&'static str, f64); 4] {
    let mut rng = Stream::new(1).label("claim").label("C1").rng();
    let mut worst = [0.0f64; 4];
    for _ in 0..200 {
        let n_arms = rng.random_range(2..=9usize);
        let gamma = rng.random_range(0.01..0.5);
        let log_weights: Vec<f64> = (0..n_arms).map(|_| rng.random_range(-4.0..4.0)).collect();
        let utilities: Vec<f64> = (0..n_arms).map(|_| rng.random::<f64>()).collect();
        for (worst, error) in worst.iter_mut().zip(errors(gamma, &log_weights, &utilities, factor)) {
            *worst = worst.max(error);
        }
    }
    let names = ["Lemma 1", "weighted sum of estimates", "mean of M1", "mean of M2"];
    core::array::from_fn(|i| (names[i], worst[i]))
}

/// The error of each identity in one state. Estimates are multiplied by `factor`; a factor other
/// than 1 is a deliberate mistake.
fn errors(gamma: f64, log_weights: &[f64], x: &[f64], factor: f64) -> [f64; 4] {
    let k = x.len();
    let options = Options {
        schedule: Schedule::Fixed { gamma },
        transfer: Transfer::Identity,
        guard: true,
        mixing: 1.0,
    };
    let mut policy = Rex3::with(k, options).expect("a legal gamma and at least two arms");
    let sums = log_weights.iter().map(|l| l * k as f64 / gamma).collect();
    policy.warm_start(0, sums).expect("finite sums, one per arm");
    let p = policy.distribution();
    let before = policy.log_weights();

    let (mut means, mut balance, mut m1, mut m2) = (vec![0.0; k], 0.0f64, 0.0, 0.0);
    for a in 0..k {
        for b in 0..k {
            let draw = Draw::Slots { left: p[a], right: p[b], z: 1.0 };
            let rate = gamma / k as f64;
            let ticket = Ticket { round: 1, left: Arm::new(a), right: Arm::new(b), rate, epoch: 0, draw };
            let mut after = policy.clone();
            after.update(&ticket, Outcome::difference(x[a], x[b]));
            let c: Vec<f64> = after
                .log_weights()
                .iter()
                .zip(&before)
                .map(|(new, old)| factor * (new - old) / rate)
                .collect();
            let chance = p[a] * p[b];
            for i in 0..k {
                means[i] += chance * c[i];
            }
            balance = balance.max((0..k).map(|i| p[i] * c[i]).sum::<f64>().abs());
            m1 -= chance * c.iter().sum::<f64>() / k as f64;
            m2 += chance * (0..k).map(|i| p[i] * c[i] * c[i]).sum::<f64>() / k as f64;
        }
    }
    let average: f64 = p.iter().zip(x).map(|(p, x)| p * x).sum();
    let square: f64 = p.iter().zip(x).map(|(p, x)| p * x * x).sum();
    let flat = x.iter().sum::<f64>() / k as f64;
    let flat_square = x.iter().map(|x| x * x).sum::<f64>() / k as f64;
    [
        (0..k).map(|i| (means[i] - (x[i] - average)).abs()).fold(0.0, f64::max),
        balance,
        (m1 - (average - flat)).abs(),
        (m2 - 0.5 * (square - 2.0 * average * flat + flat_square)).abs(),
    ]
}

fn judge(errors: &[(&str, f64)]) -> Judgement {
    let part = |&(name, error): &(&str, f64)| {
        Part::exact(name, error <= TOLERANCE, vec![Number::exact("largest error", error, "")])
    };
    Judgement::of_all(errors.iter().map(part).collect(), "The remaining errors are rounding.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;

    #[test]
    fn trace_holds() {
        assert_eq!(check(&Evidence::new()).verdict, Verdict::Holds);
    }

    /// Without the 2 in s / (2p), a mistake found in public code, Lemma 1 and both averages are
    /// wrong, but the weighted sum is still zero.
    #[test]
    fn trace_fails_without_the_factor_two() {
        let judgement = judge(&largest_errors(2.0));
        assert_eq!(judgement.verdict, Verdict::Fails);
        let holds: Vec<bool> =
            judgement.parts.iter().map(|part| part.verdict == Some(Verdict::Holds)).collect();
        assert_eq!(holds, [false, true, false, false]);
    }
}
