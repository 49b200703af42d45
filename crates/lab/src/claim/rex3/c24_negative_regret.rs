//! C24: negative regret without a Condorcet winner.

use tiltyard_bandit::Arm;

use super::decide::EXACT;
use super::{Claim, Evidence, Judgement, Number, Part};
use crate::engine::plan::Source;

pub(super) const CLAIM: Claim = Claim {
    id: "C24",
    title: "Negative regret without a Condorcet winner",
    statement: "MSLR informational has no Condorcet winner. Measured against a Copeland winner instead, the \
                regret of some arms is negative.",
    source: "appendix C, the caption of the figure on MSLR informational and perfect",
    test: "The Copeland winner of the matrix and its preference over every other arm are computed.",
    rule: "Holds if no arm beats all others and the Copeland winner loses to at least one arm; fails \
           otherwise.",
    correction: EXACT,
    figure: Some("mslr-inf"),
    reads: &["matrices"],
    check,
};

fn check(evidence: &Evidence) -> Judgement {
    let Some((matrix, source)) = evidence.matrix("mslr-inf") else {
        return Judgement::not_run("Missing: the matrix of MSLR informational; `--data` says where it is.");
    };
    let best = matrix.reference().arm;
    let gaps: Vec<f64> = Arm::all(matrix.n_arms()).map(|arm| matrix.gap(best, arm)).collect();
    let negative = gaps.iter().filter(|&&gap| gap < 0.0).count();
    let numbers = vec![
        Number::exact("Copeland winner", best.index() as f64, "(arms are counted from 0)"),
        Number::exact("arms with negative regret", negative as f64, ""),
        Number::exact(
            "lowest gap",
            gaps.iter().copied().fold(f64::INFINITY, f64::min),
            "(negative if that arm beats the Copeland winner)",
        ),
    ];
    if source == Source::StandIn {
        let why = "a synthetic stand-in, about which the paper says nothing";
        let parts = vec![Part { numbers, ..Part::unjudged("mslr-inf", why) }];
        return Judgement {
            parts,
            ..Judgement::not_run("Missing: the matrix of MSLR informational; `--data` says where it is.")
        };
    }
    let holds = matrix.condorcet_winner().is_none() && negative > 0;
    Judgement::of_all(vec![Part::exact("mslr-inf", holds, numbers)], "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use tiltyard_bandit::matrix::{PreferenceMatrix, builtin};

    #[test]
    fn trace_verdicts() {
        let mut evidence = Evidence::new();
        let rows = [[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]];
        let circle = PreferenceMatrix::from_rows(&rows).unwrap();
        evidence.add_matrix("mslr-inf", circle.clone(), Source::StandIn);
        assert_eq!(check(&evidence).verdict, Verdict::NotRun);
        evidence.add_matrix("mslr-inf", circle, Source::Named);
        assert_eq!(check(&evidence).verdict, Verdict::Holds);
        evidence.add_matrix("mslr-inf", builtin::arxiv6(), Source::Named);
        assert_eq!(check(&evidence).verdict, Verdict::Fails);
    }
}
