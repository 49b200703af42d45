//! MultiSBM; [`Family`] has its page.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::limits::{LAST_ROUND, MOST_ARMS, check_table};
use super::registry::{self, Built, Visitor};
use super::{
    Assumption, Curve, Goal, Info, Lessons, Policy, Propensity, Refusal, Settles, either_slot, sparring,
};
use crate::argmax::first_best;
use crate::damaged::Damaged;
use crate::params::{ParamError, Params};
use crate::player::{self, Player, PlayerVisitor, Pull};
use crate::ticket::Draw;
use crate::{Arm, Outcome, Ticket};

declare! {
    /// # MultiSBM: a player for every opponent
    ///
    /// ## Idea
    ///
    /// MultiSBM gives each arm its own classical bandit algorithm, which learns the best answer to
    /// that arm.
    ///
    /// Such a classical algorithm is called a *player*. Whenever an arm is in the left slot, its
    /// player chooses the right arm. The right arm then becomes the left arm of the next duel. Each
    /// player thus always faces the same opponent, so its rewards follow a fixed distribution. The
    /// chain of answers leads from any arm to better and better arms. In the end it stays at the
    /// best arm, because the best arm's player answers with the best arm.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// S_1, ..., S_K players; the first left arm is drawn uniformly
    /// decide:  left = the right arm of the previous decision, right = the arm that S_left pulls
    /// update:  S_left receives the reward (1 - s) / 2, also when left = right
    /// ```
    ///
    /// The chain follows decisions, not outcomes, so outcomes may arrive late. Each player counts
    /// time by its own pulls, not by all duels. `recommend` returns the arm that was in the left
    /// slot of the most duels learned from. If several arms tie, it returns the one with the
    /// highest sum of scores.
    ///
    /// ## Parameters
    ///
    parameters = &player::params(player::choice(PLAYER, "the algorithm of all players"), DEFAULTS);
    ///
    /// The players must be robust: even after an unlucky start, a player must soon pull bad arms
    /// rarely. The paper proves this for the index mean + sqrt((a + 2) ln t / (2 n)), which is the
    /// index of `ucb1` with alpha = (a + 2) / 2. The paper uses a = 3, which gives the default
    /// alpha of 2.5. The default gamma of `exp3` is computed for T pulls, though most players pull
    /// far fewer times. Its schedules without horizon follow each player's own clock.
    ///
    /// ## Guarantee
    ///
    /// Assume that each arm has a fixed mean utility, that the probability of a win is linear in
    /// the difference of the utilities, and that the player is `ucb1` with alpha of 2.5 or more.
    /// Then the regret is of order H ln T, plus a term in K that grows more slowly with T. H is the
    /// sum of 1 / gap over the arms. No bound is proved for the other players.
    ///
    /// ## Cost
    ///
    /// Per round, the cost of one player: O(K) for `ucb1`, `thompson` and `tsallis`, O(log K) for
    /// the others. The forms of `exp3` and `exp3ix` without horizon take O(K) per round until each
    /// player has made about a hundred pulls, because their rate falls fast at first and each of
    /// the K players goes through that phase. O(K^2) memory, about 20 K^2 bytes; more than 4096
    /// arms are refused. Each player has K arms to try, so nothing is learned well in fewer than
    /// about K^2 rounds.
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Outcome, Stream, player::Ucb1, policy::{MultiSbm, Policy}};
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = MultiSbm::new(Ucb1::new(4, 2.5), &mut rng)?;
    /// let first = policy.decide(&mut rng);
    /// let second = policy.decide(&mut rng);
    /// assert_eq!(first.right, second.left);
    /// policy.update(&second, Outcome::LOSS);
    /// policy.update(&first, Outcome::WIN);
    /// # Ok::<(), tiltyard_bandit::params::ParamError>(())
    /// ```
    ///
    /// ## Reference
    ///
    /// Ailon, Karnin and Joachims, *Reducing dueling bandits to cardinal bandits*, ICML 2014, PMLR
    /// 32(2):856-864; DOI `10.48550/arXiv.1405.3396`.
    pub struct Family;
}

const PLAYER: &str = "ucb1";

/// (a + 2) / 2 for the paper's a = 3.
const DEFAULTS: &[player::Default] = &[("alpha", "2.5")];

impl registry::Family for Family {
    const INFO: Info = Info {
        name: "multisbm",
        class: "MultiSbm",
        title: "a classical player for every opponent",
        assumptions: &[Assumption::LinearUtilities, Assumption::Stationary],
        horizon: Some(
            "for the player exp3, unless its gain bound does not use T, and for exp3s; not for the default player, ucb1",
        ),
        settles: Settles::Pair,
        minimises: Goal::Bandit,
        binary: false,
        version: 1,
        cost: "one player's: O(K) for ucb1, thompson and tsallis, O(log K) for the others; O(K^2) memory",
        forms: &[],
        curves: &[Curve::new([9, 8, 2])],
        reference: sparring::REFERENCE,
        params: PARAMS,
        page: PAGE,
    };

    fn build<V: Visitor>(
        params: Params<'_>,
        rng: &mut dyn Rng,
        built: Built<V>,
    ) -> Result<V::Output, ParamError> {
        player::build(params, PLAYER, DEFAULTS, BuildWith { rng, built })
    }
}

/// A player for each left arm; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "P: Player", try_from = "Saved<P>")]
pub struct MultiSbm<P> {
    /// One per arm: the player that chooses the right arm when that arm is left.
    players: Vec<P>,
    /// The left arm of the next duel.
    left: Arm,
    /// For each arm, the number of duels learned from in which it was left.
    met: Vec<u64>,
    /// The sum of each arm's scores, in either slot, over the duels learned from.
    scores: Vec<f64>,
    /// Duels issued.
    round: u64,
}

/// The serialized form of [`MultiSbm`].
#[derive(Deserialize)]
#[serde(bound = "P: Player")]
struct Saved<P> {
    players: Vec<P>,
    left: Arm,
    met: Vec<u64>,
    scores: Vec<f64>,
    round: u64,
}

impl<P: Player> TryFrom<Saved<P>> for MultiSbm<P> {
    type Error = Damaged;

    fn try_from(saved: Saved<P>) -> Result<Self, Damaged> {
        let Saved { players, left, met, scores, round } = saved;
        let n_arms = players.len();
        let square = players.iter().all(|player| player.n_arms() == n_arms);
        if n_arms == 0 || !square || met.len() != n_arms || scores.len() != n_arms {
            return Err(Damaged("the players, counts or scores do not fit the number of arms"));
        }
        if left.index() >= n_arms || scores.iter().any(|score| !score.is_finite()) {
            return Err(Damaged("the next left arm does not exist, or a score is not a number"));
        }
        if met.iter().any(|&met| met > LAST_ROUND) || round > LAST_ROUND {
            return Err(Damaged("more rounds than can be played"));
        }
        Ok(Self { players, left, met, scores, round })
    }
}

impl<P: Player> MultiSbm<P> {
    /// Gives every arm a copy of this fresh player, and draws the first left arm.
    ///
    /// # Errors
    ///
    /// If there are more than 4096 arms: the memory grows with the square of their number.
    pub fn new<R: Rng + ?Sized>(player: P, rng: &mut R) -> Result<Self, ParamError> {
        let n_arms = player.n_arms();
        check_table(<Family as registry::Family>::INFO.name, n_arms, MOST_ARMS)?;
        Ok(Self {
            players: vec![player; n_arms],
            left: Arm::new(rng.random_range(0..n_arms)),
            met: vec![0; n_arms],
            scores: vec![0.0; n_arms],
            round: 0,
        })
    }

    /// The player of the ticket's left arm, and its pull: the ticket's right arm.
    fn pull(&mut self, ticket: &Ticket) -> (&mut P, Pull) {
        (&mut self.players[ticket.left.index()], Pull::pair_of(ticket).1)
    }
}

impl<P: Player> Policy for MultiSbm<P> {
    fn info(&self) -> &'static Info {
        &<Family as registry::Family>::INFO
    }

    fn propensity(&self) -> Propensity {
        if P::INFO.known_probability { Propensity::Slots } else { Propensity::Unknown }
    }

    fn n_arms(&self) -> usize {
        self.players.len()
    }

    fn round(&self) -> u64 {
        self.round
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket {
        let right = self.players[self.left.index()].propose(rng);
        let draw = match right.probability {
            Some(p) => Draw::Slots { left: 1.0, right: p, z: 1.0 },
            None => Draw::Unknown,
        };
        Ticket { round: self.round + 1, left: self.left, right: right.arm, rate: right.rate, epoch: 0, draw }
    }

    #[inline]
    fn issue(&mut self, ticket: &Ticket) {
        let (player, pull) = self.pull(ticket);
        player.issue(&pull);
        self.left = ticket.right;
        self.round += 1;
    }

    #[inline]
    fn update(&mut self, ticket: &Ticket, outcome: Outcome) {
        let (player, pull) = self.pull(ticket);
        player.update(&pull, outcome.flipped().reward());
        self.met[ticket.left.index()] += 1;
        self.scores[ticket.left.index()] += outcome.score();
        self.scores[ticket.right.index()] -= outcome.score();
    }

    fn void(&mut self, ticket: &Ticket) {
        let (player, pull) = self.pull(ticket);
        player.void(&pull);
    }

    fn lessons(&self) -> Lessons {
        Lessons::Refused(Refusal::OwnPlay)
    }

    fn probabilities(&self) -> Option<Vec<f64>> {
        let mut left = vec![0.0; self.n_arms()];
        left[self.left.index()] = 1.0;
        Some(either_slot(left, &self.players[self.left.index()].probabilities()?))
    }

    fn recommend(&self) -> Arm {
        first_best(Arm::all(self.n_arms()), |arm| (self.met[arm.index()], self.scores[arm.index()]))
    }
}

struct BuildWith<'a, V> {
    rng: &'a mut dyn Rng,
    built: Built<V>,
}

impl<V: Visitor> PlayerVisitor for BuildWith<'_, V> {
    type Output = V::Output;

    fn visit<P: Player>(self, params: Params<'_>, player: P) -> Result<V::Output, ParamError> {
        let policy = MultiSbm::new(player, self.rng)?;
        self.built.finish(params, policy)
    }
}
