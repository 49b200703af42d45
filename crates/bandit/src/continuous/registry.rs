//! All continuous policies by name.
//!
//! A new policy takes its own file and a line in each function here. With a second policy,
//! [`build`] would return an enum or take a visitor, as in [`policy::registry`].

use super::convex::Region;
use super::{Dbgd, Info, dbgd};
use crate::params::{Context, Params};
use crate::policy::{self, registry::BuildError};
use crate::spec::Spec;

/// The facts about every continuous policy, in the order in which lists show them.
pub fn all() -> impl Iterator<Item = &'static Info> {
    [&dbgd::INFO].into_iter()
}

/// The facts about one continuous policy, if the name is known.
pub fn info(name: &str) -> Option<&'static Info> {
    all().find(|info| info.name == name)
}

/// A policy with the parameters in force.
#[derive(Debug, Clone, PartialEq)]
pub struct Built {
    /// The policy.
    pub policy: Dbgd<Region>,
    /// Each parameter with its value.
    pub params: Vec<(&'static str, String)>,
}

/// Builds the policy that a specification names.
///
/// # Errors
///
/// If no continuous policy has that name, or a parameter is refused.
pub fn build(spec: &Spec, horizon: Option<u64>) -> Result<Built, BuildError> {
    let Some(info) = info(spec.name()) else {
        // The name of a policy over arms gets another error than an unknown name.
        return Err(match policy::registry::info(spec.name()) {
            Ok(info) => BuildError::NotContinuous { name: info.name },
            Err(error) => error,
        });
    };
    let read = |n_arms| Params::new(spec, Context { n_arms, horizon }, &[info.params]);
    // There are no arms. In expressions `K` is the number of dimensions, which must therefore be
    // read first.
    let dimension = dbgd::dimension(&mut read(1)?)?;
    Ok(dbgd::build(read(dimension)?)?)
}
