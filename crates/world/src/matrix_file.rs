//! Preference matrices in files: `.csv`, `.txt` and `.npy`.
//!
//! A text file has one row a line. Blank lines, lines that start with `#`, a byte order mark and
//! one header line (none of whose fields is a number) are passed over. Errors about a text file
//! name its line, counted from 1 with those lines included.

mod delimited;
mod npy;
mod plain;
mod table;
mod write;

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tiltyard_bandit::hint::{FrontEnd, Hint};
use tiltyard_bandit::matrix::{MatrixError, PreferenceMatrix};

pub(crate) use delimited::for_each_record;
pub use npy::NpyError;
pub(crate) use table::{Table, excerpt, number, readable};
pub use write::write_matrix;

/// The largest matrix that is read: its entries fill 3.2 GB, and anything larger is a mistake.
pub const MAX_ARMS: usize = 20_000;

/// A way to write a matrix down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixFormat {
    /// Fields separated by commas, or else by semicolons or tabs, that may be quoted: `.csv`.
    Csv,
    /// Fields separated by white space or commas; `#` starts a comment anywhere: `.txt`.
    Text,
    /// `NumPy`'s format, versions 1.0 to 3.0, of two dimensions and type float64 or float32:
    /// `.npy`.
    Npy,
}

impl MatrixFormat {
    /// The format that a file's extension stands for, in capitals or not.
    pub fn from_path(path: &Path) -> Option<Self> {
        let extension = path.extension().and_then(OsStr::to_str)?.to_ascii_lowercase();
        match extension.as_str() {
            "csv" => Some(Self::Csv),
            "txt" => Some(Self::Text),
            "npy" => Some(Self::Npy),
            _ => None,
        }
    }
}

/// A matrix and what its arms are called.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedMatrix {
    /// The matrix.
    pub matrix: PreferenceMatrix,
    /// One name for each arm; none if the file has no header, or one of another length.
    pub names: Vec<String>,
}

/// Reads a matrix; its file's extension says how.
///
/// # Errors
///
/// If the extension is unknown, the file cannot be read, or it holds no preference matrix.
pub fn read_matrix(path: &Path) -> Result<PreferenceMatrix, ReadMatrixError> {
    read_named_matrix(path).map(|named| named.matrix)
}

/// Reads a matrix and the names in its header.
///
/// # Errors
///
/// As [`read_matrix`].
pub fn read_named_matrix(path: &Path) -> Result<NamedMatrix, ReadMatrixError> {
    let format = MatrixFormat::from_path(path)
        .ok_or_else(|| ReadMatrixError::UnknownExtension { path: path.to_owned() })?;
    let bytes =
        fs::read(path).map_err(|source| ReadMatrixError::Unreadable { path: path.to_owned(), source })?;
    parse_named_matrix(&bytes, format)
        .map_err(|error| ReadMatrixError::Invalid { path: path.to_owned(), error })
}

/// Reads a matrix from the contents of a file.
///
/// Takes memory in proportion to `bytes`, whatever they claim.
///
/// # Errors
///
/// If they hold no preference matrix.
pub fn parse_matrix(bytes: &[u8], format: MatrixFormat) -> Result<PreferenceMatrix, ParseMatrixError> {
    parse_named_matrix(bytes, format).map(|named| named.matrix)
}

fn parse_named_matrix(bytes: &[u8], format: MatrixFormat) -> Result<NamedMatrix, ParseMatrixError> {
    match format {
        MatrixFormat::Csv => delimited::parse(without_byte_order_mark(bytes)),
        MatrixFormat::Text => plain::parse(without_byte_order_mark(bytes)),
        MatrixFormat::Npy => npy::parse(bytes).map(|matrix| NamedMatrix { matrix, names: Vec::new() }),
    }
}

/// Spreadsheets put the mark in front of UTF-8; it would make the first number no number.
pub(crate) fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Why no matrix could be read from a path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadMatrixError {
    /// The file's name does not say what is in it.
    #[error("cannot tell the format of {}: its name must end in .csv, .txt or .npy", path.display())]
    UnknownExtension {
        /// The file.
        path: PathBuf,
    },
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
        error: ParseMatrixError,
    },
}

impl Hint for ReadMatrixError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Invalid { error, .. } => error.hints(front),
            Self::UnknownExtension { .. } | Self::Unreadable { .. } => Vec::new(),
        }
    }
}

/// Why the contents of a file are no preference matrix.
///
/// Lines and columns count from 1, as in the messages; a column is the number of a field, not of a
/// character.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseMatrixError {
    /// There are no numbers in it.
    #[error("no numbers in it")]
    Empty,
    /// A field that is not a number.
    #[error("line {line}, column {column}: `{text}` is not a number")]
    NotANumber {
        /// The line of the file, from 1.
        line: usize,
        /// The field in that line, from 1.
        column: usize,
        /// What stands there, cut short if it is long.
        text: String,
    },
    /// A row that is longer or shorter than the first.
    #[error("line {line}: a row of {got} where the first row has {expected}")]
    RaggedRow {
        /// The line of the file, from 1.
        line: usize,
        /// The number of fields in the first row.
        expected: usize,
        /// The number of fields in this one.
        got: usize,
    },
    /// More or fewer rows than columns.
    #[error("a matrix of {rows} by {columns} is not square")]
    NotSquare {
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
    },
    /// More arms than a matrix file may have.
    #[error("{n_arms} arms are more than the {MAX_ARMS} that a matrix file may have")]
    TooManyArms {
        /// The number of columns.
        n_arms: usize,
    },
    /// A `.npy` file that cannot be understood.
    #[error("not a readable .npy file: {0}")]
    Npy(#[from] NpyError),
    /// Numbers in a square that are no preference matrix.
    #[error("{}{error}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
    Matrix {
        /// The line of the file, from 1, that holds the offending row; in a `.npy` file there are
        /// none.
        line: Option<usize>,
        /// What is wrong. Its rows count from the first row of numbers, whatever stands above.
        error: MatrixError,
    },
}

impl Hint for ParseMatrixError {
    fn hints(&self, _: &dyn FrontEnd) -> Vec<String> {
        vec![MatrixError::HINT.to_owned()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::error::Error;
    use tiltyard_bandit::matrix::builtin;

    fn in_directory<T>(test: impl FnOnce(&Path) -> T) -> T {
        let directory = tempfile::tempdir().unwrap();
        test(directory.path())
    }

    #[test]
    fn trace_the_extension_says_how() {
        in_directory(|directory| {
            let expected = PreferenceMatrix::from_rows(&[[0.5, 0.75], [0.25, 0.5]]).unwrap();
            for (name, contents) in [("a.csv", "0.5;0.75\n0.25;0.5"), ("b.TXT", "0.5 0.75\n0.25 0.5 # end")] {
                let path = directory.join(name);
                fs::write(&path, contents).unwrap();
                assert_eq!(read_matrix(&path).unwrap(), expected);
            }
        });
    }

    #[test]
    fn trace_an_unknown_extension_is_refused_with_the_known_ones() {
        for name in ["m.xlsx", "m", ".csv"] {
            let error = read_matrix(Path::new(name)).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("cannot tell the format of {name}: its name must end in .csv, .txt or .npy")
            );
        }
    }

    #[test]
    fn trace_an_unreadable_path_keeps_its_cause() {
        in_directory(|directory| {
            let path = directory.join("absent.csv");
            let error = read_matrix(&path).unwrap_err();
            assert_eq!(error.to_string(), format!("cannot read {}", path.display()));
            let cause = error.source().and_then(|source| source.downcast_ref::<io::Error>()).unwrap();
            assert_eq!(cause.kind(), io::ErrorKind::NotFound);
        });
    }

    #[test]
    fn trace_an_invalid_file_is_named_with_line_row_and_column() {
        in_directory(|directory| {
            let path = directory.join("m.csv");
            fs::write(&path, "a,b\n\n0.5,0.6\n0.41,0.5\n").unwrap();
            assert_eq!(
                read_matrix(&path).unwrap_err().to_string(),
                format!(
                    "{}: line 3: row 1, column 2 is 0.6 and row 2, column 1 is 0.41: \
                     they must sum to 1, not 1.01",
                    path.display()
                )
            );
        });
    }

    #[test]
    fn trace_a_byte_order_mark_is_passed_over() {
        for format in [MatrixFormat::Csv, MatrixFormat::Text] {
            assert_eq!(parse_matrix(b"\xef\xbb\xbf0.5\n", format), Ok(builtin::savage(1).unwrap()));
        }
    }

    proptest! {
        #[test]
        fn law_arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            for format in [MatrixFormat::Csv, MatrixFormat::Text, MatrixFormat::Npy] {
                let _ = parse_matrix(&bytes, format);
            }
        }

        /// Bytes that look like a matrix get further than arbitrary ones.
        #[test]
        fn law_arbitrary_text_never_panics(text in "[0-9.,; \t\r\n#\"a-]{0,60}") {
            for format in [MatrixFormat::Csv, MatrixFormat::Text] {
                let _ = parse_matrix(text.as_bytes(), format);
            }
        }

        /// What is written with all digits is read back to the last bit, in either text format.
        #[test]
        fn law_text_round_trips(
            n_arms in 1..6_usize,
            mut upper in proptest::collection::vec(0.0..=1.0, 10),
        ) {
            let matrix = PreferenceMatrix::from_fn(n_arms, |_, _| upper.pop().unwrap()).unwrap();
            let written: String = tiltyard_bandit::Arm::all(n_arms)
                .map(|arm| matrix.row(arm).iter().map(f64::to_string).collect::<Vec<_>>().join(",") + "\n")
                .collect();
            let spaced = written.replace(',', " ");
            for (text, format) in [
                (&written, MatrixFormat::Csv),
                (&written, MatrixFormat::Text),
                (&spaced, MatrixFormat::Text),
            ] {
                prop_assert_eq!(parse_matrix(text.as_bytes(), format), Ok(matrix.clone()));
            }
        }
    }
}
