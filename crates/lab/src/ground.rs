//! A world under a run's feet, whose type is known only at run time.

use core::borrow::Borrow;

use rand::Rng;
use tiltyard_bandit::{Arm, Outcome};
use tiltyard_world::{Regret, Supply, World};

/// What a loop asks of a world. The fast loop asks the world itself.
pub(crate) trait Ground: Send {
    fn duel(&mut self, round: u64, left: Arm, right: Arm, rng: &mut dyn Rng) -> Option<Outcome>;
    fn cost(&self, round: u64, left: Arm, right: Arm) -> f64;
    fn best(&self, round: u64) -> Arm;
    fn supply(&self) -> Supply;
}

/// A world, borrowed or owned, with the memory of one run.
pub(crate) struct Standing<W: World, B, R> {
    world: B,
    regret: Regret,
    ruler: R,
    memory: W::Memory,
}

impl<W: World, B: Borrow<W>, R: Borrow<W::Ruler>> Standing<W, B, R> {
    pub(crate) fn new(world: B, regret: Regret, ruler: R) -> Self {
        let memory = world.borrow().start();
        Self { world, regret, ruler, memory }
    }
}

impl<W: World, B: Borrow<W> + Send, R: Borrow<W::Ruler> + Send> Ground for Standing<W, B, R> {
    fn duel(&mut self, round: u64, left: Arm, right: Arm, rng: &mut dyn Rng) -> Option<Outcome> {
        self.world.borrow().duel(&mut self.memory, round, left, right, rng)
    }

    fn cost(&self, round: u64, left: Arm, right: Arm) -> f64 {
        let (world, ruler) = (self.world.borrow(), self.ruler.borrow());
        self.regret.slots.combine(world.gap(ruler, round, left), world.gap(ruler, round, right))
    }

    fn best(&self, round: u64) -> Arm {
        let world = self.world.borrow();
        if self.regret.dynamic { world.best_in(round) } else { world.best().arm }
    }

    fn supply(&self) -> Supply {
        self.world.borrow().supply(&self.memory)
    }
}
