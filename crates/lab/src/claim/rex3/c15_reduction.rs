//! C15: the gain of the reduction (Algorithm 2).

use rand::RngExt;
use tiltyard_bandit::policy::{Policy, Rex3};
use tiltyard_bandit::reduction::Reduction;
use tiltyard_bandit::{Outcome, Stream};

use super::decide::EXACT;
use super::{Claim, Evidence, Judgement, Number, Part};

pub(super) const CLAIM: Claim = Claim {
    id: "C15",
    title: "The reduction doubles the gain",
    statement: "A dueling policy used as a classical bandit, with two pulls per duel, gains twice as much as \
                it gains as a dueling policy.",
    source: "section 4.2, after Algorithm 2",
    test: "REX3 inside the reduction and REX3 on its own receive the same 1000 pairs of rewards with the \
           same random numbers. The classical gain is the sum of the rewards of the 2000 pulls; the dueling \
           gain is the sum of (x_a + x_b) / 2 over 1000 duels.",
    rule: "Holds if the classical gain is exactly twice the dueling gain for every number of arms tried; \
           fails otherwise.",
    correction: EXACT,
    figure: None,
    reads: &[],
    check,
};

fn check(_: &Evidence) -> Judgement {
    judge(&[2, 5, 20].map(|n_arms| (n_arms, gains(n_arms))))
}

fn judge(gains: &[(usize, (f64, f64))]) -> Judgement {
    let part = |&(n_arms, (classical, dueling)): &(usize, (f64, f64))| {
        Part::exact(
            format!("{n_arms} arms"),
            (classical - 2.0 * dueling).abs() <= 1e-9 * classical.abs(),
            vec![Number::exact("classical gain", classical, ""), Number::exact("dueling gain", dueling, "")],
        )
    };
    Judgement::of_all(
        gains.iter().map(part).collect(),
        "This follows from the definitions: a duel pays half the sum of the rewards of its two arms, and two \
         pulls pay the sum.",
    )
}

/// The classical and the dueling gain. Rewards depend only on the pull and the arm, so both receive
/// the same ones.
fn gains(n_arms: usize) -> (f64, f64) {
    let stream = Stream::new(1).label("claim").label("C15").index(n_arms as u64);
    let reward = |pull: u64, arm: usize| {
        let mean = 0.3 + 0.4 * arm as f64 / n_arms as f64;
        f64::from(u8::from(stream.index(pull).index(arm as u64).rng().random::<f64>() < mean))
    };

    let mut rng = stream.label("policy").rng();
    let mut bandit = Reduction::new(Rex3::new(n_arms), None);
    let mut classical = 0.0;
    for pull in 0..2000 {
        let paid = reward(pull, bandit.pull(&mut rng).index());
        bandit.reward(paid, &mut rng).expect("a reward of 0 or 1, after a pull");
        classical += paid;
    }

    let mut rng = stream.label("policy").rng();
    let mut policy = Rex3::new(n_arms);
    let mut dueling = 0.0;
    for duel in 0..1000 {
        let ticket = policy.decide(&mut rng);
        let (left, right) =
            (reward(2 * duel, ticket.left.index()), reward(2 * duel + 1, ticket.right.index()));
        dueling += f64::midpoint(left, right);
        policy.update(&ticket, Outcome::difference(left, right));
    }
    (classical, dueling)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;

    #[test]
    fn trace_verdicts() {
        let judgement = check(&Evidence::new());
        assert_eq!(judgement.verdict, Verdict::Holds);
        // The policy learned something: more than the 1000 that equal arms of mean 1/2 would pay.
        assert!(judgement.parts[1].numbers[0].value.unwrap() > 1000.0);
        assert_eq!(judge(&[(5, (1000.0, 501.0))]).verdict, Verdict::Fails);
    }
}
