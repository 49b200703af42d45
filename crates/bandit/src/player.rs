//! Players: classical bandits, as they sit in the slots of a reduction.
//!
//! The contract is that of a policy with one slot: `propose` a pull, `issue` it, `update` with its reward. Each player
//! is one file here and one line in [`players!`](self).

use rand::Rng;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Arm;
use crate::params::{Param, ParamError, Params};
use crate::policy::{Additive, Citation};

pub mod exp3;
mod tally;
pub mod thompson;
pub mod ucb1;

pub use exp3::Exp3;
pub use thompson::Thompson;
pub use ucb1::Ucb1;

/// Calls a macro with every player: its name and its type.
macro_rules! players {
    ($then:path) => {
        $then! {
            exp3::Exp3,
            ucb1::Ucb1,
            thompson::Thompson,
        }
    };
}
pub(crate) use players;

/// A classical bandit algorithm with rewards in [0, 1].
pub trait Player: Clone + Send + Serialize + DeserializeOwned + 'static {
    /// What is known about it.
    const INFO: PlayerInfo;

    /// Reads its parameters.
    ///
    /// # Errors
    ///
    /// If one is refused.
    fn build(params: &mut Params<'_>) -> Result<Self, ParamError>;

    /// K.
    fn n_arms(&self) -> usize;

    /// Proposes a pull. It changes nothing.
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Pull;

    /// Takes note that the pull is under way.
    fn issue(&mut self, pull: &Pull);

    /// Learns from the reward, in [0, 1], of a pull issued earlier.
    fn update(&mut self, pull: &Pull, reward: f64);

    /// Takes note that a reward will never come.
    fn void(&mut self, pull: &Pull);

    /// How good an arm looks; comparable between the two players of a reduction.
    fn standing(&self, arm: Arm) -> f64;

    /// The capability to be merged.
    fn additive(&self) -> &dyn Additive;

    /// The same, to be added to.
    fn additive_mut(&mut self) -> &mut dyn Additive;
}

/// A pull, and everything the player will need to learn from its reward.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pull {
    /// The arm.
    pub arm: Arm,
    /// Its probability, where the player draws at random with a known one.
    pub probability: Option<f64>,
    /// The learning rate in force; 1 for players that have none.
    pub rate: f64,
}

/// Facts about a player.
#[derive(Debug, Clone, Copy)]
pub struct PlayerInfo {
    /// Its name in specifications.
    pub name: &'static str,
    /// One line.
    pub title: &'static str,
    /// Whether its pulls have known probabilities.
    pub known_probability: bool,
    /// Its parameters.
    pub params: &'static [Param],
    /// Where it was published.
    pub reference: Citation,
}
