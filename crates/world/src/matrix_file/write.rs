//! Writes a matrix as CSV.

use std::borrow::Cow;
use std::io;

use csv::{QuoteStyle, WriterBuilder};
use tiltyard_bandit::Arm;
use tiltyard_bandit::matrix::PreferenceMatrix;

/// Writes a matrix as CSV. If there are names, one for each arm, it writes a header with them. Such
/// a file is read back to the last bit.
///
/// Names are quoted, so that their characters have no special meaning. A header is recognised by
/// having no number in it, so a name such as `7` is written as `arm 7`.
///
/// # Errors
///
/// If the writer fails, or the number of names is neither 0 nor K.
pub fn write_matrix(writer: impl io::Write, matrix: &PreferenceMatrix, names: &[String]) -> io::Result<()> {
    let mut writer = WriterBuilder::new().quote_style(QuoteStyle::NonNumeric).from_writer(writer);
    if !names.is_empty() {
        if names.len() != matrix.n_arms() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "one name for each arm"));
        }
        writer.write_record(names.iter().map(|name| heading(name).into_owned()))?;
    }
    for arm in Arm::all(matrix.n_arms()) {
        writer.write_record(matrix.row(arm).iter().map(f64::to_string))?;
    }
    writer.flush()
}

fn heading(name: &str) -> Cow<'_, str> {
    if name.trim().parse::<f64>().is_ok() { Cow::Owned(format!("arm {name}")) } else { Cow::Borrowed(name) }
}

#[cfg(test)]
mod tests {
    use super::super::{MatrixFormat, parse_named_matrix};
    use super::*;
    use proptest::prelude::*;

    fn read_back(matrix: &PreferenceMatrix, names: &[String]) -> (PreferenceMatrix, Vec<String>) {
        let mut bytes = Vec::new();
        write_matrix(&mut bytes, matrix, names).unwrap();
        let read = parse_named_matrix(&bytes, MatrixFormat::Csv).unwrap();
        (read.matrix, read.names)
    }

    #[test]
    fn trace_a_header_is_quoted_and_numbers_are_not() {
        let matrix = PreferenceMatrix::from_rows(&[[0.5, 0.75], [0.25, 0.5]]).unwrap();
        let mut bytes = Vec::new();
        write_matrix(&mut bytes, &matrix, &["#a; b".to_owned(), "7".to_owned()]).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), "\"#a; b\",\"arm 7\"\n0.5,0.75\n0.25,0.5\n");
        assert!(write_matrix(Vec::new(), &matrix, &["a".to_owned()]).is_err());
    }

    proptest! {
        #[test]
        fn law_matrices_and_names_are_read_back(
            names in proptest::collection::vec("[a-z#;,\"' \t=é]{0,5}[a-z]", 1..6),
            mut upper in proptest::collection::vec(0.0..=1.0, 10),
            has_names: bool,
        ) {
            let matrix = PreferenceMatrix::from_fn(names.len(), |_, _| upper.pop().unwrap()).unwrap();
            let names: Vec<_> = names.iter().map(|name| name.trim().replace('\t', " ")).collect();
            // A word such as `inf` is a number and is written as `arm inf`.
            let names = if has_names { names } else { Vec::new() };
            let expected: Vec<_> = names.iter().map(|name| heading(name).into_owned()).collect();
            prop_assert_eq!(read_back(&matrix, &names), (matrix, expected));
        }
    }
}
