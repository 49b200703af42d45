//! C10: Bvs hides its Condorcet winner.

use tiltyard_bandit::Arm;
use tiltyard_bandit::matrix::{Diagonal, PreferenceMatrix, builtin};

use super::decide::{HOLM, INTERVAL, LEVEL, below, settle};
use super::role::Role;
use super::{Claim, Evidence, Judgement, Number, Part};
use crate::statistics::{TTest, wilson};

pub(super) const CLAIM: Claim = Claim {
    id: "C10",
    title: "Bvs hides its Condorcet winner",
    statement: "The Condorcet winner of the Bvs matrix has a low Borda score (9.69, against 18.49 for the \
                Borda winner), which makes it hard for policies to find.",
    source: "appendix C, the paragraph on artificial matrices",
    test: "The scores are computed. The difficulty is measured at 1e5 rounds (or at the last checkpoint \
           before): the share of policies, without random play, that play (best, best). This share is \
           computed for each run and tested over runs.",
    rule: "Holds if the scores are as printed and the share is significantly below one half; fails if a \
           score differs or the share is significantly above.",
    correction: HOLM,
    figure: Some("artificial"),
    reads: &["artificial"],
    check,
};

fn check(evidence: &Evidence) -> Judgement {
    judge(&builtin::bvs(20).expect("twenty arms are enough"), evidence)
}

fn judge(matrix: &PreferenceMatrix, evidence: &Evidence) -> Judgement {
    let score = |arm: Option<Arm>, diagonal| arm.map_or(f64::NAN, |arm| matrix.borda(diagonal)[arm.index()]);
    let condorcet = matrix.condorcet_winner();
    let borda = matrix.borda_winners().first().copied();
    let (low, high) = (score(condorcet, Diagonal::Excluded), score(borda, Diagonal::Excluded));
    let printed = (low - 9.69).abs() < 1e-9 && (high - 18.49).abs() < 1e-9 && condorcet != borda;
    let mut parts = vec![Part {
        note: "The printed scores leave out the diagonal, which the paper's formula includes. With the \
               diagonal, both are larger by 0.5."
            .to_owned(),
        ..Part::exact(
            "Borda scores",
            printed,
            vec![
                Number::exact("Borda score of the Condorcet winner", low, "without the diagonal"),
                Number::exact("Borda score of the Borda winner", high, "without the diagonal"),
                Number::exact(
                    "Borda score of the Condorcet winner, with the diagonal",
                    score(condorcet, Diagonal::Included),
                    "",
                ),
                Number::exact(
                    "Borda score of the Borda winner, with the diagonal",
                    score(borda, Diagonal::Included),
                    "",
                ),
            ],
        )
    }];
    match hits(evidence) {
        Some(part) => parts.push(part),
        None => return Judgement { parts, ..Judgement::not_run("Missing: runs in the world `bvs20`.") },
    }
    Judgement::of_all(
        parts,
        "A policy that averages over opponents settles on the Borda winner and loses more there than random \
         play.",
    )
}

/// The share of policies that play (best, best) at 1e5 rounds.
fn hits(evidence: &Evidence) -> Option<Part> {
    let world = evidence.worlds(&["artificial"]).into_iter().find(|world| world.name.starts_with("bvs"))?;
    let (mut numbers, mut rates) = (Vec::new(), Vec::<Vec<f64>>::new());
    for series in world.series.iter().filter(|series| !Role::Random.plays(&series.policy)) {
        let Some(round) = series.checkpoints.iter().copied().filter(|&round| round <= 101_000).max() else {
            continue;
        };
        let Some((hits, n)) = series.hits(round) else { continue };
        let interval = wilson(hits, n, LEVEL);
        numbers.push(Number::between(
            format!("accuracy of {}", series.label),
            hits as f64 / n as f64,
            (interval.low, interval.high),
            &format!("at {round} rounds, {INTERVAL} (Wilson)"),
        ));
        rates.push(series.hit_rates(round, round));
    }
    let n_runs = rates.iter().map(Vec::len).min()?;
    let share: Vec<f64> =
        (0..n_runs).map(|r| rates.iter().map(|rates| rates[r]).sum::<f64>() / rates.len() as f64).collect();
    if share.is_empty() {
        return None;
    }
    let mut trial = below("policies that have found it".to_owned(), "share", TTest::of(&share), 0.5, 0.25);
    trial.numbers.extend(numbers);
    settle(vec![trial]).pop()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge as judge_figure};
    use crate::results::Series;

    fn world(found: [u64; 2]) -> Vec<Series> {
        let made = |policy, found| SyntheticSeries {
            world: "bvs20",
            n_arms: 20,
            policy,
            found,
            ..SyntheticSeries::default()
        };
        vec![
            made("rex3", found[0]).series(|t| 0.009 * t),
            made("rucb:alpha=0.51", found[1]).series(|t| 0.005 * t),
            made("random", 0).series(|t| 0.0095 * t),
        ]
    }

    #[test]
    fn trace_three_verdicts() {
        let finding = judge_figure(&CLAIM, "artificial", world([u64::MAX, u64::MAX]));
        expect(&finding, Verdict::Holds);
        let scores: Vec<f64> = finding.judgement.parts[0].numbers.iter().map(|n| n.value.unwrap()).collect();
        for (got, want) in scores.iter().zip([9.69, 18.49, 10.19, 18.99]) {
            assert!((got - want).abs() < 1e-9);
        }
        expect(&judge_figure(&CLAIM, "artificial", world([1, 1])), Verdict::Fails);
        // Every other run of both policies has found it: a share of one half is inconclusive.
        let mut half = world([u64::MAX, u64::MAX]);
        for (r, run) in half[0].runs.iter_mut().enumerate() {
            run.hit.fill(r % 2 == 0);
        }
        for (r, run) in half[1].runs.iter_mut().enumerate() {
            run.hit.fill(r % 2 == 0);
        }
        expect(&judge_figure(&CLAIM, "artificial", half), Verdict::Inconclusive);
        expect(&judge_figure(&CLAIM, "artificial", Vec::new()), Verdict::NotRun);
    }

    /// In SAVAGE the two winners agree, and the scores differ from the printed ones.
    #[test]
    fn trace_another_matrix_fails() {
        let mut evidence = Evidence::new();
        evidence.add_figure("artificial", world([u64::MAX, u64::MAX]));
        assert_eq!(judge(&builtin::savage(20).unwrap(), &evidence).verdict, Verdict::Fails);
    }
}
