//! Worlds by name: the built-in ones, matrix files, and replays of votes.
//!
//! Adding a built-in world takes its own file with a [`Family`] and one line in [`FAMILIES`].

use std::path::Path;

use tiltyard_bandit::hint::{FrontEnd, Hint, did_you_mean};
use tiltyard_bandit::matrix::PreferenceMatrix;
use tiltyard_bandit::params::ParamError;
use tiltyard_bandit::spec::{Spec, SpecError, suggest};

use crate::any_world::AnyWorld;
use crate::click::ClickError;
use crate::corruption::{CorruptedWorld, Corruption};
use crate::drift::{deceptive, switch, waves};
use crate::family::Build;
pub use crate::family::Family;
use crate::matrix_file::{MatrixFormat, NamedMatrix, ReadMatrixError, read_named_matrix};
use crate::matrix_world::MatrixWorld;
use crate::piecewise::{self, ReadSegmentsError};
use crate::ranker::RankedError;
use crate::replay::{self, ReplayError};
use crate::utility::{bernoulli, beta};
use crate::utility_file::{self, ReadUtilitiesError};
use crate::votes::ReadVotesError;
use crate::{linear_ranker, published, synthetic_rankers};

/// All families, in the order in which they are shown.
pub static FAMILIES: &[&Family] = &[
    &published::ARXIV6,
    &published::SAVAGE6,
    &published::SAVAGE30,
    &published::BVS20,
    &published::CYCLIC4,
    &published::ARITHMETIC8,
    &published::COPELAND5,
    &bernoulli::FAMILY,
    &beta::FAMILY,
    &deceptive::FAMILY,
    &switch::FAMILY,
    &waves::WAVES,
    &waves::ROTATING,
    &piecewise::FAMILY,
    &synthetic_rankers::NP,
    &synthetic_rankers::MSLR,
    &linear_ranker::FAMILY,
    &replay::FAMILY,
    &utility_file::FAMILY,
];

/// The families that are worlds without a file.
pub fn listed() -> impl Iterator<Item = &'static Family> {
    FAMILIES.iter().copied().filter(|family| !family.needs_file)
}

/// The family of that name.
pub fn family(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().copied().find(|family| family.name == name)
}

/// Makes the world that a text names, a built-in one or a matrix file, perhaps corrupted, for a job
/// of `rounds` rounds.
///
/// # Errors
///
/// If there is no such world, a parameter is refused, or the file cannot be read.
pub fn open(text: &str, rounds: u64) -> Result<AnyWorld, WorldError> {
    let (text, corruption) = Corruption::split(text, rounds)?;
    let Some(corruption) = corruption else { return open_pure(text, rounds) };
    let world = matrix_world(text, rounds)?
        .ok_or_else(|| WorldError::NotAMatrix { text: text.to_owned(), action: "corrupted" })?;
    Ok(CorruptedWorld::new(world, corruption).into())
}

/// The world that a text names if it is a matrix and nothing more.
pub(crate) fn matrix_world(text: &str, rounds: u64) -> Result<Option<MatrixWorld>, WorldError> {
    Ok(open_pure(text, rounds)?.into_matrix_world())
}

fn open_pure(text: &str, rounds: u64) -> Result<AnyWorld, WorldError> {
    let named = text.split_once(':').and_then(|(name, _)| family(name));
    let spec: Spec = match text.parse() {
        Ok(spec) => spec,
        Err(_) if looks_like_path(text) && !named.is_some_and(|it| it.needs_file) => return open_file(text),
        Err(error) => return Err(WorldError::Spec(error)),
    };
    match family(spec.name()) {
        Some(family) => family.open(&spec, rounds),
        None if looks_like_path(text) => open_file(text),
        None => {
            let suggestion = suggest(spec.name(), FAMILIES.iter().map(|family| family.name));
            Err(WorldError::Unknown { name: text.to_owned(), suggestion })
        }
    }
}

/// The built-in matrix of that name.
pub fn builtin_matrix(name: &str) -> Option<PreferenceMatrix> {
    match family(name)?.build {
        Build::Matrix(matrix) => Some(matrix()),
        _ => None,
    }
}

fn open_file(path: &str) -> Result<AnyWorld, WorldError> {
    let NamedMatrix { matrix, names } = read_named_matrix(Path::new(path))?;
    Ok(MatrixWorld::new(matrix).with_names(names).into())
}

/// A separator, a known ending or an existing file: not a mistyped name.
fn looks_like_path(text: &str) -> bool {
    let path = Path::new(text);
    text.contains(['/', '\\']) || MatrixFormat::from_path(path).is_some() || path.exists()
}

/// Why there is no such world.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// Neither a built-in world nor a file.
    #[error("there is no world `{name}`, and no matrix file of that name")]
    Unknown {
        /// The text.
        name: String,
        /// What was probably meant.
        suggestion: Option<&'static str>,
    },
    /// A wrapper that there is none of.
    #[error("there is no wrapper `{name}` for worlds, in `{text}`")]
    UnknownWrapper {
        /// The wrapper's name.
        name: String,
        /// The whole text.
        text: String,
        /// What was probably meant.
        suggestion: Option<&'static str>,
    },
    /// A wrapper given twice.
    #[error("`{text}` names the wrapper `{name}` twice")]
    WrapperTwice {
        /// The wrapper's name.
        name: &'static str,
        /// The whole text.
        text: String,
    },
    /// A wrapper in the wrong place.
    #[error("`+{name}` stands right behind the world, before all other wrappers, but not in `{text}`")]
    WrapperOrder {
        /// The wrapper's name.
        name: &'static str,
        /// The whole text.
        text: String,
    },
    /// A continuous world with a wrapper.
    #[error("`{text}`: a continuous world answers at once, so outcomes cannot be held back or lost")]
    Continuous {
        /// The whole text.
        text: String,
    },
    /// Something is done to a world that takes a matrix.
    #[error("only a preference matrix can be {action}, and `{text}` is none")]
    NotAMatrix {
        /// The world.
        text: String,
        /// What should be done to it.
        action: &'static str,
    },
    /// More segments than rounds, or than anybody needs.
    #[error("{segments} segments are more than the {most} that fit into the run")]
    TooManySegments {
        /// How many there would be.
        segments: u64,
        /// How many there may be.
        most: u64,
    },
    /// A text that cannot be read.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A parameter was refused.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// A file was refused.
    #[error(transparent)]
    File(#[from] ReadMatrixError),
    /// Replay of nothing.
    #[error("`replay` needs a file of votes: `replay:file=votes.csv`")]
    NoVotesFile,
    /// A file of votes was refused.
    #[error(transparent)]
    Votes(#[from] ReadVotesError),
    /// A file of segments was refused.
    #[error(transparent)]
    Segments(#[from] ReadSegmentsError),
    /// Utilities from nowhere.
    #[error("`utilities` needs a file of utilities: `utilities:file=utilities.csv`")]
    NoUtilitiesFile,
    /// A file of utilities was refused.
    #[error(transparent)]
    Utilities(#[from] ReadUtilitiesError),
    /// Fewer rows than rounds.
    #[error("{file} has utilities for {n_rows} rounds, and the run has {rounds}")]
    TooShort {
        /// The file.
        file: String,
        /// How many rows it has.
        n_rows: u64,
        /// The length of the run.
        rounds: u64,
    },
    /// A click model was refused.
    #[error(transparent)]
    Clicks(#[from] ClickError),
    /// Rankers that cannot rank.
    #[error(transparent)]
    Rankers(#[from] RankedError),
    /// Votes that make no world.
    #[error("{file}: {error}")]
    Replay {
        /// The file.
        file: String,
        /// What is wrong.
        error: ReplayError,
    },
}

impl Hint for WorldError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Unknown { suggestion, .. } => did_you_mean(
                *suggestion,
                [format!(
                    "{} shows the built-in worlds; a matrix file ends in .csv, .txt or .npy",
                    front.worlds()
                )],
            ),
            Self::UnknownWrapper { suggestion, .. } => {
                did_you_mean(*suggestion, [format!("{} shows the wrappers", front.wrappers())])
            }
            Self::TooShort { .. } => vec![format!(
                "`after=repeat` goes on with the first row, `after=hold` with the last; or play fewer {}",
                front.option("rounds")
            )],
            Self::TooManySegments { .. } => {
                vec![format!("fewer `segments`, a longer `every`, or more {}", front.option("rounds"))]
            }
            Self::Param(error) => error.hints(front),
            Self::File(error) => error.hints(front),
            Self::Votes(error) => error.hints(front),
            Self::Segments(error) => error.hints(front),
            Self::NoUtilitiesFile => vec![ReadUtilitiesError::HINT.to_owned()],
            Self::Utilities(error) => error.hints(front),
            Self::Clicks(error) => error.hints(front),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
