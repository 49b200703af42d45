//! All policies by name.
//!
//! A new policy takes its own file and one line here.

use rand::Rng;

use super::{AnyPolicy, Info, Policy};
use crate::continuous;
use crate::hint::{FrontEnd, Hint, did_you_mean};
use crate::params::{Context, ParamError, Params};
use crate::spec::{Spec, suggest};

macro_rules! registry {
    ($($family:ty),* $(,)?) => {
        /// The facts about every policy, in the order in which lists show them.
        pub fn all() -> impl Iterator<Item = Info> {
            [$(<$family as Family>::INFO),*].into_iter()
        }

        /// Builds the policy that a specification names and passes it to the visitor. Construction
        /// may draw from `rng` (a random first arm, a random partition).
        ///
        /// # Errors
        ///
        /// If there is no such policy or a parameter is refused.
        pub fn visit<V: Visitor>(
            spec: &Spec,
            context: Context,
            rng: &mut dyn Rng,
            visitor: V,
        ) -> Result<V::Output, BuildError> {
            $(if spec.name() == <$family as Family>::INFO.name {
                let info = <$family as Family>::INFO;
                let params = Params::new(spec, context, &[info.params])?;
                return Ok(<$family as Family>::build(params, rng, Built(visitor))?);
            })*
            Err(BuildError::unknown(spec.name()))
        }
    };
}

registry! {
    super::rex3::Family,
    super::sparring::Family,
    super::rucb::Family,
    super::btm::Family,
    super::savage::Family,
    super::interleaved_filter::If1,
    super::interleaved_filter::If2,
    super::doubler::Family,
    super::multisbm::Family,
    super::feedexp3::Family,
    super::vdb::Family,
    super::dts::Family,
    super::dts::Plus,
    super::rcs::Family,
    super::rmed::rmed1::Family,
    super::rmed::rmed2::Family,
    super::rmed::rmed2fh::Family,
    super::mergerucb::Family,
    super::mergedts::Family,
    super::ccb::Family,
    super::scb::Family,
    super::selfsparring::Family,
    super::wsw::Family,
    super::wss::Family,
    super::dexp3::Family,
    super::btw::Family,
    super::random::Family,
}

/// A policy as the registry sees it: its facts, and how to build it from parameters.
pub trait Family {
    /// The facts about the policy.
    const INFO: Info;

    /// Reads the parameters, builds the policy, and passes it to [`Built::finish`].
    ///
    /// # Errors
    ///
    /// If a parameter is refused.
    fn build<V: Visitor>(
        params: Params<'_>,
        rng: &mut dyn Rng,
        built: Built<V>,
    ) -> Result<V::Output, ParamError>;
}

/// Every policy under its bare name, and the forms of it that a comparison of all policies
/// includes.
pub fn line_up() -> Vec<Spec> {
    all().flat_map(forms).collect()
}

fn forms(Info { name, forms, .. }: Info) -> impl Iterator<Item = Spec> {
    let bare = core::iter::once(name.to_owned());
    let others = forms.iter().map(move |form| format!("{name}:{form}"));
    bare.chain(others).map(|form| form.parse().expect("forms are well formed"))
}

/// Code that receives a policy whose concrete type only the registry knows. It is compiled once per
/// policy, so a loop in it makes no virtual calls.
pub trait Visitor {
    /// The result of the visit.
    type Output;

    /// Receives the policy, and the parameters in force.
    fn visit<P: Policy + 'static>(self, policy: P, params: Vec<(&'static str, String)>) -> Self::Output;
}

/// The visitor, which can be used only after all parameters were checked.
#[derive(Debug)]
pub struct Built<V>(V);

impl<V: Visitor> Built<V> {
    /// Checks that every given parameter was used, then calls the visitor.
    ///
    /// # Errors
    ///
    /// If a parameter was not used.
    pub fn finish<P: Policy + 'static>(self, params: Params<'_>, policy: P) -> Result<V::Output, ParamError> {
        Ok(self.0.visit(policy, params.finish()?))
    }
}

/// The facts about one policy.
///
/// # Errors
///
/// If no policy has that name.
pub fn info(name: &str) -> Result<Info, BuildError> {
    all().find(|info| info.name == name).ok_or_else(|| BuildError::unknown(name))
}

/// Builds the policy that a specification names, as a trait object.
///
/// # Errors
///
/// If there is no such policy or a parameter is refused.
pub fn build(spec: &Spec, context: Context, rng: &mut dyn Rng) -> Result<AnyPolicy, BuildError> {
    struct Boxed<'a>(&'a Spec, Context);
    impl Visitor for Boxed<'_> {
        type Output = AnyPolicy;
        fn visit<P: Policy + 'static>(self, policy: P, _: Vec<(&'static str, String)>) -> AnyPolicy {
            AnyPolicy::new(self.0.clone(), self.1, policy)
        }
    }
    visit(spec, context, rng, Boxed(spec, context))
}

/// Why a policy could not be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum BuildError {
    /// No policy has that name.
    #[error("there is no policy `{name}`")]
    UnknownPolicy {
        name: String,
        /// The known name closest to `name`, if one is close.
        suggestion: Option<&'static str>,
    },
    /// The name belongs to a continuous policy, which implements another trait.
    #[error(
        "`{name}` is a continuous policy and duels points of a convex set; this needs a policy that duels arms"
    )]
    Continuous { name: &'static str },
    /// The name belongs to a policy over arms, but a continuous policy is needed.
    #[error("`{name}` duels arms; this needs a continuous policy, which duels points of a convex set")]
    NotContinuous { name: &'static str },
    /// A parameter was refused.
    #[error(transparent)]
    Param(#[from] ParamError),
}

impl Hint for BuildError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::UnknownPolicy { suggestion, .. } => {
                did_you_mean(*suggestion, [format!("{} shows all policies", front.policies())])
            }
            Self::Continuous { name } => vec![
                format!("{} explains how to use it in a program", front.page(name)),
                format!("{} shows the other policies", front.policies()),
            ],
            Self::NotContinuous { .. } => Vec::new(),
            Self::Param(error) => error.hints(front),
        }
    }
}

impl BuildError {
    /// The error for a name that no policy over arms has.
    fn unknown(name: &str) -> Self {
        if let Some(info) = continuous::registry::info(name) {
            return Self::Continuous { name: info.name };
        }
        let names = all().map(|info| info.name).chain(continuous::registry::all().map(|info| info.name));
        Self::UnknownPolicy { name: name.to_owned(), suggestion: suggest(name, names) }
    }
}
