//! The classical reduction (Algorithm 2 of the paper): a dueling policy used as a classical bandit.
//!
//! A duel becomes two pulls, one of each arm, and the difference of their rewards is the outcome.
//! In a stationary world the classical regret over 2N pulls is then twice the dueling regret over N
//! duels, which is how the lower bound for classical bandits carries over to dueling ones. The two
//! rewards are drawn at different times, so the reduction means nothing where rewards drift or an
//! adversary chooses them.

use rand::Rng;

use crate::policy::Policy;
use crate::{Arm, Outcome, Ticket};

/// A dueling policy that is asked for one arm at a time.
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
    /// How many pulls there will be, where that is known.
    n_pulls: Option<u64>,
    pulls: u64,
    step: Step,
}

/// Where in a duel the reduction is.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// The next pull starts a duel.
    Between,
    /// The left arm was pulled.
    Left(Ticket),
    /// The left arm paid this, and the right one is next.
    Paid(Ticket, f64),
    /// The right arm was pulled.
    Right(Ticket, f64),
    /// A last pull that fits no duel.
    Spare,
}

impl<P: Policy> Reduction<P> {
    /// Wraps a policy. If the number of pulls is known and odd, the last one plays the recommended
    /// arm and is not learned.
    pub fn new(policy: P, n_pulls: Option<u64>) -> Self {
        Self { policy, n_pulls, pulls: 0, step: Step::Between }
    }

    /// The policy inside.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// The next arm to pull. Asked again before the reward came, it answers the same.
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

    /// The reward of the arm just pulled. The generator is drawn from only where the policy needs
    /// wins and losses: it is then told of a win with probability (1 + x_left - x_right) / 2.
    ///
    /// # Errors
    ///
    /// If the reward is not in [0, 1], or no pull waits for one. Nothing is learned then.
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

/// A reward that cannot be taken.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RewardError {
    /// Outside [0, 1].
    #[error("a reward lies in [0, 1], not {reward}")]
    OutOfRange {
        /// What was given.
        reward: f64,
    },
    /// Nothing was pulled.
    #[error("no pull waits for a reward")]
    NoPull,
}
