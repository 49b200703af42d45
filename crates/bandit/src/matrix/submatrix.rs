//! Matrices with some of a matrix's arms, or with all of them under other labels.

use rand::{Rng, RngExt};

use super::PreferenceMatrix;
use crate::Arm;
use crate::hint::Hint;

impl PreferenceMatrix {
    /// The matrix of only these arms: its arm i is `arms[i]` of this matrix. Entries are equal to
    /// the last bit.
    ///
    /// # Errors
    ///
    /// If the list is empty, an arm is not in this matrix, or an arm is listed twice.
    pub fn submatrix(&self, arms: &[Arm]) -> Result<Self, SubmatrixError> {
        if arms.is_empty() {
            return Err(SubmatrixError::NoArms);
        }
        let mut listed = vec![false; self.n_arms];
        for &arm in arms {
            let n_arms = self.n_arms;
            let listed = listed.get_mut(arm.index()).ok_or(SubmatrixError::OutOfRange { arm, n_arms })?;
            if *listed {
                return Err(SubmatrixError::Repeated { arm });
            }
            *listed = true;
        }
        let entries = arms.iter().flat_map(|&i| arms.iter().map(move |&j| self.get(i, j))).collect();
        Ok(Self { n_arms: arms.len(), entries })
    }

    /// The same matrix with its arms in another order: the new arm i is the old arm `order[i]`.
    ///
    /// # Panics
    ///
    /// If `order` does not list every arm of this matrix once.
    #[must_use]
    pub fn relabelled(&self, order: &[Arm]) -> Self {
        assert_eq!(order.len(), self.n_arms, "an order lists every arm");
        match self.submatrix(order) {
            Ok(matrix) => matrix,
            Err(error) => panic!("an order lists every arm once: {error}"),
        }
    }

    /// The matrix of `n_arms` arms drawn uniformly without replacement, and these arms in the order
    /// drawn. The winner need not be among them: the submatrix may have another Condorcet winner,
    /// or none.
    ///
    /// Draws one index in a range for each arm (a partial Fisher-Yates shuffle).
    ///
    /// # Errors
    ///
    /// If `n_arms` is 0 or more than the number of arms.
    pub fn random_submatrix<R: Rng + ?Sized>(
        &self,
        n_arms: usize,
        rng: &mut R,
    ) -> Result<(Self, Vec<Arm>), SubmatrixError> {
        if n_arms > self.n_arms {
            return Err(SubmatrixError::TooMany { wanted: n_arms, n_arms: self.n_arms });
        }
        // Written out here, because rand does not fix which method it uses to draw a sample, and
        // the result depends on the method.
        let mut arms: Vec<Arm> = Arm::all(self.n_arms).collect();
        for i in 0..n_arms {
            arms.swap(i, rng.random_range(i..self.n_arms));
        }
        arms.truncate(n_arms);
        Ok((self.submatrix(&arms)?, arms))
    }
}

/// Why no submatrix can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum SubmatrixError {
    /// The list of arms is empty.
    #[error("a submatrix needs at least one arm")]
    NoArms,
    /// The matrix does not have this arm.
    #[error("there is no arm {arm}: there are {n_arms} arms, counted from 0")]
    OutOfRange { arm: Arm, n_arms: usize },
    /// The arm is listed twice.
    #[error("arm {arm} is listed twice")]
    Repeated { arm: Arm },
    /// More arms were requested than the matrix has.
    #[error("{wanted} arms cannot be drawn from {n_arms}")]
    TooMany { wanted: usize, n_arms: usize },
}

impl Hint for SubmatrixError {}

#[cfg(test)]
mod tests {
    use super::super::{arbitrary, builtin};
    use super::*;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn arms<const N: usize>(indices: [usize; N]) -> [Arm; N] {
        indices.map(Arm::new)
    }

    /// Rows and columns 3, 0, 1 of cyclic-4: arm 3 beats arm 1 with probability 0.9 and arm 0 with
    /// probability 0.4.
    #[test]
    fn trace_submatrix_of_cyclic4() {
        let expected =
            PreferenceMatrix::from_rows(&[[0.5, 0.4, 0.9], [0.6, 0.5, 0.6], [0.1, 0.4, 0.5]]).unwrap();
        assert_eq!(builtin::cyclic4().submatrix(&arms([3, 0, 1])), Ok(expected));
    }

    #[test]
    fn trace_every_error() {
        let matrix = builtin::cyclic4();
        let message = |arms: &[Arm]| matrix.submatrix(arms).unwrap_err().to_string();
        assert_eq!(message(&[]), "a submatrix needs at least one arm");
        assert_eq!(message(&arms([0, 4])), "there is no arm 4: there are 4 arms, counted from 0");
        assert_eq!(message(&arms([2, 0, 2])), "arm 2 is listed twice");
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        assert_eq!(
            matrix.random_submatrix(5, &mut rng).unwrap_err().to_string(),
            "5 arms cannot be drawn from 4"
        );
        assert_eq!(matrix.random_submatrix(0, &mut rng), Err(SubmatrixError::NoArms));
    }

    #[test]
    #[should_panic(expected = "an order lists every arm once: arm 1 is listed twice")]
    fn trace_relabelling_needs_a_permutation() {
        let _ = builtin::cyclic4().relabelled(&arms([0, 1, 1, 2]));
    }

    #[test]
    #[should_panic(expected = "an order lists every arm")]
    fn trace_relabelling_needs_every_arm() {
        let _ = builtin::cyclic4().relabelled(&arms([0, 1, 2]));
    }

    #[test]
    fn stable_random_submatrix() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let matrix = builtin::savage(30).unwrap();
        let (_, drawn) = matrix.random_submatrix(6, &mut rng).unwrap();
        assert_eq!(drawn, arms([24, 22, 4, 23, 8, 19]));
    }

    /// 20,000 draws of 2 of 5 arms spread over 20 ordered pairs: chi-square with 19 degrees of
    /// freedom has mean 19 and standard deviation 6.2. The test allows five standard deviations.
    #[test]
    fn stat_random_submatrices_are_uniform() {
        let matrix = builtin::savage(5).unwrap();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut counts = [0_u32; 25];
        for _ in 0..20_000 {
            let (_, drawn) = matrix.random_submatrix(2, &mut rng).unwrap();
            counts[drawn[0].index() * 5 + drawn[1].index()] += 1;
        }
        let mut chi_square = 0.0;
        for (pair, &count) in counts.iter().enumerate() {
            if pair / 5 == pair % 5 {
                assert_eq!(count, 0);
            } else {
                chi_square += (f64::from(count) - 1000.0).powi(2) / 1000.0;
            }
        }
        assert!(chi_square < 50.0, "chi-square {chi_square}");
    }

    proptest! {
        #[test]
        fn law_a_submatrix_keeps_its_entries(
            (matrix, order) in arbitrary::matrix_and_order(),
            kept in any::<prop::sample::Index>(),
        ) {
            let kept = &order[..=kept.index(order.len())];
            let sub = matrix.submatrix(kept).unwrap();
            prop_assert_eq!(sub.n_arms(), kept.len());
            for (i, &old_i) in kept.iter().enumerate() {
                for (j, &old_j) in kept.iter().enumerate() {
                    let new = sub.get(Arm::new(i), Arm::new(j));
                    prop_assert_eq!(new.to_bits(), matrix.get(old_i, old_j).to_bits());
                }
            }
        }

        #[test]
        fn law_relabelling_back_restores((matrix, order) in arbitrary::matrix_and_order()) {
            let mut back = order.clone();
            for (new, old) in order.iter().enumerate() {
                back[old.index()] = Arm::new(new);
            }
            prop_assert_eq!(matrix.relabelled(&order).relabelled(&back), matrix);
        }

        #[test]
        fn law_a_random_submatrix_is_the_submatrix_of_its_arms(
            matrix in arbitrary::matrix(),
            n_arms in any::<prop::sample::Index>(),
            seed in any::<u64>(),
        ) {
            let n_arms = 1 + n_arms.index(matrix.n_arms());
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let (sub, drawn) = matrix.random_submatrix(n_arms, &mut rng).unwrap();
            prop_assert_eq!(drawn.len(), n_arms);
            prop_assert_eq!(matrix.submatrix(&drawn), Ok(sub));
        }
    }
}
