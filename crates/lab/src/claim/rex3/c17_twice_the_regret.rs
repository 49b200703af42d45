//! C17: bandit regret is twice Condorcet regret.

use rand::RngExt;
use tiltyard_bandit::{Arm, Stream, matrix::PreferenceMatrix};
use tiltyard_world::Law;

use super::decide::EXACT;
use super::{Claim, Evidence, Judgement, Number, Part};

pub(super) const CLAIM: Claim = Claim {
    id: "C17",
    title: "Bandit regret is twice Condorcet regret",
    statement: "For Bernoulli utilities with ties broken by a fair coin, the arm with the highest mean is \
                both the Condorcet winner and the Borda winner. The expected bandit regret of a duel is \
                twice its Condorcet regret.",
    source: "section 2.2, its last equations",
    test: "In 200 random worlds of 2 to 9 Bernoulli arms, the matrix is computed from the distributions as \
           Pr(x_i > x_j) + Pr(x_i = x_j) / 2. The winners are compared. For every pair, the mean of (2 \
           x_best - x_a - x_b) / 2 is compared with twice the Condorcet regret of the matrix.",
    rule: "Holds if all winners agree and no pair is off by more than 1e-12; fails otherwise.",
    correction: EXACT,
    figure: None,
    reads: &[],
    check,
};

/// Results for one family of distributions over many worlds: the number of worlds with different
/// winners, and the largest deviation from twice the Condorcet regret.
struct Compared {
    other_winners: usize,
    largest_error: f64,
}

fn check(_: &Evidence) -> Judgement {
    let bernoulli = compare(Law::Bernoulli);
    let beta = compare(|mean| Law::Beta { a: 0.5 + 4.0 * mean, b: 4.5 - 4.0 * mean });
    judge(&bernoulli).with(Number::exact(
        "largest error for Beta utilities",
        beta.largest_error,
        "for a regret in [0, 1]; the paper claims nothing here, because the link is not linear",
    ))
}

fn judge(found: &Compared) -> Judgement {
    let parts = vec![
        Part::exact(
            "the winners agree",
            found.other_winners == 0,
            vec![Number::exact("worlds with another winner", found.other_winners as f64, "of 200")],
        ),
        Part::exact(
            "twice the regret",
            found.largest_error <= 1e-12,
            vec![Number::exact("largest error", found.largest_error, "")],
        ),
    ];
    Judgement::of_all(parts, "")
}

fn compare(law: impl Fn(f64) -> Law) -> Compared {
    let mut rng = Stream::new(1).label("claim").label("C17").rng();
    let mut found = Compared { other_winners: 0, largest_error: 0.0 };
    for _ in 0..200 {
        let n_arms = rng.random_range(2..=9usize);
        let laws: Vec<Law> = (0..n_arms).map(|_| law(rng.random::<f64>())).collect();
        let mean = |arm: Arm| laws[arm.index()].mean();
        let matrix = PreferenceMatrix::from_fn(n_arms, |i, j| laws[i.index()].preference(&laws[j.index()]))
            .expect("preferences between distributions form a matrix");
        let best = Arm::all(n_arms).max_by(|&i, &j| mean(i).total_cmp(&mean(j))).expect("at least two arms");
        if matrix.condorcet_winner() != Some(best) || matrix.borda_winners() != [best] {
            found.other_winners += 1;
        }
        for a in Arm::all(n_arms) {
            for b in Arm::all(n_arms) {
                let bandit = (2.0 * mean(best) - mean(a) - mean(b)) / 2.0;
                let condorcet = f64::midpoint(matrix.gap(best, a), matrix.gap(best, b));
                found.largest_error = found.largest_error.max((bandit - 2.0 * condorcet).abs());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;

    /// For Beta utilities the link is not linear, and the identity is off by far more than
    /// rounding.
    #[test]
    fn trace_verdicts() {
        assert_eq!(check(&Evidence::new()).verdict, Verdict::Holds);
        let beta = compare(|mean| Law::Beta { a: 0.5 + 4.0 * mean, b: 4.5 - 4.0 * mean });
        assert!(beta.largest_error > 0.01);
        assert_eq!(judge(&beta).verdict, Verdict::Fails);
    }
}
