//! The classical reduction (Algorithm 2 of the REX3 paper): a dueling policy used as a classical
//! bandit.
//!
//! A duel becomes two pulls, one of each arm, and the difference of their rewards is the outcome.
//! In a stationary world the classical regret over 2N pulls is then twice the dueling regret over N
//! duels. This is how the lower bound for classical bandits carries over to dueling bandits. The
//! two rewards are drawn at different times, so the reduction is meaningless if rewards drift or an
//! adversary chooses them.

use rand::Rng;

use crate::policy::Policy;
use crate::{Arm, Outcome, Ticket};

/// A dueling policy that answers with one arm at a time.
///
/// ```
/// use tiltyard_bandit::{Stream, policy::Rex3, reduction::Reduction};
/// let mut rng = Stream::new(1).rng();
/// let mut bandit = Reduction::new(Rex3::new(3), None);
/// for _ in 0..1000 {
///     let arm = bandit.pull(&mut rng);
///     bandit.reward(if arm.index() == 2 { 1.0 } else { 0.0 }, &mut rng)?;
/// }
/// assert_eq!(bandit.policy().round(), 500);
/// # use tiltyard_bandit::policy::Policy;
/// # Ok::<(), tiltyard_bandit::reduction::RewardError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Reduction<P> {
    policy: P,
    /// The total number of pulls, if it is known.
    n_pulls: Option<u64>,
    pulls: u64,
    step: Step,
}

/// The progress of the current duel.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// The next pull starts a duel.
    Between,
    /// The left arm was pulled.
    Left(Ticket),
    /// The left arm gave this reward. The right arm is next.
    Paid(Ticket, f64),
    /// The right arm was pulled. The number is the reward of the left arm.
    Right(Ticket, f64),
    /// A single last pull, which is not part of a duel.
    Spare,
}

impl<P: Policy> Reduction<P> {
    /// Wraps a policy. If the number of pulls is known and odd, the last pull plays the recommended
    /// arm and the policy does not learn from it.
    pub fn new(policy: P, n_pulls: Option<u64>) -> Self {
        Self { policy, n_pulls, pulls: 0, step: Step::Between }
    }

    /// The policy inside.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// The next arm to pull. Until the reward arrives, further calls return the same arm.
    ///
    /// # Panics
    ///
    /// As [`Policy::propose`].
    pub fn pull<R: Rng + ?Sized>(&mut self, rng: &mut R) -> Arm {
        self.step = match self.step {
            Step::Between if self.n_pulls.is_some_and(|n| self.pulls + 1 >= n) => Step::Spare,
            Step::Between => Step::Left(self.policy.decide(rng)),
            Step::Paid(ticket, paid) => Step::Right(ticket, paid),
            pulled => pulled,
        };
        match self.step {
            Step::Left(ticket) => ticket.left,
            Step::Right(ticket, _) => ticket.right,
            Step::Between | Step::Paid(..) | Step::Spare => self.policy.recommend(),
        }
    }

    /// Takes the reward of the arm just pulled. A policy that needs wins and losses gets a win with
    /// probability (1 + x_left - x_right) / 2. The generator is used only for such a policy.
    ///
    /// # Errors
    ///
    /// If the reward is not in [0, 1], or no pull is waiting for a reward. The policy then learns
    /// nothing.
    pub fn reward<R: Rng + ?Sized>(&mut self, reward: f64, rng: &mut R) -> Result<(), RewardError> {
        // Written positively so that NaN fails.
        if !(0.0..=1.0).contains(&reward) {
            return Err(RewardError::OutOfRange { reward });
        }
        self.step = match self.step {
            Step::Left(ticket) => Step::Paid(ticket, reward),
            Step::Right(ticket, left) => {
                let outcome = Outcome::difference(left, reward);
                let outcome = if self.policy.info().binary { outcome.to_binary(rng) } else { outcome };
                self.policy.update(&ticket, outcome);
                Step::Between
            }
            Step::Spare => Step::Between,
            Step::Between | Step::Paid(..) => return Err(RewardError::NoPull),
        };
        self.pulls += 1;
        Ok(())
    }
}

/// Why a reward was rejected.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum RewardError {
    /// The reward is outside [0, 1].
    #[error("a reward must be in [0, 1], not {reward}")]
    OutOfRange { reward: f64 },
    /// No arm was pulled since the last reward.
    #[error("no pull is waiting for a reward")]
    NoPull,
}
