//! Sessions: runs that somebody else plays, duel by duel.
//!
//! A policy that is none of the registry's, written in another language perhaps, meets the same
//! world, in the same order of arms, on the same streams and by the same regret as those that
//! [`play`](crate::play::play) plays, and leaves the same run behind.

use rand::Rng;
use tiltyard_bandit::hint::{FrontEnd, Hint};
use tiltyard_bandit::{Arm, Outcome};
use tiltyard_world::{Best, MatrixWorld, Regret, RunState, World};

use crate::engine::play::{PlayError, check_checkpoints};
use crate::engine::prepared_world::{PreparedWorld, prepare_all, prepare_matrix_all};
use crate::engine::run::Run;
use crate::engine::streams::Streams;

/// What sessions in one world have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionConfig {
    /// Rounds at which regret is recorded, in rising order; the last ends a session.
    pub checkpoints: Vec<u64>,
    /// The seed of everything.
    pub seed: u64,
    /// The regret to measure; the world's own if none.
    pub regret: Option<Regret>,
}

/// A world in which sessions can begin.
#[expect(missing_debug_implementations, reason = "a world may be large")]
pub struct Sessions {
    world: PreparedWorld,
    checkpoints: Vec<u64>,
    seed: u64,
}

impl Sessions {
    /// In the world that a text names, as [`Job::world`](crate::play::Job::world).
    ///
    /// # Errors
    ///
    /// If there is no such world, it does not answer at once, or the configuration makes no sense.
    pub fn new(world: &str, config: SessionConfig) -> Result<Self, SessionError> {
        let rounds = check_checkpoints(&config.checkpoints)?;
        Self::of(prepare_all(world, rounds, config.regret).map_err(PlayError::from)?, config)
    }

    /// In a matrix that is there already.
    ///
    /// # Errors
    ///
    /// If the configuration makes no sense.
    pub fn in_matrix(world: MatrixWorld, config: SessionConfig) -> Result<Self, SessionError> {
        check_checkpoints(&config.checkpoints)?;
        Self::of(prepare_matrix_all(world, config.regret).map_err(PlayError::from)?, config)
    }

    fn of(world: PreparedWorld, config: SessionConfig) -> Result<Self, SessionError> {
        if !world.delivery().is_prompt() {
            return Err(SessionError::NotPrompt);
        }
        if world.points().is_some() {
            return Err(SessionError::NoArms);
        }
        Ok(Self { world, checkpoints: config.checkpoints, seed: config.seed })
    }

    /// K.
    pub fn n_arms(&self) -> usize {
        self.world.n_arms()
    }

    /// The arm that regret is measured against, by the world's own names.
    pub fn best(&self) -> Best {
        self.world.best()
    }

    /// What that arm is called, if the arms have names.
    pub fn best_name(&self) -> Option<&str> {
        self.world.best_name()
    }

    /// The regret measured.
    pub fn regret(&self) -> Regret {
        self.world.regret()
    }

    /// Begins a run. If the policy is `binary`, ties are broken by a coin of the world's.
    pub fn begin(&self, run: u64, binary: bool) -> Session {
        let streams = Streams::of(self.seed, run);
        Session {
            state: self.world.config(None, &[]).world.start(),
            run: Run::new(self.world.best(), self.checkpoints.len()),
            world: self.world.clone(),
            order: streams.order(self.world.n_arms()),
            rng: Box::new(streams.world().rng()),
            binary,
            checkpoints: self.checkpoints.clone(),
            round: 0,
            regret: 0.0,
        }
    }
}

/// One run, played from outside.
#[expect(missing_debug_implementations, reason = "a generator behind a pointer")]
pub struct Session {
    world: PreparedWorld,
    state: RunState,
    order: Vec<Arm>,
    rng: Box<dyn Rng + Send>,
    binary: bool,
    checkpoints: Vec<u64>,
    round: u64,
    regret: f64,
    run: Run,
}

impl Session {
    /// Plays the next round: the outcome of a duel of two arms, by the policy's names for them;
    /// `None` if it stays unanswered.
    ///
    /// # Errors
    ///
    /// If there is no such arm, or the run is over.
    pub fn duel(&mut self, left: Arm, right: Arm) -> Result<Option<Outcome>, SessionError> {
        let Some(&checkpoint) = self.checkpoints.get(self.run.regret.len()) else {
            return Err(SessionError::Over { rounds: self.round });
        };
        let n_arms = self.order.len();
        if let Some(arm) = [left, right].into_iter().find(|arm| arm.index() >= n_arms) {
            return Err(SessionError::ArmOutOfRange { arm, n_arms });
        }
        let [left, right] = [left, right].map(|arm| self.order[arm.index()]);
        self.round += 1;
        let config = self.world.config(None, &[]);
        let measure = (config.gaps, config.regret.slots);
        let (outcome, cost) =
            config.world.answer(&mut self.state, measure, self.round, (left, right), &mut *self.rng);
        self.regret += cost;
        let outcome =
            outcome.map(|outcome| if self.binary { outcome.to_binary(&mut *self.rng) } else { outcome });
        if self.round == checkpoint {
            let best = config.best_in(self.round);
            self.run.record(self.regret, (left, right) == (best, best));
        }
        Ok(outcome)
    }

    /// K.
    pub fn n_arms(&self) -> usize {
        self.order.len()
    }

    /// Rounds played.
    pub fn round(&self) -> u64 {
        self.round
    }

    /// The regret so far.
    pub fn regret(&self) -> f64 {
        self.regret
    }

    /// Whether the last checkpoint was reached.
    pub fn is_over(&self) -> bool {
        self.run.regret.len() == self.checkpoints.len()
    }

    /// What was recorded so far.
    pub fn run(&self) -> &Run {
        &self.run
    }
}

/// Why a session cannot begin, or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The world or the configuration is refused.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// Outcomes would come late, and a session has no place for them to wait.
    #[error("a session answers at once, so its world cannot hold outcomes back")]
    NotPrompt,
    /// A continuous world, whose duels are of points.
    #[error("a session is of duels of arms, and a continuous world has none")]
    NoArms,
    /// The arm does not exist.
    #[error("there is no arm {arm}: there are {n_arms}, counted from 0")]
    ArmOutOfRange {
        /// The arm named.
        arm: Arm,
        /// How many arms there are.
        n_arms: usize,
    },
    /// All rounds were played.
    #[error("the run is over: its {rounds} rounds were played")]
    Over {
        /// How many rounds it had.
        rounds: u64,
    },
}

impl Hint for SessionError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Play(error) => error.hints(front),
            Self::NotPrompt => vec!["leave out `+delayed`, `+batched` and `+nodes`".to_owned()],
            Self::NoArms | Self::ArmOutOfRange { .. } | Self::Over { .. } => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
