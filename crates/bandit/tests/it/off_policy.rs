//! Off-policy evaluation: the statements of the theory that are exact for finite samples, checked
//! by enumerating small worlds.

use std::cmp::Ordering;

use proptest::prelude::*;
use tiltyard_bandit::off_policy::{Duel, Evaluation, Method, OffPolicyError, Side};
use tiltyard_bandit::{Arm, Outcome};

fn arm(index: usize) -> Arm {
    Arm::new(index)
}

fn duel(left: usize, right: usize, propensity: f64, outcome: Outcome) -> Duel {
    Duel { left: arm(left), right: arm(right), propensity: Some(propensity), outcome }
}

/// Arm 0 against a uniform choice of the three arms, c = 2/3. The four duels:
///
/// - A win of 0 over 1, drawn with probability 1/6: w = u = (1/3) / (2/6) = 1.
/// - A win of 1 over 0, drawn with probability 1/12: w = -(1/3) / (2/12) = -2, u = 2.
/// - A win of 1 over 2: w = u = 0.
/// - A duel of 1 with itself: w = u = 0.
///
/// Together, ips = (1 - 2) / 4, snips = (2/3) (1 - 2) / (1 + 2), and the effective sample size is
/// 3^2 / 5 duels.
///
/// dr: before the first duel, f = 0, and the duel contributes 1. Then f(0, 1) = 1/3, the expected
/// score is 1/9, and the second duel contributes 1/9 - 2 (1 + 1/3) = -23/9. Then f(0, 1) = 0 / 4,
/// and the expected score is 0. The other two duels contribute 0, because their weight is 0 as
/// well.
#[test]
fn trace_three_estimates() {
    let mut evaluation = Evaluation::new(3);
    assert_eq!(evaluation.estimate(Method::Ips, 0.95), None);
    let (pi, rho) = (Side::Arm(arm(0)), Side::Uniform);
    for duel in [
        duel(0, 1, 1.0 / 6.0, Outcome::WIN),
        duel(1, 0, 1.0 / 12.0, Outcome::WIN),
        duel(1, 2, 1.0 / 6.0, Outcome::WIN),
        duel(1, 1, 0.5, Outcome::TIE),
    ] {
        evaluation.add(&duel, pi, rho).unwrap();
    }
    let value = |method| evaluation.estimate(method, 0.95).expect("four duels").value;
    assert!((value(Method::Ips) + 0.25).abs() < 1e-15);
    assert!((value(Method::Snips) + 2.0 / 9.0).abs() < 1e-15);
    assert!((value(Method::Dr) - (1.0 - 23.0 / 9.0) / 4.0).abs() < 1e-15);
    assert_eq!(evaluation.n_duels(), 4);
    assert!((evaluation.effective_sample_size() - 1.8).abs() < 1e-12);
    assert!((evaluation.largest_weight() - 2.0).abs() < 1e-12);
    // mean(u) / c = (3 / 4) / (2 / 3).
    assert!((evaluation.support() - 1.125).abs() < 1e-12);
    for method in Method::ALL {
        let estimate = evaluation.estimate(method, 0.95).expect("four duels");
        assert!(estimate.low >= -2.0 / 3.0 - 1e-12 && estimate.high <= 2.0 / 3.0 + 1e-12, "{estimate:?}");
    }
}

#[test]
fn trace_refusals() {
    let mut evaluation = Evaluation::new(2);
    let good = duel(0, 1, 0.5, Outcome::WIN);
    let (pi, rho) = (Side::Arm(arm(0)), Side::Uniform);
    let unknown = Duel { propensity: None, ..good };
    assert_eq!(evaluation.add(&unknown, pi, rho), Err(OffPolicyError::UnknownPropensity));
    for value in [0.0, -1.0, 1.5] {
        let odd = Duel { propensity: Some(value), ..good };
        assert_eq!(evaluation.add(&odd, pi, rho), Err(OffPolicyError::NotAProbability { value }));
    }
    let odd = Duel { left: arm(2), ..good };
    let nobody = OffPolicyError::ArmOutOfRange { arm: arm(2), n_arms: 2 };
    assert_eq!(evaluation.add(&odd, pi, rho), Err(nobody));
    assert_eq!(evaluation.add(&good, pi, Side::Arm(arm(2))), Err(nobody));
    let length = OffPolicyError::Length { got: 1, n_arms: 2 };
    assert_eq!(evaluation.add(&good, Side::Mixed(&[1.0]), rho), Err(length));
    for odd in [[0.5, 0.4], [1.5, -0.5], [f64::NAN, 1.0]] {
        let refused = evaluation.add(&good, Side::Mixed(&odd), rho);
        assert!(matches!(refused, Err(OffPolicyError::NotADistribution { .. })), "{odd:?}");
    }
    assert_eq!(evaluation.n_duels(), 0);
}

/// The score of an arm against itself is 0, with an interval of width 0.
#[test]
fn trace_the_same_arm_on_both_sides() {
    let mut evaluation = Evaluation::new(2);
    evaluation.add(&duel(0, 1, 0.5, Outcome::WIN), Side::Arm(arm(0)), Side::Arm(arm(0))).unwrap();
    for method in Method::ALL {
        let estimate = evaluation.estimate(method, 0.95).expect("a duel");
        assert_eq!((estimate.value, estimate.low, estimate.high), (0.0, 0.0, 0.0), "{method:?}");
    }
}

/// A small world: preferences, a law for the first duel, two laws for the second duel (one per
/// outcome of the first), and two sides for each duel.
#[derive(Debug, Clone)]
struct World {
    n_arms: usize,
    wins: Vec<f64>,
    laws: Vec<Vec<f64>>,
    pi: Vec<Vec<f64>>,
    rho: Vec<Vec<f64>>,
}

impl World {
    fn chance(&self, a: usize, b: usize) -> f64 {
        let p = self.wins[a.min(b) * self.n_arms + a.max(b)];
        match a.cmp(&b) {
            Ordering::Less => p,
            Ordering::Equal => 0.5,
            Ordering::Greater => 1.0 - p,
        }
    }

    fn theta(&self, step: usize) -> f64 {
        let pairs = (0..self.n_arms).flat_map(|i| (0..self.n_arms).map(move |j| (i, j)));
        pairs.map(|(i, j)| self.pi[step][i] * self.rho[step][j] * (2.0 * self.chance(i, j) - 1.0)).sum()
    }

    /// All duels that a law can draw, each with the probability of its pair and outcome.
    fn duels(&self, law: usize) -> Vec<(Duel, f64)> {
        let mut duels = Vec::new();
        for a in 0..self.n_arms {
            for b in 0..self.n_arms {
                let propensity = self.laws[law][a * self.n_arms + b];
                let p = self.chance(a, b);
                duels.push((duel(a, b, propensity, Outcome::WIN), propensity * p));
                duels.push((duel(a, b, propensity, Outcome::LOSS), propensity * (1.0 - p)));
            }
        }
        duels
    }
}

fn distributions(n: usize, size: usize) -> impl Strategy<Value = Vec<Vec<f64>>> {
    prop::collection::vec(prop::collection::vec(0.02..1.0f64, size), n).prop_map(|mut lists| {
        for list in &mut lists {
            let total: f64 = list.iter().sum();
            for p in list {
                *p /= total;
            }
        }
        lists
    })
}

fn worlds() -> impl Strategy<Value = World> {
    (2..=3usize).prop_flat_map(|n_arms| {
        let wins = prop::collection::vec(0.0..=1.0f64, n_arms * n_arms);
        // Three laws: one for the first duel and two for the second. The outcome of the first duel
        // chooses between the two.
        (wins, distributions(3, n_arms * n_arms), distributions(2, n_arms), distributions(2, n_arms))
            .prop_map(move |(wins, laws, pi, rho)| World { n_arms, wins, laws, pi, rho })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    /// Two duels with changing sides, where the law of the second duel depends on the outcome of
    /// the first: ips and dr have the right expectation up to rounding.
    #[test]
    fn law_ips_and_dr_are_unbiased_under_adaptive_laws(world in worlds()) {
        let mut expected = [0.0; 2];
        for (first, p) in world.duels(0) {
            let law = if first.outcome > Outcome::TIE { 1 } else { 2 };
            for (second, q) in world.duels(law) {
                let mut evaluation = Evaluation::new(world.n_arms);
                for (step, duel) in [first, second].iter().enumerate() {
                    evaluation.add(duel, Side::Mixed(&world.pi[step]), Side::Mixed(&world.rho[step])).unwrap();
                }
                for (sum, method) in expected.iter_mut().zip([Method::Ips, Method::Dr]) {
                    // Two duels of arms with themselves leave no estimate, which counts as the
                    // estimate 0.
                    *sum += p * q * evaluation.estimate(method, 0.95).map_or(0.0, |estimate| estimate.value);
                }
            }
        }
        let want = f64::midpoint(world.theta(0), world.theta(1));
        // Weights reach about 1e3.
        for (got, name) in expected.into_iter().zip(["ips", "dr"]) {
            prop_assert!((got - want).abs() < 1e-10, "{name}: {got} instead of {want}");
        }
    }

    /// Swapping the two sides changes the sign of the mean score and mirrors the interval. Swapping
    /// the slots of a duel and the sign of its outcome changes nothing.
    #[test]
    fn law_both_sides_of_a_comparison_and_of_a_duel(world in worlds(), picks in prop::collection::vec(any::<prop::sample::Index>(), 1..60)) {
        let (pi, rho) = (Side::Mixed(&world.pi[0]), Side::Mixed(&world.rho[0]));
        let [mut plain, mut swapped, mut turned] = [(); 3].map(|()| Evaluation::new(world.n_arms));
        let duels = world.duels(0);
        for pick in picks {
            let duel = duels[pick.index(duels.len())].0;
            plain.add(&duel, pi, rho).unwrap();
            swapped.add(&duel, rho, pi).unwrap();
            let other = Duel { left: duel.right, right: duel.left, outcome: duel.outcome.flipped(), ..duel };
            turned.add(&other, pi, rho).unwrap();
        }
        for method in Method::ALL {
            let of = |evaluation: &Evaluation| evaluation.estimate(method, 0.9);
            let (Some(plain), Some(swapped), Some(turned)) = (of(&plain), of(&swapped), of(&turned)) else {
                prop_assert!(of(&plain).is_none() && of(&swapped).is_none() && of(&turned).is_none());
                continue;
            };
            for (x, y) in [(plain.value, -swapped.value), (plain.low, -swapped.high), (plain.high, -swapped.low)] {
                prop_assert!((x - y).abs() < 1e-9, "{method:?}: {plain:?} and {swapped:?}");
            }
            for (x, y) in [(plain.value, turned.value), (plain.low, turned.low), (plain.high, turned.high)] {
                prop_assert!((x - y).abs() < 1e-9, "{method:?}: {plain:?} and {turned:?}");
            }
        }
    }
}
