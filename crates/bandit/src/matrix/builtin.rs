//! Matrices from papers, as published.
//!
//! Formulas count arms from 1, as the papers do. The arms of the matrices count from 0.

use super::{MatrixError, PreferenceMatrix};

/// SAVAGE-K: `P[i][j] = 1/2 + j/(2K)` for i < j, arms counted from 1.
///
/// The better arm of a pair wins with a gap that depends only on the worse arm, and every arm beats
/// arm K with certainty. Arm 1 is both the Condorcet and the Borda winner, and strong transitivity
/// and the triangle inequality hold. It is a common mistake to count j from 0, which halves the
/// smallest gap, 1/K.
///
/// Source: Urvoy, Clérot, Féraud and Naamane, "Generic exploration and K-armed voting bandits",
/// ICML 2013; as stated by Gajane, Urvoy and Clérot, ICML 2015.
///
/// # Errors
///
/// If there are no arms.
pub fn savage(n_arms: usize) -> Result<PreferenceMatrix, MatrixError> {
    // One division of whole numbers, so that the last bit is right.
    PreferenceMatrix::from_fn(n_arms, |_, j| (n_arms + j.index() + 1) as f64 / (2 * n_arms) as f64)
}

/// Bvs-K, "Borda versus Condorcet": arm 1 beats every other with probability 0.51. Among the others
/// the lower index always wins.
///
/// Arm 1 is the Condorcet winner, and arm 2 is the Borda winner by far. For K = 20, playing arm 2
/// forever costs 0.01 per round, which is more than random play, 0.0095 per round.
///
/// Source: Gajane, Urvoy and Clérot, "A relative exponential weighing algorithm for adversarial
/// utility-based dueling bandits", ICML 2015, for K = 20.
///
/// # Errors
///
/// If there are no arms.
pub fn bvs(n_arms: usize) -> Result<PreferenceMatrix, MatrixError> {
    PreferenceMatrix::from_fn(n_arms, |i, _| if i.index() == 0 { 0.51 } else { 1.0 })
}

/// Cyclic-4: arm 1 beats each of the others with probability 0.6. The others beat each other in a
/// cycle with probability 0.9.
///
/// Source: Komiyama, Honda, Kashima and Nakagawa, "Regret lower bound and optimal algorithm in
/// dueling bandit problem", COLT 2015.
pub fn cyclic4() -> PreferenceMatrix {
    published(&[[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 0.9, 0.1], [0.4, 0.1, 0.5, 0.9], [0.4, 0.9, 0.1, 0.5]])
}

/// Arithmetic-8: `P[i][j] = 1/2 + 0.05 (j - i)`.
///
/// Source: Komiyama, Honda, Kashima and Nakagawa, "Regret lower bound and optimal algorithm in
/// dueling bandit problem", COLT 2015.
pub fn arithmetic8() -> PreferenceMatrix {
    let rows: [[f64; 8]; 8] = core::array::from_fn(|i| core::array::from_fn(|j| (10 + j - i) as f64 / 20.0));
    published(&rows)
}

/// Copeland-5: no arm beats every other. Arm 0 beats three arms, and each of the others beats one
/// or two.
///
/// Made for this library. The winner is part of a cycle: 0 beats 1, 1 beats 2, 2 beats 4, and 4
/// beats 0.
pub fn copeland5() -> PreferenceMatrix {
    published(&[
        [0.5, 0.6, 0.7, 0.8, 0.4],
        [0.4, 0.5, 0.6, 0.7, 0.35],
        [0.3, 0.4, 0.5, 0.65, 0.6],
        [0.2, 0.3, 0.35, 0.5, 0.7],
        [0.6, 0.65, 0.4, 0.3, 0.5],
    ])
}

/// arXiv-6: six retrieval functions of the arXiv full-text search, compared by interleaving.
///
/// Source: Yue and Joachims, "Beat the mean bandit", ICML 2011, table 1, with one entry changed.
/// The table prints the gaps of arms B and D (rows 2 and 4) as 0.06 and -0.04, which contradict
/// each other. Later work (the public library of Komiyama et al.) uses 0.05 and -0.05, and so do
/// we. Arms 4 and 6 tie.
pub fn arxiv6() -> PreferenceMatrix {
    published(&[
        [0.50, 0.55, 0.55, 0.54, 0.61, 0.61],
        [0.45, 0.50, 0.55, 0.55, 0.58, 0.60],
        [0.45, 0.45, 0.50, 0.54, 0.51, 0.56],
        [0.46, 0.45, 0.46, 0.50, 0.54, 0.50],
        [0.39, 0.42, 0.49, 0.46, 0.50, 0.51],
        [0.39, 0.40, 0.44, 0.50, 0.49, 0.50],
    ])
}

fn published<const K: usize>(rows: &[[f64; K]; K]) -> PreferenceMatrix {
    PreferenceMatrix::from_rows(rows).expect("the matrices typed in this file are valid, as its tests show")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arm;

    fn assert_rows<const K: usize>(matrix: &PreferenceMatrix, rows: &[[f64; K]]) {
        for (arm, row) in Arm::all(matrix.n_arms()).zip(rows) {
            assert_eq!(matrix.n_arms(), K);
            for (got, expected) in matrix.row(arm).iter().zip(row) {
                assert!((got - expected).abs() < 1e-15, "{got} instead of {expected} in row {arm}");
            }
        }
    }

    /// K = 4: columns 2, 3, 4 are 1/2 + 2/8, 1/2 + 3/8, 1/2 + 4/8.
    #[test]
    fn trace_savage4() {
        let rows = [
            [0.5, 0.75, 0.875, 1.0],
            [0.25, 0.5, 0.875, 1.0],
            [0.125, 0.125, 0.5, 1.0],
            [0.0, 0.0, 0.0, 0.5],
        ];
        assert_rows(&savage(4).unwrap(), &rows);
    }

    /// The smallest gap of the first arm is 1/K, and the last arm never wins.
    #[test]
    fn trace_ends_of_savage30() {
        let matrix = savage(30).unwrap();
        assert!((matrix.gap(Arm::new(0), Arm::new(1)) - 1.0 / 30.0).abs() < 1e-15);
        assert!((matrix.get(Arm::new(28), Arm::new(29)) - 1.0).abs() <= 0.0);
    }

    #[test]
    fn trace_bvs3() {
        assert_rows(&bvs(3).unwrap(), &[[0.5, 0.51, 0.51], [0.49, 0.5, 1.0], [0.49, 0.0, 0.5]]);
    }

    #[test]
    fn trace_families_need_an_arm() {
        assert_eq!(savage(0), Err(MatrixError::NoArms));
        assert_eq!(bvs(0), Err(MatrixError::NoArms));
        assert_eq!(savage(1), bvs(1));
    }

    #[test]
    fn trace_first_and_last_row_of_arithmetic8() {
        let matrix = arithmetic8();
        assert_rows(&matrix, &[[0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85]]);
        let backwards: Vec<Arm> = (0..8).rev().map(Arm::new).collect();
        assert_rows(&matrix.relabelled(&backwards), &[[0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15]]);
    }

    /// Wins of the five arms: 3, 2, 2, 1, 2.
    #[test]
    fn trace_copeland5_has_one_copeland_winner_and_no_condorcet_winner() {
        let matrix = copeland5();
        assert_eq!(matrix.condorcet_winner(), None);
        assert_eq!(matrix.copeland_winners(), [Arm::new(0)]);
    }

    #[test]
    fn trace_winners() {
        for matrix in [cyclic4(), arithmetic8(), arxiv6(), savage(30).unwrap(), bvs(20).unwrap()] {
            assert_eq!(matrix.condorcet_winner(), Some(Arm::new(0)));
        }
    }
}
