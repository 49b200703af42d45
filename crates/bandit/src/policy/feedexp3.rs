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
    /// Forget that duels are duels: there are N = K (K + 1) / 2 actions, the unordered pairs of
    /// arms, each with a loss that is never seen, minus the mean of its two utilities, and a
    /// feedback that is, the difference of the two. A *link* says how to estimate every action's
    /// loss, beyond that of a reference, from the feedback of one. Weigh the actions exponentially
    /// by their estimated losses and explore all of them alike. This is the general method for such
    /// games; what REX3 gains over it is its own play as the reference, and exploration of K arms
    /// instead of N pairs.
    ///
    /// An action's estimated loss is minus the mean of its two arms' scores, so N weights follow
    /// from K scores, and the policy needs no matrix. The same algorithm with its matrices written
    /// out, for up to 8 arms, is the library's module `partial_monitoring`.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// v_i = exp(eta s_i / 2)       s_i = 0 at first      V1 = sum_i v_i     V2 = sum_i v_i^2
    /// p_ab = (1 - gamma) 2 v_a v_b / (V1^2 + V2) + gamma / N            for every unordered pair, a = b too
    /// decide:  with probability gamma any of the N pairs; else with probability V1^2 / (V1^2 + V2) two arms
    ///          independently from v, else one arm from v^2 for both slots
    /// update:  s_left += h / (K p),  s_right -= h / (K p)               h the outcome, from the left arm's viewpoint;
    ///                                                                   nothing if left = right
    /// ```
    ///
    /// With `reference=r`, an arm, only duels with that arm teach: s_left += h / p if r is on the
    /// right, s_right -= h / p if it is on the left.
    ///
    /// Either order of two different arms is equally likely. A ticket holds the probability of the
    /// *ordered* pair, as all tickets do: p / 2 for different arms, p for a self-duel. `update`
    /// doubles it again.
    ///
    /// The scores are kept, and a fall of eta re-weighs the whole past. With k the largest entry of
    /// the link (1/K, or 1 for a fixed arm), the **schedule** is one of
    ///
    /// ```text
    /// anytime:  gamma_t = min(1, (B ln N / t)^(1/3))   eta_t = ((ln N)^2 / (B t^2))^(1/3)
    ///           B = (e - 2) (k* N)^2,  k* = max(1, k) = 1
    /// link:     the same with B = k N and eta_t at most 1 / B
    /// fixed:    gamma = min(1, (N^2 ln N / T)^(1/4))   eta = min(1, sqrt(ln N / T))
    /// ```
    ///
    /// The first is the published one. It allows for any game with N actions, so gamma stays at 1,
    /// uniform play, for 0.72 N^2 ln N rounds: 964 for K = 6, nearly a million for K = 30, over
    /// half a billion for K = 136. `link` uses what is known of this game's link and is free after
    /// k N ln N rounds: 11, 95 and 626.
    ///
    /// ## Parameters
    ///
    parameters {
        /// where eta and gamma come from; `fixed` needs T
        SCHEDULE: choice("schedule", &str: "anytime" = "anytime", "fixed" = "fixed", "link" = "link");
        /// what losses are measured against
        REFERENCE: text("reference" = "uniform", "uniform, or an arm from 0 to K - 1");
    }
    ///
    /// The uniform reference treats all arms alike, and every duel of two arms teaches. A fixed arm
    /// is there to compare with: what is learned then depends on which arm it is.
    ///
    /// ## Guarantee
    ///
    /// For utilities in [0, 1] chosen by an oblivious adversary, regret of order (N^2 ln N)^(1/3)
    /// T^(2/3) for `anytime` (Cesa-Bianchi, Lugosi and Stoltz), N^(1/2) (ln N)^(1/4) T^(3/4) for
    /// `fixed` (Piccolboni and Schindelhauer), N of order K^2: not sqrt(T), although this game
    /// allows it. `sqrt` among the facts means that it keeps exploring; the exponent is 2/3, or
    /// 3/4.
    ///
    /// Re-derived here, for any non-increasing eta_t, h in [-1, 1], and q the largest sum of
    /// squares in a row of the link ((K - 1) / K^2, or 1 for a fixed arm):
    ///
    /// ```text
    /// regret <= ln N / eta_T + sum_t (e - 2) q N eta_t / gamma_t + sum_t gamma_t
    ///           where eta_t k N / gamma_t <= 1 in every round
    /// ```
    ///
    /// An estimate has second moment sum_I k(i, I)^2 h^2 / p_I <= q N / gamma and is never above k
    /// N / gamma; exponential weights with a falling rate give the first two terms, since (1 / eta)
    /// ln(mean of exp(-eta l)) never rises as eta falls; exploring costs at most 1 a time. `link`
    /// keeps the condition by construction, and its regret is at most 4 (B ln N)^(1/3) T^(2/3).
    /// `anytime` keeps it once gamma is below 1; while gamma is 1, the range of the estimates
    /// (Hoeffding) gives a second term of (1/2) (k N)^2 eta_t, which is less than B eta_t, and its
    /// regret is at most 4 (B ln N)^(1/3) T^(2/3) + B ln N.
    ///
    /// Rates are held until eta has fallen by 1 %. That is a non-increasing eta too, and no term
    /// grows by more than 1 %.
    ///
    /// ## Cost
    ///
    /// O(log K) a round: two trees of sums, of v and v^2. Rates are held until eta has fallen by
    /// 1 %, and then all weights are made anew: some 66 ln T times O(K) in all. O(K) memory. One or
    /// three words of randomness a round.
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
        cost: "O(log K) a round, O(K) memory",
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

/// Partial monitoring's general method on duels; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct FeedExp3 {
    schedule: Schedule,
    reference: Reference,
    weights: PairWeights,
    /// Duels issued.
    round: u64,
    /// The round whose rates are in force.
    since: u64,
    rates: Rates,
    /// The round from which on they are others.
    next_change: u64,
}

/// What is stored of [`FeedExp3`]: all but what follows from the rest.
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

/// No probability that was ever logged is as small. A forged ticket's may be, and must not make a
/// score infinite.
const LEAST: f64 = 1e-100;

impl FeedExp3 {
    /// The anytime form with the uniform reference, over `n_arms` arms.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn new(n_arms: usize) -> Self {
        Self::with(n_arms, Schedule::Anytime, Reference::Uniform)
            .expect("the defaults are legal and there is at least one arm")
    }

    /// Any form over `n_arms` arms.
    ///
    /// # Errors
    ///
    /// If there are no arms, no rounds, or no such reference.
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
    /// Learns that the left arm is better by `score`; or, of the negative score, takes that back.
    #[inline]
    fn learn(&mut self, ticket: &Ticket, score: f64) {
        let Draw::Pair(ordered) = ticket.draw else {
            panic!("a ticket drawn as {:?} is not one of FeedExp3's", ticket.draw);
        };
        if ticket.is_self_duel() {
            return;
        }
        // The quotient needs no outcome, so it is ready before it comes.
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

/// The rates of a round, and the round until which they are held.
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

    /// The estimate divides by twice the chance of the ordered pair. Each order of two arms brings
    /// half of what is learned of them then, whichever is the likelier one, as long as both can
    /// come.
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
        // What is learned is linear in the score.
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
        // Makes the checks of a new one.
        Self::with(arms, schedule, reference)?;
        let next_round = round.saturating_add(1);
        // Checked in this order, since the formulas know no round 0.
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
    /// Not one sum an arm.
    #[error("the saved state holds {sums} sums for {arms} arms")]
    Length { sums: usize, arms: usize },
    /// A number no run can have reached.
    #[error("the saved state holds {value}")]
    NotFinite { value: f64 },
    /// The rates in force cannot be those of this round.
    #[error("the saved state is at round {round} with rates of round {since}")]
    Clock { round: u64, since: u64 },
    /// What no policy was made with.
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
