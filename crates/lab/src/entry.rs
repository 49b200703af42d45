//! What must be known of a policy before its first run.

use tiltyard_bandit::params::{Context, ParamError};
use tiltyard_bandit::policy::Policy;
use tiltyard_bandit::policy::registry::{self, BuildError, Visitor};
use tiltyard_bandit::{Spec, Stream};

/// A policy, with what has been found out about it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    /// The parameters in force.
    pub(crate) params: Vec<(&'static str, String)>,
    /// Whether it must be told the horizon.
    pub(crate) fixed_horizon: bool,
}

impl Entry {
    /// Builds the policy once without a horizon. If it asks for one, it is a fixed-horizon policy, and is built with the longest
    /// to see that nothing else is wrong.
    pub(crate) fn new(spec: &Spec, n_arms: usize, rounds: u64) -> Result<Self, BuildError> {
        struct ReadParams;
        impl Visitor for ReadParams {
            type Output = Vec<(&'static str, String)>;
            fn visit<P: Policy + 'static>(self, _: P, params: Self::Output) -> Self::Output {
                params
            }
        }
        let build = |horizon| {
            let mut rng = Stream::new(0).rng();
            registry::visit(spec, Context { n_arms, horizon }, &mut rng, ReadParams)
        };
        match build(None) {
            Ok(params) => Ok(Self { params, fixed_horizon: false }),
            Err(BuildError::Param(ParamError::NeedsHorizon { .. })) => {
                Ok(Self { params: build(Some(rounds))?, fixed_horizon: true })
            }
            Err(error) => Err(error),
        }
    }
}
