//! Worlds in which a preference matrix answers.

use rand::{Rng, RngExt};
use tiltyard_bandit::matrix::{Diagonal, PreferenceMatrix};
use tiltyard_bandit::{Arm, Outcome};

use crate::regret::{Gap, Regret, RegretError};
use crate::world::{Best, Gaps, RunState, World};

/// Arm i beats arm j with probability P(i, j), independently of all other duels. An arm beats
/// itself with probability 1/2.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixWorld {
    matrix: PreferenceMatrix,
    best: Best,
    /// One for each arm, or empty.
    names: Vec<String>,
}

impl MatrixWorld {
    /// A world whose duels follow this matrix.
    pub fn new(matrix: PreferenceMatrix) -> Self {
        let best = matrix.reference().into();
        Self { matrix, best, names: Vec::new() }
    }

    /// Names the arms: one name for each, or none.
    ///
    /// # Panics
    ///
    /// If the number of names is neither 0 nor K.
    #[must_use]
    pub fn with_names(self, names: Vec<String>) -> Self {
        assert!(names.is_empty() || names.len() == self.matrix.n_arms(), "one name for each arm");
        Self { names, ..self }
    }
}

impl World for MatrixWorld {
    fn n_arms(&self) -> usize {
        self.matrix.n_arms()
    }

    #[inline]
    fn duel<R: Rng + ?Sized>(
        &self,
        _: &mut RunState,
        _: u64,
        left: Arm,
        right: Arm,
        rng: &mut R,
    ) -> Option<Outcome> {
        Some(Outcome::won(rng.random::<f64>() < self.matrix.get(left, right)))
    }

    fn best(&self) -> Best {
        self.best
    }

    fn natural_regret(&self) -> Regret {
        Regret::CONDORCET
    }

    fn gaps(&self, regret: Regret) -> Result<Gaps, RegretError> {
        let Best { arm: best, .. } = self.best;
        Ok(Gaps::Table(match regret.gap {
            Gap::Preference => Arm::all(self.n_arms()).map(|arm| self.matrix.gap(best, arm)).collect(),
            Gap::Identity => Arm::all(self.n_arms()).map(|arm| f64::from(u8::from(arm != best))).collect(),
            Gap::Borda => below_largest(&self.matrix.borda_normalised(Diagonal::Excluded)),
            Gap::Copeland => below_largest(&self.matrix.copeland_normalised()),
            Gap::Utility => return Err(RegretError::NoUtilities { regret }),
        }))
    }

    #[inline]
    fn gap(&self, gaps: &Gaps, _: u64, arm: Arm) -> f64 {
        gaps.table()[arm.index()]
    }

    fn matrix(&self) -> Option<&PreferenceMatrix> {
        Some(&self.matrix)
    }

    fn arm_name(&self, arm: Arm) -> Option<&str> {
        self.names.get(arm.index()).map(String::as_str)
    }
}

/// The methods of [`World`] that do not depend on how duels are answered, taken from the
/// [`MatrixWorld`] in a field.
macro_rules! true_to {
    ($matrix:ident) => {
        fn n_arms(&self) -> usize {
            self.$matrix.n_arms()
        }

        fn best(&self) -> $crate::world::Best {
            self.$matrix.best()
        }

        fn natural_regret(&self) -> $crate::regret::Regret {
            self.$matrix.natural_regret()
        }

        fn gaps(
            &self,
            regret: $crate::regret::Regret,
        ) -> Result<$crate::world::Gaps, $crate::regret::RegretError> {
            self.$matrix.gaps(regret)
        }

        #[inline]
        fn gap(&self, gaps: &$crate::world::Gaps, round: u64, arm: ::tiltyard_bandit::Arm) -> f64 {
            self.$matrix.gap(gaps, round, arm)
        }

        fn matrix(&self) -> Option<&::tiltyard_bandit::matrix::PreferenceMatrix> {
            self.$matrix.matrix()
        }

        fn arm_name(&self, arm: ::tiltyard_bandit::Arm) -> Option<&str> {
            self.$matrix.arm_name(arm)
        }
    };
}
pub(crate) use true_to;

/// How far each score is below the largest.
pub(crate) fn below_largest(scores: &[f64]) -> Vec<f64> {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter().map(|score| largest - score).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiltyard_bandit::matrix::builtin;

    fn cost(regret: &str, left: usize, right: usize) -> f64 {
        let world = MatrixWorld::new(builtin::arxiv6());
        let regret: Regret = regret.parse().unwrap();
        let gaps = world.gaps(regret).unwrap();
        let gap = |arm| world.gap(&gaps, 1, Arm::new(arm));
        regret.slots.combine(gap(left), gap(right))
    }

    /// arXiv-6, best arm 0: P(0, 1) = 0.55, P(0, 4) = 0.61.
    #[test]
    fn trace_regrets_of_arxiv6() {
        let cases = [
            ("condorcet", 1, 4, 0.08),
            ("condorcet", 0, 0, 0.0),
            ("weak", 1, 4, 0.05),
            ("weak", 0, 4, 0.0),
            ("strong", 1, 4, 0.11),
            ("strong", 0, 4, 0.11),
            ("binary-weak", 1, 4, 1.0),
            ("binary-weak", 0, 4, 0.0),
            ("binary-strong", 0, 4, 1.0),
            ("binary-strong", 0, 0, 0.0),
            // Arm 0 beats all 5 others. Arm 1 loses only to arm 0. Arm 3 ties with arm 5 and beats
            // only arm 4.
            ("copeland", 0, 1, 0.1),
            ("copeland", 0, 3, 0.4),
            ("copeland-full", 0, 3, 0.8),
            // Borda scores: (.55+.55+.54+.61+.61)/5 = .572 and (.45+.55+.55+.58+.60)/5 = .546.
            ("borda", 0, 1, 0.013),
            ("dynamic-condorcet", 1, 4, 0.08),
        ];
        for (regret, left, right, expected) in cases {
            let got = cost(regret, left, right);
            assert!((got - expected).abs() < 1e-12, "{regret} of ({left}, {right}): {got}, not {expected}");
        }
    }

    #[test]
    fn trace_a_matrix_has_no_utilities() {
        let world = MatrixWorld::new(builtin::arxiv6());
        assert_eq!(world.gaps(Regret::BANDIT), Err(RegretError::NoUtilities { regret: Regret::BANDIT }));
    }

    /// 40,000 duels at p = 0.61: one standard error is 0.0024, five are allowed.
    #[test]
    fn stat_duels_follow_the_matrix() {
        let world = MatrixWorld::new(builtin::arxiv6());
        let mut rng = tiltyard_bandit::Stream::new(1).rng();
        let wins: f64 = (0..40_000)
            .map(|t| {
                world.duel(&mut RunState::default(), t, Arm::new(0), Arm::new(4), &mut rng).unwrap().reward()
            })
            .sum();
        assert!((wins / 40_000.0 - 0.61).abs() < 0.012);
    }
}
