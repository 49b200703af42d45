//! The made-up collections behave like the real matrices they stand in for.

use tiltyard_bandit::Arm;
use tiltyard_bandit::matrix::PreferenceMatrix;
use tiltyard_world::World;
use tiltyard_world::builtin::{WorldVisitor, visit};

struct Matrix;

impl WorldVisitor for Matrix {
    type Output = PreferenceMatrix;
    fn visit<W: World + 'static>(self, world: W) -> PreferenceMatrix {
        world.matrix().unwrap().clone()
    }
}

/// What random play costs, and the share of pairs within 0.05 of 1/2.
fn facts(matrix: &PreferenceMatrix) -> (f64, f64) {
    let n = matrix.n_arms();
    let best = matrix.reference().arm;
    let cost = Arm::all(n).map(|arm| matrix.gap(best, arm)).sum::<f64>() / n as f64;
    let pairs = Arm::all(n).flat_map(|i| Arm::all(n).skip(i.index() + 1).map(move |j| (i, j)));
    let near = pairs.filter(|&(i, j)| matrix.gap(i, j).abs() < 0.05).count();
    (cost, near as f64 / (n * (n - 1) / 2) as f64)
}

/// On the real matrices random play costs 0.103 to 0.116 a round, and 33 to 45 % of the pairs lie within 0.05 of 1/2; navigational,
/// perfect and NP2004 have a Condorcet winner that is the Borda winner too. 2000 samples a pair (the default): the standard error of an entry is at
/// most 0.011, that of a mean of 136 entries far below the width of the ranges.
#[test]
fn stat_presets_behave_like_the_real_matrices() {
    for (world, has_winner) in [
        ("synthetic-np64", true),
        ("synthetic-np64:clicks=perfect", true),
        ("synthetic-mslr136", true),
        ("synthetic-mslr136:clicks=perfect", true),
        ("synthetic-mslr136:clicks=informational", false),
    ] {
        let matrix = visit(world, 1000, Matrix).unwrap();
        let (cost, near) = facts(&matrix);
        assert!((0.08..=0.13).contains(&cost), "{world}: random play costs {cost}");
        assert!((0.30..=0.50).contains(&near), "{world}: {near} of the pairs are close");
        let (condorcet, borda) = (matrix.condorcet_winner(), matrix.borda_winners());
        if has_winner {
            assert_eq!(condorcet.as_slice(), borda, "{world}");
        } else {
            assert_ne!(
                condorcet.as_slice(),
                borda,
                "{world}: as in the real one, the informational user has no such winner"
            );
        }
    }
}
