//! Preference matrices in files: `.csv`, `.txt` and `.npy`.
//!
//! A text file has one row per line. It may begin with a byte order mark and one header line, in
//! which no field is a number. Blank lines and lines that start with `#` are skipped. Errors name
//! the line of the file, counted from 1 with all these lines included.

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

/// The largest number of arms of a matrix file. Its entries fill 3.2 GB. A larger file is surely a
/// mistake.
pub const MAX_ARMS: usize = 20_000;

/// The format of a matrix file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixFormat {
    /// `.csv`: fields separated by semicolons, commas or tabs, possibly quoted.
    Csv,
    /// `.txt`: fields separated by white space or commas. `#` starts a comment anywhere.
    Text,
    /// `.npy`: `NumPy`'s format, versions 1.0 to 3.0, with two dimensions and type float64 or
    /// float32.
    Npy,
}

impl MatrixFormat {
    /// The format for a file's extension, in upper or lower case.
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

/// A matrix with the names of its arms.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct NamedMatrix {
    pub matrix: PreferenceMatrix,
    /// One name for each arm. Empty if the file has no header, or a header of another length.
    pub names: Vec<String>,
}

/// Reads a matrix. The extension of the file decides the format.
///
/// # Errors
///
/// If the extension is unknown, the file cannot be read, or it does not contain a preference
/// matrix.
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
/// It needs memory in proportion to the length of `bytes`, even if a header promises more.
///
/// # Errors
///
/// If the contents are not a preference matrix.
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

/// Spreadsheets write the mark before UTF-8. With it, the first number could not be parsed.
pub(crate) fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Why no matrix could be read from a path.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum ReadMatrixError {
    /// The extension of the file is unknown.
    #[error("cannot tell the format of {}: its name must end in .csv, .txt or .npy", path.display())]
    UnknownExtension { path: PathBuf },
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    /// The file does not contain a preference matrix. The message includes the reason.
    #[error("{}: {error}", path.display())]
    Invalid { path: PathBuf, error: ParseMatrixError },
}

impl Hint for ReadMatrixError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Invalid { error, .. } => error.hints(front),
            Self::UnknownExtension { .. } | Self::Unreadable { .. } => Vec::new(),
        }
    }
}

/// Why the contents of a file are not a preference matrix.
///
/// Lines and columns count from 1. A column is the number of a field, not of a character.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum ParseMatrixError {
    /// There are no numbers.
    #[error("it contains no numbers")]
    Empty,
    /// A field is not a number.
    #[error("line {line}, column {column}: `{text}` is not a number")]
    NotANumber { line: usize, column: usize, text: String },
    /// A row is longer or shorter than the first.
    #[error("line {line}: the row has length {got}, but the first row has length {expected}")]
    RaggedRow { line: usize, expected: usize, got: usize },
    /// The numbers of rows and columns differ.
    #[error("a matrix of {rows} by {columns} is not square")]
    NotSquare { rows: usize, columns: usize },
    /// There are more arms than a matrix file may have.
    #[error("{n_arms} arms are more than the {MAX_ARMS} that a matrix file may have")]
    TooManyArms { n_arms: usize },
    /// The file is not a valid `.npy` file.
    #[error("not a readable .npy file: {0}")]
    Npy(#[from] NpyError),
    /// The numbers form a square, but not a preference matrix.
    #[error("{}{error}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
    Matrix {
        /// The line with the invalid row. `None` for a `.npy` file.
        line: Option<usize>,
        /// The reason. It counts rows from the first row of numbers, without header and comments.
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

        /// Text that resembles a matrix reaches more code than arbitrary bytes.
        #[test]
        fn law_arbitrary_text_never_panics(text in "[0-9.,; \t\r\n#\"a-]{0,60}") {
            for format in [MatrixFormat::Csv, MatrixFormat::Text] {
                let _ = parse_matrix(text.as_bytes(), format);
            }
        }

        /// A matrix written with all digits is read back to the last bit, in both text formats.
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
