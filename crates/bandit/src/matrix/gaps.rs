//! The gaps between the arms of a matrix, which say how hard it is to learn.

use super::PreferenceMatrix;
use crate::Arm;

/// The largest gap of a pair that counts as [close](Gaps::close). It takes about 1/(2 · 0.05²) =
/// 200 rounds to tell the arms of such a pair apart.
pub const CLOSE: f64 = 0.05;

/// The result of [`PreferenceMatrix::gaps`].
#[derive(Debug, Clone, PartialEq)]
pub struct Gaps {
    /// The arm with the smallest gap of the reference over it, and that gap. `None` for a single
    /// arm. The gap is negative only if there is no Condorcet winner.
    pub smallest: Option<(Arm, f64)>,
    /// The minimum, quartiles and maximum of |P - 1/2| over pairs of different arms; zeros for a
    /// single arm.
    pub quartiles: [f64; 5],
    /// The share of pairs with |P - 1/2| of at most [`CLOSE`].
    pub close: f64,
    /// The Condorcet regret of one round of random play: the mean gap of the reference over all
    /// arms, itself included.
    pub random_play: f64,
}

impl PreferenceMatrix {
    /// The gaps of the [reference](Self::reference) and of all pairs. Takes O(K² log K) time.
    pub fn gaps(&self) -> Gaps {
        let reference = self.reference().arm;
        let others = Arm::all(self.n_arms).filter(|&arm| arm != reference);
        let smallest =
            others.map(|arm| (arm, self.gap(reference, arm))).min_by(|(_, a), (_, b)| a.total_cmp(b));
        let mut sizes: Vec<f64> = (0..self.n_arms)
            .flat_map(|row| (row + 1..self.n_arms).map(move |column| (self.entry(row, column) - 0.5).abs()))
            .collect();
        sizes.sort_by(f64::total_cmp);
        // Decimal fractions: 0.55 - 0.5 is a little more than 0.05 in binary.
        let close = sizes.partition_point(|&size| size <= CLOSE + super::SLACK);
        Gaps {
            smallest,
            quartiles: [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| quantile(&sizes, share)),
            close: close as f64 / sizes.len().max(1) as f64,
            random_play: self.row(reference).iter().map(|p| p - 0.5).sum::<f64>() / self.n_arms as f64,
        }
    }
}

/// The quantile of sorted numbers, with linear interpolation; 0 if there are none.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let position = share * last as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to the last index")]
    let below = position as usize;
    let above = (below + 1).min(last);
    sorted[below] + (position - below as f64) * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::super::{arbitrary, builtin};
    use super::*;
    use proptest::prelude::*;

    /// The 15 gaps of arXiv-6 in order: 0, 1, 1, 4, 4, 4, 5, 5, 5, 5, 6, 8, 10, 11, 11 hundredths.
    /// The quartiles are the numbers at places 3.5, 7 and 10.5 counted from 0; ten of them are at
    /// most 0.05. The winner's gaps sum to 0.36.
    #[test]
    fn trace_arxiv6() {
        let gaps = builtin::arxiv6().gaps();
        let (arm, gap) = gaps.smallest.unwrap();
        assert_eq!(arm, Arm::new(3));
        let got = [gap, gaps.close, gaps.random_play];
        let expected = [0.04, 10.0 / 15.0, 0.06];
        for (got, expected) in
            got.into_iter().zip(expected).chain(gaps.quartiles.into_iter().zip([0.0, 0.04, 0.05, 0.07, 0.11]))
        {
            assert!((got - expected).abs() < 1e-12, "{got} instead of {expected}");
        }
    }

    #[test]
    fn trace_one_arm_has_no_gaps() {
        let gaps = PreferenceMatrix::new(1, vec![0.5]).unwrap().gaps();
        assert_eq!(gaps, Gaps { smallest: None, quartiles: [0.0; 5], close: 0.0, random_play: 0.0 });
    }

    proptest! {
        #[test]
        fn law_gaps_are_in_order_and_agree_with_the_winner(matrix in arbitrary::matrix()) {
            let gaps = matrix.gaps();
            prop_assert!(gaps.quartiles.is_sorted());
            prop_assert!((0.0..=1.0).contains(&gaps.close));
            if let Some((_, gap)) = gaps.smallest {
                prop_assert_eq!(gap > 0.0, matrix.condorcet_winner().is_some());
                prop_assert!(gap.abs() >= gaps.quartiles[0]);
            }
        }
    }
}
