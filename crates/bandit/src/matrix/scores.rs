//! The best arm: Borda and Copeland scores, and the reference for regret.

use super::{PreferenceMatrix, SLACK};
use crate::Arm;

/// Whether an arm's duel with itself, which is a tie worth 1/2, counts in its Borda score.
///
/// Papers differ, and the REX3 paper contradicts itself: its formula includes the diagonal, but the
/// scores that it quotes for [`bvs`](super::builtin::bvs) exclude it. The winners are the same
/// either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Diagonal {
    /// `P[i][i] = 1/2` counts.
    Included,
    /// Only duels with other arms count.
    Excluded,
}

/// The arm with which regret compares, and the reason for the choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Reference {
    pub arm: Arm,
    pub kind: ReferenceKind,
}

/// Why an arm is the reference for regret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceKind {
    /// It beats every other arm.
    Condorcet,
    /// No arm beats every other. This is the first of the arms that beat the most others. Regret
    /// may be negative.
    Copeland,
}

impl PreferenceMatrix {
    /// The Borda score of each arm: the sum of its row, which is the expected number of wins in one
    /// duel with each arm.
    pub fn borda(&self, diagonal: Diagonal) -> Vec<f64> {
        let own = match diagonal {
            Diagonal::Included => 0.0,
            Diagonal::Excluded => 0.5,
        };
        Arm::all(self.n_arms).map(|arm| self.row(arm).iter().sum::<f64>() - own).collect()
    }

    /// The Borda score of each arm, divided by the number of duels that it counts: K with the
    /// diagonal, K - 1 without. This is the probability of beating an arm drawn at random. A single
    /// arm has 1/2 either way.
    pub fn borda_normalised(&self, diagonal: Diagonal) -> Vec<f64> {
        let n_duels = match diagonal {
            Diagonal::Included => self.n_arms,
            Diagonal::Excluded => self.n_arms - 1,
        };
        if n_duels == 0 {
            return vec![0.5];
        }
        self.borda(diagonal).into_iter().map(|score| score / n_duels as f64).collect()
    }

    /// The Copeland score of each arm: the number of other arms that it beats with probability
    /// above 1/2. A tie counts for neither arm.
    pub fn copeland(&self) -> Vec<usize> {
        // The diagonal is exactly 1/2 and never counts.
        Arm::all(self.n_arms).map(|arm| self.row(arm).iter().filter(|&&p| p > 0.5).count()).collect()
    }

    /// The Copeland score of each arm, divided by the number of other arms. A single arm has 1,
    /// because it is the winner.
    pub fn copeland_normalised(&self) -> Vec<f64> {
        let others = self.n_arms - 1;
        if others == 0 {
            return vec![1.0];
        }
        self.copeland().into_iter().map(|score| score as f64 / others as f64).collect()
    }

    /// The arm that beats every other arm, if there is one. There is never more than one.
    pub fn condorcet_winner(&self) -> Option<Arm> {
        Arm::all(self.n_arms)
            .find(|&arm| Arm::all(self.n_arms).zip(self.row(arm)).all(|(other, &p)| other == arm || p > 0.5))
    }

    /// The arms with the largest Copeland score, in ascending order. There is at least one.
    pub fn copeland_winners(&self) -> Vec<Arm> {
        let scores = self.copeland();
        let best = scores.iter().copied().max();
        Arm::all(self.n_arms).filter(|arm| Some(scores[arm.index()]) == best).collect()
    }

    /// The arms with the largest Borda score, in ascending order. There is at least one.
    ///
    /// Scores whose normalised forms differ by less than 1e-9 count as equal: arms that tie on
    /// paper have rows that sum to slightly different numbers, depending on the order of addition.
    pub fn borda_winners(&self) -> Vec<Arm> {
        let scores = self.borda_normalised(Diagonal::Included);
        let best = scores.iter().copied().fold(0.0, f64::max);
        Arm::all(self.n_arms).filter(|arm| scores[arm.index()] >= best - SLACK).collect()
    }

    /// The reference for regret: the Condorcet winner, or the first Copeland winner if there is no
    /// Condorcet winner.
    pub fn reference(&self) -> Reference {
        match self.condorcet_winner() {
            Some(arm) => Reference { arm, kind: ReferenceKind::Condorcet },
            None => Reference { arm: self.copeland_winners()[0], kind: ReferenceKind::Copeland },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{arbitrary, builtin};
    use super::*;
    use proptest::prelude::*;

    fn assert_near(got: &[f64], expected: &[f64], tolerance: f64) {
        assert_eq!(got.len(), expected.len());
        for (got, expected) in got.iter().zip(expected) {
            assert!((got - expected).abs() <= tolerance, "{got} instead of {expected}");
        }
    }

    fn arms(indices: &[usize]) -> Vec<Arm> {
        indices.iter().copied().map(Arm::new).collect()
    }

    /// The cost of uniform play per round: the mean gap of the reference over all arms, itself
    /// included.
    fn cost_of_uniform_play(matrix: &PreferenceMatrix) -> f64 {
        let best = matrix.reference().arm;
        Arm::all(matrix.n_arms()).map(|arm| matrix.gap(best, arm)).sum::<f64>() / matrix.n_arms() as f64
    }

    /// SAVAGE-K, first arm: K/2 + (2 + ... + K)/(2K), which is 15 + 464/60 for K = 30 and 3 + 20/12
    /// for K = 6.
    #[test]
    fn trace_borda_of_savage() {
        let savage30 = builtin::savage(30).unwrap().borda(Diagonal::Included);
        assert_near(&savage30[..3], &[22.733, 22.667, 22.55], 5e-4);
        let savage6 = builtin::savage(6).unwrap().borda(Diagonal::Included);
        assert_near(&savage6[..3], &[4.667, 4.333, 3.75], 5e-4);
    }

    /// First arm: 19 * 0.51 = 9.69; second: 0.49 + 18 = 18.49; 1/2 more with the diagonal. The
    /// paper quotes the values without the diagonal, but its formula includes it.
    #[test]
    fn trace_borda_of_bvs20() {
        let bvs = builtin::bvs(20).unwrap();
        assert_near(&bvs.borda(Diagonal::Excluded)[..2], &[9.69, 18.49], 1e-12);
        assert_near(&bvs.borda(Diagonal::Included)[..2], &[10.19, 18.99], 1e-12);
        assert_near(&bvs.borda_normalised(Diagonal::Excluded)[..2], &[0.51, 18.49 / 19.0], 1e-12);
        assert_near(&bvs.borda_normalised(Diagonal::Included)[..2], &[10.19 / 20.0, 18.99 / 20.0], 1e-12);
        assert_eq!(bvs.borda_winners(), arms(&[1]));
        assert_eq!(bvs.reference(), Reference { arm: Arm::new(0), kind: ReferenceKind::Condorcet });
    }

    /// Arms 3 and 5 tie, so 3 beats only 4, and 5 beats no arm.
    #[test]
    fn trace_copeland_of_arxiv6() {
        let arxiv = builtin::arxiv6();
        assert_eq!(arxiv.copeland(), [5, 4, 3, 1, 1, 0]);
        assert_near(&arxiv.copeland_normalised(), &[1.0, 0.8, 0.6, 0.2, 0.2, 0.0], 1e-12);
        assert_eq!(arxiv.condorcet_winner(), Some(Arm::new(0)));
        assert_eq!(arxiv.borda_winners(), arms(&[0]));
    }

    /// Without its first arm cyclic-4 is rock, paper, scissors: each arm beats one other, and row
    /// sums are equal on paper.
    #[test]
    fn trace_a_cycle_has_three_winners() {
        let cycle = builtin::cyclic4().submatrix(&arms(&[1, 2, 3])).unwrap();
        assert_eq!(cycle.condorcet_winner(), None);
        assert_eq!(cycle.copeland_winners(), arms(&[0, 1, 2]));
        assert_eq!(cycle.borda_winners(), arms(&[0, 1, 2]));
        assert_eq!(cycle.reference(), Reference { arm: Arm::new(0), kind: ReferenceKind::Copeland });
    }

    #[test]
    fn trace_one_arm_wins() {
        let matrix = PreferenceMatrix::new(1, vec![0.5]).unwrap();
        assert_eq!(matrix.reference(), Reference { arm: Arm::new(0), kind: ReferenceKind::Condorcet });
        assert_near(&matrix.borda(Diagonal::Included), &[0.5], 0.0);
        assert_near(&matrix.borda(Diagonal::Excluded), &[0.0], 0.0);
        assert_near(&matrix.borda_normalised(Diagonal::Included), &[0.5], 0.0);
        assert_near(&matrix.borda_normalised(Diagonal::Excluded), &[0.5], 0.0);
        assert_near(&matrix.copeland_normalised(), &[1.0], 0.0);
    }

    /// Equals Borda(best)/K - 1/2: for Bvs-20, 10.19/20 - 0.5 = 0.0095.
    #[test]
    fn trace_cost_of_uniform_play() {
        let costs = [
            cost_of_uniform_play(&builtin::arxiv6()),
            cost_of_uniform_play(&builtin::savage(6).unwrap()),
            cost_of_uniform_play(&builtin::savage(30).unwrap()),
            cost_of_uniform_play(&builtin::bvs(20).unwrap()),
        ];
        assert_near(&costs, &[0.0600, 0.2778, 0.2578, 0.0095], 5e-5);
    }

    proptest! {
        /// Each unordered pair gives its two arms 1 in total, and the diagonal gives each arm 1/2.
        #[test]
        fn law_borda_scores_sum_to_half_of_all_duels(matrix in arbitrary::matrix()) {
            let n_arms = matrix.n_arms() as f64;
            let sum = |diagonal| matrix.borda(diagonal).iter().sum::<f64>();
            prop_assert!((sum(Diagonal::Included) - n_arms * n_arms / 2.0).abs() < 1e-9);
            prop_assert!((sum(Diagonal::Excluded) - n_arms * (n_arms - 1.0) / 2.0).abs() < 1e-9);
        }

        #[test]
        fn law_normalised_scores_are_fractions(matrix in arbitrary::matrix()) {
            let scores = [
                matrix.borda_normalised(Diagonal::Included),
                matrix.borda_normalised(Diagonal::Excluded),
                matrix.copeland_normalised(),
            ];
            for score in scores.into_iter().flatten() {
                prop_assert!((-1e-12..=1.0 + 1e-12).contains(&score));
            }
        }

        /// At most one arm beats all others, and it is then the only Copeland winner and never the
        /// Borda loser.
        #[test]
        fn law_a_condorcet_winner_is_alone(matrix in arbitrary::matrix()) {
            let unbeaten = matrix.copeland().iter().filter(|&&score| score == matrix.n_arms() - 1).count();
            if let Some(arm) = matrix.condorcet_winner() {
                prop_assert_eq!(unbeaten, 1);
                prop_assert_eq!(matrix.copeland_winners(), [arm]);
                prop_assert_eq!(matrix.reference(), Reference { arm, kind: ReferenceKind::Condorcet });
                prop_assert!(matrix.borda_normalised(Diagonal::Included)[arm.index()] >= 0.5);
            } else {
                prop_assert_eq!(unbeaten, 0);
                let arm = matrix.copeland_winners()[0];
                prop_assert_eq!(matrix.reference(), Reference { arm, kind: ReferenceKind::Copeland });
            }
        }

        #[test]
        fn law_relabelling_commutes((matrix, order) in arbitrary::matrix_and_order()) {
            let new = matrix.relabelled(&order);
            for diagonal in [Diagonal::Included, Diagonal::Excluded] {
                let (old_borda, new_borda) = (matrix.borda(diagonal), new.borda(diagonal));
                for (new, old) in order.iter().enumerate() {
                    // Not equal to the last bit, because the rows are summed in another order.
                    prop_assert!((new_borda[new] - old_borda[old.index()]).abs() < 1e-12);
                }
            }
            let old_copeland = matrix.copeland();
            let moved: Vec<usize> = order.iter().map(|old| old_copeland[old.index()]).collect();
            prop_assert_eq!(new.copeland(), moved);

            let old_labels = |arms: Vec<Arm>| {
                let mut arms: Vec<Arm> = arms.into_iter().map(|arm| order[arm.index()]).collect();
                arms.sort();
                arms
            };
            prop_assert_eq!(new.condorcet_winner().map(|arm| order[arm.index()]), matrix.condorcet_winner());
            prop_assert_eq!(old_labels(new.copeland_winners()), matrix.copeland_winners());
            prop_assert_eq!(old_labels(new.borda_winners()), matrix.borda_winners());
            prop_assert_eq!(new.reference().kind, matrix.reference().kind);
        }

        /// Under the linear link the arm with the best utility wins by every criterion.
        #[test]
        fn law_the_best_utility_wins((utilities, matrix) in arbitrary::utilities()) {
            let of = |arm: &Arm| utilities[arm.index()];
            let best = Arm::all(utilities.len()).max_by(|a, b| of(a).total_cmp(&of(b)));
            prop_assert_eq!(matrix.condorcet_winner(), best);
            prop_assert_eq!(matrix.borda_winners(), [best.unwrap()]);
        }
    }
}
