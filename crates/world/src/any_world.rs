//! A world of any kind, behind one type.
//!
//! The loop over rounds is compiled once for each policy instead of once for each pair of a policy
//! and a kind of world. Matrices, the most common kind, are answered inline. The other kinds cost a
//! call.

use rand::Rng;
use tiltyard_bandit::matrix::PreferenceMatrix;
use tiltyard_bandit::{Arm, Outcome};

use crate::continuous_world::PointWorld;
use crate::corruption::CorruptedWorld;
use crate::drift::{AnyDrift, DriftWorld};
use crate::either::either;
use crate::matrix_world::MatrixWorld;
use crate::piecewise::PiecewiseWorld;
use crate::regret::{Regret, RegretError, Slots};
use crate::replay::ReplayWorld;
use crate::utility::UtilityWorld;
use crate::world::{Best, Gaps, RunState, Segment, World};

either! { $
    /// A world of any kind that has a name.
    #[derive(Debug, Clone)]
    pub enum AnyWorld {
        /// A preference matrix.
        Matrix(MatrixWorld),
        /// A preference matrix with an adversary that flips some answers.
        Corrupted(CorruptedWorld),
        /// Preference matrices, one after the other.
        Piecewise(PiecewiseWorld),
        /// Logged votes.
        Replay(ReplayWorld),
        /// Utilities that do not change.
        Utility(UtilityWorld),
        /// Utilities that change with time.
        Drift(DriftWorld<AnyDrift>),
        /// Duels between points. There are no arms.
        Points(PointWorld),
    }
    ask inside
}

impl AnyWorld {
    /// The world itself if it is a plain matrix.
    pub fn into_matrix_world(self) -> Option<MatrixWorld> {
        if let Self::Matrix(world) = self { Some(world) } else { None }
    }

    /// [`World::answer`] for all worlds except plain matrices. It is a function of its own to keep
    /// the loop over rounds small.
    #[cold]
    #[inline(never)]
    fn answer_elsewhere<R: Rng + ?Sized>(
        &self,
        state: &mut RunState,
        gaps: (&Gaps, Slots),
        round: u64,
        pair: (Arm, Arm),
        rng: &mut R,
    ) -> (Option<Outcome>, f64) {
        inside!(self, world => world.answer(state, gaps, round, pair, rng))
    }
}

impl World for AnyWorld {
    fn n_arms(&self) -> usize {
        inside!(self, world => world.n_arms())
    }

    fn start(&self) -> RunState {
        inside!(self, world => world.start())
    }

    fn duel<R: Rng + ?Sized>(
        &self,
        state: &mut RunState,
        round: u64,
        left: Arm,
        right: Arm,
        rng: &mut R,
    ) -> Option<Outcome> {
        inside!(self, world => world.duel(state, round, left, right, rng))
    }

    #[inline]
    fn answer<R: Rng + ?Sized>(
        &self,
        state: &mut RunState,
        gaps: (&Gaps, Slots),
        round: u64,
        pair: (Arm, Arm),
        rng: &mut R,
    ) -> (Option<Outcome>, f64) {
        if let Self::Matrix(world) = self {
            world.answer(state, gaps, round, pair, rng)
        } else {
            self.answer_elsewhere(state, gaps, round, pair, rng)
        }
    }

    fn best(&self) -> Best {
        inside!(self, world => world.best())
    }

    fn best_in(&self, round: u64) -> Arm {
        inside!(self, world => world.best_in(round))
    }

    fn segments(&self) -> Vec<Segment> {
        inside!(self, world => world.segments())
    }

    fn natural_regret(&self) -> Regret {
        inside!(self, world => world.natural_regret())
    }

    fn gaps(&self, regret: Regret) -> Result<Gaps, RegretError> {
        inside!(self, world => world.gaps(regret))
    }

    fn gap(&self, gaps: &Gaps, round: u64, arm: Arm) -> f64 {
        inside!(self, world => world.gap(gaps, round, arm))
    }

    fn matrix(&self) -> Option<&PreferenceMatrix> {
        inside!(self, world => world.matrix())
    }

    fn arm_name(&self, arm: Arm) -> Option<&str> {
        inside!(self, world => world.arm_name(arm))
    }

    fn utility(&self, round: u64, arm: Arm) -> Option<f64> {
        inside!(self, world => world.utility(round, arm))
    }
}
