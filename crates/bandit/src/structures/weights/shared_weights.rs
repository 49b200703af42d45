//! Weights that grow by factors, one arm at a time, while a fraction of their sum is shared among
//! all arms.
//!
//! A weight is the sum of the arm's own part and a common part, which is the same for all arms.
//! Sharing changes only the common part, in O(1). Growth changes one own part, in O(log K). Factors
//! are at least 1, so own parts never become negative.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::Arm;
use crate::damaged::Damaged;
use crate::structures::sampling::sum_tree::SumTree;

/// A total above this triggers a new unit. One change multiplies the total by less than 10.
const HIGHEST: f64 = 1e200;

/// See the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub(crate) struct SharedWeights {
    own: Vec<f64>,
    /// The common part.
    common: f64,
    tree: SumTree,
}

/// The stored part of [`SharedWeights`]. The tree follows from it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Saved {
    own: Vec<f64>,
    common: f64,
}

impl From<SharedWeights> for Saved {
    fn from(SharedWeights { own, common, tree: _ }: SharedWeights) -> Self {
        Self { own, common }
    }
}

impl TryFrom<Saved> for SharedWeights {
    type Error = Damaged;

    fn try_from(Saved { own, common }: Saved) -> Result<Self, Damaged> {
        if own.is_empty() || !(common > 0.0 && common <= 2.0 * HIGHEST) {
            return Err(Damaged("there are no arms, or the common weight is out of range"));
        }
        if own.iter().any(|own| !(0.0..=2.0 * HIGHEST).contains(own)) {
            return Err(Damaged("a weight is out of range"));
        }
        let mut weights = Self { tree: SumTree::new(own.len()), own, common };
        weights.refill();
        Ok(weights)
    }
}

impl SharedWeights {
    /// Equal weights.
    pub(crate) fn new(n_arms: usize) -> Self {
        Self { own: vec![0.0; n_arms], common: 1.0, tree: SumTree::new(n_arms) }
    }

    /// Makes all weights equal again.
    pub(crate) fn reset(&mut self) {
        self.own.fill(0.0);
        self.common = 1.0;
        self.refill();
    }

    pub(crate) fn len(&self) -> usize {
        self.own.len()
    }

    /// The sum of all weights.
    #[inline]
    pub(crate) fn total(&self) -> f64 {
        self.tree.total() + self.len() as f64 * self.common
    }

    /// An arm's share of the total.
    #[inline]
    pub(crate) fn share(&self, arm: Arm) -> f64 {
        (self.own[arm.index()] + self.common) / self.total()
    }

    /// Draws an arm with probability proportional to its weight, from a uniform number in [0, 1).
    #[inline]
    pub(crate) fn find(&self, uniform: f64) -> Arm {
        let point = uniform * self.total();
        let commons = self.len() as f64 * self.common;
        if point < commons {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to K")]
            let place = (point / self.common) as usize;
            Arm::new(place.min(self.len() - 1))
        } else {
            Arm::new(self.tree.find(point - commons))
        }
    }

    /// Draws an arm uniformly.
    pub(crate) fn draw_uniform<R: Rng + ?Sized>(&self, rng: &mut R) -> Arm {
        Arm::new(rng.random_range(0..self.len()))
    }

    /// Multiplies an arm's weight by 1 + growth. Then adds this fraction of the previous total to
    /// every weight.
    #[inline]
    pub(crate) fn grow_and_share(&mut self, arm: Arm, growth: f64, fraction: f64) {
        let shared = fraction * self.total();
        let own = &mut self.own[arm.index()];
        *own += (*own + self.common) * growth;
        self.tree.set(arm.index(), *own);
        self.common += shared;
        let total = self.total();
        if total > HIGHEST {
            for own in &mut self.own {
                *own /= total;
            }
            self.common /= total;
            self.refill();
        }
    }

    fn refill(&mut self) {
        let Self { own, tree, .. } = self;
        tree.fill(|i| own[i]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Compared with plain vectors, over many changes of the unit. A restored copy is equal to
        /// the last bit.
        #[test]
        fn law_agrees_with_plain_weights(
            n_arms in 1..40usize,
            steps in prop::collection::vec((0..40usize, 0.0..1.7f64), 1..2000),
            fraction in 0.0..0.01f64,
        ) {
            let mut plain = vec![1.0 / n_arms as f64; n_arms];
            let mut weights = SharedWeights::new(n_arms);
            for (arm, growth) in steps {
                let arm = Arm::new(arm % n_arms);
                weights.grow_and_share(arm, growth, fraction);
                let shared = fraction * plain.iter().sum::<f64>();
                plain[arm.index()] *= 1.0 + growth;
                for weight in &mut plain { *weight += shared; }
                let total: f64 = plain.iter().sum();
                for weight in &mut plain { *weight /= total; }
            }
            for arm in Arm::all(n_arms) {
                prop_assert!((weights.share(arm) - plain[arm.index()]).abs() < 1e-12);
            }
            let text = serde_json::to_string(&weights).expect("plain data");
            prop_assert_eq!(serde_json::from_str::<SharedWeights>(&text).expect("just written"), weights);
        }
    }

    /// Weights 1, 3, 1: the common parts are on [0, 3), and the own part of arm 1 is on [3, 5).
    #[test]
    fn trace_find() {
        let mut weights = SharedWeights::new(3);
        weights.grow_and_share(Arm::new(1), 2.0, 0.0);
        let found = [0.0, 0.19, 0.21, 0.59, 0.61, 0.999].map(|u| weights.find(u).index());
        assert_eq!(found, [0, 0, 1, 2, 1, 1]);
        assert!((weights.share(Arm::new(1)) - 0.6).abs() < 1e-15);
    }
}
