//! A family of worlds: everything that `open`, lists and pages show about a name. Each world
//! declares its family in its own file.

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

/// The worlds that share a name and differ in parameters.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Family {
    pub name: &'static str,
    /// A description in one line.
    pub title: &'static str,
    /// Where it comes from: a citation if it was published. `world show` prints it after "from".
    pub provenance: &'static str,
    /// K by default; `None` if the parameters or a file decide.
    pub n_arms: Option<usize>,
    pub params: &'static [Param],
    /// Whether it needs a file. Lists of built-in worlds leave such a family out.
    pub needs_file: bool,
    pub(crate) build: Build,
}

type ReadLaws = fn(&mut Params<'_>) -> Result<Vec<Law>, ParamError>;
type ReadDrift = fn(&mut Params<'_>, u64) -> Result<(AnyDrift, Noise), ParamError>;

/// How a world is made.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Build {
    /// A fixed matrix.
    Matrix(fn() -> PreferenceMatrix),
    /// The distributions of the arms' utilities, from parameters. [`Family::open`] reads the
    /// parameter `answers`.
    Laws(ReadLaws),
    /// A sequence of utilities, from parameters and the length of a run. [`Family::open`] reads the
    /// parameter `answers`.
    Drift(ReadDrift),
    /// Anything else.
    World(fn(&Spec, u64) -> Result<AnyWorld, WorldError>),
}

impl Family {
    /// Opens a world of this family for runs of `rounds` rounds.
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

    /// Starts to read the parameters. In expressions, `K` is the default number of arms.
    pub(crate) fn read<'a>(&self, spec: &'a Spec, rounds: u64) -> Result<Params<'a>, ParamError> {
        let context = Context { n_arms: self.n_arms.unwrap_or(1), horizon: Some(rounds) };
        Params::new(spec, context, &[self.params])
    }
}
