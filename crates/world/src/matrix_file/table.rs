//! Turns rows of text fields into a matrix, for both `.csv` and `.txt`.

use tiltyard_bandit::matrix::PreferenceMatrix;

use super::{MAX_ARMS, NamedMatrix, ParseMatrixError};

/// The numbers read so far.
#[derive(Debug, Default)]
pub(crate) struct Table {
    entries: Vec<f64>,
    /// The line of the file for each row.
    lines: Vec<usize>,
    n_columns: usize,
    header_seen: bool,
    header: Vec<String>,
}

impl Table {
    /// Adds the fields of a line that is not blank. A first line without any number is a header.
    pub(crate) fn push<'a>(
        &mut self,
        line: usize,
        fields: impl Iterator<Item = &'a [u8]> + Clone,
    ) -> Result<(), ParseMatrixError> {
        let is_first = self.lines.is_empty() && !self.header_seen;
        if is_first && fields.clone().all(|field| number(field).is_none()) {
            self.header_seen = true;
            self.header = fields.take(MAX_ARMS + 1).map(readable).collect();
            return Ok(());
        }
        let start = self.entries.len();
        for (index, field) in fields.enumerate() {
            let Some(value) = number(field) else {
                return Err(ParseMatrixError::NotANumber { line, column: index + 1, text: excerpt(field) });
            };
            self.entries.push(value);
        }
        let got = self.entries.len() - start;
        if self.lines.is_empty() {
            check_size(got)?;
            self.n_columns = got;
        } else if got != self.n_columns {
            return Err(ParseMatrixError::RaggedRow { line, expected: self.n_columns, got });
        }
        self.lines.push(line);
        Ok(())
    }

    pub(crate) fn into_matrix(self) -> Result<NamedMatrix, ParseMatrixError> {
        let Self { entries, lines, n_columns, header, .. } = self;
        if lines.is_empty() {
            return Err(ParseMatrixError::Empty);
        }
        if lines.len() != n_columns {
            return Err(ParseMatrixError::NotSquare { rows: lines.len(), columns: n_columns });
        }
        let matrix = PreferenceMatrix::new(n_columns, entries)
            .map_err(|error| ParseMatrixError::Matrix { line: error.row().map(|row| lines[row]), error })?;
        // A header of another length does not name the arms.
        let names = if header.len() == n_columns { header } else { Vec::new() };
        Ok(NamedMatrix { matrix, names })
    }
}

pub(super) fn check_size(n_arms: usize) -> Result<(), ParseMatrixError> {
    if n_arms > MAX_ARMS { Err(ParseMatrixError::TooManyArms { n_arms }) } else { Ok(()) }
}

/// Reads a number. It accepts "nan" and "inf": the matrix refuses them later and names row and
/// column.
pub(crate) fn number(field: &[u8]) -> Option<f64> {
    str::from_utf8(field).ok()?.trim().parse().ok()
}

/// A name without control characters, which would garble a table.
pub(crate) fn readable(field: &[u8]) -> String {
    let text = String::from_utf8_lossy(field);
    text.trim().chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// The field for a message, shortened and without control characters. A binary file must not fill
/// the screen.
pub(crate) fn excerpt(field: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(field);
    let text = text.trim();
    let mut excerpt: String = text
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c })
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        excerpt.push_str("...");
    }
    excerpt
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(lines: &[&str]) -> Result<PreferenceMatrix, ParseMatrixError> {
        let mut table = Table::default();
        for (index, line) in lines.iter().enumerate() {
            table.push(index + 1, line.as_bytes().split(|&byte| byte == b','))?;
        }
        table.into_matrix().map(|named| named.matrix)
    }

    fn message(lines: &[&str]) -> String {
        parse(lines).unwrap_err().to_string()
    }

    #[test]
    fn trace_every_error_names_the_place() {
        assert_eq!(message(&[]), "it contains no numbers");
        assert_eq!(message(&["a,b"]), "it contains no numbers");
        assert_eq!(message(&["0.5,0.6", "0.4,half"]), "line 2, column 2: `half` is not a number");
        assert_eq!(message(&["a,b", "c,d"]), "line 2, column 1: `c` is not a number");
        assert_eq!(message(&["0.5,x"]), "line 1, column 2: `x` is not a number");
        assert_eq!(message(&["0.5,"]), "line 1, column 2: `` is not a number");
        assert_eq!(
            message(&["a,b", "0.5,0.6", "0.4"]),
            "line 3: the row has length 1, but the first row has length 2"
        );
        assert_eq!(message(&["0.5,0.6"]), "a matrix of 1 by 2 is not square");
        assert_eq!(
            message(&["a,b", "0.5,0.6", "nan,0.5"]),
            "line 3: row 2, column 1 is NaN, not a finite number"
        );
    }

    #[test]
    fn trace_too_many_arms_are_refused_at_the_first_row() {
        let row = vec!["0.5"; MAX_ARMS + 1].join(",");
        assert_eq!(message(&[&row]), "20001 arms are more than the 20000 that a matrix file may have");
        let row = vec!["0.5"; MAX_ARMS].join(",");
        assert_eq!(parse(&[&row]), Err(ParseMatrixError::NotSquare { rows: 1, columns: MAX_ARMS }));
    }

    /// A header may have any number of fields, as long as none is a number.
    #[test]
    fn trace_one_header_is_passed_over() {
        assert!(parse(&["a,b,c", "0.5,0.6", "0.4,0.5"]).is_ok());
    }

    #[test]
    fn trace_what_is_not_text_is_cut_short() {
        assert_eq!(excerpt(&[0xff; 41]), format!("{}...", "\u{fffd}".repeat(40)));
        assert_eq!(excerpt(b" a\x1b[31m "), "a\u{fffd}[31m");
    }
}
