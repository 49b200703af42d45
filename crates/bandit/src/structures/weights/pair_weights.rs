//! Exponential weights over unordered pairs of arms, pairs of equal arms included. The pair {a, b}
//! has weight v_a v_b with v_i = exp(scale * sum_i). A draw takes O(log K) time.
//!
//! This is not a product distribution. If two arms are drawn independently from v, {a, b} comes in
//! two orders and has weight 2 v_a v_b, but {a, a} has only weight v_a^2. With V1 = sum v and V2 =
//! sum v^2, the equal pairs lack a total weight of V2. So both arms are drawn independently from v
//! with probability V1^2 / (V1^2 + V2); otherwise one arm is drawn from v^2 for both slots. This
//! needs two trees of sums.

use rand::{Rng, RngExt};

use crate::Arm;
use crate::argmax::first_best;
use crate::structures::sampling::sum_tree::SumTree;
use crate::structures::weights::exp::exp;

/// A log-weight further above the reference than this triggers a new reference. Squares are at most
/// exp(600) = 4e260, which leaves room for the squared total of a million arms.
const HIGHEST: f64 = 300.0;

/// A total below this triggers a new reference. Its square, 1e-200, still has full precision.
const LOWEST: f64 = 1e-100;

/// Arms weighted by v = exp(scale * sum), with the total of v and of v^2.
///
/// Only the sums, the scale and the reference are state. The trees follow from them, bit for bit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PairWeights {
    sums: Vec<f64>,
    scale: f64,
    /// The log-weight that counts as weight 1.
    reference: f64,
    singles: SumTree,
    squares: SumTree,
}

impl PairWeights {
    /// Equal weights.
    pub(crate) fn new(n_arms: usize, scale: f64) -> Self {
        Self::restore(vec![0.0; n_arms], scale, 0.0)
    }

    /// The weights with these sums and this reference. All numbers must be finite and the scale
    /// positive. A reference that no run can have reached is replaced.
    pub(crate) fn restore(sums: Vec<f64>, scale: f64, reference: f64) -> Self {
        let (singles, squares) = (SumTree::new(sums.len()), SumTree::new(sums.len()));
        let mut weights = Self { sums, scale, reference, singles, squares };
        let largest = weights.largest();
        if largest - reference > HIGHEST {
            weights.refill(largest);
        } else {
            weights.refill(reference);
            weights.lift();
        }
        weights
    }

    /// The number of arms.
    pub(crate) fn len(&self) -> usize {
        self.sums.len()
    }

    /// The sums, one per arm.
    pub(crate) fn sums(&self) -> &[f64] {
        &self.sums
    }

    /// The log-weight that counts as weight 1.
    pub(crate) fn reference(&self) -> f64 {
        self.reference
    }

    /// The arm with the largest sum, and the lowest index among equals.
    pub(crate) fn best(&self) -> Arm {
        first_best(Arm::all(self.len()), |arm| self.sums[arm.index()])
    }

    /// The mixture, ready for draws: with probability `explore`, a uniform draw among all N = K
    /// (K + 1) / 2 unordered pairs.
    #[inline]
    pub(crate) fn mixture(&self, explore: f64) -> PairMixture<'_> {
        let (single, square) = (self.singles.total(), self.squares.total());
        let total = single * single + square;
        let k = self.len() as f64;
        let keep = 1.0 - explore;
        PairMixture {
            weights: self,
            explore,
            stretch: total * (1.0 / keep),
            share: keep / total,
            floor: explore / (k * (k + 1.0)),
        }
    }

    /// Adds to an arm's sum, in O(log K).
    pub(crate) fn add(&mut self, arm: Arm, increment: f64) {
        let i = arm.index();
        self.sums[i] += increment;
        let x = self.scale * self.sums[i] - self.reference;
        if x > HIGHEST {
            self.refill(self.largest());
            return;
        }
        let v = exp(x);
        self.singles.set(i, v);
        self.squares.set(i, v * v);
        self.lift();
    }

    /// Adds to the sums of two different arms, in O(log K).
    #[inline]
    pub(crate) fn add_pair(&mut self, (left, gain): (Arm, f64), (right, other): (Arm, f64)) {
        let (i, j) = (left.index(), right.index());
        self.sums[i] += gain;
        self.sums[j] += other;
        let (x, y) = (self.scale * self.sums[i] - self.reference, self.scale * self.sums[j] - self.reference);
        if x.max(y) > HIGHEST {
            self.refill(self.largest());
            return;
        }
        let (one, two) = (exp(x), exp(y));
        self.singles.set_pair((i, one), (j, two));
        self.squares.set_pair((i, one * one), (j, two * two));
        self.lift();
    }

    /// Adds one number to the sum of each arm, in O(K).
    pub(crate) fn add_all(&mut self, increments: &[f64]) {
        assert_eq!(increments.len(), self.sums.len(), "one increment per arm");
        for (sum, increment) in self.sums.iter_mut().zip(increments) {
            *sum += increment;
        }
        self.refill(self.largest());
    }

    /// Changes the scale, in O(K).
    pub(crate) fn set_scale(&mut self, scale: f64) {
        self.scale = scale;
        self.refill(self.largest());
    }

    /// Sets a new reference if the weights have become too small to be squared.
    #[inline]
    fn lift(&mut self) {
        if self.singles.total() < LOWEST {
            self.refill(self.largest());
        }
    }

    fn largest(&self) -> f64 {
        self.sums.iter().map(|sum| self.scale * sum).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Recomputes all weights, in O(K).
    fn refill(&mut self, reference: f64) {
        self.reference = reference;
        let Self { sums, scale, singles, squares, .. } = self;
        singles.fill(|i| exp(*scale * sums[i] - reference));
        squares.fill(|i| singles.get(i) * singles.get(i));
    }
}

/// Pair weights mixed with uniform exploration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairMixture<'a> {
    weights: &'a PairWeights,
    explore: f64,
    /// V1^2 + V2, which is twice the weight of all unordered pairs, divided by the probability of
    /// not exploring.
    stretch: f64,
    /// The inverse of `stretch`.
    share: f64,
    /// The probability that exploration gives to an *ordered* pair of different arms.
    floor: f64,
}

impl PairMixture<'_> {
    /// Draws an ordered pair, in O(log K). The order is fair: of two different arms, each is on the
    /// left with probability 1/2. This needs no extra coin, because the two draws are exchangeable.
    #[inline]
    pub(crate) fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> (Arm, Arm) {
        let PairWeights { singles, squares, .. } = self.weights;
        let u = rng.random::<f64>() - self.explore;
        if u < 0.0 {
            return self.draw_uniform(rng);
        }
        // The rest of u, scaled, is uniform on [0, V1^2 + V2). The first V2 of it is the extra
        // weight of the equal pairs.
        let point = u * self.stretch;
        if point < squares.total() {
            let arm = Arm::new(squares.find(point));
            return (arm, arm);
        }
        let left = singles.find(rng.random::<f64>() * singles.total());
        let right = singles.find(rng.random::<f64>() * singles.total());
        (Arm::new(left), Arm::new(right))
    }

    /// Draws every unordered pair with the same probability. Of the K (K + 1) equally likely (i,
    /// j), two give the pair {a, b}: (a, b) and (b, a) or, for equal arms, (a, a) and the extra
    /// value of i with j = a.
    #[inline]
    fn draw_uniform<R: Rng + ?Sized>(&self, rng: &mut R) -> (Arm, Arm) {
        let n_arms = self.weights.len();
        let left = rng.random_range(0..=n_arms);
        let right = rng.random_range(0..n_arms);
        (Arm::new(if left == n_arms { right } else { left }), Arm::new(right))
    }

    /// The probability of each arm in a slot: the sum over all ordered pairs with that arm on the
    /// left.
    pub(crate) fn marginals(&self) -> Vec<f64> {
        let PairWeights { singles, sums, .. } = self.weights;
        let floor = self.floor * (sums.len() as f64 + 1.0);
        let marginal = |v: f64| self.share * (v * (singles.total() + v)) + floor;
        (0..sums.len()).map(|i| marginal(singles.get(i)).min(1.0)).collect()
    }

    /// The probability of an ordered pair: half the probability of the unordered pair, unless the
    /// arms are equal.
    #[inline]
    pub(crate) fn probability(&self, left: Arm, right: Arm) -> f64 {
        let v = |arm: Arm| self.weights.singles.get(arm.index());
        let p = self.share * (v(left) * v(right)) + self.floor;
        // Rounding must not make a probability larger than 1.
        if left == right { (2.0 * p).min(1.0) } else { p }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;
    use proptest::prelude::*;

    fn planted(sums: &[f64], scale: f64) -> PairWeights {
        PairWeights::restore(sums.to_vec(), scale, 0.0)
    }

    fn total(weights: &PairWeights, explore: f64) -> f64 {
        let mixture = weights.mixture(explore);
        let pairs = Arm::all(weights.len()).flat_map(|a| Arm::all(weights.len()).map(move |b| (a, b)));
        pairs.map(|(a, b)| mixture.probability(a, b)).sum()
    }

    /// v = 1, 2, 3: V1 = 6, V2 = 14, V1^2 + V2 = 50. The unordered pairs have weights v_a v_b = 1,
    /// 2, 3, 4, 6, 9, which sum to 25.
    #[test]
    fn trace_three_arms() {
        let weights = planted(&[0.0, 2.0f64.ln(), 3.0f64.ln()], 1.0);
        let p = |a, b| weights.mixture(0.0).probability(Arm::new(a), Arm::new(b));
        for (a, b, weight) in [(0, 0, 1.0), (0, 1, 2.0), (0, 2, 3.0), (1, 1, 4.0), (1, 2, 6.0), (2, 2, 9.0)] {
            let unordered = if a == b { p(a, a) } else { p(a, b) + p(b, a) };
            assert!((unordered - weight / 25.0).abs() < 1e-15, "{{{a}, {b}}}: {unordered}");
        }
        // Only exploration: six unordered pairs.
        let p = |a, b| weights.mixture(1.0).probability(Arm::new(a), Arm::new(b));
        assert!((p(0, 0) - 1.0 / 6.0).abs() < 1e-15 && (p(0, 1) - 1.0 / 12.0).abs() < 1e-15);
    }

    /// Chi-square of 60,000 draws over nine ordered pairs. With eight degrees of freedom, the
    /// statistic exceeds 31.8 with probability 1/10,000.
    #[test]
    fn stat_draws_follow_the_probabilities() {
        let weights = planted(&[0.0, 1.0, -0.5], 0.8);
        for explore in [0.0, 0.3, 1.0] {
            let mixture = weights.mixture(explore);
            let mut rng = Stream::new(1).label("pairs").rng();
            let mut counts = [0.0; 9];
            for _ in 0..60_000 {
                let (left, right) = mixture.draw(&mut rng);
                counts[3 * left.index() + right.index()] += 1.0;
            }
            let chi: f64 = (0..9)
                .map(|i| {
                    let expected = 60_000.0 * mixture.probability(Arm::new(i / 3), Arm::new(i % 3));
                    (counts[i] - expected) * (counts[i] - expected) / expected
                })
                .sum();
            assert!(chi < 31.8, "{chi} at {explore}");
        }
    }

    /// Steps far beyond the range of exponentials, up and down and back.
    #[test]
    fn trace_extreme_steps() {
        let mut weights = PairWeights::new(3, 1.0);
        for step in [1e6, -2e6, 1e6, -1e6, -1e6, 2e6] {
            weights.add_pair((Arm::new(0), step), (Arm::new(1), -step));
            weights.add(Arm::new(2), step / 4.0);
            assert!((total(&weights, 0.1) - 1.0).abs() < 1e-12);
        }
        // All sums are back at 0, and no arm was lost.
        assert!(weights.sums().iter().all(|sum| sum.abs() < 1e-9));
        for (a, b) in [(0, 1), (1, 2)] {
            let p = weights.mixture(0.0).probability(Arm::new(a), Arm::new(b));
            assert!((p - 1.0 / 12.0).abs() < 1e-9);
        }
    }

    proptest! {
        #[test]
        fn law_probabilities_sum_to_one(
            sums in prop::collection::vec(-900.0..900.0f64, 1..12),
            steps in prop::collection::vec((0..12usize, 0..12usize, -400.0..400.0f64), 0..40),
            explore in 0.0..=1.0f64,
        ) {
            let n_arms = sums.len();
            let mut weights = planted(&sums, 1.0);
            for (i, j, step) in steps {
                let (i, j) = (Arm::new(i % n_arms), Arm::new(j % n_arms));
                if i == j {
                    weights.add(i, step);
                } else {
                    weights.add_pair((i, step), (j, -step));
                }
                prop_assert!((total(&weights, explore) - 1.0).abs() < 1e-12);
                let same = PairWeights::restore(weights.sums.clone(), weights.scale, weights.reference);
                prop_assert_eq!(&same, &weights);
            }
        }
    }
}
