//! Logged votes: which two arms a person saw, and which of them the person preferred.
//!
//! The first byte tells CSV from JSON. Gzip is decompressed first, whatever the file's name.
//!
//! - **CSV** with a header, separated by commas, semicolons or tabs. The columns are
//!   `left,right,outcome` in any order, or `model_a,model_b,winner` as in the tables of Chatbot
//!   Arena. Optional columns are `weight` and `pscore`, the probability with which the pair was
//!   drawn. Only [`visit_votes`] passes on `time` and `voter`. Other columns are ignored;
//!   [`Votes::unused`] lists them.
//! - **JSON**: an array of objects, or one object after another (JSON lines), with the same names
//!   as keys.
//! - **FastChat's own log**: JSON lines with `type`, `models` and `states`. Lines that are not
//!   votes are skipped and counted.
//!
//! Arms are numbered in the order of their names (as bytes), so the order of lines and files does
//! not matter.

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

/// The limit on the name of an arm, in bytes.
pub const MAX_NAME: usize = 1000;

/// The limit on a record (a line, or an object in JSON), in bytes. Two long conversations fit.
pub const MAX_RECORD: usize = 16 << 20;

/// The limit on the number of arms.
pub const MAX_ARMS: usize = 100_000;

/// The limit on the number of votes. So many votes fill 1.6 GB.
pub const MAX_VOTES: usize = 50_000_000;

/// A person's judgement of two arms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// The left arm is better.
    Left,
    /// The right arm is better.
    Right,
    /// Neither is better.
    Tie,
    /// Neither is better, because both are bad. This is a tie that is counted separately.
    BothBad,
    /// A score for the left arm.
    Score(Outcome),
}

impl Verdict {
    /// The verdict as the outcome of a duel.
    pub const fn outcome(self) -> Outcome {
        match self {
            Self::Left => Outcome::WIN,
            Self::Right => Outcome::LOSS,
            Self::Tie | Self::BothBad => Outcome::TIE,
            Self::Score(outcome) => outcome,
        }
    }

    /// The same verdict with the sides exchanged.
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

/// One vote on two different arms.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Vote {
    /// The arm shown on the left.
    pub left: Arm,
    /// The arm shown on the right.
    pub right: Arm,
    pub verdict: Verdict,
    /// How much the vote counts; 1 unless the file says otherwise.
    pub weight: f64,
    /// The probability with which this ordered pair was drawn, if the file has it.
    pub propensity: Option<f64>,
}

/// How many records did not become votes, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dropped {
    /// The person declined to answer.
    pub skipped: u64,
    /// The same arm was on both sides, so nothing was compared.
    pub same_arm: u64,
    /// The line of a log is not a vote, or does not say which arms were shown.
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
    /// The names of the arms, indexed by arm.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// K, the number of arms.
    pub fn n_arms(&self) -> usize {
        self.names.len()
    }

    /// The votes, in the order of the files.
    pub fn votes(&self) -> &[Vote] {
        &self.cast
    }

    /// The duels of an arm with itself: for each, the number of votes before it. They do not say
    /// which arm is better, but an average over everything that was shown must include them.
    pub fn self_duels(&self) -> &[u32] {
        &self.self_duels
    }

    /// How many records did not become votes.
    pub fn dropped(&self) -> Dropped {
        self.dropped
    }

    /// The columns of CSV files that were ignored, sorted.
    pub fn unused(&self) -> &[String] {
        &self.unused
    }

    /// The wins, losses and ties of every pair that was compared.
    pub fn counts(&self) -> PairCounts {
        PairCounts::of(self)
    }
}

/// Reads the votes of several files together.
///
/// # Errors
///
/// If a file cannot be read or does not contain votes. The message names file, line and field.
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

/// Reads votes from the contents of a file, record by record. It keeps a few bytes per vote. The
/// length of a record and of a name and the number of arms and of votes are limited.
///
/// # Errors
///
/// If the contents are not votes. The message names line and field.
pub fn parse_votes(reader: impl BufRead) -> Result<Votes, ParseVotesError> {
    let mut gatherer = Gatherer::default();
    gather(reader, Format::Auto, &mut gatherer)?;
    Ok(gatherer.finish())
}

/// The format of a file of votes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// The first byte decides.
    #[default]
    Auto,
    /// CSV, separated by commas, semicolons or tabs.
    Csv,
    /// JSON objects, in an array or one after another; also FastChat's own log.
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
    // Only the first bytes are inspected. A file that starts with more white space is not JSON.
    match (format, start.trim_ascii_start().first()) {
        (Format::Auto | Format::Json, Some(b'[')) => battle::gather(reader, true, sink),
        (Format::Auto, Some(b'{')) | (Format::Json, _) => battle::gather(reader, false, sink),
        (Format::Auto | Format::Csv, _) => delimited::gather(reader, sink),
    }
}

/// A reader that still returns the bytes that were peeked at.
type Peeked<R> = io::Chain<io::Cursor<Vec<u8>>, R>;

/// The first bytes, and a reader that still returns them.
fn peek<R: BufRead>(mut reader: R) -> Result<(Vec<u8>, Peeked<R>), ParseVotesError> {
    let mut start = Vec::new();
    let read = reader.by_ref().take(64).read_to_end(&mut start);
    read.map_err(|source| ParseVotesError::Io { line: 1, source })?;
    Ok((start.clone(), io::Cursor::new(start).chain(reader)))
}

/// Why no votes could be read from a path.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum ReadVotesError {
    #[error("cannot read {}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{}: {error}", path.display())]
    Invalid { path: PathBuf, error: ParseVotesError },
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

/// Why the contents of a file are not votes. Lines count from 1. A field is named as in `left`,
/// `right` and `outcome`, whatever the file calls it. Quoted text is shortened if it is long.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum ParseVotesError {
    /// Reading failed, or the gzip data is damaged.
    #[error("line {line}: reading failed: {source}")]
    Io { line: u64, source: io::Error },
    #[error("it contains no votes")]
    Empty,
    #[error("line {line}: there is no column for `{field}`, only {}", list(columns))]
    NoColumn {
        line: u64,
        field: &'static str,
        /// The columns of the header, at most 20.
        columns: Vec<String>,
    },
    #[error("line {line}: the columns `{first}` and `{second}` both mean `{field}`")]
    TwoColumns { line: u64, field: &'static str, first: String, second: String },
    #[error("line {line}: the number of fields is {got}, but the header has {expected}")]
    Ragged { line: u64, expected: usize, got: usize },
    #[error("line {line}: `{field}` is missing")]
    Missing { line: u64, field: &'static str },
    /// The text is not JSON, or a value has the wrong type.
    #[error("line {line}, column {column}: {reason}")]
    Json {
        line: u64,
        /// The byte in the line at which the parser noticed it, from 1.
        column: usize,
        /// The message of the parser.
        reason: String,
    },
    #[error("line {line}, `{field}`: `{text}` cannot be an arm's name: {reason}")]
    Name { line: u64, field: &'static str, text: String, reason: NameError },
    #[error(
        "line {line}, `{field}`: `{text}` is not one of left, right, tie, both_bad, skip or a score from -1 to 1"
    )]
    NoOutcome { line: u64, field: &'static str, text: String },
    #[error("line {line}, `{field}`: `{text}` is not a weight from 1e-9 to 1e9")]
    NoWeight { line: u64, field: &'static str, text: String },
    /// The preferences of an Optuna study are invalid.
    #[error("line {line}: the preferences are not pairs of trial numbers")]
    NoPreferences { line: u64 },
    #[error("line {line}, `{field}`: `{text}` is not a probability in (0, 1]")]
    NoPropensity { line: u64, field: &'static str, text: String },
    #[error("line {line}: the record exceeds {MAX_RECORD} bytes; is a quote or a brace left open?")]
    LongRecord { line: u64 },
    #[error("line {line}: the record exceeds {MAX_FIELDS} fields")]
    TooManyFields { line: u64 },
    #[error("line {line}: there are more than {MAX_ARMS} arms; are these the right columns?")]
    TooManyArms { line: u64 },
    #[error("line {line}: there are more than {MAX_VOTES} votes")]
    TooManyVotes { line: u64 },
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

/// Why a text cannot be the name of an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum NameError {
    #[error("it is empty")]
    Empty,
    #[error("it has more than {MAX_NAME} bytes")]
    Long,
    #[error("it is not UTF-8")]
    NotText,
    /// The name contains a control character, such as a line break, which would garble tables.
    #[error("it contains a control character")]
    Control,
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
