//! A policy whose concrete type is known only at run time. It is meant for the edges of a program,
//! such as a server or a binding; loops use the concrete type.

use rand::Rng;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::registry::{self, BuildError, Visitor};
use super::{Additive, Distinct, Elastic, InFlight, Info, Lessons, NoLesson, Policy, Propensity};
use crate::hint::{FrontEnd, Hint};
use crate::params::Context;
use crate::spec::{Spec, SpecError};
use crate::ticket::{Draw, TicketError};
use crate::{Arm, Outcome, Ticket};

/// Any policy of the registry, behind a pointer, with every input checked.
///
/// ```
/// use tiltyard_bandit::{Outcome, Stream, params::Context, policy::registry};
///
/// let mut rng = Stream::new(1).rng();
/// let context = Context { n_arms: 4, horizon: None };
/// let mut policy = registry::build(&"rex3".parse()?, context, &mut rng)?;
/// let ticket = policy.decide(&mut rng)?;
/// // ... show the two arms to someone; the answer may come much later ...
/// policy.update(&ticket, Outcome::WIN)?;
/// let saved = serde_json::to_string(&policy.save())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct AnyPolicy {
    spec: Spec,
    context: Context,
    capabilities: Capabilities,
    inner: Box<dyn Erased>,
}

impl AnyPolicy {
    pub(super) fn new<P: Policy + 'static>(spec: Spec, context: Context, mut policy: P) -> Self {
        let capabilities = Capabilities {
            additive: policy.additive().is_some(),
            elastic: policy.elastic().is_some(),
            distinct: policy.distinct().is_some(),
            sequential: policy.sequential().is_some(),
            lessons: policy.lessons(),
        };
        Self { spec, context, capabilities, inner: Box::new(policy) }
    }

    /// What the policy can do, and what it needs.
    pub fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// The facts about this algorithm.
    pub fn info(&self) -> &'static Info {
        self.inner.info()
    }

    /// K when the policy was built, and T if it was known.
    pub fn context(&self) -> Context {
        self.context
    }

    /// The specification from which the policy was built.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// K, retired arms included.
    pub fn n_arms(&self) -> usize {
        self.inner.n_arms()
    }

    /// The number of duels issued so far.
    pub fn round(&self) -> u64 {
        self.inner.round()
    }

    /// Proposes a duel; see [`Policy::propose`].
    ///
    /// # Errors
    ///
    /// If the policy is sequential and a duel is in flight.
    pub fn propose(&self, rng: &mut dyn Rng) -> Result<Ticket, InFlight> {
        self.inner.ready()?;
        Ok(self.inner.propose(rng))
    }

    /// Records that the duel is in flight; see [`Policy::issue`].
    ///
    /// # Errors
    ///
    /// If this policy cannot have made the ticket.
    pub fn issue(&mut self, ticket: &Ticket) -> Result<(), UpdateError> {
        self.check(ticket)?;
        self.inner.issue(ticket);
        Ok(())
    }

    /// Proposes a duel and issues it.
    ///
    /// # Errors
    ///
    /// If the policy is sequential and a duel is in flight.
    pub fn decide(&mut self, rng: &mut dyn Rng) -> Result<Ticket, InFlight> {
        let ticket = self.propose(rng)?;
        self.inner.issue(&ticket);
        Ok(ticket)
    }

    /// Learns from an outcome; see [`Policy::update`].
    ///
    /// # Errors
    ///
    /// If this policy cannot have made the ticket, or if it cannot use the outcome.
    pub fn update(&mut self, ticket: &Ticket, outcome: Outcome) -> Result<(), UpdateError> {
        self.check_answer(ticket, outcome)?;
        self.inner.update(ticket, outcome);
        Ok(())
    }

    /// Reverses what [`Self::update`] learned from this ticket and outcome; see
    /// [`Additive::take_back`]. Returns false, and changes nothing, if the policy is not additive.
    ///
    /// The caller must make sure that the policy learned from this ticket with this outcome, and
    /// that this was not taken back before.
    ///
    /// # Errors
    ///
    /// As [`Self::update`].
    pub fn take_back(&mut self, ticket: &Ticket, outcome: Outcome) -> Result<bool, UpdateError> {
        self.check_answer(ticket, outcome)?;
        let Some(additive) = self.inner.additive() else { return Ok(false) };
        additive.take_back(ticket, outcome);
        Ok(true)
    }

    /// Records that the outcome will never come; see [`Policy::void`].
    ///
    /// # Errors
    ///
    /// If this policy cannot have made the ticket.
    pub fn void(&mut self, ticket: &Ticket) -> Result<(), UpdateError> {
        self.check(ticket)?;
        self.inner.void(ticket);
        Ok(())
    }

    /// The arm that the policy would bet on now.
    pub fn recommend(&self) -> Arm {
        self.inner.recommend()
    }

    /// The probability of each arm in the next duel; see [`Policy::probabilities`].
    pub fn probabilities(&self) -> Option<Vec<f64>> {
        self.inner.probabilities()
    }

    /// How much the policy's tickets record about the probability of the pair.
    pub fn propensity(&self) -> Propensity {
        self.inner.propensity()
    }

    /// Makes a ticket for a duel that something else drew; see [`Policy::lesson`].
    ///
    /// # Errors
    ///
    /// If the policy learns only from its own duels, if it needs the probability and none is given,
    /// or if an arm or the probability is impossible.
    pub fn lesson(&self, left: Arm, right: Arm, propensity: Option<f64>) -> Result<Ticket, NoLesson> {
        self.inner.lesson(left, right, propensity)
    }

    /// The policy as [`Additive`], if nodes can be merged.
    pub fn additive(&mut self) -> Option<&mut dyn Additive> {
        self.inner.additive()
    }

    /// The policy as [`Elastic`], if its arms can change.
    pub fn elastic(&mut self) -> Option<&mut dyn Elastic> {
        self.inner.elastic()
    }

    /// The policy as [`Distinct`], if it can propose two different arms on demand.
    pub fn distinct(&self) -> Option<&dyn Distinct> {
        self.inner.distinct()
    }

    /// Everything needed to continue later, bit for bit.
    pub fn save(&self) -> Saved {
        Saved {
            format: FORMAT,
            policy: self.spec.to_string(),
            n_arms: self.context.n_arms,
            horizon: self.context.horizon,
            state: self.inner.state(),
        }
    }

    /// Continues from a saved state.
    ///
    /// # Errors
    ///
    /// If no policy of this registry saved the state, or the state is damaged.
    pub fn restore(saved: &Saved) -> Result<Self, RestoreError> {
        if saved.format != FORMAT {
            return Err(RestoreError::Format { format: saved.format });
        }
        let spec: Spec = saved.policy.parse()?;
        let context = Context { n_arms: saved.n_arms, horizon: saved.horizon };
        // Only the type of the policy built here matters, so two arms are enough. A damaged number
        // of arms must not allocate all the memory.
        let small = Context { n_arms: saved.n_arms.min(2), ..context };
        let mut rng = crate::Stream::new(0).rng();
        registry::visit(&spec, small, &mut rng, Restorer { spec: &spec, context, state: &saved.state })?
    }

    /// Checks whether [`Self::update`] would accept this ticket and outcome.
    ///
    /// # Errors
    ///
    /// As [`Self::update`].
    pub fn check_answer(&self, ticket: &Ticket, outcome: Outcome) -> Result<(), UpdateError> {
        self.check(ticket)?;
        if self.info().binary && outcome.score().abs() < 1.0 {
            return Err(UpdateError::NotBinary { score: outcome.score() });
        }
        Ok(())
    }

    fn check(&self, ticket: &Ticket) -> Result<(), UpdateError> {
        ticket.check(self.n_arms())?;
        let own_kind = match self.inner.propensity() {
            Propensity::Slots => matches!(ticket.draw, Draw::Slots { .. }),
            Propensity::Pair => matches!(ticket.draw, Draw::Pair(_)),
            Propensity::Unknown => matches!(ticket.draw, Draw::Unknown),
        };
        let fits = match self.capabilities.lessons {
            Lessons::Refused(refusal) if ticket.is_lesson() => {
                return Err(NoLesson::Refused { policy: self.info().name, refusal }.into());
            }
            Lessons::Counted if ticket.is_lesson() => !matches!(ticket.draw, Draw::Slots { .. }),
            _ => own_kind,
        };
        if fits { Ok(()) } else { Err(UpdateError::Foreign { policy: self.info().name, draw: ticket.draw }) }
    }
}

/// What a policy can do, and what it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "the capabilities are independent of each other")]
pub struct Capabilities {
    /// Whether its knowledge can be merged and taken back; see [`Additive`].
    pub additive: bool,
    /// Whether its arms can change while it runs; see [`Elastic`].
    pub elastic: bool,
    /// Whether it can propose two different arms on demand; see [`Distinct`].
    pub distinct: bool,
    /// Whether it needs each outcome before the next duel; see [`super::Sequential`].
    pub sequential: bool,
    /// Whether it can learn from duels that it did not draw; see [`Policy::lesson`].
    pub lessons: Lessons,
}

impl core::fmt::Debug for AnyPolicy {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "AnyPolicy({} after {} rounds)", self.spec, self.round())
    }
}

/// The serialized form of a policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saved {
    /// The version of the layout.
    pub format: u32,
    /// The specification from which the policy was built.
    pub policy: String,
    /// K when the policy was built.
    pub n_arms: usize,
    /// T, if it was known.
    pub horizon: Option<u64>,
    /// The policy's own state.
    pub state: Value,
}

/// An upper limit for the number of arms: a ticket stores the index of an arm as a `u32`.
const MOST_ARMS: usize = u32::MAX as usize;

/// More rounds than any run plays, and far below the overflow of a counter.
const MOST_ROUNDS: u64 = u64::MAX / 2;

/// The version of the layout that [`AnyPolicy::save`] writes.
const FORMAT: u32 = 1;

struct Restorer<'a> {
    spec: &'a Spec,
    context: Context,
    state: &'a Value,
}

impl Visitor for Restorer<'_> {
    type Output = Result<AnyPolicy, RestoreError>;

    fn visit<P: Policy + 'static>(self, _: P, _: Vec<(&'static str, String)>) -> Self::Output {
        let policy =
            P::deserialize(self.state).map_err(|error| RestoreError::State { text: error.to_string() })?;
        // Arms can be added while a policy runs, but never removed.
        if !(self.context.n_arms..=MOST_ARMS).contains(&policy.n_arms()) || policy.round() > MOST_ROUNDS {
            let text = format!(
                "it holds {} arms (built with {}) after {} rounds",
                policy.n_arms(),
                self.context.n_arms,
                policy.round()
            );
            return Err(RestoreError::State { text });
        }
        Ok(AnyPolicy::new(self.spec.clone(), self.context, policy))
    }
}

/// [`Policy`] without generic methods, so that it can be a trait object.
trait Erased: Send + Sync {
    fn boxed_clone(&self) -> Box<dyn Erased>;
    fn info(&self) -> &'static Info;
    fn propensity(&self) -> Propensity;
    fn n_arms(&self) -> usize;
    fn round(&self) -> u64;
    fn ready(&self) -> Result<(), InFlight>;
    fn propose(&self, rng: &mut dyn Rng) -> Ticket;
    fn issue(&mut self, ticket: &Ticket);
    fn update(&mut self, ticket: &Ticket, outcome: Outcome);
    fn void(&mut self, ticket: &Ticket);
    fn recommend(&self) -> Arm;
    fn probabilities(&self) -> Option<Vec<f64>>;
    fn lesson(&self, left: Arm, right: Arm, propensity: Option<f64>) -> Result<Ticket, NoLesson>;
    fn additive(&mut self) -> Option<&mut dyn Additive>;
    fn elastic(&mut self) -> Option<&mut dyn Elastic>;
    fn distinct(&self) -> Option<&dyn Distinct>;
    fn state(&self) -> Value;
}

impl Clone for Box<dyn Erased> {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}

impl<P: Policy + 'static> Erased for P {
    fn boxed_clone(&self) -> Box<dyn Erased> {
        Box::new(self.clone())
    }
    fn info(&self) -> &'static Info {
        Policy::info(self)
    }
    fn propensity(&self) -> Propensity {
        Policy::propensity(self)
    }
    fn n_arms(&self) -> usize {
        Policy::n_arms(self)
    }
    fn round(&self) -> u64 {
        Policy::round(self)
    }
    fn ready(&self) -> Result<(), InFlight> {
        Policy::ready(self)
    }
    fn propose(&self, rng: &mut dyn Rng) -> Ticket {
        Policy::propose(self, rng)
    }
    fn issue(&mut self, ticket: &Ticket) {
        Policy::issue(self, ticket);
    }
    fn update(&mut self, ticket: &Ticket, outcome: Outcome) {
        Policy::update(self, ticket, outcome);
    }
    fn void(&mut self, ticket: &Ticket) {
        Policy::void(self, ticket);
    }
    fn recommend(&self) -> Arm {
        Policy::recommend(self)
    }
    fn probabilities(&self) -> Option<Vec<f64>> {
        Policy::probabilities(self)
    }
    fn lesson(&self, left: Arm, right: Arm, propensity: Option<f64>) -> Result<Ticket, NoLesson> {
        Policy::lesson(self, left, right, propensity)
    }
    fn additive(&mut self) -> Option<&mut dyn Additive> {
        Policy::additive(self)
    }
    fn elastic(&mut self) -> Option<&mut dyn Elastic> {
        Policy::elastic(self)
    }
    fn distinct(&self) -> Option<&dyn Distinct> {
        Policy::distinct(self)
    }
    fn state(&self) -> Value {
        serde_json::to_value(self).expect("the state of a policy is plain data")
    }
}

/// A ticket or outcome that this policy cannot learn from.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum UpdateError {
    /// No policy over these arms can have made the ticket.
    #[error(transparent)]
    Ticket(#[from] TicketError),
    /// Another kind of policy made the ticket.
    #[error("`{policy}` cannot have made this ticket, because it does not draw pairs as {draw:?}")]
    Foreign {
        policy: &'static str,
        /// How the pair of the ticket was drawn.
        draw: Draw,
    },
    /// The ticket is a lesson, and the policy cannot learn from lessons.
    #[error(transparent)]
    Lesson(#[from] NoLesson),
    /// The policy accepts only wins and losses, and the score is neither.
    #[error("the score {score} is neither a win nor a loss, and this policy accepts nothing else")]
    NotBinary { score: f64 },
}

impl Hint for UpdateError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Ticket(error) => error.hints(front),
            Self::Foreign { .. } => {
                vec!["use a ticket with the policy that made it, or with one of the same name".to_owned()]
            }
            Self::Lesson(error) => error.hints(front),
            Self::NotBinary { .. } => {
                vec![format!(
                    "break ties by a coin first, or build the policy with {}",
                    front.choice("ties", "coin")
                )]
            }
        }
    }
}

/// Why a saved policy cannot be restored.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum RestoreError {
    /// This version does not know the layout of the state.
    #[error("the state has layout {format}; this version reads layout {FORMAT}")]
    Format { format: u32 },
    /// The specification cannot be read.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// No policy can be built from the specification.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The state is damaged.
    #[error("the state cannot be read: {text}")]
    State {
        /// The message of the reader.
        text: String,
    },
}

impl Hint for RestoreError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Build(error) => error.hints(front),
            Self::State { .. } => vec!["restore only a state that a policy saved".to_owned()],
            Self::Format { .. } | Self::Spec(_) => Vec::new(),
        }
    }
}
