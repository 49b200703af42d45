//! A family of worlds: all that `open`, lists and pages know about a name, declared in the world's
//! own file.

use tiltyard_bandit::matrix::PreferenceMatrix;
use tiltyard_bandit::params::{Context, Param, ParamError, Params};
use tiltyard_bandit::spec::Spec;

use crate::any_world::AnyWorld;
use crate::builtin::WorldError;
use crate::drift::{AnyDrift, DriftWorld, Noise};
use crate::law::Law;
use crate::matrix_world::MatrixWorld;
use crate::param::ANSWERS;
use crate::utility::UtilityWorld;

/// What is known about the worlds of one name.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// One line.
    pub title: &'static str,
    /// Where it comes from: a citation, where it was published.
    pub provenance: &'static str,
    /// K by default; `None` where the parameters or a file decide.
    pub n_arms: Option<usize>,
    /// Its parameters.
    pub params: &'static [Param],
    /// Whether it is nothing without a file, so that lists of built-in worlds leave it out.
    pub needs_file: bool,
    pub(crate) build: Build,
}

type ReadLaws = fn(&mut Params<'_>) -> Result<Vec<Law>, ParamError>;
type ReadDrift = fn(&mut Params<'_>, u64) -> Result<(AnyDrift, Noise), ParamError>;

/// How a world is made.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Build {
    /// A matrix, the same for everybody.
    Matrix(fn() -> PreferenceMatrix),
    /// The laws of the arms' utilities, from parameters; how duels are answered is one of them.
    Laws(ReadLaws),
    /// A sequence of utilities, from parameters and the length of a run; likewise.
    Drift(ReadDrift),
    /// Anything else.
    World(fn(&Spec, u64) -> Result<AnyWorld, WorldError>),
}

impl Family {
    /// The world that a specification of this family names, for runs of `rounds` rounds.
    pub(crate) fn open(&self, spec: &Spec, rounds: u64) -> Result<AnyWorld, WorldError> {
        let read = || self.read(spec, rounds);
        Ok(match self.build {
            Build::World(build) => build(spec, rounds)?,
            Build::Matrix(matrix) => {
                read()?;
                MatrixWorld::new(matrix()).into()
            }
            Build::Laws(build) => {
                let mut params = read()?;
                let (answers, laws) = (ANSWERS.read(&mut params)?, build(&mut params)?);
                params.finish()?;
                UtilityWorld::new(laws, answers).expect("parameters are within their ranges").into()
            }
            Build::Drift(build) => {
                let mut params = read()?;
                let (answers, (drift, noise)) = (ANSWERS.read(&mut params)?, build(&mut params, rounds)?);
                params.finish()?;
                DriftWorld::new(drift, noise, answers).into()
            }
        })
    }

    /// Starts reading the parameters. In expressions `K` is the default number of arms.
    pub(crate) fn read<'a>(&self, spec: &'a Spec, rounds: u64) -> Result<Params<'a>, ParamError> {
        let context = Context { n_arms: self.n_arms.unwrap_or(1), horizon: Some(rounds) };
        Params::new(spec, context, &[self.params])
    }
}
