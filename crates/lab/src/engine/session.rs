//! Sessions: runs that the caller plays, duel by duel.
//!
//! A policy from outside the registry, perhaps in another language, meets the same world, in the
//! same order of arms, with the same streams and the same regret as the policies that
//! [`play`](crate::play::play) plays. It leaves the same record behind.

use rand::Rng;
use tiltyard_bandit::hint::{FrontEnd, Hint};
use tiltyard_bandit::{Arm, Outcome};
use tiltyard_world::{Best, MatrixWorld, Regret, RunState, World};

use crate::engine::play::{PlayError, check_checkpoints};
use crate::engine::prepared_world::{PreparedWorld, prepare_all, prepare_matrix_all};
use crate::engine::run::Run;
use crate::engine::streams::Streams;

/// The configuration that all sessions in a world share.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct SessionConfig {
    /// Rounds at which regret is recorded, in rising order. The last ends a session.
    pub checkpoints: Vec<u64>,
    pub seed: u64,
    /// The regret to measure; the world's own if `None`.
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
    /// Sessions in the world that a text names, as in [`Job::world`](crate::play::Job::world).
    ///
    /// # Errors
    ///
    /// If the world does not exist or does not answer at once, or if the configuration is invalid.
    pub fn new(world: &str, config: SessionConfig) -> Result<Self, SessionError> {
        let rounds = check_checkpoints(&config.checkpoints)?;
        Self::of(prepare_all(world, rounds, config.regret).map_err(PlayError::from)?, config)
    }

    /// Sessions in an existing matrix.
    ///
    /// # Errors
    ///
    /// If the configuration is invalid.
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

    /// The number of arms, K.
    pub fn n_arms(&self) -> usize {
        self.world.n_arms()
    }

    /// The arm that regret is measured against, by its index in the world.
    pub fn best(&self) -> Best {
        self.world.best()
    }

    /// The name of that arm, if arms have names.
    pub fn best_name(&self) -> Option<&str> {
        self.world.best_name()
    }

    /// The regret measured.
    pub fn regret(&self) -> Regret {
        self.world.regret()
    }

    /// Begins a run. If the policy is `binary`, the world breaks ties with a coin.
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

/// One run that the caller plays.
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
    /// Plays the next round: a duel between two arms, given by the policy's indices. Returns its
    /// outcome, or `None` if the duel stays unanswered.
    ///
    /// # Errors
    ///
    /// If an arm does not exist, or the run is over.
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

    /// The number of arms, K.
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

    /// The record so far.
    pub fn run(&self) -> &Run {
        &self.run
    }
}

/// A session cannot begin or continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum SessionError {
    /// The world or the configuration is invalid.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// The world delays outcomes, but a session needs them at once.
    #[error("a session needs each outcome at once, so its world cannot delay outcomes")]
    NotPrompt,
    /// The world is continuous: its duels are between points, not arms.
    #[error("a session needs arms, and a continuous world has none")]
    NoArms,
    /// The arm does not exist.
    #[error("there is no arm {arm}: there are {n_arms} arms, counted from 0")]
    ArmOutOfRange { arm: Arm, n_arms: usize },
    /// All rounds have been played.
    #[error("the run is over: all {rounds} rounds have been played")]
    Over { rounds: u64 },
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
