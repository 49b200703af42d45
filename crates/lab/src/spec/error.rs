//! What can be wrong with a specification.

use std::fmt;
use std::io;
use std::path::PathBuf;

use tiltyard_bandit::hint::{FrontEnd, Hint};
use tiltyard_bandit::policy::registry::BuildError;

use crate::engine::EntryError;
use tiltyard_bandit::spec::SpecError;
use tiltyard_world::UnknownRegret;

use crate::engine::prepared_world::PrepareError;

/// A specification that cannot be run: where, and what is wrong.
#[derive(Debug)]
pub struct SpecificationError {
    /// The file.
    pub origin: String,
    /// The line, counted from 1, where one is to blame.
    pub line: Option<usize>,
    /// The field, as `world.arms`; empty where none is to blame.
    pub field: String,
    /// What is wrong.
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
                "{} says where the data is; `otherwise` names a world to play in without it",
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
    // The problem is part of the message, so it is not repeated; what is behind it is not.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.problem.source()
    }
}

/// What is wrong with a specification.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    /// It is no TOML, or has a field that there is not, or a value of the wrong type.
    #[error("{message}")]
    Toml {
        /// What the reader said.
        message: String,
    },
    /// There is no world.
    #[error("there must be at least one [[world]]")]
    NoWorlds,
    /// There is no policy.
    #[error("there must be at least one [[policy]]")]
    NoPolicies,
    /// Rounds that do not rise.
    #[error("rounds must rise, and there must be at least one")]
    Unsorted,
    /// A round after the end.
    #[error("round {round} lies beyond the horizon of {horizon}")]
    Beyond {
        /// The round.
        round: u64,
        /// The longest horizon of any world.
        horizon: u64,
    },
    /// A word that names no regret.
    #[error(transparent)]
    Regret(#[from] UnknownRegret),
    /// A text that is no policy's specification.
    #[error(transparent)]
    PolicyText(#[from] SpecError),
    /// Two policies that are the same.
    #[error("`{policy}` is there twice")]
    PolicyTwice {
        /// Its specification.
        policy: String,
    },
    /// Two worlds of one name.
    #[error("a world of the name `{name}` is there twice; give one another `name`")]
    WorldTwice {
        /// The name.
        name: String,
    },
    /// A world that is nowhere.
    #[error("a [[world]] has either `world` or `data`")]
    NoPlace,
    /// A field that means nothing without another.
    #[error("means nothing without `{needs}`")]
    Alone {
        /// The other.
        needs: &'static str,
    },
    /// A field that means nothing beside another.
    #[error("means nothing beside `{other}`")]
    NotWith {
        /// The other.
        other: &'static str,
    },
    /// A name for several worlds.
    #[error("one name cannot be given to several worlds: leave `name` out, or ask for one number of arms")]
    NameOfSeveral,
    /// The data directory that was given is none.
    #[error("`{}` is not a directory", .0.display())]
    NoDirectory(PathBuf),
    /// The world is a file of a data directory, there is none, and nothing stands in for it.
    #[error("`{file}` is a file of the data directory, and {}", match directory {
        Some(directory) => format!("there is no such file in {}", directory.display()),
        None => "none was given".to_owned(),
    })]
    NoData {
        /// The file.
        file: String,
        /// The data directory, if one was given.
        directory: Option<PathBuf>,
    },
    /// The world cannot be made.
    #[error(transparent)]
    World(PrepareError),
    /// The policy cannot be made, or cannot play there.
    #[error("{error}{}", match error {
        EntryError::Build(BuildError::Param(_)) => format!(" (in `{world}`)"),
        // Wherever it plays.
        _ => String::new(),
    })]
    Policy {
        /// The world in which it cannot.
        world: String,
        /// Why.
        error: EntryError,
    },
}
