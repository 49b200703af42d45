//! A policy with generators of its own: for those who have a seed and one policy, and no job of
//! many runs.

use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::registry::{self, BuildError};
use super::{AnyPolicy, InFlight, RestoreError, Saved, UpdateError};
use crate::params::Context;
use crate::{Outcome, Spec, Stream, Ticket};

/// Any policy of the registry together with what it draws from, so that a seed alone tells its
/// duels, in every language.
///
/// Its streams hang below those of the seed, or of one run of the seed, exactly as the lab's do: a
/// policy made for run 17 decides as the lab's does in run 17.
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

/// Where the streams of a policy begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The seed.
    pub seed: u64,
    /// The run of a job under that seed; `None` if there is no job.
    pub run: Option<u64>,
}

/// What a policy that counts wins and losses makes of an outcome that is neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ties {
    /// An error: whoever asks for the duel breaks them.
    Refused,
    /// A coin, from a stream of its own, so that decisions do not depend on it.
    Coin,
}

impl Origin {
    /// That of a policy that is in no job.
    pub const fn seed(seed: u64) -> Self {
        Self { seed, run: None }
    }

    /// Below what all streams lie.
    pub fn stream(self) -> Stream {
        let root = Stream::new(self.seed);
        self.run.map_or(root, |run| root.label("run").index(run))
    }

    /// What a policy draws from. Two policies of one origin are told apart by their specification.
    pub fn policy(self, spec: &Spec) -> Stream {
        self.stream().label("policy").label(&spec.to_string())
    }

    /// What the construction of a policy draws from.
    pub fn setup(self, spec: &Spec) -> Stream {
        self.policy(spec).label("setup")
    }
}

impl Seeded {
    /// Makes the policy that a specification names.
    ///
    /// # Errors
    ///
    /// If there is no such policy or a parameter is refused.
    pub fn new(spec: &Spec, context: Context, origin: Origin, ties: Ties) -> Result<Self, BuildError> {
        let policy = registry::build(spec, context, &mut origin.setup(spec).rng())?;
        let stream = origin.policy(spec);
        Ok(Self { policy, origin, ties, rng: stream.rng(), coin: stream.label("ties").rng() })
    }

    /// Where its streams begin.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// What it makes of ties.
    pub fn ties(&self) -> Ties {
        self.ties
    }

    /// The policy itself.
    pub fn policy(&self) -> &AnyPolicy {
        &self.policy
    }

    /// The policy itself, for what draws nothing.
    pub fn policy_mut(&mut self) -> &mut AnyPolicy {
        &mut self.policy
    }

    /// Proposes a duel and issues it.
    ///
    /// # Errors
    ///
    /// If it is sequential and a duel is in flight.
    #[inline]
    pub fn decide(&mut self) -> Result<Ticket, InFlight> {
        self.policy.decide(&mut self.rng)
    }

    /// Proposes a duel of two different arms and issues it; `None` if the policy cannot, or has
    /// fewer than two arms left.
    pub fn decide_distinct(&mut self) -> Option<Ticket> {
        let ticket = self.policy.distinct()?.propose_distinct(&mut self.rng)?;
        self.policy.issue(&ticket).expect("a ticket of its own");
        Some(ticket)
    }

    /// Learns from an outcome.
    ///
    /// # Errors
    ///
    /// If the ticket cannot be one of this policy's, or the outcome is a tie that it refuses.
    #[inline]
    pub fn update(&mut self, ticket: &Ticket, outcome: Outcome) -> Result<(), UpdateError> {
        if self.breaks_ties() {
            // Checked before the coin is tossed, so that a refused ticket leaves everything as it
            // was.
            self.policy.check_answer(ticket, Outcome::WIN)?;
            return self.policy.update(ticket, outcome.to_binary(&mut self.coin));
        }
        self.policy.update(ticket, outcome)
    }

    /// Learns from several outcomes, or from none if one of them is refused.
    ///
    /// # Errors
    ///
    /// The place of the first that is refused, and why.
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

    /// Everything needed to go on later, bit for bit.
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

    /// Goes on from a saved state.
    ///
    /// # Errors
    ///
    /// As [`AnyPolicy::restore`].
    pub fn restore(saved: &SavedSeeded) -> Result<Self, RestoreError> {
        let SavedSeeded { policy, origin, ties, rng, coin } = saved.clone();
        Ok(Self { policy: AnyPolicy::restore(&policy)?, origin, ties, rng, coin })
    }
}

/// A policy at rest, with its generators.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedSeeded {
    /// The policy.
    pub policy: Saved,
    /// Where its streams begin.
    pub origin: Origin,
    /// What it makes of ties.
    pub ties: Ties,
    rng: Xoshiro256PlusPlus,
    coin: Xoshiro256PlusPlus,
}
