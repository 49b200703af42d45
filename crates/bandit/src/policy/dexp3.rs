//! D-EXP3; [`Family`] has its page.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::limits::LAST_ROUND;
use super::{
    Additive, Citation, Curve, Distinct, Goal, Info, Lessons, NoLesson, Policy, Propensity, Settles, lesson,
    registry,
};
use crate::damaged::Damaged;
use crate::params::{ParamError, Params};
use crate::structures::weights::exp_weights::ExpWeights;
use crate::ticket::Draw;
use crate::{Arm, Outcome, Ticket};

declare! {
    /// # D-EXP3: exponential weights for Borda scores
    ///
    /// ## Idea
    ///
    /// D-EXP3 looks for the Borda winner: the arm that would have won most often against an
    /// opponent drawn uniformly.
    ///
    /// It makes no assumption about preferences, which may change in any way from round to round.
    /// Each arm has a weight that grows exponentially with its estimated score. Both slots are
    /// drawn from these weights, mixed with uniform exploration, so the probability of every pair
    /// is known. Dividing a win by this probability gives an unbiased estimate of the left arm's
    /// Borda score, and the estimate raises the arm's weight.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// q_i      = (1 - gamma) exp(eta s_i) / sum_j exp(eta s_j) + gamma / K
    /// decide:  left, right independent from q
    /// update:  s_left += reward / (K q_left q_right); nothing if left = right
    ///          reward = 1 for a win, 1/2 for a tie, 0 for a loss
    /// fixed:   eta = (ln K / (T sqrt K))^(2/3), gamma = min(1, sqrt(eta K))
    /// ```
    ///
    /// Only the left arm's score changes.
    ///
    /// If an arm meets itself, the paper learns from a fair coin. In expectation the coin adds the
    /// same 1/(2K) to the score of each arm, and it adds noise. Here nothing is learned from such a
    /// duel. s_i therefore estimates the sum over j != i of P_ij / K, which differs from the
    /// paper's quantity by the same constant for all arms.
    ///
    /// If duels of an arm with itself are excluded, the probability of the pair is q_left q_right /
    /// z with z = 1 - sum q^2. The estimate divides by that probability and estimates the same
    /// quantity.
    ///
    /// `schedule=anytime` uses the round t instead of T. It keeps the rates until they have fallen
    /// by 1 %, and then recomputes all weights from the sums s. The learning rate never rises, so
    /// the proof for the fixed rates carries over. The sum of t^(-1/3) over the rounds makes the
    /// bound at most 3/2 as large.
    ///
    /// ## Parameters
    ///
    parameters {
        /// whether eta and gamma follow from the horizon T (`fixed`) or from the round (`anytime`)
        SCHEDULE: choice("schedule", bool: "fixed" = true, "anytime" = false);
    }
    ///
    /// ## Guarantee
    ///
    /// For any sequence of preference matrices, the Borda regret is of order (K ln K)^(1/3)
    /// T^(2/3), and no algorithm does better than K^(1/3) T^(2/3) (Saha, Koren and Mansour 2021).
    ///
    /// For the rates above, and for scores that divide the sum of winning probabilities by K, the
    /// proof gives at most 5/2 (K ln K)^(1/3) T^(2/3) plus terms of lower order. The constant 5/2
    /// comes from three terms: ln K / eta for the weights, eta K T / (2 gamma) for the variance,
    /// and gamma T for exploration. The slow tests check this bound and the exponent 2/3.
    ///
    /// Do not measure D-EXP3 by Condorcet regret if the Borda winner is not the Condorcet winner:
    /// on `bvs20` it leaves the Condorcet winner by design.
    ///
    /// ## Cost
    ///
    /// O(log K) per round and O(K) memory. Two or four words of randomness per round.
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Outcome, Stream, policy::{DExp3, Policy, dexp3::Schedule}};
    ///
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = DExp3::new(4, Schedule::Fixed { horizon: 5000 })?;
    /// for _ in 0..5000 {
    ///     let ticket = policy.decide(&mut rng);
    ///     // The lower index wins.
    ///     policy.update(&ticket, Outcome::won(ticket.left < ticket.right));
    /// }
    /// assert_eq!(policy.recommend().index(), 0);
    /// # Ok::<(), tiltyard_bandit::params::ParamError>(())
    /// ```
    ///
    /// ## Reference
    ///
    /// Saha, Koren and Mansour, *Adversarial dueling bandits*, ICML 2021, PMLR 139; DOI
    /// `10.48550/arXiv.2010.14563`.
    pub struct Family;

    Family {
        name: "dexp3",
        class: "DExp3",
        title: "exponential weights for Borda scores, however preferences change",
        assumptions: &[],
        horizon: Some("with the default schedule=fixed, which uses T"),
        settles: Settles::Sqrt,
        minimises: Goal::Borda,
        binary: false,
        version: 1,
        cost: "O(log K) per round, O(K) memory",
        forms: &[],
        curves: &[Curve::new([5, 7, 3])],
        reference: Citation {
            authors: "Saha, Koren and Mansour",
            title: "Adversarial dueling bandits",
            venue: "ICML, PMLR 139",
            year: 2021,
            doi: "doi:10.48550/arXiv.2010.14563",
        },
    } => |params, _| DExp3::new(params.context().n_arms, Schedule::read(params)?);
}

/// Exponential weights for Borda scores; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct DExp3 {
    schedule: Schedule,
    weights: ExpWeights,
    /// Duels issued.
    round: u64,
    /// The round to which `rates` belong.
    since: u64,
    rates: Rates,
    /// The first round with different rates.
    next_change: u64,
}

/// How the rates depend on time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// The same rates in all rounds, computed from the horizon.
    Fixed {
        /// T.
        horizon: u64,
    },
    /// The rates of each round are those of a horizon that ends with it.
    Anytime,
}

/// The rates of the next duel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// The learning rate.
    pub eta: f64,
    /// The probability of uniform exploration.
    pub gamma: f64,
}

impl Schedule {
    fn read(params: &mut Params<'_>) -> Result<Self, ParamError> {
        match (SCHEDULE.read(params)?, params.context().horizon) {
            (true, Some(horizon)) => Ok(Self::Fixed { horizon }),
            (true, None) => Err(params.needs_horizon(SCHEDULE.doc.key)),
            (false, _) => Ok(Self::Anytime),
        }
    }

    /// The rates of a round, counted from 1.
    pub fn rates(self, n_arms: usize, round: u64) -> Rates {
        // With one arm, ln K = 0 and there is nothing to learn, so the rates of two arms will do.
        let k = n_arms.max(2) as f64;
        let horizon = match self {
            Self::Fixed { horizon } => horizon,
            Self::Anytime => round,
        };
        let cube = libm::cbrt(libm::log(k) / (horizon as f64 * libm::sqrt(k)));
        let eta = cube * cube;
        Rates { eta, gamma: libm::sqrt(eta * k).min(1.0) }
    }

    /// The first round in which eta is at least 1 % lower than in round `since`: t^(2/3) has grown
    /// by a factor of 1 / 0.99.
    fn next_change(self, since: u64) -> u64 {
        match self {
            Self::Fixed { .. } => u64::MAX,
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "positive; saturates"
            )]
            Self::Anytime => libm::ceil(since as f64 * ONE_PERCENT) as u64,
        }
    }

    fn check(self, n_arms: usize) -> Result<(), ParamError> {
        if n_arms == 0 {
            return Err(ParamError::NoArms);
        }
        if self == (Self::Fixed { horizon: 0 }) {
            return Err(ParamError::NoRounds);
        }
        Ok(())
    }
}

/// 0.99^(-3/2).
const ONE_PERCENT: f64 = 1.015_189_712_383_042_5;

/// The smallest probability that an estimate divides by. Every logged probability is larger. A
/// forged ticket may have a smaller one, which must not make a score infinite.
const LEAST: f64 = 1e-100;

impl DExp3 {
    /// D-EXP3 over `n_arms` arms.
    ///
    /// # Errors
    ///
    /// If there are no arms or no rounds.
    pub fn new(n_arms: usize, schedule: Schedule) -> Result<Self, ParamError> {
        schedule.check(n_arms)?;
        let rates = schedule.rates(n_arms, 1);
        let weights = ExpWeights::new(n_arms, rates.eta);
        let next_change = schedule.next_change(1);
        Ok(Self { schedule, weights, round: 0, since: 1, rates, next_change })
    }

    /// eta and gamma of the next duel.
    pub fn rates(&self) -> Rates {
        self.rates
    }

    /// The estimated Borda score of each arm, summed over the rounds.
    pub fn scores(&self) -> &[f64] {
        self.weights.sums()
    }

    /// q of the next duel.
    pub fn distribution(&self) -> Vec<f64> {
        self.weights.probabilities(self.rates.gamma)
    }

    /// The amount that an outcome adds to the score of the left arm.
    #[inline]
    fn estimate(&self, ticket: &Ticket, outcome: Outcome) -> f64 {
        let Draw::Slots { left, right, z } = ticket.draw else {
            panic!("D-EXP3 cannot have made a ticket drawn as {:?}", ticket.draw);
        };
        if ticket.is_self_duel() {
            return 0.0;
        }
        let chance = (left * right / z).max(LEAST);
        outcome.reward() / (self.n_arms() as f64 * chance)
    }

    fn ticket(&self, (left, p): (Arm, f64), (right, q): (Arm, f64), z: f64) -> Ticket {
        let draw = Draw::Slots { left: p, right: q, z };
        Ticket { round: self.round + 1, left, right, rate: self.rates.eta, epoch: 0, draw }
    }
}

impl Policy for DExp3 {
    fn info(&self) -> &'static Info {
        &<Family as registry::Family>::INFO
    }

    fn propensity(&self) -> Propensity {
        Propensity::Slots
    }

    #[inline]
    fn n_arms(&self) -> usize {
        self.weights.len()
    }

    fn round(&self) -> u64 {
        self.round
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket {
        let mixture = self.weights.mixture(self.rates.gamma);
        let left = mixture.draw(rng);
        let right = mixture.draw(rng);
        self.ticket(left, right, 1.0)
    }

    #[inline]
    fn issue(&mut self, _: &Ticket) {
        self.round += 1;
        if self.round + 1 >= self.next_change {
            self.since = self.round + 1;
            self.rates = self.schedule.rates(self.n_arms(), self.since);
            self.next_change = self.schedule.next_change(self.since);
            self.weights.set_scale(self.rates.eta);
        }
    }

    #[inline]
    fn update(&mut self, ticket: &Ticket, outcome: Outcome) {
        let estimate = self.estimate(ticket, outcome);
        if estimate > 0.0 {
            self.weights.add(ticket.left, estimate);
        }
    }

    fn void(&mut self, _: &Ticket) {}

    fn lessons(&self) -> Lessons {
        Lessons::Weighted
    }

    /// The estimate divides by the probability of the pair, whatever drew it: s_left += reward / (K
    /// propensity).
    fn lesson(&self, left: Arm, right: Arm, propensity: Option<f64>) -> Result<Ticket, NoLesson> {
        let propensity = lesson::weighted(self, left, right, propensity)?;
        let mixture = self.weights.mixture(self.rates.gamma);
        let draw = lesson::slots(mixture.probability(left), mixture.probability(right), propensity);
        Ok(Ticket { round: Ticket::LESSON, left, right, rate: self.rates.eta, epoch: 0, draw })
    }

    fn recommend(&self) -> Arm {
        self.weights.best()
    }

    fn probabilities(&self) -> Option<Vec<f64>> {
        Some(self.distribution())
    }

    fn additive(&mut self) -> Option<&mut dyn Additive> {
        Some(self)
    }

    fn distinct(&self) -> Option<&dyn Distinct> {
        Some(self)
    }
}

impl Additive for DExp3 {
    fn sums(&self) -> Vec<f64> {
        self.weights.sums().to_vec()
    }

    fn add(&mut self, increments: &[f64]) {
        self.weights.add_all(increments);
    }

    fn take_back(&mut self, ticket: &Ticket, outcome: Outcome) {
        let estimate = self.estimate(ticket, outcome);
        if estimate > 0.0 {
            self.weights.add(ticket.left, -estimate);
        }
    }
}

impl Distinct for DExp3 {
    fn propose_distinct(&self, rng: &mut dyn Rng) -> Option<Ticket> {
        if self.n_arms() < 2 {
            return None;
        }
        let (left, right, z) = self.weights.mixture(self.rates.gamma).draw_unequal(rng);
        Some(self.ticket(left, right, z))
    }
}

/// The serialized form of [`DExp3`], without the fields that follow from the others.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Saved {
    schedule: Schedule,
    weights: ExpWeights,
    round: u64,
    since: u64,
}

impl From<DExp3> for Saved {
    fn from(policy: DExp3) -> Self {
        let DExp3 { schedule, weights, round, since, .. } = policy;
        Self { schedule, weights, round, since }
    }
}

impl TryFrom<Saved> for DExp3 {
    type Error = Damaged;

    fn try_from(Saved { schedule, weights, round, since }: Saved) -> Result<Self, Damaged> {
        let n_arms = weights.len();
        if schedule.check(n_arms).is_err() {
            return Err(Damaged("there are no arms or no rounds"));
        }
        let next_change = schedule.next_change(since);
        if round > LAST_ROUND || since == 0 || since > round + 1 || next_change <= round + 1 {
            return Err(Damaged("the rates do not fit the round"));
        }
        let rates = schedule.rates(n_arms, since);
        if weights.n_active() != n_arms || !weights.has_scale(rates.eta) {
            return Err(Damaged("the weights do not fit the rates"));
        }
        Ok(Self { schedule, weights, round, since, rates, next_change })
    }
}
