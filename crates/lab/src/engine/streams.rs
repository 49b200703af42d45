//! The random streams of the runs of a job, addressed by seed and run.

use tiltyard_bandit::policy::Origin;
use tiltyard_bandit::{Arm, Spec, Stream};

/// The streams of one run.
#[derive(Debug, Clone, Copy)]
pub struct Streams(Origin);

impl Streams {
    /// The streams of run number `run` under a seed.
    pub fn of(seed: u64, run: u64) -> Self {
        Self(Origin { seed, run: Some(run) })
    }

    /// The stream of the world; the same for every policy.
    pub fn world(self) -> Stream {
        self.0.stream().label("world")
    }

    /// The stream of delays and losses of outcomes; the same for every policy.
    pub fn delivery(self) -> Stream {
        self.0.stream().label("delivery")
    }

    /// The stream of a policy. The specifications of two policies of one job tell their streams
    /// apart.
    pub fn policy(self, spec: &Spec) -> Stream {
        self.0.policy(spec)
    }

    /// The stream of a policy's construction.
    pub fn setup(self, spec: &Spec) -> Stream {
        self.0.setup(spec)
    }

    /// The stream for drawing `n_arms` arms from a larger world; the same for every policy.
    pub fn submatrix(self, n_arms: usize) -> Stream {
        self.0.stream().label("submatrix").index(n_arms as u64)
    }

    /// The order of the arms in this run; the same for every policy. It keeps tie rules and the
    /// order of arms in a file from favouring an arm.
    pub fn order(self, n_arms: usize) -> Vec<Arm> {
        let mut rng = self.0.stream().label("order").rng();
        let mut order: Vec<_> = Arm::all(n_arms).collect();
        rand::seq::SliceRandom::shuffle(order.as_mut_slice(), &mut rng);
        order
    }
}
