//! Exponential weights in the log domain: w_i = exp(scale * sum_i). A draw takes O(log K) time.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::Arm;
use crate::argmax::first_best;
use crate::structures::sampling::sum_tree::SumTree;
use crate::structures::sampling::unequal_pair::UnequalPair;
use crate::structures::weights::exp::exp;

/// A log-weight further above the reference than this triggers a new reference. exp(300) leaves
/// room for a million arms and a few hundred more maximal steps before an overflow.
const HIGHEST: f64 = 300.0;

/// A total below this triggers a new reference, before digits are lost to subnormal numbers.
const LOWEST: f64 = 1e-200;

/// The largest distance of the largest log-weight below the reference: the total of at most 2^32
/// arms is at least `LOWEST` = e^-460.
const HIGHEST_BELOW: f64 = 500.0;

/// Arms weighted by exp(scale * sum). Sums change only by addition.
///
/// The weights are exp(scale * sum - reference). They are recomputed whenever a sum, the scale or
/// the reference changes. So errors do not accumulate, and an arm whose weight has underflowed to
/// zero returns as soon as its sum is large enough again. A saved and restored copy is equal to the
/// last bit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub(crate) struct ExpWeights {
    sums: Vec<f64>,
    /// The active arms, in order; `None` while all arms are active. A retired arm keeps its sum and
    /// has weight zero.
    active: Option<Vec<Arm>>,
    scale: f64,
    /// The log-weight that counts as weight 1.
    reference: f64,
    tree: SumTree,
}

/// The stored part of [`ExpWeights`]. The tree follows from it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Saved {
    sums: Vec<f64>,
    active: Option<Vec<Arm>>,
    scale: f64,
    reference: f64,
}

impl ExpWeights {
    /// Equal weights.
    pub(crate) fn new(n_arms: usize, scale: f64) -> Self {
        let tree = SumTree::new(n_arms);
        let mut weights = Self { sums: vec![0.0; n_arms], active: None, scale, reference: 0.0, tree };
        weights.recentre();
        weights
    }

    /// Replaces all sums, in O(K).
    pub(crate) fn set_sums(&mut self, sums: Vec<f64>) {
        assert_eq!(sums.len(), self.sums.len(), "one sum per arm");
        self.sums = sums;
        self.recentre();
    }

    /// The number of arms, retired arms included.
    pub(crate) fn len(&self) -> usize {
        self.sums.len()
    }

    /// The number of active arms.
    #[inline]
    pub(crate) fn n_active(&self) -> usize {
        self.active.as_ref().map_or(self.len(), Vec::len)
    }

    /// Whether an arm is active.
    pub(crate) fn is_active(&self, arm: Arm) -> bool {
        self.active.as_ref().is_none_or(|active| active.binary_search(&arm).is_ok())
    }

    /// The sums, one per arm.
    pub(crate) fn sums(&self) -> &[f64] {
        &self.sums
    }

    /// Whether the scale has exactly this value, to the last bit.
    #[inline]
    pub(crate) fn has_scale(&self, scale: f64) -> bool {
        self.scale.to_bits() == scale.to_bits()
    }

    /// The log-weight of an arm, up to a constant that is the same for all arms.
    pub(crate) fn log_weight(&self, arm: Arm) -> f64 {
        self.scale * self.sums[arm.index()]
    }

    /// The probability of each arm in the mixture that explores uniformly with probability
    /// `explore`.
    pub(crate) fn probabilities(&self, explore: f64) -> Vec<f64> {
        let mixture = self.mixture(explore);
        let mut probabilities = vec![0.0; self.len()];
        for arm in self.drawn() {
            probabilities[arm.index()] = mixture.probability(arm);
        }
        probabilities
    }

    /// The mixture with uniform exploration, ready for several draws.
    #[inline]
    pub(crate) fn mixture(&self, explore: f64) -> Mixture<'_> {
        let keep = 1.0 - explore;
        Mixture {
            weights: self,
            explore,
            stretch: self.tree.total() * (1.0 / keep),
            share: keep / self.tree.total(),
            floor: explore / self.n_active() as f64,
        }
    }

    fn draw_uniform<R: Rng + ?Sized>(&self, rng: &mut R) -> Arm {
        self.nth(rng.random_range(0..self.n_active()))
    }

    /// Adds to an arm's sum, in O(log K).
    pub(crate) fn add(&mut self, arm: Arm, increment: f64) {
        let i = arm.index();
        self.sums[i] += increment;
        if !self.is_active(arm) {
            return;
        }
        let log_weight = self.scale * self.sums[i] - self.reference;
        if log_weight > HIGHEST {
            self.recentre();
            return;
        }
        self.tree.set(i, exp(log_weight));
        if self.tree.total() < LOWEST {
            self.recentre();
        }
    }

    /// Adds to the sums of two different arms, in O(log K).
    #[inline]
    pub(crate) fn add_pair(&mut self, (left, gain): (Arm, f64), (right, other): (Arm, f64)) {
        if self.active.is_some() {
            self.add(left, gain);
            self.add(right, other);
            return;
        }
        let (i, j) = (left.index(), right.index());
        self.sums[i] += gain;
        self.sums[j] += other;
        let (x, y) = (self.scale * self.sums[i] - self.reference, self.scale * self.sums[j] - self.reference);
        if x.max(y) > HIGHEST {
            self.recentre();
            return;
        }
        self.tree.set_pair((i, exp(x)), (j, exp(y)));
        if self.tree.total() < LOWEST {
            self.recentre();
        }
    }

    /// Changes the scale, in O(K) if it differs.
    pub(crate) fn set_scale(&mut self, scale: f64) {
        if !self.has_scale(scale) {
            self.scale = scale;
            self.recentre();
        }
    }

    /// Forgets the sums and changes the scale, in O(K).
    pub(crate) fn reset(&mut self, scale: f64) {
        self.sums.fill(0.0);
        self.scale = scale;
        self.recentre();
    }

    /// Adds one number to the sum of each arm, in O(K).
    pub(crate) fn add_all(&mut self, increments: &[f64]) {
        assert_eq!(increments.len(), self.sums.len(), "one increment per arm");
        assert!(increments.iter().all(|increment| increment.is_finite()), "increments are finite");
        for (sum, increment) in self.sums.iter_mut().zip(increments) {
            *sum += increment;
        }
        self.recentre();
    }

    /// Changes the scale and adds `n` arms, in O(K + n). Each starts with the mean weight of the
    /// active arms. Returns the first of them.
    pub(crate) fn push(&mut self, n: usize, scale: f64) -> Arm {
        self.set_scale(scale);
        let mean = self.tree.total() / self.n_active() as f64;
        let sum = (libm::log(mean) + self.reference) / self.scale;
        let n_arms = self.len();
        self.sums.resize(n_arms + n, sum);
        if let Some(active) = &mut self.active {
            active.extend((n_arms..n_arms + n).map(Arm::new));
        }
        self.tree = SumTree::new(self.sums.len());
        self.recentre();
        Arm::new(n_arms)
    }

    /// Retires an arm, in O(K). The last active arm stays.
    pub(crate) fn retire(&mut self, arm: Arm) -> bool {
        if !self.is_active(arm) || self.n_active() == 1 {
            return false;
        }
        let n_arms = self.len();
        self.active.get_or_insert_with(|| Arm::all(n_arms).collect()).retain(|&other| other != arm);
        self.recentre();
        true
    }

    /// Makes a retired arm active again, in O(K).
    pub(crate) fn restore(&mut self, arm: Arm) -> bool {
        let Some(active) = &mut self.active else { return false };
        let Err(place) = active.binary_search(&arm) else { return false };
        active.insert(place, arm);
        if active.len() == self.sums.len() {
            self.active = None;
        }
        self.recentre();
        true
    }

    /// The active arm with the largest sum, and the lowest index among equals.
    pub(crate) fn best(&self) -> Arm {
        first_best(self.drawn(), |arm| self.sums[arm.index()])
    }

    /// The active arms, in order.
    fn drawn(&self) -> impl Iterator<Item = Arm> {
        (0..self.n_active()).map(|i| self.nth(i))
    }

    /// The i-th active arm, counted from 0.
    #[inline]
    fn nth(&self, i: usize) -> Arm {
        self.active.as_ref().map_or_else(|| Arm::new(i), |active| active[i])
    }

    /// Makes the largest log-weight the reference and recomputes all weights, in O(K). An update
    /// changes a log-weight only a little, so there are hundreds of updates between two calls that
    /// a threshold triggers.
    fn recentre(&mut self) {
        self.refill(self.highest());
    }

    fn highest(&self) -> f64 {
        self.drawn().map(|arm| self.log_weight(arm)).fold(f64::NEG_INFINITY, f64::max)
    }

    fn refill(&mut self, reference: f64) {
        self.reference = reference;
        let Self { sums, active, scale, tree, .. } = self;
        let weight = |i: usize| exp(*scale * sums[i] - reference);
        match active {
            None => tree.fill(weight),
            Some(active) => {
                let mut active = active.iter().map(|arm| arm.index()).peekable();
                tree.fill(|i| active.next_if_eq(&i).map_or(0.0, weight));
            }
        }
    }
}

/// An arm and its probability.
pub(crate) type Drawn = (Arm, f64);

/// Exponential weights mixed with uniform exploration. The divisions are done once, not in every
/// draw.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mixture<'a> {
    weights: &'a ExpWeights,
    explore: f64,
    /// The total weight, divided by the probability of not exploring.
    stretch: f64,
    /// The inverse of `stretch`.
    share: f64,
    /// The probability that exploration gives to each arm.
    floor: f64,
}

/// The result of a draw, before the arm is looked up.
#[derive(Debug, Clone, Copy)]
enum Lot {
    /// An arm to explore.
    Arm(Arm),
    /// A point on the line of all weights, laid end to end.
    Point(f64),
}

impl Mixture<'_> {
    /// Draws an arm and returns it with its probability, in O(log K).
    #[inline]
    pub(crate) fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Drawn {
        let lot = self.lot(rng);
        self.of(self.arm(lot))
    }

    /// The same as two draws, but faster, because the two arms are looked up together.
    #[inline]
    pub(crate) fn draw_two<R: Rng + ?Sized>(&self, rng: &mut R) -> [Drawn; 2] {
        let arms = match [self.lot(rng), self.lot(rng)] {
            [Lot::Point(left), Lot::Point(right)] => self.weights.tree.find_each([left, right]).map(Arm::new),
            lots => lots.map(|lot| self.arm(lot)),
        };
        arms.map(|arm| self.of(arm))
    }

    #[inline]
    fn lot<R: Rng + ?Sized>(&self, rng: &mut R) -> Lot {
        let u = rng.random::<f64>() - self.explore;
        if u < 0.0 { Lot::Arm(self.weights.draw_uniform(rng)) } else { Lot::Point(u * self.stretch) }
    }

    #[inline]
    fn arm(&self, lot: Lot) -> Arm {
        match lot {
            Lot::Arm(arm) => arm,
            Lot::Point(point) => Arm::new(self.weights.tree.find(point)),
        }
    }

    #[inline]
    fn of(&self, arm: Arm) -> Drawn {
        (arm, self.probability(arm))
    }

    /// Draws two different arms. Returns each with its probability, and the probability that two
    /// draws differ. At least two arms must be active. Computing the last probability takes one
    /// fast pass over all weights; the rest is O(log K).
    pub(crate) fn draw_unequal<R: Rng + ?Sized>(&self, rng: &mut R) -> (Drawn, Drawn, f64) {
        let ExpWeights { tree, active, .. } = self.weights;
        // The arm with more than half of the weight, if there is one. Exploration gives no arm more
        // than half of its share.
        let best = tree.find(0.5 * tree.total());
        // A retired arm has no weight, so exploration can be added for all others at once.
        let (others, n_others) = (tree.without(best), self.weights.n_active() - 1);
        let weighted = self.share * others.total();
        let explored = n_others as f64 * self.floor;
        let apart = UnequalPair {
            best: Arm::new(best),
            p: self.probability(Arm::new(best)),
            others: weighted + explored,
            squares: others.squares(self.share) + self.floor * (2.0 * weighted + explored),
        };
        let place = active.as_ref().map_or(best, |active| active.partition_point(|arm| arm.index() < best));
        let other = |rng: &mut R| {
            if rng.random::<f64>() * apart.others < explored {
                // One of the others: indices from b on move up by one.
                let i = rng.random_range(0..n_others);
                self.weights.nth(i + usize::from(i >= place))
            } else {
                Arm::new(others.find(rng.random::<f64>() * others.total()))
            }
        };
        let (left, right) = apart.draw(rng, |rng| self.draw(rng).0, other);
        ((left, self.probability(left)), (right, self.probability(right)), apart.z())
    }

    /// The probability of an active arm.
    #[inline]
    pub(crate) fn probability(&self, arm: Arm) -> f64 {
        // Rounding must not make a probability larger than 1.
        (self.share * self.weights.tree.get(arm.index()) + self.floor).min(1.0)
    }
}

impl From<ExpWeights> for Saved {
    fn from(weights: ExpWeights) -> Self {
        let ExpWeights { sums, active, scale, reference, tree: _ } = weights;
        Self { sums, active, scale, reference }
    }
}

impl TryFrom<Saved> for ExpWeights {
    type Error = SavedError;

    fn try_from(saved: Saved) -> Result<Self, SavedError> {
        let Saved { sums, active, scale, reference } = saved;
        let arms_fit = active.as_ref().is_none_or(|active| {
            !active.is_empty()
                && active.is_sorted_by(|a, b| a < b)
                && active.iter().all(|arm| arm.index() < sums.len())
        });
        if sums.is_empty() || !arms_fit {
            return Err(SavedError::Arms { n_arms: sums.len() });
        }
        if let Some(&value) = sums.iter().chain([&scale, &reference]).find(|number| !number.is_finite()) {
            return Err(SavedError::NotFinite { value });
        }
        let tree = SumTree::new(sums.len());
        let mut weights = Self { sums, active, scale, reference, tree };
        let highest = weights.highest() - reference;
        if (-HIGHEST_BELOW..=HIGHEST).contains(&highest) {
            weights.refill(reference);
        } else {
            // No run leaves a reference this far off. Weights relative to it could not be drawn
            // from.
            weights.recentre();
        }
        Ok(weights)
    }
}

/// Why saved weights cannot be restored.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub(crate) enum SavedError {
    /// The list of active arms does not fit the sums.
    #[error(
        "the saved weights of {n_arms} arms have a list of active arms that is empty, unsorted or out of range"
    )]
    Arms { n_arms: usize },
    /// A number is not finite, which no run can cause.
    #[error("the saved weights contain {value}, which is not a finite number")]
    NotFinite { value: f64 },
}
