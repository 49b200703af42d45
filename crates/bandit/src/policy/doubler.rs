//! Doubler; [`Family`] has its page.

use core::mem;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::limits::LAST_ROUND;
use super::registry::{self, Built, Visitor};
use super::{
    Assumption, Curve, Goal, Info, Lessons, Policy, Propensity, Refusal, Settles, either_slot, sparring,
};
use crate::argmax::first_best;
use crate::damaged::Damaged;
use crate::params::{ParamError, Params};
use crate::player::{self, Player, PlayerVisitor, Pull};
use crate::structures::sampling::alias_table::AliasTable;
use crate::ticket::Draw;
use crate::{Arm, Outcome, Ticket};

declare! {
    /// # Doubler: a player meets its own past
    ///
    /// ## Idea
    ///
    /// Doubler turns dueling into an ordinary bandit problem: a classical bandit algorithm, the
    /// player, chooses one arm, and its opponent is drawn from the arms that it chose earlier.
    ///
    /// Time is divided into epochs, each twice as long as the one before. Within an epoch the left
    /// arm is drawn from a fixed distribution. The player chooses the right arm and is paid if that
    /// arm wins, so it faces a bandit problem with rewards that do not change. The right arms of
    /// this epoch become the distribution of the left arm in the next epoch: the better the player
    /// gets, the better its next opponent.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// L = {one arm drawn uniformly}
    /// epoch i = 1, 2, ... of 2^i duels, each with a fresh player:
    ///   decide:  left = uniform from the multiset L, right = the player pulls
    ///   update:  the player is paid (1 - s) / 2, also when left = right
    ///   at the end:  L = the multiset of all right arms of this epoch
    /// ```
    ///
    /// L is a multiset: an arm that was on the right a hundred times is a hundred times as likely
    /// as an arm that was there once. Only the player of the right slot learns. An epoch ends after
    /// a fixed number of decisions, and outcomes that arrive later are dropped. The outcome of the
    /// last duel of each epoch is always dropped, because the epoch ends as soon as that duel is
    /// issued. `recommend` returns the arm that looks best to the player of the current epoch; in
    /// the first half of an epoch, it asks the player of the previous epoch.
    ///
    /// ## Parameters
    ///
    parameters = &player::params(player::choice(PLAYER, "the algorithm of the player"), &[]);
    ///
    /// The player starts anew in each epoch, and so does its clock `t`. For `exp3` the schedules
    /// without a horizon are therefore the natural ones. The default of `exp3`, a gamma for T
    /// rounds, is right up to a factor of sqrt(2) in the last epoch, which holds half of all
    /// rounds. It is too low in earlier epochs.
    ///
    /// ## Guarantee
    ///
    /// Assume that each arm has a fixed mean utility, and that the probability of a win is linear
    /// in the difference of two utilities. Then a player with regret c ln(T)^a gives a regret of
    /// order c ln(T)^(a+1). With `ucb1` it is of order H ln(T)^2, where H is the sum of 1 / gap
    /// over the arms. A player with regret of order sqrt(T) keeps that order.
    ///
    /// Nothing is proved if the probability of a win is not linear. The player is then paid against
    /// a mixture of opponents, as in a Borda score, and the arm that does best against a mixture
    /// need not beat each arm in it.
    ///
    /// With `ucb1` the share of duels that are not (best, best) goes to zero, like ln(T) / T within
    /// an epoch. Every epoch begins with exploration, however.
    ///
    /// ## Cost
    ///
    /// The cost of the player, plus O(1) for the left arm: an alias table, built in O(K) at the end
    /// of an epoch, draws it. O(K) memory. Two words of randomness for the left arm.
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Outcome, Stream, player::Ucb1, policy::{Doubler, Policy}};
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = Doubler::new(Ucb1::new(4, 2.0), &mut rng);
    /// for _ in 0..2000 {
    ///     let ticket = policy.decide(&mut rng);
    ///     // The lower index wins.
    ///     let score = (ticket.right.index() as f64 - ticket.left.index() as f64).clamp(-1.0, 1.0);
    ///     policy.update(&ticket, Outcome::new(score)?);
    /// }
    /// assert_eq!(policy.recommend().index(), 0);
    /// # Ok::<(), tiltyard_bandit::OutcomeError>(())
    /// ```
    ///
    /// ## Reference
    ///
    /// Ailon, Karnin and Joachims, *Reducing dueling bandits to cardinal bandits*, ICML 2014, PMLR
    /// 32(2):856-864; DOI `10.48550/arXiv.1405.3396`.
    pub struct Family;
}

const PLAYER: &str = "ucb1";

impl registry::Family for Family {
    const INFO: Info = Info {
        name: "doubler",
        class: "Doubler",
        title: "a classical player meets its own past",
        assumptions: &[Assumption::LinearUtilities, Assumption::Stationary],
        horizon: Some(
            "for the players exp3 (whose default gain bound uses T) and exp3s; not for the default player, ucb1",
        ),
        settles: Settles::Pair,
        minimises: Goal::Bandit,
        binary: false,
        version: 1,
        cost: "that of the player: O(K) for ucb1, thompson and tsallis, O(log K) for the others",
        forms: &[],
        curves: &[Curve::new([7, 7, 1])],
        reference: sparring::REFERENCE,
        params: PARAMS,
        page: PAGE,
    };

    fn build<V: Visitor>(
        params: Params<'_>,
        rng: &mut dyn Rng,
        built: Built<V>,
    ) -> Result<V::Output, ParamError> {
        player::build(params, PLAYER, &[], BuildWith { rng, built })
    }
}

/// A player against its own past; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "P: Player", try_from = "Saved<P>")]
pub struct Doubler<P> {
    player: P,
    /// The player of the previous epoch, as it ended; a fresh player in the first epoch.
    last: P,
    /// L: the right arms of the previous epoch.
    past: AliasTable,
    /// How often each arm was on the right in this epoch.
    right: Vec<u64>,
    /// Duels issued.
    round: u64,
}

/// The serialized form of [`Doubler`].
#[derive(Deserialize)]
#[serde(bound = "P: Player")]
struct Saved<P> {
    player: P,
    last: P,
    past: AliasTable,
    right: Vec<u64>,
    round: u64,
}

impl<P: Player> TryFrom<Saved<P>> for Doubler<P> {
    type Error = Damaged;

    fn try_from(saved: Saved<P>) -> Result<Self, Damaged> {
        let Saved { player, last, past, right, round } = saved;
        let n_arms = past.n_arms();
        if player.n_arms() != n_arms || last.n_arms() != n_arms || right.len() != n_arms {
            return Err(Damaged("the players and the multisets have different arms"));
        }
        if round > LAST_ROUND {
            return Err(Damaged("the round is out of range"));
        }
        let policy = Self { player, last, past, right, round };
        let played = policy.right.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
        if policy.past.total() != policy.length() / 2 || played != Some(policy.position()) {
            return Err(Damaged("the multisets do not fit the round"));
        }
        Ok(policy)
    }
}

impl<P: Player> Doubler<P> {
    /// Starts with a fresh player. The first opponent is one arm drawn from `rng`.
    pub fn new<R: Rng + ?Sized>(player: P, rng: &mut R) -> Self {
        let n_arms = player.n_arms();
        let past = AliasTable::single(n_arms, Arm::new(rng.random_range(0..n_arms)));
        Self { last: player.clone(), player, past, right: vec![0; n_arms], round: 0 }
    }

    /// The epoch of the next duel, counted from 1. The epochs before it hold 2 + 4 + ... +
    /// 2^(i-1) = 2^i - 2 duels.
    fn epoch(&self) -> u32 {
        (self.round + 2).ilog2()
    }

    /// The number of duels in this epoch.
    fn length(&self) -> u64 {
        1 << self.epoch()
    }

    /// The number of duels of this epoch issued so far.
    fn position(&self) -> u64 {
        self.round + 2 - self.length()
    }

    /// The player's pull in this duel, unless the epoch of the ticket is over.
    fn pull(&self, ticket: &Ticket) -> Option<Pull> {
        (ticket.epoch == self.epoch()).then(|| Pull::pair_of(ticket).1)
    }
}

impl<P: Player> Policy for Doubler<P> {
    fn info(&self) -> &'static Info {
        &<Family as registry::Family>::INFO
    }

    fn propensity(&self) -> Propensity {
        if P::INFO.known_probability { Propensity::Slots } else { Propensity::Unknown }
    }

    fn n_arms(&self) -> usize {
        self.right.len()
    }

    fn round(&self) -> u64 {
        self.round
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket {
        let left = self.past.draw(rng);
        let right = self.player.propose(rng);
        let draw = match right.probability {
            Some(p) => Draw::Slots { left: self.past.share(left), right: p, z: 1.0 },
            None => Draw::Unknown,
        };
        Ticket { round: self.round + 1, left, right: right.arm, rate: right.rate, epoch: self.epoch(), draw }
    }

    #[inline]
    fn issue(&mut self, ticket: &Ticket) {
        if let Some(pull) = self.pull(ticket) {
            self.player.issue(&pull);
        }
        self.right[ticket.right.index()] += 1;
        let epoch = self.epoch();
        self.round += 1;
        if self.epoch() != epoch {
            self.past.swap(&mut self.right);
            self.right.fill(0);
            mem::swap(&mut self.player, &mut self.last);
            self.player.reset();
        }
    }

    #[inline]
    fn update(&mut self, ticket: &Ticket, outcome: Outcome) {
        if let Some(pull) = self.pull(ticket) {
            self.player.update(&pull, outcome.flipped().reward());
        }
    }

    fn void(&mut self, ticket: &Ticket) {
        if let Some(pull) = self.pull(ticket) {
            self.player.void(&pull);
        }
    }

    fn lessons(&self) -> Lessons {
        Lessons::Refused(Refusal::OwnPlay)
    }

    fn probabilities(&self) -> Option<Vec<f64>> {
        let past: Vec<f64> = Arm::all(self.n_arms()).map(|arm| self.past.share(arm)).collect();
        Some(either_slot(past, &self.player.probabilities()?))
    }

    fn recommend(&self) -> Arm {
        // From the middle of an epoch on, its player has seen at least as many duels as the
        // previous player.
        let judge = if 2 * self.position() >= self.length() { &self.player } else { &self.last };
        first_best(Arm::all(self.n_arms()), |arm| judge.standing(arm))
    }
}

struct BuildWith<'a, V> {
    rng: &'a mut dyn Rng,
    built: Built<V>,
}

impl<V: Visitor> PlayerVisitor for BuildWith<'_, V> {
    type Output = V::Output;

    fn visit<P: Player>(self, params: Params<'_>, player: P) -> Result<V::Output, ParamError> {
        self.built.finish(params, Doubler::new(player, self.rng))
    }
}
