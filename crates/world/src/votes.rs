//! Logged votes: who was shown beside whom, and what a person said.
//!
//! Three ways to write them down are told apart by the first byte; gzip is undone first, whatever
//! the file's name.
//!
//! - **CSV** with a header, separated by commas, semicolons or tabs: `left,right,outcome` in any
//!   order, or `model_a,model_b,winner` as in the tables of Chatbot Arena. `weight` is used, and
//!   `pscore`, the probability with which the pair was drawn, is kept; `time` and `voter` are known
//!   and handed to [`visit_votes`] alone; other columns are passed over, and [`Votes::unused`]
//!   names them.
//! - **JSON**: an array of objects, or one object after another (JSON lines), with the same names
//!   as keys.
//! - **FastChat's own log**: JSON lines with `type`, `models` and `states`. Lines that are no votes
//!   are passed over and counted.
//!
//! Arms are numbered by the order of their names (as bytes), so that neither the order of lines nor
//! that of files matters.

mod battle;
mod counts;
mod delimited;
mod field;
mod gather;
pub mod optuna;
mod record_position;
mod visit;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use tiltyard_bandit::hint::{FrontEnd, Hint};
use tiltyard_bandit::{Arm, Outcome};

use crate::records::{MAX_FIELDS, RecordsError};
use gather::Gatherer;
use visit::Sink;

pub use counts::{PairCount, PairCounts};
pub(crate) use counts::{by_pair, pair_of};
pub use visit::{Row, Visited, visit_votes};

/// The longest name of an arm, in bytes.
pub const MAX_NAME: usize = 1000;

/// The longest record (a line, or an object in JSON), in bytes: two long conversations fit in.
pub const MAX_RECORD: usize = 16 << 20;

/// The most arms that are read.
pub const MAX_ARMS: usize = 100_000;

/// The most votes that are read: they fill 1.6 GB.
pub const MAX_VOTES: usize = 50_000_000;

/// What a person said about two arms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// The left arm is better.
    Left,
    /// The right arm is better.
    Right,
    /// Neither is better.
    Tie,
    /// Neither is better, since both are bad: a tie that is counted apart.
    BothBad,
    /// A score from the left arm's viewpoint.
    Score(Outcome),
}

impl Verdict {
    /// As an outcome of a duel.
    pub const fn outcome(self) -> Outcome {
        match self {
            Self::Left => Outcome::WIN,
            Self::Right => Outcome::LOSS,
            Self::Tie | Self::BothBad => Outcome::TIE,
            Self::Score(outcome) => outcome,
        }
    }

    /// The same vote with the sides exchanged.
    #[must_use]
    pub const fn flipped(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
            Self::Tie => Self::Tie,
            Self::BothBad => Self::BothBad,
            Self::Score(outcome) => Self::Score(outcome.flipped()),
        }
    }
}

/// One vote.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vote {
    /// The arm shown on the left.
    pub left: Arm,
    /// The arm shown on the right, another one.
    pub right: Arm,
    /// What was said.
    pub verdict: Verdict,
    /// How much it counts; 1 unless the file says otherwise.
    pub weight: f64,
    /// The probability with which this ordered pair was drawn, where the file says it.
    pub propensity: Option<f64>,
}

/// What was read and is no vote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dropped {
    /// The person declined to say.
    pub skipped: u64,
    /// An arm beside itself: whatever was said, it compares nothing.
    pub same_arm: u64,
    /// Lines of a log that are about something else, or do not say which arms were shown.
    pub passed_over: u64,
}

/// All votes of one or more files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Votes {
    names: Vec<String>,
    cast: Vec<Vote>,
    self_duels: Vec<u32>,
    dropped: Dropped,
    unused: Vec<String>,
}

impl Votes {
    /// Names of the arms, in order; arm i has name i.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many arms there are.
    pub fn n_arms(&self) -> usize {
        self.names.len()
    }

    /// The votes, in the order of the files.
    pub fn votes(&self) -> &[Vote] {
        &self.cast
    }

    /// Where an arm stood beside itself: for each time, how many votes came before. They say
    /// nothing of who is better, but where chances are averaged over all that was shown, they were
    /// shown.
    pub fn self_duels(&self) -> &[u32] {
        &self.self_duels
    }

    /// What was read and dropped.
    pub fn dropped(&self) -> Dropped {
        self.dropped
    }

    /// Columns of CSV files that mean nothing here, sorted.
    pub fn unused(&self) -> &[String] {
        &self.unused
    }

    /// Wins, losses and ties of every pair that was compared.
    pub fn counts(&self) -> PairCounts {
        PairCounts::of(self)
    }
}

/// Reads the votes of several files together.
///
/// # Errors
///
/// If a file cannot be read or holds something else; the message names file, line and field.
pub fn read_votes<P: AsRef<Path>>(paths: &[P]) -> Result<Votes, ReadVotesError> {
    let mut gatherer = Gatherer::default();
    for path in paths {
        let path = path.as_ref();
        let file = File::open(path)
            .map_err(|source| ReadVotesError::Unreadable { path: path.to_owned(), source })?;
        gather(BufReader::with_capacity(1 << 16, file), Format::Auto, &mut gatherer)
            .map_err(|error| ReadVotesError::Invalid { path: path.to_owned(), error })?;
    }
    Ok(gatherer.finish())
}

/// Reads votes from the contents of a file, piece by piece. What is kept is a few bytes a vote; a
/// record, a name, the number of arms and of votes are limited.
///
/// # Errors
///
/// If it holds something else; the message names line and field.
pub fn parse_votes(reader: impl BufRead) -> Result<Votes, ParseVotesError> {
    let mut gatherer = Gatherer::default();
    gather(reader, Format::Auto, &mut gatherer)?;
    Ok(gatherer.finish())
}

/// How votes are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Told by the first byte.
    #[default]
    Auto,
    /// CSV, separated by commas, semicolons or tabs.
    Csv,
    /// Objects of JSON, in an array or one after another; also FastChat's own log.
    Json,
}

fn gather(reader: impl BufRead, format: Format, sink: &mut dyn Sink) -> Result<(), ParseVotesError> {
    let (start, reader) = peek(reader)?;
    if start.starts_with(&[0x1f, 0x8b]) {
        let reader = BufReader::with_capacity(1 << 16, MultiGzDecoder::new(reader));
        let (start, reader) = peek(reader)?;
        return gather_text(&start, reader, format, sink);
    }
    gather_text(&start, reader, format, sink)
}

fn gather_text(
    start: &[u8],
    mut reader: impl BufRead,
    format: Format,
    sink: &mut dyn Sink,
) -> Result<(), ParseVotesError> {
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    let mut start = start;
    if let Some(rest) = start.strip_prefix(BYTE_ORDER_MARK) {
        reader.consume(BYTE_ORDER_MARK.len());
        start = rest;
    }
    // Only what was looked at counts: a file that starts with blanks without end is no JSON.
    match (format, start.trim_ascii_start().first()) {
        (Format::Auto | Format::Json, Some(b'[')) => battle::gather(reader, true, sink),
        (Format::Auto, Some(b'{')) | (Format::Json, _) => battle::gather(reader, false, sink),
        (Format::Auto | Format::Csv, _) => delimited::gather(reader, sink),
    }
}

/// A reader that has been looked into, and still holds what was seen.
type Peeked<R> = io::Chain<io::Cursor<Vec<u8>>, R>;

/// The first bytes, with a reader that still holds them.
fn peek<R: BufRead>(mut reader: R) -> Result<(Vec<u8>, Peeked<R>), ParseVotesError> {
    let mut start = Vec::new();
    let read = reader.by_ref().take(64).read_to_end(&mut start);
    read.map_err(|source| ParseVotesError::Io { line: 1, source })?;
    Ok((start.clone(), io::Cursor::new(start).chain(reader)))
}

/// Why no votes could be read from a path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadVotesError {
    /// The file cannot be opened.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file holds something else. The message includes the reason.
    #[error("{}: {error}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: ParseVotesError,
    },
}

impl Hint for ReadVotesError {
    fn hints(&self, _: &dyn FrontEnd) -> Vec<String> {
        let hint =
            "votes are CSV with a header `left,right,outcome`, or JSON with `model_a`, `model_b`, `winner`";
        match self {
            Self::Invalid {
                error:
                    ParseVotesError::NoColumn { .. } | ParseVotesError::Missing { .. } | ParseVotesError::Empty,
                ..
            } => vec![hint.to_owned()],
            _ => Vec::new(),
        }
    }
}

/// Why the contents of a file are no votes. Lines count from 1.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParseVotesError {
    /// Reading stopped, or the gzip around it is broken.
    #[error("line {line}: cannot read on: {source}")]
    Io {
        /// The line.
        line: u64,
        /// What the system says.
        source: io::Error,
    },
    /// Neither a header nor an object.
    #[error("no votes in it")]
    Empty,
    /// A header without one of the three columns that every vote needs.
    #[error("line {line}: no column for `{field}`: there are {}", list(columns))]
    NoColumn {
        /// The line of the header.
        line: u64,
        /// What is missing.
        field: &'static str,
        /// What is there, cut short if there are many.
        columns: Vec<String>,
    },
    /// Two columns of a header that mean the same.
    #[error("line {line}: the columns `{first}` and `{second}` both mean `{field}`")]
    TwoColumns {
        /// The line of the header.
        line: u64,
        /// What they mean.
        field: &'static str,
        /// One.
        first: String,
        /// The other.
        second: String,
    },
    /// A line with more or fewer fields than the header.
    #[error("line {line}: {got} fields where the header has {expected}")]
    Ragged {
        /// The line.
        line: u64,
        /// Fields of the header.
        expected: usize,
        /// Fields of this line.
        got: usize,
    },
    /// An object of JSON without something that every vote needs.
    #[error("line {line}: no `{field}`")]
    Missing {
        /// The line.
        line: u64,
        /// What is missing.
        field: &'static str,
    },
    /// Something that is no JSON, or of another type than expected.
    #[error("line {line}, column {column}: {reason}")]
    Json {
        /// The line.
        line: u64,
        /// The byte in that line at which it was noticed, from 1.
        column: usize,
        /// What the parser says.
        reason: String,
    },
    /// A name that nothing can be called.
    #[error("line {line}, `{field}`: `{text}` cannot be an arm's name: {reason}")]
    Name {
        /// The line.
        line: u64,
        /// Left or right.
        field: &'static str,
        /// What stands there, cut short if it is long.
        text: String,
        /// What is wrong with it.
        reason: NameError,
    },
    /// Something that is no outcome.
    #[error(
        "line {line}, `{field}`: `{text}` is none of left, right, tie, both_bad, skip or a score from -1 to 1"
    )]
    NoOutcome {
        /// The line.
        line: u64,
        /// The column.
        field: &'static str,
        /// What stands there, cut short if it is long.
        text: String,
    },
    /// Something that is no weight.
    #[error("line {line}, `{field}`: `{text}` is not a weight from 1e-9 to 1e9")]
    NoWeight {
        /// The line.
        line: u64,
        /// The column.
        field: &'static str,
        /// What stands there, cut short if it is long.
        text: String,
    },
    /// A study of Optuna whose preferences are something else.
    #[error("line {line}: its preferences are not pairs of trial numbers")]
    NoPreferences {
        /// The line.
        line: u64,
    },
    /// Something that is no probability.
    #[error("line {line}, `{field}`: `{text}` is not a probability in (0, 1]")]
    NoPropensity {
        /// The line.
        line: u64,
        /// The column.
        field: &'static str,
        /// What stands there, cut short if it is long.
        text: String,
    },
    /// More than [`MAX_RECORD`].
    #[error("line {line}: a record of more than {MAX_RECORD} bytes; is a quote or a brace left open?")]
    LongRecord {
        /// The line on which it begins.
        line: u64,
    },
    /// More fields than any table of votes has.
    #[error("line {line}: more than {MAX_FIELDS} fields")]
    TooManyFields {
        /// The line on which the record begins.
        line: u64,
    },
    /// More than [`MAX_ARMS`].
    #[error("line {line}: more than {MAX_ARMS} arms; are the columns the right ones?")]
    TooManyArms {
        /// The line.
        line: u64,
    },
    /// More than [`MAX_VOTES`].
    #[error("line {line}: more than {MAX_VOTES} votes")]
    TooManyVotes {
        /// The line.
        line: u64,
    },
}

impl From<RecordsError> for ParseVotesError {
    fn from(error: RecordsError) -> Self {
        match error {
            RecordsError::Io { line, source } => Self::Io { line, source },
            RecordsError::Long { line } => Self::LongRecord { line },
            RecordsError::Wide { line } => Self::TooManyFields { line },
        }
    }
}

/// What is wrong with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// There is none.
    #[error("it is empty")]
    Empty,
    /// Longer than [`MAX_NAME`].
    #[error("it has more than {MAX_NAME} bytes")]
    Long,
    /// Not UTF-8.
    #[error("it is not UTF-8")]
    NotText,
    /// Line breaks, escapes and the like, which would garble every table.
    #[error("it holds a control character")]
    Control,
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
