//! Sparring; [`Family`] has its page.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::registry::{self, Built, Visitor};
use super::{
    Additive, Assumption, Citation, Curve, Goal, Info, Lessons, Policy, Propensity, Refusal, Settles,
    either_slot,
};
use crate::argmax::first_best;
use crate::damaged::Damaged;
use crate::params::{ParamError, Params};
use crate::player::{self, Player, PlayerVisitor, Pull};
use crate::ticket::Draw;
use crate::{Arm, Outcome, Ticket};

declare! {
    /// # Sparring: two classical players against each other
    ///
    /// ## Idea
    ///
    /// Sparring lets two classical bandit algorithms play against each other: one chooses the left
    /// arm, the other the right arm.
    ///
    /// The player whose arm wins receives a reward of 1 and the other 0; a tie gives 1/2 to both.
    /// Each player faces an opponent that gets better, and both end up with the best arm.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// decide:  left = the arm that player 1 pulls, right = the arm that player 2 pulls,
    ///          independently
    /// update:  player 1 receives the reward (1 + s) / 2, player 2 (1 - s) / 2,
    ///          also when left = right
    /// ```
    ///
    /// ## Parameters
    ///
    parameters = &player::params(player::choice("exp3", "the algorithm of both players"), &[]);
    ///
    /// The paper does not state EXP3's gain bound. The default is T/2, half the number of rounds,
    /// which is what a player earns against an equal opponent. This default does better than T.
    ///
    /// ## Guarantee
    ///
    /// The regret depends on the player:
    ///
    /// - `exp3`: order sqrt(T K ln K) against oblivious utilities. The authors claim this, and it
    ///   follows from the reduction of Saha and Gaillard (2022), who show that the Condorcet regret
    ///   is the mean of the two players' own regrets.
    /// - `tsallis`: order sqrt(T K), and H ln T if preferences do not change (this is the policy
    ///   `vdb` with `form=players`).
    /// - `exp3ix`: order sqrt(T K ln K) with high probability.
    /// - `exp3s`: order sqrt(S T K ln(K T)) against the best arm of each of S stretches of time
    ///   (DEX3.S, of Saha and Gupta 2022, has this structure; its own constants could not be
    ///   checked).
    /// - `ucb1` and `thompson`: no bound is proved, because each player's rewards change with its
    ///   opponent.
    ///
    /// ## Cost
    ///
    /// Per round, twice the cost of one player: O(log K) for `exp3`, `exp3ix` and `exp3s`, O(K) for
    /// `ucb1`, `thompson` and `tsallis`.
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Outcome, Stream, player::Thompson, policy::{Policy, Sparring}};
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = Sparring::new(Thompson::new(4), Thompson::new(4));
    /// let ticket = policy.decide(&mut rng);
    /// policy.update(&ticket, Outcome::LOSS);
    /// ```
    ///
    /// ## Reference
    ///
    /// Ailon, Karnin and Joachims, *Reducing dueling bandits to cardinal bandits*, ICML 2014, PMLR
    /// 32(2):856-864; DOI `10.48550/arXiv.1405.3396`.
    pub struct Family;
}

impl registry::Family for Family {
    const INFO: Info = Info {
        name: "sparring",
        class: "Sparring",
        title: "two classical players against each other",
        assumptions: &[Assumption::Utilities],
        horizon: Some("for the player exp3, unless its gain bound does not use T, and for exp3s"),
        settles: Settles::Sqrt,
        minimises: Goal::Bandit,
        binary: false,
        version: 1,
        cost: "twice one player's: O(log K) for exp3, exp3ix and exp3s, O(K) for ucb1, thompson and tsallis",
        forms: &["player=ucb1", "player=thompson", "player=tsallis", "player=exp3ix", "player=exp3s"],
        curves: &[
            Curve::new([1, 2, 0]),
            Curve::given("player=ucb1", [4, 7, 2]),
            Curve::given("player=thompson", [8, 8, 1]),
            Curve::given("player=tsallis", [7, 9, 2]),
            Curve::given("player=exp3ix", [1, 6, 1]),
            Curve::given("player=exp3s", [1, 9, 2]),
        ],
        reference: REFERENCE,
        params: PARAMS,
        page: PAGE,
    };

    fn build<V: Visitor>(
        params: Params<'_>,
        _: &mut dyn Rng,
        built: Built<V>,
    ) -> Result<V::Output, ParamError> {
        player::build(params, "exp3", &[], BuildWith(built))
    }
}

/// Two players of one kind; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "P: Player", try_from = "Saved<P>")]
pub struct Sparring<P> {
    left: P,
    right: P,
    round: u64,
}

#[derive(Deserialize)]
#[serde(bound = "P: Player")]
struct Saved<P> {
    left: P,
    right: P,
    round: u64,
}

impl<P: Player> TryFrom<Saved<P>> for Sparring<P> {
    type Error = Damaged;

    fn try_from(Saved { left, right, round }: Saved<P>) -> Result<Self, Damaged> {
        if left.n_arms() != right.n_arms() {
            return Err(Damaged("the two players have different arms"));
        }
        Ok(Self { left, right, round })
    }
}

impl<P: Player> Sparring<P> {
    /// Combines two players with equal parameters.
    ///
    /// # Panics
    ///
    /// If they do not have the same number of arms.
    pub fn new(left: P, right: P) -> Self {
        assert_eq!(left.n_arms(), right.n_arms(), "both players need the same arms");
        Self { left, right, round: 0 }
    }
}

impl<P: Player> Policy for Sparring<P> {
    fn info(&self) -> &'static Info {
        &<Family as registry::Family>::INFO
    }

    fn propensity(&self) -> Propensity {
        if P::INFO.known_probability { Propensity::Slots } else { Propensity::Unknown }
    }

    fn n_arms(&self) -> usize {
        self.left.n_arms()
    }

    fn round(&self) -> u64 {
        self.round
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket {
        let left = self.left.propose(rng);
        let right = self.right.propose(rng);
        let draw = match (left.probability, right.probability) {
            (Some(left), Some(right)) => Draw::Slots { left, right, z: 1.0 },
            _ => Draw::Unknown,
        };
        // Both players have the same parameters and the same clock, so one rate holds for both.
        Ticket { round: self.round + 1, left: left.arm, right: right.arm, rate: left.rate, epoch: 0, draw }
    }

    #[inline]
    fn issue(&mut self, ticket: &Ticket) {
        let (left, right) = Pull::pair_of(ticket);
        self.round += 1;
        self.left.issue(&left);
        self.right.issue(&right);
    }

    #[inline]
    fn update(&mut self, ticket: &Ticket, outcome: Outcome) {
        let (left, right) = Pull::pair_of(ticket);
        self.left.update(&left, outcome.reward());
        self.right.update(&right, outcome.flipped().reward());
    }

    fn void(&mut self, ticket: &Ticket) {
        let (left, right) = Pull::pair_of(ticket);
        self.left.void(&left);
        self.right.void(&right);
    }

    fn lessons(&self) -> Lessons {
        Lessons::Refused(Refusal::OwnPlay)
    }

    fn recommend(&self) -> Arm {
        let standing = |arm| self.left.standing(arm) + self.right.standing(arm);
        first_best(Arm::all(self.n_arms()), standing)
    }

    fn probabilities(&self) -> Option<Vec<f64>> {
        Some(either_slot(self.left.probabilities()?, &self.right.probabilities()?))
    }

    fn additive(&mut self) -> Option<&mut dyn Additive> {
        // If the players are additive, so is Sparring.
        if self.left.additive().is_some() { Some(self) } else { None }
    }
}

const SUMS: &str = "`additive` offers this only for additive players";

impl<P: Player> Additive for Sparring<P> {
    fn sums(&self) -> Vec<f64> {
        [&self.left, &self.right].map(|player| player.additive().expect(SUMS).sums()).concat()
    }

    fn add(&mut self, increments: &[f64]) {
        let (left, right) = increments.split_at(increments.len() / 2);
        self.left.additive_mut().expect(SUMS).add(left);
        self.right.additive_mut().expect(SUMS).add(right);
    }

    fn take_back(&mut self, ticket: &Ticket, outcome: Outcome) {
        let (left, right) = Pull::pair_of(ticket);
        self.left.additive_mut().expect(SUMS).take_back(&left, outcome.reward());
        self.right.additive_mut().expect(SUMS).take_back(&right, outcome.flipped().reward());
    }
}

/// The paper that introduced Sparring, Doubler and `MultiSBM`.
pub(super) const REFERENCE: Citation = Citation {
    authors: "Ailon, Karnin and Joachims",
    title: "Reducing dueling bandits to cardinal bandits",
    venue: "ICML, PMLR 32(2):856-864",
    year: 2014,
    doi: "doi:10.48550/arXiv.1405.3396",
};

struct BuildWith<V>(Built<V>);

impl<V: Visitor> PlayerVisitor for BuildWith<V> {
    type Output = V::Output;

    fn visit<P: Player>(self, params: Params<'_>, player: P) -> Result<V::Output, ParamError> {
        self.0.finish(params, Sparring::new(player.clone(), player))
    }
}
