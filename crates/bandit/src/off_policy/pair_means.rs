//! The mean score of each pair so far, shrunk towards 0, and the score that these means predict for
//! two sides.

use super::Side;
use crate::Arm;
use crate::structures::collections::pairs::{all_pairs, n_pairs, pair_of};

/// The number of ties with which every pair starts, so that a single duel does not count fully.
const PRIOR: f64 = 2.0;

/// Antisymmetric means of pairs.
#[derive(Debug, Clone)]
pub(super) struct PairMeans {
    n_arms: usize,
    /// For each pair, the sum of its scores from the viewpoint of the lower arm, and their number.
    sums: Vec<(f64, f64)>,
    /// The prediction for the last two sides, updated as long as they stay the same.
    kept: Option<Kept>,
}

/// Two sides that do not change, and the prediction for them.
#[derive(Debug, Clone, Copy)]
struct Kept {
    sides: [Fixed; 2],
    expected: f64,
}

/// A side that is cheap to compare with the next one.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fixed {
    Arm(Arm),
    Uniform,
}

impl Fixed {
    fn of(side: Side<'_>) -> Option<Self> {
        match side {
            Side::Arm(arm) => Some(Self::Arm(arm)),
            Side::Uniform => Some(Self::Uniform),
            Side::Mixed(_) => None,
        }
    }

    fn side(self) -> Side<'static> {
        match self {
            Self::Arm(arm) => Side::Arm(arm),
            Self::Uniform => Side::Uniform,
        }
    }
}

impl PairMeans {
    pub(super) fn new(n_arms: usize) -> Self {
        Self { n_arms, sums: vec![(0.0, 0.0); n_pairs(n_arms)], kept: None }
    }

    /// The mean score of the first arm against the second.
    pub(super) fn mean(&self, a: Arm, b: Arm) -> f64 {
        if a == b {
            return 0.0;
        }
        let mean = mean(self.sums[pair_of(a.index(), b.index())]);
        if a < b { mean } else { -mean }
    }

    /// The sum over all pairs of pi_i rho_j times the mean.
    pub(super) fn expected(&mut self, pi: Side<'_>, rho: Side<'_>) -> f64 {
        let sides = Fixed::of(pi).zip(Fixed::of(rho)).map(|(pi, rho)| [pi, rho]);
        if let (Some(kept), Some(sides)) = (self.kept, sides)
            && kept.sides == sides
        {
            return kept.expected;
        }
        let expected = self.sum_over_pairs(pi, rho);
        self.kept = sides.map(|sides| Kept { sides, expected });
        expected
    }

    fn sum_over_pairs(&self, pi: Side<'_>, rho: Side<'_>) -> f64 {
        let met = self.sums.iter().zip(all_pairs(self.n_arms)).filter(|((_, n), _)| *n > 0.0);
        met.map(|(&sums, (low, high))| self.weight(pi, rho, Arm::new(low), Arm::new(high)) * mean(sums)).sum()
    }

    /// The weight of the score of the first arm against the second.
    fn weight(&self, pi: Side<'_>, rho: Side<'_>, a: Arm, b: Arm) -> f64 {
        let of = |side: Side<'_>, arm| side.probability(arm, self.n_arms);
        of(pi, a) * of(rho, b) - of(pi, b) * of(rho, a)
    }

    /// Learns the score of the first arm against the second.
    pub(super) fn add(&mut self, a: Arm, b: Arm, score: f64) {
        if a == b {
            return;
        }
        let (low, high) = (a.min(b), a.max(b));
        let place = pair_of(low.index(), high.index());
        let before = mean(self.sums[place]);
        self.sums[place].0 += if a < b { score } else { -score };
        self.sums[place].1 += 1.0;
        if let Some(mut kept) = self.kept {
            let [pi, rho] = kept.sides.map(Fixed::side);
            kept.expected += self.weight(pi, rho, low, high) * (mean(self.sums[place]) - before);
            self.kept = Some(kept);
        }
    }
}

fn mean((sum, n): (f64, f64)) -> f64 {
    sum / (n + PRIOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arm(index: usize) -> Arm {
        Arm::new(index)
    }

    /// Arm 0 beats arm 1 twice, the second time in the right slot: 2 / (2 + 2). Arm 2 ties with arm
    /// 0: 0. Arm 0 against a uniform opponent: (1/2 + 0) / 3.
    #[test]
    fn trace_means() {
        let mut means = PairMeans::new(3);
        assert!(means.expected(Side::Arm(arm(0)), Side::Uniform).abs() <= 0.0);
        means.add(arm(0), arm(1), 1.0);
        means.add(arm(1), arm(0), -1.0);
        means.add(arm(2), arm(0), 0.0);
        means.add(arm(2), arm(2), 1.0);
        assert_eq!((means.mean(arm(0), arm(1)), means.mean(arm(1), arm(0))), (0.5, -0.5));
        assert!(means.mean(arm(2), arm(2)).abs() <= 0.0);
        // The updated prediction equals a newly computed one.
        let kept = means.expected(Side::Arm(arm(0)), Side::Uniform);
        assert!((kept - 0.5 / 3.0).abs() < 1e-15, "{kept}");
        let (first, all) = ([1.0, 0.0, 0.0], [1.0 / 3.0; 3]);
        assert!((means.expected(Side::Mixed(&first), Side::Mixed(&all)) - kept).abs() < 1e-15);
        assert!((means.expected(Side::Uniform, Side::Arm(arm(0))) + kept).abs() < 1e-15);
    }
}
