//! The assumptions that algorithms make about a matrix. Each is checked, and each failure names the
//! arms that show it.
//!
//! - Interleaved Filter needs a total order, strong transitivity and the triangle inequality.
//! - Beat-the-Mean needs the triangle inequality and relaxed transitivity with its factor γ.
//! - RUCB and related algorithms need a Condorcet winner.
//! - Algorithms that look for a Copeland winner need nothing.

use super::{PreferenceMatrix, SLACK};
use crate::Arm;

/// All assumptions for one matrix: each holds, or names the arms that show why not.
#[derive(Debug, Clone, PartialEq)]
pub struct Assumptions {
    /// The arm that beats every other.
    pub condorcet: Result<Arm, NoCondorcetWinner>,
    /// The arms from best to worst.
    pub total_order: Result<Vec<Arm>, NoTotalOrder>,
    /// Strong stochastic transitivity.
    pub strong_transitivity: Result<(), Chain>,
    /// Relaxed stochastic transitivity, with the smallest factor for which it holds.
    pub relaxed_transitivity: Result<RelaxedTransitivity, NoCondorcetWinner>,
    /// The stochastic triangle inequality.
    pub triangle_inequality: Result<(), Chain>,
}

/// Three arms whose gaps break a rule. Each of them beats or ties with the next.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "the gap of arm {first} over arm {middle} is {upper_gap:.6}, of arm {middle} over arm {last} \
     {lower_gap:.6}, and of arm {first} over arm {last} {whole_gap:.6}"
)]
pub struct Chain {
    /// The best of the three, judged by the first two gaps.
    pub first: Arm,
    /// The arm between the two.
    pub middle: Arm,
    /// The worst of the three, judged by the first two gaps.
    pub last: Arm,
    /// Δ(first, middle), at least 0.
    pub upper_gap: f64,
    /// Δ(middle, last), at least 0.
    pub lower_gap: f64,
    /// Δ(first, last).
    pub whole_gap: f64,
}

/// Why no arm beats every other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no arm beats every other: arm {arm} beats the most, but not arm {rival}")]
pub struct NoCondorcetWinner {
    /// The first Copeland winner.
    pub arm: Arm,
    /// The first arm that it loses to or ties with.
    pub rival: Arm,
}

/// Why there is no total order of the arms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum NoTotalOrder {
    /// Two arms tie.
    #[error("arms {first} and {second} tie")]
    Tie { first: Arm, second: Arm },
    /// Three arms beat each other in a cycle. A matrix without ties has a total order or such a
    /// cycle.
    #[error("arm {first} beats arm {second}, which beats arm {third}, which beats arm {first}")]
    Cycle {
        /// The arm that beats the second.
        first: Arm,
        /// The arm that beats the third.
        second: Arm,
        /// The arm that beats the first.
        third: Arm,
    },
}

/// The distance of a matrix from strong transitivity, seen from its best arm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RelaxedTransitivity {
    /// The smallest γ of at least 1 for which the rule holds.
    pub factor: f64,
    /// The two arms, better arm first, that need a factor this large. `None` if the factor is 1.
    pub tightest: Option<(Arm, Arm)>,
}

impl PreferenceMatrix {
    /// All assumptions. Takes O(K³) time.
    pub fn assumptions(&self) -> Assumptions {
        Assumptions {
            condorcet: self.condorcet(),
            total_order: self.total_order(),
            strong_transitivity: self.strong_transitivity(),
            relaxed_transitivity: self.relaxed_transitivity(),
            triangle_inequality: self.triangle_inequality(),
        }
    }

    /// The Condorcet winner, or why there is none.
    ///
    /// # Errors
    ///
    /// The arm that beats the most others, with an arm that it does not beat.
    pub fn condorcet(&self) -> Result<Arm, NoCondorcetWinner> {
        let arm = self.copeland_winners()[0];
        match Arm::all(self.n_arms).find(|&other| other != arm && self.get(arm, other) <= 0.5) {
            None => Ok(arm),
            Some(rival) => Err(NoCondorcetWinner { arm, rival }),
        }
    }

    /// The arms from best to worst, if "beats more often than not" is a strict total order, without
    /// ties and cycles.
    ///
    /// # Errors
    ///
    /// Two arms that tie, or else three arms that beat each other in a cycle.
    pub fn total_order(&self) -> Result<Vec<Arm>, NoTotalOrder> {
        for first in Arm::all(self.n_arms) {
            let later = Arm::all(self.n_arms).skip(first.index() + 1);
            // If one entry of a pair is 1/2, so is the other. "Neither beats the other" is
            // therefore exact.
            let beaten = |second: &Arm| self.beats(first, *second) || self.beats(*second, first);
            if let Some(second) = later.clone().find(|second| !beaten(second)) {
                return Err(NoTotalOrder::Tie { first, second });
            }
        }
        let scores = self.copeland();
        let mut order: Vec<Arm> = Arm::all(self.n_arms).collect();
        order.sort_by_key(|arm| core::cmp::Reverse(scores[arm.index()]));
        // Without ties there is an order if and only if all scores differ.
        match order.windows(2).find(|pair| scores[pair[0].index()] == scores[pair[1].index()]) {
            None => Ok(order),
            Some(pair) => Err(self.cycle_through(pair[0], pair[1])),
        }
    }

    /// A cycle through two arms with equal Copeland scores in a matrix without ties. The first arm
    /// beats the second. The second beats equally many arms, so it must beat an arm that the first
    /// does not beat.
    fn cycle_through(&self, a: Arm, b: Arm) -> NoTotalOrder {
        let (first, second) = if self.beats(a, b) { (a, b) } else { (b, a) };
        let third = Arm::all(self.n_arms)
            .find(|&third| self.beats(second, third) && self.beats(third, first))
            .expect("equal Copeland scores without ties imply a cycle");
        NoTotalOrder::Cycle { first, second, third }
    }

    /// Strong stochastic transitivity: `Δ(i,k) ≥ max(Δ(i,j), Δ(j,k))` whenever i is no worse than j
    /// and j no worse than k, that is, `P[i][j] ≥ 1/2` and `P[j][k] ≥ 1/2`.
    ///
    /// If there is a [total order](Self::total_order), these chains are exactly i ≻ j ≻ k. Stated
    /// for chains, the rule needs no order, and every matrix with a cycle breaks it. Takes O(K³)
    /// time.
    ///
    /// # Errors
    ///
    /// The first chain that breaks it.
    pub fn strong_transitivity(&self) -> Result<(), Chain> {
        self.every_chain(|chain| chain.whole_gap >= chain.upper_gap.max(chain.lower_gap) - SLACK)
    }

    /// The stochastic triangle inequality: `Δ(i,k) ≤ Δ(i,j) + Δ(j,k)` for the same chains. Takes
    /// O(K³) time.
    ///
    /// # Errors
    ///
    /// The first chain that breaks it.
    pub fn triangle_inequality(&self) -> Result<(), Chain> {
        // Equality is common here, and with a linear link it always holds. Without slack, rounding
        // errors would decide.
        self.every_chain(|chain| chain.whole_gap <= chain.upper_gap + chain.lower_gap + SLACK)
    }

    /// Relaxed stochastic transitivity: the smallest γ ≥ 1 with `γ Δ(1,k) ≥ max(Δ(1,j), Δ(j,k))`
    /// for all 1 ≻ j ≻ k, where 1 is the Condorcet winner.
    ///
    /// The definition (Yue and Joachims, ICML 2011) assumes a ranking. Measured matrices often have
    /// none, because they contain cycles below the winner. Here arms are ranked by Copeland score,
    /// and arms with equal scores by the duel between them. This is the total order if there is
    /// one, does not depend on labels, and gives the factors quoted for public matrices: arXiv-6
    /// 1.25, MSLR-perfect 3.47, MSLR-navigational 2.48, Bvs-20 50. Using every pair with `P[j][k] >
    /// 1/2` instead would change only MSLR-navigational, to 2.69. Takes O(K²) time.
    ///
    /// # Errors
    ///
    /// If there is no Condorcet winner. No factor makes a positive gap out of a lost or tied pair.
    pub fn relaxed_transitivity(&self) -> Result<RelaxedTransitivity, NoCondorcetWinner> {
        let best = self.condorcet()?;
        let scores = self.copeland();
        let ranked_above = |j: Arm, k: Arm| {
            let (score_j, score_k) = (scores[j.index()], scores[k.index()]);
            score_j > score_k || score_j == score_k && self.beats(j, k)
        };
        let mut found = RelaxedTransitivity { factor: 1.0, tightest: None };
        for j in Arm::all(self.n_arms).filter(|&j| j != best) {
            for k in Arm::all(self.n_arms).filter(|&k| k != best && ranked_above(j, k)) {
                let gap = self.gap(best, k);
                let needed = self.gap(best, j).max(self.gap(j, k));
                if needed > gap + SLACK && needed > gap * found.factor {
                    found = RelaxedTransitivity { factor: needed / gap, tightest: Some((j, k)) };
                }
            }
        }
        Ok(found)
    }

    pub(super) fn beats(&self, arm: Arm, other: Arm) -> bool {
        self.get(arm, other) > 0.5
    }

    /// Checks a rule for all chains of different arms in which each arm is no worse than the next.
    /// The error is the first chain that breaks it.
    fn every_chain(&self, rule: impl Fn(&Chain) -> bool) -> Result<(), Chain> {
        let no_worse = |arm: Arm| {
            let row = self.row(arm);
            Arm::all(self.n_arms).filter(move |&other| other != arm && row[other.index()] >= 0.5)
        };
        for first in Arm::all(self.n_arms) {
            for middle in no_worse(first) {
                for last in no_worse(middle).filter(|&last| last != first) {
                    let chain = Chain {
                        first,
                        middle,
                        last,
                        upper_gap: self.gap(first, middle),
                        lower_gap: self.gap(middle, last),
                        whole_gap: self.gap(first, last),
                    };
                    if !rule(&chain) {
                        return Err(chain);
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{arbitrary, builtin};
    use super::*;
    use proptest::prelude::*;

    fn arms(indices: &[usize]) -> Vec<Arm> {
        indices.iter().copied().map(Arm::new).collect()
    }

    /// The arms of the chain that broke a rule.
    fn broken(verdict: Result<(), Chain>) -> [usize; 3] {
        let chain = verdict.unwrap_err();
        [chain.first, chain.middle, chain.last].map(Arm::index)
    }

    fn factor(matrix: &PreferenceMatrix) -> f64 {
        matrix.relaxed_transitivity().unwrap().factor
    }

    #[test]
    fn trace_savage30_and_arithmetic8_satisfy_everything() {
        for matrix in [builtin::savage(30).unwrap(), builtin::arithmetic8()] {
            let n_arms = matrix.n_arms();
            let expected = Assumptions {
                condorcet: Ok(Arm::new(0)),
                total_order: Ok(Arm::all(n_arms).collect()),
                strong_transitivity: Ok(()),
                relaxed_transitivity: Ok(RelaxedTransitivity { factor: 1.0, tightest: None }),
                triangle_inequality: Ok(()),
            };
            assert_eq!(matrix.assumptions(), expected);
        }
    }

    /// Δ(1,4) = 0.04 and Δ(1,2) = 0.05 for arms counted from 1: a factor of 1.25. The tie of arms 4
    /// and 6 breaks the order. Strong transitivity already fails at (1,2,4); the triangle
    /// inequality holds until Δ(1,5) = 0.11 > Δ(1,3) + Δ(3,5) = 0.05 + 0.01.
    #[test]
    fn trace_arxiv6() {
        let assumptions = builtin::arxiv6().assumptions();
        assert_eq!(assumptions.condorcet, Ok(Arm::new(0)));
        assert_eq!(
            assumptions.total_order,
            Err(NoTotalOrder::Tie { first: Arm::new(3), second: Arm::new(5) })
        );
        assert_eq!(broken(assumptions.strong_transitivity), [0, 1, 3]);
        assert_eq!(broken(assumptions.triangle_inequality), [0, 2, 4]);
        assert_eq!(
            assumptions.strong_transitivity.unwrap_err().to_string(),
            "the gap of arm 0 over arm 1 is 0.050000, of arm 1 over arm 3 0.050000, \
             and of arm 0 over arm 3 0.040000"
        );
        let relaxed = assumptions.relaxed_transitivity.unwrap();
        assert!((relaxed.factor - 1.25).abs() < 1e-9);
        assert_eq!(relaxed.tightest, Some((Arm::new(1), Arm::new(3))));
    }

    /// Δ(1,3) = 0.01 and Δ(2,3) = 0.5.
    #[test]
    fn trace_bvs20() {
        let bvs = builtin::bvs(20).unwrap();
        assert!((factor(&bvs) - 50.0).abs() < 1e-9);
        assert_eq!(bvs.total_order(), Ok(Arm::all(20).collect()));
        assert_eq!(broken(bvs.strong_transitivity()), [0, 1, 2]);
        assert_eq!(bvs.triangle_inequality(), Ok(()));
    }

    /// Below the winner each arm beats the next with a gap of 0.4, while the winner's gap is 0.1: a
    /// factor of 4. In the cycle 2, 3, 4 the gap of the first arm over the last is -0.4, which does
    /// not break the triangle inequality.
    #[test]
    fn trace_cyclic4() {
        let cyclic = builtin::cyclic4();
        assert!((factor(&cyclic) - 4.0).abs() < 1e-9);
        assert_eq!(
            cyclic.total_order().unwrap_err().to_string(),
            "arm 1 beats arm 2, which beats arm 3, which beats arm 1"
        );
        assert_eq!(broken(cyclic.strong_transitivity()), [0, 1, 2]);
        assert_eq!(cyclic.triangle_inequality(), Ok(()));
    }

    #[test]
    fn trace_a_circle_has_no_best_arm() {
        let circle = builtin::cyclic4().submatrix(&arms(&[1, 2, 3])).unwrap();
        let none = NoCondorcetWinner { arm: Arm::new(0), rival: Arm::new(2) };
        assert_eq!(circle.condorcet(), Err(none));
        assert_eq!(circle.relaxed_transitivity(), Err(none));
        assert_eq!(none.to_string(), "no arm beats every other: arm 0 beats the most, but not arm 2");
    }

    #[test]
    fn trace_one_arm_satisfies_everything() {
        let assumptions = PreferenceMatrix::new(1, vec![0.5]).unwrap().assumptions();
        assert_eq!(assumptions.total_order, Ok(arms(&[0])));
        assert_eq!(assumptions.condorcet, Ok(Arm::new(0)));
        assert_eq!(assumptions.strong_transitivity, Ok(()));
        assert_eq!(assumptions.triangle_inequality, Ok(()));
    }

    /// Slack covers only rounding: a gap that is too small by a millionth is a violation.
    #[test]
    fn trace_slack_is_narrow() {
        let matrix =
            |p: f64| PreferenceMatrix::from_fn(3, |_, k| if k.index() == 2 { p } else { 0.6 }).unwrap();
        assert_eq!(matrix(0.6).strong_transitivity(), Ok(()));
        assert_eq!(broken(matrix(0.599_999).strong_transitivity()), [0, 1, 2]);
    }

    proptest! {
        /// Under the linear link all assumptions hold. Gaps then add up exactly, where rounding
        /// errors would show.
        #[test]
        fn law_utilities_satisfy_everything((utilities, matrix) in arbitrary::utilities()) {
            let mut order: Vec<Arm> = Arm::all(utilities.len()).collect();
            order.sort_by(|a, b| utilities[b.index()].total_cmp(&utilities[a.index()]));
            let assumptions = matrix.assumptions();
            prop_assert_eq!(assumptions.condorcet, Ok(order[0]));
            prop_assert_eq!(assumptions.total_order, Ok(order));
            prop_assert_eq!(assumptions.strong_transitivity, Ok(()));
            prop_assert_eq!(assumptions.triangle_inequality, Ok(()));
            let relaxed = RelaxedTransitivity { factor: 1.0, tightest: None };
            prop_assert_eq!(assumptions.relaxed_transitivity, Ok(relaxed));
        }

        #[test]
        fn law_every_verdict_has_its_proof(matrix in arbitrary::matrix()) {
            let assumptions = matrix.assumptions();
            match assumptions.total_order {
                Ok(order) => for (i, &better) in order.iter().enumerate() {
                    prop_assert!(order[i + 1..].iter().all(|&worse| matrix.beats(better, worse)));
                },
                Err(NoTotalOrder::Tie { first, second }) => {
                    prop_assert!(first != second && matrix.gap(first, second).abs() <= 0.0);
                }
                Err(NoTotalOrder::Cycle { first, second, third }) => {
                    prop_assert!(matrix.beats(first, second) && matrix.beats(second, third));
                    prop_assert!(matrix.beats(third, first));
                }
            }
            if let Err(Chain { first: i, middle: j, last: k, .. }) = assumptions.strong_transitivity {
                prop_assert!(matrix.gap(i, j) >= 0.0 && matrix.gap(j, k) >= 0.0);
                prop_assert!(matrix.gap(i, k) < matrix.gap(i, j).max(matrix.gap(j, k)));
            }
            if let Err(Chain { first: i, middle: j, last: k, .. }) = assumptions.triangle_inequality {
                prop_assert!(matrix.gap(i, j) >= 0.0 && matrix.gap(j, k) >= 0.0);
                prop_assert!(matrix.gap(i, k) > matrix.gap(i, j) + matrix.gap(j, k));
            }
            prop_assert_eq!(assumptions.condorcet.ok(), matrix.condorcet_winner());
            if let Err(NoCondorcetWinner { arm, rival }) = assumptions.condorcet {
                prop_assert!(arm != rival && !matrix.beats(arm, rival));
            }
            if let Ok(RelaxedTransitivity { factor, tightest }) = assumptions.relaxed_transitivity {
                let best = matrix.condorcet_winner().unwrap();
                prop_assert_eq!(tightest.is_some(), factor > 1.0);
                if let Some((j, k)) = tightest {
                    let needed = matrix.gap(best, j).max(matrix.gap(j, k));
                    prop_assert!((factor * matrix.gap(best, k) - needed).abs() < 1e-9);
                }
            }
        }

        /// Strong transitivity implies relaxed transitivity with factor 1.
        #[test]
        fn law_strong_transitivity_needs_no_factor(matrix in arbitrary::matrix()) {
            let (strong, relaxed) = (matrix.strong_transitivity(), matrix.relaxed_transitivity());
            if let (Ok(()), Ok(relaxed)) = (strong, relaxed) {
                prop_assert_eq!(relaxed, RelaxedTransitivity { factor: 1.0, tightest: None });
            }
        }

        #[test]
        fn law_relabelling_commutes((matrix, order) in arbitrary::matrix_and_order()) {
            let old = matrix.assumptions();
            let new = matrix.relabelled(&order).assumptions();
            prop_assert_eq!(new.condorcet.ok().map(|arm| order[arm.index()]), old.condorcet.ok());
            let moved = new.total_order.ok().map(|arms| arms.iter().map(|arm| order[arm.index()]).collect());
            prop_assert_eq!(moved, old.total_order.ok());
            prop_assert_eq!(new.strong_transitivity.is_ok(), old.strong_transitivity.is_ok());
            prop_assert_eq!(new.triangle_inequality.is_ok(), old.triangle_inequality.is_ok());
            match (new.relaxed_transitivity, old.relaxed_transitivity) {
                (Ok(new), Ok(old)) => prop_assert!((new.factor / old.factor - 1.0).abs() < 1e-9),
                (new, old) => prop_assert_eq!(new.is_err(), old.is_err()),
            }
        }
    }
}
