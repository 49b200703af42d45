//! Worlds by name: built-in worlds, matrix files, and replays of votes.
//!
//! To add a built-in world, declare a [`Family`] in a file of its own and add a line to
//! [`FAMILIES`].

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

/// The families that need no file.
pub fn listed() -> impl Iterator<Item = &'static Family> {
    FAMILIES.iter().copied().filter(|family| !family.needs_file)
}

/// The family with this name.
pub fn family(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().copied().find(|family| family.name == name)
}

/// Opens the world that a text names: a built-in world or a matrix file, optionally `+corrupted`.
/// `rounds` is the length of a run.
///
/// # Errors
///
/// If there is no such world, a parameter is invalid, or the file cannot be read.
pub fn open(text: &str, rounds: u64) -> Result<AnyWorld, WorldError> {
    let (text, corruption) = Corruption::split(text, rounds)?;
    let Some(corruption) = corruption else { return open_pure(text, rounds) };
    let world = matrix_world(text, rounds)?
        .ok_or_else(|| WorldError::NotAMatrix { text: text.to_owned(), action: "corrupted" })?;
    Ok(CorruptedWorld::new(world, corruption).into())
}

/// The world that a text names, if it is a plain matrix.
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

/// The built-in matrix with this name.
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

/// Whether the text is a path and not a mistyped name: it has a separator, a known ending, or is an
/// existing file.
fn looks_like_path(text: &str) -> bool {
    let path = Path::new(text);
    text.contains(['/', '\\']) || MatrixFormat::from_path(path).is_some() || path.exists()
}

/// Why a world could not be opened.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum WorldError {
    /// Neither a built-in world nor a matrix file has this name.
    #[error("there is no world `{name}`, and no matrix file of that name")]
    Unknown { name: String, suggestion: Option<&'static str> },
    /// No wrapper has this name.
    #[error("there is no wrapper `{name}` for worlds, in `{text}`")]
    UnknownWrapper { name: String, text: String, suggestion: Option<&'static str> },
    /// The text names a wrapper twice.
    #[error("`{text}` names the wrapper `{name}` twice")]
    WrapperTwice { name: &'static str, text: String },
    /// A wrapper must come before the others.
    #[error("`+{name}` must come directly after the world, before all other wrappers, in `{text}`")]
    WrapperOrder { name: &'static str, text: String },
    /// Wrappers cannot be used with a continuous world.
    #[error("`{text}`: a continuous world answers at once, so outcomes cannot be delayed or lost")]
    Continuous { text: String },
    /// The operation needs a preference matrix.
    #[error("`{text}` is not a preference matrix, and only a preference matrix can be {action}")]
    NotAMatrix { text: String, action: &'static str },
    /// There are more segments than rounds, or more than fit into memory.
    #[error("{segments} segments are more than the {most} that fit into the run")]
    TooManySegments { segments: u64, most: u64 },
    /// The text is not of the form `name:key=value`.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A parameter is invalid.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// A matrix file cannot be read.
    #[error(transparent)]
    File(#[from] ReadMatrixError),
    /// `replay` without a file of votes.
    #[error("`replay` needs a file of votes: `replay:file=votes.csv`")]
    NoVotesFile,
    /// A file of votes cannot be read.
    #[error(transparent)]
    Votes(#[from] ReadVotesError),
    /// A file of segments cannot be read.
    #[error(transparent)]
    Segments(#[from] ReadSegmentsError),
    /// `utilities` without a file.
    #[error("`utilities` needs a file of utilities: `utilities:file=utilities.csv`")]
    NoUtilitiesFile,
    /// A file of utilities cannot be read.
    #[error(transparent)]
    Utilities(#[from] ReadUtilitiesError),
    /// The file has fewer rows than the run has rounds.
    #[error("{file} has utilities for {n_rows} rounds, but the run has {rounds}")]
    TooShort { file: String, n_rows: u64, rounds: u64 },
    /// A click model is invalid.
    #[error(transparent)]
    Clicks(#[from] ClickError),
    /// The rankers or their collection are invalid.
    #[error(transparent)]
    Rankers(#[from] RankedError),
    /// The votes cannot be replayed.
    #[error("{file}: {error}")]
    Replay { file: String, error: ReplayError },
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
                "`after=repeat` starts again at the first row, `after=hold` keeps the last; or play fewer {}",
                front.option("rounds")
            )],
            Self::TooManySegments { .. } => {
                vec![format!("use fewer `segments`, a longer `every`, or more {}", front.option("rounds"))]
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
