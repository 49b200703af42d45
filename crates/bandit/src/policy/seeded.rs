//! A policy that owns its random generators, for callers that have a seed and one policy instead of
//! a job of many runs.

use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::registry::{self, BuildError};
use super::{AnyPolicy, InFlight, RestoreError, Saved, UpdateError};
use crate::params::Context;
use crate::{Outcome, Spec, Stream, Ticket};

/// Any policy of the registry together with its random generators. A seed alone determines its
/// random choices, in every language.
///
/// Its random streams derive from the seed, or from one run of the seed, exactly as in the lab. A
/// policy built for run 17 decides like the lab's policy in run 17.
///
/// ```
/// use tiltyard_bandit::Outcome;
/// use tiltyard_bandit::params::Context;
/// use tiltyard_bandit::policy::{Origin, Seeded, Ties};
///
/// let context = Context { n_arms: 10, horizon: None };
/// let mut policy = Seeded::new(&"rex3".parse()?, context, Origin::seed(1), Ties::Refused)?;
/// let ticket = policy.decide()?;
/// policy.update(&ticket, Outcome::WIN)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Seeded {
    policy: AnyPolicy,
    origin: Origin,
    ties: Ties,
    rng: Xoshiro256PlusPlus,
    coin: Xoshiro256PlusPlus,
}

/// The root of a policy's random streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The seed.
    pub seed: u64,
    /// The run of a job under that seed; `None` if there is no job.
    pub run: Option<u64>,
}

/// How a policy that counts wins and losses treats an outcome that is neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ties {
    /// It is an error: the caller must break ties.
    Refused,
    /// A coin breaks it. The coin has its own random stream, so decisions do not depend on it.
    Coin,
}

impl Origin {
    /// The origin of a policy that belongs to no job.
    pub const fn seed(seed: u64) -> Self {
        Self { seed, run: None }
    }

    /// The stream from which all others derive.
    pub fn stream(self) -> Stream {
        let root = Stream::new(self.seed);
        self.run.map_or(root, |run| root.label("run").index(run))
    }

    /// The stream that a policy draws from. Policies with the same origin but different
    /// specifications have different streams.
    pub fn policy(self, spec: &Spec) -> Stream {
        self.stream().label("policy").label(&spec.to_string())
    }

    /// The stream that the construction of a policy draws from.
    pub fn setup(self, spec: &Spec) -> Stream {
        self.policy(spec).label("setup")
    }
}

impl Seeded {
    /// Builds the policy that a specification names.
    ///
    /// # Errors
    ///
    /// If there is no such policy or a parameter is refused.
    pub fn new(spec: &Spec, context: Context, origin: Origin, ties: Ties) -> Result<Self, BuildError> {
        let policy = registry::build(spec, context, &mut origin.setup(spec).rng())?;
        let stream = origin.policy(spec);
        Ok(Self { policy, origin, ties, rng: stream.rng(), coin: stream.label("ties").rng() })
    }

    /// The root of its random streams.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// How it treats ties.
    pub fn ties(&self) -> Ties {
        self.ties
    }

    /// The policy itself.
    pub fn policy(&self) -> &AnyPolicy {
        &self.policy
    }

    /// The policy itself, for operations that draw no random numbers.
    pub fn policy_mut(&mut self) -> &mut AnyPolicy {
        &mut self.policy
    }

    /// Proposes a duel and issues it.
    ///
    /// # Errors
    ///
    /// If the policy is sequential and a duel is in flight.
    #[inline]
    pub fn decide(&mut self) -> Result<Ticket, InFlight> {
        self.policy.decide(&mut self.rng)
    }

    /// Proposes a duel of two different arms and issues it; `None` if the policy cannot, or has
    /// fewer than two arms left.
    pub fn decide_distinct(&mut self) -> Option<Ticket> {
        let ticket = self.policy.distinct()?.propose_distinct(&mut self.rng)?;
        self.policy.issue(&ticket).expect("the policy proposed this ticket");
        Some(ticket)
    }

    /// Learns from an outcome.
    ///
    /// # Errors
    ///
    /// If the ticket cannot come from this policy, or the outcome is a tie that it refuses.
    #[inline]
    pub fn update(&mut self, ticket: &Ticket, outcome: Outcome) -> Result<(), UpdateError> {
        if self.breaks_ties() {
            // Checked before the coin is tossed, so that a refused ticket changes nothing.
            self.policy.check_answer(ticket, Outcome::WIN)?;
            return self.policy.update(ticket, outcome.to_binary(&mut self.coin));
        }
        self.policy.update(ticket, outcome)
    }

    /// Learns from several outcomes, or from none if one of them is refused.
    ///
    /// # Errors
    ///
    /// The position of the first answer that is refused, and the reason.
    pub fn update_all(&mut self, answers: &[(Ticket, Outcome)]) -> Result<(), (usize, UpdateError)> {
        for (place, &(ticket, outcome)) in answers.iter().enumerate() {
            let outcome = if self.breaks_ties() { Outcome::WIN } else { outcome };
            self.policy.check_answer(&ticket, outcome).map_err(|error| (place, error))?;
        }
        for (place, (ticket, outcome)) in answers.iter().enumerate() {
            self.update(ticket, *outcome).map_err(|error| (place, error))?;
        }
        Ok(())
    }

    fn breaks_ties(&self) -> bool {
        self.ties == Ties::Coin && self.policy.info().binary
    }

    /// Everything needed to continue later, bit for bit.
    pub fn save(&self) -> SavedSeeded {
        let Self { policy, origin, ties, rng, coin } = self;
        SavedSeeded {
            policy: policy.save(),
            origin: *origin,
            ties: *ties,
            rng: rng.clone(),
            coin: coin.clone(),
        }
    }

    /// Continues from a saved state.
    ///
    /// # Errors
    ///
    /// As [`AnyPolicy::restore`].
    pub fn restore(saved: &SavedSeeded) -> Result<Self, RestoreError> {
        let SavedSeeded { policy, origin, ties, rng, coin } = saved.clone();
        Ok(Self { policy: AnyPolicy::restore(&policy)?, origin, ties, rng, coin })
    }
}

/// The saved form of [`Seeded`]: the policy and its generators.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedSeeded {
    /// The policy.
    pub policy: Saved,
    /// The root of its random streams.
    pub origin: Origin,
    /// How it treats ties.
    pub ties: Ties,
    rng: Xoshiro256PlusPlus,
    coin: Xoshiro256PlusPlus,
}
