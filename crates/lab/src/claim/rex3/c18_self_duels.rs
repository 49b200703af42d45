//! C18: self-duels become frequent.

use rand::RngExt;
use tiltyard_bandit::matrix::{PreferenceMatrix, builtin};
use tiltyard_bandit::policy::{Policy, Rex3};
use tiltyard_bandit::{Outcome, Stream};

use super::decide::{HOLM, INTERVAL, LEVEL, Trial, power, settle};
use super::evidence::{REX3_BOUND, onset};
use super::{Claim, Evidence, Judgement, Number, Part};
use crate::statistics::TTest;

pub(super) const CLAIM: Claim = Claim {
    id: "C18",
    title: "Self-duels become frequent",
    statement: "As the distribution of REX3 concentrates on the best arms, duels of an arm with itself \
                become frequent. Such duels teach nothing.",
    source: "section 3, 'Note that, ...'",
    test: "During the check, anytime REX3 plays 20 runs of 1e5 rounds in the built-in matrices and in the \
           available matrices of the table. At the end of each run, the probability of a self-duel is \
           computed from its distribution p as the sum of p_i^2. Initially it is 1/K.",
    rule: "Frequent means in every second round or ten times as often as initially, whichever is less. Holds \
           if the probability is significantly above that in every matrix where the run is ten times longer \
           than the onset of C4; fails if it is significantly below in one.",
    correction: HOLM,
    figure: Some("arxiv"),
    reads: &[],
    check,
};

const RUNS: u64 = 20;
const ROUNDS: u64 = 100_000;

fn check(evidence: &Evidence) -> Judgement {
    let built_in = [
        ("arxiv6", builtin::arxiv6()),
        ("savage6", builtin::savage(6).expect("six arms")),
        ("savage30", builtin::savage(30).expect("thirty arms")),
        ("bvs20", builtin::bvs(20).expect("twenty arms")),
    ];
    let mut matrices: Vec<(&str, &PreferenceMatrix)> =
        built_in.iter().map(|(name, matrix)| (*name, matrix)).collect();
    for name in ["np2004-16", "np2004-32", "np2004-64", "mslr-nav", "mslr-perf"] {
        matrices.extend(evidence.matrix(name).map(|(matrix, _)| (name, matrix)));
    }
    judge(&matrices, Rex3::new)
}

/// Plays in each matrix with a policy built for its number of arms.
fn judge(matrices: &[(&str, &PreferenceMatrix)], make: fn(usize) -> Rex3) -> Judgement {
    let (mut trials, mut others) = (Vec::new(), Vec::new());
    for &(name, matrix) in matrices {
        let onset = onset(REX3_BOUND, matrix.n_arms(), matrix.gaps().random_play);
        let trial = trial(name, matrix, make);
        if onset.is_none_or(|onset| 10.0 * onset > ROUNDS as f64) {
            let why = "too early: the run is not ten times longer than the onset of C4".to_owned();
            others.push(Part { numbers: trial.numbers, ..Part::unjudged(name, why) });
        } else {
            trials.push(trial);
        }
    }
    let mut parts = settle(trials);
    parts.extend(others);
    Judgement::of_all(parts, "")
}

fn trial(name: &str, matrix: &PreferenceMatrix, make: fn(usize) -> Rex3) -> Trial {
    let at_first = 1.0 / matrix.n_arms() as f64;
    let frequent = (10.0 * at_first).min(0.5);
    let probabilities: Vec<f64> = (0..RUNS).map(|run| self_duel(name, matrix, run, make)).collect();
    let test = TTest::of(&probabilities);
    let interval = test.interval(LEVEL);
    Trial {
        name: name.to_owned(),
        holds: test.p_above(frequent),
        fails: test.p_below(frequent),
        numbers: vec![
            Number::between(
                "probability of a self-duel",
                test.estimate,
                (interval.low.max(0.0), interval.high.min(1.0)),
                &format!("after {ROUNDS} rounds, {INTERVAL}"),
            ),
            Number::exact("initially", at_first, "(computed)"),
            Number::exact("frequent means above", frequent, "(computed)"),
        ],
        power: power(
            "a probability that is 0.1 above the limit".to_owned(),
            1.0,
            0.1,
            test,
            probabilities.len(),
        ),
        note: String::new(),
    }
}

/// The probability that the duel after the last round is a self-duel.
fn self_duel(name: &str, matrix: &PreferenceMatrix, run: u64, make: fn(usize) -> Rex3) -> f64 {
    let mut rng = Stream::new(1).label("claim").label("C18").label(name).index(run).rng();
    let mut policy = make(matrix.n_arms());
    for _ in 0..ROUNDS {
        let ticket = policy.decide(&mut rng);
        let wins = rng.random::<f64>() < matrix.get(ticket.left, ticket.right);
        policy.update(&ticket, Outcome::won(wins));
    }
    policy.distribution().iter().map(|p| p * p).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use tiltyard_bandit::policy::rex3::{Options, Schedule};

    /// With gamma = 1/2 half of all draws are uniform. With six arms, a self-duel then has
    /// probability at most (1/2 + 1/12)^2 + 5 / 144 = 0.375. On Bvs-20 it is too early to judge.
    #[test]
    fn trace_verdicts() {
        let (arxiv, bvs) = (builtin::arxiv6(), builtin::bvs(20).unwrap());
        let restless = |n_arms| {
            let options = Options { schedule: Schedule::Fixed { gamma: 0.5 }, ..Options::default() };
            Rex3::with(n_arms, options).expect("the options are legal")
        };
        let judgement = judge(&[("arxiv6", &arxiv), ("bvs20", &bvs)], Rex3::new);
        assert_eq!(judgement.verdict, Verdict::Holds);
        assert_eq!(judgement.parts[1].verdict, None);
        let judgement = judge(&[("arxiv6", &arxiv)], restless);
        assert_eq!(judgement.verdict, Verdict::Fails);
        assert!(judgement.parts[0].numbers[0].value < Some(0.375));
    }
}
