//! Worlds by name: the built-in ones, matrix files, and replays of votes.
//!
//! Adding a built-in world takes one entry in [`ALL`] and one arm in [`open`].

use std::path::Path;

use tiltyard_bandit::matrix::{PreferenceMatrix, builtin as matrices};
use tiltyard_bandit::params::{Context, Param, ParamError, Params, Range};
use tiltyard_bandit::spec::{Spec, SpecError, suggest};

use crate::any_world::AnyWorld;
use crate::click::ClickError;
use crate::corruption::{Corrupted, Corruption};
use crate::drift::{AnyDrift, Deceptive, DriftWorld, LogBase, Noise, Switch, Waves};
use crate::law::Law;
use crate::matrix_file::{MatrixFormat, NamedMatrix, ReadMatrixError, read_named_matrix};
use crate::matrix_world::MatrixWorld;
use crate::piecewise::{self, ReadSegmentsError};
use crate::ranker::RankedError;
use crate::replay::{self, ReplayError, ReplayWorld};
use crate::synthetic_rankers;
use crate::utility::{Answers, UtilityWorld};
use crate::utility_file::{self, ReadUtilitiesError};
use crate::votes::{ReadVotesError, read_votes};

/// A built-in world, as lists show it.
#[derive(Debug, Clone, Copy)]
pub struct WorldInfo {
    /// Its name.
    pub name: &'static str,
    /// One line.
    pub title: &'static str,
    /// Where it comes from.
    pub provenance: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
}

pub(crate) const ANSWERS: Param = Param {
    key: "answers",
    default: "graded",
    legal: "graded, binary",
    meaning: "the difference of utilities, or wins and losses with ties broken by a coin",
};

const fn arms(default: &'static str, legal: &'static str) -> Param {
    Param { key: "arms", default, legal, meaning: "how many arms" }
}

const YUE: &str = "Yue and Joachims, Beat the Mean Bandit, ICML 2011: six retrieval functions interleaved on arXiv.org; the one \
                   asymmetric pair as symmetrised in later work";
const URVOY: &str =
    "Urvoy, Clérot, Féraud and Naamane, ICML 2013; P(i, j) = 1/2 + j / (2K) for i < j, counted from 1";
const GAJANE: &str = "Gajane, Urvoy and Clérot, ICML 2015";

impl WorldInfo {
    /// How many arms it has unless told otherwise: built-in names end in that number, where it is the world's own.
    pub fn n_arms(&self) -> Option<usize> {
        self.name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()
    }
}

/// All built-in worlds, in the order in which they are shown.
pub static ALL: &[WorldInfo] = &[
    WorldInfo { name: "arxiv6", title: "six rankers of arXiv.org", provenance: YUE, params: &[] },
    WorldInfo { name: "savage6", title: "SAVAGE, 6 arms", provenance: URVOY, params: &[] },
    WorldInfo { name: "savage30", title: "SAVAGE, 30 arms", provenance: URVOY, params: &[] },
    WorldInfo {
        name: "bvs20",
        title: "the Condorcet winner (arm 0) has a low Borda score",
        provenance: "Gajane, Urvoy and Clérot, ICML 2015, appendix",
        params: &[],
    },
    WorldInfo {
        name: "cyclic4",
        title: "three arms beat each other in a cycle, a fourth beats them all narrowly",
        provenance: "Komiyama, Honda, Kashima and Nakagawa, COLT 2015",
        params: &[],
    },
    WorldInfo {
        name: "arithmetic8",
        title: "P(i, j) = 1/2 + 0.05 (j - i)",
        provenance: "Komiyama, Honda, Kashima and Nakagawa, COLT 2015",
        params: &[],
    },
    WorldInfo {
        name: "copeland5",
        title: "no arm beats every other; arm 0 beats the most",
        provenance: "made for this library",
        params: &[],
    },
    WorldInfo {
        name: "bernoulli10",
        title: "Bernoulli utilities, one arm better",
        provenance: "a textbook case",
        params: &[
            arms("10", "[1, 1e7]"),
            Param { key: "best", default: "0.6", legal: "[0, 1]", meaning: "mean of arm 0" },
            Param { key: "rest", default: "0.5", legal: "[0, 1]", meaning: "mean of the others" },
            ANSWERS,
        ],
    },
    WorldInfo {
        name: "beta10",
        title: "graded utilities: Beta laws with means from 0.7 down to 0.3",
        provenance: "a textbook case",
        params: &[
            arms("10", "[1, 1e4]"),
            Param {
                key: "weight",
                default: "4",
                legal: "above 0",
                meaning: "the sum of the two parameters of each law",
            },
            ANSWERS,
        ],
    },
    WorldInfo {
        name: "deceptive10",
        title: "the best arm's advantage shrinks like sqrt(K log(t) / t)",
        provenance: GAJANE,
        params: &[
            arms("10", "[1, 1e7]"),
            Param { key: "log", default: "e", legal: "e, 2, 10", meaning: "base of the logarithm" },
            ANSWERS,
        ],
    },
    WorldInfo {
        name: "switch10",
        title: "the switch trap: another arm is far ahead for the first tenth of the rounds",
        provenance: "made to tell the two readings of REX3's anytime form apart",
        params: &[arms("10", "[2, 1e7]"), ANSWERS],
    },
    WorldInfo {
        name: "waves10",
        title: "an adversary's sequence: every arm rises and falls, arm 0 gains the most",
        provenance: "generated; no randomness in the utilities",
        params: &[
            arms("10", "[1, 1e7]"),
            Param { key: "period", default: "1000", legal: "above 0", meaning: "rounds to a wave" },
            ANSWERS,
        ],
    },
    WorldInfo {
        name: "rotating10",
        title: "the lead goes round: every arm rises and falls, and none is best for long",
        provenance: "generated: utilities 1/2 + a sin(2 pi (t / period + i / K))",
        params: &[
            arms("10", "[1, 1e7]"),
            Param { key: "period", default: "T", legal: "above 0", meaning: "rounds until all had the lead" },
            Param { key: "amplitude", default: "0.4", legal: "[0, 0.5]", meaning: "how far up and down" },
            Param {
                key: "noise",
                default: "bernoulli",
                legal: "bernoulli, none",
                meaning: "utilities of 0 and 1 with that mean, or the mean itself",
            },
            ANSWERS,
        ],
    },
    piecewise::INFO,
    synthetic_rankers::NP,
    synthetic_rankers::MSLR,
];

/// Worlds that are no name without a file.
pub static OF_FILES: &[&WorldInfo] = &[&replay::INFO, &utility_file::INFO];

/// Makes the world that a text names, a built-in one or a matrix file, perhaps corrupted, for a job of `rounds` rounds.
///
/// # Errors
///
/// If there is no such world, a parameter is refused, or the file cannot be read.
pub fn open(text: &str, rounds: u64) -> Result<AnyWorld, WorldError> {
    let (text, corruption) = Corruption::split(text, rounds)?;
    let Some(corruption) = corruption else { return open_pure(text, rounds) };
    let world = matrix_world(text, rounds)?
        .ok_or_else(|| WorldError::NotAMatrix { text: text.to_owned(), action: "corrupted" })?;
    Ok(Corrupted::new(world, corruption).into())
}

/// The world that a text names if it is a matrix and nothing more.
pub(crate) fn matrix_world(text: &str, rounds: u64) -> Result<Option<MatrixWorld>, WorldError> {
    Ok(open_pure(text, rounds)?.into_matrix_world())
}

fn open_pure(text: &str, rounds: u64) -> Result<AnyWorld, WorldError> {
    let is_of_a_file = OF_FILES.iter().any(|info| text.starts_with(&format!("{}:", info.name)));
    let spec: Spec = match text.parse() {
        Ok(spec) => spec,
        Err(_) if looks_like_path(text) && !is_of_a_file => return open_file(text),
        Err(error) => return Err(WorldError::Spec(error)),
    };
    if spec.name() == replay::INFO.name {
        return open_replay(&spec, rounds);
    }
    if spec.name() == utility_file::INFO.name {
        return Ok(utility_file::build(&spec, rounds)?.into());
    }
    let Some(info) = ALL.iter().find(|info| info.name == spec.name()) else {
        if looks_like_path(text) {
            return open_file(text);
        }
        let names = ALL.iter().chain(OF_FILES.iter().copied()).map(|info| info.name);
        let suggestion = suggest(spec.name(), names);
        return Err(WorldError::Unknown { name: text.to_owned(), suggestion });
    };
    if let Some(matrix) = builtin_matrix(info.name) {
        Params::new(&spec, Context { n_arms: matrix.n_arms(), horizon: Some(rounds) }, &[])?;
        return Ok(MatrixWorld::new(matrix).into());
    }
    if info.name == piecewise::INFO.name {
        return Ok(piecewise::build(&spec, rounds)?.into());
    }
    if [synthetic_rankers::NP.name, synthetic_rankers::MSLR.name].contains(&info.name) {
        return Ok(synthetic_rankers::build(&spec, info)?.into());
    }
    let mut params = Params::new(&spec, Context { n_arms: 10, horizon: Some(rounds) }, &[info.params])?;
    let answers = read_answers(&mut params)?;
    let drifting = |drift: AnyDrift, noise| DriftWorld::new(drift, noise, answers);
    Ok(match info.name {
        "bernoulli10" => {
            let n_arms = read_arms(&mut params, 1, 10_000_000)?;
            let unit = Range::closed(0.0, 1.0);
            let best = params.number_or("best", unit, 0.6)?;
            let rest = params.number_or("rest", unit, 0.5)?;
            params.finish()?;
            let laws = (0..n_arms).map(|i| Law::Bernoulli(if i == 0 { best } else { rest })).collect();
            UtilityWorld::new(laws, answers).expect("means in [0, 1]").into()
        }
        "beta10" => {
            let n_arms = read_arms(&mut params, 1, 10_000)?;
            let weight = params.number_or("weight", Range::above(0.0), 4.0)?;
            params.finish()?;
            let mean = |i: usize| 0.7 - 0.4 * i as f64 / (n_arms - 1).max(1) as f64;
            let law = |i| Law::Beta { a: weight * mean(i), b: weight * (1.0 - mean(i)) };
            UtilityWorld::new((0..n_arms).map(law).collect(), answers).expect("Beta laws").into()
        }
        "deceptive10" => {
            let n_arms = read_arms(&mut params, 1, 10_000_000)?;
            let bases = [("e", LogBase::Natural), ("2", LogBase::Two), ("10", LogBase::Ten)];
            let base = params.choice("log", &bases)?;
            params.finish()?;
            drifting(Deceptive::new(n_arms, base).into(), Noise::Bernoulli).into()
        }
        "switch10" => {
            let n_arms = read_arms(&mut params, 2, 10_000_000)?;
            params.finish()?;
            drifting(Switch::new(n_arms, rounds).into(), Noise::Bernoulli).into()
        }
        "waves10" => {
            let n_arms = read_arms(&mut params, 1, 10_000_000)?;
            let period = params.number_or("period", Range::above(0.0), 1000.0)?;
            params.finish()?;
            drifting(Waves::new(n_arms, period).into(), Noise::None).into()
        }
        "rotating10" => {
            let n_arms = read_arms(&mut params, 1, 10_000_000)?;
            let period = params.number_or("period", Range::above(0.0), rounds as f64)?;
            let amplitude = params.number_or("amplitude", Range::closed(0.0, 0.5), 0.4)?;
            let noise = params.choice("noise", &[("bernoulli", Noise::Bernoulli), ("none", Noise::None)])?;
            params.finish()?;
            drifting(Waves::rotating(n_arms, period, amplitude, rounds).into(), noise).into()
        }
        name => unreachable!("`{name}` is listed, so it is built here"),
    })
}

/// The built-in matrix of that name.
pub fn builtin_matrix(name: &str) -> Option<PreferenceMatrix> {
    let sized = |matrix: Result<_, _>| matrix.expect("built-in sizes are legal");
    Some(match name {
        "arxiv6" => matrices::arxiv6(),
        "savage6" => sized(matrices::savage(6)),
        "savage30" => sized(matrices::savage(30)),
        "bvs20" => sized(matrices::bvs(20)),
        "cyclic4" => matrices::cyclic4(),
        "arithmetic8" => matrices::arithmetic8(),
        "copeland5" => matrices::copeland5(),
        _ => return None,
    })
}

fn open_file(path: &str) -> Result<AnyWorld, WorldError> {
    let NamedMatrix { matrix, names } = read_named_matrix(Path::new(path))?;
    Ok(MatrixWorld::new(matrix).with_names(names).into())
}

fn open_replay(spec: &Spec, rounds: u64) -> Result<AnyWorld, WorldError> {
    // No value of its parameters depends on the number of arms.
    let context = Context { n_arms: 1, horizon: Some(rounds) };
    let mut params = Params::new(spec, context, &[replay::INFO.params])?;
    let modes = [("once", replay::Mode::Once), ("bootstrap", replay::Mode::Bootstrap)];
    let mode = params.choice("mode", &modes)?;
    let path = params.text("file").ok_or(WorldError::NoVotesFile)?;
    params.finish()?;
    let world = ReplayWorld::new(&read_votes(&[path])?, mode)
        .map_err(|error| WorldError::Replay { file: path.to_owned(), error })?;
    Ok(world.into())
}

/// A separator, a known ending or an existing file: not a mistyped name.
fn looks_like_path(text: &str) -> bool {
    let path = Path::new(text);
    text.contains(['/', '\\']) || MatrixFormat::from_path(path).is_some() || path.exists()
}

pub(crate) fn read_answers(params: &mut Params<'_>) -> Result<Answers, ParamError> {
    params.choice("answers", &[("graded", Answers::Graded), ("binary", Answers::Binary)])
}

fn read_arms(params: &mut Params<'_>, least: u32, most: u32) -> Result<usize, ParamError> {
    let range = Range::closed(f64::from(least), f64::from(most));
    let n_arms = params.whole_or("arms", range, 10)?;
    Ok(usize::try_from(n_arms).expect("at most ten million"))
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

#[cfg(test)]
mod tests;
