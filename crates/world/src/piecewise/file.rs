//! Files of segments: matrices in CSV, each after a row with the round in which it begins.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use csv::ByteRecord;
use tiltyard_bandit::hint::{FrontEnd, Hint};
use tiltyard_bandit::matrix::PreferenceMatrix;

use crate::matrix_file::{
    NamedMatrix, ParseMatrixError, Table, excerpt, for_each_record, without_byte_order_mark,
};

/// Matrices of the same size, each with its first round.
#[derive(Debug, Clone, PartialEq)]
pub struct Segments {
    /// The first rounds, increasing from 1, and the matrices.
    pub segments: Vec<(u64, PreferenceMatrix)>,
    /// One name for each arm, from a header; empty if no segment has a header.
    pub names: Vec<String>,
}

/// Reads segments from a file; see [`parse_segments`].
///
/// # Errors
///
/// If the file cannot be read, or does not contain segments.
pub fn read_segments(path: &Path) -> Result<Segments, ReadSegmentsError> {
    let bytes =
        fs::read(path).map_err(|source| ReadSegmentsError::Unreadable { path: path.to_owned(), source })?;
    parse_segments(&bytes).map_err(|error| ReadSegmentsError::Invalid { path: path.to_owned(), error })
}

/// Reads segments from the contents of a file:
///
/// ```text
/// from,1
/// 0.5,0.6
/// 0.4,0.5
/// from,5001
/// 0.5,0.3
/// 0.7,0.5
/// ```
///
/// A row `from,ROUND` begins a segment. The rows after it are like a matrix file, with an optional
/// header of names. The first segment begins in round 1. The last segment has no end.
///
/// # Errors
///
/// If the contents are not segments. The message names the line.
pub fn parse_segments(bytes: &[u8]) -> Result<Segments, ParseSegmentsError> {
    let mut reader = Reader::default();
    for_each_record(without_byte_order_mark(bytes), |line, record| reader.take(line, record))?;
    reader.finish()
}

#[derive(Default)]
struct Reader {
    segments: Vec<(u64, PreferenceMatrix)>,
    names: Vec<String>,
    /// The segment being read: its line, its first round and its rows.
    open: Option<(usize, u64, Table)>,
}

impl Reader {
    fn take(&mut self, line: usize, record: &ByteRecord) -> Result<(), ParseSegmentsError> {
        if record[0].eq_ignore_ascii_case(b"from") {
            self.close()?;
            let from = self.read_round(line, record)?;
            self.open = Some((line, from, Table::default()));
            return Ok(());
        }
        let Some((start, _, table)) = &mut self.open else {
            return Err(ParseSegmentsError::NoRound { line });
        };
        table.push(line, record.iter()).map_err(|error| ParseSegmentsError::Matrix { line: *start, error })
    }

    fn read_round(&self, line: usize, record: &ByteRecord) -> Result<u64, ParseSegmentsError> {
        let field = record.get(1).unwrap_or_default();
        let bad = || ParseSegmentsError::BadRound { line, text: excerpt(field) };
        // Spreadsheets pad rows with empty fields.
        if record.iter().skip(2).any(|field| !field.is_empty()) {
            return Err(bad());
        }
        let round = str::from_utf8(field).ok().and_then(whole).ok_or_else(bad)?;
        match self.segments.last() {
            None if round != 1 => Err(ParseSegmentsError::FirstRound { line, round }),
            Some(&(last, _)) if round <= last => Err(ParseSegmentsError::Order { line, round, last }),
            _ => Ok(round),
        }
    }

    fn close(&mut self) -> Result<(), ParseSegmentsError> {
        let Some((line, from, table)) = self.open.take() else { return Ok(()) };
        let read = table.into_matrix();
        let NamedMatrix { matrix, names } =
            read.map_err(|error| ParseSegmentsError::Matrix { line, error })?;
        if let Some((_, first)) = self.segments.first()
            && first.n_arms() != matrix.n_arms()
        {
            return Err(ParseSegmentsError::Size { line, expected: first.n_arms(), got: matrix.n_arms() });
        }
        if !names.is_empty() {
            if !self.names.is_empty() && self.names != names {
                return Err(ParseSegmentsError::Names { line });
            }
            self.names = names;
        }
        self.segments.push((from, matrix));
        Ok(())
    }

    fn finish(mut self) -> Result<Segments, ParseSegmentsError> {
        self.close()?;
        if self.segments.is_empty() {
            return Err(ParseSegmentsError::Empty);
        }
        Ok(Segments { segments: self.segments, names: self.names })
    }
}

/// Reads a round, written as `5001` or `5e3`.
pub(crate) fn whole(text: &str) -> Option<u64> {
    let number: f64 = text.trim().parse().ok()?;
    let is_round = number.fract() == 0.0 && (1.0..=9e15).contains(&number);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and within range")]
    is_round.then_some(number as u64)
}

/// Why no segments could be read from a path.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum ReadSegmentsError {
    #[error("cannot read {}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{}: {error}", path.display())]
    Invalid { path: PathBuf, error: ParseSegmentsError },
}

impl Hint for ReadSegmentsError {
    fn hints(&self, _: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Invalid { .. } => {
                vec!["a segment is a row `from,ROUND` followed by the rows of its matrix".to_owned()]
            }
            Self::Unreadable { .. } => Vec::new(),
        }
    }
}

/// Why the contents of a file are not segments. Lines count from 1. The line of a segment is the
/// line of its row `from,ROUND`.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum ParseSegmentsError {
    #[error("it contains no segments")]
    Empty,
    #[error("line {line}: there is no row `from,ROUND` before it")]
    NoRound { line: usize },
    #[error("line {line}: `from` takes one round, a whole number from 1, not `{text}`")]
    BadRound { line: usize, text: String },
    #[error("line {line}: the first segment begins in round {round}, but must begin in round 1")]
    FirstRound { line: usize, round: u64 },
    #[error("line {line}: round {round} does not come after round {last}, the start of the segment before")]
    Order { line: usize, round: u64, last: u64 },
    #[error("in the segment of line {line}: {error}")]
    Matrix { line: usize, error: ParseMatrixError },
    #[error("the segment of line {line} has {got} arms, but the first segment has {expected}")]
    Size { line: usize, expected: usize, got: usize },
    #[error("the segment of line {line} names its arms differently from a segment before")]
    Names { line: usize },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_error(text: &str, expected: &str) {
        assert_eq!(parse_segments(text.as_bytes()).unwrap_err().to_string(), expected, "{text:?}");
    }

    #[test]
    fn trace_segments_with_and_without_names() {
        let one = PreferenceMatrix::from_rows(&[[0.5, 0.75], [0.25, 0.5]]).unwrap();
        let two = PreferenceMatrix::from_rows(&[[0.5, 0.0], [1.0, 0.5]]).unwrap();
        let expected = vec![(1, one), (5000, two)];
        for (text, names) in [
            ("from,1\n0.5,0.75\n0.25,0.5\nfrom,5e3\n0.5,0\n1,0.5\n", [].as_slice()),
            (
                "\u{feff}# two\r\nFROM;1\r\na;b\r\n.5;.75\r\n.25;.5\r\n\r\nfrom;5000\r\n.5;0\r\n1;.5\r\n",
                &["a", "b"],
            ),
            ("from,1,\n0.5,0.75\n0.25,0.5\nfrom, 5000 ,\na,b\n0.5,0\n1,0.5", &["a", "b"]),
        ] {
            let read = parse_segments(text.as_bytes()).unwrap();
            assert_eq!(read.segments, expected);
            assert!(read.names.iter().eq(names), "{:?}", read.names);
        }
    }

    #[test]
    fn trace_errors_name_the_line() {
        check_error("", "it contains no segments");
        check_error("0.5\n", "line 1: there is no row `from,ROUND` before it");
        for round in ["", "0", "1.5", "-1", "x", "1e99", "nan", "1,2"] {
            let shown = round.split(',').next().unwrap();
            check_error(
                &format!("\nfrom,{round}\n0.5\n"),
                &format!("line 2: `from` takes one round, a whole number from 1, not `{shown}`"),
            );
        }
        check_error(
            "from,2\n0.5\n",
            "line 1: the first segment begins in round 2, but must begin in round 1",
        );
        check_error(
            "from,1\n0.5\nfrom,1\n0.5\n",
            "line 3: round 1 does not come after round 1, the start of the segment before",
        );
        check_error("from,1\nfrom,2\n0.5\n", "in the segment of line 1: it contains no numbers");
        check_error("from,1\n0.5,x\n", "in the segment of line 1: line 2, column 2: `x` is not a number");
        check_error(
            "from,1\n0.5\nfrom,9\n\n0.5,0.6\n0.5,0.5\n",
            "in the segment of line 3: line 5: row 1, column 2 is 0.6 and row 2, column 1 is 0.5: \
             they must sum to 1, not 1.1",
        );
        check_error(
            "from,1\n0.5\nfrom,9\n0.5,0.6\n0.4,0.5\n",
            "the segment of line 3 has 2 arms, but the first segment has 1",
        );
        check_error(
            "from,1\na\n0.5\nfrom,9\nb\n0.5\n",
            "the segment of line 4 names its arms differently from a segment before",
        );
    }
}
