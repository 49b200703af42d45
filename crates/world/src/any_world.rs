//! A world of any kind, behind one type.
//!
//! A loop over rounds is compiled for each policy. With this type it is compiled once for each
//! policy, and not once for each policy
//! and each kind of world. A matrix, the kind that most runs meet, is answered in place; the other
//! kinds are one call away.

use rand::Rng;
use tiltyard_bandit::matrix::PreferenceMatrix;
use tiltyard_bandit::{Arm, Outcome};

use crate::corruption::{Corrupted, CorruptedMemory};
use crate::drift::{AnyDrift, DriftWorld};
use crate::matrix_world::MatrixWorld;
use crate::piecewise::PiecewiseWorld;
use crate::regret::{Regret, RegretError, Slots};
use crate::replay::{ReplayMemory, ReplayWorld};
use crate::utility::{UtilityRuler, UtilityWorld};
use crate::world::{Best, Segment, Supply, World};

/// A world of any kind that a text can name.
#[derive(Debug, Clone)]
pub enum AnyWorld {
    /// A preference matrix.
    Matrix(MatrixWorld),
    /// A preference matrix some of whose answers are flipped.
    Corrupted(Corrupted<MatrixWorld>),
    /// Preference matrices, one after the other.
    Piecewise(PiecewiseWorld),
    /// Logged votes.
    Replay(ReplayWorld),
    /// Utilities that stay as they are.
    Utility(UtilityWorld),
    /// Utilities that change with time.
    Drift(DriftWorld<AnyDrift>),
}

/// The gaps of an [`AnyWorld`], made ready for one kind of regret.
#[derive(Debug, Clone)]
pub enum AnyRuler {
    /// One gap an arm, or one an arm and segment.
    Table(Vec<f64>),
    /// Of utilities that stay as they are.
    Utility(UtilityRuler),
    /// Of utilities that change with time.
    Drift(Regret),
}

/// What a run in an [`AnyWorld`] has used up.
#[derive(Debug, Clone)]
pub enum AnyMemory {
    /// Nothing.
    None,
    /// Flips of a corrupted matrix.
    Corrupted(CorruptedMemory<()>),
    /// Votes of a replay.
    Replay(ReplayMemory),
}

const OF_THIS_WORLD: &str = "ruler and memory were made by this world";

/// Asks the world inside, whatever its kind.
macro_rules! inside {
    ($any:expr, $world:ident => $answer:expr) => {
        match $any {
            AnyWorld::Matrix($world) => $answer,
            AnyWorld::Corrupted($world) => $answer,
            AnyWorld::Piecewise($world) => $answer,
            AnyWorld::Replay($world) => $answer,
            AnyWorld::Utility($world) => $answer,
            AnyWorld::Drift($world) => $answer,
        }
    };
}

macro_rules! from {
    ($($kind:ident($world:ty)),*) => {$(
        impl From<$world> for AnyWorld {
            fn from(world: $world) -> Self {
                Self::$kind(world)
            }
        }
    )*};
}

from!(
    Matrix(MatrixWorld),
    Corrupted(Corrupted<MatrixWorld>),
    Piecewise(PiecewiseWorld),
    Replay(ReplayWorld),
    Utility(UtilityWorld),
    Drift(DriftWorld<AnyDrift>)
);

impl AnyWorld {
    /// The world itself if it is a matrix and nothing more.
    pub fn into_matrix_world(self) -> Option<MatrixWorld> {
        if let Self::Matrix(world) = self { Some(world) } else { None }
    }

    /// What [`World::answer`] says in a world that is no plain matrix. Apart, so that a loop over
    /// rounds stays small.
    #[cold]
    #[inline(never)]
    fn answer_elsewhere<R: Rng + ?Sized>(
        &self,
        memory: &mut AnyMemory,
        (ruler, slots): (&AnyRuler, Slots),
        round: u64,
        pair: (Arm, Arm),
        rng: &mut R,
    ) -> (Option<Outcome>, f64) {
        match (self, ruler, memory) {
            (Self::Utility(world), AnyRuler::Utility(ruler), _) => {
                world.answer(&mut (), (ruler, slots), round, pair, rng)
            }
            (Self::Drift(world), AnyRuler::Drift(regret), _) => {
                world.answer(&mut (), (regret, slots), round, pair, rng)
            }
            (Self::Piecewise(world), AnyRuler::Table(gaps), _) => {
                world.answer(&mut (), (gaps, slots), round, pair, rng)
            }
            (Self::Corrupted(world), AnyRuler::Table(gaps), AnyMemory::Corrupted(memory)) => {
                world.answer(memory, (gaps, slots), round, pair, rng)
            }
            (Self::Replay(world), AnyRuler::Table(gaps), AnyMemory::Replay(memory)) => {
                world.answer(memory, (gaps, slots), round, pair, rng)
            }
            (Self::Matrix(world), AnyRuler::Table(gaps), _) => {
                world.answer(&mut (), (gaps, slots), round, pair, rng)
            }
            _ => unreachable!("{OF_THIS_WORLD}"),
        }
    }
}

impl World for AnyWorld {
    type Ruler = AnyRuler;
    type Memory = AnyMemory;

    fn n_arms(&self) -> usize {
        inside!(self, world => world.n_arms())
    }

    fn start(&self) -> AnyMemory {
        match self {
            Self::Corrupted(world) => AnyMemory::Corrupted(world.start()),
            Self::Replay(world) => AnyMemory::Replay(world.start()),
            Self::Matrix(_) | Self::Piecewise(_) | Self::Utility(_) | Self::Drift(_) => AnyMemory::None,
        }
    }

    fn duel<R: Rng + ?Sized>(
        &self,
        memory: &mut AnyMemory,
        round: u64,
        left: Arm,
        right: Arm,
        rng: &mut R,
    ) -> Option<Outcome> {
        match (self, memory) {
            (Self::Matrix(world), _) => world.duel(&mut (), round, left, right, rng),
            (Self::Piecewise(world), _) => world.duel(&mut (), round, left, right, rng),
            (Self::Utility(world), _) => world.duel(&mut (), round, left, right, rng),
            (Self::Drift(world), _) => world.duel(&mut (), round, left, right, rng),
            (Self::Corrupted(world), AnyMemory::Corrupted(memory)) => {
                world.duel(memory, round, left, right, rng)
            }
            (Self::Replay(world), AnyMemory::Replay(memory)) => world.duel(memory, round, left, right, rng),
            (Self::Corrupted(_) | Self::Replay(_), _) => unreachable!("{OF_THIS_WORLD}"),
        }
    }

    #[inline]
    fn answer<R: Rng + ?Sized>(
        &self,
        memory: &mut AnyMemory,
        (ruler, slots): (&AnyRuler, Slots),
        round: u64,
        pair: (Arm, Arm),
        rng: &mut R,
    ) -> (Option<Outcome>, f64) {
        if let (Self::Matrix(world), AnyRuler::Table(gaps)) = (self, ruler) {
            world.answer(&mut (), (gaps, slots), round, pair, rng)
        } else {
            self.answer_elsewhere(memory, (ruler, slots), round, pair, rng)
        }
    }

    fn supply(&self, memory: &AnyMemory) -> Supply {
        match (self, memory) {
            (Self::Corrupted(world), AnyMemory::Corrupted(memory)) => world.supply(memory),
            (Self::Replay(world), AnyMemory::Replay(memory)) => world.supply(memory),
            _ => Supply::default(),
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

    fn ruler(&self, regret: Regret) -> Result<AnyRuler, RegretError> {
        Ok(match self {
            Self::Matrix(world) => AnyRuler::Table(world.ruler(regret)?),
            Self::Corrupted(world) => AnyRuler::Table(world.ruler(regret)?),
            Self::Piecewise(world) => AnyRuler::Table(world.ruler(regret)?),
            Self::Replay(world) => AnyRuler::Table(world.ruler(regret)?),
            Self::Utility(world) => AnyRuler::Utility(world.ruler(regret)?),
            Self::Drift(world) => AnyRuler::Drift(world.ruler(regret)?),
        })
    }

    fn gap(&self, ruler: &AnyRuler, round: u64, arm: Arm) -> f64 {
        match (self, ruler) {
            (Self::Matrix(world), AnyRuler::Table(gaps)) => world.gap(gaps, round, arm),
            (Self::Corrupted(world), AnyRuler::Table(gaps)) => world.gap(gaps, round, arm),
            (Self::Piecewise(world), AnyRuler::Table(gaps)) => world.gap(gaps, round, arm),
            (Self::Replay(world), AnyRuler::Table(gaps)) => world.gap(gaps, round, arm),
            (Self::Utility(world), AnyRuler::Utility(ruler)) => world.gap(ruler, round, arm),
            (Self::Drift(world), AnyRuler::Drift(regret)) => world.gap(regret, round, arm),
            _ => unreachable!("{OF_THIS_WORLD}"),
        }
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
