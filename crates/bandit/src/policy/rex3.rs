//! REX3; [`Family`] has its page.

use rand::Rng;
use serde::{Deserialize, Serialize};

use self::family::GAMMA;
use self::options::HIGHEST_GAMMA;
use super::{
    Additive, Citation, Distinct, Elastic, Info, Lessons, NoLesson, Policy, Propensity, lesson, registry,
};
use crate::damaged::Damaged;
use crate::params::ParamError;
use crate::structures::weights::exp_weights::ExpWeights;
use crate::structures::weights::falling_rate::FallingRate;
use crate::ticket::Draw;
use crate::{Arm, Outcome, Ticket};

mod family;
mod options;

pub use family::Family;
pub use options::{Options, Schedule, Transfer};

/// The paper that introduced REX3, with its experiments and baselines.
pub(crate) const PAPER: Citation = Citation {
    authors: "Gajane, Urvoy and Clérot",
    title: "A relative exponential weighing algorithm for adversarial utility-based dueling bandits",
    venue: "ICML, PMLR 37:218-227",
    year: 2015,
    doi: "doi:10.48550/arXiv.1601.03855",
};

/// Exponential weights with relative feedback; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved")]
pub struct Rex3 {
    options: Options,
    weights: ExpWeights,
    /// Duels issued.
    round: u64,
    epoch: u32,
    /// The gamma of the next duel.
    gamma: f64,
    /// The first round with another gamma.
    #[serde(skip)]
    next_change: u64,
    /// gamma as a function of time, for the number of arms in play; unused by `fixed`.
    #[serde(skip)]
    falling: FallingRate,
}

/// The serialized form of [`Rex3`].
#[derive(Deserialize)]
struct Saved {
    options: Options,
    weights: ExpWeights,
    round: u64,
    epoch: u32,
    gamma: f64,
}

impl TryFrom<Saved> for Rex3 {
    type Error = Damaged;

    fn try_from(saved: Saved) -> Result<Self, Damaged> {
        let Saved { options, weights, round, epoch, gamma } = saved;
        options.check().map_err(|_| Damaged("an option is out of range"))?;
        let falling = options.schedule.falling(weights.n_active());
        let mut policy = Self { options, weights, round, epoch, gamma, next_change: 0, falling };
        if GAMMA.check(gamma).is_err() || !policy.weights.has_scale(policy.scale(policy.weights.n_active())) {
            return Err(Damaged("gamma does not fit the weights"));
        }
        if round == u64::MAX || epoch != policy.epoch_of(round + 1) {
            return Err(Damaged("the epoch does not fit the round"));
        }
        policy.next_change = policy.when_gamma_changes();
        Ok(policy)
    }
}

impl Rex3 {
    /// The anytime form over `n_arms` arms.
    ///
    /// # Panics
    ///
    /// If `n_arms` is 0.
    pub fn new(n_arms: usize) -> Self {
        Self::with(n_arms, Options::default()).expect("the defaults are legal and there is at least one arm")
    }

    /// Any form over `n_arms` arms.
    ///
    /// # Errors
    ///
    /// If there are no arms, or an option is outside its range.
    pub fn with(n_arms: usize, options: Options) -> Result<Self, ParamError> {
        if n_arms == 0 {
            return Err(ParamError::NoArms);
        }
        options.check()?;
        let weights = ExpWeights::new(n_arms, 1.0);
        let falling = options.schedule.falling(n_arms);
        let mut policy =
            Self { options, weights, round: 0, epoch: 0, gamma: HIGHEST_GAMMA, next_change: 1, falling };
        policy.retune();
        Ok(policy)
    }

    /// Continues from what another instance learned in `round` duels. `sums` are the values of its
    /// [`Additive::sums`].
    ///
    /// # Errors
    ///
    /// If `sums` does not have one finite value per arm, or `round` is above half of `u64::MAX`.
    pub fn warm_start(&mut self, round: u64, sums: Vec<f64>) -> Result<(), WarmStartError> {
        if sums.len() != self.weights.len() {
            return Err(WarmStartError::Length { got: sums.len(), n_arms: self.weights.len() });
        }
        if let Some(&value) = sums.iter().find(|sum| !sum.is_finite()) {
            return Err(WarmStartError::NotFinite { value });
        }
        if round > u64::MAX / 2 {
            return Err(WarmStartError::Round { round });
        }
        self.weights.set_sums(sums);
        self.round = round;
        // Sets the epoch first: `tune` would erase the sums if it saw a new epoch begin.
        self.epoch = self.epoch_of(round + 1);
        self.tune();
        Ok(())
    }

    /// The options it was made with.
    pub fn options(&self) -> Options {
        self.options
    }

    /// The gamma of the next duel.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// The log-weight of each arm, L in the paper's notation, up to a shared constant if arms were
    /// added later.
    pub fn log_weights(&self) -> Vec<f64> {
        Arm::all(self.n_arms()).map(|arm| self.weights.log_weight(arm)).collect()
    }

    /// The probability of each arm in either slot of the next duel.
    pub fn distribution(&self) -> Vec<f64> {
        self.weights.probabilities(self.explore())
    }

    fn explore(&self) -> f64 {
        self.gamma * self.options.mixing
    }

    #[inline]
    fn ticket(&self, (left, p_left): (Arm, f64), (right, p_right): (Arm, f64), z: f64) -> Ticket {
        Ticket {
            round: self.round + 1,
            left,
            right,
            rate: self.gamma / self.weights.n_active() as f64,
            epoch: self.epoch,
            draw: Draw::Slots { left: p_left, right: p_right, z },
        }
    }

    /// What an outcome adds to the sums of the left and the right arm; `None` if it teaches
    /// nothing.
    #[inline]
    fn increments(&self, ticket: &Ticket, outcome: Outcome) -> Option<(f64, f64)> {
        let Draw::Slots { left, right, z } = ticket.draw else {
            panic!("a ticket drawn as {:?} is not one of REX3's", ticket.draw);
        };
        if ticket.epoch != self.epoch || ticket.is_self_duel() && self.options.guard {
            return None;
        }
        let (mut win, loss) = self.options.transfer.apply(outcome.score());
        if ticket.is_self_duel() && self.options.transfer != Transfer::Indicator {
            // Lines 10 and 11 of the paper assign to the same weight, so the second assignment
            // counts.
            win = 0.0;
        }
        let step =
            z / 2.0 * if let Schedule::Literal { .. } = self.options.schedule { ticket.rate } else { 1.0 };
        // The quotients do not depend on the outcome, so they can be computed before it arrives.
        Some((step / left * win, step / right * loss))
    }

    #[inline]
    fn learn(&mut self, ticket: &Ticket, gain: f64, other: f64) {
        if ticket.is_self_duel() {
            self.weights.add(ticket.left, gain + other);
        } else if gain != 0.0 || other != 0.0 {
            self.weights.add_pair((ticket.left, gain), (ticket.right, other));
        }
    }

    fn epoch_of(&self, round: u64) -> u32 {
        if matches!(self.options.schedule, Schedule::Epochs { .. }) { round.ilog2() } else { 0 }
    }

    /// The factor that turns the sums into log-weights.
    fn scale(&self, n_arms: usize) -> f64 {
        match self.options.schedule {
            // The sums already are log-weights: each increment was multiplied by the rate of its
            // round.
            Schedule::Literal { .. } => 1.0,
            _ => self.gamma / n_arms as f64,
        }
    }

    fn gamma_at(&self, round: u64) -> f64 {
        match self.options.schedule {
            Schedule::Fixed { gamma } => gamma,
            Schedule::DualAveraging { .. } | Schedule::Literal { .. } => self.falling.at(round),
            Schedule::Epochs { .. } => self.falling.at(1 << self.epoch_of(round)),
        }
    }

    fn when_gamma_changes(&self) -> u64 {
        match self.options.schedule {
            Schedule::Fixed { .. } => u64::MAX,
            Schedule::DualAveraging { .. } => self.falling.one_percent_below(self.gamma),
            // Once gamma is below its cap, it is exact in each round. The weights do not depend on
            // it.
            Schedule::Literal { .. } => self.falling.uncapped_from(),
            Schedule::Epochs { .. } => 1u64.checked_shl(self.epoch + 1).unwrap_or(u64::MAX),
        }
    }

    /// Sets gamma and everything that follows from it, after the number of arms has changed.
    fn retune(&mut self) {
        self.falling = self.options.schedule.falling(self.weights.n_active());
        self.tune();
    }

    /// Sets gamma and everything that follows from it, for the next round.
    fn tune(&mut self) {
        let round = self.round + 1;
        let epoch = self.epoch_of(round);
        self.gamma = self.gamma_at(round);
        let scale = self.scale(self.weights.n_active());
        if epoch == self.epoch {
            self.weights.set_scale(scale);
        } else {
            self.epoch = epoch;
            self.weights.reset(scale);
        }
        self.next_change = self.when_gamma_changes();
    }
}

/// Why [`Rex3::warm_start`] refused its arguments.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum WarmStartError {
    /// The number of sums is not the number of arms.
    #[error("{got} sums were given for {n_arms} arms")]
    Length { got: usize, n_arms: usize },
    /// So many rounds that the counter could overflow.
    #[error("{round} rounds are more than half of what the counter can hold")]
    Round { round: u64 },
    /// A sum is infinite or not a number.
    #[error("a sum is {value}, not a finite number")]
    NotFinite { value: f64 },
}

impl Policy for Rex3 {
    fn info(&self) -> &'static Info {
        &<Family as registry::Family>::INFO
    }

    fn propensity(&self) -> Propensity {
        Propensity::Slots
    }

    fn n_arms(&self) -> usize {
        self.weights.len()
    }

    fn round(&self) -> u64 {
        self.round
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket {
        let mixture = self.weights.mixture(self.explore());
        let [left, right] = mixture.draw_two(rng);
        self.ticket(left, right, 1.0)
    }

    #[inline]
    fn issue(&mut self, _: &Ticket) {
        self.round += 1;
        if self.round + 1 >= self.next_change {
            self.tune();
        }
    }

    #[inline]
    fn update(&mut self, ticket: &Ticket, outcome: Outcome) {
        if let Some((gain, other)) = self.increments(ticket, outcome) {
            self.learn(ticket, gain, other);
        }
    }

    fn void(&mut self, _: &Ticket) {}

    fn lessons(&self) -> Lessons {
        Lessons::Weighted
    }

    /// The lesson adds c_left = s p_right / (2 propensity) to the sum of the left arm and
    /// c_right = -s p_left / (2 propensity) to the sum of the right arm, where p are the current
    /// probabilities. The expected increments are the same as in the policy's own duels, sum_j p_j
    /// (2 P_ij - 1), for every distribution that gives each ordered pair of different arms a
    /// positive probability. A rare pair makes a large step: |c| is not bounded by K / (2 gamma),
    /// as it is in the policy's own duels.
    fn lesson(&self, left: Arm, right: Arm, propensity: Option<f64>) -> Result<Ticket, NoLesson> {
        let propensity = lesson::weighted(self, left, right, propensity)?;
        if let Some(arm) = [left, right].into_iter().find(|&arm| !self.weights.is_active(arm)) {
            return Err(NoLesson::Retired { arm });
        }
        let mixture = self.weights.mixture(self.explore());
        let draw = lesson::slots(mixture.probability(left), mixture.probability(right), propensity);
        Ok(Ticket {
            round: Ticket::LESSON,
            left,
            right,
            rate: self.gamma / self.weights.n_active() as f64,
            epoch: self.epoch,
            draw,
        })
    }

    fn recommend(&self) -> Arm {
        self.weights.best()
    }

    fn probabilities(&self) -> Option<Vec<f64>> {
        Some(self.distribution())
    }

    fn additive(&mut self) -> Option<&mut dyn Additive> {
        // Sums of different epochs cannot be added.
        if let Schedule::Epochs { .. } = self.options.schedule { None } else { Some(self) }
    }

    fn elastic(&mut self) -> Option<&mut dyn Elastic> {
        Some(self)
    }

    fn distinct(&self) -> Option<&dyn Distinct> {
        Some(self)
    }
}

impl Additive for Rex3 {
    fn sums(&self) -> Vec<f64> {
        self.weights.sums().to_vec()
    }

    fn add(&mut self, increments: &[f64]) {
        self.weights.add_all(increments);
    }

    fn take_back(&mut self, ticket: &Ticket, outcome: Outcome) {
        if let Some((gain, other)) = self.increments(ticket, outcome) {
            self.learn(ticket, -gain, -other);
        }
    }
}

impl Elastic for Rex3 {
    fn add_arms(&mut self, n: usize) -> Arm {
        let n_arms = self.weights.n_active() + n;
        self.falling = self.options.schedule.falling(n_arms);
        self.gamma = self.gamma_at(self.round + 1);
        let first = self.weights.push(n, self.scale(n_arms));
        self.retune();
        first
    }

    fn retire(&mut self, arm: Arm) -> bool {
        assert!(arm.index() < self.n_arms(), "there is no arm {arm}");
        let changed = self.weights.retire(arm);
        if changed {
            self.retune();
        }
        changed
    }

    fn restore(&mut self, arm: Arm) -> bool {
        assert!(arm.index() < self.n_arms(), "there is no arm {arm}");
        let changed = self.weights.restore(arm);
        if changed {
            self.retune();
        }
        changed
    }
}

impl Distinct for Rex3 {
    fn propose_distinct(&self, rng: &mut dyn Rng) -> Option<Ticket> {
        if self.weights.n_active() < 2 {
            return None;
        }
        let (left, right, z) = self.weights.mixture(self.explore()).draw_unequal(rng);
        Some(self.ticket(left, right, z))
    }
}
