//! Worlds with utilities whose distributions do not change.

use rand::{Rng, RngExt};
use tiltyard_bandit::{Arm, Outcome};

use crate::law::{Law, LawError};
use crate::matrix_world::below_largest;
use crate::regret::{Gap, Regret, RegretError, Slots};
use crate::world::{Best, BestKind, Gaps, RunState, World};

pub(crate) mod bernoulli;
pub(crate) mod beta;

/// How the utilities of two arms become an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Answers {
    /// Their difference. If utilities are 0 or 1, this is a win, a tie or a loss.
    #[default]
    Graded,
    /// A win with probability (1 + difference) / 2, else a loss. A fair coin decides ties.
    Binary,
}

impl Answers {
    /// The outcome of a duel with these utilities.
    #[inline]
    pub(crate) fn answer<R: Rng + ?Sized>(self, left: f64, right: f64, rng: &mut R) -> Outcome {
        let outcome = Outcome::difference(left, right);
        match self {
            Self::Graded => outcome,
            Self::Binary => outcome.to_binary(rng),
        }
    }
}

/// In each round, each arm draws a utility from its own distribution. An arm ties with itself.
#[derive(Debug, Clone, PartialEq)]
pub struct UtilityWorld {
    laws: Laws,
    answers: Answers,
    best: Arm,
}

/// The distributions of all arms. `Bernoulli`, by far the most common case, takes a third of the
/// memory of `Any`. With a million arms, that decides how often a round waits for memory.
#[derive(Debug, Clone, PartialEq)]
enum Laws {
    Bernoulli(Vec<f64>),
    Any(Vec<Law>),
}

impl Laws {
    fn new(laws: Vec<Law>) -> Self {
        let mean = |law: &Law| if let Law::Bernoulli(p) = law { Some(*p) } else { None };
        match laws.iter().map(mean).collect() {
            Some(means) => Self::Bernoulli(means),
            None => Self::Any(laws),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Bernoulli(means) => means.len(),
            Self::Any(laws) => laws.len(),
        }
    }

    #[inline]
    fn of(&self, arm: Arm) -> Law {
        match self {
            Self::Bernoulli(means) => Law::Bernoulli(means[arm.index()]),
            Self::Any(laws) => laws[arm.index()],
        }
    }
}

impl UtilityWorld {
    /// A world with these distributions, one per arm.
    ///
    /// # Errors
    ///
    /// If one of them is not a distribution on [0, 1].
    ///
    /// # Panics
    ///
    /// If there are no arms.
    pub fn new(laws: Vec<Law>, answers: Answers) -> Result<Self, LawError> {
        laws.iter().try_for_each(Law::check)?;
        let laws = Laws::new(laws);
        let mean = |arm| laws.of(arm).mean();
        let best = Arm::all(laws.len())
            .reduce(|best, arm| if mean(arm) > mean(best) { arm } else { best })
            .expect("there must be at least one arm");
        Ok(Self { laws, answers, best })
    }

    /// The distribution of an arm's utility.
    #[inline]
    pub fn law(&self, arm: Arm) -> Law {
        self.laws.of(arm)
    }
}

impl World for UtilityWorld {
    fn n_arms(&self) -> usize {
        self.laws.len()
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
        let (first, second) = (self.law(left), self.law(right));
        let x = first.draw(rng);
        let y = if left == right { x } else { second.draw(rng) };
        Some(self.answers.answer(x, y, rng))
    }

    /// The most common case reads each mean once.
    #[inline]
    fn answer<R: Rng + ?Sized>(
        &self,
        state: &mut RunState,
        (gaps, slots): (&Gaps, Slots),
        round: u64,
        (left, right): (Arm, Arm),
        rng: &mut R,
    ) -> (Option<Outcome>, f64) {
        let (Laws::Bernoulli(means), &Gaps::BestMean(best)) = (&self.laws, gaps) else {
            let outcome = self.duel(state, round, left, right, rng);
            return (outcome, slots.combine(self.gap(gaps, round, left), self.gap(gaps, round, right)));
        };
        let (first, second) = (means[left.index()], means[right.index()]);
        let x = f64::from(u8::from(rng.random::<f64>() < first));
        let y = if left == right { x } else { f64::from(u8::from(rng.random::<f64>() < second)) };
        (Some(self.answers.answer(x, y, rng)), slots.combine(best - first, best - second))
    }

    fn best(&self) -> Best {
        Best { arm: self.best, kind: BestKind::Utility }
    }

    fn natural_regret(&self) -> Regret {
        Regret::BANDIT
    }

    fn gaps(&self, regret: Regret) -> Result<Gaps, RegretError> {
        let n_arms = self.n_arms();
        Ok(Gaps::Table(match regret.gap {
            Gap::Utility => return Ok(Gaps::BestMean(self.law(self.best).mean())),
            Gap::Identity => Arm::all(n_arms).map(|arm| f64::from(u8::from(arm != self.best))).collect(),
            Gap::Preference => Arm::all(n_arms)
                .map(|arm| {
                    if arm == self.best { 0.0 } else { self.law(self.best).preference(&self.law(arm)) - 0.5 }
                })
                .collect(),
            Gap::Borda => below_largest(&self.scores(|p| p)),
            Gap::Copeland => below_largest(&self.scores(|p| f64::from(u8::from(p > 0.5 + 1e-12)))),
        }))
    }

    #[inline]
    fn gap(&self, gaps: &Gaps, _: u64, arm: Arm) -> f64 {
        if let Gaps::BestMean(best) = gaps { best - self.law(arm).mean() } else { gaps.table()[arm.index()] }
    }

    fn utility(&self, _: u64, arm: Arm) -> Option<f64> {
        Some(self.law(arm).mean())
    }
}

impl UtilityWorld {
    /// For each arm, the mean of `of(P(arm, other))` over the other arms. Takes O(K^2) time.
    fn scores(&self, of: impl Fn(f64) -> f64) -> Vec<f64> {
        let n_arms = self.n_arms();
        let score = |arm: Arm| {
            let others = Arm::all(n_arms).filter(|&other| other != arm);
            let sum: f64 = others.map(|other| of(self.law(arm).preference(&self.law(other)))).sum();
            sum / (n_arms - 1).max(1) as f64
        };
        Arm::all(n_arms).map(score).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tiltyard_bandit::Stream;

    fn gaps(world: &UtilityWorld, regret: &str) -> Vec<f64> {
        let gaps = world.gaps(regret.parse().unwrap()).unwrap();
        Arm::all(world.n_arms()).map(|arm| world.gap(&gaps, 1, arm)).collect()
    }

    /// Bernoulli utilities 0.6, 0.5, 0.3: P(0, j) = (0.6 - x_j + 1) / 2. Borda scores differ by
    /// half the difference in utility, times K / (K - 1).
    #[test]
    fn trace_gaps_of_bernoulli_utilities() {
        let laws = [0.6, 0.5, 0.3].map(Law::Bernoulli).to_vec();
        let world = UtilityWorld::new(laws, Answers::Graded).unwrap();
        let cases = [
            ("bandit", [0.0, 0.1, 0.3]),
            ("condorcet", [0.0, 0.05, 0.15]),
            ("binary-weak", [0.0, 1.0, 1.0]),
            ("borda", [0.0, 0.075, 0.225]),
            ("copeland", [0.0, 0.5, 1.0]),
        ];
        for (regret, expected) in cases {
            for (got, expected) in gaps(&world, regret).iter().zip(expected) {
                assert!((got - expected).abs() < 1e-12, "{regret}: {got}, not {expected}");
            }
        }
    }

    /// The mean score of a duel is the difference of the means, for graded and for binary answers.
    /// The standard error of 40,000 duels is at most 0.005; five are allowed.
    #[test]
    fn stat_answers_have_the_right_mean() {
        let laws =
            vec![Law::Bernoulli(0.7), Law::Uniform { low: 0.0, high: 0.6 }, Law::Beta { a: 2.0, b: 3.0 }];
        for answers in [Answers::Graded, Answers::Binary] {
            let world = UtilityWorld::new(laws.clone(), answers).unwrap();
            let mut rng = Stream::new(1).rng();
            for (i, j) in [(0, 1), (0, 2), (1, 2)] {
                let (left, right) = (Arm::new(i), Arm::new(j));
                let sum: f64 = (0..40_000)
                    .map(|t| world.duel(&mut RunState::default(), t, left, right, &mut rng).unwrap().score())
                    .sum();
                let expected = laws[i].mean() - laws[j].mean();
                assert!((sum / 40_000.0 - expected).abs() < 0.025, "{answers:?} {i} {j}");
            }
        }
    }

    proptest! {
        /// One call gives the outcome of `duel` and the gaps of both arms, from the same draws.
        #[test]
        fn law_answers_are_duels_with_their_cost(
            means in prop::collection::vec(0.0..=1.0, 2..6), seed: u64, binary: bool, utility: bool,
        ) {
            let answers = if binary { Answers::Binary } else { Answers::Graded };
            let laws = means.iter().map(|&p| Law::Bernoulli(p)).collect();
            let world = UtilityWorld::new(laws, answers).unwrap();
            let regret: Regret = if utility { "bandit" } else { "borda" }.parse().unwrap();
            let gaps = world.gaps(regret).unwrap();
            let [mut one, mut other] = [(); 2].map(|()| Stream::new(seed).rng());
            let mut state = RunState::default();
            for left in Arm::all(means.len()) {
                for right in Arm::all(means.len()) {
                    let (outcome, cost) =
                        world.answer(&mut state, (&gaps, regret.slots), 1, (left, right), &mut one);
                    prop_assert_eq!(outcome, world.duel(&mut state, 1, left, right, &mut other));
                    let [first, second] = [left, right].map(|arm| world.gap(&gaps, 1, arm));
                    prop_assert_eq!(cost.to_bits(), regret.slots.combine(first, second).to_bits());
                }
            }
            prop_assert_eq!(one.random::<u64>(), other.random::<u64>());
        }
    }

    #[test]
    fn trace_an_arm_ties_with_itself() {
        let world = UtilityWorld::new(vec![Law::Uniform { low: 0.0, high: 1.0 }], Answers::Graded).unwrap();
        let mut rng = Stream::new(1).rng();
        assert_eq!(
            world.duel(&mut RunState::default(), 1, Arm::new(0), Arm::new(0), &mut rng),
            Some(Outcome::TIE)
        );
    }

    #[test]
    fn trace_bad_laws() {
        for law in [
            Law::Bernoulli(1.1),
            Law::Bernoulli(f64::NAN),
            Law::Constant(-0.1),
            Law::Uniform { low: 0.5, high: 0.5 },
            Law::Beta { a: 0.0, b: 1.0 },
        ] {
            assert!(UtilityWorld::new(vec![law], Answers::Graded).is_err(), "{law:?}");
        }
    }

    /// Uniform on [0, 1] against uniform on [0, 1/2] is 1/2 + 1/2 * 1/2 = 0.75. Beta(2, 1) against
    /// uniform on [0, 1] is E x = 2/3. The constant 0.3 against uniform on [0, 1] is 0.3.
    #[test]
    fn trace_preferences_of_laws() {
        let uniform = Law::Uniform { low: 0.0, high: 1.0 };
        let cases = [
            (uniform, Law::Uniform { low: 0.0, high: 0.5 }, 0.75),
            (Law::Beta { a: 2.0, b: 1.0 }, uniform, 2.0 / 3.0),
            (uniform, Law::Beta { a: 2.0, b: 1.0 }, 1.0 / 3.0),
            (Law::Constant(0.3), uniform, 0.3),
            (uniform, Law::Constant(0.3), 0.7),
            (Law::Bernoulli(0.8), Law::Bernoulli(0.4), 0.7),
            (Law::Constant(0.5), Law::Constant(0.5), 0.5),
        ];
        for (a, b, expected) in cases {
            assert!((a.preference(&b) - expected).abs() < 1e-6, "{a:?} against {b:?}: {}", a.preference(&b));
        }
    }

    fn law() -> impl Strategy<Value = Law> {
        prop_oneof![
            (0.0..=1.0).prop_map(Law::Bernoulli),
            (0.0..=1.0).prop_map(Law::Constant),
            (0.0..0.5, 0.5..1.0).prop_map(|(low, high)| Law::Uniform { low, high }),
            (0.5..5.0, 0.5..5.0).prop_map(|(a, b)| Law::Beta { a, b }),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn law_preferences_are_complementary(a in law(), b in law()) {
            prop_assert!((a.preference(&b) + b.preference(&a) - 1.0).abs() < 1e-5);
        }
    }
}
