//! A policy whose type is known only at run time: for the edges, not for loops.

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

    /// What it can do, and what it needs.
    pub fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// What is known about this algorithm.
    pub fn info(&self) -> &'static Info {
        self.inner.info()
    }

    /// K when it was made, and T where it was known.
    pub fn context(&self) -> Context {
        self.context
    }

    /// The specification it was made from.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// K, retired arms included.
    pub fn n_arms(&self) -> usize {
        self.inner.n_arms()
    }

    /// How many duels were issued so far.
    pub fn round(&self) -> u64 {
        self.inner.round()
    }

    /// Proposes a duel; see [`Policy::propose`].
    ///
    /// # Errors
    ///
    /// If it is sequential and a duel is in flight.
    pub fn propose(&self, rng: &mut dyn Rng) -> Result<Ticket, InFlight> {
        self.inner.ready()?;
        Ok(self.inner.propose(rng))
    }

    /// Takes note that a duel is in flight; see [`Policy::issue`].
    ///
    /// # Errors
    ///
    /// If the ticket cannot be one of this policy's.
    pub fn issue(&mut self, ticket: &Ticket) -> Result<(), UpdateError> {
        self.check(ticket)?;
        self.inner.issue(ticket);
        Ok(())
    }

    /// Proposes a duel and issues it.
    ///
    /// # Errors
    ///
    /// If it is sequential and a duel is in flight.
    pub fn decide(&mut self, rng: &mut dyn Rng) -> Result<Ticket, InFlight> {
        let ticket = self.propose(rng)?;
        self.inner.issue(&ticket);
        Ok(ticket)
    }

    /// Learns from an outcome; see [`Policy::update`].
    ///
    /// # Errors
    ///
    /// If the ticket cannot be one of this policy's, or the outcome is one it cannot use.
    pub fn update(&mut self, ticket: &Ticket, outcome: Outcome) -> Result<(), UpdateError> {
        self.check_answer(ticket, outcome)?;
        self.inner.update(ticket, outcome);
        Ok(())
    }

    /// Un-learns an outcome that was learned from this ticket, and says whether it could: only what
    /// is additive can. See [`Additive::take_back`]. That this ticket was updated with this
    /// outcome, and not taken back before, is the caller's to know.
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

    /// Takes note that an outcome will never come; see [`Policy::void`].
    ///
    /// # Errors
    ///
    /// If the ticket cannot be one of this policy's.
    pub fn void(&mut self, ticket: &Ticket) -> Result<(), UpdateError> {
        self.check(ticket)?;
        self.inner.void(ticket);
        Ok(())
    }

    /// The arm it would bet on now.
    pub fn recommend(&self) -> Arm {
        self.inner.recommend()
    }

    /// How likely each arm is in the next duel; see [`Policy::probabilities`].
    pub fn probabilities(&self) -> Option<Vec<f64>> {
        self.inner.probabilities()
    }

    /// What its tickets say of how a pair was drawn.
    pub fn propensity(&self) -> Propensity {
        self.inner.propensity()
    }

    /// The ticket with which it learns from a duel that someone else drew; see [`Policy::lesson`].
    ///
    /// # Errors
    ///
    /// If it learns from its own duels only, or the probability is needed and unknown, or arm or
    /// probability cannot be.
    pub fn lesson(&self, left: Arm, right: Arm, propensity: Option<f64>) -> Result<Ticket, NoLesson> {
        self.inner.lesson(left, right, propensity)
    }

    /// The capability to be merged, if it has it.
    pub fn additive(&mut self) -> Option<&mut dyn Additive> {
        self.inner.additive()
    }

    /// The capability to change its arms, if it has it.
    pub fn elastic(&mut self) -> Option<&mut dyn Elastic> {
        self.inner.elastic()
    }

    /// The capability to propose unequal arms, if it has it.
    pub fn distinct(&self) -> Option<&dyn Distinct> {
        self.inner.distinct()
    }

    /// Everything needed to go on later, bit for bit.
    pub fn save(&self) -> Saved {
        Saved {
            format: FORMAT,
            policy: self.spec.to_string(),
            n_arms: self.context.n_arms,
            horizon: self.context.horizon,
            state: self.inner.state(),
        }
    }

    /// Goes on from a saved state.
    ///
    /// # Errors
    ///
    /// If the state was not saved by a policy of this registry, or is damaged.
    pub fn restore(saved: &Saved) -> Result<Self, RestoreError> {
        if saved.format != FORMAT {
            return Err(RestoreError::Format { format: saved.format });
        }
        let spec: Spec = saved.policy.parse()?;
        let context = Context { n_arms: saved.n_arms, horizon: saved.horizon };
        // Only the type of what is built here matters, so a few arms do: a damaged number must not
        // ask for all the memory.
        let small = Context { n_arms: saved.n_arms.min(2), ..context };
        let mut rng = crate::Stream::new(0).rng();
        registry::visit(&spec, small, &mut rng, Restorer { spec: &spec, context, state: &saved.state })?
    }

    /// Whether [`Self::update`] would learn.
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
#[expect(clippy::struct_excessive_bools, reason = "a capability is there or not, each by itself")]
pub struct Capabilities {
    /// What it learned can be merged and taken back; see [`Additive`].
    pub additive: bool,
    /// Its arms can change while it runs; see [`Elastic`].
    pub elastic: bool,
    /// It can propose unequal arms; see [`Distinct`].
    pub distinct: bool,
    /// It needs each outcome before the next duel; see [`super::Sequential`].
    pub sequential: bool,
    /// Whether it can learn from duels that it did not draw; see [`Policy::lesson`].
    pub lessons: Lessons,
}

impl core::fmt::Debug for AnyPolicy {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "AnyPolicy({} after {} rounds)", self.spec, self.round())
    }
}

/// A policy at rest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saved {
    /// The version of this layout.
    pub format: u32,
    /// The specification it was made from.
    pub policy: String,
    /// K when it was made.
    pub n_arms: usize,
    /// T, where it was known.
    pub horizon: Option<u64>,
    /// Its state.
    pub state: Value,
}

/// More arms than a ticket can name.
const MOST_ARMS: usize = u32::MAX as usize;

/// More rounds than anybody plays, and far from where a counter would overflow.
const MOST_ROUNDS: u64 = u64::MAX / 2;

/// The layout written now.
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
        // Arms can be added while a policy runs, and never taken away.
        if !(self.context.n_arms..=MOST_ARMS).contains(&policy.n_arms()) || policy.round() > MOST_ROUNDS {
            let text = format!(
                "{} arms of {} after {} rounds",
                policy.n_arms(),
                self.context.n_arms,
                policy.round()
            );
            return Err(RestoreError::State { text });
        }
        Ok(AnyPolicy::new(self.spec.clone(), self.context, policy))
    }
}

/// [`Policy`] with its generic parts fixed, so that it fits behind a pointer.
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
        serde_json::to_value(self).expect("a policy's state is plain data")
    }
}

/// A ticket or outcome that this policy cannot learn from.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UpdateError {
    /// The ticket cannot have been issued by any policy of these arms.
    #[error(transparent)]
    Ticket(#[from] TicketError),
    /// The ticket was issued by another kind of policy.
    #[error("the ticket was drawn as {draw:?}, which is not how `{policy}` draws")]
    Foreign {
        /// This policy.
        policy: &'static str,
        /// How the ticket says it was drawn.
        draw: Draw,
    },
    /// The ticket is a lesson, and the policy takes none.
    #[error(transparent)]
    Lesson(#[from] NoLesson),
    /// The policy counts wins and losses; ties are to be broken by a coin before.
    #[error("the score {score} is neither a win nor a loss: break ties by a coin first")]
    NotBinary {
        /// The score.
        score: f64,
    },
}

impl Hint for UpdateError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Ticket(error) => error.hints(front),
            Self::Foreign { .. } => {
                vec!["a ticket is for the policy that made it, or one of the same name".to_owned()]
            }
            Self::Lesson(error) => error.hints(front),
            Self::NotBinary { .. } => {
                vec![format!("a policy made with {} tosses one itself", front.choice("ties", "coin"))]
            }
        }
    }
}

/// Why a saved policy cannot go on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// It was saved in a layout that this version does not know.
    #[error("the state has layout {format}; this version reads layout {FORMAT}")]
    Format {
        /// The layout found.
        format: u32,
    },
    /// Its specification cannot be read.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// Its specification is refused.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Its state is damaged.
    #[error("the state cannot be read: {text}")]
    State {
        /// What the reader said.
        text: String,
    },
}

impl Hint for RestoreError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Build(error) => error.hints(front),
            Self::State { .. } => vec!["only what a policy itself has saved can be read".to_owned()],
            Self::Format { .. } | Self::Spec(_) => Vec::new(),
        }
    }
}
