//! All continuous policies by name.
//!
//! Adding one takes its own file and a line in each function here. A second one would make the
//! result of [`build`] an enum or a visitor, as [`policy::registry`] has it.

use super::convex::Region;
use super::{Dbgd, Info, dbgd};
use crate::params::{Context, Params};
use crate::policy::{self, registry::BuildError};
use crate::spec::Spec;

/// The facts of every continuous policy, in the order in which they are shown.
pub fn all() -> impl Iterator<Item = &'static Info> {
    [&dbgd::INFO].into_iter()
}

/// The facts of one continuous policy, if there is one of that name.
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

/// Makes the policy that a specification names.
///
/// # Errors
///
/// If there is no continuous policy of that name or a parameter is refused.
pub fn build(spec: &Spec, horizon: Option<u64>) -> Result<Built, BuildError> {
    let Some(info) = info(spec.name()) else {
        // A policy over arms is told apart from a name that nobody has.
        return Err(match policy::registry::info(spec.name()) {
            Ok(info) => BuildError::NotContinuous { name: info.name },
            Err(error) => error,
        });
    };
    let read = |n_arms| Params::new(spec, Context { n_arms, horizon }, &[info.params]);
    // There are no arms; in expressions `K` stands for the number of dimensions, which must be read
    // first.
    let dimension = dbgd::dimension(&mut read(1)?)?;
    Ok(dbgd::build(read(dimension)?)?)
}
