//! Any of the sequences here.

use tiltyard_bandit::Arm;

use super::{Deceptive, Drift, Switch, Table, Waves};
use crate::regret::Regret;

/// One type for all sequences: the loop of a run is compiled for each pair of a policy and a type of world, so that a type more is as many
/// loops more as there are policies, where a branch that always goes the same way costs next to nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyDrift {
    /// The deceptive world.
    Deceptive(Deceptive),
    /// The switch trap.
    Switch(Switch),
    /// Arms that rise and fall.
    Waves(Waves),
    /// Utilities written down in advance.
    Table(Table),
}

macro_rules! each {
    ($self:expr, $drift:ident => $value:expr) => {
        match $self {
            Self::Deceptive($drift) => $value,
            Self::Switch($drift) => $value,
            Self::Waves($drift) => $value,
            Self::Table($drift) => $value,
        }
    };
}

impl Drift for AnyDrift {
    fn n_arms(&self) -> usize {
        each!(self, drift => drift.n_arms())
    }

    #[inline]
    fn mean(&self, round: u64, arm: Arm) -> f64 {
        each!(self, drift => drift.mean(round, arm))
    }

    fn best(&self) -> Arm {
        each!(self, drift => drift.best())
    }

    fn best_in(&self, round: u64) -> Arm {
        each!(self, drift => drift.best_in(round))
    }

    fn starts(&self) -> Vec<u64> {
        each!(self, drift => drift.starts())
    }

    fn natural_regret(&self) -> Regret {
        each!(self, drift => drift.natural_regret())
    }

    fn arm_name(&self, arm: Arm) -> Option<&str> {
        each!(self, drift => drift.arm_name(arm))
    }
}

impl From<Deceptive> for AnyDrift {
    fn from(drift: Deceptive) -> Self {
        Self::Deceptive(drift)
    }
}

impl From<Switch> for AnyDrift {
    fn from(drift: Switch) -> Self {
        Self::Switch(drift)
    }
}

impl From<Waves> for AnyDrift {
    fn from(drift: Waves) -> Self {
        Self::Waves(drift)
    }
}

impl From<Table> for AnyDrift {
    fn from(drift: Table) -> Self {
        Self::Table(drift)
    }
}
