//! Any sequence of utilities, behind one type.

use tiltyard_bandit::Arm;

use super::{Deceptive, Drift, Switch, Table, Waves};
use crate::either::either;
use crate::regret::Regret;

either! { $
    /// One type for all sequences. The loop of a run is then compiled for each policy, not for each
    /// policy and sequence. The branch costs next to nothing, because it always goes the same way.
    #[derive(Debug, Clone, PartialEq)]
    pub enum AnyDrift {
        /// The deceptive world.
        Deceptive(Deceptive),
        /// The switch trap.
        Switch(Switch),
        /// Arms that rise and fall.
        Waves(Waves),
        /// A table of given utilities.
        Table(Table),
    }
    ask inside
}

impl Drift for AnyDrift {
    fn n_arms(&self) -> usize {
        inside!(self, drift => drift.n_arms())
    }

    #[inline]
    fn mean(&self, round: u64, arm: Arm) -> f64 {
        inside!(self, drift => drift.mean(round, arm))
    }

    fn best(&self) -> Arm {
        inside!(self, drift => drift.best())
    }

    fn best_in(&self, round: u64) -> Arm {
        inside!(self, drift => drift.best_in(round))
    }

    fn starts(&self) -> Vec<u64> {
        inside!(self, drift => drift.starts())
    }

    fn natural_regret(&self) -> Regret {
        inside!(self, drift => drift.natural_regret())
    }

    fn arm_name(&self, arm: Arm) -> Option<&str> {
        inside!(self, drift => drift.arm_name(arm))
    }
}
