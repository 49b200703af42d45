//! A matrix of 136 arms: the paper's MSLR navigational matrix if it is available, otherwise one
//! like it.

use std::env;
use std::path::{Path, PathBuf};

use rand::RngExt;
use tiltyard_bandit::Stream;
use tiltyard_bandit::matrix::PreferenceMatrix;
use tiltyard_world::MatrixWorld;
use tiltyard_world::matrix_file::read_matrix;

/// Arms of the matrix.
const N_ARMS: usize = 136;

/// The path of the matrix in a data directory.
const FILE: &str = "matrices/mslr_navigational_136.csv";

/// The world, and a text that says where it comes from.
///
/// The matrix may not be redistributed. It is looked up in the directory that `TILTYARD_DATA`
/// names, and in `../shared/data` beside the workspace.
pub fn navigational() -> (MatrixWorld, String) {
    for directory in directories() {
        let path = directory.join(FILE);
        if let Ok(matrix) = read_matrix(&path) {
            return (MatrixWorld::new(matrix), format!("read from {}", path.display()));
        }
    }
    let told = format!("generated, because no data directory contains {FILE}");
    (MatrixWorld::new(generated()), told)
}

fn directories() -> impl Iterator<Item = PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    env::var_os("TILTYARD_DATA").map(PathBuf::from).into_iter().chain([beside])
}

/// A matrix as hard as the real one: Borda scores with the same quantiles (0, 10, 25, 50, 75, 90
/// and 100 %), preferences that follow their differences with a standard deviation of 0.012, and a
/// Condorcet winner, arm 0, that beats its closest rival by 0.0056.
fn generated() -> PreferenceMatrix {
    const QUANTILES: [(f64, f64); 7] =
        [(0.0, 0.244), (0.1, 0.393), (0.25, 0.457), (0.5, 0.528), (0.75, 0.562), (0.9, 0.581), (1.0, 0.605)];
    let score = |arm: usize| {
        let rank = 1.0 - arm as f64 / (N_ARMS - 1) as f64;
        let above = QUANTILES.iter().position(|&(q, _)| q >= rank).unwrap_or(6).max(1);
        let ((q, low), (r, high)) = (QUANTILES[above - 1], QUANTILES[above]);
        low + (high - low) * (rank - q) / (r - q)
    };
    let mut rng = Stream::new(136).rng();
    PreferenceMatrix::from_fn(N_ARMS, |i, j| {
        // Uniform on +-0.0208 has that standard deviation.
        let noise = 0.0208 * (2.0 * rng.random::<f64>() - 1.0);
        let preference = 0.5 + score(i.index()) - score(j.index()) + noise;
        if i.index() == 0 { preference.max(0.5056) } else { preference }
    })
    .expect("preferences are between 0.1 and 0.9")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiltyard_bandit::Arm;

    /// In the real matrix, the winner's mean gap is 0.1047, its smallest 0.0056 and its largest
    /// 0.3365.
    #[test]
    fn trace_the_generated_matrix_is_as_hard_as_the_real_one() {
        let matrix = generated();
        assert_eq!(matrix.condorcet_winner(), Some(Arm::new(0)));
        let gaps: Vec<f64> = Arm::all(N_ARMS).skip(1).map(|arm| matrix.gap(Arm::new(0), arm)).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        assert!((mean - 0.1047).abs() < 0.01, "{mean}");
        assert!(gaps.iter().all(|&gap| gap > 0.0055 && gap < 0.4));
    }
}
