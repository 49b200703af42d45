//! Players: classical bandit algorithms that fill the slots of a reduction.
//!
//! A player follows the contract of a policy with one slot: `propose` a pull, `issue` it, `update`
//! with its reward. Each player is one file in this module and one line in `players!`.

use rand::Rng;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::params::{Param, ParamError, Params};
use crate::policy::Citation;
use crate::{Arm, Draw, Ticket};

pub mod exp3;
pub mod exp3ix;
pub mod exp3s;
mod exponential;
mod tally;
pub mod thompson;
pub mod tsallis;
pub mod ucb1;

pub use exp3::Exp3;
pub use exp3ix::Exp3Ix;
pub use exp3s::Exp3S;
pub use thompson::Thompson;
pub use tsallis::Tsallis;
pub use ucb1::Ucb1;

macro_rules! players {
    ($($player:ty),* $(,)?) => {
        const N_PARAMS: usize = 0 $(+ <$player as Player>::INFO.params.len())*;

        /// The parameters of a reduction: its own parameter first, then those of every player. A
        /// reduction may replace a player's default by one that suits it better.
        pub(crate) const fn params(own: Param, defaults: &[Default]) -> [Param; 1 + N_PARAMS] {
            let mut all = [own; 1 + N_PARAMS];
            let mut n = 1;
            $(
                let mut i = 0;
                while i < <$player as Player>::INFO.params.len() {
                    all[n] = with_default(<$player as Player>::INFO.params[i], defaults);
                    n += 1;
                    i += 1;
                }
            )*
            let _ = n;
            all
        }

        /// Builds the player that the key `player` names, and passes it to the reduction.
        pub(crate) fn build<S: PlayerVisitor>(
            mut params: Params<'_>,
            default_player: &'static str,
            defaults: &[Default],
            visitor: S,
        ) -> Result<S::Output, ParamError> {
            let name = params.choice_or(KEY, &NAMES.map(|name| (name, name)), default_player)?;
            for &(key, value) in defaults {
                params.default_to(key, value);
            }
            $(if name == <$player as Player>::INFO.name {
                let player = <$player as Player>::build(&mut params)?;
                return visitor.visit(params, player);
            })*
            unreachable!("the choice allows only names of players")
        }

        const N_PLAYERS: usize = [$(<$player as Player>::INFO.name),*].len();
        const NAMES: [&str; N_PLAYERS] = [$(<$player as Player>::INFO.name),*];
    };
}

players! {
    Exp3,
    Ucb1,
    Thompson,
    Tsallis,
    Exp3Ix,
    Exp3S,
}

const KEY: &str = "player";

/// The parameter of a reduction that names its player.
pub(crate) const fn choice(default: &'static str, meaning: &'static str) -> Param {
    Param { key: KEY, default, legal: LEGAL, meaning }
}

/// The names of all players, as one comma-separated text.
const LEGAL: &str = match core::str::from_utf8(&JOINED) {
    Ok(list) => list,
    Err(_) => panic!("names are valid UTF-8"),
};

const JOINED: [u8; joined_len()] = {
    let mut joined = [0; joined_len()];
    let (mut end, mut i) = (0, 0);
    while i < N_PLAYERS {
        if i > 0 {
            (joined[end], joined[end + 1]) = (b',', b' ');
            end += 2;
        }
        let name = NAMES[i].as_bytes();
        let (_, rest) = joined.split_at_mut(end);
        rest.split_at_mut(name.len()).0.copy_from_slice(name);
        end += name.len();
        i += 1;
    }
    joined
};

const fn joined_len() -> usize {
    let (mut len, mut i) = (2 * (N_PLAYERS - 1), 0);
    while i < N_PLAYERS {
        len += NAMES[i].len();
        i += 1;
    }
    len
}

/// A key of a player, and the value that a reduction prefers for it.
pub(crate) type Default = (&'static str, &'static str);

/// A reduction that is ready for its player, whose type is known only once the parameters are read.
pub(crate) trait PlayerVisitor {
    /// The result of building the reduction.
    type Output;

    /// Builds the policy around this player and passes it on.
    fn visit<P: Player>(self, params: Params<'_>, player: P) -> Result<Self::Output, ParamError>;
}

const fn with_default(param: Param, defaults: &[Default]) -> Param {
    let mut i = 0;
    while i < defaults.len() {
        if same(param.key, defaults[i].0) {
            return Param { default: defaults[i].1, ..param };
        }
        i += 1;
    }
    param
}

/// `==` for constants.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// A classical bandit algorithm with rewards in [0, 1].
pub trait Player: Clone + Send + Sync + Serialize + DeserializeOwned + 'static {
    /// The facts about this player.
    const INFO: PlayerInfo;

    /// Builds the player from its parameters.
    ///
    /// # Errors
    ///
    /// If a parameter is refused.
    fn build(params: &mut Params<'_>) -> Result<Self, ParamError>;

    /// K, the number of arms.
    fn n_arms(&self) -> usize;

    /// Proposes a pull without changing the player.
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Pull;

    /// Records that the pull is now in flight.
    fn issue(&mut self, pull: &Pull);

    /// Learns from the reward, in [0, 1], of a pull issued earlier.
    fn update(&mut self, pull: &Pull, reward: f64);

    /// Records that the reward of a pull will never come.
    fn void(&mut self, pull: &Pull);

    /// Forgets everything and returns to the initial state. Rewards of pulls issued before the
    /// reset must not be passed to `update`.
    fn reset(&mut self);

    /// The probability of each arm at the next pull, in O(K). `None` if the player's pulls have no
    /// known probability.
    fn probabilities(&self) -> Option<Vec<f64>> {
        None
    }

    /// How good an arm looks. The two players of a reduction give comparable values.
    fn standing(&self, arm: Arm) -> f64;

    /// The player as [`AdditivePlayer`], if nodes can be merged by addition.
    fn additive(&self) -> Option<&dyn AdditivePlayer> {
        None
    }

    /// The same, mutable.
    fn additive_mut(&mut self) -> Option<&mut dyn AdditivePlayer> {
        None
    }
}

/// A player whose knowledge is a sum of increments, each of which depends only on a pull and its
/// reward. Such players make a reduction [`Additive`](crate::policy::Additive).
pub trait AdditivePlayer {
    /// All sums, in a fixed order.
    fn sums(&self) -> Vec<f64>;

    /// Adds the sums that another node has learned.
    ///
    /// # Panics
    ///
    /// If `increments` is not as long as [`Self::sums`].
    fn add(&mut self, increments: &[f64]);

    /// Reverses what [`Player::update`] learned from this pull and reward. The clock and the pulls
    /// in flight stay as they are.
    fn take_back(&mut self, pull: &Pull, reward: f64);
}

/// A pull, with everything that the player needs to learn from its reward.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pull {
    /// The arm.
    pub arm: Arm,
    /// The probability of the arm, if the player draws at random with a known probability.
    pub probability: Option<f64>,
    /// The learning rate in force; 1 for players that have none.
    pub rate: f64,
}

impl Pull {
    /// The pulls of the left and right slots, as the ticket records them.
    #[inline]
    pub(crate) fn pair_of(ticket: &Ticket) -> (Self, Self) {
        let (left, right) = match ticket.draw {
            Draw::Slots { left, right, .. } => (Some(left), Some(right)),
            Draw::Pair(_) | Draw::Unknown => (None, None),
        };
        (
            Self { arm: ticket.left, probability: left, rate: ticket.rate },
            Self { arm: ticket.right, probability: right, rate: ticket.rate },
        )
    }
}

/// Facts about a player.
#[derive(Debug, Clone, Copy)]
pub struct PlayerInfo {
    /// Its name in specifications.
    pub name: &'static str,
    /// A description in one line.
    pub title: &'static str,
    /// Whether its pulls have known probabilities.
    pub known_probability: bool,
    /// Its parameters.
    pub params: &'static [Param],
    /// The publication that introduced it.
    pub reference: Citation,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_the_list_of_players() {
        assert_eq!(LEGAL, "exp3, ucb1, thompson, tsallis, exp3ix, exp3s");
    }

    #[test]
    fn trace_defaults_of_a_reduction() {
        let all = params(choice("ucb1", ""), &[("alpha", "7"), ("alph", "8")]);
        let defaults: Vec<(&str, &str)> = all.iter().map(|param| (param.key, param.default)).collect();
        let want = [
            ("player", "ucb1"),
            ("schedule", "fixed"),
            ("gamma", "none"),
            ("gmax", "T/2"),
            ("alpha", "7"),
            ("estimator", "iw"),
            ("rounds", "t"),
            ("switches", "1"),
        ];
        assert_eq!(defaults, want);
    }
}
