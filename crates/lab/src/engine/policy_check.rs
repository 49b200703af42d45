//! Checks a policy before its first run.

use tiltyard_bandit::continuous::{self, ContinuousPolicy as _};
use tiltyard_bandit::hint::{FrontEnd, Hint};
use tiltyard_bandit::params::{Context, ParamError};
use tiltyard_bandit::policy::Policy;
use tiltyard_bandit::policy::registry::{self, BuildError, Visitor};
use tiltyard_bandit::{Spec, Stream};
use tiltyard_world::{ContinuousWorld as _, Delivery, PointWorld};

use crate::engine::prepared_world::PreparedWorld;

/// A policy that can play, with its parameters.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CheckedPolicy {
    /// The parameters in force.
    pub(crate) params: Vec<(&'static str, String)>,
    /// Whether the policy needs the horizon.
    pub(crate) fixed_horizon: bool,
}

/// The capabilities that decide whether a policy can play with late outcomes and on several nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Abilities {
    sequential: bool,
    additive: bool,
}

/// A policy cannot play in a world.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum EntryError {
    /// The policy cannot be made.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Outcomes arrive late, but the policy needs each one before its next duel.
    #[error("`{policy}` needs each outcome before its next duel, so it cannot play with late outcomes")]
    Sequential { policy: String },
    /// A continuous policy and the world have different numbers of dimensions.
    #[error("`{policy}` has {got} dimensions, but the world has {dimension}")]
    Dimension {
        policy: String,
        /// The policy's number of dimensions.
        got: usize,
        /// The world's number of dimensions.
        dimension: usize,
    },
    /// The policy is not additive, so it cannot run on several nodes.
    #[error(
        "`{policy}` cannot run on {nodes} nodes: it is not additive, so nodes cannot merge what they learn"
    )]
    NotAdditive { policy: String, nodes: usize },
}

impl Hint for EntryError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Build(error) => error.hints(front),
            Self::Sequential { .. } | Self::NotAdditive { .. } => {
                vec![format!("{} lists the capabilities of a policy", front.page("NAME"))]
            }
            Self::Dimension { .. } => {
                vec!["leave out the policy's number of dimensions: it then takes the world's".to_owned()]
            }
        }
    }
}

impl CheckedPolicy {
    /// Builds the policy once without a horizon. If the policy asks for one, it is a fixed-horizon
    /// policy, and it is built with the longest horizon to see that nothing else is wrong. Then
    /// checks that the policy can play with the world's delivery of outcomes.
    pub(crate) fn new(spec: &Spec, world: &PreparedWorld, rounds: u64) -> Result<Self, EntryError> {
        struct ReadFacts;
        impl Visitor for ReadFacts {
            type Output = (Vec<(&'static str, String)>, Abilities);
            fn visit<P: Policy + 'static>(
                self,
                mut policy: P,
                params: Vec<(&'static str, String)>,
            ) -> Self::Output {
                let sequential = policy.sequential().is_some();
                (params, Abilities { sequential, additive: policy.additive().is_some() })
            }
        }
        if let Some(points) = world.points() {
            let (built, fixed_horizon) =
                with_horizon(rounds, |horizon| build_continuous(spec, points, horizon))?;
            let (got, dimension) = (built.policy.dimension(), points.0.dimension());
            if got != dimension {
                return Err(EntryError::Dimension { policy: spec.to_string(), got, dimension });
            }
            return Ok(Self { params: built.params, fixed_horizon });
        }
        let n_arms = world.n_arms();
        let ((params, abilities), fixed_horizon) = with_horizon(rounds, |horizon| {
            let mut rng = Stream::new(0).rng();
            registry::visit(spec, Context { n_arms, horizon }, &mut rng, ReadFacts)
        })?;
        abilities.allow(spec, &world.delivery())?;
        Ok(Self { params, fixed_horizon })
    }
}

/// Builds without a horizon or, if the policy asks for one, with it. Also returns whether it was
/// needed.
fn with_horizon<T>(
    rounds: u64,
    build: impl Fn(Option<u64>) -> Result<T, BuildError>,
) -> Result<(T, bool), BuildError> {
    match build(None) {
        Err(BuildError::Param(ParamError::NeedsHorizon { .. })) => Ok((build(Some(rounds))?, true)),
        without => Ok((without?, false)),
    }
}

/// Builds a continuous policy with the world's number of dimensions, unless its text sets another.
pub(crate) fn build_continuous(
    spec: &Spec,
    PointWorld(world): &PointWorld,
    horizon: Option<u64>,
) -> Result<continuous::registry::Built, BuildError> {
    let separator = if spec.keys().next().is_none() { ':' } else { ',' };
    let is_continuous = continuous::registry::info(spec.name()).is_some();
    if !is_continuous || spec.get("dims").is_some() {
        return continuous::registry::build(spec, horizon);
    }
    let spec = format!("{spec}{separator}dims={}", world.dimension());
    continuous::registry::build(&spec.parse().expect("one more parameter keeps it valid"), horizon)
}

impl Abilities {
    fn allow(self, spec: &Spec, delivery: &Delivery) -> Result<(), EntryError> {
        let policy = || spec.to_string();
        if delivery.nodes() > 1 && !self.additive {
            return Err(EntryError::NotAdditive { policy: policy(), nodes: delivery.nodes() });
        }
        if delivery.is_late() && self.sequential {
            return Err(EntryError::Sequential { policy: policy() });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the rule on made-up capabilities, without building a policy.
    #[test]
    fn trace_a_sequential_policy_cannot_be_made_to_wait() {
        let spec: Spec = "wsw".parse().unwrap();
        let allowed = |wrappers: &str| {
            let (_, delivery) = Delivery::split(wrappers, 100).unwrap();
            let abilities = Abilities { sequential: true, additive: false };
            abilities.allow(&spec, &delivery).map_err(|error| error.to_string())
        };
        for bearable in ["arxiv6", "arxiv6+lossy", "arxiv6+delayed:rounds=0", "arxiv6+nodes:count=1"] {
            assert_eq!(allowed(bearable), Ok(()), "{bearable}");
        }
        let refused = "`wsw` needs each outcome before its next duel, so it cannot play with late outcomes";
        for late in ["arxiv6+delayed", "arxiv6+batched", "arxiv6+delayed:mean=1"] {
            assert_eq!(allowed(late), Err(refused.to_owned()), "{late}");
        }
    }
}
