//! FeedExp3; [`Family`] has its page.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::limits::LAST_ROUND;
use super::{
    Additive, Assumption, Citation, Curve, Goal, Info, Lessons, NoLesson, Policy, Propensity, Settles,
    lesson, registry,
};
use crate::params::{ParamError, Params, Range};
use crate::partial_monitoring::{LinkSize, Rates, Reference, Schedule};
use crate::spec::suggest;
use crate::structures::weights::pair_weights::PairWeights;
use crate::ticket::Draw;
use crate::{Arm, Outcome, Ticket};

declare! {
    /// # FeedExp3: dueling bandits as a game with partial monitoring
    ///
    /// ## Idea
    ///
    /// FeedExp3 treats dueling bandits as a game of partial monitoring: a game in which the player
    /// never sees its loss, only some feedback about it.
    ///
    /// The game has N = K (K + 1) / 2 actions: the unordered pairs of arms. The loss of an action
    /// is minus the mean of its two utilities, and is never seen. Its feedback is the difference of
    /// the two utilities, and is seen. A *link* says how to estimate the loss of every action,
    /// relative to the loss of a reference, from the feedback of one action. FeedExp3 weighs the
    /// actions exponentially by their estimated losses, and explores all of them uniformly. This is
    /// the general method for such games. REX3 improves on it in two ways: its reference is its own
    /// play, and it explores K arms instead of N pairs.
    ///
    /// The estimated loss of an action is minus the mean of the scores of its two arms. K scores
    /// therefore determine all N weights, and the policy needs no matrix. The module
    /// `partial_monitoring` of the library has the same algorithm with its matrices written out,
    /// for up to 8 arms.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// v_i = exp(eta s_i / 2)       s_i = 0 at first      V1 = sum_i v_i     V2 = sum_i v_i^2
    /// p_ab = (1 - gamma) 2 v_a v_b / (V1^2 + V2) + gamma / N   for each unordered pair, also a = b
    /// decide:  with probability gamma, one of the N pairs, uniform
    ///          else with probability V1^2 / (V1^2 + V2), two arms drawn independently from v
    ///          else one arm drawn from v^2, for both slots
    /// update:  s_left += h / (K p),  s_right -= h / (K p); nothing if left = right
    ///          h = the outcome, positive if the left arm is better
    /// ```
    ///
    /// With `reference=r`, where r is an arm, only duels with r teach: s_left += h / p if r is on
    /// the right, s_right -= h / p if r is on the left.
    ///
    /// Both orders of two different arms are equally likely. A ticket holds the probability of
    /// the *ordered* pair, as all tickets do: p / 2 for different arms, p for a duel of an arm with
    /// itself. For different arms, `update` doubles it again.
    ///
    /// The policy keeps the scores, so a lower eta re-weighs the whole past. Let k be the largest
    /// entry of the link: 1/K, or 1 for a fixed arm. The **schedule** is one of:
    ///
    /// ```text
    /// anytime:  gamma_t = min(1, (B ln N / t)^(1/3))   eta_t = ((ln N)^2 / (B t^2))^(1/3)
    ///           B = (e - 2) (k* N)^2,  k* = max(1, k) = 1
    /// link:     the same with B = k N and eta_t at most 1 / B
    /// fixed:    gamma = min(1, (N^2 ln N / T)^(1/4))   eta = min(1, sqrt(ln N / T))
    /// ```
    ///
    /// `anytime` is the published schedule. It allows for any game with N actions, so gamma stays
    /// at 1 (uniform play) for 0.72 N^2 ln N rounds: 964 for K = 6, nearly a million for K = 30,
    /// over half a billion for K = 136. `link` uses what is known about the link of this game. Its
    /// gamma falls below 1 after k N ln N rounds: 11, 95 and 626.
    ///
    /// ## Parameters
    ///
    parameters {
        /// how eta and gamma depend on time; `fixed` needs T
        SCHEDULE: choice("schedule", &str: "anytime" = "anytime", "fixed" = "fixed", "link" = "link");
        /// reference against which losses are measured
        REFERENCE: text("reference" = "uniform", "uniform, or an arm from 0 to K - 1");
    }
    ///
    /// The uniform reference treats all arms alike, and every duel of two different arms teaches. A
    /// fixed arm is available for comparison. What the policy learns then depends on which arm it
    /// is.
    ///
    /// ## Guarantee
    ///
    /// For utilities in [0, 1] chosen by an oblivious adversary, with N of order K^2:
    ///
    /// - `anytime` has regret of order (N^2 ln N)^(1/3) T^(2/3) (Cesa-Bianchi, Lugosi and Stoltz),
    /// - `fixed` has regret of order N^(1/2) (ln N)^(1/4) T^(3/4) (Piccolboni and Schindelhauer).
    ///
    /// Neither is of order sqrt(T), although this game allows it. The entry `sqrt` among the facts
    /// only says that the policy keeps exploring; the exponent is 2/3, or 3/4 for `fixed`.
    ///
    /// The following bound was re-derived for this page. It holds for any non-increasing eta_t and
    /// h in [-1, 1]. q is the largest sum of squares in a row of the link: (K - 1) / K^2, or 1 for
    /// a fixed arm.
    ///
    /// ```text
    /// regret <= ln N / eta_T + sum_t (e - 2) q N eta_t / gamma_t + sum_t gamma_t
    ///           where eta_t k N / gamma_t <= 1 in every round
    /// ```
    ///
    /// Proof: an estimate has second moment sum_I k(i, I)^2 h^2 / p_I <= q N / gamma and is never
    /// above k N / gamma. Exponential weights with a falling rate give the first two terms, because
    /// (1 / eta) ln(mean of exp(-eta l)) never rises as eta falls. Exploring costs at most 1 per
    /// round of exploration.
    ///
    /// `link` satisfies the condition by construction, and its regret is at most 4 (B ln N)^(1/3)
    /// T^(2/3). `anytime` satisfies it once gamma is below 1. While gamma is 1, the range of the
    /// estimates (Hoeffding) gives a second term of (1/2) (k N)^2 eta_t, which is less than B
    /// eta_t. The regret of `anytime` is therefore at most 4 (B ln N)^(1/3) T^(2/3) + B ln N.
    ///
    /// The policy keeps the rates until eta has fallen by 1 %. Such an eta is non-increasing too,
    /// and no term grows by more than 1 %.
    ///
    /// ## Cost
    ///
    /// O(log K) per round: two trees of sums, one for v and one for v^2. When eta has fallen by
    /// 1 %, all weights are recomputed: about 66 ln T times O(K) in total. O(K) memory. One or
    /// three words of randomness per round.
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Outcome, Stream, policy::{FeedExp3, Policy}};
    ///
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = FeedExp3::new(5);
    /// for _ in 0..2000 {
    ///     let ticket = policy.decide(&mut rng);
    ///     // Arm 3 wins all its duels, the others tie.
    ///     let wins = |arm: tiltyard_bandit::Arm| f64::from(u8::from(arm.index() == 3));
    ///     policy.update(&ticket, Outcome::new(wins(ticket.left) - wins(ticket.right))?);
    /// }
    /// assert_eq!(policy.recommend().index(), 3);
    /// # Ok::<(), tiltyard_bandit::OutcomeError>(())
    /// ```
    ///
    /// ## Reference
    ///
    /// Cesa-Bianchi, Lugosi and Stoltz, *Regret minimization under partial monitoring*, Mathematics
    /// of Operations Research 31(3), 2006, DOI `10.1287/moor.1060.0206`, after Piccolboni and
    /// Schindelhauer, *Discrete prediction games with arbitrary feedback and loss*, COLT 2001, DOI
    /// `10.1007/3-540-44581-1_14`.
    pub struct Family;

    Family {
        name: "feedexp3",
        class: "FeedExp3",
        title: "exponential weights over pairs, the general method of partial monitoring",
        assumptions: &[Assumption::Utilities],
        horizon: Some("with schedule=fixed only, which uses T"),
        settles: Settles::Sqrt,
        minimises: Goal::Bandit,
        binary: false,
        version: 1,
        cost: "O(log K) per round, O(K) memory",
        forms: &["schedule=link"],
        curves: &[Curve::new([9, 9, 1])],
        reference: Citation {
            authors: "Cesa-Bianchi, Lugosi and Stoltz",
            title: "Regret minimization under partial monitoring",
            venue: "Mathematics of Operations Research 31(3)",
            year: 2006,
            doi: "doi:10.1287/moor.1060.0206",
        },
    } => |params, _| {
        let (schedule, reference) = (read_schedule(params)?, read_reference(params)?);
        FeedExp3::with(params.context().n_arms, schedule, reference)
    };
}

/// The general method of partial monitoring, applied to duels; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct FeedExp3 {
    schedule: Schedule,
    reference: Reference,
    weights: PairWeights,
    /// Duels issued.
    round: u64,
    /// The round to which `rates` belong.
    since: u64,
    rates: Rates,
    /// The first round with different rates.
    next_change: u64,
}

/// The serialized form of [`FeedExp3`], without the fields that follow from the others.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Saved {
    schedule: Schedule,
    reference: Reference,
    arms: usize,
    sums: Vec<f64>,
    /// The log-weight that counts as weight 1.
    level: f64,
    round: u64,
    since: u64,
}

/// The smallest probability that an estimate divides by. Every logged probability is larger. A
/// forged ticket may have a smaller one, which must not make a score infinite.
const LEAST: f64 = 1e-100;

impl FeedExp3 {
    /// FeedExp3 over `n_arms` arms, with the anytime schedule and the uniform reference.
    ///
    /// # Panics
    ///
    /// If `n_arms` is 0.
    pub fn new(n_arms: usize) -> Self {
        Self::with(n_arms, Schedule::Anytime, Reference::Uniform)
            .expect("the defaults are legal and there is at least one arm")
    }

    /// FeedExp3 over `n_arms` arms, with any schedule and reference.
    ///
    /// # Errors
    ///
    /// If there are no arms or no rounds, or the reference does not exist.
    pub fn with(n_arms: usize, schedule: Schedule, reference: Reference) -> Result<Self, ParamError> {
        if n_arms == 0 {
            return Err(ParamError::NoArms);
        }
        if schedule == (Schedule::Fixed { horizon: 0 }) {
            return Err(ParamError::NoRounds);
        }
        if let Reference::Arm(arm) = reference
            && arm.index() >= n_arms
        {
            return Err(ParamError::OutOfRange {
                key: REFERENCE.doc.key,
                value: arm.index() as f64,
                range: arm_range(n_arms),
            });
        }
        let (rates, next_change) = tuned(schedule, reference, n_arms, 1);
        let weights = PairWeights::new(n_arms, rates.eta / 2.0);
        Ok(Self { schedule, reference, weights, round: 0, since: 1, rates, next_change })
    }

    /// eta and gamma of the next duel.
    pub fn rates(&self) -> Rates {
        self.rates
    }

    /// The score of each arm.
    pub fn scores(&self) -> &[f64] {
        self.weights.sums()
    }

    /// The probability of an ordered pair in the next duel.
    pub fn pair_probability(&self, left: Arm, right: Arm) -> f64 {
        self.weights.mixture(self.rates.gamma).probability(left, right)
    }
}

impl FeedExp3 {
    /// Learns that the left arm is better by `score`. With the negative score, takes that back.
    #[inline]
    fn learn(&mut self, ticket: &Ticket, score: f64) {
        let Draw::Pair(ordered) = ticket.draw else {
            panic!("FeedExp3 cannot have made a ticket drawn as {:?}", ticket.draw);
        };
        if ticket.is_self_duel() {
            return;
        }
        // The quotient does not depend on the outcome, so it can be computed before the outcome is
        // known.
        let estimate = 1.0 / (2.0 * ordered).max(LEAST) * score;
        match self.reference {
            Reference::Uniform => {
                let step = estimate / self.weights.len() as f64;
                if step != 0.0 {
                    self.weights.add_pair((ticket.left, step), (ticket.right, -step));
                }
            }
            Reference::Arm(arm) if arm == ticket.left => self.weights.add(ticket.right, -estimate),
            Reference::Arm(arm) if arm == ticket.right => self.weights.add(ticket.left, estimate),
            Reference::Arm(_) => {}
        }
    }
}

/// The rates of a round, and the first round with different rates.
fn tuned(schedule: Schedule, reference: Reference, n_arms: usize, round: u64) -> (Rates, u64) {
    let size = LinkSize::dueling(n_arms, reference);
    (schedule.formula(size, round), schedule.one_percent_after(size, round))
}

fn arm_range(n_arms: usize) -> Range {
    Range::closed(0.0, n_arms as f64 - 1.0)
}

impl Policy for FeedExp3 {
    fn info(&self) -> &'static Info {
        &<Family as registry::Family>::INFO
    }

    fn propensity(&self) -> Propensity {
        Propensity::Pair
    }

    fn n_arms(&self) -> usize {
        self.weights.len()
    }

    fn round(&self) -> u64 {
        self.round
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket {
        let mixture = self.weights.mixture(self.rates.gamma);
        let (left, right) = mixture.draw(rng);
        Ticket {
            round: self.round + 1,
            left,
            right,
            rate: self.rates.eta,
            epoch: 0,
            draw: Draw::Pair(mixture.probability(left, right)),
        }
    }

    #[inline]
    fn issue(&mut self, _: &Ticket) {
        self.round += 1;
        if self.round + 1 >= self.next_change {
            self.since = self.round + 1;
            (self.rates, self.next_change) =
                tuned(self.schedule, self.reference, self.weights.len(), self.since);
            self.weights.set_scale(self.rates.eta / 2.0);
        }
    }

    #[inline]
    fn update(&mut self, ticket: &Ticket, outcome: Outcome) {
        self.learn(ticket, outcome.score());
    }

    fn void(&mut self, _: &Ticket) {}

    fn lessons(&self) -> Lessons {
        Lessons::Weighted
    }

    /// The estimate divides by twice the probability of the ordered pair. In expectation each order
    /// of two arms therefore brings half of what is learned about them, even if one order is
    /// likelier. Both orders must be possible.
    fn lesson(&self, left: Arm, right: Arm, propensity: Option<f64>) -> Result<Ticket, NoLesson> {
        let propensity = lesson::weighted(self, left, right, propensity)?;
        let draw = Draw::Pair(propensity);
        Ok(Ticket { round: Ticket::LESSON, left, right, rate: self.rates.eta, epoch: 0, draw })
    }

    fn recommend(&self) -> Arm {
        self.weights.best()
    }

    fn probabilities(&self) -> Option<Vec<f64>> {
        Some(self.weights.mixture(self.rates.gamma).marginals())
    }

    fn additive(&mut self) -> Option<&mut dyn Additive> {
        Some(self)
    }
}

impl Additive for FeedExp3 {
    fn sums(&self) -> Vec<f64> {
        self.weights.sums().to_vec()
    }

    fn add(&mut self, increments: &[f64]) {
        self.weights.add_all(increments);
    }

    fn take_back(&mut self, ticket: &Ticket, outcome: Outcome) {
        // The increment is linear in the score.
        self.learn(ticket, -outcome.score());
    }
}

impl From<FeedExp3> for Saved {
    fn from(policy: FeedExp3) -> Self {
        let FeedExp3 { schedule, reference, weights, round, since, rates: _, next_change: _ } = policy;
        let (sums, level) = (weights.sums().to_vec(), weights.reference());
        Self { schedule, reference, arms: sums.len(), sums, level, round, since }
    }
}

impl TryFrom<Saved> for FeedExp3 {
    type Error = SavedError;

    fn try_from(saved: Saved) -> Result<Self, SavedError> {
        let Saved { schedule, reference, arms, sums, level, round, since } = saved;
        if sums.len() != arms {
            return Err(SavedError::Length { sums: sums.len(), arms });
        }
        if let Some(&value) = sums.iter().chain([&level]).find(|number| !number.is_finite()) {
            return Err(SavedError::NotFinite { value });
        }
        // Makes the same checks as for a new policy.
        Self::with(arms, schedule, reference)?;
        let next_round = round.saturating_add(1);
        // Checked first, because the formulas do not hold for round 0.
        if since == 0 || since > next_round || next_round > LAST_ROUND {
            return Err(SavedError::Clock { round, since });
        }
        let (rates, next_change) = tuned(schedule, reference, arms, since);
        if next_change <= next_round {
            return Err(SavedError::Clock { round, since });
        }
        let weights = PairWeights::restore(sums, rates.eta / 2.0, level);
        Ok(Self { schedule, reference, weights, round, since, rates, next_change })
    }
}

/// Why a saved state cannot be restored.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
enum SavedError {
    /// The numbers of sums and arms differ.
    #[error("the saved state holds {sums} sums for {arms} arms")]
    Length { sums: usize, arms: usize },
    /// A number is not finite.
    #[error("the saved state holds {value}")]
    NotFinite { value: f64 },
    /// The rates cannot be those of this round.
    #[error("the saved state is at round {round} with rates of round {since}")]
    Clock { round: u64, since: u64 },
    /// The parameters are illegal.
    #[error(transparent)]
    Param(#[from] ParamError),
}

fn read_schedule(params: &mut Params<'_>) -> Result<Schedule, ParamError> {
    let name = SCHEDULE.read(params)?;
    match (name, params.context().horizon) {
        ("fixed", Some(horizon)) => Ok(Schedule::Fixed { horizon }),
        ("fixed", None) => Err(params.needs_horizon(SCHEDULE.doc.key)),
        ("link", _) => Ok(Schedule::Link),
        _ => Ok(Schedule::Anytime),
    }
}

fn read_reference(params: &mut Params<'_>) -> Result<Reference, ParamError> {
    const KEY: &str = REFERENCE.doc.key;
    const UNIFORM: &str = REFERENCE.doc.default;
    let text = params.text(KEY).unwrap_or(UNIFORM);
    params.record(KEY, text);
    if text == UNIFORM {
        return Ok(Reference::Uniform);
    }
    let range = arm_range(params.context().n_arms);
    let number = params.number(KEY, range).map_err(|error| match error {
        ParamError::NotANumber { .. } => ParamError::NoSuchChoice {
            key: KEY,
            value: text.to_owned(),
            suggestion: suggest(text, [UNIFORM]),
            choices: vec![UNIFORM, "the index of an arm"],
        },
        other => other,
    })?;
    let value = number.unwrap_or_default();
    if libm::floor(value) < value {
        return Err(ParamError::NotWhole { key: KEY, value });
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, and in 0..K")]
    Ok(Reference::Arm(Arm::new(value as usize)))
}
