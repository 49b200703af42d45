//! C16: the table of matrices.

use tiltyard_bandit::matrix::{Diagonal, PreferenceMatrix};
use tiltyard_world::builtin::builtin_matrix;

use super::decide::EXACT;
use super::{Claim, Evidence, Judgement, Number, Part};
use crate::engine::plan::Source;

pub(super) const CLAIM: Claim = Claim {
    id: "C16",
    title: "The table of matrices is correct",
    statement: "All matrices except MSLR informational have a Condorcet winner. Except in Bvs, it is also \
                the Borda winner.",
    source: "appendix C, the table of matrices",
    test: "Both winners are computed for every available matrix and compared with the table row by row.",
    rule: "Holds if every row agrees; fails if one does not. A row is not judged if its matrix is missing or \
           replaced by a synthetic one.",
    correction: EXACT,
    figure: Some("matrices"),
    reads: &["matrices"],
    check,
};

/// The table: name, K, whether there is a Condorcet winner, and whether it is the Borda winner.
const TABLE: [(&str, usize, bool, bool); 10] = [
    ("arxiv6", 6, true, true),
    ("np2004-16", 16, true, true),
    ("np2004-32", 32, true, true),
    ("np2004-64", 64, true, true),
    ("mslr-inf", 136, false, false),
    ("mslr-nav", 136, true, true),
    ("mslr-perf", 136, true, true),
    ("savage6", 6, true, true),
    ("savage30", 30, true, true),
    ("bvs20", 20, true, false),
];

fn check(evidence: &Evidence) -> Judgement {
    let row = |(name, n_arms, condorcet, borda): (&str, usize, bool, bool)| {
        let built_in = builtin_matrix(name);
        let found = evidence.matrix(name).or_else(|| built_in.as_ref().map(|matrix| (matrix, Source::Named)));
        match found {
            None => Part::unjudged(name, "the matrix is missing; `--data` says where it is"),
            Some((matrix, source)) => part(name, matrix, source, (n_arms, condorcet, borda)),
        }
    };
    Judgement::of_all(TABLE.map(row).to_vec(), "")
}

fn part(name: &str, matrix: &PreferenceMatrix, source: Source, row: (usize, bool, bool)) -> Part {
    let winner = matrix.condorcet_winner();
    let borda = matrix.borda_winners();
    let same = winner.is_some_and(|winner| borda == [winner]);
    let mut numbers = vec![Number::exact("arms", matrix.n_arms() as f64, "")];
    if let Some(winner) = winner {
        numbers.push(Number::exact("Condorcet winner", winner.index() as f64, "(arms are counted from 0)"));
    }
    if let Some(best) = borda.first() {
        numbers.push(Number::exact("Borda winner", best.index() as f64, "(arms are counted from 0)"));
        let score = matrix.borda(Diagonal::Included)[best.index()];
        numbers.push(Number::exact("its Borda score", score, "(with the diagonal)"));
    }
    if source == Source::StandIn {
        let why = "a synthetic stand-in, about which the paper says nothing";
        return Part { numbers, ..Part::unjudged(name, why) };
    }
    let note = if name.starts_with("np2004") {
        "the file is presumed to be the paper's matrix; this is not confirmed"
    } else {
        ""
    };
    Part {
        note: note.to_owned(),
        ..Part::exact(name, (matrix.n_arms(), winner.is_some(), same) == row, numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use tiltyard_bandit::matrix::builtin;

    #[test]
    fn trace_verdicts() {
        let mut evidence = Evidence::new();
        let judgement = check(&evidence);
        assert_eq!(judgement.verdict, Verdict::Holds);
        assert_eq!(judgement.parts.iter().filter(|part| part.verdict.is_some()).count(), 4);
        // A stand-in is not judged, whatever it looks like.
        evidence.add_matrix("mslr-nav", builtin::bvs(136).unwrap(), Source::StandIn);
        assert_eq!(check(&evidence).verdict, Verdict::Holds);
        // A real matrix that disagrees refutes the table.
        evidence.add_matrix("mslr-nav", builtin::bvs(136).unwrap(), Source::Named);
        let judgement = check(&evidence);
        assert_eq!(judgement.verdict, Verdict::Fails);
        assert!(judgement.note.contains("Fails: mslr-nav."), "{}", judgement.note);
    }
}
