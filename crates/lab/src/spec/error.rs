//! Errors in a specification.

use std::fmt;
use std::io;
use std::path::PathBuf;

use tiltyard_bandit::hint::{FrontEnd, Hint};
use tiltyard_bandit::policy::registry::BuildError;

use crate::engine::EntryError;
use tiltyard_bandit::spec::SpecError;
use tiltyard_world::UnknownRegret;

use crate::engine::prepared_world::PrepareError;

/// A specification that cannot be run, with the place and the problem.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct SpecificationError {
    /// The name of the file.
    pub origin: String,
    /// The line, counted from 1, if one line is to blame.
    pub line: Option<usize>,
    /// The field, such as `world.arms`; empty if no single field is to blame.
    pub field: String,
    pub problem: Box<Problem>,
}

impl SpecificationError {
    pub(crate) fn new(origin: &str, line: Option<usize>, field: &str, problem: Problem) -> Self {
        Self { origin: origin.to_owned(), line, field: field.to_owned(), problem: Box::new(problem) }
    }
}

impl Hint for SpecificationError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match &*self.problem {
            Problem::Regret(error) => error.hints(front),
            Problem::Policy { error, .. } => error.hints(front),
            Problem::World(error) => error.hints(front),
            Problem::NoData { .. } => vec![format!(
                "set the data directory with {}, or name a world to use instead with `otherwise`",
                front.choice("data", "DIR")
            )],
            Problem::Toml { .. } | Problem::NoWorlds | Problem::NoPolicies | Problem::NoPlace => {
                vec!["docs/specification.md describes every field".to_owned()]
            }
            _ => Vec::new(),
        }
    }
}

impl fmt::Display for SpecificationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.origin)?;
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if !self.field.is_empty() {
            write!(f, "`{}`: ", self.field)?;
        }
        write!(f, "{}", self.problem)
    }
}

impl std::error::Error for SpecificationError {
    // The message contains the problem already, so the source is the cause behind the problem.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.problem.source()
    }
}

/// A problem in a specification.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum Problem {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    /// The text is not valid TOML, or it has an unknown field or a value of the wrong type.
    #[error("{message}")]
    Toml { message: String },
    /// The specification has no world.
    #[error("there must be at least one [[world]]")]
    NoWorlds,
    /// The specification has no policy.
    #[error("there must be at least one [[policy]]")]
    NoPolicies,
    /// The rounds are not in rising order, or there are none.
    #[error("rounds must be in rising order, and there must be at least one")]
    Unsorted,
    /// A round is beyond the horizon.
    #[error("round {round} is beyond the horizon of {horizon}")]
    Beyond {
        round: u64,
        /// The longest horizon of any world.
        horizon: u64,
    },
    /// The regret is unknown.
    #[error(transparent)]
    Regret(#[from] UnknownRegret),
    /// A text is not the specification of a policy.
    #[error(transparent)]
    PolicyText(#[from] SpecError),
    /// A policy is listed twice.
    #[error("`{policy}` is listed twice")]
    PolicyTwice { policy: String },
    /// Two worlds have the same name.
    #[error("two worlds have the name `{name}`; give one of them another `name`")]
    WorldTwice { name: String },
    /// A world has neither `world` nor `data`, or both.
    #[error("a [[world]] has either `world` or `data`")]
    NoPlace,
    /// A field requires another field.
    #[error("requires `{needs}`")]
    Alone { needs: &'static str },
    /// A field excludes another field.
    #[error("cannot be combined with `{other}`")]
    NotWith { other: &'static str },
    /// One name is given to several worlds.
    #[error("several worlds cannot share one name: leave out `name`, or ask for one number of arms")]
    NameOfSeveral,
    /// The data directory is not a directory.
    #[error("`{}` is not a directory", .0.display())]
    NoDirectory(PathBuf),
    /// The file is not in the data directory, or there is no data directory, and the specification
    /// names no replacement.
    #[error("`{file}` is a file in the data directory, but {}", match directory {
        Some(directory) => format!("there is no such file in {}", directory.display()),
        None => "no data directory was given".to_owned(),
    })]
    NoData {
        file: String,
        /// The data directory, if one was given.
        directory: Option<PathBuf>,
    },
    /// The world cannot be made.
    #[error(transparent)]
    World(PrepareError),
    /// The policy cannot be made, or cannot play in the world.
    #[error("{error}{}", match error {
        EntryError::Build(BuildError::Param(_)) => format!(" (in `{world}`)"),
        // These errors do not depend on the world.
        _ => String::new(),
    })]
    Policy {
        /// The world in which the policy cannot play.
        world: String,
        error: EntryError,
    },
}
