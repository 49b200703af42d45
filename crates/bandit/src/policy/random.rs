//! Random; [`Family`] has its page.

use core::num::NonZeroUsize;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::{Additive, Curve, Distinct, Goal, Info, Lessons, Policy, Propensity, Settles, registry};
use crate::ticket::Draw;
use crate::{Arm, Outcome, Ticket};

declare! {
    /// # Random: two arms drawn uniformly
    ///
    /// ## Idea
    ///
    /// Random compares two arms drawn uniformly at random in every round, and learns nothing. It is
    /// the baseline: its expected regret is known exactly, so it calibrates a whole experiment.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// decide:  left, right independent and uniform over the arms, with replacement
    /// update:  nothing
    /// ```
    ///
    /// ## Parameters
    ///
    parameters {}
    ///
    /// ## Guarantee
    ///
    /// The expected Condorcet regret of a round is the mean over all arms i of P(best, i) - 1/2.
    /// For example, it is 0.0600 on `arxiv6` and 0.2578 on `savage30`.
    ///
    /// ## Cost
    ///
    /// O(1) per round and O(1) memory. Two words of randomness per round.
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Stream, policy::{Policy, Random}};
    /// let mut rng = Stream::new(1).rng();
    /// let ticket = Random::new(4).decide(&mut rng);
    /// assert_eq!(ticket.propensity(), Some(1.0 / 16.0));
    /// ```
    ///
    /// ## Reference
    ///
    /// Gajane, Urvoy and Clérot, *A relative exponential weighing algorithm for adversarial
    /// utility-based dueling bandits*, ICML 2015, section 5.2; DOI `10.48550/arXiv.1601.03855`.
    pub struct Family;

    Family {
        name: "random",
        class: "Random",
        title: "two arms drawn uniformly: the baseline",
        assumptions: &[],
        horizon: None,
        settles: Settles::Never,
        minimises: Goal::None,
        binary: false,
        version: 1,
        cost: "O(1) per round, O(1) memory",
        forms: &[],
        curves: &[Curve::new([10, 5, 2])],
        reference: super::rex3::PAPER,
    } => |params, _| Ok(Random::new(params.context().n_arms));
}

/// Draws both arms uniformly; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Random {
    n_arms: NonZeroUsize,
    round: u64,
}

impl Random {
    /// The baseline over `n_arms` arms.
    ///
    /// # Panics
    ///
    /// If `n_arms` is 0.
    pub fn new(n_arms: usize) -> Self {
        let n_arms = NonZeroUsize::new(n_arms).expect("there must be at least one arm");
        Self { n_arms, round: 0 }
    }

    fn ticket(&self, left: usize, right: usize, z: f64) -> Ticket {
        let p = 1.0 / self.n_arms() as f64;
        Ticket {
            round: self.round + 1,
            left: Arm::new(left),
            right: Arm::new(right),
            rate: 1.0,
            epoch: 0,
            draw: Draw::Slots { left: p, right: p, z },
        }
    }
}

impl Policy for Random {
    fn info(&self) -> &'static Info {
        &<Family as registry::Family>::INFO
    }

    fn propensity(&self) -> Propensity {
        Propensity::Slots
    }

    fn n_arms(&self) -> usize {
        self.n_arms.get()
    }

    fn round(&self) -> u64 {
        self.round
    }

    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket {
        let left = rng.random_range(0..self.n_arms());
        let right = rng.random_range(0..self.n_arms());
        self.ticket(left, right, 1.0)
    }

    fn issue(&mut self, _: &Ticket) {
        self.round += 1;
    }

    fn update(&mut self, _: &Ticket, _: Outcome) {}

    fn void(&mut self, _: &Ticket) {}

    fn lessons(&self) -> Lessons {
        Lessons::Counted
    }

    fn recommend(&self) -> Arm {
        Arm::new(0)
    }

    fn probabilities(&self) -> Option<Vec<f64>> {
        Some(vec![1.0 / self.n_arms() as f64; self.n_arms()])
    }

    fn additive(&mut self) -> Option<&mut dyn Additive> {
        Some(self)
    }

    fn distinct(&self) -> Option<&dyn Distinct> {
        Some(self)
    }
}

/// Random play learns nothing, so it has no sums.
impl Additive for Random {
    fn sums(&self) -> Vec<f64> {
        Vec::new()
    }

    fn add(&mut self, increments: &[f64]) {
        assert!(increments.is_empty(), "random play has no sums");
    }

    fn take_back(&mut self, _: &Ticket, _: Outcome) {}
}

impl Distinct for Random {
    fn propose_distinct(&self, rng: &mut dyn Rng) -> Option<Ticket> {
        if self.n_arms() < 2 {
            return None;
        }
        let left = rng.random_range(0..self.n_arms());
        // Draws one of the other arms: indices from `left` on are shifted up by one.
        let right = rng.random_range(0..self.n_arms() - 1);
        let right = right + usize::from(right >= left);
        Some(self.ticket(left, right, 1.0 - 1.0 / self.n_arms() as f64))
    }
}
