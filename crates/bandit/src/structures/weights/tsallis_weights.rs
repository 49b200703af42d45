//! Weights that minimise the loss regularised with Tsallis entropy of order 1/2: w_i = 1 / (scale
//! (L_i - x))^2, where x makes them sum to 1.
//!
//! Let m be the least of the losses L and y = scale (m - x). Then w_i = 1 / (scale (L_i - m) +
//! y)^2, and y is between 1 (one arm has all the weight) and sqrt(K) (all weights are equal). In
//! this form no nearly equal numbers are subtracted, however large the losses are.
//!
//! Let f(y) be the sum of the weights. f^(-1/2) is concave and increasing in y (it is a norm of
//! order -2), and nearly linear. A Newton step from any point therefore ends at or below the root,
//! and further steps rise to the root. Starting from the last round's y, two or three steps are
//! enough. A step that would leave [1, sqrt(K)] ends at its border, and the same holds from there.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::Arm;
use crate::argmax::first_best;
use crate::damaged::Damaged;
use crate::structures::sampling::unequal_pair::UnequalPair;

/// The number of values processed together. They are independent, so the compiler can use vector
/// instructions.
const LANES: usize = 8;

/// Eight neighbouring arms.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
struct Lanes([f64; LANES]);

impl Lanes {
    /// The sum, always added in this order.
    #[inline]
    fn sum(&self) -> f64 {
        let w = &self.0;
        ((w[0] + w[1]) + (w[2] + w[3])) + ((w[4] + w[5]) + (w[6] + w[7]))
    }
}

/// The largest accepted distance of the sum of the weights from 1. A division then makes the sum 1.
/// The relative error is the same for all weights, and changes y by at most that much.
const TOLERANCE: f64 = 1e-12;

/// More steps than Newton's method needs from any start. The bound guards against endless loops
/// from rounding.
const MOST_STEPS: u32 = 100;

/// The tolerance for the sum of a saved state. The sum over many arms has a rounding error larger
/// than [`TOLERANCE`].
const SAVED_TOLERANCE: f64 = 1e-9;

/// Arms weighted by their losses; see the [module](self).
///
/// The losses, the scale and y are the state. The weights are always computed in one pass from the
/// stored y, so a restored copy, which makes the same pass, is equal to the last bit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub(crate) struct TsallisWeights {
    /// One per arm. The loss of a retired arm is relative to the least loss of the others, because
    /// losses grow over time.
    losses: Vec<f64>,
    /// The active arms, in order; `None` while all arms are active.
    active: Option<Vec<Arm>>,
    /// Half the learning rate.
    scale: f64,
    /// y.
    offset: f64,
    /// A copy of the losses, with infinity for retired arms and for places after the last arm.
    keys: Vec<Lanes>,
    lowest: f64,
    weights: Vec<Lanes>,
    /// The sum of each element of `weights`.
    groups: Vec<f64>,
    /// The sum of all weights.
    total: f64,
}

/// The stored part of [`TsallisWeights`]. The rest follows from it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Saved {
    losses: Vec<f64>,
    active: Option<Vec<Arm>>,
    scale: f64,
    offset: f64,
}

impl From<TsallisWeights> for Saved {
    fn from(weights: TsallisWeights) -> Self {
        let TsallisWeights { losses, active, scale, offset, .. } = weights;
        Self { losses, active, scale, offset }
    }
}

impl TryFrom<Saved> for TsallisWeights {
    type Error = Damaged;

    fn try_from(saved: Saved) -> Result<Self, Damaged> {
        let Saved { losses, active, scale, offset } = saved;
        let arms_fit = active.as_ref().is_none_or(|active| {
            !active.is_empty()
                && active.is_sorted_by(|a, b| a < b)
                && active.iter().all(|arm| arm.index() < losses.len())
        });
        if losses.is_empty() || !arms_fit {
            return Err(Damaged("the list of active arms does not fit the losses"));
        }
        if losses.iter().any(|loss| !loss.is_finite()) {
            return Err(Damaged("a loss is not a finite number"));
        }
        let highest = libm::sqrt(active.as_ref().map_or(losses.len(), Vec::len) as f64);
        if !(scale > 0.0 && scale <= 2.0 && (1.0..=highest).contains(&offset)) {
            return Err(Damaged("the scale or the offset is out of range"));
        }
        let mut weights = Self::bare(losses, active, scale, offset);
        weights.find_lowest();
        let sums = weights.evaluate(offset);
        weights.close();
        if (sums.squares - 1.0).abs() <= SAVED_TOLERANCE {
            Ok(weights)
        } else {
            Err(Damaged("the offset does not fit the losses"))
        }
    }
}

/// Sums of r^2 and r^3 over all arms, where r is the square root of the weight.
struct Sums {
    squares: f64,
    cubes: f64,
}

impl TsallisWeights {
    /// Equal weights.
    pub(crate) fn new(n_arms: usize, scale: f64) -> Self {
        let mut weights = Self::bare(vec![0.0; n_arms], None, scale, 1.0);
        weights.reset(scale);
        weights
    }

    fn bare(losses: Vec<f64>, active: Option<Vec<Arm>>, scale: f64, offset: f64) -> Self {
        let n_groups = losses.len().div_ceil(LANES);
        let none = Lanes([f64::INFINITY; LANES]);
        let mut weights = Self {
            losses,
            active,
            scale,
            offset,
            keys: vec![none; n_groups],
            lowest: 0.0,
            weights: vec![Lanes([0.0; LANES]); n_groups],
            groups: vec![0.0; n_groups],
            total: 1.0,
        };
        for arm in Arm::all(weights.len()) {
            weights.set_key(arm);
        }
        weights
    }

    /// The number of arms, retired arms included.
    pub(crate) fn len(&self) -> usize {
        self.losses.len()
    }

    /// The number of active arms.
    pub(crate) fn n_active(&self) -> usize {
        self.active.as_ref().map_or(self.len(), Vec::len)
    }

    /// Whether an arm is active.
    pub(crate) fn is_active(&self, arm: Arm) -> bool {
        self.active.as_ref().is_none_or(|active| active.binary_search(&arm).is_ok())
    }

    /// The losses, one per arm.
    pub(crate) fn losses(&self) -> &[f64] {
        &self.losses
    }

    /// Whether the scale has exactly this value, to the last bit.
    pub(crate) fn has_scale(&self, scale: f64) -> bool {
        self.scale.to_bits() == scale.to_bits()
    }

    /// The probability of an arm; 0 for a retired arm.
    #[inline]
    pub(crate) fn probability(&self, arm: Arm) -> f64 {
        // Rounding must not make a probability larger than 1.
        (self.weight(arm) / self.total).min(1.0)
    }

    /// Whether an arm's probability is below a bound. Every caller must use this function, because
    /// rounding of the quotient could give a different answer.
    #[inline]
    pub(crate) fn is_below(&self, arm: Arm, bound: f64) -> bool {
        self.weight(arm) < bound * self.total
    }

    fn weight(&self, arm: Arm) -> f64 {
        self.weights[arm.index() / LANES].0[arm.index() % LANES]
    }

    /// Draws an arm and returns it with its probability. It scans the sums of groups of eight arms,
    /// then the eight arms of one group.
    #[inline]
    pub(crate) fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> (Arm, f64) {
        let point = rng.random::<f64>() * self.total;
        let (group, rest) = pick(&self.groups, point);
        let (lane, _) = pick(&self.weights[group].0, rest);
        let arm = Arm::new(group * LANES + lane);
        (arm, self.probability(arm))
    }

    /// Draws two different arms. Returns each with its probability, and the probability that two
    /// draws differ. At least two arms must be active.
    pub(crate) fn draw_unequal<R: Rng + ?Sized>(&self, rng: &mut R) -> ((Arm, f64), (Arm, f64), f64) {
        // The arm with more than half of the weight, if there is one.
        let (group, point) = pick(&self.groups, 0.5 * self.total);
        let (lane, _) = pick(&self.weights[group].0, point);
        let mut others = self.weights[group];
        others.0[lane] = 0.0;
        let (before, after) = (&self.weights[..group], &self.weights[group + 1..]);
        let (mut sums, mut squares) = (Lanes([0.0; LANES]), Lanes([0.0; LANES]));
        for weights in [before, &[others], after] {
            for weights in weights {
                for (lane, weight) in weights.0.iter().enumerate() {
                    sums.0[lane] += weight;
                    squares.0[lane] += weight * weight;
                }
            }
        }
        let (best, rest) = (Arm::new(group * LANES + lane), sums.sum());
        let apart = UnequalPair {
            best,
            p: self.probability(best),
            others: rest / self.total,
            squares: squares.sum() / self.total / self.total,
        };
        let other = |rng: &mut R| {
            let groups = &self.groups;
            let parts = [&groups[..group], &[others.sum()], &groups[group + 1..]];
            let (place, point) = pick_of(parts, rng.random::<f64>() * rest);
            let weights = if place == group { &others } else { &self.weights[place] };
            Arm::new(place * LANES + pick(&weights.0, point).0)
        };
        let (left, right) = apart.draw(rng, |rng| self.draw(rng).0, other);
        ((left, self.probability(left)), (right, self.probability(right)), apart.z())
    }

    /// Adds to an arm's loss. Call [`Self::solve`] afterwards to update the weights.
    #[inline]
    pub(crate) fn add(&mut self, arm: Arm, increment: f64) {
        self.losses[arm.index()] += increment;
        self.set_key(arm);
    }

    /// Adds one number to the loss of each arm. Call [`Self::solve`] afterwards to update the
    /// weights.
    pub(crate) fn add_all(&mut self, increments: &[f64]) {
        assert_eq!(increments.len(), self.len(), "one increment per arm");
        assert!(increments.iter().all(|increment| increment.is_finite()), "increments are finite");
        for (arm, &increment) in Arm::all(self.len()).zip(increments) {
            self.add(arm, increment);
        }
    }

    /// Adds to the loss of every active arm whose probability is below a bound. Call
    /// [`Self::solve`] afterwards to update the weights.
    pub(crate) fn add_below(&mut self, bound: f64, increment: f64) {
        for arm in Arm::all(self.len()) {
            // No branch on the weights, because it would be unpredictable.
            let increment = if self.is_below(arm, bound) { increment } else { 0.0 };
            let key = &mut self.keys[arm.index() / LANES].0[arm.index() % LANES];
            *key += increment;
            let loss = &mut self.losses[arm.index()];
            *loss = if *key < f64::INFINITY { *key } else { *loss };
        }
    }

    fn set_key(&mut self, arm: Arm) {
        let key = if self.is_active(arm) { self.losses[arm.index()] } else { f64::INFINITY };
        self.keys[arm.index() / LANES].0[arm.index() % LANES] = key;
    }

    /// Recomputes the weights with the current losses and a new scale, in a few steps of O(K) each.
    pub(crate) fn solve(&mut self, scale: f64) {
        self.scale = scale;
        self.find_lowest();
        let highest = libm::sqrt(self.n_active() as f64);
        let mut offset = self.offset.clamp(1.0, highest);
        for _ in 0..MOST_STEPS {
            let Sums { squares, cubes } = self.evaluate(offset);
            self.offset = offset;
            if (squares - 1.0).abs() <= TOLERANCE {
                break;
            }
            let next = (offset + squares * (libm::sqrt(squares) - 1.0) / cubes).clamp(1.0, highest);
            if next.to_bits() == offset.to_bits() {
                break;
            }
            offset = next;
        }
        self.close();
    }

    /// Sets all losses to 0.
    pub(crate) fn reset(&mut self, scale: f64) {
        self.losses.fill(0.0);
        for arm in Arm::all(self.len()) {
            self.set_key(arm);
        }
        self.offset = libm::sqrt(self.n_active() as f64);
        self.solve(scale);
    }

    fn find_lowest(&mut self) {
        let mut lowest = [f64::INFINITY; LANES];
        for keys in &self.keys {
            for (lowest, &key) in lowest.iter_mut().zip(&keys.0) {
                *lowest = if key < *lowest { key } else { *lowest };
            }
        }
        self.lowest = lowest.into_iter().fold(f64::INFINITY, |a, b| if b < a { b } else { a });
    }

    /// Sets the weights for this y.
    fn evaluate(&mut self, offset: f64) -> Sums {
        let (lowest, scale) = (self.lowest, self.scale);
        let (mut squares, mut cubes) = (Lanes([0.0; LANES]), Lanes([0.0; LANES]));
        for (keys, weights) in self.keys.iter().zip(&mut self.weights) {
            let roots: [f64; LANES] =
                core::array::from_fn(|lane| 1.0 / ((keys.0[lane] - lowest) * scale + offset));
            *weights = Lanes(roots.map(|root| root * root));
            for (lane, root) in roots.into_iter().enumerate() {
                squares.0[lane] += weights.0[lane];
                cubes.0[lane] += weights.0[lane] * root;
            }
        }
        Sums { squares: squares.sum(), cubes: cubes.sum() }
    }

    /// Computes the sums of the weights for drawing.
    fn close(&mut self) {
        let mut total = 0.0;
        for (sum, weights) in self.groups.iter_mut().zip(&self.weights) {
            *sum = weights.sum();
            total += *sum;
        }
        self.total = total;
    }

    /// Adds `n` arms. Each starts with the mean weight of the active arms. Call [`Self::solve`]
    /// afterwards to update the weights.
    pub(crate) fn push(&mut self, n: usize) {
        let mean = self.total / self.n_active() as f64;
        let above = (1.0 / libm::sqrt(mean) - self.offset).max(0.0);
        let n_arms = self.len();
        self.losses.resize(n_arms + n, self.lowest + above / self.scale);
        let n_groups = self.losses.len().div_ceil(LANES);
        self.keys.resize(n_groups, Lanes([f64::INFINITY; LANES]));
        self.weights.resize(n_groups, Lanes([0.0; LANES]));
        self.groups.resize(n_groups, 0.0);
        for arm in (n_arms..n_arms + n).map(Arm::new) {
            if let Some(active) = &mut self.active {
                active.push(arm);
            }
            self.set_key(arm);
        }
    }

    /// Retires an arm. The last active arm stays. Call [`Self::solve`] afterwards to update the
    /// weights.
    pub(crate) fn retire(&mut self, arm: Arm) -> bool {
        if !self.is_active(arm) || self.n_active() == 1 {
            return false;
        }
        let n_arms = self.len();
        self.active.get_or_insert_with(|| Arm::all(n_arms).collect()).retain(|&other| other != arm);
        self.set_key(arm);
        self.find_lowest();
        // While the arm is retired the others' losses grow. Its own loss must not look small
        // compared to them when it returns.
        self.losses[arm.index()] -= self.lowest;
        true
    }

    /// Makes a retired arm active again, as far behind the best arm as it was. Call [`Self::solve`]
    /// afterwards to update the weights.
    pub(crate) fn restore(&mut self, arm: Arm) -> bool {
        let Some(active) = &mut self.active else { return false };
        let Err(place) = active.binary_search(&arm) else { return false };
        active.insert(place, arm);
        if active.len() == self.losses.len() {
            self.active = None;
        }
        self.losses[arm.index()] += self.lowest;
        self.set_key(arm);
        true
    }

    /// The active arm with the least loss, and the lowest index among equals.
    pub(crate) fn best(&self) -> Arm {
        let active = self.active.as_deref();
        let arms = (0..self.n_active()).map(|i| active.map_or_else(|| Arm::new(i), |active| active[i]));
        first_best(arms, |arm| -self.losses[arm.index()])
    }
}

/// The index at `point` on a line of all weights, laid end to end, and the position of the point
/// within that index. An index with weight zero is found only if all weights are zero.
#[inline]
fn pick(weights: &[f64], point: f64) -> (usize, f64) {
    let mut rest = point;
    for (i, &weight) in weights.iter().enumerate() {
        if rest < weight {
            return (i, rest);
        }
        rest -= weight;
    }
    // Past the end by a rounding error.
    let last = weights.iter().rposition(|&weight| weight > 0.0).unwrap_or(0);
    (last, weights[last])
}

/// Like [`pick`], for three consecutive lists.
fn pick_of(parts: [&[f64]; 3], point: f64) -> (usize, f64) {
    let (mut rest, mut start, mut last) = (point, 0, (0, 0.0));
    for part in parts {
        for (i, &weight) in part.iter().enumerate() {
            if rest < weight {
                return (start + i, rest);
            }
            rest -= weight;
            if weight > 0.0 {
                last = (start + i, weight);
            }
        }
        start += part.len();
    }
    // Past the end by a rounding error.
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;
    use proptest::prelude::*;

    fn weights(losses: &[f64], scale: f64) -> TsallisWeights {
        let mut weights = TsallisWeights::new(losses.len(), scale);
        weights.add_all(losses);
        weights.solve(scale);
        weights
    }

    fn probabilities(weights: &TsallisWeights) -> Vec<f64> {
        Arm::all(weights.len()).map(|arm| weights.probability(arm)).collect()
    }

    fn assert_close(got: &[f64], want: &[f64]) {
        assert!(got.iter().zip(want).all(|(x, y)| (x - y).abs() < 1e-12), "{got:?} against {want:?}");
    }

    /// y = 5/4 gives 16/25, and 5/4 + 5/12 = 5/3 gives 9/25; they sum to 1. With y = 3/2: 4/9
    /// twice, and 3/2 + 3/2 = 3 gives 1/9.
    #[test]
    fn trace_weights() {
        assert_close(&probabilities(&weights(&[0.0, 5.0 / 12.0], 1.0)), &[0.64, 0.36]);
        assert_close(&probabilities(&weights(&[7.0 + 5.0 / 6.0, 7.0], 0.5)), &[0.36, 0.64]);
        assert_close(&probabilities(&weights(&[3.0, 1.5, 1.5], 1.0)), &[1.0 / 9.0, 4.0 / 9.0, 4.0 / 9.0]);
        assert_close(&probabilities(&weights(&[1e300], 1.0)), &[1.0]);
        assert_close(&probabilities(&weights(&[5.0; 9], 1.0)), &[1.0 / 9.0; 9]);
    }

    /// After 1e9 rounds with losses of 1/2: eta / 2 = 1 / sqrt(1e9). An arm that is worse by 0.1
    /// per round has a probability of about 1 / (3162 + 1)^2 = 1.0e-7.
    #[test]
    fn trace_huge_losses() {
        let weights = weights(&[5e8, 6e8], 1.0 / libm::sqrt(1e9));
        let y = weights.offset;
        let p = probabilities(&weights);
        assert!((p[1] * (3_162.277_660_168_379 + y).powi(2) - 1.0).abs() < 1e-9, "{p:?}");
        assert!((y - 1.0).abs() < 1e-6 && (p[0] + p[1] - 1.0).abs() < 1e-15, "{p:?}");
    }

    /// A retired arm returns as far behind the best arm as it was, although the others' losses
    /// grew. A new arm has the mean weight.
    #[test]
    fn trace_arms_come_and_go() {
        let mut weights = weights(&[0.0, 5.0 / 12.0, 0.0], 1.0);
        assert!(weights.retire(Arm::new(2)) && !weights.retire(Arm::new(2)));
        weights.solve(1.0);
        assert_close(&probabilities(&weights), &[0.64, 0.36, 0.0]);
        weights.add_all(&[100.0, 100.0, 0.0]);
        weights.solve(1.0);
        assert_close(&probabilities(&weights), &[0.64, 0.36, 0.0]);
        assert!(weights.restore(Arm::new(2)) && !weights.restore(Arm::new(2)));
        weights.solve(1.0);
        let p = probabilities(&weights);
        assert!((p[0] - p[2]).abs() < 1e-12 && p[1] < p[0]);
        // The mean of two weights, 1/2, corresponds to y + d = sqrt(2).
        let mut two = super::tests::weights(&[0.0, 5.0 / 12.0], 1.0);
        two.push(1);
        assert!((two.losses()[2] - (core::f64::consts::SQRT_2 - 1.25)).abs() < 1e-12);
    }

    fn losses() -> impl Strategy<Value = Vec<f64>> {
        let loss = prop_oneof![Just(0.0), 0.0..2.0, 0.0..1e4, Just(5e8), 4e8..6e8, -1e3..0.0];
        prop::collection::vec(loss, 1..200)
    }

    proptest! {
        /// Compared with bisection. The weights sum to 1 and do not depend on the start of the
        /// search.
        #[test]
        fn law_weights_solve_the_equation(losses in losses(), log_scale in -12.0..0.0f64, start in 0.0..1.0f64) {
            let scale = libm::exp(log_scale);
            let mut fast = weights(&losses, scale);
            let p = probabilities(&fast);
            prop_assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let lowest = losses.iter().copied().fold(f64::INFINITY, f64::min);
            let slow = |y: f64, loss: f64| 1.0 / ((loss - lowest) * scale + y).powi(2);
            let (mut low, mut high) = (1.0, libm::sqrt(losses.len() as f64));
            for _ in 0..100 {
                let y = f64::midpoint(low, high);
                let sum: f64 = losses.iter().map(|&loss| slow(y, loss)).sum();
                if sum > 1.0 { low = y } else { high = y }
            }
            for (p, &loss) in p.iter().zip(&losses) {
                prop_assert!((p / slow(low, loss) - 1.0).abs() < 1e-10, "{} against {}", p, slow(low, loss));
            }
            fast.offset = 1.0 + start * libm::sqrt(losses.len() as f64);
            fast.solve(scale);
            for (p, q) in p.iter().zip(probabilities(&fast)) {
                prop_assert!((p / q - 1.0).abs() < 1e-10);
            }
        }

        /// A saved and restored copy is equal to the last bit, also after further updates.
        #[test]
        fn law_restored_bits(losses in losses(), log_scale in -12.0..0.0f64, bump in 0.0..10.0f64) {
            let scale = libm::exp(log_scale);
            let mut weights = weights(&losses, scale);
            let text = serde_json::to_string(&weights).expect("plain data");
            let mut restored: TsallisWeights = serde_json::from_str(&text).expect("just written");
            prop_assert_eq!(&restored, &weights);
            for weights in [&mut weights, &mut restored] {
                weights.add(Arm::new(losses.len() / 2), bump);
                weights.solve(0.99 * scale);
            }
            prop_assert_eq!(&restored, &weights);
        }
    }

    /// Chi-square of 100,000 draws from 100 weights. With 99 degrees of freedom, the statistic
    /// exceeds 160 with probability 1/10,000.
    #[test]
    fn stat_draws_are_in_proportion() {
        let losses: Vec<f64> = (0..100).map(|i| [0.0, 1.0, 3.0, 9.0][i % 4]).collect();
        let weights = weights(&losses, 0.3);
        let mut rng = Stream::new(1).rng();
        let mut counts = vec![0.0; 100];
        for _ in 0..100_000 {
            counts[weights.draw(&mut rng).0.index()] += 1.0;
        }
        let chi: f64 = probabilities(&weights)
            .iter()
            .zip(&counts)
            .map(|(p, count): (&f64, &f64)| (count - 1e5 * p).powi(2) / (1e5 * p))
            .sum();
        assert!(chi < 160.0, "{chi}");
    }
}
