//! What the runs of a job draw from, addressed by seed and run.

use tiltyard_bandit::policy::Origin;
use tiltyard_bandit::{Arm, Spec, Stream};

/// The streams of one run.
#[derive(Debug, Clone, Copy)]
pub struct Streams(Origin);

impl Streams {
    /// Those of run number `run` under a seed.
    pub fn of(seed: u64, run: u64) -> Self {
        Self(Origin { seed, run: Some(run) })
    }

    /// What the world draws from: the same for every policy.
    pub fn world(self) -> Stream {
        self.0.stream().label("world")
    }

    /// What becomes of outcomes on their way: the same for every policy.
    pub fn delivery(self) -> Stream {
        self.0.stream().label("delivery")
    }

    /// What a policy draws from. Two policies of one job are told apart by their specification.
    pub fn policy(self, spec: &Spec) -> Stream {
        self.0.policy(spec)
    }

    /// What the construction of a policy draws from.
    pub fn setup(self, spec: &Spec) -> Stream {
        self.0.setup(spec)
    }

    /// What the choice of `n_arms` arms of a larger world draws from, the same for every policy.
    pub fn submatrix(self, n_arms: usize) -> Stream {
        self.0.stream().label("submatrix").index(n_arms as u64)
    }

    /// The order of the arms in this run, the same for every policy: so that no tie rule and no
    /// file's order can favour an arm.
    pub fn order(self, n_arms: usize) -> Vec<Arm> {
        let mut rng = self.0.stream().label("order").rng();
        let mut order: Vec<_> = Arm::all(n_arms).collect();
        rand::seq::SliceRandom::shuffle(order.as_mut_slice(), &mut rng);
        order
    }
}
