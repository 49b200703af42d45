//! Matrices printed in papers, as worlds. Their numbers are in
//! [`tiltyard_bandit::matrix::builtin`].

use tiltyard_bandit::matrix::{MatrixError, PreferenceMatrix, builtin as matrices};

use crate::family::{Build, Family};

const YUE: &str = "Yue and Joachims, Beat the Mean Bandit, ICML 2011: six retrieval functions interleaved on arXiv.org; its one \
                   asymmetric pair is symmetrised as in later work";
const URVOY: &str =
    "Urvoy, Clérot, Féraud and Naamane, ICML 2013; P(i, j) = 1/2 + j / (2K) for i < j, counted from 1";
const GAJANE: &str = "Gajane, Urvoy and Clérot, ICML 2015, appendix";
const KOMIYAMA: &str = "Komiyama, Honda, Kashima and Nakagawa, COLT 2015";

pub(crate) static ARXIV6: Family = family("arxiv6", 6, "six rankers of arXiv.org", YUE, matrices::arxiv6);
pub(crate) static SAVAGE6: Family =
    family("savage6", 6, "SAVAGE, 6 arms", URVOY, || legal(matrices::savage(6)));
pub(crate) static SAVAGE30: Family =
    family("savage30", 30, "SAVAGE, 30 arms", URVOY, || legal(matrices::savage(30)));
pub(crate) static BVS20: Family =
    family("bvs20", 20, "the Condorcet winner (arm 0) has a low Borda score", GAJANE, || {
        legal(matrices::bvs(20))
    });
pub(crate) static CYCLIC4: Family = family(
    "cyclic4",
    4,
    "three arms beat each other in a cycle, and a fourth narrowly beats all of them",
    KOMIYAMA,
    matrices::cyclic4,
);
pub(crate) static ARITHMETIC8: Family =
    family("arithmetic8", 8, "P(i, j) = 1/2 + 0.05 (j - i)", KOMIYAMA, matrices::arithmetic8);
pub(crate) static COPELAND5: Family = family(
    "copeland5",
    5,
    "no arm beats every other; arm 0 beats the most",
    "this library",
    matrices::copeland5,
);

const fn family(
    name: &'static str,
    n_arms: usize,
    title: &'static str,
    provenance: &'static str,
    matrix: fn() -> PreferenceMatrix,
) -> Family {
    let build = Build::Matrix(matrix);
    Family { name, title, provenance, n_arms: Some(n_arms), params: &[], needs_file: false, build }
}

fn legal(matrix: Result<PreferenceMatrix, MatrixError>) -> PreferenceMatrix {
    matrix.expect("there are arms")
}
