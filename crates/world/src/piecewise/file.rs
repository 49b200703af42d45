//! Segments in a file: matrices in CSV, each under a row that tells from which round on it answers.

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
    /// Their first rounds, from 1 and rising, and the matrices.
    pub segments: Vec<(u64, PreferenceMatrix)>,
    /// One name for each arm, from the first header; none if no segment has one.
    pub names: Vec<String>,
}

/// Reads segments from a file; see [`parse_segments`].
///
/// # Errors
///
/// If the file cannot be read, or holds something else.
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
/// A row `from,ROUND` begins a segment; the rows after it are those of a matrix file, with a header
/// of names if one likes. The first segment begins in round 1, the last has no end.
///
/// # Errors
///
/// If they hold something else; the message names the line.
pub fn parse_segments(bytes: &[u8]) -> Result<Segments, ParseSegmentsError> {
    let mut reader = Reader::default();
    for_each_record(without_byte_order_mark(bytes), |line, record| reader.take(line, record))?;
    reader.finish()
}

/// The segments read so far.
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
        // Spreadsheets fill rows up with empty fields.
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

/// A round, written as `5001` or `5e3`.
pub(crate) fn whole(text: &str) -> Option<u64> {
    let number: f64 = text.trim().parse().ok()?;
    let is_round = number.fract() == 0.0 && (1.0..=9e15).contains(&number);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and within range")]
    is_round.then_some(number as u64)
}

/// Why no segments could be read from a path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadSegmentsError {
    /// The file cannot be read at all.
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
        error: ParseSegmentsError,
    },
}

impl Hint for ReadSegmentsError {
    fn hints(&self, _: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Invalid { .. } => {
                vec!["a row `from,ROUND` begins a segment, and the rows of its matrix follow".to_owned()]
            }
            Self::Unreadable { .. } => Vec::new(),
        }
    }
}

/// Why the contents of a file are no segments. Lines count from 1.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseSegmentsError {
    /// There is nothing in it.
    #[error("no segments in it")]
    Empty,
    /// Numbers before the first segment.
    #[error("line {line}: a segment begins with a row `from,ROUND`")]
    NoRound {
        /// The line.
        line: usize,
    },
    /// A segment that begins nowhere.
    #[error("line {line}: `from` takes one round, a whole number from 1, not `{text}`")]
    BadRound {
        /// The line.
        line: usize,
        /// What stands there, cut short if it is long.
        text: String,
    },
    /// Nothing answers in round 1.
    #[error("line {line}: the first segment begins in round {round}, but must begin in round 1")]
    FirstRound {
        /// The line.
        line: usize,
        /// The round.
        round: u64,
    },
    /// Segments out of order.
    #[error("line {line}: round {round} does not come after round {last}, where the segment before begins")]
    Order {
        /// The line.
        line: usize,
        /// The round.
        round: u64,
        /// The first round of the segment before.
        last: u64,
    },
    /// A segment that is no matrix.
    #[error("in the segment of line {line}: {error}")]
    Matrix {
        /// The line on which the segment begins.
        line: usize,
        /// What is wrong.
        error: ParseMatrixError,
    },
    /// Matrices of several sizes.
    #[error("the segment of line {line} has {got} arms, where the first has {expected}")]
    Size {
        /// The line on which the segment begins.
        line: usize,
        /// The arms of the first segment.
        expected: usize,
        /// The arms of this one.
        got: usize,
    },
    /// Headers that contradict each other.
    #[error("the header of the segment of line {line} names other arms than one before")]
    Names {
        /// The line on which the segment begins.
        line: usize,
    },
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
        check_error("", "no segments in it");
        check_error("0.5\n", "line 1: a segment begins with a row `from,ROUND`");
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
            "line 3: round 1 does not come after round 1, where the segment before begins",
        );
        check_error("from,1\nfrom,2\n0.5\n", "in the segment of line 1: no numbers in it");
        check_error("from,1\n0.5,x\n", "in the segment of line 1: line 2, column 2: `x` is not a number");
        check_error(
            "from,1\n0.5\nfrom,9\n\n0.5,0.6\n0.5,0.5\n",
            "in the segment of line 3: line 5: row 1, column 2 is 0.6 and row 2, column 1 is 0.5: \
             they must sum to 1, not 1.1",
        );
        check_error(
            "from,1\n0.5\nfrom,9\n0.5,0.6\n0.4,0.5\n",
            "the segment of line 3 has 2 arms, where the first has 1",
        );
        check_error(
            "from,1\na\n0.5\nfrom,9\nb\n0.5\n",
            "the header of the segment of line 4 names other arms than one before",
        );
    }
}
